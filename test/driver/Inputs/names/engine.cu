// A library without source: only names.json describes the effects of its
// functions.
namespace engine {
class Buffer {
public:
  Buffer();
  ~Buffer();
  float *address();
};
} // namespace engine

__global__ void scale(float *data);

void record(cudaStream_t stream, cudaGraph_t *graph) {
  engine::Buffer buffer;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, stream>>>(buffer.address());
  cudaStreamEndCapture(stream, graph);
}
