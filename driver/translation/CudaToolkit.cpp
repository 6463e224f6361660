//===- CudaToolkit.cpp - Finds CUDA toolkits ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"
#include "driver/support/InputBuffer.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace cudagraph::driver {

static int readCudaVersion(StringRef Include) {
  std::unique_ptr<MemoryBuffer> Buffer =
      tryReadBuffer(joinPath(Include, "cuda.h"));
  if (!Buffer)
    return 0;
  StringRef Text = Buffer->getBuffer();
  size_t Start = Text.find("#define CUDA_VERSION ");
  if (Start == StringRef::npos)
    return 0;
  Text = Text.drop_front(Start + strlen("#define CUDA_VERSION ")).ltrim();
  int Version = 0;
  return Text.consumeInteger(10, Version) ? 0 : Version;
}

bool isMockInclude(StringRef Include) {
  // Only the mock headers contain this file; the directory may be a link to
  // them.
  return sys::fs::exists(joinPath(Include, "device_libc.h"));
}

std::optional<CudaToolkit> toolkitAt(StringRef Root) {
  if (Root.empty())
    return std::nullopt;
  for (StringRef Sub : {"include", "targets/x86_64-linux/include",
                        "targets/sbsa-linux/include"}) {
    std::string Include = joinPath(Root, Sub);
    if (!sys::fs::exists(joinPath(Include, "cuda_runtime.h")))
      continue;
    CudaToolkit Result;
    Result.Root = Root.str();
    Result.Include = Include;
    Result.Mock = isMockInclude(Include);
    Result.Version =
        Result.Mock ? CudaToolkit::MockVersion : readCudaVersion(Include);
    return Result;
  }
  return std::nullopt;
}

std::optional<CudaToolkit> toolkitOfNvcc(StringRef Nvcc) {
  if (!sys::path::is_absolute(Nvcc))
    return std::nullopt;
  for (const std::string &Path : {Nvcc.str(), realPath(Nvcc)})
    if (auto Found =
            toolkitAt(sys::path::parent_path(sys::path::parent_path(Path))))
      return Found;
  return std::nullopt;
}

std::vector<std::string> versionedPaths(StringRef Parent, StringRef Prefix) {
  std::vector<std::string> Result;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Parent, EC), End; I != End && !EC;
       I.increment(EC))
    if (sys::path::filename(I->path()).starts_with(Prefix))
      Result.push_back(I->path());
  sort(Result, [](const std::string &A, const std::string &B) {
    return StringRef(A).compare_numeric(B) > 0;
  });
  return Result;
}

std::optional<CudaToolkit> findToolkit() {
  for (const char *Name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto Root = sys::Process::GetEnv(Name))
      if (auto Found = toolkitAt(*Root))
        return Found;
  if (auto Nvcc = sys::findProgramByName("nvcc"))
    if (auto Found = toolkitOfNvcc(*Nvcc))
      return Found;
  if (auto Found = toolkitAt("/usr/local/cuda"))
    return Found;
  for (const std::string &Root : versionedPaths("/usr/local", "cuda-"))
    if (auto Found = toolkitAt(Root))
      return Found;
  return toolkitAt("/opt/cuda");
}

std::string CudaToolkit::describe() const {
  if (Mock && !Chosen)
    return "no CUDA toolkit found: using the bundled mock headers; name one "
           "with --cuda-path";
  std::string Number;
  if (Version)
    Number = " " + std::to_string(Version / 1000) + "." +
             std::to_string(Version % 1000 / 10);
  if (Mock && Version != MockVersion)
    return "using the bundled mock headers with the declarations of CUDA" +
           Number;
  if (Mock)
    return "using the bundled mock headers";
  return "using CUDA" + Number + " at " + Root;
}

} // namespace cudagraph::driver
