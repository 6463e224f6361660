//===- Model.h - What all models share --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model knows one subject: captures, streams, memory. It changes the state
// as a call of its subject does. A model calls no other model: they meet in the
// state, and in the events that Listener names.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_MODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_MODEL_H

#include "Conditions.h"
#include "Variations.h"
#include "analysis/domain/Truth.h"
#include "analysis/timeline/Timeline.h"

namespace cudagraph {

/// The interpreter, as models see it.
class Invoker {
public:
  virtual ~Invoker() = default;

  /// Returns the location that \p Place of \p F means.
  virtual LocId evalPlace(const Frame &F, ExprId Place, State &S) = 0;

  /// Calls \p Callable, or \p Fallback on \p FallbackThis if it says nothing.
  virtual States callValue(Frame &F, const Op &O, State S, ValueId Callable,
                           llvm::ArrayRef<ValueId> Args, FunctionId Fallback,
                           ValueId FallbackThis) = 0;

  /// Calls every callable among \p Args, as an algorithm does before it
  /// returns.
  virtual States invokeCallables(Frame &F, const Op &O, State S,
                                 llvm::ArrayRef<ValueId> Args) = 0;
};

/// What a model does that others have to know of.
class Listener {
public:
  virtual ~Listener() = default;

  /// A capture begins.
  virtual void captureBegan(Frame &, const Op &, State &) {}

  /// Capture \p C is about to end, by a call of \p E, or without a call.
  virtual void captureEnds(Frame &, const Op &, State &, CaptureId,
                           const catalogue::Entry *) {}

  /// Capture \p C is not active any more.
  virtual void captureLeft(State &, CaptureId) {}

  /// Capture \p C has ended with a graph.
  virtual void captureEnded(State &, CaptureId) {}
};

/// What all models use; none of it belongs to a subject.
struct Services {
  Services(Walk &W, Invoker &Calls, Listener &Others)
      : W(W), Facts(W), Times(W, Facts), Streams(W), Tensors(W, Streams),
        When(W, Streams, Tensors), Varies(W, Facts), Calls(Calls),
        Others(Others) {}

  Walk &W;
  Sink Facts;
  Timeline Times;
  StreamView Streams;
  TensorTraits Tensors;
  Conditions When;
  Variations Varies;
  Invoker &Calls;
  Listener &Others;
};

class Model : public Listener, protected Part {
public:
  explicit Model(Services &Use)
      : Part(Use.W), Use(Use), Facts(Use.Facts), Streams(Use.Streams) {}

  /// What comes after a call.
  enum class Then {
    Follow, ///< what follows any call: see after()
    Stop,   ///< nothing: all is said
    Throw,  ///< the call does not return
  };

  /// Does to \p S what a call of an effect of this subject does.
  virtual Then apply(Call &, State &) { return Then::Follow; }

  /// What follows a call, of whatever effect; in the order of the models.
  virtual void after(Call &, State &) {}

protected:
  /// Puts \p V where \p Pointer points to, unless it is null or not known.
  void store(State &S, ValueId Pointer, ValueId V) {
    if (Pointer != None && D.asInt(Pointer) != 0)
      assign(D, S, D.pointee(Pointer), V);
  }
  ValueId held(const State &S, ValueId V) { return heldBy(D, S, V); }

  Services &Use;
  Sink &Facts;
  StreamView &Streams;
};

/// The queue of jobs that \p L is, or is a part of; nullptr if it is none.
const JobQueue *jobQueueAt(const Domain &D, const Relevance &Rel, LocId L);

/// Makes \p V what the call at \p O returns.
void setResult(Domain &D, const Frame &F, const Op &O, State &S, ValueId V);

/// What the library function \p Callee returns, as far as it depends on its
/// arguments; None if nothing is known of them.
ValueId libraryResult(Domain &D, const State &S, FunctionId Callee,
                      llvm::ArrayRef<ValueId> Args);

/// Adds \p H, on \p Stream, to the timeline; None: the host does it.
void happen(Services &Use, const Frame &F, const State &S, Happening H,
            ValueId Stream, bool PerThread);

/// True if a function that began capture \p R in an earlier call is called once
/// more on the way to \p F, which is not behind the begin there: in a state
/// machine, other steps are no part of the captured work.
bool isLaterStep(Walk &W, const Frame &F, const CaptureRecord &R);

/// The capture that the stream of \p C belongs to, else the innermost.
CaptureId captureOf(Services &Use, const Call &C, const State &S);

/// What is known of the call \p C in capture \p Of.
Fact factOf(Services &Use, const Call &C, const State &S, CaptureId Of);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_MODEL_H
