//===- ProbeTraceTest.cpp - Stacks and traces of the injected library -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the library that do not need CUDA: the owner of a stack address,
// the file of a frame, and the contents of the trace after several events.
//
//===----------------------------------------------------------------------===//

#include "inject/ThreadOwn.h"
#include "inject/Trace.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <thread>
#include <unistd.h>

using namespace cudagraph::probe;

namespace {

uint64_t addressOf(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// Returns the owner of one of its own local variables.
__attribute__((noinline)) Activation ownerOfLocal(bool &ActiveInside) {
  volatile int Local = 1;
  Activation Owner = ownerOf(addressOf(const_cast<int *>(&Local)));
  ActiveInside = isActive(Owner);
  return Owner;
}

TEST(ProbeStack, FunctionsThatHaveReturnedAreKnown) {
  bool ActiveInside = false;
  Activation Gone = ownerOfLocal(ActiveInside);
  EXPECT_TRUE(ActiveInside);
  ASSERT_NE(Gone.Frame, 0u);
  EXPECT_FALSE(isActive(Gone));
  int Mine = 0;
  Activation Here = ownerOf(addressOf(&Mine));
  ASSERT_NE(Here.Frame, 0u);
  EXPECT_NE(Here.Frame, Gone.Frame);
  EXPECT_TRUE(isActive(Here));
}

TEST(ProbeStack, StackHeapAndStaticDiffer) {
  int Local = 0;
  static int Global = 0;
  std::vector<int> Heap(1);
  EXPECT_TRUE(isOnStack(addressOf(&Local)));
  EXPECT_FALSE(isOnStack(addressOf(&Global)));
  EXPECT_FALSE(isOnStack(addressOf(Heap.data())));
  Modules Loaded;
  int Self = Loaded.find(addressOf(&Global));
  ASSERT_GE(Self, 0);
  EXPECT_TRUE(llvm::StringRef(Loaded[Self].Path).contains("UnitTests"))
      << Loaded[Self].Path;
  EXPECT_EQ(Loaded.find(addressOf(Heap.data())), -1);
}

TEST(ProbeStack, UnloadedFilesDoNotOwnAddresses) {
  void *Library = dlopen("libanl.so.1", RTLD_NOW);
  if (!Library)
    GTEST_SKIP() << "no library to load";
  link_map *Map = nullptr;
  ASSERT_EQ(dlinfo(Library, RTLD_DI_LINKMAP, &Map), 0);
  uint64_t Base = Map->l_addr;
  Modules Loaded;
  bool Known = Loaded.find(Base) >= 0;
  dlclose(Library);
  if (!dlopen("libanl.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    EXPECT_TRUE(Known);
    EXPECT_EQ(Loaded.find(Base), -1);
  }
}

/// An object whose destructor uses the probe's data, as calls to CUDA do.
struct Late {
  int &Seen;
  ~Late() {
    Seen = ThreadOwn<std::vector<int>>::get().size() == 1
               ? ThreadOwn<std::vector<int>>::get().front()
               : -1;
  }
};

TEST(ProbeThreads, DataOutlivesObjectsOfTheThread) {
  int Seen = 0;
  std::thread([&] {
    thread_local Late Object{Seen};
    (void)Object;
    ThreadOwn<std::vector<int>>::get().push_back(7);
  }).join();
  EXPECT_EQ(Seen, 7);
}

TEST(ProbeThreads, DataIsDeletedWithItsThread) {
  static std::atomic<int> Live = 0;
  struct Counted {
    Counted() { ++Live; }
    ~Counted() { --Live; }
  };
  std::thread([] {
    ThreadOwn<Counted>::get();
    EXPECT_EQ(Live, 1);
  }).join();
  EXPECT_EQ(Live, 0);
}

/// A trace in a fresh directory, and its lines so far.
class ProbeTrace : public testing::Test {
protected:
  void open(unsigned Limit) {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("probe-trace", Directory));
    ASSERT_TRUE(File.open(Directory.str().str(), Limit));
  }
  std::vector<Json> lines() {
    std::string Path =
        (Directory + "/" + std::to_string(getpid()) + ".jsonl").str();
    auto Text = llvm::MemoryBuffer::getFile(Path);
    std::vector<Json> Result;
    if (!Text)
      return Result;
    llvm::StringRef Rest = (*Text)->getBuffer();
    while (!Rest.empty()) {
      auto [Line, After] = Rest.split('\n');
      Result.push_back(Json::parse(Line.str(), nullptr, false));
      Rest = After;
    }
    return Result;
  }
  std::vector<std::string> kinds() {
    std::vector<std::string> Result;
    for (const Json &Each : lines())
      Result.push_back(Each["e"]);
    return Result;
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Directory); }

  llvm::SmallString<128> Directory;
  Trace File;
};

using Kinds = std::vector<std::string>;

TEST_F(ProbeTrace, RepeatsAreCounted) {
  open(100);
  for (int I = 0; I < 3; ++I)
    File.write({{"e", "call"}, {"api", "a"}}, 7);
  File.write({{"e", "call"}, {"api", "b"}}, 8);
  // Each line is written before the end.
  EXPECT_EQ(kinds(), (Kinds{"thread", "call", "call"}));
  File.finish();
  std::vector<Json> All = lines();
  EXPECT_EQ(kinds(), (Kinds{"thread", "call", "call", "repeat", "exit"}));
  EXPECT_EQ(All[3]["of"], 1);
  EXPECT_EQ(All[3]["times"], 2);
}

TEST_F(ProbeTrace, TheLimitIsSaidOnce) {
  open(2);
  for (int I = 0; I < 5; ++I)
    File.write({{"e", "begin"}});
  File.finish();
  EXPECT_EQ(kinds(), (Kinds{"thread", "begin", "begin", "limit", "exit"}));
}

TEST_F(ProbeTrace, TheSizeIsLimited) {
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("probe-trace", Directory));
  ASSERT_TRUE(File.open(Directory.str().str(), 100, 2000));
  for (int I = 0; I < 5; ++I)
    File.write({{"e", "begin"}, {"name", std::string(1200, 'n')}});
  File.finish();
  EXPECT_EQ(kinds(), (Kinds{"thread", "begin", "begin", "limit", "exit"}));
}

TEST_F(ProbeTrace, AForkedChildWritesNothing) {
  open(10);
  File.abandon();
  File.write({{"e", "begin"}});
  File.finish();
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(ProbeTrace, StacksAreWrittenOnceAfterTheirModules) {
  open(10);
  std::vector<unsigned> Ids;
  volatile int Twice = 2; // one call, executed twice
  for (int I = 0; I < Twice; ++I)
    Ids.push_back(File.stack());
  EXPECT_EQ(Ids.front(), Ids.back());
  Kinds Seen = kinds();
  ASSERT_FALSE(Seen.empty());
  EXPECT_EQ(Seen.back(), "stack");
  EXPECT_EQ(std::count(Seen.begin(), Seen.end(), "stack"), 1);
  EXPECT_GT(std::count(Seen.begin(), Seen.end(), "module"), 0);
}

TEST_F(ProbeTrace, BytesThatAreNoUtf8Survive) {
  open(10);
  File.write({{"e", "begin"}, {"name", "\xff\xfe"}});
  File.finish();
  EXPECT_EQ(kinds(), (Kinds{"thread", "begin", "exit"}));
}

} // namespace
