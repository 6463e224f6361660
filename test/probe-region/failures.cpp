// Whenever a driver call fails, no graph remains, the stream is not capturing,
// the failure is reported, and the buffer has its original contents or those
// after one eager run.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: %python %S/Inputs/run.py %build %annotations %t.dir %s > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: not grep WRONG %t.txt

#include "fake.h"
#include <cstdio>
#include <cudagraph/probe.h>
#include <string>

int main() {
  const char *entries[] = {
      "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2",        "cuStreamBeginCapture_v2",
      "cuStreamEndCapture",   "cuStreamIsCapturing",         "cuStreamSynchronize",
      "cuGraphGetNodes",      "cuGraphInstantiateWithFlags", "cuGraphLaunch"};
  for (const char *entry : entries)
    for (int nth = 1; nth != 12; ++nth) {
      int out = 1, bodies = 0;
      fakeForget();
      fakeFail(entry, nth, 2);
      cudagraph::region region("r");
      region.modes(0, 2).buffer(&out, sizeof(out), "out");
      region.change_inputs([] {});
      auto r = cudagraph::probe(region, fakeStream(), [&](cudaStream_t s) {
        ++bodies;
        fakeAdd(&out, 4, s);
      });
      bool asked = std::string(entry) == "cuStreamIsCapturing" ||
                   std::string(entry) == "cuGraphGetNodes";
      if (fakeLeft() || !bodies || r.text().empty())
        std::printf("WRONG: %s %d: left %d\n", entry, nth, fakeLeft());
      // If copying back fails, the earlier contents remain.
      bool copies = std::string(entry) == "cuMemcpyHtoDAsync_v2" ||
                    std::string(entry) == "cuStreamSynchronize";
      if (out != 5 && !(out == 1 && !r.ok()) && !copies)
        std::printf("WRONG: %s %d: out %d\n", entry, nth, out);
      if (nth == 1 && !asked && r.ok())
        std::printf("WRONG: %s: not seen\n", entry);
      if (nth == 1)
        std::fputs(r.text().c_str(), stdout);
    }
  // CHECK: region 'r': saving buffers failed: 2 CUDA_ERROR_OUT_OF_MEMORY
  // CHECK: region 'r': restoring buffers failed: 2
  // CHECK-NEXT: global: failed
  // CHECK: region 'r'{{$}}
  // CHECK-NEXT: global: refused; begin: 2
  // CHECK-NEXT: relaxed: replayed, 1 node
  // CHECK: global: refused; end: 2
  // CHECK-NEXT: relaxed: replayed, 1 node
  // CHECK: region 'r': the stream cannot be used: 2
  // CHECK: region 'r': saving buffers failed: 2
  // CHECK: global: replayed{{$}}
  // CHECK-NEXT: relaxed: replayed, 1 node
  // CHECK: global: not replayed, 1 node; instantiate: 2
  // CHECK-NEXT: relaxed: replayed, 1 node
  // CHECK: global: not replayed, 1 node; launch: 2
  // CHECK-NEXT: relaxed: replayed, 1 node

  // A body that fails in the eager run is not captured.
  fakeForget();
  int out = 1, bodies = 0;
  cudagraph::region region("bad");
  region.buffer(&out, sizeof(out), "out");
  auto r = cudagraph::probe(region, fakeStream(), [&](cudaStream_t) {
    ++bodies;
    out = 9;
    return 1;
  });
  // CHECK: region 'bad': the body fails without a capture: 1
  // CHECK-NEXT: out 1, 1 body
  std::fputs(r.text().c_str(), stdout);
  std::printf("out %d, %d body\n", out, bodies);
}
