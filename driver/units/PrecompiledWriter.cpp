//===- PrecompiledWriter.cpp - Writes precompiled headers -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's bitstream writer moves its buffer to the file only at the end of a
// block. Nearly the whole precompiled header is one block, of declarations and
// types. While Clang writes it, Clang queries the external source of the AST
// about each function with a body. The buffer is moved at that time.
//
//===----------------------------------------------------------------------===//

#include "PrecompiledWriter.h"
#include "driver/support/ProcessMemory.h"
#include "versions/PCHVersions.h"
#include "versions/PrivateMembers.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr size_t LargestBuffer = 1 << 20;
/// Freed memory is returned to the system after this many bytes.
constexpr uint64_t WrittenBetweenTrims = 16 << 20;

/// Moves the buffer of a bitstream writer when Clang queries the external
/// source.
class FlushingSource : public clang::ExternalASTSource {
public:
  explicit FlushingSource(BitstreamWriter &Stream) : Stream(Stream) {}

  ExtKind hasExternalDefinitions(const clang::Decl *) override {
    size_t Size = sizeOfBuffer(Stream);
    if (Size > LargestBuffer) {
      flushBuffer(Stream);
      Written += Size;
    }
    if (Written > WrittenBetweenTrims) {
      trimMemory();
      Written = 0;
    }
    return EK_ReplyHazy; // the answer without an external source
  }

private:
  BitstreamWriter &Stream;
  uint64_t Written = 0; ///< since memory was returned
};

/// Frees memory that only the parser needs: the text of the files, which is
/// read again if it is requested, and the types that the parser passed to the
/// semantic analysis.
void freeParserMemory(clang::SourceManager &SM, clang::Sema &S) {
  for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It)
    It->second->setBuffer(nullptr);
  S.SpecialMemberCache.clear(); // its entries are in the same memory
  S.BumpAlloc.Reset();
  trimMemory();
}

} // namespace

PrecompiledWriter::PrecompiledWriter(clang::CompilerInstance &CI,
                                     StringRef Name, raw_fd_stream &Out)
    : CI(CI), Name(Name.str()), Stream(Out, /*FlushThreshold=*/1),
      Writer(makeWriter(CI, Stream, Unused)) {}

void PrecompiledWriter::HandleTranslationUnit(clang::ASTContext &Context) {
  if (CI.hadModuleLoaderFatalFailure() ||
      CI.getDiagnostics().hasErrorOccurred())
    return;
  freeParserMemory(CI.getSourceManager(), *Actions);
  IntrusiveRefCntPtr<clang::ExternalASTSource> Before(
      Context.getExternalSource());
  Context.setExternalSource(makeIntrusiveRefCnt<FlushingSource>(Stream));
  writeAST(Writer, *Actions, Name);
  Context.setExternalSource(Before);
  Stream.FlushToWord();
  if (sizeOfBuffer(Stream))
    flushBuffer(Stream);
  Complete = true;
}

} // namespace cudagraph::driver
