//===- TensorModel.cpp - Framework operators ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorModel.h.
//
//===----------------------------------------------------------------------===//

#include "TensorModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Role;
using namespace traits;

TensorModel::Effects TensorModel::applyOperator(Call &C, State &S,
                                                llvm::ArrayRef<ValueId> All) {
  const Op &O = C.O;
  ValueId Parts = libraryResult(D, S, C.Callee, C.Args);
  C.Returned = Parts == None
                   ? D.opaque(Domain::site(C.F.Function, O.ResultIndex, 2))
                   : Parts;
  bool Device = false, Supposition = true, Host = false;
  for (unsigned I = 0; I < All.size(); ++I) {
    unsigned At = I - (C.This != None);
    bool IsTensor = C.This != None && I == 0;
    IsTensor |= At < O.Args.size() && O.Args[At].Sort == CallArg::Tensor;
    unsigned T = IsTensor ? Use.Tensors.of(S, All[I]) : 0;
    Device |= (T & OnDevice) != 0;
    Supposition &= !(T & OnDevice) || T & Supposed;
    Host |= I == 0 && T & OnHost;
  }
  // A named device is the target of a copy, and only host tensors are pinned.
  if (C.Api.Does == Effect::AllocPinned || C.Api.arg("device") ||
      C.Api.arg("src") || C.Api.arg("dst"))
    Host = false;
  if (C.Api.Returns == "device-value")
    C.Returned = Host && !Device
                     ? D.opaque(C.Site)
                     : D.value(ValueKind::DeviceRead, C.Site, O.Range.Begin);
  Effects Result;
  setResult(D, C.F, O, S, C.Returned);
  Host |= Use.Tensors.isHostPath(S) && C.Api.Does != Effect::AllocPinned;
  bool Here = Device || !Host;
  Result.Works = C.Api.Does == Effect::TensorWork && Here;
  Result.Reports = C.Api.Does != Effect::TensorWork && Here;
  Result.Operands =
      Device && !Supposition ? Evidence::DeviceTensor : Evidence::AnyTensor;
  return Result;
}

bool TensorModel::pins(const Call &C, const State &S) {
  Makes What = whatMakes(Rel.rolesOf(C.Api));
  return (What == Makes::FromNothing || What == Makes::Like) &&
         llvm::any_of(C.Args, [&](ValueId A) {
           return (Use.Tensors.of(S, A) & PinnedHost) != 0;
         });
}

ValueId TensorModel::made(const Frame &F, const Op &O, unsigned Traits) {
  ValueId Site = D.opaque(Domain::site(F.Function, O.ResultIndex, 5));
  return D.value(ValueKind::Op, Traits, Site, None, "tensor");
}

TensorModel::Method::Method(const FunctionInfo &Info,
                            const catalogue::RoleSet &Roles)
    : Name(Info.Name), Roles(Roles),
      OfTensor(Roles.has(Role::Tensor) || Roles.has(Role::TensorBase)),
      OfDevice(Roles.has(Role::TensorDevice)),
      OfOptions(Roles.has(Role::TensorOptions)) {
  Name = Name.substr(Name.rfind("::") + 2);
}

void TensorModel::noteResult(Frame &F, const Op &O, State &S, FunctionId Callee,
                             ValueId This, llvm::ArrayRef<ValueId> Args) {
  if (O.ResultIndex == None)
    return;
  const catalogue::RoleSet Roles = Rel.rolesOf(Callee);
  if (!Roles.has(Role::TensorFunction))
    return;
  const FunctionInfo &Info = Table.info(Callee);
  Method M(Info, Roles);
  if (Info.IsConstructor) {
    if (M.OfOptions && Args.empty() && This != None)
      assign(D, S, D.pointee(This), made(F, O, FromScratch));
    return;
  }
  if (Info.IsDestructor)
    return;
  std::optional<ValueId> Known = answer(S, M, This, Args);
  if (!Known && M.OfOptions)
    Known = made(F, O, withOption(S, M, This, Args));
  if (Known) {
    setResult(D, F, O, S, *Known);
    return;
  }
  if (M.OfDevice || !Info.ReturnsHandle)
    return;
  if (Roles.has(Role::MakesOptions)) {
    setResult(D, F, O, S, made(F, O, unionOf(S, Args) | FromScratch));
    return;
  }
  // Functions in nested namespaces do not return tensors.
  if (!M.OfTensor && catalogue::operatorName(Info.Name).empty())
    return;
  // In place: the result is the object.
  if (M.OfTensor && M.Name.ends_with("_") && !M.Name.starts_with("_")) {
    setResult(D, F, O, S, This);
    return;
  }
  if (Roles.has(Role::TellsOnly))
    return;
  setResult(D, F, O, S, made(F, O, traitsOfResult(O, S, M, This, Args)));
}

unsigned TensorModel::unionOf(const State &S, llvm::ArrayRef<ValueId> Args) {
  unsigned All = 0;
  for (ValueId A : Args)
    All = overridden(All, Use.Tensors.of(S, A)) |
          (Use.Tensors.of(S, A) & FromScratch);
  return All;
}

