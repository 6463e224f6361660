//===- Watch.h - Events while streams capture -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outside captures, only the functions that begin and end them, and those that
// refuse a captured event, are observed; a replay costs nothing. During a
// capture, all functions of the runtime and the driver are observed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_WATCH_H
#define CUDAGRAPH_PROBE_WATCH_H

#include "Calls.h"
#include "Graphs.h"
#include "HeapWatch.h"
#include "Libraries.h"
#include "Nodes.h"
#include "Trace.h"
#include <atomic>
#include <set>

namespace cudagraph::probe {

/// cudaErrorStreamCaptureUnsupported to cudaErrorStreamCaptureWrongThread: a
/// call returns them only because of captures.
constexpr bool isCaptureCode(int Code) { return Code >= 900 && Code <= 908; }

/// True if the driver can be queried about the handles of a call that returned
/// \p Code.
constexpr bool mayUseHandles(int Code) {
  return Code != CUDA_ERROR_INVALID_HANDLE &&
         Code != CUDA_ERROR_INVALID_CONTEXT &&
         Code != CUDA_ERROR_CONTEXT_IS_DESTROYED &&
         Code != CUDA_ERROR_NOT_INITIALIZED && Code != CUDA_ERROR_DEINITIALIZED;
}

class Watch {
public:
  /// There is one in each process, and it is never destroyed, because CUDA
  /// calls back until the process ends.
  static Watch &get();

  /// Reads the environment, opens the trace, and subscribes. Returns false if
  /// there is nothing to do or an error occurs; the trace then contains the
  /// reason.
  bool start();
  /// Ends the trace; the process is about to end.
  void finish();

private:
  /// A capture that has begun and not ended.
  struct Capture {
    unsigned Id = 0;
    cuuint64_t CudaId = 0;
    CUstream Stream = nullptr;  ///< null once it is destroyed
    const char *Kind = nullptr; ///< of the stream; null if unknown
    long Thread = 0;
    bool Broken = false;
    /// The stack memory that copies use: its address and its activation.
    std::vector<std::pair<uint64_t, Activation>> OnStack;
    std::map<CUgraphNode, NodeCall> Calls;
    HeapWatch::Ranges Heap; ///< that copies use
  };
  /// The subscribed functions: those that begin and end captures, or all.
  enum class Listening { ToFew, ToAll };
  /// The watched parts of replays: none, the launches, or also the events
  /// between them.
  enum class Watching { Nothing, Launches, Everything };
  static constexpr unsigned EveryReplay = ~0u;
  /// One call, at its exit.
  struct Exit {
    const Call *Function;
    bool Runtime;
    int Code;
    const void *Arguments;
    const char *Symbol; ///< a launch's kernel, mangled
  };

  static void CUPTIAPI callback(void *, CUpti_CallbackDomain Domain,
                                CUpti_CallbackId Id, const void *Data);
  void exited(const Exit &E);
  void loaded(const CUpti_ResourceData &Data);
  void began(const Exit &E);
  bool ended(const Exit &E);
  void destroying(const Call &F, const void *Arguments);
  void destroyed();
  void refused(const Exit &E);
  void accepted(const Exit &E);
  void checkCopy(const Exit &E, unsigned In, uint64_t Address, bool ToDevice);
  void recorded(const Exit &E, unsigned In, CUgraphNode Node,
                const void *Stream);
  void onStack(unsigned In, uint64_t Address);
  void graphCall(const Exit &E);
  void instantiated(const Exit &E, CUgraphExec Handle, CUgraph Graph,
                    bool Update);
  void changed(const Exit &E);
  static KernelArguments kernelArguments(const Exit &E, const void *Params);
  void freed(const Exit &E, uint64_t Address, uint64_t Bytes);
  bool watchHeap(const HeapWatch::Ranges &More);
  const char *storageOf(uint64_t Address, const Captured &From);
  static void hostFreed(const char *Api, uint64_t Address, uint64_t Bytes);
  static void communicatorEnds(const char *Api,
                               const std::vector<uint64_t> &Communicators);
  bool isBusy(const Driver &D, CUstream Stream) const;
  void launching(const Exit &E);
  void launchingKernel(const Call &F, const void *Arguments);
  void launched(const Exit &E);
  void betweenReplays(const Exit &E);
  void ordered(const Exit &E, const char *How, void *Stream, void *OfEvent);
  void worked(const Exit &E);
  void moreLaunches();
  void countReplays(unsigned Launched);
  void listenToReplays();
  void ranLines();
  void detach();
  void allocated(const Exit &E);
  void addStream(Json &Event, const Exit &E);
  void beginning(bool Enters);
  void listenAsNeeded();
  void idle();
  void listen(Listening To);
  void describeProcess();
  void describeMachine();
  Json event(Line What, const Exit &E);
  Json activeIds();
  bool capturesHere() const;
  /// The capture in which \p Stream takes part, or 0; and the node on which its
  /// next work depends, if there is exactly one.
  unsigned captureOf(CUstream Stream, CUgraphNode *Last = nullptr);
  static bool isLegacy(const Call &F, void *Stream);
  const char *kindOf(const Call &F, void *Stream);

  Trace File;
  Cupti Tools;
  CUpti_SubscriberHandle Subscriber = nullptr;
  /// The kind of the stream that this thread is about to capture. During the
  /// capture, the query would break it (measured: cuStreamGetFlags, 900).
  static inline thread_local const char *KindAtBegin = nullptr;

  std::mutex Handles; ///< held while the driver is queried about all captures
  std::mutex Lock;
  std::vector<Capture> Active;      ///< under Lock
  int Beginning = 0;                ///< under Lock: calls that may begin one
  Listening Now = Listening::ToFew; ///< under Lock
  std::atomic<unsigned> ActiveCount{0}, Generation{0};
  /// All functions are subscribed, although no capture is active: set under
  /// Lock.
  std::atomic<bool> Lingering{false};
  std::atomic<unsigned> IdleCalls{0}; ///< since then
  unsigned Begun = 0;
  std::set<std::string> Watched;
  bool Halt = false, CapturesOnly = false;
  std::atomic<bool> Detached{false}; ///< from CUPTI, which has no subscriber
  std::atomic<unsigned> NodeStacks{0};
  Graphs Alive;
  std::vector<std::pair<uint64_t, uint64_t>> Pool;  ///< under Lock
  std::atomic<Watching> Replays{Watching::Nothing}; ///< set under Lock
  unsigned CaptureLimit = 0; ///< captures after which nothing is watched
  unsigned ReplayLimit = 0;  ///< launches; EveryReplay
  unsigned LaunchesLeft = 0, LinesLeft = 0;   ///< under Lock
  unsigned ReplaysSeen = 0, Instantiated = 0; ///< under Lock
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_WATCH_H
