//===- Report.h - The report of a probe to its caller -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fact is passed to the caller both as an event and as text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_REPORT_H
#define CUDAGRAPH_PROBE_REPORT_H

#include "Compare.h"
#include "Driver.h"

#include <string>

namespace cudagraph::probe_library {

class Report {
public:
  /// Both must outlive the object; \p D may be null, in which case codes have
  /// no names.
  Report(const detail::c_request &R, const Driver *D) : R(R), D(D) {}
  Report(const detail::c_request &R, const Driver &D) : Report(R, &D) {}

  /// Later events concern this mode, up to outcome().
  void mode(int Mode);
  void step(const char *Name, Code C);
  void status(int Status);
  void nodes(std::size_t Count);
  void brokenIn(const std::string &Scope);
  void differs(const char *Against, const detail::c_buffer &B, Mismatch M,
               bool Varies);
  void outcome(cudagraph::outcome O);
  /// Reports a problem of the whole region, with the name of \p C unless that
  /// is 0.
  void problem(std::string Text, Code C);
  /// Reports the text.
  void finish();

private:
  void tell(detail::c_event E) { R.tell(R.self, &E); }
  std::string name(Code C) const;

  const detail::c_request &R;
  const Driver *D;
  std::string Words, Problem; // lines, and their prefix
  std::string Mode, Nodes, Broken, Steps, Differences; // of the current mode
};

} // namespace cudagraph::probe_library

#endif // CUDAGRAPH_PROBE_REPORT_H
