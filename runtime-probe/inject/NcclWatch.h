//===- NcclWatch.h - The end of NCCL's communicators ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the program destroys a communicator, NCCL waits for the graphs that hold
// its work, and the process hangs. CUDA does not report these calls, so they
// are redirected once a graph holds an NCCL kernel.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_NCCLWATCH_H
#define CUDAGRAPH_PROBE_NCCLWATCH_H

#include <cstdint>
#include <vector>

namespace cudagraph::probe {

class NcclWatch {
public:
  /// The function \p Api is about to end a communicator whose kernels receive
  /// one of the words \p Communicators.
  using Report = void (*)(const char *Api,
                          const std::vector<uint64_t> &Communicators);

  /// True for the name of an NCCL kernel, which receives a structure that
  /// begins with its communicator.
  static bool isKernel(const char *Name);

  /// From now on, the end of a communicator whose kernels receive one of \p
  /// Words is reported once to \p To. Returns false if the calls cannot be
  /// observed.
  static bool watch(const std::vector<uint64_t> &Words, Report To);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_NCCLWATCH_H
