//===- EngineTensor.cpp - What is known of tensors ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operator of libtorch does to a capture depends on its arguments: a
// value is read from a tensor of the device, not from one in host memory, and
// indexing asks for a size only if an index is a mask. So tensors, options and
// devices carry what is known of them, from the call that made them or the
// condition that tested them. Nothing is known of most; the parameters of a
// registered operator are supposed to be on the device.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace cudagraph {

using catalogue::Condition;
using catalogue::Effect;
using catalogue::Role;
using catalogue::RoleSet;

namespace {
/// Traits of a tensor, of the options for one, or of a device. They are
/// numbers, because sets of them are.
constexpr unsigned OnHost = 1, OnDevice = 2;
constexpr unsigned Mask = 4;   ///< its elements are boolean
constexpr unsigned NoMask = 8; ///< they are not
constexpr unsigned PinnedHost = 16;
constexpr unsigned FromScratch =
    32;                           ///< options that name no device: the host's
constexpr unsigned Supposed = 64; ///< OnDevice is a supposition
constexpr unsigned Places = OnHost | OnDevice | Supposed;
constexpr unsigned Types = Mask | NoMask;

/// What a function of libtorch returns, by its name.
enum class Makes {
  Unknown,
  Tensor,    ///< where its tensors are
  Same,      ///< as the first tensor, in type and place
  Like,      ///< as the first tensor, unless options say otherwise
  Converted, ///< the first tensor, where and as the arguments say
  FromNothing,
  Comparison,
};

Makes whatMakes(const RoleSet &Roles) {
  return Roles.has(Role::MakesLike)          ? Makes::Like
         : Roles.has(Role::MakesConverted)   ? Makes::Converted
         : Roles.has(Role::MakesFromNothing) ? Makes::FromNothing
         : Roles.has(Role::MakesComparison)  ? Makes::Comparison
         : Roles.has(Role::MakesSame)        ? Makes::Same
                                             : Makes::Tensor;
}

unsigned overridden(unsigned Old, unsigned New) {
  if (New & Places)
    Old = (Old & ~Places) | (New & Places);
  if (New & Types)
    Old = (Old & ~Types) | (New & Types);
  return Old | (New & PinnedHost);
}
} // namespace

/// True for parameters of the operator that is the root, and their parts.
bool Engine::isParameter(LocId L) const {
  for (unsigned Guard = 0; Guard < 8 && OperatorRoot != None; ++Guard) {
    const LocNode Root = D.at(D.root(L));
    if (Root.Kind == LocKind::Var)
      return Root.A == OperatorRoot;
    if (Root.Kind != LocKind::Pointee || D[Root.A].Kind != ValueKind::Init)
      return false;
    L = D[Root.A].A;
  }
  return false;
}

/// Frameworks pass operators the stream that is current, also as a number.
ValueId Engine::passedStream(const State &S, ValueId Stream) const {
  if (Stream == None || OperatorRoot == None || S.Active.empty() ||
      D[Stream].Kind != ValueKind::Init || !isParameter(D[Stream].A))
    return Stream;
  return Result.Captures[S.Active.front()].Origin;
}

/// True where one of the tensors was found to be on the host: the code is for
/// the others, too.
bool Engine::isHostPath(const State &S) {
  std::optional<unsigned> Known = S.Mem.lookup(hostPath(D));
  return Known && D.asInt(*Known) == 1;
}

/// What is known of the tensor, options or device \p V, or of what it is the
/// address of: a set of traits.
unsigned Engine::tensorTraits(const State &S, ValueId V, unsigned Depth) {
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
  for (int64_t Cuda : CudaDevices)
    if (std::optional<unsigned> Same =
            S.Facts.lookup(D.apply("==", Type, D.integer(Cuda)));
        Same && !*Same)
      Where = OnHost;
  ValueId Elements = D.value(ValueKind::Op, 0, V, None, "scalar type of");
  unsigned ElementType = 0;
  if (std::optional<unsigned> Known = S.Equal.lookup(Elements))
    if (std::optional<int64_t> Number = D.asInt(*Known))
      ElementType = llvm::is_contained(BooleanScalars, *Number) ? Mask : NoMask;
  for (int64_t Boolean : BooleanScalars)
    if (std::optional<unsigned> Same =
            S.Facts.lookup(D.apply("==", Elements, D.integer(Boolean)));
        Same && !*Same)
      ElementType = NoMask;
  return overridden(tensorTraitsOf(S, V, Depth), Where | ElementType);
}

