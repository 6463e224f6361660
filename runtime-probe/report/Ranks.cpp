//===- Ranks.cpp - Captures of NCCL's work on all ranks -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares ranks by process group if the companion counted collectives, and
// otherwise by the kernels in the graphs of processes that use one communicator
// each. The rank of a process comes from the companion, or from the variables
// of its launcher.
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "Symbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr const char *RankVariables[][2] = {
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

/// The rank of \p P, and the number of ranks; 0 if it is not known.
std::pair<unsigned, unsigned> rankOf(const ProcessTrace &P) {
  if (P.Companion.Rank)
    return {*P.Companion.Rank, P.Companion.World};
  for (auto [Rank, World] : RankVariables) {
    auto Mine = P.Env.find(Rank), All = P.Env.find(World);
    unsigned Number = 0, Count = 0;
    if (Mine != P.Env.end() && All != P.Env.end() &&
        !StringRef(Mine->second).getAsInteger(10, Number) &&
        !StringRef(All->second).getAsInteger(10, Count))
      return {Number, Count};
  }
  return {0, 0};
}

/// A collective in a graph.
struct Captured {
  std::string Name;
  unsigned Capture = 0;
};

struct Rank {
  const ProcessTrace *P = nullptr;
  unsigned Number = 0;
  std::vector<Captured> Order;
  std::set<std::string> Communicators; ///< as their kernels receive them
  /// Collectives of each process group, by the graph that holds them.
  std::map<std::pair<std::string, std::vector<unsigned>>, std::vector<uint64_t>>
      Groups;
};

std::string listed(ArrayRef<unsigned> Numbers) {
  std::string Text = Numbers.size() == 1 ? "rank " : "ranks ";
  for (size_t I = 0; I < Numbers.size(); ++I)
    Text += (I == 0                   ? ""
             : I + 1 < Numbers.size() ? ", "
             : I > 1                  ? ", and "
                                      : " and ") +
            std::to_string(Numbers[I]);
  return Text;
}

class Comparison {
public:
  Comparison(const Trace &T, Report &R) : R(R) {
    unsigned Capture = 0;
    for (const ProcessTrace &P : T.Processes) {
      auto [Number, World] = rankOf(P);
      Rank New;
      New.P = &P;
      New.Number = Number;
      std::map<uint64_t, unsigned> Ids;
      for (const TraceEvent &E : P.Events)
        if (E.Kind == EventKind::Begin)
          Ids[E.Capture] = ++Capture;
        else if (E.Kind == EventKind::End)
          collect(New, E, Ids[E.Capture]);
      for (const PythonBlock &B : P.Companion.Blocks)
        for (const Collectives &C : B.Groups)
          New.Groups[{C.Group, C.Ranks}].push_back(C.Count);
      if (World > 1)
        add(std::move(New));
    }
  }

  void run() {
    if (Ranks.size() < 2 || byGroup())
      return;
    byKernel();
  }

private:
  Report &R;
  std::vector<Rank> Ranks;

  /// A rank may have several processes, only one of which captures.
  void add(Rank New) {
    auto It =
        find_if(Ranks, [&](const Rank &R) { return R.Number == New.Number; });
    if (It == Ranks.end())
      Ranks.push_back(std::move(New));
    else if (It->Order.empty() && It->Groups.empty())
      *It = std::move(New);
  }

  static void collect(Rank &Into, const TraceEvent &End, unsigned Capture) {
    for (const TraceNode &N : End.Nodes) {
      std::string Name = collectiveOf(demangled(N.Name));
      if (Name.empty())
        continue;
      Into.Order.push_back({Name, Capture});
      if (!N.Args.empty()) // a structure that begins with the communicator
        Into.Communicators.insert(N.Args.front().substr(0, 16));
    }
  }

  void add(unsigned Capture, std::string Message, bool Hangs) {
    Finding F;
    F.Kind = kind::RanksDiffer;
    F.Level = Hangs ? Severity::Error : Severity::Warning;
    F.Message = std::move(Message);
    if (Capture && Capture <= R.Captures.size()) {
      F.Captures = {Capture};
      F.At = R.Captures[Capture - 1].Begin;
      F.By = R.Captures[Capture - 1].By;
    }
    R.Findings.push_back(std::move(F));
  }

  static unsigned firstOf(const Rank &Of) {
    return Of.Order.empty() ? 0 : Of.Order.front().Capture;
  }

