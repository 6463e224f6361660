// Exceptions of callables propagate after the cleanup; the report comes first.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: %python %S/Inputs/run.py %build %annotations %t.dir %s | FileCheck %s

#include "fake.h"
#include <cstdio>
#include <cudagraph/probe.h>
#include <stdexcept>

static int out = 1;

static void check(int code) {
  if (code)
    throw std::runtime_error("CUDA error " + std::to_string(code));
}

template <class Body>
static void attempt(cudagraph::region &region, Body body) {
  region.buffer(&out, sizeof(out), "out");
  region.report(
      [](const cudagraph::result &r) { std::fputs(r.text().c_str(), stdout); });
  try {
    auto r = cudagraph::probe(region, fakeStream(), body);
    std::printf("returned, ok %d", r.ok());
  } catch (const std::exception &e) {
    std::printf("threw %s", e.what());
  }
  std::printf(", out %d, left %d\n", out, fakeLeft());
}

int main() {
  auto waits = [](cudaStream_t s) {
    cudagraph::scoped_region part("loss");
    fakeAdd(&out, 1, s);
    check(fakeWait(s));
  };
  cudagraph::region plain("captured");
  // CHECK: region 'captured'
  // CHECK-NEXT: global: threw in 'loss'; body: threw; end: 901
  // CHECK-NEXT: thread-local: threw in 'loss'; body: threw; end: 901
  // CHECK-NEXT: relaxed: threw in 'loss'; body: threw; end: 901
  // CHECK-NEXT: threw CUDA error 900, out 2, left 0
  attempt(plain, waits);

  cudagraph::region kept("kept");
  // CHECK: global: threw in 'loss'
  // CHECK: returned, ok 0, out 3, left 0
  attempt(kept.keep_exceptions(), waits);

  cudagraph::region always("always");
  // CHECK: region 'always': the body threw without a capture
  // CHECK-NEXT: threw no input, out 3, left 0
  attempt(always.keep_exceptions(), [](cudaStream_t s) {
    fakeAdd(&out, 1, s);
    throw std::logic_error("no input");
  });

  cudagraph::region change("change");
  change.change_inputs([] { throw std::logic_error("no more inputs"); });
  // CHECK: region 'change': change_inputs() threw
  // CHECK-NEXT: global: failed, 1 node
  // CHECK-NEXT: threw no more inputs, out 4, left 0
  attempt(change, [](cudaStream_t s) { fakeAdd(&out, 1, s); });

  // An exception that does not derive from std::exception, in a valid capture.
  cudagraph::region number("number");
  int calls = 0;
  try {
    cudagraph::probe(number.modes(0), fakeStream(), [&](cudaStream_t) {
      if (++calls == 2)
        throw 42;
    });
  } catch (int code) {
    // CHECK: threw 42, left 0
    std::printf("threw %d, left %d\n", code, fakeLeft());
  }
}
