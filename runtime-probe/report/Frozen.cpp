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

/// A value that a node retains, in words.
struct Part {
  std::string Name, Value;
  std::vector<uint64_t> Addresses; ///< in it
  std::string Rest;                ///< the value without them
};

/// True for values that are neither small numbers nor too large for a pointer
/// of a process.
bool mayBeAddress(uint64_t Word) { return Word >> 32 && !(Word >> 48); }

/// A number if the argument has the size of one; otherwise, the bytes in memory
/// order.
Part argument(size_t Index, StringRef Hex) {
  Part P{"argument " + std::to_string(Index), "", {}, ""};
  std::string Bytes;
  bool Valid = tryGetFromHex(Hex, Bytes);
  std::string Rest = Bytes;
  for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word = 0;
    for (size_t I = 8; I-- > 0;)
      Word = Word << 8 | static_cast<unsigned char>(Bytes[At + I]);
    if (!mayBeAddress(Word))
      continue;
    P.Addresses.push_back(Word);
    std::fill_n(Rest.begin() + static_cast<ptrdiff_t>(At), 8, '\0');
  }
  P.Rest = Valid ? Rest : Hex.str();
  if (!Valid || !isPowerOf2_64(Bytes.size()) || Bytes.size() > 8) {
    constexpr size_t Shown = 64;
    P.Value = "bytes " + Hex.take_front(Shown).str() +
              (Hex.size() > Shown ? "..." : "");
    return P;
  }
  std::reverse(Bytes.begin(), Bytes.end());
  P.Value = "0x" + toHex(Bytes, /*LowerCase=*/true);
  return P;
}

Part address(const char *Name, const std::string &Value) {
  uint64_t Number = 0;
  StringRef(Value).getAsInteger(0, Number);
  return {Name, Value, {Number}, ""};
}

Part plain(const char *Name, std::string Value) {
  return {Name, Value, {}, Value};
}

/// The values that a node has frozen, always in the same order.
std::vector<Part> parts(const TraceNode &N) {
  if (N.Type == "kernel") {
    std::vector<Part> Out = {plain("grid", dimension(N.Grid)),
                             plain("block", dimension(N.Block)),
                             plain("shared memory", std::to_string(N.Shared))};
    for (const auto &[Index, Arg] : enumerate(N.Args))
      Out.push_back(argument(Index, Arg));
    return Out;
  }
  if (N.Type == "memcpy")
    return {address("source", N.Source), address("destination", N.Destination),
            plain("size", std::to_string(N.Bytes)),
            plain("direction", N.CopyKind)};
  if (N.Type == "memset")
    return {address("destination", N.Destination), plain("value", N.Value),
            plain("size", std::to_string(N.Bytes))};
  if (N.Type == "host")
    return {plain("function", std::to_string(N.Function.Module) + ":0x" +
                                  utohexstr(N.Function.Offset, true)),
            address("user data", N.Data)};
  return {};
}

bool sameShape(const TraceNode &A, const TraceNode &B) {
  return A.Type == B.Type && A.Name == B.Name && A.Args.size() == B.Args.size();
}

/// True if the address belongs to memory that was allocated during a capture.
bool isPooled(ArrayRef<TraceRange> Pool, uint64_t Address) {
  return any_of(Pool, [&](const TraceRange &R) { return R.holds(Address); });
}

/// The addresses of one capture, which is compared with many others.
struct Addresses {
  const TraceEvent *Of = nullptr;
  struct Word {
    uint64_t Value;
    bool Pooled;
  };
  /// By node and part.
  std::vector<std::vector<std::vector<Word>>> Nodes;

  explicit Addresses(const TraceEvent &E) : Of(&E) {
    for (const TraceNode &N : E.Nodes) {
      auto &Parts = Nodes.emplace_back();
      for (const Part &P : parts(N)) {
        auto &Words = Parts.emplace_back();
        for (uint64_t Value : P.Addresses)
          Words.push_back({Value, isPooled(E.Pool, Value)});
      }
    }
  }
};