/// Where a device of kind \p Number is.
unsigned Engine::placeOf(int64_t Number) const {
  return llvm::is_contained(CudaDevices, Number)   ? OnDevice
         : llvm::is_contained(HostDevices, Number) ? OnHost
                                                   : 0;
}

/// The same, without what conditions have said of it.
unsigned Engine::tensorTraitsOf(const State &S, ValueId V, unsigned Depth) {
  const ValueNode N = D[V];
  switch (N.Kind) {
  case ValueKind::Addr: {
    ValueId Held = read(S, N.A);
    if (unsigned T = Held == V ? 0 : tensorTraits(S, Held, Depth + 1);
        T & ~unsigned(Supposed | OnDevice) || (T && !(T & Supposed)))
      return T;
    else if (D.at(N.A).Kind == LocKind::Elem)
      return T;
    else if (unsigned In = tensorTraits( // an optional
                 S, read(S, D.element(N.A, D.integer(0), false)), Depth + 1))
      return In;
    else
      return T;
  }
  case ValueKind::Phi: {
    llvm::ArrayRef<ValueId> All = D.candidates(V);
    unsigned Result = All.empty() ? 0 : ~0u;
    for (ValueId C : llvm::SmallVector<ValueId, 4>(All.begin(), All.end()))
      Result &= tensorTraits(S, C, Depth + 4);
    return Result;
  }
  case ValueKind::CopyOf:
    return tensorTraits(S, read(S, N.A), Depth + 1);
  case ValueKind::Init:
    if (!isParameter(N.A))
      return 0;
    return isHostPath(S) ? OnHost : OnDevice | Supposed;
  case ValueKind::Op: {
    llvm::StringRef What = D.text(N.S);
    if (What == "tensor")
      return N.N;
    if (What == "tensor part")
      return tensorTraits(S, N.A, Depth + 1);
    if (What == "device type") {
      std::optional<int64_t> Number = D.asInt(N.A);
      return Number ? placeOf(*Number) : 0;
    }
    if (What == "scalar type") {
      std::optional<int64_t> Number = D.asInt(N.A);
      return !Number ? FromScratch
             : llvm::is_contained(BooleanScalars, *Number)
                 ? Mask | FromScratch
                 : NoMask | FromScratch;
    }
    if (What == "aggregate")
      return tensorTraits(S, N.A, Depth + 1) | tensorTraits(S, N.B, Depth + 1);
    return 0;
  }
  default:
    return 0;
  }
}

ValueId Engine::madeTensor(const Frame &F, const Op &O, unsigned Traits) {
  ValueId Site = D.opaque(Domain::site(F.Function, O.ResultIndex, 5));
  return D.value(ValueKind::Op, Traits, Site, None, "tensor");
}

