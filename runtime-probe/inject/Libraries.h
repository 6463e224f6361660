//===- Libraries.h - Loads the driver and CUPTI at run time -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No library is linked, because a program must run even if CUPTI is missing,
// and must use the CUPTI that it has loaded itself, as PyTorch does.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_LIBRARIES_H
#define CUDAGRAPH_PROBE_LIBRARIES_H

#include <cuda.h>
#include <cupti.h>
#include <string>

namespace cudagraph::probe {

/// Driver functions; null if an older driver lacks them. They are called
/// through the driver's own entry points, so that CUPTI also sees them: see
/// Watch's guard.
struct Driver {
#define FUNCTION(NAME) decltype(&::NAME) NAME = nullptr;
#include "Driver.def"
  /// cuStreamGetCaptureInfo_v2, which older and newer drivers have; cuda.h
  /// declares only the newest.
  CUresult (*GetCaptureInfo)(CUstream, CUstreamCaptureStatus *, cuuint64_t *Id,
                             CUgraph *, const CUgraphNode **,
                             size_t *) = nullptr;

  /// The first version: cuda.h of CUDA 13 declares only a newer one. It fails
  /// for edges with data, which order only parts of two kernels.
  CUresult (*GetDependencies)(CUgraphNode, CUgraphNode *, size_t *) = nullptr;

  /// From the driver that the program has loaded; null if there is none.
  static const Driver *get();
};

struct Cupti {
  decltype(&::cuptiSubscribe) Subscribe = nullptr;
  decltype(&::cuptiEnableCallback) EnableCallback = nullptr;
  decltype(&::cuptiEnableDomain) EnableDomain = nullptr;
  decltype(&::cuptiGetVersion) GetVersion = nullptr;
  decltype(&::cuptiGetResultString) GetResultString = nullptr;
  /// Older versions lack it.
  decltype(&::cuptiFinalize) Finalize = nullptr;

  /// Loads CUPTI: the library that the program has loaded, the one at \p Path,
  /// or one found by name. If that fails, returns false; \p Why lists the
  /// attempts.
  bool load(const char *Path, std::string &Why);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_LIBRARIES_H
