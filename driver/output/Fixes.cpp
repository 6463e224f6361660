//===- Fixes.cpp - Applies fixes to files ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixes.h"
#include "catalogue/Printable.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "support/OutputFile.h"
#include "versions/LLVMVersions.h"
#include "clang/Tooling/Core/Diagnostic.h"
#include "clang/Tooling/Core/Replacement.h"
#include "clang/Tooling/DiagnosticsYaml.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using clang::tooling::Replacement;
using clang::tooling::Replacements;

namespace cudagraph::driver {
namespace {

using FileReplacements = std::map<std::string, Replacements>;

/// Returns the byte offset of a position in \p Text, or std::nullopt.
std::optional<unsigned> offsetOf(StringRef Text, unsigned Line,
                                 unsigned Column) {
  size_t Start = 0;
  for (unsigned I = 1; I < Line; ++I) {
    Start = Text.find('\n', Start);
    if (Start == StringRef::npos)
      return std::nullopt;
    ++Start;
  }
  if (Column == 0 || Start + Column - 1 > Text.size())
    return std::nullopt;
  return Start + Column - 1;
}

/// Adds one edit; returns false if it conflicts or has an invalid location.
/// Adding the same edit twice is not a conflict.
bool addEdit(const Fix &Edit, FileReplacements &All) {
  std::unique_ptr<MemoryBuffer> Buffer = tryReadBuffer(Edit.Range.File);
  if (!Buffer)
    return false;
  StringRef Text = Buffer->getBuffer();
  auto Begin = offsetOf(Text, Edit.Range.Line, Edit.Range.Column);
  auto End = offsetOf(Text, Edit.Range.EndLine, Edit.Range.EndColumn);
  if (!Begin || !End || *End < *Begin)
    return false;
  Replacement New(Edit.Range.File, *Begin, *End - *Begin, Edit.Text);
  Replacements &File = All[Edit.Range.File];
  if (is_contained(File, New))
    return true;
  if (Error E = File.add(New)) {
    consumeError(std::move(E));
    return false;
  }
  return true;
}

/// True if the fixes of \p A and \p B cannot both be applied.
bool conflict(const Finding &A, const Finding &B) {
  FileReplacements Both;
  for (const Fix &Edit : A.Fixes)
    addEdit(Edit, Both);
  return !llvm::all_of(B.Fixes,
                       [&](const Fix &Edit) { return addEdit(Edit, Both); });
}

Error writeFile(const std::string &Path, const Replacements &Edits) {
  auto Buffer = readBuffer(Path, support::Bound::Data);
  if (!Buffer)
    return Buffer.takeError();
  Expected<std::string> Changed =
      clang::tooling::applyAllReplacements((*Buffer)->getBuffer(), Edits);
  if (!Changed)
    return Changed.takeError();
  if (Error E = support::writeOutput(Path, *Changed))
    return makeError("cannot write " + Path + ": " + toString(std::move(E)));
  return Error::success();
}

} // namespace

Error exportFixes(const reports::Report &R, const std::string &File) {
  clang::tooling::TranslationUnitDiagnostics All;
  auto Placed = [&](const Location &L, StringRef Message) {
    clang::tooling::DiagnosticMessage Result(Message);
    SmallString<256> Path(L.File);
    sys::path::make_absolute(R.WorkingDirectory, Path);
    Result.FilePath = Path.str().str();
    if (std::unique_ptr<MemoryBuffer> Buffer = tryReadBuffer(Path))
      Result.FileOffset =
          offsetOf(Buffer->getBuffer(), L.Line, L.Column).value_or(0);
    return Result;
  };
  for (const Finding &F : R.Findings) {
    if (F.Fixes.empty())
      continue;
    clang::tooling::Diagnostic D;
    D.DiagnosticName = F.Check;
    D.DiagLevel = clang::tooling::Diagnostic::Warning;
    D.BuildDirectory = R.WorkingDirectory;
    D.Message = Placed(F.Loc, F.Message);
    FileReplacements Edits;
    if (!llvm::all_of(F.Fixes,
                      [&](const Fix &Edit) { return addEdit(Edit, Edits); }))
      continue;
    for (const auto &[Path, Changes] : Edits) {
      SmallString<256> Full(Path);
      sys::path::make_absolute(R.WorkingDirectory, Full);
      for (const Replacement &Each : Changes)
        cantFail(D.Message.Fix[Full].add(
            Replacement(Full, Each.getOffset(), Each.getLength(),
                        Each.getReplacementText())));
    }
    for (const Step &S : F.Notes)
      D.Notes.push_back(Placed(S.Loc.valid() ? S.Loc : F.Loc, S.Message));
    All.MainSourceFile = D.Message.FilePath;
    All.Diagnostics.push_back(std::move(D));
  }
  std::string Text;
  raw_string_ostream Out(Text);
  yaml::Output Yaml(Out);
  Yaml << All;
  if (Error E = support::writeOutput(File, Text))
    return makeError("cannot write " + File + ": " + toString(std::move(E)));
  return Error::success();
}

Error applyFixes(const reports::Report &R, raw_ostream &Log) {
  FileReplacements All;
  std::vector<const Finding *> Applied;
  for (const Finding &F : R.Findings) {
    if (F.Fixes.empty())
      continue;
    FileReplacements Attempt = All;
    if (llvm::all_of(F.Fixes,
                     [&](const Fix &Edit) { return addEdit(Edit, Attempt); })) {
      All = std::move(Attempt);
      Applied.push_back(&F);
      continue;
    }
    Log << printable(reports::spelled(F.Loc)) << ": fix not applied: ";
    auto Other = find_if(
        Applied, [&](const Finding *Known) { return conflict(*Known, F); });
    if (Other == Applied.end())
      Log << "the file changed since the analysis\n";
    else
      Log << "it conflicts with the fix of "
          << printable(reports::spelled((*Other)->Loc)) << " ["
          << (*Other)->Check << "]; run again after this\n";
  }
  for (const auto &[Path, Edits] : All)
    if (Error E = writeFile(Path, Edits))
      return E;
  Log << "cudagraph-tidy: ";
  if (Applied.empty())
    Log << "nothing to fix\n";
  else
    Log << "fixed " << reports::counted(Applied.size(), "finding") << " in "
        << reports::counted(All.size(), "file") << "\n";
  return Error::success();
}

} // namespace cudagraph::driver
