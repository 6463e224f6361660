//===- Compiler.cpp - Finds the compiler in a command ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The file's name without a version: g++-12.2 is g++.
StringRef programName(StringRef Program) {
  return sys::path::filename(Program).rtrim("0123456789.").rtrim('-');
}

bool isLauncher(ArrayRef<std::string> Command) {
  StringRef Name = sys::path::stem(Command.front());
  if (Name == "cmake")
    return Command.size() > 1 && Command[1] == "-E";
  return is_contained({"ccache", "sccache", "distcc", "icecc", "gomacc",
                       "buildcache", "fastbuild", "env", "nice", "ionice",
                       "time", "timeout", "taskset", "stdbuf", "libtool", "sh",
                       "bash"},
                      Name);
}

/// True if \p Name ends with \p Word, and nothing or a dash precedes it.
bool endsWithWord(StringRef Name, StringRef Word) {
  return Name.consume_back(Word) &&
         (Name.empty() || StringRef("-_.").contains(Name.back()));
}

} // namespace

ArrayRef<std::string> skipLaunchers(ArrayRef<std::string> Command) {
  while (Command.size() > 1 && isLauncher(Command)) {
    ArrayRef<std::string> Rest = Command.drop_front();
    // The arguments of a launcher's options are unknown, but a compiler is
    // recognized.
    while (!Rest.empty() && (StringRef(Rest.front()).starts_with("-") ||
                             StringRef(Rest.front()).contains('=') ||
                             !(isCompiler(Rest.front()) || isLauncher(Rest))))
      Rest = Rest.drop_front();
    if (!Rest.empty()) {
      Command = Rest;
      continue;
    }
    // A compiler with an unusual name.
    Command = Command.drop_front();
    while (Command.size() > 1 &&
           (StringRef(Command.front()).contains('=') ||
            StringRef(Command.front()).starts_with("-") ||
            Command.front().empty() || isDigit(Command.front().front())))
      Command = Command.drop_front();
  }
  return Command;
}

bool isNvcc(StringRef Program) {
  StringRef Name = programName(Program);
  return endsWithWord(Name, "nvcc") || Name.starts_with("nvcc_wrapper") ||
         Name.starts_with("nvcc-");
}

bool isCompiler(StringRef Program) {
  StringRef Name = programName(Program);
  return isNvcc(Program) ||
         any_of(ArrayRef<StringRef>{"gcc", "g++", "cc", "c++", "clang",
                                    "clang++", "icc", "icpc", "icx", "icpx",
                                    "dpcpp", "nvc", "nvc++", "pgc++", "mpicc",
                                    "mpicxx", "mpic++", "mpiCC", "hipcc"},
                [&](StringRef Known) { return endsWithWord(Name, Known); });
}

ClangName clangName(StringRef Compiler) {
  StringRef Name = programName(Compiler);
  for (auto [Given, Clang] : {std::pair<StringRef, StringRef>("g++", "clang++"),
                              {"clang++", "clang++"},
                              {"c++", "clang++"},
                              {"gcc", "clang"},
                              {"clang", "clang"},
                              {"cc", "clang"}}) {
    StringRef Target = Name;
    if (!Target.consume_back(Given))
      continue;
    // The command may name Clang by its path; this program selects the version.
    if (Target.empty())
      return {Given.starts_with("clang") ? Compiler.str() : Clang.str(), ""};
    // x86_64-linux-gnu-g++; crosstool_wrapper_driver_is_not_gcc is not GCC.
    if (Target.consume_back("-") && Target.contains('-'))
      return {Clang.str(), Target.str()};
  }
  if (!isCompiler(Compiler))
    return {Compiler.str(), ""};
  bool Cxx = Name.contains("++") || Name.contains("xx") ||
             Name.ends_with("icpc") || Name.ends_with("icpx") ||
             Name.ends_with("CC") || Name.ends_with("cpp");
  return {Cxx ? "clang++" : "clang", ""};
}

} // namespace cudagraph::driver
