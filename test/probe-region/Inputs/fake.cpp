// See fake.h.

#include "fake.h"

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct CUgraph_st {
  std::vector<std::function<void()>> nodes;
};
struct CUgraphExec_st : CUgraph_st {};
struct CUstream_st {
  int status = 0, mode = 0;
  CUgraph_st *graph = nullptr;
};

static CUstream_st theStream;
static int context, graphs, execs;
static std::map<std::string, int> calls;
static std::map<std::string, std::pair<int, int>> failures;

static int failure(const char *entry) {
  int call = ++calls[entry];
  auto it = failures.find(entry);
  return it != failures.end() && it->second.first == call ? it->second.second
                                                          : 0;
}
#define ENTER()                                                                \
  if (int code = failure(__func__))                                            \
  return code

static int work(std::function<void()> f, cudaStream_t s) {
  if (s->status == 2)
    return 901;
  if (s->status == 1)
    s->graph->nodes.push_back(f);
  else
    f();
  return 0;
}

extern "C" {
cudaStream_t fakeStream() { return &theStream; }
int fakeAdd(int *dst, int value, cudaStream_t s) {
  return work([=] { *dst += value; }, s);
}
int fakeCopy(void *dst, const void *src, std::size_t bytes, cudaStream_t s) {
  return work([=] { std::memcpy(dst, src, bytes); }, s);
}
int fakeEscape(int *dst, int value) {
  *dst += value;
  return 0;
}
int fakeMalloc() {
  if (!theStream.status || theStream.mode == 2)
    return 0;
  theStream.status = 2;
  return 900;
}
int fakeWait(cudaStream_t s) {
  if (s->status)
    s->status = 2;
  return s->status ? 900 : 0;
}
void fakeFail(const char *entry, int nth, int code) {
  failures[entry] = {nth, code};
}
void fakeForget() {
  failures.clear();
  calls.clear();
}
int fakeLeft() { return graphs + execs + (theStream.status != 0); }

int cuGetErrorName(int code, const char **name) {
  *name = code == 900   ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
          : code == 901 ? "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
          : code == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
                        : nullptr;
  return *name ? 0 : 1;
}
int cuCtxGetCurrent(void **c) {
  *c = &context;
  return 0;
}
int cuCtxPushCurrent_v2(void *) { return 0; }
int cuCtxPopCurrent_v2(void **) { return 0; }
int cuStreamGetCtx(cudaStream_t, void **c) { return cuCtxGetCurrent(c); }
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, std::size_t n,
                         cudaStream_t) {
  ENTER();
  std::memcpy(to, reinterpret_cast<void *>(from), n);
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from,
                         std::size_t n, cudaStream_t) {
  ENTER();
  std::memcpy(reinterpret_cast<void *>(to), from, n);
  return 0;
}
int cuStreamBeginCapture_v2(cudaStream_t s, int mode) {
  ENTER();
  if (s->status)
    return 401;
  *s = {1, mode, new CUgraph_st};
  ++graphs;
  return 0;
}
int cuStreamEndCapture(cudaStream_t s, CUgraph_st **g) {
  *g = nullptr;
  if (!s->status)
    return 401;
  ENTER(); // fails, and the capture continues
  bool whole = s->status == 1;
  if (whole) {
    *g = s->graph;
  } else {
    delete s->graph;
    --graphs;
  }
  *s = {};
  return whole ? 0 : 901;
}
int cuStreamIsCapturing(cudaStream_t s, int *status) {
  *status = 0;
  ENTER();
  *status = s->status;
  return 0;
}
int cuStreamSynchronize(cudaStream_t) {
  ENTER();
  return 0;
}
int cuGraphGetNodes(CUgraph_st *g, void **, std::size_t *count) {
  ENTER();
  *count = g->nodes.size();
  return 0;
}
int cuGraphInstantiateWithFlags(CUgraphExec_st **e, CUgraph_st *g,
                                unsigned long long) {
  ENTER();
  *e = new CUgraphExec_st{*g};
  ++execs;
  return 0;
}
int cuGraphLaunch(CUgraphExec_st *e, cudaStream_t) {
  ENTER();
  for (auto &node : e->nodes)
    node();
  return 0;
}
int cuGraphDestroy(CUgraph_st *g) {
  delete g;
  --graphs;
  return 0;
}
int cuGraphExecDestroy(CUgraphExec_st *e) {
  delete e;
  --execs;
  return 0;
}
}
