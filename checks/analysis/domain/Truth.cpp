//===- Truth.cpp - Facts of a state about conditions ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Truth.h.
//
//===----------------------------------------------------------------------===//

#include "Truth.h"
#include "Memory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using TruthMemo = llvm::SmallDenseMap<ValueId, std::optional<bool>, 8>;

static std::optional<bool> truthOf(Domain &D, const State &S, ValueId V,
                                   TruthMemo &Memo);

/// Values share operands, so each operand is evaluated only once for each
/// query. A value that a loop computes from itself is unknown.
static std::optional<bool> truth(Domain &D, const State &S, ValueId V,
                                 TruthMemo &Memo) {
  if (D[V].Kind != ValueKind::Op && D[V].Kind != ValueKind::Phi)
    return truthOf(D, S, V, Memo);
  if (auto [It, New] = Memo.try_emplace(V, std::nullopt); !New)
    return It->second;
  std::optional<bool> Result = truthOf(D, S, V, Memo);
  Memo[V] = Result;
  return Result;
}

/// The number \p V, according to the facts of \p S about its operands.
static std::optional<int64_t> numberOf(Domain &D, const State &S, ValueId V,
                                       unsigned Depth = 0) {
  if (V == None)
    return std::nullopt;
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Int)
    return N.N;
  if (std::optional<unsigned> Known = S.Equal.lookup(V))
    return D.asInt(*Known);
  if (N.Kind != ValueKind::Op || N.B == None || Depth > 8 || S.Equal.empty())
    return std::nullopt;
  std::optional<int64_t> A = numberOf(D, S, N.A, Depth + 1);
  std::optional<int64_t> B = A ? numberOf(D, S, N.B, Depth + 1) : std::nullopt;
  if (!A || !B)
    return std::nullopt;
  return D.asInt(D.apply(D.text(N.S), D.integer(*A), D.integer(*B)));
}