/// The result of a query on a tensor, a device, or options; nothing if \p M is
/// not a query.
std::optional<ValueId> TensorModel::answer(const State &S, const Method &M,
                                           ValueId This,
                                           llvm::ArrayRef<ValueId> Args) {
  if (!M.OfTensor && !M.OfDevice && !M.OfOptions)
    return std::nullopt;
  ValueId Whole = held(S, This);
  while (Whole != None && D[Whole].Kind == ValueKind::Op &&
         D.text(D[Whole].S) == "tensor part")
    Whole = D[Whole].A;
  auto Of = [&](llvm::StringRef What) {
    return D.value(ValueKind::Op, 0, Whole, None, What);
  };
  bool Cuda = M.Roles.has(Role::AsksForDevice);
  if (Cuda || M.Roles.has(Role::AsksForHost)) {
    unsigned T = Use.Tensors.of(S, This);
    ValueId Asked = Of("is on device");
    if (T & (OnHost | OnDevice) && !(T & Supposed))
      Asked = D.integer((T & OnDevice) != 0);
    return Cuda ? Asked : D.apply("!", Asked, None);
  }
  if (M.Roles.has(Role::TellsDeviceType))
    return Of("device type of");
  if (M.Roles.has(Role::TellsScalarType))
    return Of("scalar type of");
  if (M.Roles.has(Role::TellsPlace) &&
      (M.OfTensor || (M.OfOptions && Args.empty())))
    return Of("tensor part");
  return std::nullopt;
}

/// The traits of the options \p This with those that the method \p M adds.
unsigned TensorModel::withOption(const State &S, const Method &M, ValueId This,
                                 llvm::ArrayRef<ValueId> Args) {
  unsigned T = Use.Tensors.of(S, This), New = unionOf(S, Args);
  if (M.Roles.has(Role::PinsOptions) && !Args.empty()) {
    ValueId A = Args[0];
    if (D[A].Kind == ValueKind::Addr || D[A].Kind == ValueKind::CopyOf) {
      LocId L = D[A].A; // an optional
      A = read(D, S, L);
      if (!D.asInt(A))
        A = read(D, S, D.element(L, D.integer(0), /*IsPointer=*/false));
    }
    New = D.asInt(A).value_or(0) ? PinnedHost : 0;
  }
  return overridden(T, New);
}

/// The traits of the tensor that \p M returns.
unsigned TensorModel::traitsOfResult(const Op &O, const State &S,
                                     const Method &M, ValueId This,
                                     llvm::ArrayRef<ValueId> Args) {
  bool OfTensor = M.OfTensor;
  unsigned First = 0, Where = 0, Given = 0;
  bool AnyTensor = false, Options = false;
  auto Take = [&](ValueId V) {
    unsigned T = Use.Tensors.of(S, V);
    First = AnyTensor ? First : T;
    AnyTensor = true;
    // One device tensor determines the location; host numbers are converted.
    if (T & OnDevice)
      Where = (Where & OnDevice && !(Where & Supposed)) ? Where : T & Places;
    else if (!(Where & OnDevice))
      Where = T & Places;
  };
  if (OfTensor)
    Take(This);
  for (unsigned I = 0; I < Args.size(); ++I)
    if (I < O.Args.size() && O.Args[I].Sort == CallArg::Tensor) {
      Take(Args[I]);
    } else {
      unsigned T = Use.Tensors.of(S, Args[I]);
      const CallArg *A = I < O.Args.size() ? &O.Args[I] : nullptr;
      if (T & Supposed && (!A || A->Sort == CallArg::Scalar))
        T &= ~unsigned(Places); // a number that is a parameter
      Given = overridden(Given, T);
      Options |= A && A->Sort == CallArg::TensorOptions && A->Range.Begin &&
                 !(T & FromScratch) && !(T & Places);
    }
  unsigned T = Where;
  switch (whatMakes(M.Roles)) {
  case Makes::Same:
    T = Where | (First & Types);
    break;
  case Makes::Comparison:
    T = Where | Mask;
    break;
  case Makes::Like:
    T = overridden(First & (Places | Types), Given);
    break;
  case Makes::Converted:
    if (M.Roles.has(Role::ToHost))
      Given = OnHost;
    else if (M.Roles.has(Role::ToDevice))
      Given = OnDevice;
    else if (M.Roles.has(Role::ToPinned))
      Given = OnHost | PinnedHost;
    T = overridden(First & (Places | Types), Given);
    // to(other): the second tensor determines the device.
    if (M.Roles.has(Role::LikeAnother))
      for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I)
        if (O.Args[I].Sort == CallArg::Tensor)
          T = overridden(T, Use.Tensors.of(S, Args[I]) & Places);
    break;
  case Makes::FromNothing:
    T = Given & ~unsigned(FromScratch);
    if (!(T & Places) && !Options)
      T |= OnHost; // the default device, unless a program changes it
    break;
  default:
    break;
  }
  return T;
}

} // namespace cudagraph
