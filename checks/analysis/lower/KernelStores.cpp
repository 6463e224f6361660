//===- KernelStores.cpp - Memory that kernels write -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelStores.h.
//
//===----------------------------------------------------------------------===//

#include "KernelStores.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace cudagraph {
namespace {

/// The maximum number of tokens that are searched.
constexpr unsigned MaxTokens = 20'000;

/// The tokens of a body, between its braces.
class Body {
public:
  /// \p From: the end of the parameter list.
  Body(SourceLocation From, const ASTContext &Ctx) {
    const SourceManager &SM = Ctx.getSourceManager();
    if (From.isInvalid() || From.isMacroID())
      return;
    auto [File, Offset] = SM.getDecomposedLoc(From);
    bool Invalid = false;
    llvm::StringRef Buffer = SM.getBufferData(File, &Invalid);
    if (Invalid)
      return;
    Lexer Lex(SM.getLocForStartOfFile(File), Ctx.getLangOpts(), Buffer.begin(),
              Buffer.begin() + Offset, Buffer.end());
    unsigned Depth = 0;
    for (Token T; !Lex.LexFromRawLexer(T) && Tokens.size() < MaxTokens;) {
      if (!Depth && T.is(tok::semi))
        return; // a declaration
      Depth += T.is(tok::l_brace);
      if (T.is(tok::r_brace) && --Depth == 0)
        return;
      if (Depth)
        Tokens.push_back(T);
    }
  }

  bool storesThrough(llvm::StringRef Name) const {
    for (unsigned I = 1; I + 1 < Tokens.size(); ++I)
      if (Tokens[I].is(tok::raw_identifier) &&
          Tokens[I].getRawIdentifier() == Name && isStoredAt(I))
        return true;
    return false;
  }

private:
  static bool isChange(const Token &T) {
    return T.isOneOf(tok::equal, tok::plusequal, tok::minusequal,
                     tok::starequal, tok::slashequal, tok::percentequal,
                     tok::ampequal, tok::pipeequal, tok::caretequal,
                     tok::lesslessequal, tok::greatergreaterequal) ||
           isStep(T);
  }
  static bool isStep(const Token &T) {
    return T.isOneOf(tok::plusplus, tok::minusminus);
  }

  /// The token after the bracket that closes the one at \p I.
  unsigned behind(unsigned I) const {
    unsigned Depth = 0;
    for (; I < Tokens.size(); ++I) {
      Depth += Tokens[I].isOneOf(tok::l_square, tok::l_paren);
      if (Tokens[I].isOneOf(tok::r_square, tok::r_paren) && --Depth == 0)
        return I + 1;
    }
    return I;
  }

  /// True if the pointer at \p I is the base of an assigned element.
  bool isStoredAt(unsigned I) const {
    const Token &Before = Tokens[I - 1];
    if (Before.isOneOf(tok::period, tok::arrow, tok::coloncolon))
      return false; // a member with this name
    unsigned End = I + 1;
    bool Element = false;
    if (Before.is(tok::star)) { // `*p = v`
      Element = I >= 2 && Tokens[I - 2].isOneOf(tok::semi, tok::l_brace,
                                                tok::r_brace, tok::r_paren);
    } else if (Before.is(tok::l_paren) && I >= 2 &&
               Tokens[I - 2].is(tok::star)) { // `*(p + i) = v`
      Element = true;
      End = behind(I - 1);
    }
    while (End + 1 < Tokens.size()) {
      if (Tokens[End].is(tok::l_square)) {
        Element = true;
        End = behind(End);
      } else if (Tokens[End].isOneOf(tok::period, tok::arrow)) {
        Element |= Tokens[End].is(tok::arrow);
        End += 2;
      } else {
        break;
      }
    }
    return Element && End < Tokens.size() &&
           (isChange(Tokens[End]) || isStep(Before));
  }

  llvm::SmallVector<Token, 256> Tokens;
};

} // namespace

bool storesThrough(const FunctionDecl *Kernel, unsigned Param) {
  if (const FunctionDecl *Pattern =
          Kernel->getTemplateInstantiationPattern(/*ForDefinition=*/false))
    Kernel = Pattern;
  for (const FunctionDecl *Each : Kernel->redecls()) {
    if (!Each->isThisDeclarationADefinition() ||
        Param >= Each->getNumParams() ||
        !Each->getParamDecl(Param)->getIdentifier())
      continue;
    FunctionTypeLoc Type = Each->getFunctionTypeLoc();
    return Type && Body(Type.getRParenLoc(), Each->getASTContext())
                       .storesThrough(Each->getParamDecl(Param)->getName());
  }
  return false;
}

} // namespace cudagraph
