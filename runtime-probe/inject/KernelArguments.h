//===- KernelArguments.h - The arguments of a kernel ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program passes a pointer to each argument, or one buffer that contains all
// of them ("extra" in the driver's functions), as NCCL does. The parameters of
// a captured launch's node have the form that was passed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_KERNELARGUMENTS_H
#define CUDAGRAPH_PROBE_KERNELARGUMENTS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <vector>

namespace cudagraph::probe {

struct Driver;

/// A kernel has one or the other.
struct KernelHandle {
  CUfunction Function = nullptr;
  CUkernel Kernel = nullptr;
};

/// The mangled name, or null.
const char *nameOf(const Driver &D, KernelHandle K);

/// Does not own the memory, which belongs to the program or to CUDA.
class KernelArguments {
public:
  /// \p Extra is used only if \p Params is null; both may be null.
  explicit KernelArguments(void *const *Params, void *const *Extra = nullptr)
      : Params(Params) {
    // Pairs of a name and a value.
    for (; !Params && Extra && *Extra != CU_LAUNCH_PARAM_END && Extra[1];
         Extra += 2)
      if (*Extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
        Buffer = static_cast<const char *>(Extra[1]);
      else if (*Extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
        std::memcpy(&Bytes, Extra[1], sizeof Bytes);
      else
        break;
  }

  /// True if there is a list of arguments, which may be empty.
  explicit operator bool() const { return Params || Buffer; }

  /// Returns argument \p Index, which is at \p Offset if the arguments are in a
  /// buffer, or null if there is no such argument. Reduces \p Size, its
  /// declared size in bytes, to what the buffer contains: the last argument may
  /// be incomplete.
  const void *at(size_t Index, size_t Offset, size_t &Size) const {
    if (Params)
      return Params[Index];
    if (!Buffer || Offset >= Bytes)
      return nullptr;
    Size = std::min(Size, Bytes - Offset);
    return Buffer + Offset;
  }

  /// Argument \p Index in the layout that \p K declares, and its size in bytes.
  /// Returns null if there is none.
  const void *get(const Driver &D, KernelHandle K, size_t Index,
                  size_t &Size) const;

private:
  void *const *Params;
  const char *Buffer = nullptr;
  size_t Bytes = 0; ///< of the buffer
};

/// False for null pointers, small numbers, and values that cannot be pointers.
inline bool mayBeAddress(uint64_t Word) { return Word >> 16 && !(Word >> 57); }

/// A value that may be an address.
struct Word {
  unsigned Param = 0; ///< of a kernel
  uint64_t Value = 0;
};

/// The words of the arguments \p Args of \p K that may be addresses.
std::vector<Word> wordsOf(const Driver &D, KernelHandle K,
                          const KernelArguments &Args);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_KERNELARGUMENTS_H