static std::optional<bool> truthOf(Domain &D, const State &S, ValueId V,
                                   TruthMemo &Memo) {
  const ValueNode N = D[V];
  if (std::optional<unsigned> Known = S.Facts.lookup(V))
    return *Known != 0;
  if (std::optional<unsigned> Known = S.Equal.lookup(V))
    return D.asInt(*Known).value_or(1) != 0;
  switch (N.Kind) {
  case ValueKind::Int:
    return N.N != 0;
  case ValueKind::Addr:
  case ValueKind::Closure:
  case ValueKind::Function:
  case ValueKind::Stream:
  case ValueKind::Event:
  case ValueKind::Handle:
  case ValueKind::Graph:
  case ValueKind::Exec:
    return true;
  case ValueKind::Memory:
    return N.B == PerhapsNull || N.B == TakenMemory ? std::nullopt
                                                    : std::optional(true);
  case ValueKind::Status:
    return false; // calls succeed; code after a failure is not replayed
  case ValueKind::Phi: {
    llvm::ArrayRef<ValueId> All = D.candidates(V);
    if (All.empty())
      return std::nullopt;
    std::optional<bool> First;
    for (ValueId C : All) {
      if (D[C].Kind == ValueKind::Phi)
        return std::nullopt;
      std::optional<bool> T = truth(D, S, C, Memo);
      if (!T || (First && *First != *T))
        return std::nullopt;
      First = T;
    }
    return First;
  }
  case ValueKind::Op: {
    llvm::StringRef Op = D.text(N.S);
    if (Op == "!") {
      std::optional<bool> T = truth(D, S, N.A, Memo);
      return T ? std::optional(!*T) : std::nullopt;
    }
    if (Op == "bool")
      return truth(D, S, N.A, Memo);
    if (std::optional<int64_t> Known = numberOf(D, S, V))
      return *Known != 0;
    if (Op == "|" && N.B != None) {
      std::optional<bool> A = truth(D, S, N.A, Memo),
                          B = truth(D, S, N.B, Memo);
      if (A == true || B == true)
        return true;
      if (A && B)
        return false;
    }
    std::optional<int64_t> C = N.B == None ? std::nullopt : D.asInt(N.B);
    if (!C && Op != "&&" && Op != "||")
      return std::nullopt;
    if (std::optional<unsigned> Known = S.Equal.lookup(N.A); Known && C) {
      ValueId Folded = D.apply(Op, *Known, N.B);
      if (std::optional<int64_t> R = D.asInt(Folded))
        return *R != 0;
    }
    if (Op == "==") {
      std::optional<bool> T = truth(D, S, N.A, Memo);
      if (*C == 0)
        return T ? std::optional(!*T) : std::nullopt;
      // Code for one particular error recovers from it.
      if (D[N.A].Kind == ValueKind::Status)
        return std::nullopt;
      if (T && !*T)
        return false; // zero is not C
      // A phi of constants, none of which is C.
      if (D[N.A].Kind == ValueKind::Phi) {
        bool Differ = !D.candidates(N.A).empty();
        for (ValueId X : D.candidates(N.A))
          Differ &= D.asInt(X).has_value() && D.asInt(X) != C;
        if (Differ)
          return false;
      }
      return std::nullopt;
    }
    if (Op == "&&" || Op == "||") {
      std::optional<bool> A = truth(D, S, N.A, Memo),
                          B = truth(D, S, N.B, Memo);
      bool And = Op == "&&";
      if ((A && *A != And) || (B && *B != And))
        return !And;
      if (A && B)
        return And;
    }
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<bool> truth(Domain &D, const State &S, ValueId V) {
  TruthMemo Known;
  return truth(D, S, V, Known);
}

bool isStatus(const Domain &D, ValueId V) {
  if (V == None)
    return false;
  bool Any = false;
  llvm::SmallVector<ValueId, 8> Work{V};
  for (unsigned I = 0; I < Work.size(); ++I) {
    ValueId At = Work[I];
    if (D[At].Kind == ValueKind::Status) {
      Any = true;
    } else if (D[At].Kind == ValueKind::Phi && !D.overflowed(At)) {
      for (ValueId Each : D.candidates(At))
        if (!llvm::is_contained(Work, Each))
          Work.push_back(Each);
    } else if (D.asInt(At) != 0) {
      return false;
    }
  }
  return Any;
}

bool accumulatesStatus(const Domain &D, ValueId V) {
  if (V == None || D[V].Kind != ValueKind::Op)
    return false;
  const ValueNode N = D[V];
  llvm::StringRef Op = D.text(N.S);
  if (N.B == None || !llvm::is_contained({"|", "||", "&", "&&", "+"}, Op))
    return false;
  if (Op == "|" && isStatus(D, N.B))
    return true;
  ValueId Operand = N.B;
  while (D[Operand].Kind == ValueKind::Op && D[Operand].B == None)
    Operand = D[Operand].A; // a conversion
  const ValueNode Test = D[Operand];
  return Test.Kind == ValueKind::Op && isStatus(D, Test.A) &&
         (D.text(Test.S) == "==" || D.text(Test.S) == "!=");
}

std::optional<bool> isStatusOf(const Domain &D, ValueId V, int64_t Call) {
  llvm::SmallVector<ValueId, 8> Work{V};
  llvm::SmallDenseSet<ValueId, 16> Seen;
  while (!Work.empty()) {
    ValueId At = Work.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    const ValueNode N = D[At];
    if (N.Kind == ValueKind::Op) {
      Work.push_back(N.A);
      if (N.B != None)
        Work.push_back(N.B); // the last one first
      continue;
    }
    std::optional<bool> Found;
    D.visitTree(At, [&](ValueId Part) {
      if (D[Part].Kind == ValueKind::Status)
        Found = Found.value_or(false) || D[Part].N == Call;
    });
    if (Found)
      return Found;
  }
  return std::nullopt;
}

bool isStable(const Domain &D, ValueId V) {
  bool Stable = true;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    Stable &= N.Kind == ValueKind::Int || N.Kind == ValueKind::Init ||
              N.Kind == ValueKind::Phi ||
              (N.Kind == ValueKind::Op && D.text(N.S) != "library");
  });
  return Stable;
}

bool isOfInputs(const Domain &D, ValueId V) {
  bool Only = true, Any = false;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    bool IsOp = N.Kind == ValueKind::Op;
    Any |= N.Kind == ValueKind::Init || (IsOp && D.text(N.S) == "aggregate");
    Only &= N.Kind == ValueKind::Init || N.Kind == ValueKind::Int ||
            N.Kind == ValueKind::Addr || (IsOp && D.text(N.S) != "library");
  });
  return Only && Any;
}

