//===- Loader.cpp - The plugin of the clang-tidy that loads it ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks work with one major version of LLVM. A clang-tidy of a different
// version cannot resolve their symbols: it prints a mangled name and continues
// without them. This library uses none of these symbols, so any clang-tidy can
// load it. It then loads the checks for that version from its own folder, or
// ends the run and names the remedy.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "error: cudagraph-tidy plugin: %s\n", Message.c_str());
  std::_Exit(1);
}

/// Returns the major version of the program that loads this library, such as
/// "22".
std::string hostMajor() {
  // clang::getClangFullVersion().
  void *Symbol = dlsym(RTLD_DEFAULT, "_ZN5clang19getClangFullVersionB5cxx11Ev");
  if (!Symbol)
    return "";
  std::string Full = reinterpret_cast<std::string (*)()>(Symbol)();
  size_t At = Full.find("version ");
  if (At == std::string::npos)
    return "";
  At += 8;
  return Full.substr(At, Full.find('.', At) - At);
}

struct Loader {
  Loader() {
    std::string Major = hostMajor();
    if (Major.empty())
      fail("the program that loads the plugin is not clang-tidy");
    Dl_info Self;
    if (!dladdr(reinterpret_cast<void *>(&hostMajor), &Self))
      fail("the directory of the plugin is not known");
    std::string Path = Self.dli_fname;
    size_t Slash = Path.rfind('/');
    std::string Folder =
        Slash == std::string::npos ? "." : Path.substr(0, Slash);
    std::string Checks = Folder + "/CudaGraphTidyChecks-" + Major + ".so";
    if (std::FILE *File = std::fopen(Checks.c_str(), "rb"))
      std::fclose(File);
    else if (Major == CUDAGRAPH_LLVM_MAJOR_STRING)
      fail("there is no " + Checks + "; install all files of cudagraph-tidy");
    else
      fail("built for clang-tidy " CUDAGRAPH_LLVM_MAJOR_STRING
           ", but loaded into version " +
           Major + ", and there is no " + Checks +
           "; use clang-tidy-" CUDAGRAPH_LLVM_MAJOR_STRING
           ", or a plugin that was built for LLVM " +
           Major);
    if (!dlopen(Checks.c_str(), RTLD_NOW | RTLD_GLOBAL))
      fail(dlerror());
  }
};
const Loader Load;

} // namespace
