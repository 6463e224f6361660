//===- KernelStores.cpp - The bodies of kernels ---------------------------===//
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
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace cudagraph {
namespace {

/// The maximum number of tokens that are searched.
constexpr unsigned MaxTokens = 20'000;

/// A pointer that a kernel receives: the parameter, or a member of it.
struct Pointer {
  llvm::StringRef Param, Member;
  bool Only = false; ///< the only pointer in the parameter
};

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

  /// The stores to the target of \p Target; \p Others are the names of the
  /// parameters that may select elements.
  KernelStore storeThrough(const Pointer &Target,
                           const llvm::StringSet<> &Others) const {
    KernelStore Result;
    bool Fixed = true, Last = false;
    for (unsigned I = 1; I + 2 < Tokens.size(); ++I) {
      if (!isName(I) || !isNamed(I, Target.Param))
        continue;
      unsigned At = I; // the last token before the index
      if (!Target.Member.empty()) {
        if (!Tokens[I + 1].is(tok::period)) {
          if (!Target.Only)
            continue;
        } else if (isNamed(I + 2, Target.Member)) {
          At = I + 2;
        } else {
          continue;
        }
      }
      if (At + 2 >= Tokens.size() ||
          !isStoredAt(I, /*Called=*/At == I && Target.Only))
        continue;
      Result.Whole = (Result.Whole || !Result.Exists) && isWhole(At, Others);
      Result.Exists = true;
      Fixed &= isFixed(At);
      Last |= Tokens[At + 1].is(tok::l_square) &&
              !Tokens[At + 2].is(tok::numeric_constant);
    }
    Result.Edges = Fixed && Last;
    return Result;
  }

  /// True if a variable advances by the size of the grid, in each dimension in
  /// which the position of the block is used. Returns false if one of \p
  /// Values, the parameters passed by value, is a limit: it is as old as the
  /// grid.
  bool stridesOverGrid(const llvm::StringSet<> &Values) const {
    llvm::StringMap<unsigned>
        Sizes; // variables that contain a size of the grid
    unsigned Used = 0, Covered = 0;
    for (unsigned I = 1; I + 2 < Tokens.size(); ++I) {
      if (isName(I) && Tokens[I].getRawIdentifier() == "blockIdx") {
        if (Tokens[I - 1].is(tok::l_square))
          return false; // one element for each block
        Used |= dimensionsAt(I);
      }
      if (isName(I) && Values.contains(Tokens[I].getRawIdentifier()) &&
          (Tokens[I - 1].isOneOf(tok::less, tok::lessequal) ||
           Tokens[I + 1].isOneOf(tok::greater, tok::greaterequal)))
        return false;
      if (!isChange(Tokens[I]))
        continue;
      unsigned Size = 0;
      for (unsigned J = I + 1, End = endOfValue(J); J < End; ++J)
        if (isName(J))
          Size |= Tokens[J].getRawIdentifier() == "gridDim"
                      ? dimensionsAt(J)
                      : Sizes.lookup(Tokens[J].getRawIdentifier());
      if (!Size || !Tokens[I - 1].is(tok::raw_identifier))
        continue;
      // `i += stride`, or `i = i + stride`.
      if (Tokens[I].is(tok::plusequal) ||
          (Tokens[I + 1].is(tok::raw_identifier) &&
           Tokens[I + 1].getRawIdentifier() ==
               Tokens[I - 1].getRawIdentifier()))
        Covered |= Size;
      else if (Tokens[I].is(tok::equal))
        Sizes[Tokens[I - 1].getRawIdentifier()] |= Size;
    }
    return Covered && !(Used & ~Covered);
  }

private:
  /// The dimension of the built-in variable at \p I, as a bit; all of them
  /// without a member.
  unsigned dimensionsAt(unsigned I) const {
    if (I + 2 >= Tokens.size() || !Tokens[I + 1].is(tok::period) ||
        !Tokens[I + 2].is(tok::raw_identifier))
      return 7;
    llvm::StringRef Member = Tokens[I + 2].getRawIdentifier();
    return Member == "x" ? 1 : Member == "y" ? 2 : 4;
  }

  bool isNamed(unsigned I, llvm::StringRef Name) const {
    return Tokens[I].is(tok::raw_identifier) &&
           Tokens[I].getRawIdentifier() == Name;
  }

  bool isName(unsigned I) const {
    return Tokens[I].is(tok::raw_identifier) &&
           !Tokens[I - 1].isOneOf(tok::period, tok::arrow, tok::coloncolon);
  }

  /// True if none of \p Others determines which elements the store at \p I
  /// writes: neither its index nor a condition involves one, other than as an
  /// upper limit.
  bool isWhole(unsigned I, const llvm::StringSet<> &Others) const {
    if (!Tokens[I + 1].isOneOf(tok::l_square, tok::l_paren))
      return false;
    if (llvm::any_of(namesBehind(I + 1), [&](llvm::StringRef Name) {
          return Others.contains(Name);
        }))
      return false;
    for (unsigned J = 1; J + 1 < Tokens.size(); ++J)
      if (Tokens[J].is(tok::l_paren) && isCondition(J - 1) &&
          selects(J, behind(J), Others))
        return false;
    return true;
  }

  /// The names in the index that begins at \p I, and those from which their
  /// values are computed.
  llvm::SmallVector<llvm::StringRef, 8> namesBehind(unsigned I) const {
    llvm::StringSet<> Known;
    llvm::SmallVector<llvm::StringRef, 8> Names;
    auto Add = [&](unsigned From, unsigned To) {
      for (unsigned J = From; J < To; ++J)
        if (isName(J) && Known.insert(Tokens[J].getRawIdentifier()).second)
          Names.push_back(Tokens[J].getRawIdentifier());
    };
    Add(I, behind(I));
    for (unsigned N = 0; N < Names.size(); ++N)
      for (unsigned J = 1; J + 1 < Tokens.size(); ++J)
        if (isName(J) && Tokens[J].getRawIdentifier() == Names[N] &&
            isChange(Tokens[J + 1]))
          Add(J + 2, endOfValue(J + 2));
    return Names;
  }

  /// True if every thread stores to the same element at \p I: no variable that
  /// changes, or that contains the position of the thread, is in the index.
  bool isFixed(unsigned I) const {
    return Tokens[I + 1].is(tok::l_square) &&
           llvm::all_of(namesBehind(I + 1), [&](llvm::StringRef Name) {
             return Name != "threadIdx" && Name != "blockIdx" &&
                    isSetOnce(Name);
           });
  }

  /// True if the body sets the variable \p Name at most once, and does not call
  /// it as a function.
  bool isSetOnce(llvm::StringRef Name) const {
    unsigned Set = 0;
    for (unsigned J = 1; J + 1 < Tokens.size(); ++J) {
      if (!isName(J) || Tokens[J].getRawIdentifier() != Name)
        continue;
      const Token &Next = Tokens[J + 1];
      if (isStep(Tokens[J - 1]) || Next.is(tok::l_paren) ||
          (isChange(Next) && !Next.is(tok::equal)))
        return false;
      Set += Next.is(tok::equal);
    }
    return Set <= 1;
  }

  /// The token after the value that begins at \p I.
  unsigned endOfValue(unsigned I) const {
    for (unsigned Depth = 0; I < Tokens.size(); ++I) {
      if (!Depth && Tokens[I].isOneOf(tok::semi, tok::comma, tok::r_paren))
        break;
      Depth += Tokens[I].isOneOf(tok::l_square, tok::l_paren);
      Depth -= Tokens[I].isOneOf(tok::r_square, tok::r_paren);
    }
    return I;
  }

  bool isCondition(unsigned I) const {
    return Tokens[I].is(tok::raw_identifier) &&
           llvm::is_contained({"if", "while", "for", "switch"},
                              Tokens[I].getRawIdentifier());
  }

  /// True if the condition between \p From and \p To contains one of \p
  /// Others, except as an upper limit: `i < n`, or `i >= n` before a return.
  bool selects(unsigned From, unsigned To,
               const llvm::StringSet<> &Others) const {
    for (unsigned I = From + 1; I + 1 < To; ++I) {
      if (!isName(I) || !Others.contains(Tokens[I].getRawIdentifier()))
        continue;
      const Token &Before = Tokens[I - 1];
      unsigned Last = I; // of `n`, or of `view.n`
      while (Last + 2 < To && Tokens[Last + 1].is(tok::period))
        Last += 2;
      bool Leaves =
          Last + 2 == To && To < Tokens.size() && isNamed(To, "return");
      if (!Before.isOneOf(tok::less, tok::lessequal) &&
          !(Leaves && Before.isOneOf(tok::greater, tok::greaterequal)))
        return true;
    }
    return false;
  }

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

  /// True if the pointer at \p I is the base of an assigned element. \p
  /// Called: a call operator returns the element.
  bool isStoredAt(unsigned I, bool Called) const {
    const Token &Before = Tokens[I - 1];
    if (Before.isOneOf(tok::period, tok::arrow, tok::coloncolon))
      return false; // a member with this name
    unsigned End = I + 1;
    // `__stcg(&p[i], v)` and similar functions store with a cache hint.
    if (Before.is(tok::amp) && I >= 3 && Tokens[I - 2].is(tok::l_paren) &&
        Tokens[I - 3].is(tok::raw_identifier) &&
        Tokens[I - 3].getRawIdentifier().starts_with("__st"))
      return true;
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
      if (Tokens[End].is(tok::l_square) ||
          (Called && End == I + 1 && Tokens[End].is(tok::l_paren))) {
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

/// The definition of \p Kernel as written, for a template its pattern; null if
/// the source does not contain it.
static const FunctionDecl *definitionOf(const FunctionDecl *Kernel) {
  if (const FunctionDecl *Pattern =
          Kernel->getTemplateInstantiationPattern(/*ForDefinition=*/false))
    Kernel = Pattern;
  for (const FunctionDecl *Each : Kernel->redecls())
    if (Each->isThisDeclarationADefinition())
      return Each->getFunctionTypeLoc() ? Each : nullptr;
  return nullptr;
}

static Body bodyOf(const FunctionDecl *Definition) {
  return Body(Definition->getFunctionTypeLoc().getRParenLoc(),
              Definition->getASTContext());
}

KernelStore storeThrough(const FunctionDecl *Kernel, unsigned Param,
                         llvm::StringRef Member, bool Only) {
  const FunctionDecl *Defined = definitionOf(Kernel);
  if (!Defined || Param >= Defined->getNumParams() ||
      !Defined->getParamDecl(Param)->getIdentifier())
    return {};
  llvm::StringSet<> Others;
  for (const ParmVarDecl *Each : Defined->parameters())
    if (Each->getIdentifier() &&
        (Each != Defined->getParamDecl(Param) || !Member.empty()))
      Others.insert(Each->getName());
  return bodyOf(Defined).storeThrough(
      {Defined->getParamDecl(Param)->getName(), Member, Only}, Others);
}

bool hasGridStrideLoop(const FunctionDecl *Kernel) {
  const FunctionDecl *Defined = definitionOf(Kernel);
  if (!Defined)
    return false;
  llvm::StringSet<> Values;
  for (const ParmVarDecl *P : Defined->parameters())
    if (P->getIdentifier() && !P->getType()->isPointerType())
      Values.insert(P->getName());
  return bodyOf(Defined).stridesOverGrid(Values);
}

} // namespace cudagraph
