//===- CallTables.h - Redirects the program's calls -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Redirects calls that the program and its libraries make to some functions,
// through their global offset tables. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CALLTABLES_H
#define CUDAGRAPH_PROBE_CALLTABLES_H

#include <vector>

namespace cudagraph::probe {

class CallTables {
public:
  struct Entry {
    const char *Name;
    void *Real, *Ours;
  };

  static bool isSupported();

  /// After the next redirect(), calls to \p Real, the function named \p Name,
  /// call \p Ours instead.
  void add(const char *Name, void *Real, void *Ours) {
    Entries.push_back({Name, Real, Ours});
  }
  /// Redirects the calls in files that have been loaded since the last time.
  void redirect();

private:
  std::vector<Entry> Entries;
  unsigned long long Loaded = 0; ///< number of files, at the last time
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_CALLTABLES_H
