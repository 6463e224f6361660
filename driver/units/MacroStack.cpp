//===- MacroStack.cpp - Macros saved with push_macro ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacroStack.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {

struct MacroStack::Listener : clang::PPCallbacks {
  Listener(MacroStack &Into, const clang::SourceManager &SM)
      : Into(Into), SM(SM) {}

  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &,
                    clang::SourceRange, const clang::MacroArgs *) override {
    const clang::IdentifierInfo *Macro = Name.getIdentifierInfo();
    if (Macro->isStr("__BASE_FILE__") || Macro->isStr("__INCLUDE_LEVEL__"))
      Into.Depends = true;
  }

  void PragmaDirective(clang::SourceLocation Loc,
                       clang::PragmaIntroducerKind) override {
    if (SM.isWrittenInBuiltinFile(Loc)) // Clang's own definitions
      return;
    bool Invalid = false;
    StringRef Text(SM.getCharacterData(Loc, &Invalid));
    if (Invalid)
      return;
    Text = Text.take_front(Text.find('\n')).ltrim("#_ \t(");
    Text.consume_front("pragma") || Text.consume_front("Pragma");
    Text = Text.ltrim("_ \t(\"");
    std::string Macro = Text.split('"').second.split('"').first.str();
    if (Text.starts_with("push_macro")) {
      ++Into.Saved[Macro];
    } else if (Text.starts_with("pop_macro")) {
      unsigned &Count = Into.Saved[Macro];
      Into.Missed |= !Count && is_contained(Into.Lost, Macro);
      Count -= Count > 0;
    } else if (Text.consume_front("clang")) {
      Into.Depends |= Text.ltrim().starts_with("attribute");
    }
  }

  MacroStack &Into;
  const clang::SourceManager &SM;
};

void MacroStack::attach(clang::Preprocessor &PP, ArrayRef<std::string> Given) {
  Lost = Given.vec();
  PP.addPPCallbacks(std::make_unique<Listener>(*this, PP.getSourceManager()));
}

std::vector<std::string> MacroStack::saved() const {
  std::vector<std::string> Result;
  for (const auto &[Macro, Count] : Saved)
    if (Count)
      Result.push_back(Macro);
  return Result;
}

} // namespace cudagraph::driver
