//===- Fuzz.h - The common part of all fuzz targets -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each target passes the fuzzer's bytes to the product's own function that
// reads such bytes, never to a copy of it. Readers of files receive a file in
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_FUZZ_H
#define CUDAGRAPH_TEST_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace fuzz {

/// The fuzzer's input as text.
inline std::string_view text(const uint8_t *Data, size_t Size) {
  return {reinterpret_cast<const char *>(Data), Size};
}

/// A file with given contents that exists as long as this object.
class File {
public:
  explicit File(std::string_view Contents)
      : Descriptor(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (Descriptor < 0 || write(Descriptor, Contents.data(), Contents.size()) !=
                              static_cast<ssize_t>(Contents.size()))
      std::abort();
  }
  File(const File &) = delete;
  ~File() { close(Descriptor); }

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(Descriptor);
  }

private:
  int Descriptor;
};

/// The parts of \p Text between lines that hold only "---".
inline std::vector<std::string> parts(std::string_view Text) {
  std::vector<std::string> Result;
  while (true) {
    size_t End = Text.find("\n---\n");
    Result.emplace_back(Text.substr(0, End));
    if (End == std::string_view::npos)
      return Result;
    Text.remove_prefix(End + 5);
  }
}

} // namespace fuzz

#endif // CUDAGRAPH_TEST_FUZZ_H
