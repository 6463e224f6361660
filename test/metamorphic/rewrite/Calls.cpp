//===- Calls.cpp - Code around CUDA calls ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

/// cudaSuccess or CUDA_SUCCESS, if \p T is the type of CUDA's results.
StringRef success(QualType T) {
  const auto *Enum = T->getAs<EnumType>();
  if (!Enum)
    return "";
  StringRef Name = Enum->getDecl()->getName();
  return Name == "cudaError"        ? "cudaSuccess"
         : Name == "cudaError_enum" ? "CUDA_SUCCESS"
                                    : "";
}

/// Puts \p Before and \p After around the calls to each function, one site per
/// function. In the texts, %T is the type of the result, and %O its success.
void wrap(const Unit &U, StringRef Helper, StringRef Before, StringRef After,
          Sites &Found) {
  for (const Function &F : U.functions())
    for (StringRef Good : {"cudaSuccess", "CUDA_SUCCESS"}) {
      Site New;
      std::string Type;
      for (const Sequence &S : U.sequences()) {
        if (S.In != &F)
          continue;
        for (const Stmt *Each : S.Block->body()) {
          const auto *Call = dyn_cast<CallExpr>(Each);
          std::optional<Range> R =
              Call ? U.range(Call->getSourceRange()) : std::nullopt;
          const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
          if (!R || !Callee || isa<CUDAKernelCallExpr>(Call) ||
              U.inMainFile(U.SM.getExpansionLoc(Callee->getLocation())) ||
              Call->getType()->isDependentType() ||
              success(Call->getType()) != Good)
            continue;
          Type = U.declare(Call->getType(), "");
          New.Offset = New.Edits.empty() ? R->Begin : New.Offset;
          Text Wrapped;
          Wrapped.add(Before, R->Begin).copy(*R).add(After);
          New.Edits.push_back({*R, Wrapped});
        }
      }
      if (New.Edits.empty())
        continue;
      std::string Filled;
      for (size_t I = 0; I < Helper.size(); ++I) {
        if (Helper[I] != '%')
          Filled += Helper[I];
        else
          Filled += Helper[++I] == 'T' ? Type : Good.str();
      }
      unsigned At = U.prologue();
      New.Edits.push_back({{At, At}, Text(Filled)});
      Found.push_back(New);
    }
}

} // namespace

void cudagraph::rewrite::checkMacro(const Unit &U, Sites &Found) {
  wrap(U,
       "void metaReport(int e);\n"
       "#define META_CHECK(...) do { %T metaError = (__VA_ARGS__); "
       "if (metaError != %O) metaReport(metaError); } while (0)\n",
       "META_CHECK(", ")", Found);
}

void cudagraph::rewrite::checkFunction(const Unit &U, Sites &Found) {
  wrap(U,
       "void metaReport(int e);\n"
       "static inline void metaCheck(%T e) {\n"
       "  if (e != %O)\n    metaReport(e);\n}\n",
       "metaCheck(", ")", Found);
}

void cudagraph::rewrite::checkAbort(const Unit &U, Sites &Found) {
  wrap(U,
       "#include <cstdlib>\n"
       "#define META_CHECK(...) do { %T metaError = (__VA_ARGS__); "
       "if (metaError != %O) abort(); } while (0)\n",
       "META_CHECK(", ")", Found);
}

static const char Converter[] =
    "void metaReport(int e);\nenum class MetaStatus { Good, Bad };\n"
    "static MetaStatus metaStatus(%T e) {\n"
    "  return e == %O ? MetaStatus::Good : MetaStatus::Bad;\n}\n";

void cudagraph::rewrite::statusConverter(const Unit &U, Sites &Found) {
  wrap(U, Converter, "if (metaStatus(", ") != MetaStatus::Good) metaReport(1)",
       Found);
}

void cudagraph::rewrite::statusCondition(const Unit &U, Sites &Found) {
  for (const Function &F : U.functions())
    walk(F.Body, /*Lambdas=*/false, [&](const Stmt *S) {
      const auto *Compared = dyn_cast<BinaryOperator>(S);
      if (!Compared || !Compared->isEqualityOp() || F.Dependent)
        return;
      // A comparison converts enumeration values to integers.
      const Expr *Left = Compared->getLHS()->IgnoreImpCasts();
      const Expr *Right = Compared->getRHS()->IgnoreImpCasts();
      const auto *Named = dyn_cast<DeclRefExpr>(Right);
      StringRef Good = success(Left->getType());
      std::optional<Range> L = U.range(Left->getSourceRange());
      std::optional<Range> R = U.range(Right->getSourceRange());
      if (!Named || Good.empty() || !Named->getDecl()->getIdentifier() ||
          Named->getDecl()->getName() != Good || !L || !R)
        return;
      std::string Type = U.declare(Left->getType(), ""), Filled;
      for (StringRef Rest = Converter; !Rest.empty();) {
        auto [Part, After] = Rest.split('%');
        Filled += Part;
        if (!After.empty())
          Filled += After[0] == 'T' ? Type : Good.str();
        Rest = After.drop_front(After.empty() ? 0 : 1);
      }
      unsigned At = U.prologue();
      Text Converted;
      Converted.add("metaStatus(", L->Begin).copy(*L).add(")");
      Found.push_back({L->Begin,
                       {{{At, At}, Text(Filled)},
                        {*L, Converted},
                        {*R, Text("MetaStatus::Good")}}});
    });
}
