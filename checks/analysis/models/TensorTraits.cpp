//===- TensorTraits.cpp - Facts about tensors -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorTraits.h.
//
//===----------------------------------------------------------------------===//

#include "TensorTraits.h"
#include "analysis/ir/Tuples.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Condition;
using catalogue::Role;
using namespace traits;

Makes whatMakes(const catalogue::RoleSet &Roles) {
  return Roles.has(Role::MakesLike)          ? Makes::Like
         : Roles.has(Role::MakesConverted)   ? Makes::Converted
         : Roles.has(Role::MakesFromNothing) ? Makes::FromNothing
         : Roles.has(Role::MakesComparison)  ? Makes::Comparison
         : Roles.has(Role::MakesSame)        ? Makes::Same
                                             : Makes::Tensor;
}

bool TensorTraits::isHostPath(const State &S) const {
  std::optional<unsigned> Known = S.Mem.lookup(D.slot(Slot::HostPath));
  return Known && D.asInt(*Known) == 1;
}

unsigned overridden(unsigned Old, unsigned New) {
  if (New & Places)
    Old = (Old & ~Places) | (New & Places);
  if (New & Types)
    Old = (Old & ~Types) | (New & Types);
  return Old | (New & PinnedHost);
}

unsigned TensorTraits::of(const State &S, ValueId V, unsigned Depth) const {
  if (V == None || Depth > 12)
    return 0;
  auto Tested = [&](llvm::StringRef What) -> std::optional<bool> {
    std::optional<unsigned> Known =
        S.Facts.lookup(D.value(ValueKind::Op, 0, V, None, What));
    return Known ? std::optional(*Known != 0) : std::nullopt;
  };
  unsigned Where = 0;
  if (std::optional<bool> Cuda = Tested("is on device"))
    Where = *Cuda ? OnDevice : OnHost;
  ValueId Type = D.value(ValueKind::Op, 0, V, None, "device type of");
  if (std::optional<unsigned> Known = S.Equal.lookup(Type))
    if (std::optional<int64_t> Number = D.asInt(*Known))
      Where = placeOf(*Number);
  for (int64_t Cuda : D.Numbers.CudaDevices)
    if (std::optional<unsigned> Same =
            S.Facts.lookup(D.apply("==", Type, D.integer(Cuda)));
        Same && !*Same)
      Where = OnHost;
  ValueId Elements = D.value(ValueKind::Op, 0, V, None, "scalar type of");
  unsigned ElementType = 0;
  if (std::optional<unsigned> Known = S.Equal.lookup(Elements))
    if (std::optional<int64_t> Number = D.asInt(*Known))
      ElementType =
          llvm::is_contained(D.Numbers.BooleanScalars, *Number) ? Mask : NoMask;
  for (int64_t Boolean : D.Numbers.BooleanScalars)
    if (std::optional<unsigned> Same =
            S.Facts.lookup(D.apply("==", Elements, D.integer(Boolean)));
        Same && !*Same)
      ElementType = NoMask;
  return overridden(traitsOf(S, V, Depth), Where | ElementType);
}

/// The location of a device of kind \p Number.
unsigned TensorTraits::placeOf(int64_t Number) const {
  return llvm::is_contained(D.Numbers.CudaDevices, Number)   ? OnDevice
         : llvm::is_contained(D.Numbers.HostDevices, Number) ? OnHost
                                                             : 0;
}

/// True if \p L is a variable that contains a number, which has no location.
static bool isNumber(Program &Table, const LocNode &L) {
  const FlowGraph *G = L.Kind == LocKind::Var ? Table.graph(L.A) : nullptr;
  return G && static_cast<size_t>(L.N) < G->Vars.size() &&
         G->Vars[L.N].IsNumber;
}

