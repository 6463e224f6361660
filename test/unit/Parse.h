//===- Parse.h - Code snippets as syntax trees ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a snippet as host CUDA with the runtime's mock headers and one kernel
// `k`, without any system header, in a few milliseconds. The prelude is
// included, so the snippet begins in line 1.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_PARSE_H
#define CUDAGRAPH_TEST_PARSE_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace cudagraph::unit {

/// Parses \p Code, with \p Prelude before it.
inline std::unique_ptr<clang::ASTUnit> parse(const std::string &Code,
                                             const std::string &Prelude = "") {
  // The unit refers to these texts during its lifetime.
  static std::deque<clang::tooling::FileContentMappings> Texts;
  Texts.push_back(
      {{"/unit/system/stddef.h", "typedef decltype(sizeof 0) size_t;\n"},
       {"/unit/prelude.h",
        "#include <cuda_runtime_api.h>\n"
        "extern \"C\" unsigned __cudaPushCallConfiguration(dim3, dim3, "
        "size_t = 0, CUstream_st * = 0);\n"
        "__global__ void k(float *);\n" +
            Prelude}});
  std::unique_ptr<clang::ASTUnit> Unit =
      clang::tooling::buildASTFromCodeWithArgs(
          Code,
          {"-x", "cuda", "-std=c++17", "--cuda-host-only", "-nocudainc",
           "-nocudalib", "-nostdinc", "-Xclang", "-target-sdk-version=12.9",
           "--cuda-path=" CUDAGRAPH_MOCK_CUDA, "-isystem", CUDAGRAPH_MOCK_CUDA,
           "-isystem", "/unit/system", "-include", "/unit/prelude.h", "-w"},
          "snippet.cu", "cudagraph-unit-tests",
          std::make_shared<clang::PCHContainerOperations>(),
          clang::tooling::getClangStripDependencyFileAdjuster(), Texts.back());
  EXPECT_TRUE(Unit && !Unit->getDiagnostics().hasErrorOccurred()) << Code;
  return Unit;
}

} // namespace cudagraph::unit

#endif // CUDAGRAPH_TEST_PARSE_H
