//===- CaptureModel.h - Begins and ends of captures -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Model.h. A function that returns on some paths with a capture open leaks
// the capture.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_CAPTUREMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_CAPTUREMODEL_H

#include "Model.h"

namespace cudagraph {

/// Returns the functions that \p O may call, according to its declaration.
llvm::SmallVector<FunctionId, 4> calleesByName(Program &Table, const Op &O);

class CaptureModel : public Model {
public:
  using Model::Model;

  Then apply(Call &C, State &S) override;

  /// True if the begin call \p C is not reported: it is always refused, or part
  /// of a loop. Lowers its confidence if the active capture may have ended.
  bool isSilent(Call &C, const State &S);

  /// Handle the constructor and the destructor of a user-declared region.
  void regionScope(Frame &F, const Op &O, State &S, const FunctionInfo &Info,
                   llvm::ArrayRef<ValueId> Args);

  /// Handle a comment that begins or ends a region.
  void markerBegin(Frame &F, const Op &O, State &S, ValueId Stream);
  void markerEnd(Frame &F, const Op &O, State &S);

  /// Undoes the effect of a mode guard's constructor.
  bool restoreMode(State &S, ValueId This);

  /// Handles an exception from function \p F at \p Throw: its call in the
  /// function that contains the begin call leaves the capture open, unless a
  /// handler there ends it.
  void noteThrown(const Frame &F, Span Throw, const State &S);

  /// The form of an exit from a function.
  struct ExitPath {
    bool Unwalked = false; ///< on a path that only failures take
    bool ByItself = false; ///< the failure is not from CUDA
    Span Thrown;           ///< the location, if a call throws
    FunctionId In = None;  ///< the function that contains Thrown
    Span Branch{};         ///< the condition that leads to it on a failure
    /// The caller that is responsible for the end; null: the function itself.
    const Frame *Of = nullptr;
  };

  /// Handles a return or a throw during a capture that this function began. It
  /// is a leak if other paths end the capture; whether they do is known only at
  /// the end of the walk.
  void noteOpenReturn(const Frame &F, const Op &O, const State &S,
                      const ExitPath &Exit);

  /// Notes what is known at the return \p O, and the condition \p Cond of a
  /// branch, for returnsApart().
  void noteReturn(const Frame &F, const Op &O, const State &S) const;
  void noteAsked(const Frame &F, const State &S, ValueId Cond) const;

  /// True if a condition distinguishes the paths to the return at \p Where with
  /// an open capture from those without one. Such a condition decides whether
  /// the function begins and ends the capture.
  static bool returnsApart(const Returns &Left, unsigned Where);

  /// Examines the path that a failed call takes, which is not walked.
  void noteFailureExit(Frame &F, const State &S, ValueId Cond, unsigned Block);

  /// True if the condition of the current block is the result of a call in this
  /// block that does not depend on whether there is a capture.
  bool asksForLaterCall(const Frame &F, const State &S) const;

  /// Makes the call at \p O, in \p F, the beginning of the captures that its
  /// callee opened.
  void reroot(const Frame &F, const Op &O, const State &Before, State &After);

private:
  bool isUnseen(const Op &O) const;
  bool begin(Call &C, State &S);
  void open(Frame &F, const Op &O, State &S, CaptureRecord R);
  void refuse(Call &C, State &S, CaptureRecord R);
  CaptureRecord recordOf(const Call &C, const State &S);
  CaptureId end(Call &C, State &S);
  void destroyed(Call &C, State &S);
  bool query(Call &C, State &S);
  void exchangeMode(Call &C, State &S);
  void noteModeLeft(const Frame &F, const Op &O, const State &S) const;
  void noteModeAfterFailure(const Frame &F, const State &S, unsigned At) const;
  ValueId statusOf(const Call &C, State &S);
  bool endsProgram(const Frame &F, const Op &Site) const;
  /// The handler of an exception during a capture.
  enum class Catcher {
    Uncaught,
    Ends,  ///< it ends the capture
    Leaves ///< it does not
  };
  Catcher catcherOf(const Frame &F, const Op &O) const;
  bool handlerEnds(const FlowGraph &G, unsigned Try) const;
  bool comesFromBegin(const Frame &F, const CaptureRecord &R) const;
  bool asksForOwnFailure(const Frame &F, const Block &B) const;
  bool failsByItself(FunctionId Callee, unsigned Depth) const;
  void noteUnchecked(Call &C, State &S);
  void noteForCallers(const Call &C, const State &S);
  void noteOtherObjects(const Call &C, const State &S);
  std::optional<ThreadCall> callOfThreads(const std::string &Class) const;
  std::optional<ThreadCall> unsafeCallIn(FunctionId Body) const;
  void closeInnermost(Frame &F, const Op &O, State &S, RootKind Root);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CAPTUREMODEL_H
