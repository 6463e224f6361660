//===- main.cpp - clangd with the checks of cudagraph-tidy ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd loads no plugins, so the checks are linked in. All options are
// clangd's, except --cuda-path. clangd searches for Clang's builtin headers
// next to itself; this program sets their location.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "driver/translation/Toolchain.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace cudagraph::driver;

namespace {

ClangdSettings Settings;

/// If \p Args has the option \p Name (without dashes) at \p At, stores its
/// value in \p Value and returns the number of arguments it uses.
size_t takeValue(ArrayRef<char *> Args, size_t At, StringRef Name,
                 std::string &Value) {
  StringRef Arg = Args[At];
  if (!Arg.consume_front("-"))
    return 0;
  Arg.consume_front("-");
  if (!Arg.consume_front(Name))
    return 0;
  if (Arg.consume_front("=")) {
    Value = Arg.str();
    return 1;
  }
  if (!Arg.empty() || At + 1 == Args.size())
    return 0;
  Value = Args[At + 1];
  return 2;
}

} // namespace

const ClangdSettings &cudagraph::driver::clangdSettings() { return Settings; }

int main(int Argc, char *Argv[]) {
  ArrayRef<char *> Given(Argv, Argc);
  Settings.Program =
      sys::fs::getMainExecutable(Argv[0], reinterpret_cast<void *>(&main));
  SmallVector<char *, 16> Args;
  std::string ResourceDir;
  for (size_t I = 0; I < Given.size();) {
    StringRef Arg = Given[I];
    if (Arg == "--version" || Arg == "-version")
      outs() << "cudagraph-clangd " << CUDAGRAPH_VERSION
             << ", the checks of cudagraph-tidy in:\n";
    if (Arg == "--help" || Arg == "-help" || Arg == "--help-list")
      outs() << "OVERVIEW: cudagraph-clangd, clangd with the checks of "
                "cudagraph-tidy\n\n"
                "  --cuda-path=<dir> - CUDA toolkit for commands that do not "
                "name one; 'mock'\n"
                "                      selects the bundled mock headers\n\n"
                "All other options are clangd's:\n\n";
    if (size_t Taken = takeValue(Given, I, "cuda-path", Settings.CudaPath)) {
      I += Taken;
      continue;
    }
    takeValue(Given, I, "compile-commands-dir", Settings.CommandsDir);
    takeValue(Given, I, "resource-dir", ResourceDir);
    Args.push_back(Given[I++]);
  }
  outs().flush();
  std::string Own;
  if (ResourceDir.empty()) {
    Own = "--resource-dir=" +
          findResourceDir(sys::path::parent_path(Settings.Program));
    Args.insert(Args.begin() + 1, Own.data());
  }
  Args.push_back(nullptr);
  return clang::clangd::clangdMain(Args.size() - 1, Args.data());
}
