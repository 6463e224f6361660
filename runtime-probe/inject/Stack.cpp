//===- Stack.cpp - The call stack in C++ and in Python --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stack.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>
#include <utility>

namespace cudagraph::probe {

namespace {

constexpr int MaxFrames = 64;
/// Room for the output of _Py_DumpTraceback: at most 100 frames.
constexpr size_t MaxTraceback = 64 * 1024;

std::string buildIdOf(const dl_phdr_info &Info) {
  for (int I = 0; I < Info.dlpi_phnum; ++I) {
    const ElfW(Phdr) &P = Info.dlpi_phdr[I];
    if (P.p_type != PT_NOTE)
      continue;
    const char *At = reinterpret_cast<const char *>(Info.dlpi_addr + P.p_vaddr);
    const char *End = At + P.p_memsz;
    while (At + sizeof(ElfW(Nhdr)) <= End) {
      ElfW(Nhdr) Note;
      std::memcpy(&Note, At, sizeof Note);
      const char *Name = At + sizeof Note;
      const char *Data = Name + ((Note.n_namesz + 3) & ~3u);
      if (Data + Note.n_descsz > End)
        break;
      if (Note.n_type == NT_GNU_BUILD_ID && Note.n_namesz == 4 &&
          !std::memcmp(Name, "GNU", 4)) {
        std::string Result;
        for (unsigned B = 0; B < Note.n_descsz; ++B) {
          char Two[3];
          std::snprintf(Two, sizeof Two, "%02x",
                        static_cast<unsigned char>(Data[B]));
          Result += Two;
        }
        return Result;
      }
      At = Data + ((Note.n_descsz + 3) & ~3u);
    }
  }
  return {};
}

/// Adds the file, unless it is already known.
void addModule(const dl_phdr_info &Info, std::vector<Module> &All) {
  Module M;
  M.Bias = Info.dlpi_addr;
  for (int I = 0; I < Info.dlpi_phnum; ++I) {
    const ElfW(Phdr) &P = Info.dlpi_phdr[I];
    if (P.p_type == PT_LOAD)
      M.Segments.push_back(
          {M.Bias + P.p_vaddr, M.Bias + P.p_vaddr + P.p_memsz});
  }
  if (M.Segments.empty())
    return;
  M.Path = Info.dlpi_name ? Info.dlpi_name : "";
  if (M.Path.empty()) { // the program itself has no name
    char Self[PATH_MAX];
    ssize_t Length = readlink("/proc/self/exe", Self, sizeof Self);
    M.Path.assign(Self, Length > 0 ? Length : 0);
  }
  auto Known = std::find_if(All.begin(), All.end(), [&](const Module &Other) {
    return Other.Bias == M.Bias && Other.Path == M.Path &&
           Other.Segments == M.Segments;
  });
  if (Known != All.end()) {
    Known->Loaded = true;
    return;
  }
  M.BuildId = buildIdOf(Info);
  static const int Mine = 0;
  auto Here = reinterpret_cast<uint64_t>(&Mine);
  for (auto [Begin, End] : M.Segments)
    M.Hidden |= Begin <= Here && Here < End;
  M.Hidden |= M.Path.find("/libcupti.so") != std::string::npos;
  All.push_back(std::move(M));
}

} // namespace

/// A file that was unloaded keeps its index, and another file may now be at its
/// addresses.
void Modules::refresh() {
  struct Pass {
    Modules &Of;
    bool First = true;
  } P{*this};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        auto &P = *static_cast<Pass *>(Data);
        Modules &Of = P.Of;
        if (std::exchange(P.First, false)) {
          if (Info->dlpi_adds == Of.Loads && Info->dlpi_subs == Of.Unloads)
            return 1; // nothing has changed
          Of.Loads = Info->dlpi_adds;
          Of.Unloads = Info->dlpi_subs;
          for (Module &M : Of.All)
            M.Loaded = false;
        }
        addModule(*Info, Of.All);
        return 0;
      },
      &P);
}

int Modules::find(uint64_t Address) {
  refresh();
  for (size_t I = All.size(); I-- > 0;)
    if (All[I].Loaded)
      for (auto [Begin, End] : All[I].Segments)
        if (Begin <= Address && Address < End)
          return static_cast<int>(I);
  return -1;
}

std::vector<uint64_t> nativeStack() {
  void *Frames[MaxFrames];
  int Count = backtrace(Frames, MaxFrames);
  std::vector<uint64_t> Result;
  for (int I = 0; I < Count; ++I)
    Result.push_back(reinterpret_cast<uint64_t>(Frames[I]));
  return Result;
}

