//===- ShellCommandTest.cpp - Command lines and the shell -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the shell commands of builds.
//
//===----------------------------------------------------------------------===//

#include "driver/database/ShellCommand.h"
#include "driver/translation/Compiler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace cudagraph::driver;

namespace {

/// "DIR: WORDS; DIR: WORDS"
std::string steps(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> Words(Parts.begin(), Parts.end());
  std::string Result;
  for (const ShellStep &S : splitShellCommand(Words, "/b")) {
    if (!Result.empty())
      Result += "; ";
    Result += S.Directory + ": " + llvm::join(S.Words, " ");
  }
  return Result;
}

TEST(ShellCommand, ChainsAreTakenApart) {
  EXPECT_EQ(steps("nvcc -c a.cu"), "/b: nvcc -c a.cu");
  EXPECT_EQ(steps(": && g++ -c a.cpp && :"), "/b: g++ -c a.cpp");
  EXPECT_EQ(steps("cd sub && nvcc -c a.cu"), "/b/sub: nvcc -c a.cu");
  EXPECT_EQ(steps("cd /x; cd ../y; nvcc a.cu"), "/y: nvcc a.cu");
  EXPECT_EQ(steps("(cd x && nvcc -c a.cu)"), "/b/x: nvcc -c a.cu");
  EXPECT_EQ(steps("A=b C= nvcc -DX=1 a.cu"), "/b: nvcc -DX=1 a.cu");
  EXPECT_EQ(steps("nvcc -c a.cu > log 2>&1 | tee x"),
            "/b: nvcc -c a.cu; /b: tee x");
  EXPECT_EQ(steps("nvcc -M a.cu >a.d && nvcc -c a.cu"),
            "/b: nvcc -M a.cu; /b: nvcc -c a.cu");
  EXPECT_EQ(steps(""), "");
  EXPECT_EQ(steps("cd x &&"), "");
}

TEST(ShellCommand, WhatIsNoOperatorStays) {
  EXPECT_EQ(steps("g++ -DA=x;y -DB=a|b a.cpp;"),
            "/b: g++ -DA=x;y -DB=a|b a.cpp;");
}

TEST(ShellCommand, ArgumentsAreQuotedForTheShell) {
  EXPECT_EQ(quoteForShell({"clang++", "-I/a", "--offload-arch=sm_90a"}),
            "clang++ -I/a --offload-arch=sm_90a");
  EXPECT_EQ(quoteForShell({"-DA=f(1)", "-DB=\"x y\"", "it's", ""}),
            "'-DA=f(1)' '-DB=\"x y\"' 'it'\\''s' ''");
  EXPECT_EQ(quoteForShell({"$HOME", "`x`", "*", "~/a", "a;b"}),
            "'$HOME' '`x`' '*' '~/a' 'a;b'");
}

TEST(Compiler, CompilersAreKnownByName) {
  for (const char *Name :
       {"nvcc", "/opt/cuda/bin/nvcc", "nvcc_wrapper", "g++", "g++-12",
        "x86_64-linux-gnu-g++-12.2", "cc", "clang-22", "clang++", "icpx",
        "mpicxx", "crosstool_wrapper_driver_is_not_gcc"})
    EXPECT_TRUE(isCompiler(Name)) << Name;
  for (const char *Name :
       {"python3", "clang-tidy", "clang-format-22", "ar", "cmake", "gfortran",
        "ld", "/opt/gcc/bin/as", "nvlink"})
    EXPECT_FALSE(isCompiler(Name)) << Name;
}

} // namespace
