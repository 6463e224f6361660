//===- SourceSites.cpp - Locations and texts of a source ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceSites.h"
#include "ProjectCode.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace cudagraph {

/// Keeps messages on one line.
static std::string onOneLine(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    bool Space = C == ' ' || C == '\n' || C == '\t' || C == '\r';
    if (!Space)
      Result += C;
    else if (!Result.empty() && Result.back() != ' ')
      Result += ' ';
  }
  return Result;
}

std::string SourceSites::textOf(SourceRange S, CharSourceRange R) const {
  if (R.isInvalid()) {
    // Written inside a macro: as spelled there.
    SourceLocation B = SM.getSpellingLoc(S.getBegin());
    SourceLocation E = SM.getSpellingLoc(S.getEnd());
    if (B.isInvalid() || SM.getFileID(B) != SM.getFileID(E) ||
        SM.getFileOffset(E) < SM.getFileOffset(B))
      return {};
    R = Lexer::getAsCharRange(SourceRange(B, E), SM, Opts);
  }
  return onOneLine(Lexer::getSourceText(R, SM, Opts));
}

Place SourceSites::placeOf(SourceLocation L) const {
  PresumedLoc P = SM.getPresumedLoc(L, /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return {};
  return {P.getFilename(), P.getLine(), P.getColumn()};
}

Site SourceSites::siteOf(Span S, bool WithText) const {
  Site Result;
  Location &L = Result.Loc;
  auto Begin = SourceLocation::getFromRawEncoding(S.Begin);
  SourceRange Range(Begin, SourceLocation::getFromRawEncoding(S.End));
  if (Begin.isInvalid())
    return Result;
  if (KeepRaw)
    L.Raw = S.Begin;
  Result.InMacro = Begin.isMacroID();
  CharSourceRange InFile =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Opts);
  if (WithText)
    Result.Text = textOf(Range, InFile);
  // Diagnostics are shown at the position of the token in a file.
  SourceLocation At = SM.getFileLoc(Begin);
  PresumedLoc P = SM.getPresumedLoc(At, /*UseLineDirectives=*/false);
  if (P.isInvalid())
    return Result;
  L.File = P.getFilename();
  L.Line = L.EndLine = P.getLine();
  L.Column = P.getColumn();
  SourceLocation End;
  if (InFile.isValid() && InFile.getBegin() == At)
    End = InFile.getEnd();
  else
    End = At.getLocWithOffset(Lexer::MeasureTokenLength(At, SM, Opts));
  PresumedLoc E = SM.getPresumedLoc(End, /*UseLineDirectives=*/false);
  if (E.isValid()) {
    L.EndLine = E.getLine();
    L.EndColumn = E.getColumn();
  }
  // Searches for NOLINT as clang-tidy does, but not in tokens that # and ##
  // create: these have no lines, and their numbers differ between units.
  for (SourceLocation Out = Begin; Result.InMacro;
       Out = SM.getImmediateExpansionRange(Out).getBegin()) {
    SourceLocation Spelled = SM.getSpellingLoc(Out);
    if (!SM.isWrittenInScratchSpace(Spelled))
      L.Written.push_back(placeOf(Spelled));
    if (!Out.isMacroID())
      break;
  }
  return Result;
}

std::vector<NolintLines> SourceSites::nolint(const ProjectCode &Own) const {
  std::vector<NolintLines> Result;
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    auto Start = SourceLocation::getFromRawEncoding(Entry.getOffset());
    if (!Entry.isFile() ||
        (SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()) &&
         !Own.owns(Start)))
      continue;
    std::optional<StringRef> Buffer =
        SM.getBufferDataOrNone(SM.getFileID(Start));
    if (!Buffer || !Buffer->contains("NOLINT"))
      continue;
    NolintLines File;
    File.File = placeOf(Start).File;
    if (llvm::any_of(Result,
                     [&](const NolintLines &F) { return F.File == File.File; }))
      continue;
    unsigned Number = 1;
    for (StringRef Rest = *Buffer; !Rest.empty(); ++Number) {
      auto [Line, After] = Rest.split('\n');
      if (Line.contains("NOLINT"))
        File.Lines.push_back({Number, Line.rtrim('\r').str()});
      Rest = After;
    }
    File.Lines.push_back({Number, ""}); // the length of the file
    Result.push_back(std::move(File));
  }
  return Result;
}

} // namespace cudagraph
