//===- Scene.h - One capture in which one call is made ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a call; a scene is the situation in which it is made. Each row of
// the result is one case in one scene, and every scene is built again.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CONFORMANCE_SCENE_H
#define CUDAGRAPH_CONFORMANCE_SCENE_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>

namespace cudagraph::conformance {

/// The relation of the stream (or the event's stream) of a call to the capture.
enum class Relation {
  Origin,
  Joined,
  OtherBlocking,
  OtherNonBlocking,
  Legacy,
  PerThread,
  None
};
/// The kind of the origin stream. Mixed is a non-blocking origin with a
/// blocking stream joined to it.
enum class Kind { Blocking, NonBlocking, Mixed };

const char *spelling(Relation R);
const char *spelling(Kind K);
const char *spelling(cudaStreamCaptureMode M);

/// The state around one call. The slots contain everything that a case
/// prepares.
struct Scene {
  static constexpr size_t Bytes = 4096;

  cudaStreamCaptureMode Mode;
  Kind Capturing;
  Relation Where;

  cudaStream_t Origin = nullptr;
  cudaStream_t Joined = nullptr;
  cudaStream_t OtherBlocking = nullptr;
  cudaStream_t OtherNonBlocking = nullptr;
  cudaStream_t Stream = nullptr;  ///< the stream of Where
  cudaEvent_t Event = nullptr;    ///< last recorded on Stream; see EventFrom
  cudaEvent_t Outside = nullptr;  ///< recorded on the origin before the capture
  cudaEvent_t Captured = nullptr; ///< recorded on the origin in the capture
  cudaEvent_t Fresh = nullptr;    ///< never recorded

  char *Device = nullptr;  ///< Bytes of device memory
  char *Device2 = nullptr; ///< and again
  char *Pinned = nullptr;  ///< Bytes of pinned host memory
  char *Host = nullptr;    ///< Bytes of pageable host memory
  char *Host2 = nullptr;   ///< and again

  // Slots for the case.
  void *P = nullptr;
  void *Q = nullptr;
  size_t N = 0;
  int I = 0;
  cudaArray_t Array = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaGraphNode_t Node = nullptr;
  cudaMemPool_t Pool = nullptr;
  cudaStream_t NewStream = nullptr;
  cudaEvent_t NewEvent = nullptr;
  bool OriginGone = false; ///< the call destroyed the origin stream
  bool JoinedGone = false; ///< the call destroyed the joined stream
};

using Action = std::function<int(Scene &)>;

/// One call in one form. Created by Cases::add and the methods after it.
struct Case {
  std::string Call; ///< canonical name, as in the catalogue
  std::string Form; ///< distinguishes forms of one call; may be empty
  std::vector<Relation> Relations{Relation::None};
  bool EventNamed = false;   ///< the relation describes an event
  bool FreshProcess = false; ///< depends on the state of the process
  bool OfLibrary = false;    ///< returns its own status
  Action Before;             ///< before the capture
  Action Inside;             ///< in the capture, before the call
  Action Made;               ///< the call; returns its code
  Action After;              ///< after the capture

  /// Made on each kind of stream.
  Case &streams();
  /// Made on the streams listed.
  Case &on(std::vector<Relation> R);
  /// Made with an event last recorded on each kind of stream, or on none.
  Case &events();
  /// Each row gets a separate process.
  Case &fresh();
  Case &before(Action A);
  Case &inside(Action A);
  Case &after(Action A);
};

/// The list of cases, in the order of the result file.
class Cases {
public:
  Case &add(std::string Call, std::string Form, Action Made);
  std::vector<Case> All;
};

// One file each.
#define CASES(SUBJECT) void add##SUBJECT##Cases(Cases &C);
#include "Cases.def"

/// The action of capture_matrix --export-ipc for cases that need another
/// process: shares memory, an event, or a pool until its input ends.
int exportIpc(const char *What);

/// Writes a value of the current row immediately, so that a later crash does
/// not lose it.
using Sink = std::function<void(const char *Key, const std::string &Value)>;

/// Finds CUDA's error inside a library: the first driver call between start()
/// and stop() that returned one of the capture codes.
class Trace {
public:
  static void start();
  static void stop();
  static int code();                ///< 0 if there was none
  static const std::string &call(); ///< its name
};

/// Builds the scene, makes the call, and ends the capture. Returns false if the
/// process cannot be used afterwards.
bool play(const Case &C, cudaStreamCaptureMode Mode, Kind Capturing,
          Relation Where, bool OtherThread, const Sink &Write);

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_CONFORMANCE_SCENE_H