/// What a call of libtorch returns, or constructs, as far as tensors go.
void Engine::noteTensor(Frame &F, const Op &O, State &S, FunctionId Callee,
                        ValueId This, llvm::ArrayRef<ValueId> Args) {
  if (O.ResultIndex == None)
    return;
  const RoleSet Roles = Rel.rolesOf(Callee);
  if (!Roles.has(Role::TensorFunction))
    return;
  const FunctionInfo &Info = Table.info(Callee);
  llvm::StringRef Name(Info.Name);
  Name = Name.substr(Name.rfind("::") + 2);
  bool OfTensor = Roles.has(Role::Tensor) || Roles.has(Role::TensorBase);
  bool OfDevice = Roles.has(Role::TensorDevice);
  bool OfOptions = Roles.has(Role::TensorOptions);
  ValueId Self = This;
  if (Self != None && D[Self].Kind == ValueKind::Addr)
    Self = read(S, D[Self].A);
  auto Union = [&] {
    unsigned All = 0;
    for (ValueId A : Args)
      All = overridden(All, tensorTraits(S, A)) |
            (tensorTraits(S, A) & FromScratch);
    return All;
  };
  if (Info.IsConstructor) {
    if (OfOptions && Args.empty() && This != None)
      assign(S, D.pointee(This), madeTensor(F, O, FromScratch));
    return;
  }
  if (Info.IsDestructor)
    return;
  if (OfTensor || OfDevice || OfOptions) {
    ValueId Whole = Self;
    while (Whole != None && D[Whole].Kind == ValueKind::Op &&
           D.text(D[Whole].S) == "tensor part")
      Whole = D[Whole].A;
    bool Cuda = Roles.has(Role::AsksForDevice);
    if (Cuda || Roles.has(Role::AsksForHost)) {
      unsigned T = tensorTraits(S, This);
      ValueId Asked = D.value(ValueKind::Op, 0, Whole, None, "is on device");
      if (T & (OnHost | OnDevice) && !(T & Supposed))
        Asked = D.integer((T & OnDevice) != 0);
      setResult(F, O, S, Cuda ? Asked : D.apply("!", Asked, None));
      return;
    }
    if (Roles.has(Role::TellsDeviceType)) {
      setResult(F, O, S,
                D.value(ValueKind::Op, 0, Whole, None, "device type of"));
      return;
    }
    if (Roles.has(Role::TellsScalarType)) {
      setResult(F, O, S,
                D.value(ValueKind::Op, 0, Whole, None, "scalar type of"));
      return;
    }
    if (Roles.has(Role::TellsPlace))
      if (OfTensor || (OfOptions && Args.empty())) {
        setResult(F, O, S,
                  D.value(ValueKind::Op, 0, Whole, None, "tensor part"));
        return;
      }
  }
  if (OfOptions) {
    unsigned T = tensorTraits(S, This), New = Union();
    if (Roles.has(Role::PinsOptions) && !Args.empty()) {
      ValueId A = Args[0];
      if (D[A].Kind == ValueKind::Addr || D[A].Kind == ValueKind::CopyOf) {
        LocId L = D[A].A; // an optional
        A = read(S, L);
        if (!D.asInt(A))
          A = read(S, D.element(L, D.integer(0), /*IsPointer=*/false));
      }
      New = D.asInt(A).value_or(0) ? PinnedHost : 0;
    }
    setResult(F, O, S, madeTensor(F, O, overridden(T, New)));
    return;
  }
  if (OfDevice || !Info.ReturnsHandle)
    return;
  if (Roles.has(Role::MakesOptions)) {
    setResult(F, O, S, madeTensor(F, O, Union() | FromScratch));
    return;
  }
  // What is in namespaces below returns other things than tensors.
  if (!OfTensor && catalogue::operatorName(Info.Name).empty())
    return;
  // In place: the result is the object.
  if (OfTensor && Name.ends_with("_") && !Name.starts_with("_")) {
    setResult(F, O, S, This);
    return;
  }
  if (Roles.has(Role::TellsOnly))
    return;
  unsigned First = 0, Where = 0, Given = 0;
  bool AnyTensor = false, Options = false;
  auto Take = [&](ValueId V) {
    unsigned T = tensorTraits(S, V);
    First = AnyTensor ? First : T;
    AnyTensor = true;
    // One tensor of the device decides; host numbers go along.
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
      unsigned T = tensorTraits(S, Args[I]);
      const CallArg *A = I < O.Args.size() ? &O.Args[I] : nullptr;
      if (T & Supposed && (!A || A->Sort == CallArg::Scalar))
        T &= ~unsigned(Places); // a number that is a parameter
      Given = overridden(Given, T);
      Options |= A && A->Sort == CallArg::TensorOptions && A->Range.Begin &&
                 !(T & FromScratch) && !(T & Places);
    }
  unsigned T = Where;
  switch (whatMakes(Roles)) {
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
    if (Roles.has(Role::ToHost))
      Given = OnHost;
    else if (Roles.has(Role::ToDevice))
      Given = OnDevice;
    else if (Roles.has(Role::ToPinned))
      Given = OnHost | PinnedHost;
    T = overridden(First & (Places | Types), Given);
    // to(other): the second tensor says where.
    if (Roles.has(Role::LikeAnother))
      for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I)
        if (O.Args[I].Sort == CallArg::Tensor)
          T = overridden(T, tensorTraits(S, Args[I]) & Places);
    break;
  case Makes::FromNothing:
    T = Given & ~unsigned(FromScratch);
    if (!(T & Places) && !Options)
      T |= OnHost; // the default device, unless a program changes it
    break;
  default:
    break;
  }
  setResult(F, O, S, madeTensor(F, O, T));
}

