//===- Libraries.cpp - Loads the driver and CUPTI at run time -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries.h"
#include <dlfcn.h>

namespace cudagraph::probe {

namespace {

template <typename F> void find(void *Library, F &Into, const char *Name) {
  Into = reinterpret_cast<F>(dlsym(Library, Name));
}

// cuda.h renames functions with macros: the symbol has the expanded name.
#define SPELLED2(X) #X
#define SPELLED(X) SPELLED2(X)

} // namespace

const Driver *Driver::get() {
  static const Driver *const Loaded = []() -> const Driver * {
    void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!Library)
      return nullptr;
    static Driver D;
#define FUNCTION(NAME) find(Library, D.NAME, SPELLED(NAME));
#include "Driver.def"
    find(Library, D.GetCaptureInfo, "cuStreamGetCaptureInfo_v2");
    find(Library, D.GetDependencies, "cuGraphNodeGetDependencies");
    return &D;
  }();
  return Loaded;
}

bool Cupti::load(const char *Path, std::string &Why) {
  void *Library = nullptr;
  auto Try = [&](const char *Name, int Flags) {
    if (Library || !Name || !*Name)
      return;
    Library = dlopen(Name, RTLD_NOW | RTLD_LOCAL | Flags);
    if (Library || (Flags & RTLD_NOLOAD))
      return;
    const char *Error = dlerror();
    Why += Why.empty() ? "" : "; ";
    Why += Error ? Error : Name;
  };
  const char *const Names[] = {"libcupti.so.13", "libcupti.so.12",
                               "libcupti.so"};
  for (const char *Name : Names)
    Try(Name, RTLD_NOLOAD);
  Try(Path, 0);
  for (const char *Name : Names)
    Try(Name, 0);
  if (!Library)
    return false;
  find(Library, Subscribe, "cuptiSubscribe");
  find(Library, EnableCallback, "cuptiEnableCallback");
  find(Library, EnableDomain, "cuptiEnableDomain");
  find(Library, GetVersion, "cuptiGetVersion");
  find(Library, GetResultString, "cuptiGetResultString");
  find(Library, Finalize, "cuptiFinalize");
  if (Subscribe && EnableCallback && EnableDomain && GetVersion &&
      GetResultString)
    return true;
  Why = "libcupti lacks functions of its callback API";
  return false;
}

} // namespace cudagraph::probe
