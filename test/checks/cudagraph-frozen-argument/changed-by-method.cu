// RUN: %check %s cudagraph-frozen-argument
// The method that changes the state belongs to a class with several objects:
// the call for the object whose state the graph uses explains the change.
class Pair {
public:
  Pair() {
    for (auto &each : slots)
      cudaMalloc(&each, 64);
  }
  float *front() const { return slots[active]; }
  float *back() const { return slots[active ^ 1]; }
  void flip() { active ^= 1; }
  // CHECK-NOTES: :[[@LINE-1]]:17: note: it changes here

private:
  float *slots[2] = {};
  int active = 0;
};

__global__ void kernel(const float *in, float *out);

class Track {
public:
  Track() {
    cudaStreamCreate(&stream);
    cudaMalloc(&output, 64);
  }
  void push(const float *samples) {
    cudaMemcpyAsync(input.back(), samples, 64, cudaMemcpyHostToDevice, stream);
    input.flip();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: this call changes it
  }
  void process() {
    if (!exec)
      capture();
    cudaGraphLaunch(exec, stream);
  }

private:
  void capture() {
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
      return;
    const float *in = input.front();
    kernel<<<1, 16, 0, stream>>>(in, scratch.back());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'in' of kernel 'kernel' is computed from host state that changes between replays
    scratch.flip();
    kernel<<<1, 16, 0, stream>>>(scratch.front(), output);
    scratch.flip();
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess)
      cudaGraphInstantiate(&exec, graph, 0);
  }

  Pair input, scratch;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *output = nullptr;
};

int main() {
  Track track;
  for (int block = 0; block < 3; ++block) {
    float samples[16] = {};
    track.push(samples);
    track.process();
  }
  return 0;
}
