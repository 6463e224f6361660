//===- WordScan.cpp - The names in a file, without parsing it -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordScan.h"
#include "analysis/ir/Archive.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"
#include <utility>

using namespace llvm;
using namespace clang;

namespace cudagraph::driver {
namespace {

LangOptions languageOptions() {
  LangOptions Result;
  // With these options, the raw lexer joins more characters into one token.
  Result.CPlusPlus = Result.CPlusPlus11 = Result.CPlusPlus14 =
      Result.CPlusPlus17 = Result.CPlusPlus20 = Result.LineComment = true;
  return Result;
}

/// The parts of one declaration that were read.
struct Chunk {
  std::vector<std::pair<Word, bool>> Names; ///< and whether it may be declared
  unsigned Parens = 0;
  bool Empty = true;
  bool ClassKey = false, Enum = false, Namespace = false, Extern = false;
  bool HasParens = false, Initialized = false;
  Word Class = 0; ///< the name after a class key
};

/// Between braces.
struct Scope {
  bool Outer = true; ///< namespaces and classes; else a body
  Word Class = 0;
};

/// The state that a conditional directive restores.
struct State {
  std::vector<Scope> Scopes;
  Chunk Current;
};

class Scanner {
public:
  explicit Scanner(StringRef Text)
      : Text(Text), Options(languageOptions()),
        Lex(SourceLocation(), Options, Text.begin(), Text.begin(), Text.end()) {
    Lex.SetCommentRetentionState(true);
  }

  FileWords run() {
    Now.Scopes.push_back({});
    Token Tok;
    while (!next(Tok)) {
      if (Tok.is(tok::hash) && Tok.isAtStartOfLine())
        directive(Tok);
      if (Tok.is(tok::eof))
        break;
      token(Tok);
    }
    if (!Now.Current.Empty)
      finish(/*Body=*/true);
    if (Odd || Now.Scopes.size() != 1) {
      Result.Does = Result.Outer = Result.Defines = Result.All;
    }
    for (auto *List :
         {&Result.All, &Result.Does, &Result.Outer, &Result.Defines}) {
      llvm::sort(*List);
      List->erase(llvm::unique(*List), List->end());
    }
    return std::move(Result);
  }

private:
  /// Reads a token that is not a comment; true at the end.
  bool next(Token &Tok) {
    while (true) {
      bool End = Lex.LexFromRawLexer(Tok);
      if (!Tok.is(tok::comment)) {
        if (Tok.is(tok::raw_identifier))
          Result.All.push_back(wordOf(Tok.getRawIdentifier()));
        return End && Tok.is(tok::eof);
      }
      StringRef Comment = textOf(Tok);
      Result.Marked |= Comment.contains("cudagraph:");
      Result.Nolint |= Comment.contains("NOLINT");
    }
  }

  StringRef textOf(const Token &Tok) {
    return StringRef(Lex.getBufferLocation() - Tok.getLength(),
                     Tok.getLength());
  }

  /// Reads a directive, and reads the token after it into \p Tok.
  void directive(Token &Tok) {
    if (next(Tok) || Tok.isAtStartOfLine())
      return;
    StringRef Name =
        Tok.is(tok::raw_identifier) ? Tok.getRawIdentifier() : StringRef();
    if (Name == "if" || Name == "ifdef" || Name == "ifndef")
      Saved.push_back(Now);
    else if (Name.starts_with("el") && !Saved.empty())
      Now = Saved.back();
    else if (Name == "endif" && !Saved.empty())
      Saved.pop_back();
    bool Defining = Name == "define", First = true;
    while (!next(Tok) && !Tok.isAtStartOfLine()) {
      if (!Defining)
        continue;
      Result.Pastes |= Tok.is(tok::hashhash);
      // A guard has a name and no body.
      if (Tok.is(tok::raw_identifier) && !First) {
        Word W = wordOf(Tok.getRawIdentifier());
        for (auto *List : {&Result.Does, &Result.Outer, &Result.Defines})
          List->push_back(W);
      }
      First = false;
    }
    if (Tok.is(tok::hash) && Tok.isAtStartOfLine())
      directive(Tok);
  }

  void token(const Token &Tok) {
    if (!Now.Scopes.back().Outer)
      return inBody(Tok);
    Chunk &C = Now.Current;
    C.Empty = false;
    switch (Tok.getKind()) {
    case tok::raw_identifier:
      word(Tok.getRawIdentifier());
      break;
    case tok::string_literal:
      Result.Marked |= textOf(Tok).contains("cudagraph::");
      break;
    case tok::l_paren:
    case tok::l_square:
      if (!C.Parens)
        declares();
      C.HasParens |= Tok.is(tok::l_paren);
      ++C.Parens;
      break;
    case tok::r_paren:
    case tok::r_square:
      C.Parens -= C.Parens > 0;
      break;
    case tok::equal:
      if (!C.Parens)
        declares();
      Pending = true; // the next token decides
      Last = tok::equal;
      return;
    case tok::comma:
      if (!C.Parens)
        declares();
      break;
    case tok::colon:
      if (!C.Parens && Access) {
        C = Chunk();
        Access = false;
        return;
      }
      break;
    case tok::semi:
      if (C.Parens)
        break;
      declares();
      finish(C.Initialized);
      Last = tok::semi;
      return;
    case tok::l_brace:
      open();
      Last = tok::l_brace;
      return;
    case tok::r_brace:
      close();
      Last = tok::r_brace;
      return;
    default:
      break;
    }
    // `= 0`, `= default`, and `= delete` are not bodies.
    if (Pending) {
      StringRef Text =
          Tok.is(tok::raw_identifier) ? Tok.getRawIdentifier() : textOf(Tok);
      C.Initialized |=
          !(C.HasParens && !C.Parens &&
            (Text == "0" || Text == "default" || Text == "delete"));
      Pending = false;
    }
    Last = Tok.getKind();
  }

