//===- Versions.cpp - The CUDA versions of each name ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Versions.h"
#include "Catalogue.h"
#include <algorithm>
#include <iterator>

namespace cudagraph::catalogue {

// Forms, sorted by name and then by version, and the three versions.
#include "EmbeddedVersions.inc"

std::span<const Form> formsOf(std::string_view Name) {
  auto [First, Last] = std::equal_range(
      std::begin(Forms), std::end(Forms), Form{Name, 0, 0, {}},
      [](const Form &A, const Form &B) { return A.Name < B.Name; });
  return {First, Last};
}

std::vector<std::string> versionedNames(std::string_view Canonical) {
  std::vector<std::string> Result;
  // These forms are adjacent, unless longer names, such as cuGraphAddNode_v2,
  // come between them.
  for (const Form &F : Forms)
    if (F.Name.starts_with(Canonical) && canonicalName(F.Name) == Canonical &&
        (Result.empty() || Result.back() != F.Name))
      Result.emplace_back(F.Name);
  return Result;
}

std::string versionText(int Version) {
  return std::to_string(Version / 1000) + "." +
         std::to_string(Version % 1000 / 10);
}

std::string inWords(const Form &F) {
  if (F.Since && F.Until && F.Since != F.Until)
    return "in CUDA " + versionText(F.Since) + " to " + versionText(F.Until);
  if (F.Since && F.Until)
    return "only in CUDA " + versionText(F.Since);
  if (F.Since)
    return "since CUDA " + versionText(F.Since);
  return "until CUDA " + versionText(F.Until);
}

int oldestVersion() { return Oldest; }
int newestVersion() { return Newest; }
int measuredVersion() { return Measured; }

} // namespace cudagraph::catalogue
