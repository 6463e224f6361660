//===- SkippedCode.cpp - Code under a false #if ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range of a file that is included several times counts as compiled if any
// inclusion compiles it.
//
//===----------------------------------------------------------------------===//

#include "SkippedCode.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace clang;

namespace cudagraph::driver {

struct SkippedCode::Listener : PPCallbacks {
  explicit Listener(SkippedCode &Into, const SourceManager &SM)
      : Into(Into), SM(SM) {}

  void SourceRangeSkipped(SourceRange R, SourceLocation) override {
    auto [File, Begin] = SM.getDecomposedExpansionLoc(R.getBegin());
    auto [EndFile, End] = SM.getDecomposedExpansionLoc(R.getEnd());
    if (File == EndFile && Begin < End)
      Into.Ranges.push_back(
          {static_cast<int>(File.getHashValue()), {Begin, End}});
  }

  SkippedCode &Into;
  const SourceManager &SM;
};

void SkippedCode::attach(Preprocessor &P) {
  PP = &P;
  P.addPPCallbacks(std::make_unique<Listener>(*this, P.getSourceManager()));
}

namespace {

using Range = SkippedCode::Range;

/// The text of one file.
struct File {
  StringRef Text;
  const LangOptions &Options;

  /// Calls \p Visit with each token from \p Begin to \p End that is not a
  /// comment; it may read further.
  void tokens(Range R,
              function_ref<void(Lexer &, const Token &, unsigned At)> Visit) {
    Lexer Lex(SourceLocation(), Options, Text.begin(), Text.begin() + R.first,
              Text.end());
    Token Tok;
    while (true) {
      Lex.LexFromRawLexer(Tok);
      unsigned At = Lex.getCurrentBufferOffset() - Tok.getLength();
      if (Tok.is(tok::eof) || At >= R.second)
        return;
      Visit(Lex, Tok, At);
    }
  }
};

/// A directive of a conditional.
struct Directive {
  StringRef Word;     ///< "ifdef"
  std::string Rest;   ///< "USE_GRAPHS"
  unsigned At = 0;    ///< offset of its #
  unsigned After = 0; ///< offset behind it
};

/// \p Text, the rest of a directive, on one line and without comments.
std::string onOneLine(StringRef Text) {
  std::string Result;
  for (StringRef Rest = Text; !Rest.empty();) {
    if (Rest.starts_with("//"))
      break;
    if (Rest.consume_front("/*")) {
      Rest = Rest.split("*/").second;
      Result += ' ';
      continue;
    }
    if (Rest.consume_front("\\\n") || Rest.consume_front("\\\r\n")) {
      Result += ' ';
      continue;
    }
    if (Rest.front() == '\n')
      break;
    bool Space = isSpace(Rest.front());
    if (!Space)
      Result += Rest.front();
    else if (!Result.empty() && Result.back() != ' ')
      Result += ' ';
    Rest = Rest.drop_front();
  }
  return StringRef(Result).trim().str();
}

/// The conditional directive whose # is \p Tok, which \p Lex has read.
std::optional<Directive> directiveAt(File &F, Lexer &Lex, const Token &Tok,
                                     unsigned At) {
  if (!Tok.is(tok::hash) || !Tok.isAtStartOfLine())
    return std::nullopt;
  Token Word;
  Lex.LexFromRawLexer(Word);
  if (!Word.is(tok::raw_identifier) || Word.isAtStartOfLine())
    return std::nullopt;
  Directive Result;
  Result.Word = Word.getRawIdentifier();
  static const StringSet<> Known = {"if",   "ifdef",   "ifndef",   "elif",
                                    "else", "elifdef", "elifndef", "endif"};
  if (!Known.contains(Result.Word))
    return std::nullopt;
  Result.At = At;
  unsigned Behind = Lex.getCurrentBufferOffset();
  Result.Rest = onOneLine(F.Text.drop_front(Behind));
  Result.After = Behind;
  while (Result.After < F.Text.size() && F.Text[Result.After] != '\n')
    Result.After += F.Text.substr(Result.After).starts_with("\\\n") ? 2 : 1;
  return Result;
}

/// A branch of a conditional, from its directive to the next one.
struct Branch {
  Directive Opens; ///< of an #else, the #if
  bool Otherwise = false;
  unsigned Begin = 0, End = 0;
};

/// The outermost branches of \p F within \p Skipped.
std::vector<Branch> branchesWithin(File &F, const std::vector<Range> &Skipped) {
  std::vector<Branch> Open, Result;
  auto Within = [&](const Branch &A) {
    return any_of(Skipped, [&](Range R) {
      return R.first <= A.Begin && A.End <= R.second;
    });
  };
  auto Close = [&](unsigned At) {
    Branch A = Open.back();
    A.End = At;
    if (!Within(A))
      return;
    // Nested branches are part of it.
    while (!Result.empty() && Result.back().Begin > A.Begin)
      Result.pop_back();
    Result.push_back(std::move(A));
  };
  F.tokens({0, F.Text.size()}, [&](Lexer &Lex, const Token &Tok, unsigned At) {
    std::optional<Directive> D = directiveAt(F, Lex, Tok, At);
    if (!D)
      return;
    if (D->Word.starts_with("if")) {
      Open.push_back({*D, false, At, 0});
      return;
    }
    if (Open.empty())
      return;
    Close(At);
    if (D->Word == "endif") {
      Open.pop_back();
      return;
    }
    Open.back().Begin = At;
    Open.back().Otherwise = D->Word == "else";
    if (!Open.back().Otherwise)
      Open.back().Opens = *D;
  });
  return Result;
}

/// The macro that \p D tests, and whether it must be defined; an empty name if
/// it tests more than that, or a number.
std::pair<StringRef, bool> macroOf(const Directive &D) {
  StringRef Rest = D.Rest;
  bool Defined = !D.Word.ends_with("ndef");
  bool IsDef = D.Word.ends_with("def");
  if (!IsDef) {
    if (Rest.consume_front("!"))
      Defined = false;
    Rest = Rest.trim();
    if (Rest.consume_front("defined")) {
      Rest = Rest.trim();
      if (Rest.consume_front("(") && !Rest.consume_back(")"))
        return {};
      Rest = Rest.trim();
    }
  }
  bool Name = !Rest.empty() && !isDigit(Rest.front()) &&
              all_of(Rest, [](char C) { return isAlnum(C) || C == '_'; });
  return {Name ? Rest : StringRef(), Defined};
}

/// True for a branch that is permanently disabled, or that contains device
/// code.
bool isIrrelevant(const Branch &A) {
  const Directive &D = A.Opens;
  if (D.Word == "if" || D.Word == "elif")
    for (StringRef Constant : {"0", "1", "false", "true"})
      if (D.Rest == Constant)
        return true;
  return StringRef(D.Rest).contains("__CUDA_ARCH__");
}

/// The calls in \p A, which is part of \p F.
std::vector<SkippedBranch::Calls> callsIn(File &F, const Branch &A) {
  std::map<std::pair<std::string, bool>, unsigned> Found;
  std::string Name; // up to this point
  bool Qualified = false;
  tok::TokenKind Before = tok::unknown;
  F.tokens({A.Begin, A.End}, [&](Lexer &, const Token &Tok, unsigned) {
    switch (Tok.getKind()) {
    case tok::raw_identifier:
      if (Before != tok::coloncolon || Name.empty())
        Name.clear();
      Qualified = Before == tok::period || Before == tok::arrow ||
                  (Before == tok::coloncolon && !Name.empty());
      Name += Tok.getRawIdentifier();
      break;
    case tok::coloncolon:
      if (Before != tok::raw_identifier)
        Name.clear();
      else
        Name += "::";
      break;
    case tok::l_paren:
      if (Before == tok::raw_identifier)
        ++Found[{Name, Qualified}];
      [[fallthrough]];
    default:
      Name.clear();
    }
    Before = Tok.getKind();
  });
  std::vector<SkippedBranch::Calls> Result;
  for (const auto &[Key, Count] : Found)
    Result.push_back({Key.first, Count, Key.second});
  return Result;
}

/// True if each of \p Inclusions skips \p R.
bool isSkippedInAll(Range R, ArrayRef<std::vector<Range>> Inclusions) {
  return all_of(Inclusions, [&](const std::vector<Range> &All) {
    return any_of(All, [&](Range Each) {
      return Each.first <= R.first && R.second <= Each.second;
    });
  });
}

/// The branches of \p In, whose text is \p F, that all inclusions skip.
/// \p LineOf returns the line of an offset.
std::vector<SkippedFile::Skipped>
branchesOf(const SkippedFile &In, File F,
           function_ref<unsigned(unsigned)> LineOf) {
  std::vector<SkippedFile::Skipped> Result;
  std::vector<Range> Skipped;
  copy_if(In.Inclusions.front(), std::back_inserter(Skipped), [&](Range R) {
    return isSkippedInAll(R, ArrayRef(In.Inclusions).drop_front());
  });
  if (Skipped.empty())
    return Result;
  for (const Branch &A : branchesWithin(F, Skipped)) {
    SkippedFile::Skipped B;
    if (isIrrelevant(A))
      continue;
    B.Branch.Names = callsIn(F, A);
    if (B.Branch.Names.empty())
      continue;
    B.Branch.File = In.Name;
    B.Branch.Line = LineOf(A.Begin);
    B.Branch.EndLine = LineOf(A.End);
    B.Branch.Condition = ("#" + A.Opens.Word + " " + A.Opens.Rest).str();
    B.Branch.Otherwise = A.Otherwise;
    auto [Macro, WantsIt] = macroOf(A.Opens);
    B.Macro = Macro.str();
    B.Defined = WantsIt != A.Otherwise;
    Result.push_back(std::move(B));
  }
  return Result;
}

} // namespace

std::vector<SkippedFile>
SkippedCode::files(const ProjectCode &Own, ArrayRef<SkippedFile> Before) const {
  const SourceManager &SM = PP->getSourceManager();
  std::map<int, std::vector<Range>> ByNumber;
  for (const auto &[Number, R] : Ranges)
    ByNumber[Number].push_back(R);
  std::map<std::string, SkippedFile> ByName;
  for (const SkippedFile &Each : Before)
    ByName[Each.Name] = Each;
  std::map<std::string, FileID> ReadNow;
  for (unsigned I = 1, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    auto Start = SourceLocation::getFromRawEncoding(Entry.getOffset());
    if (!Entry.isFile() ||
        (SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()) &&
         !Own.owns(Start)))
      continue;
    FileID Id = SM.getFileID(Start);
    if (!SM.getFileEntryRefForID(Id))
      continue; // the command line
    std::string Name = SM.getFilename(Start).str();
    ByName[Name].Inclusions.push_back(
        ByNumber[static_cast<int>(Id.getHashValue())]);
    ReadNow.try_emplace(Name, Id);
  }
  std::vector<SkippedFile> Result;
  for (auto &[Name, Each] : ByName) {
    Each.Name = Name;
    if (auto It = ReadNow.find(Name); It != ReadNow.end()) {
      FileID Id = It->second;
      std::optional<StringRef> Text = SM.getBufferDataOrNone(Id);
      Each.Branches = branchesOf(
          Each, {Text.value_or(""), PP->getLangOpts()},
          [&](unsigned Offset) { return SM.getLineNumber(Id, Offset); });
    }
    Result.push_back(std::move(Each));
  }
  return Result;
}

void SkippedCode::describe(ArrayRef<SkippedFile> Files,
                           UnitSummary &Unit) const {
  for (const SkippedFile &Each : Files) {
    Unit.ReadFiles.push_back(Each.Name);
    for (const SkippedFile::Skipped &B : Each.Branches) {
      Unit.Skipped.push_back(B.Branch);
      if (B.Macro.empty())
        continue;
      bool IsDefined = PP->getMacroInfo(PP->getIdentifierInfo(B.Macro));
      if (IsDefined == B.Defined)
        continue; // something else decides
      Unit.Skipped.back().Macro = B.Macro;
      Unit.Skipped.back().Why =
          IsDefined ? SkippedBranch::Defined : SkippedBranch::NotDefined;
    }
  }
}

} // namespace cudagraph::driver