namespace {

/// The parts of CPython that the probe uses, from the loaded interpreter.
struct Interpreter {
  int (*IsInitialized)() = nullptr;
  void *(*GetThisThreadState)() = nullptr;
  void (*DumpTraceback)(int, void *) = nullptr;

  Interpreter() {
    auto Find = [](auto &Into, const char *Name) {
      Into = reinterpret_cast<std::decay_t<decltype(Into)>>(
          dlsym(RTLD_DEFAULT, Name));
    };
    Find(IsInitialized, "Py_IsInitialized");
    Find(GetThisThreadState, "PyGILState_GetThisThreadState");
    Find(DumpTraceback, "_Py_DumpTraceback");
  }
  bool complete() const {
    return IsInitialized && GetThisThreadState && DumpTraceback;
  }
};

/// One line: `  File "a.py", line 3 in step`.
bool parseFrame(const std::string &Line, PythonFrame &Frame) {
  constexpr std::string_view Open = "  File \"", Middle = "\", line ",
                             Close = " in ";
  if (!Line.starts_with(Open))
    return false;
  size_t At = Line.rfind(Middle);
  if (At == std::string::npos || At < Open.size())
    return false;
  Frame.File = Line.substr(Open.size(), At - Open.size());
  size_t Number = At + Middle.size();
  size_t In = Line.find(Close, Number);
  Frame.Line = std::strtoul(Line.c_str() + Number, nullptr, 10);
  if (In != std::string::npos)
    Frame.Function = Line.substr(In + Close.size());
  return true;
}

} // namespace

std::vector<PythonFrame> pythonStack() {
  // Each call searches for the interpreter until it is found, because it may be
  // loaded late. Each thread searches separately, because several may call this
  // function at the same time.
  thread_local Interpreter Python;
  if (!Python.complete())
    Python = Interpreter();
  if (!Python.complete() || !Python.IsInitialized())
    return {};
  void *State = Python.GetThisThreadState();
  if (!State)
    return {};
  int File = memfd_create("cudagraph-probe", MFD_CLOEXEC);
  if (File < 0)
    return {};
  Python.DumpTraceback(File, State);
  std::string Text(MaxTraceback, '\0');
  ssize_t Length = pread(File, Text.data(), Text.size(), 0);
  close(File);
  Text.resize(Length > 0 ? Length : 0);
  std::vector<PythonFrame> Result;
  for (size_t At = 0; At < Text.size();) {
    size_t End = std::min(Text.find('\n', At), Text.size());
    if (PythonFrame Frame; parseFrame(Text.substr(At, End - At), Frame))
      Result.push_back(std::move(Frame));
    At = End + 1;
  }
  return Result;
}

namespace {

/// Calls \p Visit for each activation, innermost first, until it returns true.
template <typename F> void eachActivation(F Visit) {
  struct Walk {
    F &Visit;
    uint64_t Inner = 0; ///< code of the function before
  } W{Visit};
  _Unwind_Backtrace(
      [](_Unwind_Context *At, void *Data) {
        auto &W = *static_cast<Walk *>(Data);
        // The beginning of a function's own stack is the end of its caller's
        // stack.
        bool Stop = W.Inner && W.Visit({_Unwind_GetCFA(At), W.Inner});
        W.Inner = reinterpret_cast<uint64_t>(_Unwind_FindEnclosingFunction(
            reinterpret_cast<void *>(_Unwind_GetIP(At) - 1)));
        return Stop ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &W);
}

} // namespace

Activation ownerOf(uint64_t Address) {
  Activation Result;
  eachActivation([&](const Activation &A) {
    if (A.Frame <= Address)
      return false;
    Result = A;
    return true;
  });
  return Result;
}

bool isActive(const Activation &A) {
  bool Found = false;
  eachActivation([&](const Activation &Each) {
    Found = Each.Frame == A.Frame && Each.Code == A.Code;
    return Found || Each.Frame > A.Frame;
  });
  return Found;
}

bool isOnStack(uint64_t Address) {
  struct Range {
    uint64_t Low = 0, High = 0;
    Range() {
      pthread_attr_t Attributes;
      if (pthread_getattr_np(pthread_self(), &Attributes))
        return;
      void *Base = nullptr;
      size_t Size = 0;
      if (!pthread_attr_getstack(&Attributes, &Base, &Size)) {
        Low = reinterpret_cast<uint64_t>(Base);
        High = Low + Size;
      }
      pthread_attr_destroy(&Attributes);
    }
  };
  thread_local const Range Mine;
  return Mine.Low <= Address && Address < Mine.High;
}

} // namespace cudagraph::probe
