//===- Inputs.h - The inputs of an expression -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is a known number no longer shows its origin. The source does:
// the origins are the variables, members, and globals that an argument reads,
// even through local variables, parameters, and accessors.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_INPUTS_H
#define CUDAGRAPH_ANALYSIS_MODELS_INPUTS_H

#include "MemberPath.h"
#include "Model.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>

namespace cudagraph {

class Inputs : Part {
public:
  Inputs(Walk &W, Invoker &Calls) : Part(W), Calls(Calls) {}

  /// A place that was read.
  struct Input {
    LocId Place = None;
    /// The number or location of the elements of a container, not their
    /// contents.
    bool Extent = false;
    bool ByKey = false; ///< its element for a key
    /// Several of its values have the same result, as in a quotient or a
    /// condition.
    bool Lossy = false;
    /// The beginning of the call that took it out of a pool; 0 if there was
    /// none.
    unsigned TakenAt = 0;
  };
  using Places = llvm::SmallVector<Input, 4>;

  /// Returns the places that \p E of \p F reads, at most most(). \p Is is
  /// the kind of \p E.
  enum As : uint8_t {
    Value,    ///< a number or a pointer
    Object,   ///< the address of an object that is copied
    Test,     ///< a condition
    Identity, ///< a key: its contents, even if its address is passed
  };
  Places of(const Frame &F, ExprId E, State &S, As Is = Value);

  /// Returns the places that determine the location of \p Place of \p F, or the
  /// inputs of the address \p Place: the indexes of elements.
  Places ofAddress(const Frame &F, ExprId Place, State &S);

  /// Returns the places that determine which function, or which kernel, \p O
  /// calls: the contents of \p Choice, if that argument selects it.
  Places ofCallee(const Frame &F, const Op &O, State &S,
                  const CallArg *Choice = nullptr);

  /// Returns the places from which \p L was computed: a local variable or a
  /// parameter of \p F or of a caller.
  Places behind(const Frame &F, LocId L, State &S);

  /// The maximum number of places: all parts of a key matter.
  static constexpr unsigned most(As Is) { return Is == Identity ? 64 : 16; }

  /// If a function has more blocks than this, only its arguments are examined;
  /// the limit is lower for a condition, which then depends on many values.
  static constexpr unsigned MaxExamined = 48, MaxTested = 8;

private:
  /// The maximum length of a chain of local variables and parameters.
  static constexpr unsigned MaxHops = 48;

  struct Search {
    const Frame &Innermost;
    As Is = Value;
    Places Found = {};
    unsigned Looks = 0;
    /// The contents of the object that a pointer refers to are known: only the
    /// identity of the object matters.
    bool OnlyTarget = false;
    /// Where the path of the next place leads through the pointer there. The
    /// members of parameters may be places of their own; see
    /// Retained::Input::Passed.
    enum : uint8_t { Nowhere, InLocal, Anywhere } Through = Nowhere;
    bool Lossy = false; ///< of what is examined; see Input
    /// The part of the examined value, an object, that is read.
    MemberPath Path = {};
    /// Frames, and their expressions and variables, that were visited; with the
    /// numbers of the paths.
    llvm::SmallDenseSet<std::pair<const Frame *, uint64_t>, 16> Seen = {},
                                                                Vars = {};
    std::deque<Frame> Accessors = {};       ///< that were examined
    llvm::SmallVector<LocId, 8> Bound = {}; ///< their parameters
    /// The part that is read, as a part of the object that contains the value
    /// at \p Outer.
    MemberPath in(MemberPath Outer) const {
      Outer.append(Path);
      return Outer;
    }
    bool isSmall(const FlowGraph &Body) const {
      return Body.Blocks.size() <= (Is == Test ? MaxTested : MaxExamined);
    }
    bool isAccessor(const Frame *F) const {
      return llvm::any_of(Accessors, [&](const Frame &X) { return &X == F; });
    }
    void add(LocId L, bool Extent = false, bool ByKey = false,
             unsigned TakenAt = 0) {
      auto It =
          llvm::find_if(Found, [&](const Input &I) { return I.Place == L; });
      if (It != Found.end()) {
        It->ByKey |= ByKey;
        It->Lossy &= Lossy;
        It->TakenAt = It->TakenAt == TakenAt ? TakenAt : 0;
      } else if (Found.size() < most(Is)) {
        Found.push_back({L, Extent, ByKey, Lossy, TakenAt});
      }
    }
  };

