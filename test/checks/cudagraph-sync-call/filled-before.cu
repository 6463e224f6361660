// A cache creates what it lacks. If the same call ran before the capture, the captured call
// finds the result.

// RUN: %check %s cudagraph-sync-call --real-std
// REQUIRES: gxx

#include <map>
#include <vector>

__global__ void blur(float *image, const float *taps, int radius);

// Each case has its own class, so that only the lines of one are reported.
class WarmTaps {
public:
  const float *get(int radius, cudaStream_t s) {
    auto found = all.find(radius);
    if (found == all.end()) {
      const std::vector<float> host(2 * radius + 1, 1.f);
      float *device = nullptr;
      cudaMalloc(&device, host.size() * sizeof(float));
      cudaMemcpyAsync(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, s);
      cudaStreamSynchronize(s);
      found = all.emplace(radius, device).first;
    }
    return found->second;
  }

private:
  std::map<int, float *> all;
};
class ColdTaps {
public:
  const float *get(int radius, cudaStream_t s) {
    if (!all.count(radius)) {
      float *device = nullptr;
      cudaMalloc(&device, (2 * radius + 1) * sizeof(float));
      cudaStreamSynchronize(s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
      all[radius] = device;
    }
    return all[radius];
  }

private:
  std::map<int, float *> all;
};

void warmed_up(WarmTaps &taps, float *image, int radius, cudaStream_t s, cudaGraph_t *g) {
  taps.get(radius, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  blur<<<1, 32, 0, s>>>(image, taps.get(radius, s), radius);
  cudaStreamEndCapture(s, g);
}

void first_use(ColdTaps &taps, float *image, int radius, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  blur<<<1, 32, 0, s>>>(image, taps.get(radius, s), radius);
  cudaStreamEndCapture(s, g);
}

// The function stores elements, but not because it lacks one.
class Log {
public:
  void note(int value, bool wait, cudaStream_t s) {
    values.push_back(value);
    if (wait)
      cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  }

private:
  std::vector<int> values;
};
void logged(Log &log, float *image, float *taps, bool wait, cudaStream_t s, cudaGraph_t *g) {
  log.note(1, wait, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  blur<<<1, 32, 0, s>>>(image, taps, 1);
  log.note(1, wait, s);
  cudaStreamEndCapture(s, g);
}
