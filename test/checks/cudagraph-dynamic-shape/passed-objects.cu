// A small function reads only one member of the object that is passed: changes
// to the other members do not matter.

// RUN: %check %s cudagraph-dynamic-shape,cudagraph-frozen-argument,cudagraph-host-logic --real-std

#include <algorithm>
#include <memory>
#include <vector>

__global__ void k(const int *header, const float *points);

struct Header {
  int count;
};
class Slot {
public:
  explicit Slot(int capacity)
      : capacity_(capacity), header_(new Header[1]), points_(new float[capacity]) {}
  void load(const std::vector<float> &scan) {
    int n = std::min(int(scan.size()), capacity_);
    std::copy(scan.begin(), scan.begin() + n, points_.get());
    header_[0].count = n;
  }
  int count() const { return header_[0].count; }
  int capacity() const { return capacity_; }
  const Header *header() const { return header_.get(); }

private:
  int capacity_;
  std::unique_ptr<Header[]> header_;
  std::unique_ptr<float[]> points_;
};
static int blocksFor(const Slot &s) { return (s.count() + 255) / 256; }
static int allBlocks(const Slot &s) { return (s.capacity() + 255) / 256; }
class Fitting {
public:
  explicit Fitting(int capacity) : slot_(capacity) { cudaStreamCreate(&s_); }
  void operator()(const std::vector<float> &scan) {
    slot_.load(scan);
    if (!exec_)
      compile();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void compile() {
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(header_, slot_.header(), sizeof(Header), cudaMemcpyHostToDevice, s_);
    k<<<blocksFor(slot_), 256, 0, s_>>>(header_, points_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'k' is computed from a value that 'Slot::load' sets while the graph exists
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  Slot slot_;
  int *header_ = nullptr;
  float *points_ = nullptr;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};
class Roomy {
public:
  explicit Roomy(int capacity) : slot_(capacity) { cudaStreamCreate(&s_); }
  void operator()(const std::vector<float> &scan) {
    slot_.load(scan);
    if (!exec_)
      compile();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void compile() {
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(header_, slot_.header(), sizeof(Header), cudaMemcpyHostToDevice, s_);
    k<<<allBlocks(slot_), 256, 0, s_>>>(header_, points_);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  Slot slot_;
  int *header_ = nullptr;
  float *points_ = nullptr;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};
int main() {
  Fitting fitting(4096);
  Roomy roomy(4096);
  for (int n : {100, 2000, 30}) {
    std::vector<float> scan(n);
    fitting(scan);
    roomy(scan);
  }
}

// Two arenas, and one function that allocates from either.
struct Arena {
  char *base;
  size_t used, cap;
};
static void *top(const Arena *a, size_t bytes) {
  return a->used + bytes > a->cap ? nullptr : a->base + a->used;
}
static void rewind(Arena *a, size_t mark) { a->used = mark; }
struct Mapper {
  Arena *scratch, *resident;
  cudaStream_t s;
  int *table;
  cudaGraphExec_t exec;
};
static int build(Mapper *m) {
  cudaGraph_t g = nullptr;
  cudaStreamBeginCapture(m->s, cudaStreamCaptureModeRelaxed);
  void *host = top(m->resident, 64);
  if (host)
    cudaMemcpyAsync(m->table, host, 64, cudaMemcpyHostToDevice, m->s);
  cudaStreamEndCapture(m->s, &g);
  return cudaGraphInstantiate(&m->exec, g, 0);
}
static int run(Mapper *m) {
  size_t mark = m->scratch->used;
  void *in = top(m->scratch, 64);
  if (in)
    cudaMemcpyAsync(m->table, in, 64, cudaMemcpyHostToDevice, m->s);
  cudaGraphLaunch(m->exec, m->s);
  rewind(m->scratch, mark + 64);
  return in != nullptr;
}
int arenas(char *a, char *b, cudaStream_t s, int *table) {
  Arena scratch = {a, 0, 4096}, resident = {b, 0, 4096};
  Mapper m = {&scratch, &resident, s, table, nullptr};
  int rc = build(&m);
  for (int i = 0; rc == 0 && i < 4; ++i)
    run(&m);
  return rc;
}
