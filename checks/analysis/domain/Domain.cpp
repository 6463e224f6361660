//===- Domain.cpp - Abstract values, locations, and states ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interning and constant folding. The result of a function depends only on its
// arguments. Phis are the only values that grow, and only addCandidate()
// extends them.
//
//===----------------------------------------------------------------------===//

#include "Domain.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

llvm::StringRef spelling(Slot S) {
  switch (S) {
  case Slot::None:
    return "";
  case Slot::This:
    return "this";
  case Slot::CurrentStream:
    return "current stream";
  case Slot::CurrentDevice:
    return "current device";
  case Slot::CapturingDevice:
    return "capturing device";
  case Slot::HostPath:
    return "host path";
  case Slot::LibraryStream:
    return "library stream";
  case Slot::LibraryUsed:
    return "library used";
  case Slot::PointerMode:
    return "library pointer mode";
  case Slot::GeneratorKind:
    return "generator kind";
  case Slot::CapturedGraph:
    return "captured graph";
  case Slot::RestoredMode:
    return "restored mode";
  case Slot::RestoredStream:
    return "restored stream";
  case Slot::Room:
    return "room";
  case Slot::CalledOnce:
    return "called once";
  case Slot::DynamicClass:
    return "dynamic class";
  case Slot::CreatedAgain:
    return "created again";
  case Slot::Overrider:
    return "overrider";
  }
  return "";
}

unsigned Domain::KeyInfo::getHashValue(const Key &K) {
  return llvm::hash_combine(K.Kind, K.N, K.A, K.B, K.S);
}

unsigned Domain::intern(llvm::StringRef S) {
  if (S.empty())
    return 0;
  auto [It, New] = StringIds.try_emplace(S, Strings.size());
  if (New)
    Strings.push_back(It->first());
  return It->second;
}

ValueId Domain::value(ValueKind Kind, int64_t N, unsigned A, unsigned B,
                      llvm::StringRef S) {
  Key K{static_cast<uint8_t>(Kind), N, A, B, intern(S)};
  auto [It, New] = ValueIds.try_emplace(K, Values.size());
  if (New) {
    Values.push_back({Kind, N, A, B, K.S});
    Traits.push_back(traitsOf(Values.back()));
    PhiOf.push_back(None);
  }
  return It->second;
}

uint8_t Domain::traitsOf(const ValueNode &N) const {
  switch (N.Kind) {
  case ValueKind::Addr:
    return HasMemory | (OfSlot[N.A] ? HasSlot : 0);
  case ValueKind::Closure:
  case ValueKind::CopyOf:
    return HasMemory;
  case ValueKind::Memory:
    return N.B == TakenMemory ? HasSlot : 0;
  case ValueKind::DeviceRead:
  case ValueKind::Varying:
    return HasVarying | HasMeasured;
  case ValueKind::Init: {
    LocKind K = Locs[N.A].Kind;
    bool Named = K == LocKind::Global || K == LocKind::Field ||
                 K == LocKind::Elem || K == LocKind::Pointee;
    return (Named ? HasVarying : 0) | (OfSlot[N.A] ? HasSlot : 0);
  }
  case ValueKind::Phi:
    return HasMemory | HasVarying | HasMeasured |
           HasSlot; // its candidates are not known yet
  case ValueKind::Op:
    return (N.A == None ? 0 : Traits[N.A]) | (N.B == None ? 0 : Traits[N.B]);
  default:
    return 0;
  }
}

LocId Domain::loc(LocKind Kind, int64_t N, unsigned A, unsigned B,
                  llvm::StringRef S) {
  Key K{static_cast<uint8_t>(Kind), N, A, B, intern(S)};
  auto [It, New] = LocIds.try_emplace(K, Locs.size());
  if (New) {
    bool Part = Kind == LocKind::Field || Kind == LocKind::Elem;
    RootOf.push_back(Part ? RootOf[A] : Locs.size());
    OfSlot.push_back((Part && OfSlot[A]) ||
                     (Kind == LocKind::Elem && B != None && mentionsSlot(B)) ||
                     (Kind == LocKind::Pointee && mentionsSlot(A)));
    Locs.push_back({Kind, N, A, B, K.S});
  }
  return It->second;
}

ValueId Domain::target(ValueId V) const {
  if (Values[V].Kind != ValueKind::Phi || overflowed(V))
    return V;
  ValueId Only = None;
  for (ValueId Each : candidates(V))
    if (asInt(Each) != 0) {
      if (Only != None || Values[Each].Kind != ValueKind::Memory)
        return V;
      Only = Each;
    }
  return Only == None ? V : Only;
}

LocId Domain::pointee(ValueId V) {
  V = target(V);
  if (Values[V].Kind == ValueKind::Addr)
    return Values[V].A;
  if (Values[V].Kind == ValueKind::Closure)
    return Values[V].A;
  return loc(LocKind::Pointee, 0, V);
}

