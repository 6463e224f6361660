//===- RemoteIndex.cpp - Stubs for remote indexes -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd can query the index server of a project through gRPC. These
// definitions keep the linker from adding that client, and with it gRPC,
// Protocol Buffers, and OpenSSL. LLVM's own builds without gRPC do the same.
//
//===----------------------------------------------------------------------===//

#include "driver/editor/Clangd.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace clang::clangd {

class SymbolIndex {
public:
  virtual ~SymbolIndex();
};

namespace remote {

std::unique_ptr<SymbolIndex> getClient(llvm::StringRef Address,
                                       llvm::StringRef) {
  cudagraph::driver::reportInLog(
      "this clangd has no client of remote indexes; " + Address.str() +
          " is not asked",
      /*IsError=*/true);
  return nullptr;
}

} // namespace remote
} // namespace clang::clangd
