//===- EntryReader.h - Entries of a file ------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads "entries", the effects of functions on a capture, and the properties
// that all entries of a file share. Internal to the parser.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_ENTRYREADER_H
#define CUDAGRAPH_CATALOGUE_ENTRYREADER_H

#include "CatalogueParse.h"
#include "TextReader.h"

namespace cudagraph::catalogue {

class EntryReader : TextReader {
public:
  /// Outcomes may name the profiles of the file, \p Own, and those in \p
  /// Shared.
  EntryReader(Cursor &At, bool RequireReason, const ProfileMap &Own,
              const ProfileMap &Shared)
      : TextReader(At), RequireReason(RequireReason), Own(Own), Shared(Shared) {
  }

  /// Reads "since", which applies to all entries of the file.
  bool readSince(const json &J, Entry &E);
  /// Reads "traits" of an entry, or of a file. The traits of a file apply to
  /// all its entries.
  bool readTraits(const json &J, uint32_t &Traits);
  bool readEntry(const json &J, Entry &E);

private:
  bool readName(const json &J, std::string &Name);
  bool readWords(const json &J, Entry &E);
  bool readArgs(const json &J, Entry &E);
  bool readPosition(const json &J, int &Position);
  bool readLast(const json &J, Entry &E);
  bool readSources(const json &J, Entry &E);
  bool readOutcome(const json &J, Entry &E);

  bool RequireReason;
  const ProfileMap &Own, &Shared;
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_ENTRYREADER_H
