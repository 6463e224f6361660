//===- Stacks.cpp - The call stacks of a trace ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

bool startsWithAny(StringRef Text, ArrayRef<StringRef> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Text.starts_with(P); });
}

bool containsAny(StringRef Text, ArrayRef<StringRef> Parts) {
  return any_of(Parts, [&](StringRef P) { return Text.contains(P); });
}

/// Headers whose inline functions are not the user's code.
bool isSystemHeader(StringRef File) {
  return startsWithAny(File,
                       {"/usr/include/", "/usr/lib/", "/usr/local/cuda"}) ||
         containsAny(File, {"/include/c++/", "/lib/clang/", "/cuda/include/",
                            "/targets/x86_64-linux/include/",
                            "/targets/sbsa-linux/include/", "/cuda_runtime.h",
                            "/crt/host_runtime.h", "/site-packages/nvidia/",
                            "/site-packages/torch/", "/dist-packages/torch/"});
}

/// "cudaMalloc", "cuMemAlloc_v2", and not "custom" or "cudart_helper".
bool isCudaName(StringRef Function) {
  StringRef Name = Function.take_until([](char C) { return C == '('; });
  for (StringRef Prefix : {"cuda", "cu"})
    if (StringRef Rest = Name; Rest.consume_front(Prefix))
      if (!Rest.empty() && isUpper(Rest.front()) && !Rest.contains("::"))
        return true;
  return false;
}

/// The statically linked runtime is in the user's own file.
bool isStaticRuntime(const Frame &F) {
  return startsWithAny(F.Function, {"__cudart", "libcudart_static_",
                                    "cudart::", "__cuda"}) ||
         (F.File.empty() && isCudaName(F.Function));
}

bool isLaunchStub(const Frame &F) {
  return containsAny(F.Function,
                     {"__device_stub__", "__wrapper__device_stub_"}) ||
         StringRef(F.File).ends_with(".stub.c");
}

} // namespace

bool isLibrary(StringRef Module) {
  StringRef Name = sys::path::filename(Module);
  if (containsAny(Module, {"/site-packages/torch/", "/dist-packages/torch/",
                           "/site-packages/nvidia/"}))
    return true;
  if (startsWithAny(Name, {"ld-linux", "linux-vdso", "libcudagraph_probe"}))
    return true;
  StringRef Rest = Name;
  if (Rest.consume_front("python"))
    return Rest.find_first_not_of("0123456789.") == StringRef::npos;
  if (!Rest.consume_front("lib"))
    return false;
  // "libc.so.6" and "libc-2.31.so", but not "libcity.so".
  StringRef Base = Rest.take_until([](char C) { return C == '.' || C == '-'; });
  if (is_contained({"c", "m", "dl", "rt", "pthread", "stdc++", "gcc_s", "c++",
                    "c++abi", "unwind", "cuda", "cufft", "cufftw", "gomp",
                    "shm", "c10", "caffe2", "nccl"},
                   Base))
    return true;
  return startsWithAny(
      Base, {"cudart",   "cupti",     "cublas",     "cudnn",        "cufft",
             "cusolver", "cusparse",  "curand",     "cudadebugger", "nccl",
             "nvrtc",    "nvJitLink", "nvToolsExt", "nvidia",       "torch",
             "c10_",     "python",    "asan",       "tsan",         "ubsan"});
}

bool isUserFrame(const Frame &F) {
  return !F.Module.empty() && !isLibrary(F.Module) && !isSystemHeader(F.File) &&
         !isStaticRuntime(F) && !isLaunchStub(F) && F.Function != "_start";
}

/// A file that torch.compile has written: its name is the hash of its contents,
/// in a folder named after two of its letters.
static bool isGenerated(StringRef File) {
  StringRef Name = sys::path::stem(File);
  return sys::path::filename(sys::path::parent_path(File)).size() == 2 &&
         Name.size() > 40 && Name.consume_front("c") &&
         Name.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567") ==
             StringRef::npos;
}

bool isLibraryFrame(const PythonFrame &F) {
  return isGenerated(F.File) ||
         containsAny(F.File,
                     {"/site-packages/torch/", "/dist-packages/torch/"}) ||
         StringRef(F.File).starts_with("<");
}

std::string operatorOf(const Stack &S) {
  // The dispatcher's name for the operator, or else the implementation's.
  for (StringRef Space : {"at::_ops::", "at::native::"})
    for (const Frame &F : S.Frames) {
      StringRef Rest = F.Function;
      if (!Rest.consume_front(Space))
        continue;
      StringRef Name =
          Rest.take_while([](char C) { return isAlnum(C) || C == '_'; });
      if (!Name.empty())
        return (Space == "at::_ops::" ? "aten::" : Space).str() + Name.str();
    }
  return "";
}