/// Calls an operator: \p E says what it does to a capture, its arguments
/// whether it does so here.
Engine::States Engine::applyOperator(Frame &F, const Op &O, State S,
                                     const catalogue::Entry &E,
                                     FunctionId Callee, ValueId This,
                                     llvm::ArrayRef<ValueId> Args) {
  keepTensors(F, O, S, Callee, This, Args);
  int64_t Site = Domain::site(F.Function, O.ResultIndex, 12);
  ValueId Returned = libraryResult(S, Args);
  if (Returned == None)
    Returned = D.opaque(Domain::site(F.Function, O.ResultIndex, 2));
  llvm::SmallVector<ValueId, 8> All;
  if (This != None)
    All.push_back(This);
  All.append(Args.begin(), Args.end());
  bool Device = false, Supposition = true, Host = false;
  for (unsigned I = 0; I < All.size(); ++I) {
    unsigned At = I - (This != None);
    bool IsTensor = This != None && I == 0;
    IsTensor |= At < O.Args.size() && O.Args[At].Sort == CallArg::Tensor;
    unsigned T = IsTensor ? tensorTraits(S, All[I]) : 0;
    Device |= (T & OnDevice) != 0;
    Supposition &= !(T & OnDevice) || T & Supposed;
    Host |= I == 0 && T & OnHost;
  }
  // Where a device is named, that is the target of a copy; and it is tensors of
  // the host that are pinned.
  if (E.Does == Effect::AllocPinned || E.arg("device") || E.arg("src") ||
      E.arg("dst"))
    Host = false;
  if (E.Returns == "device-value")
    Returned = Host && !Device
                   ? D.opaque(Site)
                   : D.value(ValueKind::DeviceRead, Site, O.Range.Begin);
  setResult(F, O, S, Returned);
  Host |= isHostPath(S) && E.Does != Effect::AllocPinned;
  if (E.Does == Effect::TensorWork && (Device || !Host)) {
    Happening H;
    H.Label = E.Name;
    H.Where = O.Range;
    happen(F, S, std::move(H), read(S, currentStream(D)), false);
  }
  if (E.Does != Effect::TensorWork && (Device || !Host)) {
    OperatorSure =
        Device && !Supposition ? Confidence::Certain : Confidence::Likely;
    OperatorShift = This != None;
    InBraces.clear();
    for (const CallArg &A : O.Config)
      InBraces.push_back(eval(F, A.Value, S));
    report(F, O, S, E, Callee, None, All, None, /*HasStream=*/false,
           /*PerThread=*/false, {});
    OperatorSure = Confidence::Certain;
    OperatorShift = 0;
  }
  // A factory that is asked for pinned memory takes it where the allocator of
  // the host does.
  Makes What = whatMakes(Rel.rolesOf(E));
  bool Pins = What == Makes::FromNothing || What == Makes::Like;
  Pins &= llvm::any_of(
      Args, [&](ValueId A) { return (tensorTraits(S, A) & PinnedHost) != 0; });
  if (Pins)
    for (const catalogue::NamedRole *Each :
         Catalogue.names(Role::TensorPinnedAllocator))
      if (const catalogue::Entry *Host = Catalogue.lookup(Each->Name))
        report(F, O, S, *Host, Callee, None, All, None, /*HasStream=*/false,
               /*PerThread=*/false, {});
  noteTensor(F, O, S, Callee, This, Args);
  if (E.Returns == "device-value")
    setResult(F, O, S, Returned);
  return {std::move(S)};
}