bool Domain::dependsOnSlot(ValueId Number) const {
  // Operands may be shared: each is examined once.
  llvm::SmallVector<ValueId, 8> Work{Number};
  llvm::SmallDenseSet<ValueId, 8> Seen;
  while (!Work.empty()) {
    ValueId Next = Work.pop_back_val();
    if (Next == None || !mentionsSlot(Next) || !Seen.insert(Next).second)
      continue;
    const ValueNode N = Values[Next];
    if (N.Kind == ValueKind::Memory)
      return true;
    if (N.Kind == ValueKind::Op)
      Work.append({N.A, N.B});
  }
  return false;
}

LocId Domain::element(LocId Base, ValueId Index, bool IsPointer) {
  std::optional<int64_t> I = Index == None ? std::nullopt : asInt(Index);
  // A negative number, the result of a search that fails, is not an index.
  if (Index != None && Values[Index].Kind == ValueKind::Phi &&
      !overflowed(Index)) {
    llvm::SmallVector<ValueId, 2> Slots;
    for (ValueId Each : candidates(Index))
      if (std::optional<int64_t> Number = asInt(Each); !Number || *Number >= 0)
        Slots.push_back(Each);
    if (Slots.size() == 1 && dependsOnSlot(Slots.front()))
      Index = Slots.front();
  }
  bool OfSlot = Index != None && !I && dependsOnSlot(Index);
  if (IsPointer) {
    LocNode B = Locs[Base];
    if (I && *I == 0)
      return Base;
    if (B.Kind == LocKind::Elem && Index != None && B.B != None &&
        dependsOnSlot(B.B))
      return loc(LocKind::Elem, 0, B.A, apply("+", B.B, Index));
    if (B.Kind == LocKind::Elem) {
      std::optional<int64_t> Old = B.B == None ? std::nullopt : asInt(B.B);
      return loc(LocKind::Elem, 0, B.A,
                 I && Old ? integer(static_cast<int64_t>(
                                static_cast<uint64_t>(*I) + *Old))
                          : None);
    }
  }
  return loc(LocKind::Elem, 0, Base, I || OfSlot ? Index : None);
}

ValueId Domain::apply(llvm::StringRef Op, ValueId A, ValueId B) {
  std::optional<int64_t> X = asInt(A);
  std::optional<int64_t> Y = B == None ? std::nullopt : asInt(B);
  if (B == None) {
    if (X) {
      if (Op == "!")
        return integer(!*X);
      if (Op == "bool")
        return integer(*X != 0);
      if (Op == "neg")
        return integer(static_cast<int64_t>(-static_cast<uint64_t>(*X)));
      if (Op == "~")
        return integer(~*X);
    }
    const ValueNode N = Values[A];
    if ((Op == "!" || Op == "bool") &&
        (N.Kind == ValueKind::Addr || N.Kind == ValueKind::Closure ||
         N.Kind == ValueKind::Function || N.Kind == ValueKind::Stream))
      return integer(Op == "bool");
    if (Op == "bool" && N.Kind == ValueKind::Op &&
        (text(N.S) == "!" || text(N.S) == "bool"))
      return A;
    return value(ValueKind::Op, 0, A, None, Op);
  }
  if (X && Y) {
    if (Op == "+")
      return integer(static_cast<int64_t>(static_cast<uint64_t>(*X) + *Y));
    if (Op == "-")
      return integer(static_cast<int64_t>(static_cast<uint64_t>(*X) - *Y));
    if (Op == "*")
      return integer(static_cast<int64_t>(static_cast<uint64_t>(*X) * *Y));
    if (Op == "/" && *Y && *Y != -1)
      return integer(*X / *Y);
    if (Op == "%" && *Y && *Y != -1)
      return integer(*X % *Y);
    if (Op == "|")
      return integer(*X | *Y);
    if (Op == "&")
      return integer(*X & *Y);
    if (Op == "^")
      return integer(*X ^ *Y);
    if (Op == "<<" && *X >= 0 && *X >> 31 == 0 && *Y >= 0 && *Y < 32)
      return integer(*X << *Y);
    if (Op == ">>" && *X >= 0 && *Y >= 0 && *Y < 63)
      return integer(*X >> *Y);
    if (Op == "==")
      return integer(*X == *Y);
    if (Op == "<")
      return integer(*X < *Y);
    if (Op == ">")
      return integer(*X > *Y);
    if (Op == "<=")
      return integer(*X <= *Y);
    if (Op == ">=")
      return integer(*X >= *Y);
  }
  // Adding zero changes nothing.
  auto IsZero = [&](ValueId V) {
    const ValueNode N = Values[V];
    return N.Kind == ValueKind::Op && text(N.S) == FloatOp && asInt(N.A) == 0;
  };
  if ((Op == "+" || Op == "-") && (Y == 0 || IsZero(B)))
    return A;
  if (Op == "&&" || Op == "||") {
    bool And = Op == "&&";
    for (auto [V, Other] : {std::pair(X, B), std::pair(Y, A)})
      if (V)
        return (*V != 0) == And ? apply("bool", Other, None) : integer(!And);
  }
  if (A == B && Values[A].Kind != ValueKind::Phi) {
    if (Op == "<=" || Op == ">=")
      return integer(1);
    if (Op == "<" || Op == ">")
      return integer(0);
  }
  if (Op == "!=")
    return apply("!", apply("==", A, B), None);
  if (Op == "==") {
    if (A == B && Values[A].Kind != ValueKind::Phi)
      return integer(1);
    // Objects created here are not null.
    auto NotNull = [&](ValueId V) {
      ValueKind K = Values[V].Kind;
      return K == ValueKind::Stream || K == ValueKind::Addr ||
             K == ValueKind::Closure || K == ValueKind::Function ||
             K == ValueKind::Graph || K == ValueKind::Exec;
    };
    if ((NotNull(A) && Y && *Y == 0) || (NotNull(B) && X && *X == 0))
      return integer(0);
    // Calls at different locations have created them; a pool may return one
    // stream repeatedly.
    auto IsCreated = [&](ValueId V) {
      return Values[V].Kind == ValueKind::Stream && text(Values[V].S).empty();
    };
    if (IsCreated(A) && IsCreated(B) && Values[A].N != Values[B].N)
      return integer(0);
    // Canonical order: constants on the right, otherwise the older value on the
    // left.
    if (Y ? false : X || A > B)
      std::swap(A, B);
  }
  return value(ValueKind::Op, 0, A, B, Op);
}

