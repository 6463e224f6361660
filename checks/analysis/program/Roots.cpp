//===- Roots.cpp - The roots of walks -------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roots.h"
#include "Program.h"
#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Regex.h"

namespace cudagraph {

RootFinder::RootFinder(Program &Table, const Relevance &Rel)
    : Table(Table), Rel(Rel), Functions(Table.collected()) {
  std::vector<bool> Known(Table.size());
  for (FunctionId F : Functions)
    Known[F] = true;
  for (FunctionId F : Table.initializers())
    Known[F] = true;
  // Lambdas and methods of local classes.
  for (unsigned F = 0; F < Known.size(); ++F)
    if (!Known[F] && Rel.bits(F) && Table.hasGraph(F))
      Functions.push_back(F);
}

bool RootFinder::opens(FunctionId F) const {
  return Rel.bits(F) & Relevance::Opens;
}

std::vector<Root> RootFinder::outermost() const {
  std::vector<Root> Result;
  for (FunctionId F : Functions) {
    if (!opens(F))
      continue;
    const uint8_t Both = Relevance::Begins | Relevance::Ends;
    bool Whole = (Rel.bits(F) & Both) == Both;
    bool Inner = llvm::any_of(Rel.callersOf(F), [&](FunctionId C) {
      return C != F && opens(C) && (!Whole || Table.sharesUnit(F, C));
    });
    if (!Inner)
      Result.push_back({F, std::nullopt});
  }
  return Result;
}

std::optional<Root> RootFinder::missed(const std::set<uint64_t> &Visited,
                                       size_t &After) const {
  while (After < Functions.size())
    if (FunctionId F = Functions[After++];
        opens(F) && !Visited.count(Table.stableId(F)))
      return Root{F, std::nullopt};
  return std::nullopt;
}

RootKind rootOf(const Registration &R) {
  bool Exported =
      R.How == Registration::XlaFfi || R.How == Registration::ExternC;
  return Exported ? RootKind::EntryPoints : RootKind::TorchOps;
}

std::vector<Root> RootFinder::assumed(
    llvm::function_ref<const AnalysisOptions &(FunctionId)> OptionsOf) {
  struct Chosen {
    RootSelection Kinds;
    std::vector<llvm::Regex> Patterns;
  };
  std::map<std::string, Chosen> Selections;
  auto ChosenFor = [&](FunctionId F) -> const Chosen & {
    const std::string &Text = OptionsOf(F).Roots;
    auto [It, New] = Selections.try_emplace(Text);
    if (New) {
      std::string Ignored; // hosts have already reported the error
      RootSelection::parse(Text, It->second.Kinds, Ignored);
      for (const std::string &Pattern : It->second.Kinds.FunctionRegexes)
        It->second.Patterns.emplace_back(Pattern);
    }
    return It->second;
  };
  std::vector<Root> Result;
  for (FunctionId F : Functions) {
    const FunctionInfo &Info = Table.info(F);
    if (Info.CaptureRegion || Info.CaptureSafe)
      Result.push_back({F, RootKind::Annotation});
    const Chosen &Selected = ChosenFor(F);
    if (llvm::any_of(Selected.Patterns, [&](const llvm::Regex &R) {
          return R.match(Info.Name) || R.match(Info.Signature);
        }))
      Result.push_back({F, RootKind::Function});
    if (!Selected.Kinds.StreamParam || Info.IsStatic || Info.IsLambda ||
        Info.IsDevice)
      continue;
    const FlowGraph *G = Table.graph(F);
    if (G && llvm::any_of(llvm::seq(0u, G->NumParams),
                          [&](unsigned I) { return G->Vars[I].IsStream; }))
      Result.push_back({F, RootKind::StreamParam});
  }
  std::set<FunctionId> Known;
  for (const Registration &R : Table.registrations()) {
    auto F = static_cast<FunctionId>(R.Function);
    if (F == None || !Table.hasGraph(F) || !R.ReachesDevice)
      continue;
    RootKind As = rootOf(R);
    const RootSelection &Kinds = ChosenFor(F).Kinds;
    // A function without tensors performs setup or queries, so it is not
    // captured.
    bool Wanted = As == RootKind::TorchOps ? Kinds.TorchOps && R.HasTensors
                                           : Kinds.EntryPoints;
    if ((Wanted || OptionsOf(F).AllRegistered) && Known.insert(F).second)
      Result.push_back({F, As});
  }
  return Result;
}

} // namespace cudagraph
