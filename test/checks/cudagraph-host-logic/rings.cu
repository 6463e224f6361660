// Captured code advances the state that selects the next step: the next entry
// of a ring of structures, and a toggle in a container. The graph is stored in
// an element with a numeric index.

// RUN: %check %s cudagraph-host-logic,cudagraph-frozen-argument

#include <memory>
#include <vector>

__global__ void rows(float *u);
__global__ void cols(float *u);
__global__ void resolve(const float *from, float *to);

struct Relax;
struct Sweep {
  void (*submit)(Relax *);
  const Sweep *next;
};
struct Relax {
  cudaStream_t s;
  float *u;
  const Sweep *sweep;
  cudaGraphExec_t exec[2];
};

static void submit_rows(Relax *r) { rows<<<1, 1, 0, r->s>>>(r->u); }
static void submit_cols(Relax *r) { cols<<<1, 1, 0, r->s>>>(r->u); }
extern const Sweep by_rows, by_cols;
const Sweep by_rows = {submit_rows, &by_cols};
const Sweep by_cols = {submit_cols, &by_rows};

static void step(Relax *r) {
  r->sweep->submit(r);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the called function depends on host state that changes between replays
  r->sweep = r->sweep->next;
}

static void record(Relax *r, cudaGraphExec_t *out) {
  cudaGraph_t g;
  if (cudaStreamBeginCapture(r->s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  step(r);
  if (cudaStreamEndCapture(r->s, &g) != cudaSuccess ||
      cudaGraphInstantiate(out, g, 0) != cudaSuccess)
    return;
  cudaGraphDestroy(g);
}

// Legal: two graphs that alternate.
struct Pair {
  Relax r;
  unsigned turn = 0;
  void open() {
    other(&r, &r.exec[0]);
    other(&r, &r.exec[1]);
  }
  static void half(Relax *r) {
    r->sweep->submit(r);
    r->sweep = r->sweep->next;
  }
  static void other(Relax *r, cudaGraphExec_t *out) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(r->s, cudaStreamCaptureModeGlobal) !=
        cudaSuccess)
      return;
    half(r);
    if (cudaStreamEndCapture(r->s, &g) != cudaSuccess ||
        cudaGraphInstantiate(out, g, 0) != cudaSuccess)
      return;
    cudaGraphDestroy(g);
  }
  void advance() { cudaGraphLaunch(r.exec[turn++ % 2], r.s); }
};

struct History {
  float *texture[2];
  unsigned front = 0;
  const float *read() const { return texture[front]; }
  float *write() const { return texture[front ^ 1u]; }
  void flip() { front ^= 1u; }
};
struct Context {
  cudaStream_t s;
  History *history;
};
struct Pass {
  virtual ~Pass() = default;
  virtual void execute(Context &c) = 0;
};
struct Temporal final : Pass {
  void execute(Context &c) override {
    resolve<<<1, 1, 0, c.s>>>(c.history->read(), c.history->write());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'c.history->{{(read|write)}}()' of kernel 'resolve' is computed from host state that changes between replays
    c.history->flip();
  }
};
class FrameGraph {
public:
  void add(std::unique_ptr<Pass> p) { passes_.push_back(std::move(p)); }
  void bake(Context &c) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(c.s, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return;
    for (auto &p : passes_)
      p->execute(c);
    if (cudaStreamEndCapture(c.s, &g) != cudaSuccess ||
        cudaGraphInstantiate(&exec_[0], g, 0) != cudaSuccess)
      return;
    cudaGraphDestroy(g);
  }
  void render(Context &c) { cudaGraphLaunch(exec_[0], c.s); }

private:
  std::vector<std::unique_ptr<Pass>> passes_;
  cudaGraphExec_t exec_[2] = {nullptr, nullptr};
};

int main() {
  Relax r = {};
  cudaStreamCreateWithFlags(&r.s, cudaStreamNonBlocking);
  r.sweep = &by_rows;
  record(&r, &r.exec[0]);
  Pair pair = {};
  pair.r = r;
  pair.open();
  History history;
  Context c{r.s, &history};
  FrameGraph graph;
  graph.add(std::make_unique<Temporal>());
  graph.bake(c);
  for (int i = 0; i < 6; ++i) {
    cudaGraphLaunch(r.exec[0], r.s);
    pair.advance();
    graph.render(c);
  }
}
