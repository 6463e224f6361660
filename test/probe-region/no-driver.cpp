// Without a driver, the body runs once, and the result contains the reason.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: env CUDAGRAPH_PROBE_DRIVER=%t.none %python %S/Inputs/run.py %build %annotations %t.dir %s | FileCheck %s

#include <cstdio>
#include <cudagraph/probe.h>

int main() {
  int bodies = 0;
  auto r = cudagraph::probe(cudagraph::region("decode"), &bodies,
                            [](int *count) { ++*count; });
  // CHECK: region 'decode': no CUDA driver: {{.*}}.none
  // CHECK-NEXT: 1 0 0
  std::fputs(r.text().c_str(), stdout);
  std::printf("%d %d %zu\n", bodies, r.ok(), r.modes.size());
}
