//===- StreamModel.h - Streams and events -----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event carries a stream into a capture, and the work of a stream to streams
// that wait for it. For each stream or event X and each stream S that works in
// the capture, the state records whether X includes all work of S. The capture
// may end when its origin includes all work. That is the condition that CUDA
// checks (measured: capture_matrix, cudaStreamEndCapture).
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_STREAMMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_STREAMMODEL_H

#include "Model.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <map>

namespace cudagraph {

class StreamModel : public Model {
public:
  using Model::Model;

  Then apply(Call &C, State &S) override;
  void after(Call &C, State &S) override;
  void captureEnds(Frame &F, const Op &O, State &S, CaptureId C,
                   const catalogue::Entry *E) override;
  void captureLeft(State &S, CaptureId C) override;

  /// Records that an unknown call may have recorded the event \p V, or joined
  /// the stream \p V. \p Typed: it is passed as a stream.
  void suspect(State &S, ValueId V, bool Typed);

  /// Undoes the effect of a stream guard's constructor.
  bool restoreStream(State &S, ValueId This);

  /// Names streams, events, and library handles that a callee created after the
  /// call at \p O, so that two calls to a factory return two streams.
  void rename(const Frame &F, const Op &O, const State &Before,
              llvm::ArrayRef<ValueId> Roots, State &After, ValueId &Returned);

private:
  void create(Call &C, State &S);
  void createAt(const Call &C, State &S, ValueId Out);
  void renameParts(State &S,
                   const llvm::SmallDenseMap<ValueId, ValueId, 8> &Names);
  void record(Call &C, State &S);
  void wait(Call &C, State &S);
  void currentStream(Call &C, State &S);
  void guard(Call &C, State &S);
  void setRecorded(State &S, ValueId Event, Recorded R);
  void noteWork(const Frame &F, const Op &O, State &S, ValueId Stream,
                bool PerThread, Span StreamText);
  void recordEvent(const Frame &F, const Op &O, State &S, ValueId Event,
                   ValueId Stream, bool PerThread, bool External);
  void recordOne(const Frame &F, const Op &O, State &S, ValueId Event,
                 llvm::ArrayRef<ValueId> On, const Recorded &R);
  void blurWaited(State &S, ValueId Stream);
  void waitForEvent(const Op &O, State &S, ValueId Stream, ValueId Event,
                    bool PerThread);
  void waitForOne(State &S, ValueId Stream, ValueId Event, bool PerThread);
  void leaveBehind(State &S, ValueId Stream, const Member &In, UnjoinedWork L);
  bool isOrigin(const State &S, ValueId Stream) const;
  llvm::SmallVector<ValueId, 4> namesFor(const State &S, const FactMap &Map,
                                         const Op &O, ValueId V);
  unsigned elementOf(ValueId Out) const;

  /// The locations of work on a stream that the origin may not wait for.
  struct UnjoinedSite {
    Span Call, StreamText;
    FunctionId In;
    std::vector<std::pair<Span, FunctionId>> By; ///< calls that lead to it
  };
  void noteEarlyRecords(const State &S, ValueId Stream, CaptureId C,
                        LeftWork::Work &Left);
  unsigned siteOfWork(const Frame &F, const Op &O, Span StreamText);
  std::vector<UnjoinedSite> UnjoinedSites;
  /// Indexed by the beginning of Call, and of the calls that lead to it.
  std::map<std::vector<unsigned>, unsigned> UnjoinedSiteIds;

  /// For each event: where a walk has seen its last record, and the stream.
  struct RecordSite {
    Span Call;
    FunctionId In = None;
    ValueId On = None;
  };
  llvm::DenseMap<ValueId, RecordSite> RecordSites;
  /// For each stream: where the event after its work was recorded again too
  /// early.
  llvm::DenseMap<ValueId, RecordSite> RecordedAgain;
  /// The beginnings of operations that have used a stream, or an event, that is
  /// an element of a container with a known number.
  std::array<llvm::DenseSet<unsigned>, 2> UsedByNumber;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_STREAMMODEL_H
