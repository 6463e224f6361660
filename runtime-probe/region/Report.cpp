//===- Report.cpp - The report of a probe to its caller -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   region 'decode'
//     global: invalidated in 'attention'; body: 900 CUDA_ERROR_...; end: 901
//     ... thread-local: differs, 4 nodes
//       'out': replay and eager run differ after changed inputs: 12 bytes, the
//       first at 16
//     relaxed: replayed, 4 nodes
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "catalogue/Printable.h"

namespace cudagraph::probe_library {

using Event = detail::c_event;

std::string Report::name(Code C) const {
  std::string Text = std::to_string(C);
  const char *Name = nullptr;
  if (D && !D->errorName(C, &Name) && Name)
    Text += " " + std::string(Name);
  return Text;
}

void Report::mode(int M) {
  static const char *const Names[] = {"global", "thread-local", "relaxed"};
  Mode = M >= 0 && M < 3 ? Names[M] : "mode " + std::to_string(M);
  Nodes = Broken = Steps = Differences = "";
  tell({Event::mode, M, 0, 0, nullptr, nullptr});
}

void Report::step(const char *Name, Code C) {
  if (C)
    Steps += "; " + printable(Name) + ": " + (C < 0 ? "threw" : name(C));
  tell({Event::step, C, 0, 0, Name, nullptr});
}

void Report::status(int Status) {
  tell({Event::status, Status, 0, 0, nullptr, nullptr});
}

void Report::nodes(std::size_t Count) {
  Nodes = ", " + std::to_string(Count) + (Count == 1 ? " node" : " nodes");
  tell({Event::nodes, 0, Count, 0, nullptr, nullptr});
}

void Report::brokenIn(const std::string &Scope) {
  Broken = " in '" + printable(Scope) + "'";
  tell({Event::broken, 0, 0, 0, Scope.c_str(), nullptr});
}

void Report::differs(const char *Against, const detail::c_buffer &B, Mismatch M,
                     bool Varies) {
  std::string Kind = Against;
  std::string Unit = B.element == tolerance::bytes ? "byte" : "element";
  Differences +=
      "    '" + printable(B.name) + "': " +
      (Kind == "eager"     ? "replay and eager run differ"
       : Kind == "changed" ? "replay and eager run differ after changed inputs"
                           : "two replays differ") +
      ": " + std::to_string(M.Count) + " " + Unit + (M.Count == 1 ? "" : "s") +
      ", the first at " + std::to_string(M.Offset) +
      (Varies ? "; so do two eager runs\n" : "\n");
  tell({Event::differs, Varies, M.Offset, M.Count, B.name, Against});
}

void Report::outcome(cudagraph::outcome O) {
  static const char *const Names[] = {"replayed",    "differs", "refused",
                                      "invalidated", "threw",   "not replayed",
                                      "failed"};
  Words += "  " + Mode + ": " + Names[int(O)] + Broken + Nodes + Steps + "\n" +
           Differences;
  tell({Event::ended, int(O), 0, 0, nullptr, nullptr});
}

void Report::problem(std::string Text, Code C) {
  if (C)
    Text += ": " + name(C);
  Problem = ": " + printable(Text);
  tell({Event::problem, 0, 0, 0, Text.c_str(), nullptr});
}

void Report::finish() {
  std::string Text = "region '" + printable(R.name) + "'" + Problem + "\n";
  Text += Words;
  tell({Event::report, 0, 0, 0, Text.c_str(), nullptr});
}

} // namespace cudagraph::probe_library
