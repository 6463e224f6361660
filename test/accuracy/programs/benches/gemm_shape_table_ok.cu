// Table of recorded split-K products, one exec per shape.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

#define OK(x)                                                                     \
  do {                                                                            \
    cudaError_t r = (x);                                                          \
    if (r != cudaSuccess) {                                                       \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(r));              \
      std::printf("LABEL UNOBSERVED\n");                                          \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

__global__ void partial_dot(const float* a, const float* x, float* part, int rows, int cols, int splits) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int s = blockIdx.y;
  if (r >= rows) return;
  float acc = 0;
  for (int c = s; c < cols; c += splits) acc += a[r * cols + c] * x[c];
  part[s * rows + r] = acc;
}
__global__ void reduce_parts(const float* part, float* y, int rows, int splits) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float acc = 0;
  for (int s = 0; s < splits; ++s) acc += part[s * rows + r];
  y[r] = acc;
}

std::set<const float*> live_blocks;

class DeviceArray {
 public:
  explicit DeviceArray(size_t n) {
    OK(cudaMalloc(&p_, n * sizeof(float)));
    live_blocks.insert(p_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    live_blocks.erase(p_);
    cudaFree(p_);
  }
  float* get() const { return p_; }

 private:
  float* p_ = nullptr;
};

struct ShapeRow {
  int rows, cols, splits;
};

struct Entry {
  ShapeRow shape{};
  std::shared_ptr<DeviceArray> a, x, y;
  std::shared_ptr<DeviceArray> scratch;
  const float* scratch_addr = nullptr;
  cudaGraphExec_t exec = nullptr;
};

static cudaGraphExec_t record(Entry& e, cudaStream_t s) {
  const ShapeRow& d = e.shape;
  auto scratch = std::make_shared<DeviceArray>(size_t(d.rows) * d.splits);
  cudaGraph_t g = nullptr;
  cudaGraphExec_t exec = nullptr;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  dim3 grid((d.rows + 63) / 64, d.splits);
  partial_dot<<<grid, 64, 0, s>>>(e.a->get(), e.x->get(), scratch->get(), d.rows, d.cols, d.splits);
  reduce_parts<<<grid.x, 64, 0, s>>>(scratch->get(), e.y->get(), d.rows, d.splits);
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphInstantiate(&exec, g, 0));
  OK(cudaGraphDestroy(g));
  e.scratch_addr = scratch->get();
  e.scratch = std::move(scratch);
  return exec;
}

static Entry make_entry(const ShapeRow& shape, cudaStream_t s) {
  Entry e;
  e.shape = shape;
  e.a = std::make_shared<DeviceArray>(size_t(shape.rows) * shape.cols);
  e.x = std::make_shared<DeviceArray>(shape.cols);
  e.y = std::make_shared<DeviceArray>(shape.rows);
  std::vector<float> ha(size_t(shape.rows) * shape.cols), hx(shape.cols);
  for (size_t i = 0; i < ha.size(); ++i) ha[i] = float(i % 3);
  for (int c = 0; c < shape.cols; ++c) hx[c] = float(c % 5) * 0.5f;
  OK(cudaMemcpy(e.a->get(), ha.data(), ha.size() * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(e.x->get(), hx.data(), hx.size() * sizeof(float), cudaMemcpyHostToDevice));
  e.exec = record(e, s);
  return e;
}

static int verify(const Entry& e) {
  std::vector<float> y(e.shape.rows);
  OK(cudaMemcpy(y.data(), e.y->get(), y.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int r = 0; r < e.shape.rows; ++r) {
    float want = 0;
    for (int c = 0; c < e.shape.cols; ++c) want += float((size_t(r) * e.shape.cols + c) % 3) * float(c % 5) * 0.5f;
    if (std::fabs(want - y[r]) > 1e-2f) ++bad;
  }
  return bad;
}

int main() {
  static const ShapeRow kShapes[] = {{64, 128, 2}, {200, 96, 4}, {512, 64, 8}, {33, 1000, 4}};
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  int dead = 0, wrong = 0, launches = 0;
  {
    std::vector<Entry> table;
    table.reserve(std::size(kShapes));
    for (const ShapeRow& sh : kShapes) table.push_back(make_entry(sh, s));

    for (const Entry& e : table)
      if (!live_blocks.count(e.scratch_addr)) ++dead;

    auto replay_all = [&](int reps) {
      for (Entry& e : table) {
        for (int i = 0; i < reps; ++i) {
          OK(cudaGraphLaunch(e.exec, s));
          ++launches;
        }
        OK(cudaStreamSynchronize(s));
        wrong += verify(e);
      }
    };
    replay_all(1);
    replay_all(20);
    for (Entry& e : table) OK(cudaGraphExecDestroy(e.exec));
  }
  OK(cudaStreamDestroy(s));
  std::printf("dead scratch %d wrong %d launches %d\n", dead, wrong, launches);
  if (dead == 0 && wrong == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