llvm::SmallVector<ValueId, 4> candidatesThatAre(Domain &D, const State &S,
                                                ValueId V, bool Truth) {
  llvm::SmallVector<ValueId, 4> Found;
  for (ValueId Each : llvm::SmallVector<ValueId, 8>(D.candidates(V))) {
    if (truth(D, S, Each) == !Truth)
      continue;
    bool Is = Truth;
    for (; D[Each].Kind == ValueKind::Op && D[Each].B == None; Each = D[Each].A)
      Is ^= D.text(D[Each].S) == "!";
    Found.push_back(Is ? Each : V);
  }
  return Found;
}

/// True if \p V is computed from an element with an unknown index: a later use
/// may read a different element.
static bool isOneOfSeveral(const Domain &D, ValueId V) {
  bool Found = false;
  D.visitTree(V, [&](ValueId Part) {
    Found |= D[Part].Kind == ValueKind::Init && isOfSomeElement(D, D[Part].A);
  });
  return Found;
}

/// \p Done: the values that have been handled, because operands may be shared.
static void assume(Domain &D, State &S, ValueId V, bool Truth,
                   llvm::SmallDenseSet<ValueId, 8> &Done) {
  if (!Done.insert(V).second)
    return;
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Int)
    return;
  S.Facts.set(V, Truth);
  if (N.Kind != ValueKind::Op)
    return;
  llvm::StringRef Op = D.text(N.S);
  if (Op == "!")
    assume(D, S, N.A, !Truth, Done);
  else if (Op == "is on device" && !Truth)
    S.Mem.set(D.slot(Slot::HostPath), D.integer(1));
  else if (Op == "bool")
    assume(D, S, N.A, Truth, Done);
  else if (Op == "==" && D.asInt(N.B)) {
    if (Truth && !isOneOfSeveral(D, N.A))
      S.Equal.set(N.A, N.B);
    // The tensor is on the host, or on a device without CUDA.
    if (D[N.A].Kind == ValueKind::Op && D.text(D[N.A].S) == "device type of" &&
        llvm::is_contained(Truth ? D.Numbers.HostDevices
                                 : D.Numbers.CudaDevices,
                           *D.asInt(N.B)))
      S.Mem.set(D.slot(Slot::HostPath), D.integer(1));
    if (D.asInt(N.B) == 0)
      assume(D, S, N.A, !Truth, Done);
    else if (Truth)
      assume(D, S, N.A, true, Done);
  } else if (Op == "&&" || Op == "||") {
    bool And = Op == "&&";
    if (Truth == And) {
      assume(D, S, N.A, Truth, Done);
      assume(D, S, N.B, Truth, Done);
    } else if (truth(D, S, N.A) == And) {
      assume(D, S, N.B, Truth, Done);
    } else if (truth(D, S, N.B) == And) {
      assume(D, S, N.A, Truth, Done);
    }
  }
}

void assume(Domain &D, State &S, ValueId V, bool Truth) {
  llvm::SmallDenseSet<ValueId, 8> Done;
  assume(D, S, V, Truth, Done);
}

} // namespace cudagraph
