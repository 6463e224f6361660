//===- Statement.cpp - The parts of a message -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Statement.h.
//
//===----------------------------------------------------------------------===//

#include "Statement.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

const char *inWords(catalogue::Mode M) {
  switch (M) {
  case catalogue::Mode::Global:
    return "global";
  case catalogue::Mode::ThreadLocal:
    return "thread-local";
  case catalogue::Mode::Relaxed:
    return "relaxed";
  }
  return "";
}

Statement &Statement::with(std::string Text) {
  Event.push_back({std::move(Text)});
  return *this;
}

Statement &Statement::with(const CaptureText &Capture) {
  with(Capture.Stream);
  if (!Capture.Kind && !Capture.Mode)
    return *this;
  std::string Kind, Mode;
  if (Capture.Kind)
    Kind = *Capture.Kind == catalogue::StreamKind::Blocking ? "blocking"
                                                            : "non-blocking";
  if (!Capture.Mode) {
    Event.push_back({" (" + Kind + ")", /*OfKind=*/true});
    return *this;
  }
  with(" (");
  if (Capture.Kind)
    Event.push_back({Kind + ", ", /*OfKind=*/true});
  return with(std::string(inWords(*Capture.Mode)) + " mode)");
}

Statement &Statement::then(const std::string &Text) {
  Consequence += Text;
  return *this;
}

void Statement::forBothKinds() {
  llvm::erase_if(Event, [](const Words &W) { return W.OfKind; });
}

std::string Statement::text() const {
  std::string Result;
  for (const Words &Each : Event)
    Result += Each.Text;
  return Consequence.empty() ? Result : Result + "; " + Consequence;
}

std::string CaptureText::text() const { return Statement().with(*this).text(); }

} // namespace cudagraph
