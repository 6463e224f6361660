//===- CopiesToHost.cpp - Results of copies from the device ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that a copy from the device leaves in host memory.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"

namespace cudagraph {

using catalogue::Role;

/// Copies of this size, in bytes, fill one number of an array.
static constexpr int64_t SizeOfNumber = 8;

/// Handles the result of a copy from the device.
void LifetimeModel::copied(Call &C, State &S) {
  ValueId Dst = C.arg("dst"), Kind = C.arg("kind"), Size = C.arg("size");
  std::optional<int64_t> N = Kind == None ? std::nullopt : D.asInt(Kind);
  bool ToHost = C.Api.Direction == "d2h" ||
                W.Catalogue.isValue(Role::CopiesToHost, N) ||
                (W.Catalogue.isValue(Role::CopiesAnywhere, N) && Dst != None &&
                 D[Dst].Kind == ValueKind::Addr);
  if (!ToHost || Dst == None)
    return;
  ValueId Read = D.value(ValueKind::DeviceRead, C.Site, C.O.Range.Begin);
  if (const LocNode At = D.at(D.pointee(Dst)); At.Kind == LocKind::Elem) {
    std::optional<int64_t> Bytes = Size == None ? std::nullopt : D.asInt(Size);
    bool First = At.B != None && D.asInt(At.B) == 0;
    if (First && (!Bytes || *Bytes > SizeOfNumber))
      clear(D, S, At.A, None);
    // Any element may be read.
    S.Mem.set(D.loc(LocKind::Elem, 0, At.A, None), Read);
  }
  store(S, Dst, Read);
}

} // namespace cudagraph
