//===- Fields.h - Fields of the values in reports ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Archive.h. A field that is added to Finding.h must be added here.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FINDINGS_FIELDS_H
#define CUDAGRAPH_ANALYSIS_FINDINGS_FIELDS_H

#include "Finding.h"
#include "analysis/ir/LocationFields.h"

namespace cudagraph {

template <>
inline constexpr auto LastEnumerator<RootKind> = RootKind::EntryPoints;
template <>
inline constexpr auto LastEnumerator<catalogue::Mode> =
    catalogue::Mode::Relaxed;
template <>
inline constexpr auto LastEnumerator<catalogue::StreamKind> =
    catalogue::StreamKind::NonBlocking;
template <>
inline constexpr auto LastEnumerator<TimelineKind> = TimelineKind::End;
template <>
inline constexpr auto LastEnumerator<StreamPart> = StreamPart::Outside;
template <>
inline constexpr auto LastEnumerator<OutcomeKind> = OutcomeKind::Unknown;
template <>
inline constexpr auto LastEnumerator<Confidence> = Confidence::Certain;

template <typename A> void fields(A &Ar, Step &S) {
  fields(Ar, S.Loc);
  Ar.text(S.Function);
  Ar.text(S.Message);
}

template <typename A> void fields(A &Ar, Region &R) {
  Ar.num(R.Id);
  Ar.num(R.Root);
  Ar.text(R.Name);
  Ar.maybe(R.Mode, [&](catalogue::Mode &M) { Ar.num(M); });
  Ar.text(R.Stream);
  Ar.maybe(R.Kind, [&](catalogue::StreamKind &K) { Ar.num(K); });
  fields(Ar, R.Begin);
  Ar.list(R.Ends, [&](Location &L) { fields(Ar, L); });
  Ar.list(R.Timeline, [&](TimelineEntry &E) {
    Ar.num(E.Kind);
    Ar.num(E.Part);
    Ar.text(E.Stream);
    Ar.text(E.Label);
    Ar.text(E.Event);
    Ar.text(E.Function);
    Ar.num(E.Depth);
    Ar.flags(E.Always);
    fields(Ar, E.Loc);
  });
  Ar.flags(R.Truncated);
}

template <typename A> void fields(A &Ar, Outcome &O) {
  Ar.num(O.Kind);
  Ar.maybe(O.Code, [&](int &Code) { Ar.num(Code); });
  Ar.text(O.Name);
  Ar.list(O.ByMode, [&](int &Code) { Ar.num(Code); });
  Ar.list(O.Alternatives, [&](Alternative &Each) {
    Ar.text(Each.When);
    Ar.num(Each.Kind);
    Ar.num(Each.Code);
  });
  Ar.text(O.Evidence);
}

template <typename A> void fields(A &Ar, Finding &F) {
  Ar.text(F.Check);
  Ar.text(F.Severity);
  Ar.num(F.Sure);
  Ar.maybe(F.IfParsed, [&](Confidence &C) { Ar.num(C); });
  Ar.list(F.Sentence.Event, [&](Statement::Words &Each) {
    Ar.text(Each.Text);
    Ar.flags(Each.OfKind);
  });
  Ar.text(F.Sentence.Consequence);
  fields(Ar, F.Loc);
  Ar.text(F.Function);
  Ar.text(F.Callee);
  Ar.list(F.Regions, [&](unsigned &R) { Ar.num(R); });
  fields(Ar, F.Outcome);
  auto OneStep = [&](Step &S) { fields(Ar, S); };
  Ar.list(F.Chain, OneStep);
  Ar.list(F.Notes, OneStep);
  Ar.list(F.Fixes, [&](Fix &X) {
    fields(Ar, X.Range);
    Ar.text(X.Text);
  });
  Ar.maybe(F.CapturingKind, [&](catalogue::StreamKind &K) { Ar.num(K); });
  Ar.flags(F.OfEvent, F.TwoKinds, F.Advice, F.Always);
  Ar.text(F.Unless);
  Ar.text(F.Fingerprint);
}

template <typename A> void fields(A &Ar, OpaqueCall &C) {
  fields(Ar, C.Loc);
  Ar.text(C.Callee);
  Ar.text(C.Function);
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_FIELDS_H
