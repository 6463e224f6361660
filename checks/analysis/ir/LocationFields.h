//===- LocationFields.h - The list of members of a location -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Archive.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_LOCATIONFIELDS_H
#define CUDAGRAPH_ANALYSIS_IR_LOCATIONFIELDS_H

#include "Archive.h"
#include "Location.h"

namespace cudagraph {

template <typename A> void fields(A &Ar, Location &L) {
  Ar.text(L.File);
  Ar.num(L.Line);
  Ar.num(L.Column);
  Ar.num(L.EndLine);
  Ar.num(L.EndColumn);
  Ar.num(L.Raw);
  Ar.list(L.Written, [&](Place &P) {
    Ar.text(P.File);
    Ar.num(P.Line);
    Ar.num(P.Column);
  });
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_LOCATIONFIELDS_H
