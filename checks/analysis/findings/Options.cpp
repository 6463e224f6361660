//===- Options.cpp - Settings that plugin and driver share ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing of --roots, and the spellings of the enumerations in Finding.h.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "support/Nesting.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

namespace cudagraph {

bool RootSelection::parse(const std::string &Text, RootSelection &Result,
                          std::string &Error) {
  llvm::StringRef Rest(Text);
  while (!Rest.empty()) {
    // A regular expression may contain commas: it extends to the end or to the
    // next ",<known kind>".
    auto [Head, Tail] = Rest.split(',');
    Head = Head.trim();
    if (Head.starts_with("function:")) {
      size_t End = llvm::StringRef::npos;
      for (const char *Next :
           {",function:", ",stream-param", ",torch-ops", ",entry-points"})
        End = std::min(End, Rest.find(Next));
      std::string Regex = Rest.substr(0, End).drop_front(9).trim().str();
      std::string Why = support::checkRegexNesting(Regex);
      if (!Why.empty() || Regex.empty() || !llvm::Regex(Regex).isValid(Why)) {
        Error = "invalid regular expression '" + Regex + "' in roots" +
                (Why.empty() ? "" : ": " + Why) +
                "; write function:REGEX, for example function:^ns::step$";
        return false;
      }
      Result.FunctionRegexes.push_back(Regex);
      Rest = End == llvm::StringRef::npos ? "" : Rest.substr(End + 1);
      continue;
    }
    if (Head == "stream-param") {
      Result.StreamParam = true;
    } else if (Head == "torch-ops") {
      Result.TorchOps = true;
    } else if (Head == "entry-points") {
      Result.EntryPoints = true;
    } else if (!Head.empty()) {
      Error = "unknown kind '" + Head.str() +
              "' in roots; valid kinds are torch-ops, entry-points, "
              "stream-param, and function:REGEX "
              "(regions that are visible in the code are always analyzed)";
      return false;
    }
    Rest = Tail;
  }
  return true;
}

const char *spelling(RootKind K) {
  switch (K) {
  case RootKind::ApiPair:
    return "api-pair";
  case RootKind::Wrapper:
    return "wrapper";
  case RootKind::Libtorch:
    return "libtorch";
  case RootKind::Annotation:
    return "annotation";
  case RootKind::Comment:
    return "comment";
  case RootKind::Function:
    return "function";
  case RootKind::StreamParam:
    return "stream-param";
  case RootKind::TorchOps:
    return "torch-ops";
  case RootKind::EntryPoints:
    return "entry-points";
  }
  return "";
}

const char *spelling(Verdict V) {
  switch (V) {
  case Verdict::Safe:
    return "safe";
  case Verdict::Unsafe:
    return "unsafe";
  case Verdict::Unknown:
    return "unknown";
  }
  return "";
}

const char *spelling(Confidence C) {
  switch (C) {
  case Confidence::Possible:
    return "possible";
  case Confidence::Likely:
    return "likely";
  case Confidence::Certain:
    return "certain";
  }
  return "";
}

const char *spelling(OutcomeKind K) {
  switch (K) {
  case OutcomeKind::Error:
    return "error";
  case OutcomeKind::Escapes:
    return "escapes";
  case OutcomeKind::Stale:
    return "stale";
  case OutcomeKind::Dangling:
    return "dangling";
  case OutcomeKind::Depends:
    return "depends";
  case OutcomeKind::Unknown:
    return "unknown";
  }
  return "";
}

const char *spelling(TimelineKind K) {
  switch (K) {
  case TimelineKind::Begin:
    return "begin";
  case TimelineKind::Work:
    return "work";
  case TimelineKind::Record:
    return "record";
  case TimelineKind::Fork:
    return "fork";
  case TimelineKind::Wait:
    return "wait";
  case TimelineKind::Call:
    return "call";
  case TimelineKind::Opaque:
    return "opaque";
  case TimelineKind::End:
    return "end";
  }
  return "";
}

const char *spelling(StreamPart P) {
  switch (P) {
  case StreamPart::Host:
    return "";
  case StreamPart::Origin:
    return "origin";
  case StreamPart::Joined:
    return "joined";
  case StreamPart::Unsure:
    return "unsure";
  case StreamPart::Outside:
    return "outside";
  }
  return "";
}

const char *spelling(catalogue::Mode M) {
  switch (M) {
  case catalogue::Mode::Global:
    return "global";
  case catalogue::Mode::ThreadLocal:
    return "thread_local";
  case catalogue::Mode::Relaxed:
    return "relaxed";
  }
  return "";
}

} // namespace cudagraph
