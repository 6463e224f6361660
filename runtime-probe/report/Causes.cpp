//===- Causes.cpp - Remedies for findings of a run ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Causes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

struct Cause {
  const char *Kind;
  int Code;
  StringRef Call, Thread, Stream, Frame;
  const char *Remedy, *Source, *Shown;
};

const Cause Causes[] = {
#define CAUSE(KIND, CODE, CALL, THREAD, STREAM, FRAME, REMEDY, SOURCE, SHOWN)  \
  {kind::KIND, CODE, CALL, THREAD, STREAM, FRAME, REMEDY, SOURCE, SHOWN},
#include "Causes.def"
};

/// "cuda*Synchronize" has one star.
bool isCall(StringRef Pattern, StringRef Api) {
  auto [Begin, End] = Pattern.split('*');
  if (!Pattern.contains('*'))
    return Pattern.empty() || Pattern == Api;
  return Api.size() >= Begin.size() + End.size() && Api.starts_with(Begin) &&
         Api.ends_with(End);
}

bool isThread(StringRef Wanted, const Finding &F, const Report &R) {
  if (Wanted != "other")
    return StringRef(F.By.Name).starts_with(Wanted);
  return !F.Captures.empty() && none_of(F.Captures, [&](unsigned Id) {
    return Id && Id <= R.Captures.size() && R.Captures[Id - 1].By.Id == F.By.Id;
  });
}

bool hasFrame(StringRef Part, const Finding &F) {
  return Part.empty() || F.Operator == Part ||
         any_of(F.At.Frames, [&](const Frame &Each) {
           return StringRef(Each.Function).contains(Part) ||
                  StringRef(Each.Module).contains(Part);
         });
}

} // namespace

void addRemedy(Finding &F, const Report &R, StringRef StreamKind) {
  for (const Cause &C : Causes)
    if (F.Kind == C.Kind && (!C.Code || C.Code == F.Code) &&
        isCall(C.Call, F.Api) && isThread(C.Thread, F, R) &&
        (C.Stream.empty() || C.Stream == StreamKind) && hasFrame(C.Frame, F)) {
      F.Remedy = C.Remedy;
      F.RemedySource = C.Source;
      return;
    }
}

} // namespace cudagraph::probe