bool isOfPyTorch(const Stack &Begin) {
  for (const PythonFrame &F : Begin.Python)
    if (!StringRef(F.File).ends_with("/torch/cuda/graphs.py") &&
        !StringRef(F.File).ends_with("/contextlib.py"))
      return isLibraryFrame(F);
  return false;
}

/// `ns::scale<float>(float*)` -> `scale`.
static StringRef baseName(StringRef Function) {
  unsigned Depth = 0;
  size_t Begin = 0, End = Function.size();
  for (size_t I = 0; I < Function.size(); ++I) {
    char C = Function[I];
    if (C == '(' && !Depth && I) {
      End = I;
      break;
    }
    Depth += C == '<';
    Depth -= C == '>' && Depth;
    if ((C == ':' || C == ' ') && !Depth)
      Begin = I + 1;
  }
  return Function.slice(Begin, End).take_until([](char C) { return C == '<'; });
}

Stacks::Stacks(const ProcessTrace &Process, Symbolizer &Symbols)
    : Process(Process), Symbols(Symbols) {
  for (const TraceEvent &E : Process.Events)
    if (E.Stack && !E.Name.empty())
      Kernels[*E.Stack] = baseName(demangled(E.Name)).str();
}

std::vector<Frame> Stacks::frames(const TraceFrame &F) {
  auto It = Process.Modules.find(F.Module);
  if (F.Module >= 0 && It != Process.Modules.end())
    return Symbols.frames(It->second, F.Offset);
  return {Frame()};
}

Frame Stacks::function(const TraceFrame &Address) {
  return frames({Address.Module, Address.Offset + 1}).back();
}

const Stacks::Entry &Stacks::entry(int64_t Id) {
  auto [Place, New] = Known.try_emplace(Id);
  Entry &E = Place->second;
  auto It = Process.Stacks.find(Id);
  if (!New || It == Process.Stacks.end())
    return E;
  E.Value.Python = It->second.Python;
  E.User = It->second.Frames.size();
  // The caller of nvcc's stub for a kernel: a function with the name of the
  // kernel, at the kernel's own line.
  std::string Launcher;
  auto Kernel = Kernels.find(Id);
  for (const auto &[Index, Raw] : enumerate(It->second.Frames)) {
    for (Frame &F : frames(Raw)) {
      // If the stub is inlined, only the kernel's name shows it.
      bool Launches =
          (!Launcher.empty() && F.Function == Launcher) ||
          (Kernel != Kernels.end() && baseName(F.Function) == Kernel->second);
      // For a template, there is another function between the two.
      if (!isLaunchStub(F))
        Launcher.clear();
      if (StringRef Stub = F.Function; Stub.consume_front("__device_stub_"))
        Launcher = demangled(Stub.take_until([](char C) { return C == '('; }));
      // The innermost frame with a line, or the innermost one if none has a
      // line: a library may have been compiled without debug information.
      bool Better =
          !E.Value.Where || (E.Value.Where->File.empty() && !F.File.empty());
      if (Better && !Launches && isUserFrame(F)) {
        if (!E.Value.Where)
          E.User = Index;
        E.Value.Where = Location{F.File, F.Line, F.Column, F.Function};
      }
      E.Value.Frames.push_back(std::move(F));
    }
  }
  if (E.Value.Where || E.Value.Python.empty())
    return E;
  auto Own = find_if_not(E.Value.Python, isLibraryFrame);
  if (Own == E.Value.Python.end())
    Own = E.Value.Python.begin();
  E.Value.Where = Location{Own->File, Own->Line, 0, Own->Function};
  return E;
}

const Stack &Stacks::resolve(std::optional<int64_t> Id) {
  static const Stack None;
  return Id ? entry(*Id).Value : None;
}

bool Stacks::sameCall(std::optional<int64_t> Inner,
                      std::optional<int64_t> Outer) {
  if (!Inner || !Outer || !Process.Stacks.count(*Inner) ||
      !Process.Stacks.count(*Outer))
    return false;
  const TraceStack &In = Process.Stacks.at(*Inner);
  const TraceStack &Out = Process.Stacks.at(*Outer);
  if (In.Python != Out.Python)
    return false;
  ArrayRef<TraceFrame> InUser =
                           ArrayRef(In.Frames).drop_front(entry(*Inner).User),
                       OutUser =
                           ArrayRef(Out.Frames).drop_front(entry(*Outer).User);
  if (!InUser.empty() || !OutUser.empty())
    return InUser == OutUser;
  // If there are only libraries, frames outside the inner call are outside the
  // outer one.
  return Out.Frames.size() < In.Frames.size() && !Out.Frames.empty() &&
         ArrayRef(In.Frames).take_back(Out.Frames.size() - 1) ==
             ArrayRef(Out.Frames).drop_front();
}

} // namespace cudagraph::probe
