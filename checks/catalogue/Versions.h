//===- Versions.h - The CUDA versions of each name --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Provides the versions of CUDA whose headers declare a function, and its
// parameters in each. The data is versions.json, embedded at build time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_VERSIONS_H
#define CUDAGRAPH_CATALOGUE_VERSIONS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::catalogue {

/// How the headers of some versions of CUDA declare a name. Versions are
/// numbered as in CUDA_VERSION: 12040.
struct Form {
  std::string_view Name;
  int Since; ///< the first such version; 0: the oldest known one or older
  int Until; ///< the last such version; 0: still declared in this form
  /// The parameters, "graph, flags"; empty if they are the same in all
  /// versions.
  std::string_view Parameters;
};

/// Returns the forms of \p Name as written in a source, the oldest first; none
/// if \p Name is the same in all known versions, or is in none of them.
std::span<const Form> formsOf(std::string_view Name);

/// Returns the names whose canonical name is \p Canonical and that differ
/// between versions, including those with _v2 and _v3.
std::vector<std::string> versionedNames(std::string_view Canonical);

/// Returns "since CUDA 12.3", "in CUDA 12.2 to 12.9", or "until CUDA 11.8".
std::string inWords(const Form &F);

/// Returns "12.4" for 12040.
std::string versionText(int Version);

/// The oldest and the newest version for which the forms are known, and the
/// version with which outcomes were measured.
int oldestVersion();
int newestVersion();
int measuredVersion();

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_VERSIONS_H
