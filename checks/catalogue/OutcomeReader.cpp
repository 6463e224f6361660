//===- OutcomeReader.cpp - Rows and profiles of a file --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OutcomeReader.h.
//
//===----------------------------------------------------------------------===//

#include "OutcomeReader.h"

namespace cudagraph::catalogue {

static constexpr std::string_view StreamSpellings[] = {
    "origin", "joined", "other", "legacy", "per-thread", "none"};
static constexpr std::string_view KindSpellings[] = {"blocking",
                                                     "non-blocking"};
static constexpr std::string_view ConditionSpellings[] = {
#define CONDITION(NAME, SPELLING, TEXT, OTHERWISE) SPELLING,
#include "Conditions.def"
};

bool OutcomeReader::readProfile(const json &J, Profile &P) {
  if (!checkKeys(J, {"evidence", "rows"}))
    return false;
  if (!J.contains("rows"))
    return fail("the field 'rows' is missing; list at least one row");
  {
    Step S(*this, "rows");
    if (!readRows(J["rows"], P.Rows))
      return false;
  }
  if (!J.contains("evidence"))
    return true;
  Step S(*this, "evidence");
  return readEvidence(J["evidence"], P.Sources);
}

bool OutcomeReader::readRows(const json &J, std::vector<OutcomeRow> &Rows) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one row");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readRow(J[I], Rows.emplace_back()))
      return false;
  }
  return true;
}

bool OutcomeReader::readRow(const json &J, OutcomeRow &Row) {
  if (!checkKeys(J, {"capturing", "global", "modes", "relaxed", "stream",
                     "thread_local", "when"}))
    return false;
  if (J.contains("stream")) {
    Step S(*this, "stream");
    if (!readStreams(J["stream"], Row.Streams))
      return false;
  }
  return (!J.contains("when") || readConditions(J["when"], Row)) &&
         (!J.contains("capturing") || readCapturing(J["capturing"], Row)) &&
         readModes(J, Row);
}

bool OutcomeReader::readStreams(const json &J,
                                std::vector<StreamRelation> &Streams) {
  if (J.is_string())
    return readStream(J, Streams);
  if (!J.is_array() || J.empty())
    return wrongType(J, "a stream or an array of streams, or remove the field");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readStream(J[I], Streams))
      return false;
  }
  return true;
}

bool OutcomeReader::readStream(const json &J,
                               std::vector<StreamRelation> &Streams) {
  return readWord(J, StreamSpellings, "stream", Streams.emplace_back());
}

/// Reads "when", which contains one condition, or several that must all hold.
bool OutcomeReader::readConditions(const json &J, OutcomeRow &Row) {
  Step S(*this, "when");
  auto Read = [&](const json &One) {
    return readWord(One, ConditionSpellings, "condition",
                    Row.When.emplace_back());
  };
  if (J.is_string())
    return Read(J);
  if (!J.is_array() || J.empty())
    return wrongType(J, "a condition or an array of conditions");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!Read(J[I]))
      return false;
  }
  return true;
}

bool OutcomeReader::readCapturing(const json &J, OutcomeRow &Row) {
  Step S(*this, "capturing");
  return readWord(J, KindSpellings, "kind of stream", Row.Capturing.emplace());
}

/// Reads "modes", which contains one cell or three, or the cells "global",
/// "thread_local", and "relaxed".
bool OutcomeReader::readModes(const json &J, OutcomeRow &Row) {
  static constexpr const char *Names[] = {"global", "thread_local", "relaxed"};
  if (!J.contains("modes")) {
    for (int M = 0; M != 3; ++M) {
      if (!J.contains(Names[M]))
        return fail(std::string("the field '") + Names[M] +
                    "' is missing; specify the result in each mode, or "
                    "'modes' for all modes");
      Step S(*this, Names[M]);
      if (!readCell(J[Names[M]], Row.ByMode[M]))
        return false;
    }
    return true;
  }
  for (const char *Name : Names)
    if (J.contains(Name))
      return fail(std::string("both 'modes' and '") + Name +
                  "' are specified; keep one of the two");
  Step S(*this, "modes");
  const json &Modes = J["modes"];
  if (!Modes.is_array()) {
    if (!readCell(Modes, Row.ByMode[0]))
      return false;
    Row.ByMode[1] = Row.ByMode[2] = Row.ByMode[0];
    return true;
  }
  if (Modes.size() != 3)
    return fail("there are " + std::to_string(Modes.size()) +
                " results; specify three: global, thread-local, and relaxed");
  for (int M = 0; M != 3; ++M) {
    Step S(*this, M);
    if (!readCell(Modes[M], Row.ByMode[M]))
      return false;
  }
  return true;
}

bool OutcomeReader::readCell(const json &J, Cell &C) {
  static constexpr char Expected[] =
      "an error code from 1 to 9999, \"CODE active\" if the capture continues, "
      "\"captured\", \"escapes\", or \"succeeds\"";
  if (J.is_number_integer()) {
    auto Code = J.get<int64_t>();
    if (Code < 1 || Code > 9999)
      return wrongType(J, Expected);
    C = {Cell::Error, static_cast<int>(Code)};
    return true;
  }
  if (J.is_string()) {
    std::string_view Text = J.get_ref<const std::string &>();
    constexpr std::string_view Active = " active";
    int Code = 0;
    if (Text.size() > Active.size() && Text.size() <= Active.size() + 4 &&
        Text.substr(Text.size() - Active.size()) == Active)
      for (char D : Text.substr(0, Text.size() - Active.size()))
        Code = Code < 0 || D < '0' || D > '9' ? -1 : Code * 10 + (D - '0');
    if (Code > 0) {
      C = {Cell::Error, Code, true};
      return true;
    }
  }
  if (J == "captured")
    C = {Cell::Captured};
  else if (J == "escapes")
    C = {Cell::Escapes};
  else if (J == "succeeds")
    C = {Cell::Succeeds};
  else
    return wrongType(J, Expected);
  return true;
}

} // namespace cudagraph::catalogue