  /// Returns true if something was found.
  bool byGroup() {
    std::set<std::pair<std::string, std::vector<unsigned>>> All;
    for (const Rank &Each : Ranks)
      for (const auto &[Group, Counts] : Each.Groups)
        All.insert(Group);
    bool Found = false;
    for (const auto &Group : All)
      Found |= compareGroup(Group);
    return Found;
  }

  bool
  compareGroup(const std::pair<std::string, std::vector<unsigned>> &Group) {
    const Rank *First = nullptr;
    std::vector<unsigned> With, Without;
    for (const Rank &Each : Ranks) {
      if (!is_contained(Group.second, Each.Number))
        continue;
      auto It = Each.Groups.find(Group);
      (It == Each.Groups.end() ? Without : With).push_back(Each.Number);
      if (It == Each.Groups.end())
        continue;
      if (First && First->Groups.at(Group) != It->second) {
        add(firstOf(Each),
            "the graphs of rank " + std::to_string(First->Number) +
                " contain " + counts(First->Groups.at(Group)) +
                " collectives of group '" + Group.first +
                "', but those of rank " + std::to_string(Each.Number) +
                " contain " + counts(It->second) +
                ": a replay waits for a peer that never participates; capture "
                "the same collectives on all ranks",
            /*Hangs=*/true);
        return true;
      }
      if (!First)
        First = &Each;
    }
    if (!First || Without.empty())
      return false;
    some(*First, With, Without, " of group '" + Group.first + "'");
    return true;
  }

  static std::string counts(ArrayRef<uint64_t> Counts) {
    return join(map_range(Counts, [](uint64_t N) { return std::to_string(N); }),
                ", ");
  }

  void some(const Rank &First, ArrayRef<unsigned> With,
            ArrayRef<unsigned> Without, const std::string &Of) {
    add(firstOf(First),
        listed(With) + " captured collectives" + Of + ", but " +
            listed(Without) +
            " did not: each replay needs matching calls on all ranks, in the "
            "same order; capture on all ranks, or on none",
        /*Hangs=*/false);
  }

  void byKernel() {
    // The order may differ between several communicators.
    for (const Rank &Each : Ranks)
      if (Each.Communicators.size() > 1 || Each.Groups.size() > 1)
        return;
    std::vector<unsigned> With, Without;
    const Rank *First = nullptr;
    for (const Rank &Each : Ranks) {
      (Each.Order.empty() ? Without : With).push_back(Each.Number);
      if (!First && !Each.Order.empty())
        First = &Each;
    }
    if (!First)
      return;
    if (!Without.empty())
      return some(*First, With, Without, "");
    for (const Rank &Each : Ranks)
      if (&Each != First && order(*First, Each))
        return;
  }

  bool order(const Rank &A, const Rank &B) {
    size_t Both = std::min(A.Order.size(), B.Order.size()), I = 0;
    while (I < Both && A.Order[I].Name == B.Order[I].Name)
      ++I;
    if (I == A.Order.size() && I == B.Order.size())
      return false;
    auto Name = [&](const Rank &Of) {
      return I < Of.Order.size() ? "'" + Of.Order[I].Name + "'"
                                 : std::string("missing");
    };
    const Rank &Longer = I < B.Order.size() ? B : A;
    add(Longer.Order[I].Capture,
        "collective " + std::to_string(I + 1) + " is " + Name(A) +
            " in the graphs of rank " + std::to_string(A.Number) + ", but " +
            Name(B) + " in those of rank " + std::to_string(B.Number) +
            ": the replays wait for each other; capture NCCL's work in the "
            "same order on all ranks",
        /*Hangs=*/true);
    return true;
  }
};

} // namespace

std::string collectiveOf(StringRef Name) {
  Name = Name.take_until([](char C) { return C == '('; });
  Name = Name.substr(Name.rfind(' ') + 1);
  if (!Name.consume_front("ncclDevKernel_") &&
      !Name.consume_front("ncclKernel_"))
    return "";
  SmallVector<StringRef, 8> Parts, Remaining;
  Name.split(Parts, '_');
  for (StringRef Part : Parts)
    if (!is_contained({"RING", "TREE", "COLLNET", "DIRECT", "CHAIN", "NVLS",
                       "PAT", "LL", "LL128", "SIMPLE"},
                      Part))
      Remaining.push_back(Part);
  std::string Result = join(Remaining, "_");
  // The program determines which ranks send.
  return StringRef(Result).starts_with("SendRecv") ? "" : Result;
}

void compareRanks(const Trace &T, Report &R) { Comparison(T, R).run(); }

} // namespace cudagraph::probe
