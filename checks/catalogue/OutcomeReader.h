//===- OutcomeReader.h - Rows and profiles of a file ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads outcomes: the result of a call in CUDA, by stream, conditions, and
// mode. Internal to the parser.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_OUTCOMEREADER_H
#define CUDAGRAPH_CATALOGUE_OUTCOMEREADER_H

#include "CatalogueParse.h"
#include "TextReader.h"

namespace cudagraph::catalogue {

class OutcomeReader : TextReader {
public:
  explicit OutcomeReader(Cursor &At) : TextReader(At) {}

  bool readProfile(const json &J, Profile &P);
  bool readRows(const json &J, std::vector<OutcomeRow> &Rows);

private:
  bool readRow(const json &J, OutcomeRow &Row);
  bool readStreams(const json &J, std::vector<StreamRelation> &Streams);
  bool readStream(const json &J, std::vector<StreamRelation> &Streams);
  bool readConditions(const json &J, OutcomeRow &Row);
  bool readCapturing(const json &J, OutcomeRow &Row);
  bool readModes(const json &J, OutcomeRow &Row);
  bool readCell(const json &J, Cell &C);
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_OUTCOMEREADER_H
