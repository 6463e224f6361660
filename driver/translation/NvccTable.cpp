//===- NvccTable.cpp - The options of nvcc, GCC, and Clang ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NvccTable.h"
#include "versions/ClangVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr NvccOption NvccOptions[] = {
#define NVCC(LONG, SHORT, ARITY, ACTION, CLANG)                                \
  {LONG, SHORT, Arity::ARITY, Action::ACTION, CLANG},
#include "NvccArgs.def"
};

/// A row HOST.
struct HostOption {
  StringRef Spelling;
  HostArity Takes;
};
constexpr HostOption HostOptions[] = {
#define HOST(SPELLING, ARITY) {SPELLING, HostArity::ARITY},
#include "NvccArgs.def"
};

} // namespace

size_t buildOptionLength(ArrayRef<std::string> Args) {
  if (Args.empty())
    return 0;
  StringRef Arg = Args.front();
  for (const HostOption &O : HostOptions) {
    if (O.Takes == HostArity::Prefix ? Arg.starts_with(O.Spelling)
                                     : Arg == O.Spelling)
      return O.Takes >= HostArity::Next ? std::min<size_t>(2, Args.size()) : 1;
    if (O.Takes == HostArity::Letter && Arg.starts_with(O.Spelling))
      return 1;
    // -MFfile and -ofile
    if (O.Takes == HostArity::Next && Arg.starts_with(O.Spelling) &&
        (O.Spelling == "-o" || O.Spelling.starts_with("-M")))
      return 1;
  }
  return 0;
}

NvccMatch findNvccOption(StringRef Arg) {
  for (const NvccOption &O : NvccOptions) {
    for (StringRef Spelling : {O.Long, O.Short}) {
      if (!Arg.starts_with(Spelling))
        continue;
      StringRef Rest = Arg.drop_front(Spelling.size());
      if (Rest.empty())
        return {&O, std::nullopt};
      if (O.Takes != Arity::None && Rest.consume_front("="))
        return {&O, Rest};
    }
  }
  // Joined values come last, because -odir is not -o, and -lineinfo is not -l.
  for (const NvccOption &O : NvccOptions)
    if (O.Takes == Arity::Letter && Arg.starts_with(O.Short))
      return {&O, Arg.drop_front(O.Short.size())};
  return {};
}

std::vector<std::string> splitHostOptions(StringRef Value) {
  std::vector<std::string> Result(1);
  bool Quoted = false;
  for (size_t I = 0; I < Value.size(); ++I) {
    char C = Value[I];
    if (C == '\\' && I + 1 < Value.size() &&
        StringRef("\\,\"").contains(Value[I + 1]))
      Result.back() += Value[++I];
    else if (C == '"')
      Quoted = !Quoted;
    else if (C == '\'')
      continue;
    else if ((C == ',' || isSpace(C)) && !Quoted)
      Result.emplace_back();
    else
      Result.back() += C;
  }
  llvm::erase(Result, std::string());
  return Result;
}

std::vector<std::string> splitList(StringRef Value) {
  std::vector<std::string> Result(1);
  bool Quoted = false;
  for (size_t I = 0; I < Value.size(); ++I) {
    bool EscapedComma = Value.substr(I).starts_with("\\,");
    Quoted ^= Value[I] == '"';
    if (EscapedComma)
      Result.back() += Value[++I];
    else if (Value[I] == ',' && !Quoted)
      Result.emplace_back();
    else
      Result.back() += Value[I];
  }
  llvm::erase(Result, std::string());
  return Result;
}

bool clangKnows(StringRef Arg, bool &TakesNext) {
  std::string Text = Arg.str();
  // Adds a second argument, so that an option with a separate value parses.
  const char *Argv[] = {Text.c_str(), "value"};
  opt::InputArgList Args(Argv, Argv + 2);
  unsigned Index = 0;
  std::unique_ptr<opt::Arg> Parsed = clang::getDriverOptTable().ParseOneArg(
      Args, Index, opt::Visibility(clang::options::ClangOption));
  TakesNext = Index == 2;
  return Parsed && Parsed->getOption().getKind() != opt::Option::UnknownClass &&
         !Parsed->getOption().hasFlag(clang::options::Unsupported);
}

std::string clangArchitecture(StringRef Arch) {
  size_t Underscore = Arch.find('_');
  StringRef Number =
      Underscore == StringRef::npos ? Arch : Arch.drop_front(Underscore + 1);
  std::string Exact = ("sm_" + Number).str();
  if (clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Exact)))
    return Exact;
  // A suffix (a: only this chip, f: this family) that this Clang does not
  // support, or a newer chip.
  unsigned Wanted = 0;
  if (Number.consumeInteger(10, Wanted))
    return "";
  constexpr unsigned Highest = 999; // NVIDIA's numbers have two or three digits
  for (Wanted = std::min(Wanted, Highest); Wanted >= 50; --Wanted) {
    std::string Older = "sm_" + std::to_string(Wanted);
    if (clang::IsNVIDIAOffloadArch(clang::StringToOffloadArch(Older)))
      return Older;
  }
  return "sm_52";
}

} // namespace cudagraph::driver
