// A variable whose only value depends on itself, conditions that many variables
// share, and very long conditions neither stop the analysis nor hide a finding.

// RUN: %check %s cudagraph-sync-call --real-std -- -DITSELF
// RUN: %check %s cudagraph-sync-call --real-std -- -DCOPY
// RUN: %check %s cudagraph-sync-call --real-std -- -DSHARED
// RUN: %check %s cudagraph-sync-call --real-std -- -DLONG

#include <cuda_runtime.h>
#include <vector>

struct Item {
  bool slow;
  int kind, size[4];
};
bool check(const Item &item);
int mix(int a, int b, int c, int d, int e, int f);
void run(const Item &item, cudaStream_t s);

#ifdef ITSELF
bool accepts(const std::vector<Item> &items) {
  bool all;
  for (const Item &item : items)
    all = all && check(item);
  return all;
}
#elif defined(COPY)
bool accepts(const std::vector<Item> &items) {
  bool same;
  for (const Item &item : items)
    if (check(item)) {
      same = same;
      if (same)
        return true;
    }
  return same;
}
#elif defined(SHARED)
bool accepts(const std::vector<Item> &items) {
  bool all = true;
  for (const Item &item : items) {
    bool a = item.kind == 1 || item.kind == 2;
    bool b = (a && item.slow) || (a && item.kind == 3) || (!a && item.slow);
    bool c = (b && a) || (b && !a) || (!b && a) || (b && item.slow);
    bool d = (c && b) || (c && !b) || (!c && b) || (c && item.slow);
    bool e = (d && c) || (d && !c) || (!d && c) || (d && item.slow);
    bool f = (e && d) || (e && !d) || (!e && d) || (e && item.slow);
    bool g = (f && e) || (f && !e) || (!f && e) || (f && item.slow);
    bool h = (g && f) || (g && !f) || (!g && f) || (g && item.slow);
    bool i = (h && g) || (h && !g) || (!h && g) || (h && item.slow);
    bool j = (i && h) || (i && !h) || (!i && h) || (i && item.slow);
    all = all && ((j && i) || (j && !i) || (!j && i) || (j && item.slow));
  }
  return all;
}
#elif defined(LONG)
bool accepts(const std::vector<Item> &items) {
  bool all = true;
  for (const Item &item : items) {
    const int *n = item.size;
    int a = mix(n[0], n[1], n[2], n[3], item.kind, item.slow);
    int b = mix(a, a, a, a, a, a), c = mix(b, b, b, b, b, b);
    int d = mix(c, c, c, c, c, c), e = mix(d, d, d, d, d, d);
    all = all && mix(e, e, e, e, e, e) == 7;
  }
  return all;
}
#endif

void forward(const std::vector<Item> &items, cudaStream_t s) {
  if (!accepts(items)) {
    for (const Item &item : items)
      run(item, s);
    return;
  }
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (const Item &item : items)
    run(item, s);
  cudaStreamEndCapture(s, &graph);
}

void run(const Item &item, cudaStream_t s) {
  if (item.size[0] > 8)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