  void word(StringRef Name) {
    Chunk &C = Now.Current;
    Access = Name == "public" || Name == "private" || Name == "protected";
    bool Front = !C.Parens;
    auto Key = StringSwitch<int>(Name)
                   .Case("class", 1)
                   .Case("struct", 1)
                   .Case("union", 1)
                   .Case("enum", 2)
                   .Case("namespace", 3)
                   .Case("extern", 4)
                   .Default(0);
    // `template <class T>` does not declare a class.
    if (Key && Front && Last != tok::less && Last != tok::comma) {
      C.ClassKey |= Key == 1;
      C.Enum |= Key == 2;
      C.Namespace |= Key == 3;
      C.Extern |= Key == 4;
      LastKeyword = false;
      return;
    }
    LastKeyword = Name == "const" || Name == "noexcept" || Name == "override";
    if (Name == "template" || Name == "typename" || LastKeyword)
      return;
    Word W = wordOf(Name);
    C.Names.push_back({W, false});
    // The class is the first name after the key, or the next one if the first
    // was a macro: the last name before the bases.
    if (C.ClassKey && Front && Name != "final" && !C.Class)
      C.Class = W;
  }

  /// The last name of the chunk is the declared name.
  void declares() {
    Chunk &C = Now.Current;
    if (!C.Names.empty())
      C.Names.back().second = true;
  }

  void open() {
    Chunk &C = Now.Current;
    C.Initialized |= std::exchange(Pending, false);
    bool Function = Last == tok::r_paren || LastKeyword;
    if (!C.Parens &&
        (C.Namespace || (C.Extern && !C.HasParens && C.Names.empty()))) {
      // A namespace or a linkage specification.
      Now.Scopes.push_back({});
      C = Chunk();
      return;
    }
    if (!C.Parens && C.ClassKey && !C.Enum && !Function && !C.Initialized) {
      // The declaration mentions base classes, as derived classes mention this
      // one.
      for (auto &[W, IsName] : C.Names)
        IsName |= W == C.Class;
      declares();
      Word Class = C.Class;
      finish(/*Body=*/false);
      Now.Scopes.push_back({true, Class});
      return;
    }
    // A body, an initializer, an enumeration, or unknown syntax.
    for (auto &[W, IsName] : C.Names) {
      Result.Does.push_back(W);
      Result.Outer.push_back(W);
      Result.Defines.push_back(W);
    }
    C.Names.clear();
    Now.Scopes.push_back({false, 0});
  }

  void close() {
    if (Now.Scopes.size() > 1)
      Now.Scopes.pop_back();
    else
      Odd = true;
    Now.Current = Chunk();
  }

  void inBody(const Token &Tok) {
    if (Tok.is(tok::raw_identifier))
      Result.Does.push_back(wordOf(Tok.getRawIdentifier()));
    else if (Tok.is(tok::string_literal))
      Result.Marked |= textOf(Tok).contains("cudagraph::");
    else if (Tok.is(tok::l_brace))
      Now.Scopes.push_back({false, 0});
    else if (Tok.is(tok::r_brace)) {
      Now.Scopes.pop_back();
      // The declaration does not end with its initializer, but the rest has no
      // names that matter otherwise.
      if (Now.Scopes.back().Outer)
        Now.Current = Chunk();
    }
    Last = Tok.getKind();
    LastKeyword = false;
  }

  void finish(bool Body) {
    Chunk &C = Now.Current;
    Declared D;
    for (auto [W, IsName] : C.Names) {
      Result.Outer.push_back(W);
      if (Body) {
        Result.Does.push_back(W);
        Result.Defines.push_back(W);
        continue;
      }
      D.Mentions.push_back(W);
      if (IsName)
        D.Names.push_back(W);
    }
    if (Word Class = Now.Scopes.back().Class; Class && !D.Mentions.empty())
      D.Names.push_back(Class);
    if (!D.Names.empty() && !D.Mentions.empty())
      Result.Declarations.push_back(std::move(D));
    C = Chunk();
    Access = Pending = LastKeyword = false;
  }

  StringRef Text;
  LangOptions Options;
  Lexer Lex;
  FileWords Result;
  State Now;
  std::vector<State> Saved;
  tok::TokenKind Last = tok::unknown;
  bool Odd = false, Access = false, Pending = false, LastKeyword = false;
};

template <typename A> void fields(A &Ar, FileWords &W) {
  auto Words = [&](std::vector<Word> &List) {
    Ar.list(List, [&](Word &Each) { Ar.num(Each); });
  };
  Words(W.All);
  Words(W.Does);
  Words(W.Outer);
  Words(W.Defines);
  Ar.list(W.Declarations, [&](Declared &D) {
    Words(D.Names);
    Words(D.Mentions);
  });
  Ar.flags(W.Pastes, W.Marked, W.Nolint);
}

} // namespace

Word wordOf(StringRef Name) { return xxh3_64bits(Name); }

FileWords scanWords(StringRef Contents) {
  // The lexer needs a null character at the end.
  std::string Copy = Contents.str();
  return Scanner(Copy).run();
}

std::string encodeWords(const FileWords &Words) {
  ArchiveWriter Ar;
  fields(Ar, const_cast<FileWords &>(Words));
  return Ar.take();
}

bool decodeWords(StringRef Bytes, FileWords &Words) {
  ArchiveReader Ar(Bytes);
  fields(Ar, Words);
  return !Ar.failed();
}

} // namespace cudagraph::driver
