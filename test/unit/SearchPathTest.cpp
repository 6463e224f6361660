//===- SearchPathTest.cpp - Directories in a command ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/translation/SearchPath.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace cudagraph::driver;
using namespace llvm;

namespace {

using Words = std::vector<std::string>;

/// The environment of the test has no directories of its own.
class SearchPath : public testing::Test {
protected:
  void SetUp() override {
    for (const char *Name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
      unsetenv(Name);
  }
};

TEST_F(SearchPath, KeepsTheOrderOfDirectories) {
  Words Args = {"clang++", "-Ia", "-isystem", "/b/../c", "-iquoted", "x.cu"};
  EXPECT_EQ(searchPath(Args, "/p"), (Words{"/p/a", "/c", "/p/d"}));
}

TEST_F(SearchPath, RemovesDotsButFollowsLinks) {
  SmallString<128> Root;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("search", Root));
  std::string Base = Root.str().str();
  for (const char *Each : {"/common", "/x/y", "/other/common", "/other/z"})
    ASSERT_FALSE(sys::fs::create_directories(Base + Each));
  ASSERT_FALSE(sys::fs::create_link(Base + "/other/z", Base + "/link"));
  Words Args = {"clang++",
                "-I" + Base + "/x/y/../../common",
                "-isystem",
                Base + "/./common",
                "-I" + Base + "/link/../common",
                "-Irelative/../common",
                "-I/missing/../common"};
  simplifySearchPath(Args);
  EXPECT_EQ(Args, (Words{"clang++", "-I" + Base + "/common", "-isystem",
                         Base + "/common", "-I" + Base + "/link/../common",
                         "-Irelative/../common", "-I/missing/../common"}));
  sys::fs::remove_directories(Root);
}

TEST_F(SearchPath, DependsOnTheDirectoryUnlessAllPathsAreAbsolute) {
  EXPECT_FALSE(dependsOnDirectory({"clang++",
                                   "-include",
                                   "/p/prelude.h",
                                   "-DA=b/c",
                                   "-D",
                                   "X=y",
                                   "-I/a",
                                   "-isystem",
                                   "/b",
                                   "-std=c++17",
                                   "-x",
                                   "cuda",
                                   "--cuda-path=/usr/cuda",
                                   "--offload-arch=sm_90",
                                   "--cuda-host-only",
                                   "-fPIC",
                                   "-ferror-limit=0",
                                   "-Wall",
                                   "-O2",
                                   "-Xclang",
                                   "-target-sdk-version=12.9",
                                   "-include",
                                   "missing.h",
                                   "/p/a.cu"},
                                  "/"));
  SmallString<128> Root;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("search", Root));
  ASSERT_FALSE(sys::fs::create_directories(Root + "/config.h"));
  for (const Words &Some : std::vector<Words>{{"-I."},
                                              {"-I", "inc"},
                                              {"-include", "config.h"},
                                              {"a.cu"},
                                              {"-Wp,-include,config.h"},
                                              {"--sysroot=sys"},
                                              {"-fmodule-map-file=m"},
                                              {"-unknown"}}) {
    Words Args = {"clang++"};
    Args.insert(Args.end(), Some.begin(), Some.end());
    EXPECT_TRUE(dependsOnDirectory(Args, Root.str().str())) << Some.front();
  }
  sys::fs::remove_directories(Root);
  // An empty element is the working directory.
  setenv("CPATH", "", 1);
  EXPECT_TRUE(dependsOnDirectory({"clang++", "/p/a.cu"}, "/"));
  unsetenv("CPATH");
}

} // namespace
