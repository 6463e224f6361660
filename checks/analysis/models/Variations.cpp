//===- Variations.cpp - Values that differ between replays ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Variations.h.
//
//===----------------------------------------------------------------------===//

#include "Variations.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p L is part of a global, or of the object whose method is running:
/// what lives as long as a graph that it keeps. Data that is passed through, by
/// pointers of its own, is somebody else's.
bool livesWithGraph(const Domain &D, LocId L) {
  for (unsigned Hops = 0;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Global)
      return true;
    if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem)
      continue;
    if (N.Kind != LocKind::Pointee || D[N.A].Kind != ValueKind::Init)
      return false;
    const LocNode Holder = D.at(D[N.A].A);
    if (Holder.Kind == LocKind::Global)
      return true;
    if (Holder.Kind != LocKind::Field || ++Hops > 1)
      return false;
    L = D[N.A].A;
  }
}

/// What is known of the member or global, at \p L or above, that changes
/// between replays.
std::optional<Variation> Variations::changes(LocId L, Source &From) const {
  // What a pointer points to, and elements of arrays, count if the device
  // writes them.
  bool Through = false;
  for (unsigned Guard = 0; Guard < 4; ++Guard) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem) {
      L = N.A;
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Memory &&
               D[N.A].B == SharedMemory) {
      return Variation::DeviceRead; // both write there
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init) {
      L = D[N.A].A;
      Through = true;
    } else {
      break;
    }
  }
  auto Say = [&](const WriteSummary::Change &C) {
    From.Where = C.Where;
    From.In = C.In;
  };
  // The member, and the structures that it is a part of.
  for (LocId P = L;; P = D.at(P).A) {
    const LocNode N = D.at(P);
    if (N.Kind != LocKind::Global && N.Kind != LocKind::Field)
      return std::nullopt;
    const WriteSummary *Writes = Rel.writes(D.text(N.S));
    if (Writes && !Writes->Updated) {
      From.Name = D.text(N.S).str();
      if (const std::optional<WriteSummary::Change> &C =
              Through ? Writes->DeviceTarget : Writes->DeviceCopy) {
        Say(*C);
        return Variation::DeviceRead;
      }
      if (Through)
        return std::nullopt;
      // What captured code counts by itself, wherever that is kept.
      if (Writes->ReadModifyWrite && P == L &&
          llvm::any_of(Writes->Steppers,
                       [&](FunctionId X) { return W.InRegion.count(X) != 0; }))
        return Variation::HostState;
      if (!livesWithGraph(D, P)) {
        // A parameter's object may be the one that keeps the graph.
        if (D.at(D.root(P)).Kind != LocKind::Pointee)
          return std::nullopt;
        From.With = D.root(P);
      }
      if (Writes->ReadModifyWrite && P == L)
        return Variation::HostState;
      for (const auto *List : {&Writes->Setters, &Writes->Growers})
        for (const WriteSummary::Change &C : *List)
          if (!Writes->IsKey && (List == &Writes->Setters || C.Elsewhere) &&
              Rel.keepsGraphs(C.In) && !(Rel.bits(C.In) & Relevance::Works)) {
            Say(C);
            return Variation::Setter;
          }
    }
    if (N.Kind != LocKind::Field)
      return std::nullopt;
  }
}

std::optional<Variation> Variations::of(ValueId V, Source &From) const {
  std::optional<Variation> Found;
  if (!D.mayVary(V))
    return Found;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    if (N.Kind == ValueKind::DeviceRead || N.Kind == ValueKind::Varying) {
      if (Found == Variation::DeviceRead)
        return;
      bool Random = N.B == static_cast<unsigned>(Effect::HostRandom) ||
                    N.B == static_cast<unsigned>(Effect::RandomState);
      Found = N.Kind == ValueKind::DeviceRead ? Variation::DeviceRead
              : Random                        ? Variation::Random
                                              : Variation::Clock;
      From.Where = {N.A, N.A};
    } else if (N.Kind == ValueKind::Init && !Found) {
      Found = changes(N.A, From);
    }
  });
  return Found;
}

void Variations::report(Frame &F, const Op &O, State &S, ValueId V,
                        const char *Part, const catalogue::Entry *E) {
  if (S.Active.empty())
    return;
  Source From;
  From.In = F.Function;
  std::optional<Variation> Var = of(V, From);
  if (!Var || S.InCallback)
    return;
  Sizes.insert({O.Range.Begin, From.Where.Begin});
  Fact R = Facts.at(F, O, S, S.Active.back());
  auto &Value = R.become<FactKind::VaryingUse>();
  R.Api = E;
  R.Callee = O.Callee == None ? "" : Table.info(O.Callee).Name;
  Value.Why = *Var;
  Value.Where = From.Where;
  Value.In = From.In;
  Value.Part = Part;
  Value.Kept.As = *Part ? KeptAs::Config : KeptAs::Size;
  R.restOn(Evidence::VaryingValue);
  if (Var == Variation::Setter || From.With != None)
    Facts.Later.Stepping.push_back({std::move(R), "", From.With});
  else
    Facts.record(std::move(R));
}

} // namespace cudagraph
