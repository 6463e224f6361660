//===- Trace.cpp - The trace file of one process --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include <fcntl.h>
#include <functional>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace cudagraph::probe {

std::string hex(uint64_t Value) {
  char Text[19];
  std::snprintf(Text, sizeof Text, "0x%llx",
                static_cast<unsigned long long>(Value));
  return Text;
}

long threadId() {
  thread_local const long Id = syscall(SYS_gettid);
  return Id;
}

uint64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return T.tv_sec * uint64_t(1'000'000'000) + T.tv_nsec;
}

bool Trace::open(const std::string &Directory, unsigned Most,
                 uint64_t MostBytes) {
  Limit = Most;
  ByteLimit = MostBytes;
  std::string Path = Directory + "/" + std::to_string(getpid()) + ".jsonl";
  File = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return File >= 0;
}

void Trace::abandon() { File = -1; }

void Trace::writeLine(const Json &Event) {
  std::string Line =
      Event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  Bytes += Line.size();
  const char *At = Line.data();
  for (size_t Left = Line.size(); Left;) {
    ssize_t Written = ::write(File, At, Left);
    if (Written <= 0) {
      if (Written < 0 && errno == EINTR)
        continue;
      File = -1; // a full disk: existing contents are kept
      return;
    }
    At += Written;
    Left -= Written;
  }
  ++Lines;
}

void Trace::write(Json Event, uint64_t Key) {
  std::lock_guard Guard(Lock);
  if (File < 0)
    return;
  if (Key) {
    auto [It, New] = Known.try_emplace(Key);
    if (!New) {
      ++It->second.Times;
      return;
    }
    It->second.Line = Lines;
  }
  if (isFull()) {
    std::string Most = Events >= Limit
                           ? std::to_string(Limit) +
                                 " events; CUDAGRAPH_PROBE_LIMIT sets the limit"
                           : std::to_string(ByteLimit >> 20) + " MiB of events";
    if (!Said)
      writeLine({{"e", nameOf(Line::Limit)}, {"text", "more than " + Most}});
    Said = true;
    if (Key)
      Known.erase(Key);
    return;
  }
  ++Events;
  if (long Tid = threadId(); !std::exchange(Threads[Tid], true)) {
    char Name[32] = "";
    pthread_getname_np(pthread_self(), Name, sizeof Name);
    writeLine({{"e", nameOf(Line::Thread)}, {"tid", Tid}, {"name", Name}});
    if (Key)
      Known[Key].Line = Lines;
  }
  writeLine(Event);
}

Json Trace::frameLocked(uint64_t Address) {
  int Index = Loaded.find(Address);
  for (; ModulesWritten < Loaded.size(); ++ModulesWritten) {
    const Module &M = Loaded[ModulesWritten];
    writeLine({{"e", nameOf(Line::Module)},
               {"id", ModulesWritten},
               {"path", M.Path},
               {"bias", hex(M.Bias)},
               {"build_id", M.BuildId}});
  }
  if (Index < 0)
    return Json::array({-1, Address});
  return Json::array({Index, Address - Loaded[Index].Bias});
}

Json Trace::frame(uint64_t Address) {
  std::lock_guard Guard(Lock);
  return frameLocked(Address);
}

unsigned Trace::stack() {
  std::vector<uint64_t> Native = nativeStack();
  std::vector<PythonFrame> Python = pythonStack();
  uint64_t Hash = 1469598103934665603u;
  auto Mix = [&](uint64_t N) { Hash = (Hash ^ N) * 1099511628211u; };
  for (uint64_t A : Native)
    Mix(A);
  for (const PythonFrame &F : Python) {
    Mix(std::hash<std::string>()(F.File));
    Mix(F.Line);
  }
  std::lock_guard Guard(Lock);
  if (File < 0)
    return 0;
  auto [It, New] = Stacks.try_emplace(Hash, Stacks.size() + 1);
  if (!New || isFull())
    return It->second;
  Json Event{{"e", nameOf(Line::Stack)}, {"id", It->second}};
  Json Frames = Json::array();
  bool Leading = true;
  for (uint64_t A : Native) {
    Json Frame = frameLocked(A);
    int Index = Frame[0];
    Leading &= Index >= 0 && Loaded[Index].Hidden;
    if (!Leading)
      Frames.push_back(std::move(Frame));
  }
  Event["frames"] = std::move(Frames);
  if (!Python.empty()) {
    Json List = Json::array();
    for (const PythonFrame &F : Python)
      List.push_back(
          {{"file", F.File}, {"line", F.Line}, {"function", F.Function}});
    Event["python"] = std::move(List);
  }
  writeLine(Event);
  return It->second;
}

void Trace::finish() {
  std::lock_guard Guard(Lock);
  if (File < 0)
    return;
  for (const auto &[Key, R] : Known)
    if (R.Times)
      writeLine(
          {{"e", nameOf(Line::Repeat)}, {"of", R.Line}, {"times", R.Times}});
  writeLine({{"e", nameOf(Line::Exit)}});
  File = -1;
}

} // namespace cudagraph::probe
