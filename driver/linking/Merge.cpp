//===- Merge.cpp - Merges the reports of translation units ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merge.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace cudagraph::driver {
namespace {

auto key(const Location &L) { return std::tie(L.File, L.Line, L.Column); }

auto key(const Region &G) {
  return std::tuple_cat(key(G.Begin), std::tie(G.Root, G.Name));
}
auto key(const Finding &F) {
  return std::tuple_cat(key(F.Loc), std::tie(F.Check, F.Callee, F.Message));
}
auto key(const OpaqueCall &C) {
  return std::tuple_cat(key(C.Loc), std::tie(C.Callee));
}
auto key(const Operator &O) { return std::tie(O.Name, O.How); }

struct ByKey {
  template <typename T> bool operator()(const T &A, const T &B) const {
    return key(A) < key(B);
  }
};

/// std::stable_sort without the deprecated temporary buffer of libstdc++.
template <typename T> void sortStably(std::vector<T> &Values) {
  std::vector<size_t> Order(Values.size());
  std::iota(Order.begin(), Order.end(), 0);
  sort(Order, [&](size_t A, size_t B) {
    return std::tuple_cat(key(Values[A]), std::tie(A)) <
           std::tuple_cat(key(Values[B]), std::tie(B));
  });
  std::vector<T> Sorted;
  Sorted.reserve(Values.size());
  for (size_t Index : Order)
    Sorted.push_back(std::move(Values[Index]));
  Values = std::move(Sorted);
}

template <typename T> void sortUnique(std::vector<T> &Values) {
  sortStably(Values);
  Values.erase(
      std::unique(Values.begin(), Values.end(),
                  [](const T &A, const T &B) { return key(A) == key(B); }),
      Values.end());
}

template <typename T> void moveTo(std::vector<T> &To, std::vector<T> &From) {
  To.insert(To.end(), std::make_move_iterator(From.begin()),
            std::make_move_iterator(From.end()));
}

void joinVariants(std::vector<std::string> &Into,
                  const std::vector<std::string> &From) {
  for (const std::string &Each : From)
    if (!is_contained(Into, Each))
      Into.push_back(Each);
}

/// Merges two equal findings.
void absorb(Finding &Into, Finding &From) {
  // The finding with higher confidence has the better chain.
  if (From.Sure > Into.Sure)
    std::swap(From, Into);
  for (unsigned Id : From.Regions)
    if (!is_contained(Into.Regions, Id))
      Into.Regions.push_back(Id);
  joinVariants(Into.Variants, From.Variants);
}

/// True if \p A and \p B concern the same call, regardless of their messages.
bool sameCall(const Finding &A, const Finding &B) {
  return key(A.Loc) == key(B.Loc) && A.Check == B.Check && A.Callee == B.Callee;
}

/// Sorts \p Regions. The first of several equal regions is kept.
void mergeRegions(std::vector<Region> &Regions) {
  sortStably(Regions);
  std::vector<Region> Distinct;
  for (Region &G : Regions) {
    if (Distinct.empty() || key(Distinct.back()) != key(G))
      Distinct.push_back(std::move(G));
    else
      joinVariants(Distinct.back().Variants, G.Variants);
  }
  Regions = std::move(Distinct);
}

/// Merges the rows of one operator: unsafe takes precedence over unknown, and
/// unknown over safe.
void mergeOperators(std::vector<Operator> &Rows) {
  sortStably(Rows);
  std::vector<Operator> Distinct;
  for (Operator &Row : Rows) {
    if (Distinct.empty() || key(Distinct.back()) != key(Row)) {
      Distinct.push_back(std::move(Row));
      continue;
    }
    Operator &Old = Distinct.back();
    for (const std::string &Each : Row.Freezes)
      if (!is_contained(Old.Freezes, Each))
        Old.Freezes.push_back(Each);
    auto Rank = [](const Operator &O) {
      return std::pair(O.Is == Verdict::Unsafe, O.Is == Verdict::Unknown);
    };
    if (Rank(Row) == Rank(Old)) {
      joinVariants(Old.Variants, Row.Variants);
    } else if (Rank(Row) > Rank(Old)) {
      Row.Freezes = std::move(Old.Freezes);
      Old = std::move(Row);
    }
  }
  Rows = std::move(Distinct);
}

} // namespace

reports::Report mergeUnits(std::vector<UnitResult> Units) {
  reports::Report Result;
  for (UnitResult &Unit : Units)
    llvm::append_range(Result.Regions, Unit.Regions);
  mergeRegions(Result.Regions);
  for (auto [Index, G] : enumerate(Result.Regions))
    G.Id = Index + 1;

  for (UnitResult &Unit : Units) {
    std::map<unsigned, unsigned> NewId;
    for (const Region &G : Unit.Regions)
      NewId[G.Id] = lower_bound(Result.Regions, G, ByKey())->Id;
    for (Finding &F : Unit.Findings) {
      for (unsigned &Id : F.Regions)
        Id = NewId[Id];
      // An ID without a region is ignored.
      llvm::erase(F.Regions, 0u);
    }
    moveTo(Result.Findings, Unit.Findings);
    moveTo(Result.Operators, Unit.Operators);
    moveTo(Result.Seen.OpaqueCalls, Unit.OpaqueCalls);
    Result.Seen.HeldBack += Unit.HeldBack;
    Result.Hidden.Advice += Unit.Advice;
  }

  sortStably(Result.Findings);
  std::vector<Finding> Distinct;
  for (Finding &F : Result.Findings) {
    if (!Distinct.empty() && sameCall(Distinct.back(), F))
      absorb(Distinct.back(), F);
    else
      Distinct.push_back(std::move(F));
  }
  Result.Findings = std::move(Distinct);
  sortUnique(Result.Seen.OpaqueCalls);
  mergeOperators(Result.Operators);
  return Result;
}

} // namespace cudagraph::driver
