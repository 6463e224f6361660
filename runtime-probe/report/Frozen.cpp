//===- Frozen.cpp - Captures at one location that differ ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph retains the arguments, dimensions, addresses, and sizes of its
// capture. Values that differ between captures at one location would be wrong
// in a replay.
//
//===----------------------------------------------------------------------===//

#include "ProcessAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr size_t MaxValues = 4;

std::string dimension(const Dim3 &D) {
  return std::to_string(D[0]) + "x" + std::to_string(D[1]) + "x" +
         std::to_string(D[2]);
}

/// A number if the size is that of one; else the bytes in memory order.
std::string argument(StringRef Hex) {
  std::string Bytes;
  if (!tryGetFromHex(Hex, Bytes) || !isPowerOf2_64(Bytes.size()) ||
      Bytes.size() > 8) {
    constexpr size_t Shown = 64;
    return "bytes " + Hex.take_front(Shown).str() +
           (Hex.size() > Shown ? "..." : "");
  }
  std::reverse(Bytes.begin(), Bytes.end());
  return "0x" + toHex(Bytes, /*LowerCase=*/true);
}

/// The values frozen in a node: each with its name, always in the same order.
using Parts = std::vector<std::pair<std::string, std::string>>;

Parts parts(const TraceNode &N) {
  if (N.Type == "kernel") {
    Parts Out = {{"grid", dimension(N.Grid)},
                 {"block", dimension(N.Block)},
                 {"shared memory", std::to_string(N.Shared)}};
    for (const auto &[Index, Arg] : enumerate(N.Args))
      Out.emplace_back("argument " + std::to_string(Index), argument(Arg));
    return Out;
  }
  if (N.Type == "memcpy")
    return {{"source", N.Source},
            {"destination", N.Destination},
            {"size", std::to_string(N.Bytes)},
            {"direction", N.CopyKind}};
  if (N.Type == "memset")
    return {{"destination", N.Destination},
            {"value", N.Value},
            {"size", std::to_string(N.Bytes)}};
  if (N.Type == "host")
    return {{"function", std::to_string(N.Function.Module) + ":0x" +
                             utohexstr(N.Function.Offset, true)},
            {"user data", N.Data}};
  return {};
}

bool sameShape(const TraceNode &A, const TraceNode &B) {
  return A.Type == B.Type && A.Name == B.Name && A.Args.size() == B.Args.size();
}

} // namespace

void ProcessAnalysis::frozen() {
  // By the stack of the begin.
  std::vector<std::vector<const State *>> Groups;
  std::map<int64_t, size_t> GroupOf;
  for (const auto &[Id, C] : States) {
    if (!C.End || !C.End->HasGraph || C.End->Code || !C.Begin->Stack ||
        !P.Stacks.count(*C.Begin->Stack))
      continue;
    auto [It, New] = GroupOf.try_emplace(*C.Begin->Stack, Groups.size());
    if (New) {
      // The same stack may have been written twice.
      const TraceStack &Mine = P.Stacks.at(*C.Begin->Stack);
      for (const auto &[Index, Group] : enumerate(Groups))
        if (P.Stacks.at(*Group.front()->Begin->Stack) == Mine)
          It->second = Index;
      if (It->second == Groups.size())
        Groups.emplace_back();
    }
    Groups[It->second].push_back(&C);
  }
  // Captures of one shape that begin at one location are one region, regardless
  // of the caller.
  std::map<Location, std::vector<size_t>> ByPlace;
  for (const auto &[Index, Group] : enumerate(Groups))
    if (const auto &Where = S.resolve(Group.front()->Begin->Stack).Where)
      ByPlace[*Where].push_back(Index);
  for (const auto &[Where, Indices] : ByPlace) {
    auto SameAs = [&](const State *A, const State *B) {
      const std::vector<TraceNode> &Mine = A->End->Nodes,
                                   &Theirs = B->End->Nodes;
      return Mine.size() == Theirs.size() &&
             all_of(zip(Mine, Theirs), [](const auto &Pair) {
               return sameShape(std::get<0>(Pair), std::get<1>(Pair));
             });
    };
    auto &First = Groups[Indices.front()];
    bool Alike = all_of(Indices, [&](size_t I) {
      return all_of(Groups[I],
                    [&](const State *C) { return SameAs(First.front(), C); });
    });
    for (size_t I : ArrayRef(Indices).drop_front())
      if (Alike)
        append_range(First, std::exchange(Groups[I], {}));
  }
  for (const auto &Group : Groups)
    if (Group.size() > 1)
      compare(Group);
}

void ProcessAnalysis::compare(ArrayRef<const State *> Group) {
  const std::vector<TraceNode> &Nodes = Group.front()->End->Nodes;
  std::vector<Change> Changes;
  // The first node that differs: the captures result in graphs of different
  // shapes from there on.
  auto Fits = [&](size_t I) {
    return all_of(Group, [&](const State *C) {
      const std::vector<TraceNode> &Mine = C->End->Nodes;
      if (I >= Nodes.size() || I >= Mine.size())
        return I >= Nodes.size() && I >= Mine.size();
      return sameShape(Nodes[I], Mine[I]);
    });
  };
  size_t Longest = 0;
  for (const State *C : Group)
    Longest = std::max(Longest, C->End->Nodes.size());
  size_t Same = 0;
  while (Same < Longest && Fits(Same))
    ++Same;
  auto Note = [](Change &C, std::string Value) {
    if (is_contained(C.Values, Value))
      return;
    if (C.Values.size() < MaxValues)
      C.Values.push_back(std::move(Value));
    else if (C.Values.size() == MaxValues)
      C.Values.push_back("...");
  };
  if (Same < Longest) {
    Change C;
    C.Node = static_cast<unsigned>(Same);
    C.What = "topology";
    for (const State *Other : Group) {
      const std::vector<TraceNode> &Mine = Other->End->Nodes;
      size_t Count = Mine.size();
      std::string Value =
          std::to_string(Count) + (Count == 1 ? " node" : " nodes");
      if (Same < Count) {
        Value += ", " + Mine[Same].Type;
        if (!Mine[Same].Name.empty())
          Value += " '" + demangled(Mine[Same].Name) + "'";
      }
      Note(C, std::move(Value));
    }
    Changes.push_back(std::move(C));
  } else {
    for (const auto &[Index, Node] : enumerate(Nodes)) {
      for (const auto &[Number, Part] : enumerate(parts(Node))) {
        Change C;
        C.Node = static_cast<unsigned>(Index);
        C.Type = Node.Type;
        if (!Node.Name.empty())
          C.Function = demangled(Node.Name);
        C.What = Part.first;
        for (const State *Other : Group)
          Note(C, parts(Other->End->Nodes[Index])[Number].second);
        if (C.Values.size() > 1)
          Changes.push_back(std::move(C));
      }
    }
  }
  if (Changes.empty())
    return;
  std::vector<uint64_t> Traced;
  for (const State *C : Group)
    Traced.push_back(C->Begin->Capture);
  bool Topology = Changes.front().What == "topology";
  size_t Index =
      add(kind::Frozen, *Group.front()->Begin,
          std::to_string(Group.size()) + " captures that begin here " +
              (Topology ? "produced graphs of different shapes"
                        : "differ in " + std::to_string(Changes.size()) +
                              (Changes.size() == 1 ? " value" : " values")) +
              ": each graph replays the values of its own capture",
          Traced);
  R.Findings[Index].Times = 1;
  append_range(R.Findings[Index].Changes, Changes);
}

} // namespace cudagraph::probe