llvm::ArrayRef<ValueId> Domain::candidates(ValueId Phi) const {
  const PhiInfo *Info = phi(Phi);
  if (!Info || Info->Overflow)
    return {};
  return llvm::ArrayRef(Info->Candidates, Info->Count);
}

std::optional<double> Domain::asNumber(ValueId V) const {
  if (V == None)
    return std::nullopt;
  const ValueNode N = Values[V];
  if (N.Kind == ValueKind::Int)
    return static_cast<double>(N.N);
  if (N.Kind != ValueKind::Op || N.B != None || text(N.S) != FloatOp)
    return std::nullopt;
  std::optional<int64_t> Bits = asInt(N.A);
  return Bits ? std::optional<double>(
                    static_cast<float>(llvm::bit_cast<double>(*Bits)))
              : std::nullopt;
}

bool Domain::isNumbers(ValueId V) const {
  if (asNumber(V))
    return true;
  llvm::ArrayRef<ValueId> All = candidates(V);
  return !All.empty() && llvm::all_of(All, [&](ValueId Each) {
    return asNumber(Each).has_value();
  });
}

bool Domain::addCandidate(ValueId Phi, ValueId Candidate, bool Widen) {
  if (Candidate == Phi)
    return false;
  if (PhiOf[Phi] == None) {
    PhiOf[Phi] = Phis.size();
    Phis.emplace_back();
    Phis.back().Candidates = Arrays.Allocate<ValueId>(MaxCandidates);
  }
  // A phi of a few numbers is replaced by the numbers: it does not matter where
  // they met.
  if (Values[Candidate].Kind == ValueKind::Phi && isNumbers(Candidate)) {
    bool More = false;
    for (ValueId Each :
         llvm::SmallVector<ValueId, MaxCandidates>(candidates(Candidate)))
      More |= addCandidate(Phi, Each, Widen);
    return More;
  }
  PhiInfo &Info = Phis[PhiOf[Phi]];
  if (Info.Overflow ||
      llvm::is_contained(llvm::ArrayRef(Info.Candidates, Info.Count),
                         Candidate))
    return false;
  // Sums and unknown results contain no useful information.
  ValueKind K = Values[Candidate].Kind;
  Widen |=
      (K == ValueKind::Op || K == ValueKind::Opaque) && !isMeasured(Candidate);
  if (Widen || Info.Count == MaxCandidates) {
    Info.Overflow = true;
    return true;
  }
  Info.Candidates[Info.Count++] = Candidate;
  return true;
}

bool Domain::overflowed(ValueId Phi) const {
  const PhiInfo *Info = phi(Phi);
  return Info && Info->Overflow;
}

void Domain::visitTree(ValueId V,
                       llvm::function_ref<void(ValueId)> Visit) const {
  Depths Met;
  visitTree(V, Visit, 0, Met);
}

void Domain::visitTree(ValueId V, llvm::function_ref<void(ValueId)> Visit,
                       unsigned Depth, Depths &Met) const {
  if (V == None || Depth > 24)
    return;
  auto [It, New] = Met.try_emplace(V, Depth);
  if (!New && It->second <= Depth)
    return;
  It->second = Depth;
  if (New)
    Visit(V);
  const ValueNode N = Values[V]; // Visit may add values
  if (N.Kind == ValueKind::Op) {
    visitTree(N.A, Visit, Depth + 1, Met);
    visitTree(N.B, Visit, Depth + 1, Met);
  } else if (N.Kind == ValueKind::Phi) {
    for (ValueId C : candidates(V))
      visitTree(C, Visit, Depth + 8, Met);
  }
}

} // namespace cudagraph
