//===- annotations.h - Annotations for cudagraph-tidy -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Annotations for code whose capture begins elsewhere (in Python or in another
// library), and for contracts that the analysis should check. Everything here
// expands to nothing under nvcc, GCC, Clang, and MSVC; only cudagraph-tidy and
// the Clang static analyzer see attributes. Requires C99 or C++11, or later.
//
// Code that must not include a header uses comments instead:
//   // cudagraph: begin-capture(stream)
//   // cudagraph: end-capture
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANNOTATIONS_H
#define CUDAGRAPH_ANNOTATIONS_H

// Unlike [[clang::annotate]], __attribute__ is valid before a function
// declaration as well as right after the parameters of a lambda, before mutable
// and ->.
#if defined(__clang_analyzer__) || defined(__CUDAGRAPH_TIDY__)
#define CUDAGRAPH_DETAIL_ANNOTATE(...) __attribute__((annotate(__VA_ARGS__)))
#if defined(__clang_major__) && __clang_major__ < 22
// Older versions do not accept clang::annotate on a statement.
#define CUDAGRAPH_DETAIL_STATEMENT(...) [[clang::suppress(__VA_ARGS__)]]
#else
#define CUDAGRAPH_DETAIL_STATEMENT(...) [[clang::annotate(__VA_ARGS__)]]
#endif
#else
#define CUDAGRAPH_DETAIL_ANNOTATE(...)
#define CUDAGRAPH_DETAIL_STATEMENT(...)
#endif

/// The function or lambda runs while a stream captures: analyze it as a region.
/// The capturing stream is its stream argument, if it has one.
///
///   CUDAGRAPH_CAPTURE_REGION void step(cudaStream_t stream);
///   runner.record([&](cudaStream_t s) CUDAGRAPH_CAPTURE_REGION { step(s); });
#define CUDAGRAPH_CAPTURE_REGION                                               \
  CUDAGRAPH_DETAIL_ANNOTATE("cudagraph::capture_region")

/// A contract: the function may be called while a stream captures. Its body is
/// checked against the contract, and calls to it are trusted.
///
///   CUDAGRAPH_CAPTURE_SAFE void scale(float *x, int n, cudaStream_t stream);
#define CUDAGRAPH_CAPTURE_SAFE                                                 \
  CUDAGRAPH_DETAIL_ANNOTATE("cudagraph::capture_safe")

/// A contract: the function must not be called while a stream captures; WHY (a
/// string literal) is reported at the call.
///
///   CUDAGRAPH_CAPTURE_UNSAFE("reads the loss back") float loss();
#define CUDAGRAPH_CAPTURE_UNSAFE(WHY)                                          \
  CUDAGRAPH_DETAIL_ANNOTATE("cudagraph::capture_unsafe:" WHY)

/// Findings in the following statement (or compound statement) or declaration
/// are intentional. WHY is a string literal that explains the reason.
///
///   CUDAGRAPH_ALLOW("the first replay only") cudaStreamSynchronize(stream);
#define CUDAGRAPH_ALLOW(WHY) CUDAGRAPH_DETAIL_STATEMENT("cudagraph::allow", WHY)

#ifdef __cplusplus
namespace cudagraph {

/// From here to the end of the scope, the stream is capturing. The object is
/// empty, and the constructor does nothing.
///
///   { cudagraph::capture_region_scope capturing(stream);  step(stream); }
class CUDAGRAPH_DETAIL_ANNOTATE("cudagraph::capture_region_scope")
    capture_region_scope {
public:
  template <typename Stream>
  explicit capture_region_scope(const Stream &) noexcept {}
  // Not defaulted: compilers report objects with trivial destructors as unused.
  ~capture_region_scope() {}
  capture_region_scope(const capture_region_scope &) = delete;
  capture_region_scope &operator=(const capture_region_scope &) = delete;
};

} // namespace cudagraph

#define CUDAGRAPH_DETAIL_JOIN2(A, B) A##B
#define CUDAGRAPH_DETAIL_JOIN(A, B) CUDAGRAPH_DETAIL_JOIN2(A, B)

/// The same in one line, without a variable name.
#define CUDAGRAPH_CAPTURE_SCOPE(STREAM)                                        \
  ::cudagraph::capture_region_scope CUDAGRAPH_DETAIL_JOIN(                     \
      cudagraph_capture_scope_, __LINE__)(STREAM)
#endif // __cplusplus

#endif // CUDAGRAPH_ANNOTATIONS_H
