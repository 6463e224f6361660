//===- probe_interface.h - The library behind probe.h -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface to libcudagraph_probe. It is in C, so that it works with
// every standard library, with and without exceptions. Not for programs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_INTERFACE_H
#define CUDAGRAPH_PROBE_INTERFACE_H

#include <cstddef>

namespace cudagraph {
namespace detail {

struct c_buffer {
  void *device;
  std::size_t bytes;
  const char *name;
  int element;
  double absolute, relative;
};

/// Fields that an event does not use are 0.
struct c_event {
  enum { mode, step, status, nodes, differs, broken, ended, problem, report };
  int kind;
  int number;              // mode, code, status, outcome; differs: varies
  std::size_t size, count; // nodes; differs: offset and count
  const char *text, *more; // a name; differs: buffer and against
};

struct c_request {
  int version; // 1
  const char *name;
  void *stream;
  const int *modes;
  std::size_t mode_count;
  const c_buffer *buffers;
  std::size_t buffer_count;
  void *self;
  int (*run)(void *self, int captured); // the body's code; -1: it threw
  bool (*change)(void *self);           // false: it threw
  bool (*reset)(void *self);
  void (*tell)(void *self, const c_event *event);
};

} // namespace detail
} // namespace cudagraph

extern "C" {
void cudagraph_probe_run(const cudagraph::detail::c_request *request);
void cudagraph_probe_enter(const char *name);
void cudagraph_probe_leave();
}

#endif // CUDAGRAPH_PROBE_INTERFACE_H
