//===- NameReader.h - Groups of names in a file -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads "names", which contains all facts about a library except those about
// its functions; see Roles.h. Internal to the parser.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_NAMEREADER_H
#define CUDAGRAPH_CATALOGUE_NAMEREADER_H

#include "CatalogueParse.h"
#include "TextReader.h"

namespace cudagraph::catalogue {

class NameReader : TextReader {
public:
  /// Adds to \p Result.Names.
  NameReader(Cursor &At, bool RequireReason, ParsedFile &Result)
      : TextReader(At), RequireReason(RequireReason), Result(Result) {}

  bool readGroups(const json &J);

private:
  bool readGroup(const json &J);
  bool checkFields(const json &J, Role Is);
  bool readCommon(const json &J, NamedRole &Common, std::string &Reason);
  bool readNames(const json &J, const NamedRole &Common);
  bool readNumbers(const json &J, const NamedRole &Common);

  bool RequireReason;
  ParsedFile &Result;
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_NAMEREADER_H
