//===- Clangd.h - The parts of clangd that are used -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM installs clangd's libraries but not its headers, and clangd has no
// interface for these extensions. Therefore, this file declares the few
// functions that are called, and the linker (--wrap, in CMakeLists.txt)
// replaces a few functions of clangd with ours. If a different LLVM version
// lacks a name, linking fails.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_CLANGD_H
#define CUDAGRAPH_DRIVER_EDITOR_CLANGD_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace clang::clangd {

int clangdMain(int Argc, char *Argv[]);

class Logger {
public:
  enum Level { Debug, Verbose, Info, Error };
};

namespace detail {
void logImpl(Logger::Level, const char *Fmt, const llvm::formatv_object_base &);
} // namespace detail

/// Sends messages to the client and passes those of the client to a handler.
class Transport {
public:
  virtual ~Transport() = default;
  virtual void notify(llvm::StringRef Method, llvm::json::Value Params) = 0;
  virtual void call(llvm::StringRef Method, llvm::json::Value Params,
                    llvm::json::Value ID) = 0;
  virtual void reply(llvm::json::Value ID,
                     llvm::Expected<llvm::json::Value> Result) = 0;

  class MessageHandler {
  public:
    virtual ~MessageHandler() = default;
    /// Each returns false once the session is over.
    virtual bool onNotify(llvm::StringRef Method, llvm::json::Value Params) = 0;
    virtual bool onCall(llvm::StringRef Method, llvm::json::Value Params,
                        llvm::json::Value ID) = 0;
    virtual bool onReply(llvm::json::Value ID,
                         llvm::Expected<llvm::json::Value> Result) = 0;
  };
  virtual llvm::Error loop(MessageHandler &Handler) = 0;
};

enum JSONStreamStyle { Standard, Delimited };

} // namespace clang::clangd

namespace cudagraph::driver {

/// Declares `wrapNAME`, which replaces the function \p SYMBOL, and `realNAME`,
/// which is the original function.
#define CUDAGRAPH_WRAP(RESULT, NAME, SYMBOL, PARAMETERS)                       \
  RESULT wrap##NAME PARAMETERS asm("__wrap_" SYMBOL)                           \
      __attribute__((visibility("default"), used));                            \
  RESULT real##NAME PARAMETERS asm("__real_" SYMBOL);

/// Writes "cudagraph: Text" to clangd's log.
inline void reportInLog(const std::string &Text, bool IsError = false) {
  using clang::clangd::Logger;
  clang::clangd::detail::logImpl(IsError ? Logger::Error : Logger::Info,
                                 "cudagraph: {0}",
                                 llvm::formatv("cudagraph: {0}", Text));
}

/// The path of this program and the command-line options that concern compile
/// commands.
struct ClangdSettings {
  std::string Program;
  std::string CudaPath;    ///< --cuda-path
  std::string CommandsDir; ///< --compile-commands-dir
};
const ClangdSettings &clangdSettings();

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_CLANGD_H
