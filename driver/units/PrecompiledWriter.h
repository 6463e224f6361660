//===- PrecompiledWriter.h - Writes precompiled headers ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's own PCHGenerator keeps the whole precompiled header in memory, next
// to the AST, until it is complete. PrecompiledWriter writes parts of the
// header to a file while it is created.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PRECOMPILEDWRITER_H
#define CUDAGRAPH_DRIVER_UNITS_PRECOMPILEDWRITER_H

#include "clang/Sema/SemaConsumer.h"
#include "clang/Serialization/ASTWriter.h"
#include "llvm/Bitstream/BitstreamWriter.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace clang {
class CompilerInstance;
}

namespace cudagraph::driver {

class PrecompiledWriter : public clang::SemaConsumer {
public:
  /// \p Out must stay alive until HandleTranslationUnit() returns. \p Name is
  /// the name under which the precompiled header is read.
  PrecompiledWriter(clang::CompilerInstance &CI, llvm::StringRef Name,
                    llvm::raw_fd_stream &Out);

  void InitializeSema(clang::Sema &S) override { Actions = &S; }
  void ForgetSema() override { Actions = nullptr; }
  /// Writes nothing after an error.
  void HandleTranslationUnit(clang::ASTContext &Context) override;
  void HandleVTable(clang::CXXRecordDecl *RD) override {
    Writer.handleVTable(RD);
  }
  clang::ASTMutationListener *GetASTMutationListener() override {
    return &Writer;
  }
  clang::ASTDeserializationListener *GetASTDeserializationListener() override {
    return &Writer;
  }

protected:
  clang::Sema &sema() const { return *Actions; }
  clang::ASTWriter &getWriter() { return Writer; }
  /// True if everything was written, except for what Out still buffers.
  bool isComplete() const { return Complete; }

private:
  clang::CompilerInstance &CI;
  std::string Name;
  llvm::BitstreamWriter Stream;
  llvm::SmallVector<char, 0> Unused; ///< only Clang's modules need it
  clang::ASTWriter Writer;
  clang::Sema *Actions = nullptr;
  bool Complete = false;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PRECOMPILEDWRITER_H