unsigned TensorTraits::traitsOf(const State &S, ValueId V,
                                unsigned Depth) const {
  const ValueNode N = D[V];
  switch (N.Kind) {
  case ValueKind::Addr: {
    ValueId Held = read(D, S, N.A);
    if (unsigned T = Held == V ? 0 : of(S, Held, Depth + 1);
        T & ~unsigned(Supposed | OnDevice) || (T && !(T & Supposed)))
      return T;
    else if (D.at(N.A).Kind == LocKind::Elem)
      return T;
    else if (unsigned In = of( // an optional
                 S, read(D, S, D.element(N.A, D.integer(0), false)), Depth + 1))
      return In;
    else
      return T;
  }
  case ValueKind::Phi: {
    llvm::ArrayRef<ValueId> All = D.candidates(V);
    unsigned Result = All.empty() ? 0 : ~0u;
    for (ValueId C : llvm::SmallVector<ValueId, 4>(All.begin(), All.end()))
      Result &= of(S, C, Depth + 4);
    return Result;
  }
  case ValueKind::CopyOf:
    return of(S, read(D, S, N.A), Depth + 1);
  case ValueKind::Init:
    if (!Streams.isParameter(N.A) || isNumber(Table, D.at(N.A)))
      return 0;
    return isHostPath(S) ? OnHost : OnDevice | Supposed;
  case ValueKind::Op: {
    llvm::StringRef What = D.text(N.S);
    if (What == "tensor")
      return N.N;
    if (What == "tensor part")
      return of(S, N.A, Depth + 1);
    if (What == "device type") {
      std::optional<int64_t> Number = D.asInt(N.A);
      return Number ? placeOf(*Number) : 0;
    }
    if (What == "scalar type") {
      std::optional<int64_t> Number = D.asInt(N.A);
      return !Number ? FromScratch
             : llvm::is_contained(D.Numbers.BooleanScalars, *Number)
                 ? Mask | FromScratch
                 : NoMask | FromScratch;
    }
    if (What == "aggregate" || What == TupleOp)
      return of(S, N.A, Depth + 1) | of(S, N.B, Depth + 1);
    return 0;
  }
  default:
    return 0;
  }
}

/// The traits of argument \p Role.
unsigned TensorTraits::ofRole(const Call &C, const State &S,
                              const char *Role) const {
  std::optional<int> I = C.Api.arg(Role, C.Args.size());
  if (I && *I < 0)
    I = 0;
  return I && static_cast<size_t>(*I) < C.Args.size() ? of(S, C.Args[*I]) : 0;
}

/// The argument as spelled, or null: \p I also counts the object.
static const CallArg *written(const Call &C, unsigned I) {
  unsigned At = I - C.Shift;
  return At < C.O.Args.size() ? &C.O.Args[At] : nullptr;
}

/// The location of the result of a copy or of a factory.
unsigned TensorTraits::target(const Call &C, const State &S) const {
  if (C.Api.arg("dst"))
    return ofRole(C, S, "dst");
  const catalogue::RoleSet Roles = Rel.rolesOf(C.Api);
  if (Roles.has(Role::ToDevice))
    return OnDevice;
  bool FromNothing = whatMakes(Roles) == Makes::FromNothing;
  unsigned Given = 0;
  bool Options = false;
  for (unsigned I = FromNothing ? 0 : 1; I < C.Args.size(); ++I) {
    unsigned T = of(S, C.Args[I]);
    const CallArg *A = written(C, I);
    bool IsNumber = A && A->Sort == CallArg::Scalar;
    Given |= IsNumber && T & Supposed ? 0 : T;
    Options |= A && A->Sort == CallArg::TensorOptions && A->Range.Begin &&
               !(T & FromScratch);
  }
  if (FromNothing && !(Given & Places) && !Options)
    Given |= OnHost;
  return Given;
}

