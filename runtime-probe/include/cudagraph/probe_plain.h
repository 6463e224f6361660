//===- probe_plain.h - The form of probe.h without an effect ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The declarations in probe.h if CUDAGRAPH_PROBE is not defined: the names of
// probe_run.h, which documents them. Both forms may be used in one program.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_PLAIN_H
#define CUDAGRAPH_PROBE_PLAIN_H

#include "annotations.h"
#include "probe_results.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph {
inline namespace unprobed {

struct result {
  std::vector<mode_result> modes;
  std::string_view problem;
  bool ok() const noexcept { return true; }
  std::string text() const { return {}; }
};

class region {
public:
  explicit region(const char *) noexcept {}
  template <class... M> region &modes(M...) noexcept { return *this; }
  region &buffer(void *, std::size_t, const char *, tolerance = {}) noexcept {
    return *this;
  }
  template <class F> region &change_inputs(F &&) noexcept { return *this; }
  template <class F> region &reset(F &&) noexcept { return *this; }
  template <class F> region &report(F &&) noexcept { return *this; }
  region &keep_exceptions() noexcept { return *this; }
};

template <class Stream, class Body>
result probe(const region &, Stream stream, Body &&body) {
#if defined(__CUDAGRAPH_TIDY__) || defined(__clang_analyzer__)
  capture_region_scope capturing(stream);
#endif
  body(stream);
  return {};
}

class scoped_region {
public:
  explicit scoped_region(const char *) noexcept {}
  // Not defaulted: compilers report objects with trivial destructors as unused.
  ~scoped_region() {}
  scoped_region(const scoped_region &) = delete;
  scoped_region &operator=(const scoped_region &) = delete;
};

} // namespace unprobed
} // namespace cudagraph

#endif // CUDAGRAPH_PROBE_PLAIN_H
