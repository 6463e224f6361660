//===- probe_run.h - The form of probe.h that tries a region ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The declarations in probe.h if CUDAGRAPH_PROBE is defined. probe_plain.h has
// the same names.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_RUN_H
#define CUDAGRAPH_PROBE_RUN_H

#include "probe_interface.h"
#include "probe_results.h"

#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cudagraph {

namespace detail {
/// Converts to the stream type of a callable's parameter.
struct any_stream {
  void *handle;
  template <class T> operator T *() const { return static_cast<T *>(handle); }
};
} // namespace detail

inline namespace probed {

/// The observations of probe().
struct result {
  /// The results, in the order in which the modes were requested.
  std::vector<mode_result> modes;
  /// The reason why modes were not tried, such as "no CUDA driver"; or empty.
  std::string problem;
  /// All observations as text, in lines that end with a newline.
  std::string words;

  /// True if every mode replayed with equal buffers, and there is no problem.
  bool ok() const {
    bool all = problem.empty();
    for (const mode_result &m : modes)
      all = all && m.outcome == outcome::replayed;
    return all;
  }
  const std::string &text() const { return words; }
};

/// The subject and settings of a probe. Setters return the object.
class region {
public:
  /// Messages contain \p name, which is copied.
  explicit region(const char *name) : name(name) {}

  /// Capture modes to try, in order: enumerators of CUstreamCaptureMode or of
  /// cudaStreamCaptureMode, which have the same values. Default: all three.
  template <class... M> region &modes(M... m) {
    tried = {static_cast<int>(m)...};
    return *this;
  }
  /// \p bytes of device memory that the body reads or writes, owned by the
  /// caller. The probe restores the buffer before each run, and compares it
  /// after each.
  region &buffer(void *device, std::size_t bytes, const char *called,
                 tolerance t = {}) {
    names.emplace_back(called);
    buffers.push_back({device, bytes, nullptr, t.type, t.absolute, t.relative});
    return *this;
  }
  /// \p f is called between replays, with the stream if it has a parameter. It
  /// changes the inputs of the body, in buffers or on the host, as the program
  /// would.
  template <class F> region &change_inputs(F f) {
    change = callable(std::move(f));
    return *this;
  }
  /// \p f is called in the same way before runs that start from the first
  /// inputs. It undoes the changes that change_inputs and the body made on the
  /// host.
  template <class F> region &reset(F f) {
    undo = callable(std::move(f));
    return *this;
  }
  /// \p f is called with the result before probe() returns or throws.
  template <class F> region &report(F &&f) {
    reporter = std::forward<F>(f);
    return *this;
  }
  /// An exception that the body throws only while it is captured is an outcome,
  /// and is not rethrown.
  region &keep_exceptions() {
    keep = true;
    return *this;
  }

private:
  template <class F> static std::function<void(void *)> callable(F f) {
    return [f = std::move(f)](void *stream) mutable {
      if constexpr (std::is_invocable_v<F &>)
        f();
      else
        f(detail::any_stream{stream});
    };
  }

  std::string name;
  std::vector<int> tried{0, 1, 2};
  std::vector<std::string> names;
  std::vector<detail::c_buffer> buffers;
  std::function<void(void *)> change, undo;
  std::function<void(const result &)> reporter;
  bool keep = false;

  template <class Stream, class Body> friend struct call;
};

template <class Stream, class Body> struct call {
  const region &r;
  Stream stream;
  Body &body;
  result seen{};
  std::exception_ptr thrown{};

  template <class F> bool guarded(F f) {
#if defined(__cpp_exceptions)
    try {
      f();
    } catch (...) {
      if (!thrown)
        thrown = std::current_exception();
      return false;
    }
#else
    f();
#endif
    return true;
  }

  void *handle() const {
    void *it = nullptr;
    if constexpr (std::is_convertible_v<Stream, const void *>)
      it = const_cast<void *>(static_cast<const void *>(stream));
    else
      it = static_cast<void *>(stream.stream()); // c10::cuda::CUDAStream
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    if (!it)
      it = reinterpret_cast<void *>(2); // CU_STREAM_PER_THREAD
#endif
    return it;
  }

  /// The runtime's last error. Cleared if it differs from \p before, so that
  /// the program does not see errors that the probe caused.
  static int runtime_error([[maybe_unused]] int before) {
#if defined(__CUDA_RUNTIME_API_H__)
    int last = static_cast<int>(cudaPeekAtLastError());
    if (before >= 0 && last != before)
      cudaGetLastError();
    return last == before ? 0 : last;
#else
    return 0;
#endif
  }

  static int run(void *self, int captured) {
    call &c = *static_cast<call *>(self);
    using R = std::decay_t<decltype(c.body(c.stream))>;
    int code = 0, pending = captured ? runtime_error(-1) : 0;
    std::exception_ptr earlier = c.thrown;
    bool fine = c.guarded([&] {
      if constexpr (std::is_enum_v<R> || std::is_same_v<R, int>)
        code = static_cast<int>(c.body(c.stream));
      else
        c.body(c.stream);
    });
    int last = captured ? runtime_error(pending) : 0;
    if (!fine && captured && c.r.keep)
      c.thrown = earlier;
    return !fine ? -1 : code ? code : last;
  }
  static bool change(void *self) {
    call &c = *static_cast<call *>(self);
    return c.guarded([&] { c.r.change(c.handle()); });
  }
  static bool reset(void *self) {
    call &c = *static_cast<call *>(self);
    return c.guarded([&] { c.r.undo(c.handle()); });
  }

  static void tell(void *self, const detail::c_event *e) {
    using event = detail::c_event;
    result &seen = static_cast<call *>(self)->seen;
    switch (e->kind) {
    case event::problem:
      seen.problem = e->text;
      return;
    case event::report:
      seen.words += e->text;
      return;
    case event::mode:
      seen.modes.emplace_back();
      seen.modes.back().mode = e->number;
      return;
    }
    mode_result &m = seen.modes.back();
    switch (e->kind) {
    case event::step:
      m.steps.push_back({e->text, e->number});
      break;
    case event::status:
      m.status = e->number;
      break;
    case event::nodes:
      m.nodes = e->size;
      break;
    case event::differs:
      m.differences.push_back(
          {e->more, e->text, e->size, e->count, e->number != 0});
      break;
    case event::broken:
      m.broken_in = e->text;
      break;
    case event::ended:
      m.outcome = static_cast<cudagraph::outcome>(e->number);
      break;
    }
  }

  result operator()() {
    std::vector<detail::c_buffer> buffers = r.buffers;
    for (std::size_t i = 0; i != buffers.size(); ++i)
      buffers[i].name = r.names[i].c_str();
    detail::c_request request{
        1,
        r.name.c_str(),
        handle(),
        r.tried.data(),
        r.tried.size(),
        buffers.data(),
        buffers.size(),
        this,
        run,
        r.change ? change : nullptr,
        r.undo ? reset : nullptr,
        tell,
    };
    cudagraph_probe_run(&request);
    if (r.reporter)
      r.reporter(seen);
    if (thrown)
      std::rethrow_exception(thrown);
    return std::move(seen);
  }
};

/// Runs \p body eagerly, then captures and replays it in each mode of \p r. The
/// body is called several times, with \p stream, which it must not destroy; an
/// int or enumerator that it returns is interpreted as a CUDA error code.
/// Afterwards, registered buffers have the contents of the eager run, and the
/// stream is not capturing and has no pending work of the probe. On a stream
/// that is already capturing, or inside another probe, the body is called only
/// once, and the result reports this. Throws only exceptions that come from the
/// callables.
template <class Stream, class Body>
result probe(const region &r, Stream stream, Body &&body) {
  return call<Stream, std::remove_reference_t<Body>>{r, stream, body}();
}

/// A named part of a region: a message names the part in which a capture broke.
/// The name must outlive the object.
class scoped_region {
public:
  explicit scoped_region(const char *name) { cudagraph_probe_enter(name); }
  ~scoped_region() { cudagraph_probe_leave(); }
  scoped_region(const scoped_region &) = delete;
  scoped_region &operator=(const scoped_region &) = delete;
};

} // namespace probed
} // namespace cudagraph

#endif // CUDAGRAPH_PROBE_RUN_H
