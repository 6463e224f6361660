//===- Model.h - The common part of all models ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model covers one subject, such as captures, streams, or memory. It changes
// the state according to a call that belongs to its subject. A model never
// calls another model: the models share the state and the events of Listener.
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

  /// Returns the location that \p Place of \p F denotes.
  virtual LocId evalPlace(const Frame &F, ExprId Place, State &S) = 0;

  /// Calls \p Callable, or, if it is unknown, \p Fallback on \p FallbackThis.
  virtual States callValue(Frame &F, const Op &O, State S, ValueId Callable,
                           llvm::ArrayRef<ValueId> Args, FunctionId Fallback,
                           ValueId FallbackThis) = 0;

  /// Calls every callable among \p Args, as an algorithm does before it
  /// returns.
  virtual States invokeCallables(Frame &F, const Op &O, State S,
                                 llvm::ArrayRef<ValueId> Args) = 0;
};

/// Events of one model that concern others.
class Listener {
public:
  virtual ~Listener() = default;

  /// Called when a capture begins.
  virtual void captureBegan(Frame &, const Op &, State &) {}

  /// Called when capture \p C is about to end, through a call to \p E or
  /// without a call.
  virtual void captureEnds(Frame &, const Op &, State &, CaptureId,
                           const catalogue::Entry *) {}

  /// Called when capture \p C is no longer active.
  virtual void captureLeft(State &, CaptureId) {}

  /// Called when capture \p C has ended with a graph.
  virtual void captureEnded(State &, CaptureId) {}
};

/// Functions that all models use and that belong to no subject.
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

  /// The processing after a call.
  enum class Then {
    Follow, ///< the steps after any call: see after()
    Stop,   ///< nothing: everything is done
    Throw,  ///< the call does not return
  };

  /// Applies to \p S the effect of a call that belongs to this subject.
  virtual Then apply(Call &, State &) { return Then::Follow; }

  /// Takes the steps after a call with any effect; called in the order of the
  /// models.
  virtual void after(Call &, State &) {}

protected:
  /// Stores \p V at the target of \p Pointer, unless it is null or unknown.
  void store(State &S, ValueId Pointer, ValueId V) {
    if (Pointer != None && D.asInt(Pointer) != 0)
      assign(D, S, D.pointee(Pointer), V);
  }
  ValueId held(const State &S, ValueId V) { return heldBy(D, S, V); }

  Services &Use;
  Sink &Facts;
  StreamView &Streams;
};

/// The job queue at \p L, or the one that contains \p L; nullptr if there is
/// none.
const JobQueue *jobQueueAt(const Domain &D, const Relevance &Rel, LocId L);

/// Makes \p V the result of the call at \p O.
void setResult(Domain &D, const Frame &F, const Op &O, State &S, ValueId V);

/// The result of the library function \p Callee, as far as it depends on its
/// arguments; None if they are unknown.
ValueId libraryResult(Domain &D, const State &S, FunctionId Callee,
                      llvm::ArrayRef<ValueId> Args);

/// Adds \p H, on \p Stream, to the timeline; None: a host event.
void happen(Services &Use, const Frame &F, const State &S, Happening H,
            ValueId Stream, bool PerThread);

/// True if a function that began capture \p R in an earlier call is called
/// again on the path to \p F, which does not follow the begin call there. In a
/// state machine, other steps are not part of the captured work. The same
/// applies to the code that calls the steps through a pointer.
bool isLaterStep(Walk &W, const Frame &F, const CaptureRecord &R);

/// True if \p F belongs to a step of a state machine that begins a capture or
/// launches a graph: while another step records, the machine does not take this
/// one.
bool isStepApart(const Walk &W, const Frame &F);

/// True if \p F, or a caller of it in the region of \p R, runs only if some
/// member or global has certain contents, and then replaces these contents.
bool growsOnDemand(const Frame &F, const CaptureRecord &R);

/// True if \p F, or a caller of it within the region of \p R that receives a
/// number, returns an object or memory and enqueues nothing: a pool or an
/// allocator, which counts what it returns.
bool isInAllocator(const Walk &W, const Frame &F, const CaptureRecord &R);

/// The capture to which the stream of \p C belongs, else the innermost.
CaptureId captureOf(Services &Use, const Call &C, const State &S);

/// The common fields of a fact about the call \p C in capture \p Of.
Fact factOf(Services &Use, const Call &C, const State &S, CaptureId Of);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_MODEL_H
