//===- AvailableMemoryTest.cpp - The limits of a system -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/support/AvailableMemory.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace cudagraph::driver;

namespace {

/// The files of a system.
class AvailableMemory : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("memory", Root));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Root); }

  void file(llvm::StringRef Name, llvm::StringRef Text) {
    llvm::SmallString<128> Path(Root);
    llvm::sys::path::append(Path, Name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path));
    std::error_code EC;
    llvm::raw_fd_ostream(Path, EC) << Text;
    ASSERT_FALSE(EC);
  }
  std::optional<uint64_t> available() { return availableMemoryUnder(Root); }

  llvm::SmallString<128> Root;
};

TEST_F(AvailableMemory, IsUnknownWithoutTheseFiles) {
  EXPECT_EQ(available(), std::nullopt);
}

TEST_F(AvailableMemory, IsThatOfTheSystem) {
  file("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n");
  EXPECT_EQ(available(), 1000U * 1024);
}

TEST_F(AvailableMemory, IsThatOfTheSmallestGroup) {
  file("proc/meminfo", "MemAvailable:    1000 kB\n");
  file("proc/self/cgroup", "1:cpu:/x\n0::/a/b\n");
  file("sys/fs/cgroup/a/b/memory.max", "max\n");
  file("sys/fs/cgroup/a/b/memory.current", "5\n");
  EXPECT_EQ(available(), 1000U * 1024);
  // The memory of the file cache is available.
  file("sys/fs/cgroup/a/memory.max", "50000\n");
  file("sys/fs/cgroup/a/memory.current", "30000\n");
  file("sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 10000\n");
  EXPECT_EQ(available(), 30000U);
  file("sys/fs/cgroup/memory.max", "100\n");
  file("sys/fs/cgroup/memory.current", "130\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(AvailableMemory, OfThisProcessIsKnown) {
#ifdef __linux__
  EXPECT_GT(availableMemory(), 0U);
  EXPECT_GT(residentMemory(getpid()), uint64_t(1) << 20);
#endif
  EXPECT_EQ(residentMemory(-1), 0U);
}

} // namespace