  void visit(const Frame &F, ExprId E, State &S, unsigned Depth, Search &To);
  void visitCaptures(const Frame &F, ExprId Place, State &S, unsigned Depth,
                     Search &To, llvm::StringRef Name = {});
  void visitCapture(const Frame &F, llvm::StringRef Name, State &S,
                    unsigned Depth, Search &To);
  void visitElement(const Frame &F, const Expr &Tuple, State &S, unsigned Depth,
                    Search &To);
  void visitPlace(const Frame &F, ExprId P, State &S, unsigned Depth,
                  Search &To);
  void visitTarget(const Frame &F, ExprId P, State &S, unsigned Depth,
                   Search &To);
  bool isKnown(LocId L) const;
  unsigned takenAt(const Frame &F, ExprId P, const Search &To) const;
  void visitAddress(const Frame &F, ExprId P, State &S, unsigned Depth,
                    Search &To);
  void visitOwn(const Frame &F, llvm::ArrayRef<MemberStep> Path, State &S,
                unsigned Depth, Search &To);
  void visitExtent(const Frame &F, ExprId P, State &S, Search &To);
  void visitObject(const Frame &F, ExprId P, State &S, unsigned Depth,
                   Search &To);
  void visitLocal(const Frame &F, LocId L, State &S, unsigned Depth,
                  Search &To);
  void visitVariable(const Frame &F, const Expr &Root, State &S, unsigned Depth,
                     Search &To, bool Whole = false);
  void visitBranches(const Frame &F, unsigned Block, State &S, unsigned Depth,
                     Search &To);
  void visitResult(const Frame &F, int64_t Index, State &S, unsigned Depth,
                   Search &To);
  void visitArgument(const Frame &F, const CallArg &A, State &S, unsigned Depth,
                     Search &To);
  void visitWritten(const Frame &F, const Op &Call, unsigned Param, State &S,
                    unsigned Depth, Search &To);
  void visitPart(const Frame &F, ExprId Value, llvm::ArrayRef<MemberStep> Path,
                 State &S, unsigned Depth, Search &To);
  bool visitSet(const Frame &F, const Op &Call, llvm::ArrayRef<MemberStep> Path,
                State &S, unsigned Depth, Search &To);
  Frame &enter(const Frame &F, const Op &Call, FunctionId Callee,
               const FlowGraph &Body, State &S, Search &To);
  void leave(State &S, Search &To, size_t Bound);
  bool passesMember(const Frame &F, ExprId Pointer, State &S, unsigned Depth,
                    Search &To);
  void visitReturned(const Frame &F, const Op &Call, FunctionId Callee,
                     State &S, unsigned Depth, Search &To);

  Invoker &Calls;
};

/// True if one of the places is or may be the other, or a part of it: an object
/// that the analysis has lost track of may be any object of its class.
bool overlap(const Domain &D, LocId A, LocId B);

/// Returns true if \p L is in a temporary object that \p F itself creates; a
/// temporary that a caller creates may live longer.
inline bool isOwnTemporary(const Domain &D, const Frame &F, LocId L) {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind == LocKind::Temp && D.text(Root.S) != "heap" &&
         Root.A == F.Function;
}

/// Returns true if \p Value is the contents of a parameter, or of the object
/// that a parameter refers to.
inline bool isOfParameter(const FlowGraph &G, ExprId Value) {
  while (Value != None && (G.Exprs[Value].Kind == ExprKind::Load ||
                           G.Exprs[Value].Kind == ExprKind::Deref))
    Value = G.Exprs[Value].A;
  return Value != None && G.Exprs[Value].Kind == ExprKind::Var &&
         G.Exprs[Value].N < G.NumParams;
}

/// Returns true if \p L, at \p Place in \p F, is a part of the element that a
/// loop over a container visits, in \p F or in a caller that passes it as the
/// object.
bool isOfVisitedObject(Domain &D, const Frame &F, ExprId Place, LocId L);

/// True for the members of a pair, whose names do not identify the object.
bool isPairMember(llvm::StringRef Member);

/// True if \p Part is one member of \p Whole, which may have others.
bool isMemberOf(const Domain &D, LocId Part, LocId Whole);

/// The qualified name of the member or global \p L, or of the one that contains
/// the element \p L; empty for other locations.
llvm::StringRef stateName(const Domain &D, LocId L);

/// A number for the innermost member of \p L, or the global; 0 if there is
/// none.
unsigned nameOfPlace(const Domain &D, LocId L);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_INPUTS_H