/// True if two captures concern the same code and data: most of the addresses
/// are the same. Layers that are captured at one location have different
/// weights, so their other differences are not inputs that change.
bool sameObject(const Addresses &A, const Addresses &B) {
  constexpr size_t Enough = 1024; // enough to be fast on large captures
  size_t Same = 0, All = 0;
  for (size_t I = 0; I < std::min(A.Nodes.size(), B.Nodes.size()); ++I) {
    if (All >= Enough || !sameShape(A.Of->Nodes[I], B.Of->Nodes[I]))
      break;
    for (const auto &[P, Q] : zip(A.Nodes[I], B.Nodes[I]))
      for (const auto &[X, Y] : zip(P, Q))
        if (!X.Pooled && !Y.Pooled) {
          ++All;
          Same += X.Value == Y.Value;
        }
  }
  return Same * 2 > All || !All;
}

/// True if \p P and \p Q differ in more than addresses of a pool.
bool differ(const Part &P, const Part &Q, ArrayRef<TraceRange> Pool) {
  if (P.Rest != Q.Rest || P.Addresses.size() != Q.Addresses.size())
    return true;
  return any_of(zip(P.Addresses, Q.Addresses), [&](const auto &Pair) {
    auto [X, Y] = Pair;
    return X != Y && !isPooled(Pool, X) && !isPooled(Pool, Y);
  });
}

/// One change in words: "argument 1 of kernel 'scale(float*, int)' (0x4, 0x8)".
std::string inWords(const Change &C) {
  std::string Text = C.What;
  if (!C.Type.empty())
    Text += " of " + C.Type;
  if (!C.Function.empty())
    Text += " '" + C.Function + "'";
  return Text + " (" + join(C.Values, C.What == "topology" ? "; " : ", ") + ")";
}

} // namespace

void ProcessAnalysis::frozen() {
  // Indexed by the call path of the begin call in the source, so that a loop
  // that the compiler has unrolled is one location.
  using Path = std::vector<std::tuple<std::string, unsigned, std::string>>;
  struct Object {
    Addresses First;
    std::vector<const State *> Captures;
  };
  std::map<Path, std::vector<Object>> Groups;
  std::vector<Path> Order;
  for (const auto &[Id, C] : States) {
    if (!C.End || !C.End->HasGraph || C.End->Code || !C.Begin->Stack ||
        !P.Stacks.count(*C.Begin->Stack))
      continue;
    Path Here;
    const Stack &At = S.resolve(C.Begin->Stack);
    for (const Frame &F : At.Frames)
      if (isUserFrame(F))
        Here.emplace_back(F.File.empty() ? F.Module : F.File, F.Line,
                          F.Function);
    for (const PythonFrame &F : At.Python)
      Here.emplace_back(F.File, F.Line, F.Function);
    auto &Objects = Groups[Here];
    if (Objects.empty())
      Order.push_back(Here);
    Addresses Mine(*C.End);
    auto It = find_if(
        Objects, [&](const Object &O) { return sameObject(O.First, Mine); });
    if (It == Objects.end())
      It = Objects.insert(It, {std::move(Mine), {}});
    It->Captures.push_back(&C);
  }
  for (const Path &Each : Order)
    for (const Object &O : Groups[Each])
      if (O.Captures.size() > 1)
        compare(O.Captures);
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
      std::vector<std::vector<Part>> Others;
      for (const State *Other : Group)
        Others.push_back(parts(Other->End->Nodes[Index]));
      for (const auto &[Number, First] : enumerate(parts(Node))) {
        bool Differs = any_of(Others, [&](const std::vector<Part> &Other) {
          return differ(First, Other[Number], Group.back()->End->Pool);
        });
        if (!Differs)
          continue;
        Change C;
        C.Node = static_cast<unsigned>(Index);
        C.Type = Node.Type;
        if (!Node.Name.empty())
          C.Function = demangled(Node.Name);
        C.What = First.Name;
        C.At = S.resolve(Node.Stack);
        for (const std::vector<Part> &Other : Others)
          Note(C, Other[Number].Value);
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
  std::string Text =
      std::to_string(Group.size()) + " captures that begin here ";
  Text += Topology ? "resulted in graphs of different shapes: "
                   : "differ in " + inWords(Changes.front());
  if (Topology)
    Text += join(Changes.front().Values, "; ");
  if (size_t More = Changes.size() - 1)
    Text += " and " + std::to_string(More) + " more " +
            (More == 1 ? "value" : "values");
  size_t Index =
      add(kind::Frozen, *Group.front()->Begin,
          Text + "; each graph replays the values of its own capture", Traced);
  R.Findings[Index].Times = 1;
  append_range(R.Findings[Index].Changes, Changes);
}

} // namespace cudagraph::probe
