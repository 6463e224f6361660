//===- ThreadModel.h - Threads concurrent with a capture --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that is started in a capture, or is alive when one begins, may call
// CUDA during it. Its body is walked as code of another thread; the only effect
// on the state is which captures are still active.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_THREADMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_THREADMODEL_H

#include "Model.h"

namespace cudagraph {

class ThreadModel : public Model {
public:
  using Model::Model;

  Then apply(Call &C, State &S) override;
  void captureBegan(Frame &F, const Op &O, State &S) override;

  /// Records that the call \p O stores \p V at \p L: a thread that takes
  /// callables from there may call it.
  void stored(Frame &F, const Op &O, State &S, LocId L, ValueId V);

  /// Handles \p C, which waits for another thread: that thread may end the
  /// capture of \p S.
  void awaited(const Call &C, State &S);

  /// Handles \p C, which wakes a thread that waits for it: the thread's next
  /// calls are made during the capture of \p S.
  void signaled(const Call &C, State &S);

  /// Records that the thread whose future is at \p L has ended: the future
  /// returned its result, or is destroyed.
  void finish(State &S, LocId L) {
    if (!S.Threads.empty())
      S.Threads.erase(read(D, S, L));
  }

  /// True if \p C starts a thread that ends the captures of other threads, or
  /// waits for such a thread.
  bool isEnding(const Call &C, const State &S);
  /// True if \p C waits for a thread that has begun captures that other threads
  /// end: they record the work of that thread.
  bool awaitsBegin(const Call &C, const State &S);

  /// True if \p C starts a thread, or waits for one, that uses the device and
  /// waits for it: afterwards, the data for the capture exists.
  bool isLoading(const Call &C, const State &S);

  /// True if \p C starts a thread that the next call, or the end of its
  /// lifetime, joins.
  bool isJoinedNext(const Call &C) const;
  /// Walks the code of the thread that \p C starts, for which isJoinedNext() is
  /// true. \returns the states after that code.
  States runToEnd(Call &C, State S);

  /// True if \p C is a call made by a thread that was alive when a capture
  /// began, and the program may separate it from the capture.
  bool mayBeOrdered(const Call &C, const State &S) const;

  /// Moves the threads of \p From to \p To; None: to an unknown object.
  void move(State &S, llvm::ArrayRef<ValueId> From, ValueId To) {
    for (ValueId Each : S.Threads.empty() ? llvm::ArrayRef<ValueId>() : From)
      moveOne(S, Each, To);
  }

private:
  void moveOne(State &S, ValueId From, ValueId To);
  /// The key in State::Threads of the thread that \p From stands for; None if
  /// there is none. \p IsThread: From is the address of a thread object.
  ValueId threadAt(const State &S, ValueId From, bool IsThread = false);
  void start(Call &C, State &S, ValueId Object);
  std::optional<size_t> callableOf(const Call &C, const State &S);
  ValueId awaitedBody(const Call &C, const State &S);
  uint16_t boundsIn(ValueId Body) const;
  bool endsCaptures(ValueId Body) const;
  void takeOver(Frame &F, const Op &O, State &S, ValueId Callable,
                llvm::ArrayRef<ValueId> Args);
  bool usesWhatEnded(const State &S, ValueId Body) const;
  void leave(State &S, const Captures &Ended);
  ValueId handleOf(const Call &C) const;
  States runInCapture(Frame &F, const Op &O, State &S, ValueId Callable,
                      llvm::ArrayRef<ValueId> Args);
  States run(Frame &F, const Op &O, const State &S, ValueId Callable,
             llvm::ArrayRef<ValueId> Args, bool Other = true);

  // ThreadOrder.cpp
  bool isLocked(const Frame &F, const Op &O, const Frame *Above) const;
  bool signalsAfter(const FlowGraph &G, unsigned At, const Op &O) const;
  bool isAnnounced(const Call &C) const;
  ValueId signalOf(const Call &C) const;
  bool isWoken(const Call &C) const;
  bool beginsLocked(const Frame &F, const Op &O, const State &S) const;

  /// While the threads that are alive at the beginning of a capture are walked,
  /// the frame that begins it; else null.
  const Frame *Beside = nullptr;
  bool BeginsLocked = false; ///< that frame may hold a lock
  /// The address of the object whose signal wakes the walked threads; None when
  /// a capture begins.
  ValueId Woken = None;
  /// A thread ends captures that other threads begin.
  bool EndsOfOthers = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_THREADMODEL_H