/// True if one of the indices has the traits \p Wanted; \p Against: traits that
/// exclude them.
std::optional<bool> TensorTraits::anyIndex(const Call &C, const State &S,
                                           unsigned Wanted,
                                           unsigned Against) const {
  std::optional<bool> Result = false;
  auto Look = [&](ValueId V) {
    unsigned T = of(S, V);
    if (T & Wanted)
      Result = true;
    else if (!(T & Against) && Result == false)
      Result.reset();
  };
  for (ValueId V : C.Braces)
    Look(V);
  if (std::optional<int> I = C.Api.arg("index", C.Args.size());
      I && static_cast<size_t>(*I) < C.Args.size() && C.Braces.empty()) {
    const CallArg *A = written(C, *I);
    if (A && A->Sort == CallArg::Tensor)
      Look(C.Args[*I]);
    else if (!A || A->Sort != CallArg::Braces)
      Result.reset();
  }
  return Result;
}

/// Whether an argument requests additional work: a flag, or a tensor instead of
/// a number. For a value, all numbers are equivalent.
std::optional<bool> TensorTraits::configured(const Call &C,
                                             const State &S) const {
  std::optional<int> I = C.Api.arg("config", C.Args.size());
  bool IsFlag = I.has_value();
  if (!I)
    I = C.Api.arg("value", C.Args.size());
  if (!I)
    return std::nullopt;
  const CallArg *A = written(C, *I);
  if (static_cast<size_t>(*I) >= C.Args.size() || !A || !A->Range.Begin)
    return false;
  if (A->Sort == CallArg::Tensor)
    return !(of(S, C.Args[*I]) & OnHost);
  if (!IsFlag || A->Sort != CallArg::Scalar)
    return false;
  std::optional<int64_t> Number = D.asInt(C.Args[*I]);
  return Number ? std::optional(*Number != 0) : std::nullopt;
}

std::optional<bool> TensorTraits::holds(const Call &C, const State &S,
                                        Condition X) const {
  switch (X) {
  case Condition::HostTarget: {
    unsigned To = target(C, S);
    if (whatMakes(Rel.rolesOf(C.Api)) == Makes::FromNothing)
      return To & Places ? std::optional((To & OnHost) != 0) : std::nullopt;
    return To & OnHost && !(ofRole(C, S, "src") & OnHost);
  }
  case Condition::HostSource: {
    unsigned To = target(C, S);
    bool ToDevice = C.Api.arg("dst") ? !(To & OnHost) : (To & OnDevice) != 0;
    return ofRole(C, S, "src") & OnHost && ToDevice;
  }
  case Condition::NonBlocking: {
    std::optional<int> I = C.Api.arg("flags", C.Args.size());
    if (!I || static_cast<size_t>(*I) >= C.Args.size())
      return false;
    // to(device, dtype, non_blocking) has an additional first argument.
    ValueId V = C.Args[*I];
    if (D[V].Kind == ValueKind::Op && D.text(D[V].S) == "scalar type")
      V = static_cast<size_t>(*I) + 1 < C.Args.size() ? C.Args[*I + 1] : V;
    return D.asInt(V) == 1;
  }
  case Condition::Pinned:
    return llvm::any_of(
        C.Args, [&](ValueId A) { return (of(S, A) & PinnedHost) != 0; });
  case Condition::SizeGiven: {
    std::optional<int> I = C.Api.arg("size", C.Args.size());
    if (!I || C.Args.empty())
      return false;
    // Shorter overloads have it last.
    I = std::min<int>(*I, C.Args.size() - 1);
    const CallArg *A = written(C, *I);
    return A && A->Range.Begin && D.asInt(C.Args[*I]).value_or(0) >= 0;
  }
  case Condition::MaskIndex:
    return anyIndex(C, S, Mask, NoMask);
  case Condition::HostIndex: {
    // Indices with an unknown location are assumed to be on the device.
    std::optional<bool> R = anyIndex(C, S, OnHost, OnDevice);
    return R.value_or(false);
  }
  case Condition::HostValue:
    for (unsigned I = 1; I < C.Args.size(); ++I)
      if (of(S, C.Args[I]) & OnHost)
        return true;
    return false;
  case Condition::Configured:
    return configured(C, S);
  case Condition::OneArgument:
    return C.Args.size() == 1;
  default:
    return std::nullopt;
  }
}

} // namespace cudagraph
