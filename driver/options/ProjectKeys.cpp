//===- ProjectKeys.cpp - The keys of .cudagraph-tidy.yaml -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProjectKeys.h.
//
//===----------------------------------------------------------------------===//

#include "ProjectKeys.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::driver {

static constexpr ProjectKey Keys[] = {
    {"Advice", "--advice", KeyKind::Flag, Analyses},
    {"AlsoWith", "--also-with=", KeyKind::List, Varies},
    {"Baseline", "--baseline=", KeyKind::Path, Finds},
    {"BuildPath", "-p=", KeyKind::Path, Compiles},
    {"Catalogue", "--catalogue=", KeyKind::Paths, Analyses | Explains},
    {"Checks", "--checks=", KeyKind::List, Analyses | Lists},
    {"Confidence", "--confidence=", KeyKind::Text, Analyses},
    {"CudaPath", "--cuda-path=", KeyKind::Path, Compiles},
    {"CudaVersion", "--cuda-version=", KeyKind::Text, Compiles},
    {"ExtraArgs", "--extra-arg=", KeyKind::List, Compiles},
    {"ExtraArgsBefore", "--extra-arg-before=", KeyKind::List, Compiles},
    {"FailOn", "--fail-on=", KeyKind::Text, Finds},
    {"Format", "--format=", KeyKind::Out, Finds},
    {"HeaderFilterRegex", "--header-filter=", KeyKind::Text, Finds},
    {"ReportUnusedNolint", "--report-unused-nolint", KeyKind::Flag, Finds},
    {"Roots", "--roots=", KeyKind::Text, Analyses},
    {"Strict", "--strict", KeyKind::Flag, Analyses},
};

const ProjectKey *keyNamed(StringRef Name) {
  const ProjectKey *It =
      find_if(Keys, [&](const ProjectKey &K) { return K.Name == Name; });
  return It == std::end(Keys) ? nullptr : It;
}

unsigned usesOf(Command Cmd) {
  switch (Cmd) {
  case Command::Check:
  case Command::DumpConfig:
  case Command::VerifyConfig:
    return Compiles | Varies | Finds | Analyses;
  case Command::Regions:
  case Command::Ops:
    return Compiles | Varies | Analyses;
  case Command::Link:
    return Finds | Analyses;
  case Command::Summarize:
  case Command::ExportDb:
    return Compiles;
  case Command::ListChecks:
    return Lists;
  case Command::Explain:
    return Explains;
  case Command::CMakeToolchain:
  case Command::Help:
  case Command::Version:
    return 0;
  }
  return 0;
}

std::string suggestKey(StringRef Name) {
  StringRef Best;
  unsigned Least = 4;
  for (StringRef Known : keyNames())
    if (unsigned D =
            Name.lower() == Known.lower() ? 0 : Name.edit_distance(Known);
        D < Least) {
      Least = D;
      Best = Known;
    }
  return Best.empty() ? "the keys are " + join(keyNames(), ", ")
                      : "did you mean " + Best.str() + "?";
}

std::vector<StringRef> keyNames() {
  std::vector<StringRef> Result;
  for (const ProjectKey &K : Keys)
    Result.push_back(K.Name);
  Result.push_back(InheritKey);
  sort(Result);
  return Result;
}

} // namespace cudagraph::driver
