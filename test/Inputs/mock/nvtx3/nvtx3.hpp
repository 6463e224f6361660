//===- nvtx3.hpp - Ranges for C++ ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_NVTX3_NVTX3_HPP
#define CUDAGRAPH_MOCK_NVTX3_NVTX3_HPP

#include "nvToolsExt.h"
#include <string>

namespace nvtx3 {
inline namespace v1 {

struct domain {
  struct global {
    static constexpr const char *name = "";
  };
};

struct rgb {
  constexpr rgb(unsigned char r, unsigned char g, unsigned char b) {}
};
struct payload {
  template <class T> explicit payload(T value) {}
};
struct category {
  explicit category(unsigned int id) {}
};
struct event_attributes {
  template <class... Args> event_attributes(const Args &...args) {}
};

template <class D = domain::global> struct scoped_range_in {
  scoped_range_in();
  template <class... Args> explicit scoped_range_in(const Args &...args);
  ~scoped_range_in();
};
typedef scoped_range_in<> scoped_range;
template <class D = domain::global> struct unique_range_in {
  unique_range_in();
  template <class... Args> explicit unique_range_in(const Args &...args);
  ~unique_range_in();
};
typedef unique_range_in<> unique_range;
template <class D = domain::global>
void mark_in(const event_attributes &attributes);
void mark(const event_attributes &attributes);

} // namespace v1
} // namespace nvtx3

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range nvtx3_function_range(__func__)

#endif // CUDAGRAPH_MOCK_NVTX3_NVTX3_HPP
