//===- probe_results.h - The observations of probe() ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of probe.h that is the same with and without the probe.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_RESULTS_H
#define CUDAGRAPH_PROBE_RESULTS_H

#include <cstddef>
#include <string>
#include <vector>

namespace cudagraph {

/// The permitted difference between elements of a buffer: absolute + relative *
/// |eager value|. NaN equals NaN. Elements are IEEE numbers of the given size;
/// without a tolerance, bytes are compared.
struct tolerance {
  enum element { bytes, f16, bf16, f32, f64 };
  element type = bytes;
  double absolute = 0;
  double relative = 0;
};

/// The possible results of one capture mode, from best to worst.
enum class outcome {
  replayed,     ///< everything succeeded, and the buffers agree
  differs,      ///< replays succeeded, but a buffer differs
  refused,      ///< beginning or ending the capture failed, 900 to 908 or not
  invalidated,  ///< a call in the body broke the capture
  threw,        ///< the body threw while it was captured
  not_replayed, ///< instantiating, launching, or synchronizing failed
  failed,       ///< the probe could not save or restore a buffer
};

/// One driver call by the probe, or the body.
struct step {
  /// begin, body, end, instantiate, launch, synchronize, or buffers.
  std::string name;
  /// Its CUresult. For "body", the result if that is an int or an enumerator,
  /// or else the runtime's last error if cuda_runtime_api.h was included before
  /// this header; -1 if the body threw.
  int code = 0;
};

/// A buffer whose contents differ between two runs.
struct difference {
  /// The two runs: "eager" (a replay and an eager run, with the inputs of the
  /// capture), "changed" (the same after change_inputs), or "replay" (two
  /// replays).
  std::string against;
  std::string buffer;
  /// The offset of the first byte of the first element that differs.
  std::size_t offset = 0;
  /// The number of elements (without a tolerance, bytes) that differ.
  std::size_t count = 0;
  /// Two eager runs also differ in this buffer: it needs a tolerance, or the
  /// region needs a reset().
  bool varies = false;
};

/// The observations in one capture mode.
struct mode_result {
  /// As in CUstreamCaptureMode: 0 global, 1 thread-local, 2 relaxed.
  int mode = 0;
  cudagraph::outcome outcome = outcome::failed;
  std::vector<step> steps;
  /// Status of the stream after the body: 0 none, 1 active, 2 invalidated.
  int status = 0;
  /// The scoped_region in which the capture was broken; may be empty.
  std::string broken_in;
  /// Nodes of the graph.
  std::size_t nodes = 0;
  std::vector<difference> differences;

  /// The code of the step with this name; -1 if the step was not reached.
  int code(const char *name) const {
    for (const step &s : steps)
      if (s.name == name)
        return s.code;
    return -1;
  }
};

} // namespace cudagraph

#endif // CUDAGRAPH_PROBE_RESULTS_H
