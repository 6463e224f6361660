//===- JobQueues.h - Job queues between threads -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A member or global is a job queue if a thread takes callables from it and
// calls them: directly, or through a variable, a parameter, or the result of a
// function. Only names count here, not objects or order. A callable reaches the
// queue where it is stored, or as an argument of a function that stores it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_JOBQUEUES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_JOBQUEUES_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>

namespace cudagraph {

class Relevance;

struct JobQueue {
  /// The thread functions that take callables from it.
  llvm::SetVector<FunctionId> Takers;
  /// Callables that may be jobs, or parts of jobs.
  llvm::SetVector<FunctionId> Jobs;
  bool Shared = false; ///< other threads may also take from it
  /// Jobs and the functions that they reach, computed on request.
  mutable std::optional<llvm::DenseSet<FunctionId>> Parts;
};

class JobQueues {
public:
  explicit JobQueues(Relevance &R) : R(R) {}

  /// Records how \p F, whose graph is \p G, uses callables.
  void scan(FunctionId F, const FlowGraph &G);
  /// Follows callables through parameters, to where they are stored.
  void flow();
  /// Finds the queues; all functions have been scanned, and nothing has been
  /// collected from callees.
  void resolve();

  /// The queue \p Name; nullptr if there is none.
  const JobQueue *find(llvm::StringRef Name) const;
  /// True if \p F may be part of a job in \p Queue.
  bool mayHold(const JobQueue &Queue, FunctionId F) const;
  /// True if \p F adds to a queue.
  bool isFilledBy(FunctionId F) const {
    return Posters.contains(F) || Fillers.contains(F);
  }
  /// True if \p F adds its argument to a queue.
  bool isPostedBy(FunctionId F) const { return Posters.contains(F); }
  /// True if \p From passes \p Job to a thread.
  bool isPosted(FunctionId From, FunctionId Job) const {
    return Posted.contains({From, Job});
  }

private:
  /// The function From stores Callable in a member or global.
  struct Store {
    FunctionId From, Callable;
    std::string Key;
  };
  /// From, or its callee, passes Callable as a parameter of To.
  struct Gift {
    FunctionId From, To;
    unsigned Param;
    FunctionId Callable;
  };
  /// A parameter is passed to a parameter of To, to the member or global Key,
  /// or to a thread.
  struct Use {
    unsigned Param; ///< None: a callable of the function itself
    FunctionId To;
    unsigned ToParam;
    std::string Key;
  };
  using Uses = std::vector<Use>;
  struct Reading {
    std::vector<std::string> Taken;  ///< names that are read
    std::vector<std::string> Called; ///< names that are called
    bool CallsTaken = false;         ///< it calls the contents of a variable
  };

  template <typename StoreFn, typename StartFn, typename PassFn>
  void eachUse(const FlowGraph &G, StoreFn Store, StartFn Start, PassFn Pass);
  void give(const Gift &Each);
  const Uses &usesOf(FunctionId F);
  const Reading &readingOf(FunctionId F);
  std::vector<FunctionId> reachedFrom(llvm::ArrayRef<FunctionId> From,
                                      bool IfNoneBegins) const;
  void findOtherTakers(const llvm::DenseSet<FunctionId> &ThreadFunctions);

  Relevance &R;
  llvm::StringMap<JobQueue> Queues;
  /// Functions that add their arguments, or their own callables, to queues.
  llvm::DenseSet<FunctionId> Posters, Fillers;
  /// Functions, and callables that they pass to threads.
  llvm::DenseSet<std::pair<FunctionId, FunctionId>> Posted;
  llvm::SetVector<FunctionId> Bodies; ///< the functions of threads
  std::vector<Store> Stored;
  std::vector<Gift> Gifts;
  size_t Next = 0; ///< of Gifts
  llvm::DenseSet<std::pair<std::pair<FunctionId, unsigned>, FunctionId>> Known;
  llvm::DenseMap<FunctionId, std::unique_ptr<Uses>> UsesOf;
  llvm::DenseMap<FunctionId, std::unique_ptr<Reading>> Readings;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_JOBQUEUES_H
