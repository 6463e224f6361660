//===- SearchPath.cpp - Directories in a command --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SearchPath.h.
//
//===----------------------------------------------------------------------===//

#include "SearchPath.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr llvm::StringLiteral SearchOptions[] = {"-isystem", "-iquote",
                                                 "-idirafter", "-I"};

/// Calls \p Use with the index of the argument that contains a directory, and
/// the length of the option before the directory, in the same argument.
void visitDirectories(ArrayRef<std::string> Args,
                      function_ref<void(size_t Index, size_t Prefix)> Use) {
  for (size_t I = 0; I < Args.size(); ++I)
    for (StringRef Option : SearchOptions) {
      if (!StringRef(Args[I]).starts_with(Option))
        continue;
      if (Args[I].size() > Option.size())
        Use(I, Option.size());
      else if (I + 1 < Args.size())
        Use(++I, 0);
      break;
    }
}

/// True if \p Arg is an option that names no file, or an absolute path.
bool namesNoRelativePath(StringRef Arg) {
  auto [Name, Value] = Arg.split('=');
  if (Arg.contains('=') && !Value.empty())
    return Value.starts_with("/") || all_of(Value, llvm::isDigit) ||
           is_contained({"-std", "--std", "--offload-arch", "--cuda-gpu-arch",
                         "--target", "-target-sdk-version", "-fvisibility",
                         "-ffp-contract", "-fopenmp"},
                        Name) ||
           Name.starts_with("-D") || Name.starts_with("-m");
  for (StringRef Option : SearchOptions)
    if (Arg.starts_with(Option))
      return Arg.drop_front(Option.size()).starts_with("/");
  // Options for the preprocessor may name files: -Wp,-include,config.h.
  if (Arg.starts_with("-Wp,"))
    return false;
  for (StringRef Prefix : {"-D", "-U", "-W", "-f", "-O", "-m", "-g"})
    if (Arg.starts_with(Prefix))
      return true;
  return is_contained({"-c", "-w", "-pthread", "-pedantic", "-nocudalib",
                       "-nocudainc", "-nostdinc", "-nostdinc++",
                       "-fsyntax-only", "--cuda-host-only",
                       "--cuda-device-only", "-pipe", "-ansi", "--"},
                      Arg) ||
         Arg.starts_with("/");
}

} // namespace

std::vector<std::string> searchPath(ArrayRef<std::string> Args,
                                    const std::string &Directory) {
  std::vector<std::string> Result;
  visitDirectories(Args, [&](size_t I, size_t Prefix) {
    Result.push_back(
        absolutePath(StringRef(Args[I]).drop_front(Prefix), Directory));
  });
  return Result;
}

void simplifySearchPath(std::vector<std::string> &Args) {
  visitDirectories(Args, [&](size_t I, size_t Prefix) {
    StringRef Path = StringRef(Args[I]).drop_front(Prefix);
    if (!sys::path::is_absolute(Path) || !Path.contains("/."))
      return;
    std::string Simple = absolutePath(Path);
    if (Simple != Path && sys::fs::equivalent(Path, Simple))
      Args[I] = Args[I].substr(0, Prefix) + Simple;
  });
}

bool dependsOnDirectory(ArrayRef<std::string> Args,
                        const std::string &Directory) {
  // An empty element of these variables is the working directory.
  for (const char *Name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (sys::Process::GetEnv(Name))
      return true;
  for (size_t I = 1; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    // The next argument is the value.
    if (is_contained({"-x", "-D", "-U", "-target"}, Arg)) {
      ++I;
      continue;
    }
    // A file that is not in the working directory is searched for in the
    // directories of the command.
    if (Arg == "-include" && I + 1 < Args.size()) {
      if (!sys::path::is_absolute(Args[++I]) &&
          sys::fs::exists(absolutePath(Args[I], Directory)))
        return true;
      continue;
    }
    bool Next = Arg == "-Xclang" || Arg == "-isysroot" ||
                is_contained(SearchOptions, Arg);
    if (!Next && !namesNoRelativePath(Arg))
      return true;
  }
  return false;
}

} // namespace cudagraph::driver
