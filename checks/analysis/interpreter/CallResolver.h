//===- CallResolver.h - Finding callees -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that a call may reach: the declared one, overriders, and the
// contents of a function pointer or a std::function. A callee that is not
// visible changes the objects to which its arguments point and may have joined
// the streams that it received.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_CALLRESOLVER_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_CALLRESOLVER_H

#include "CallKey.h"
#include "Evaluator.h"
#include "ModelSet.h"
#include "analysis/domain/Earlier.h"
#include <map>
#include <set>

namespace cudagraph {

/// The effects of a walk of a function, and its result.
struct Exit {
  State S;
  ValueId Returned;
  /// The items of State::Changes that the walk has removed.
  std::vector<unsigned> Settled = {};
};
using Exits = std::vector<Exit>;

/// Walks the flow graph of a frame.
class Walker {
public:
  virtual ~Walker() = default;
  virtual Exits walk(const Frame &Caller, State Entry) = 0;
};

class CallResolver : public Invoker, Part {
public:
  CallResolver(Walk &W, Walker &Bodies);

  ModelSet Models;
  Evaluator Values;

  /// Executes the call \p O.
  States call(Frame &F, const Op &O, State S);

  States callValue(Frame &F, const Op &O, State S, ValueId Callable,
                   llvm::ArrayRef<ValueId> Args, FunctionId Fallback,
                   ValueId FallbackThis) override;
  States invokeCallables(Frame &F, const Op &O, State S,
                         llvm::ArrayRef<ValueId> Args) override;
  LocId evalPlace(const Frame &F, ExprId Place, State &S) override {
    return Values.evalPlace(F, Place, S);
  }

private:
  /// One callee that a call may have.
  struct Target {
    FunctionId Callee = None;
    ValueId This = None;
    llvm::ArrayRef<ValueId> Args;
    bool Uncertain = false; ///< one of several
  };
  // Callables.cpp
  /// Where the functions that a value may stand for were found.
  enum class TargetSource : uint8_t {
    Value,  ///< the value names them
    Member, ///< they are stored in the member or global it was read from
    Named,  ///< they are stored in the member that the call names
    Type,   ///< they are converted to its type
  };
  const WriteSummary *storedAt(ValueId Callable) const;
  llvm::SmallVector<ValueId, 4> targetsOf(const FlowGraph &G, const Op &O,
                                          ValueId Callable, bool MayBeStored,
                                          TargetSource &Source);
  bool enqueuesWork(FunctionId Callee) const;
  bool enqueuesWork(const FlowGraph &G, const Op &O, ValueId Callable);
  bool fitsTable(const State &S, LocId Holder, ValueId Function) const;
  FunctionId overriderFor(const State &S, ValueId This,
                          llvm::ArrayRef<FunctionId> Targets) const;
  llvm::ArrayRef<ValueId> objectsOf(ValueId This) const;
  bool fitsClass(FunctionId Known, FunctionId Method) const;
  States callVirtual(Frame &F, const Op &O, State S, const Target &To);
  States dispatch(Frame &F, const Op &O, State S, const Target &To);
  States callCatalogued(Frame &F, const Op &O, State S, const Target &To,
                        const catalogue::Entry &E);
  States callBody(Frame &F, const Op &O, State S, const Target &To);
  ValueId propertyOf(const Frame &F, const Op &O, const State &S,
                     const Target &To);
  States callSystem(Frame &F, const Op &O, State S, const Target &To);
  States enter(Frame &F, const Op &O, State S, const Target &To);
  State cut(const Frame &F, const Op &O, State S, const CallKey &Key,
            FunctionId Callee, bool Cut);
  void completeCopies(const State &S, const CallKey &Key, State &R) const;
  State returnTo(const Frame &F, const Op &O, const State &S,
                 const CallKey &Key, FunctionId Callee, const Exit &E);
  void recheck(const Frame &Inner, const CallKey &Key, const Exits &Known);
  bool isWorthEntering(const State &S, const Target &To);
  bool isSeenElsewhere(const Frame &F, const State &S, FunctionId Callee);
  void noteAsked(const Op &O, State &S, const Target &To);
  void noteUnsafe(Frame &F, const Op &O, State &S, const FunctionInfo &Info);

  States callSurely(Frame &F, const Op &O, State S);

  // OpaqueCalls.cpp
  void callOpaque(Frame &F, const Op &O, State &S, FunctionId Callee,
                  llvm::ArrayRef<ValueId> Args);
  void forgetArgument(const Frame &F, const Op &O, State &S, unsigned I,
                      ValueId V, bool Known);
  bool worksInside(const Frame &F, const State &S, const Target &To,
                   const catalogue::Entry &E);
  void noteStreams(const Op &O, const State &S, const FunctionInfo *Info,
                   llvm::ArrayRef<ValueId> Args, ValueId Returned);
  void noteMeasured(const Frame &F, const Op &O, State &S,
                    const FunctionInfo &Info, llvm::ArrayRef<ValueId> Args);
  void noteOpaque(Frame &F, const Op &O, State &S, FunctionId Callee,
                  llvm::ArrayRef<ValueId> Args);
  void noteHidden(Frame &F, const Op &O, State &S, FunctionId Callee,
                  llvm::ArrayRef<ValueId> Args);
  void passUnparsed(State &S, FunctionId Callee) const;
  void skip(const Frame &F, const Op &O, State &S, FunctionId Callee,
            llvm::ArrayRef<ValueId> Args);
  /// The result of an unknown call. Outside captures, it is older than any
  /// capture that follows.
  ValueId unknownResult(const Frame &F, const Op &O, const State &S) {
    return D.opaque(Domain::site(F.Function, O.ResultIndex,
                                 S.Active.empty() ? EarlierResult : AnyResult));
  }

  Walker &Bodies;
  Widening Wide;
  std::map<CallKey::Digest, Exits> Memo;
  std::set<CallKey::Digest> InProgress;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_CALLRESOLVER_H
