//===- AccessModel.h - The order of writes and reads ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The branches of a graph run at the same time: work that reads memory must
// wait for work on another stream that writes to it, and work that writes must
// wait for work that reads. Only captures with several streams are followed,
// and only memory that is known to be the same, or whose address both read from
// the same variable or member.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_ACCESSMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_ACCESSMODEL_H

#include "Inputs.h"
#include "Model.h"
#include <vector>

namespace cudagraph {

class AccessModel : public Model {
public:
  explicit AccessModel(Services &Use) : Model(Use) {}

  /// Handles kernels, and the records and waits that order them.
  void after(Call &C, State &S) override;

  void captureLeft(State &S, CaptureId C) override;

private:
  /// An address that a call receives.
  struct Access {
    const CallArg &Arg;
    ValueId Address;
  };
  struct Work {
    Span Call, StreamText;
    FunctionId In = None;
    std::string Name; ///< of the kernel or the function
    bool IsKernel = false;
    ValueId Stream = None;
    ValueId Address = None;
    CaptureId Capture = 0;
    bool Whole = false;   ///< CallArg::Whole of the argument that it writes
    bool Edges = false;   ///< CallArg::Edges of that argument
    uint64_t Threads = 0; ///< of a kernel; 0 if their number is unknown
    bool operator==(const Work &O) const {
      return Call.Begin == O.Call.Begin && Stream == O.Stream &&
             Address == O.Address && Capture == O.Capture;
    }
  };
  bool mayBeSame(ValueId A, ValueId B) const;
  ValueId streamOf(const Call &C, const State &S) const;
  bool isForked(const State &S, CaptureId C) const;
  std::vector<Access> accessesOf(const Call &C, State &S);
  ValueId oneObject(ValueId Address) const;
  ValueId placeOf(const Call &C, State &S, const Access &A);
  bool isOfSeveralMembers(const State &S, ValueId V) const;
  bool overlap(const Work &Writer, ValueId Address) const;
  void launch(const Call &C, State &S, ValueId Stream, const Member &M);
  void transfer(const Call &C, State &S, ValueId Stream, const Member &M);
  void read(const Call &C, State &S, const Access &A, Work By);
  void write(const Call &C, State &S, const Access &A, Work By);
  unsigned numberOf(const Work &By);
  bool isUnordered(const State &S, const Work &First, const Work &Second,
                   ValueId Reached);
  void report(const Call &C, const State &S, const CallArg &Arg,
              const Work &First, bool Wrote, bool Writes);
  void forget(const Call &C, State &S);
  void pass(State &S, ValueId From, ValueId To, bool Replace);

  /// A record of an event, or a wait for one, in the current capture.
  struct Order {
    ValueId Event, Stream;
    Span Call;
    FunctionId In;
    bool Waits;
  };
  void note(const Call &C, const State &S);
  const Order *recordedBefore(const Work &First, ValueId Second) const;

  std::vector<Work> Works;
  std::vector<Order> Orders;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_ACCESSMODEL_H