/// What the arguments \p Args of an operator, in the order of the function
/// `at::NAME(self, ...)`, say to \p X. Where nothing is known of a tensor, it
/// is taken to be on the device, as most are; that is no proof.
std::optional<bool> Engine::holdsOfTensor(const Op &O, const State &S,
                                          const catalogue::Entry &E,
                                          Condition X,
                                          llvm::ArrayRef<ValueId> Args) {
  auto Traits = [&](const char *Role) -> unsigned {
    std::optional<int> I = E.arg(Role, Args.size());
    if (I && *I < 0)
      I = 0;
    return I && static_cast<size_t>(*I) < Args.size()
               ? tensorTraits(S, Args[*I])
               : 0;
  };
  const RoleSet Roles = Rel.rolesOf(E);
  bool FromNothing = whatMakes(Roles) == Makes::FromNothing;
  auto IsNumber = [&](unsigned I) {
    unsigned At = I - OperatorShift;
    return At < O.Args.size() && O.Args[At].Sort == CallArg::Scalar;
  };
  // Where the result of a copy or of a factory is.
  auto Target = [&]() -> unsigned {
    if (E.arg("dst"))
      return Traits("dst");
    if (Roles.has(Role::ToDevice))
      return OnDevice;
    unsigned Given = 0;
    bool Options = false;
    for (unsigned I = FromNothing ? 0 : 1; I < Args.size(); ++I) {
      unsigned T = tensorTraits(S, Args[I]), At = I - OperatorShift;
      Given |= IsNumber(I) && T & Supposed ? 0 : T;
      Options |= At < O.Args.size() &&
                 O.Args[At].Sort == CallArg::TensorOptions &&
                 O.Args[At].Range.Begin && !(T & FromScratch);
    }
    if (FromNothing && !(Given & Places) && !Options)
      Given |= OnHost;
    return Given;
  };
  auto AnyIndex = [&](unsigned Wanted, unsigned Against) {
    std::optional<bool> Result = false;
    auto Look = [&](ValueId V) {
      unsigned T = tensorTraits(S, V);
      if (T & Wanted)
        Result = true;
      else if (!(T & Against) && Result == false)
        Result.reset();
    };
    for (ValueId V : InBraces)
      Look(V);
    if (std::optional<int> I = E.arg("index", Args.size());
        I && static_cast<size_t>(*I) < Args.size() && InBraces.empty()) {
      unsigned At = *I - OperatorShift;
      if (At < O.Args.size() && O.Args[At].Sort == CallArg::Tensor)
        Look(Args[*I]);
      else if (At >= O.Args.size() || O.Args[At].Sort != CallArg::Braces)
        Result.reset();
    }
    return Result;
  };
  switch (X) {
  case Condition::HostTarget: {
    unsigned To = Target();
    if (FromNothing)
      return To & Places ? std::optional((To & OnHost) != 0) : std::nullopt;
    return To & OnHost && !(Traits("src") & OnHost);
  }
  case Condition::HostSource: {
    unsigned To = Target();
    bool ToDevice = E.arg("dst") ? !(To & OnHost) : (To & OnDevice) != 0;
    return Traits("src") & OnHost && ToDevice;
  }
  case Condition::NonBlocking: {
    std::optional<int> I = E.arg("flags", Args.size());
    if (!I || static_cast<size_t>(*I) >= Args.size())
      return false;
    // to(device, dtype, non_blocking) has one argument more in front of it.
    ValueId V = Args[*I];
    if (D[V].Kind == ValueKind::Op && D.text(D[V].S) == "scalar type")
      V = static_cast<size_t>(*I) + 1 < Args.size() ? Args[*I + 1] : V;
    return D.asInt(V) == 1;
  }
  case Condition::Pinned:
    return llvm::any_of(Args, [&](ValueId A) {
      return (tensorTraits(S, A) & PinnedHost) != 0;
    });
  case Condition::SizeGiven: {
    std::optional<int> I = E.arg("size", Args.size());
    if (!I || Args.empty())
      return false;
    // Shorter overloads have it last.
    I = std::min<int>(*I, Args.size() - 1);
    unsigned At = *I - OperatorShift;
    return At < O.Args.size() && O.Args[At].Range.Begin &&
           D.asInt(Args[*I]).value_or(0) >= 0;
  }
  case Condition::MaskIndex:
    return AnyIndex(Mask, NoMask);
  case Condition::HostIndex: {
    // Indices of unknown place are on the device.
    std::optional<bool> R = AnyIndex(OnHost, OnDevice);
    return R.value_or(false);
  }
  case Condition::HostValue:
    for (unsigned I = 1; I < Args.size(); ++I)
      if (tensorTraits(S, Args[I]) & OnHost)
        return true;
    return false;
  case Condition::Configured: {
    // The argument that asks for more: a flag, or a tensor for a number.
    std::optional<int> I = E.arg("config", Args.size());
    if (!I)
      return std::nullopt;
    unsigned At = *I - OperatorShift;
    if (static_cast<size_t>(*I) >= Args.size() || At >= O.Args.size() ||
        !O.Args[At].Range.Begin)
      return false;
    if (O.Args[At].Sort == CallArg::Tensor)
      return !(tensorTraits(S, Args[*I]) & OnHost);
    if (O.Args[At].Sort != CallArg::Scalar)
      return false;
    std::optional<int64_t> Number = D.asInt(Args[*I]);
    return Number ? std::optional(*Number != 0) : std::nullopt;
  }
  case Condition::OneArgument:
    return Args.size() == 1;
  default:
    return std::nullopt;
  }
}

} // namespace cudagraph
