//===- KernelArguments.cpp - The arguments of a kernel --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver provides the names of kernels and the layout of their arguments.
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"
#include "Libraries.h"

namespace cudagraph::probe {

const char *nameOf(const Driver &D, KernelHandle K) {
  const char *Name = nullptr;
  if (K.Function && D.cuFuncGetName)
    D.cuFuncGetName(&Name, K.Function);
  else if (K.Kernel && D.cuKernelGetName)
    D.cuKernelGetName(&Name, K.Kernel);
  return Name;
}

const void *KernelArguments::get(const Driver &D, KernelHandle K, size_t Index,
                                 size_t &Size) const {
  size_t Offset = 0;
  CUresult Got = CUDA_ERROR_INVALID_VALUE;
  if (K.Function && D.cuFuncGetParamInfo)
    Got = D.cuFuncGetParamInfo(K.Function, Index, &Offset, &Size);
  else if (K.Kernel && D.cuKernelGetParamInfo)
    Got = D.cuKernelGetParamInfo(K.Kernel, Index, &Offset, &Size);
  return Got == CUDA_SUCCESS ? at(Index, Offset, Size) : nullptr;
}

std::vector<Word> wordsOf(const Driver &D, KernelHandle K,
                          const KernelArguments &Args) {
  std::vector<Word> Words;
  if (!Args)
    return Words;
  size_t Size = 0;
  for (unsigned I = 0; const void *Argument = Args.get(D, K, I, Size); ++I)
    for (size_t At = 0; At + sizeof(uint64_t) <= Size; At += sizeof(uint64_t)) {
      Word W{I};
      std::memcpy(&W.Value, static_cast<const char *>(Argument) + At,
                  sizeof W.Value);
      if (mayBeAddress(W.Value))
        Words.push_back(W);
    }
  return Words;
}

} // namespace cudagraph::probe
