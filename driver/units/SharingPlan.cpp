//===- SharingPlan.cpp - The parts that are parsed once -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharingPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The cost of a precompiled header, in parses of its headers.
constexpr double BuildCost = 1.5;
/// A unit that is being edited counts as this many parses.
constexpr double ParsesIfOften = 4;

} // namespace

size_t SharingPlan::addPart(size_t Parent, uint64_t Weight, bool Exists) {
  Part P;
  P.Parent = Parent;
  P.Depth = Parent == None ? 1 : Parts[Parent].Depth + 1;
  P.Weight = static_cast<double>(Weight);
  P.Exists = Exists;
  P.Longer.resize(P.Depth + 1);
  Parts.push_back(std::move(P));
  return Parts.size() - 1;
}

void SharingPlan::addUnit(size_t Index, bool Often) {
  Part &P = Parts[Index];
  ++P.Users;
  P.Parses += Often ? ParsesIfOften : 1;
  P.Often |= Often;
}

/// Computes By of \p P; By of longer parts is known.
void SharingPlan::decide(Part &P) {
  std::vector<double> Saved(P.Depth, 0); // by the part outside
  for (size_t Outside = P.Parent; Outside != None;
       Outside = Parts[Outside].Parent)
    Saved[Parts[Outside].Depth] = Parts[Outside].Weight;
  auto With = [&](size_t Depth, double Weight) {
    Costs Result = P.Longer[Depth];
    Result.Cost -= P.Parses * Weight;
    Result.Users += P.Users;
    Result.Often |= P.Often;
    return Result;
  };
  Costs Own = With(P.Depth, P.Weight);
  bool Possible = P.Exists ? Own.Users > 0 : Own.Users >= Fewest || Own.Often;
  if (!P.Exists)
    Own.Cost += BuildCost * P.Weight;
  for (size_t Depth = 0; Depth < P.Depth; ++Depth) {
    Costs Other = With(Depth, Saved[Depth]);
    bool Better = P.Exists ? Own.Cost <= Other.Cost : Own.Cost < Other.Cost;
    if (Possible && Better)
      Other = {Own.Cost, 0, false, true};
    P.By.push_back(Other);
  }
}

std::vector<bool> SharingPlan::used() {
  for (Part &P : reverse(Parts)) {
    decide(P);
    if (P.Parent == None)
      continue;
    for (auto [Into, From] : zip_equal(Parts[P.Parent].Longer, P.By)) {
      Into.Cost += From.Cost;
      Into.Users += From.Users;
      Into.Often |= From.Often;
    }
  }
  std::vector<bool> Result;
  std::vector<size_t> Outside; // by part: the depth of the part that is used
  for (const Part &P : Parts) {
    size_t Depth = P.Parent == None ? 0 : Outside[P.Parent];
    Result.push_back(P.By[Depth].Use);
    Outside.push_back(Result.back() ? P.Depth : Depth);
  }
  return Result;
}

} // namespace cudagraph::driver
