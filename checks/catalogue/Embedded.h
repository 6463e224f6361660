//===- Embedded.h - Layout of the embedded data -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// EmbedCatalogue writes data/*.json as constant arrays of these structures, and
// Builtin.cpp turns a record into an Entry on its first lookup. Nothing is
// parsed, copied, or sorted when the plugin starts.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_EMBEDDED_H
#define CUDAGRAPH_CATALOGUE_EMBEDDED_H

#include "CatalogueParse.h"
#include <cstdint>

namespace cudagraph::catalogue {

namespace embedded {

/// A half-open range of indices into one of the arrays.
struct Range {
  uint16_t Begin, End;
};

struct Arg {
  const char *Role;
  int Position;
};

struct Row {
  uint8_t Streams;   ///< bit set of StreamRelation; 0: any
  int8_t Capturing;  ///< StreamKind, or -1: any
  uint32_t When;     ///< bit set of Condition
  int16_t ByMode[3]; ///< > 0: error code; <= 0: minus Cell::Kind
};

/// Added to an error code if the capture continues.
inline constexpr int Survives = 10000;

struct Source {
  const char *Kind;
  const char *Text;
};

/// See ActionText.
struct Action {
  const char *Does;
  const char *Event, *EventNoun;
  const char *Stream, *StreamLink;
};

struct Record {
  std::string_view Name;
  const char *Library;
  Effect Does;
  Range Args, Rows, Sources;
  const char *LastRole;
  uint16_t Action; ///< index into Actions
  const char *Advice;
  const char *Direction;
  const char *Returns;
  int Since;
  const char *SinceText;
  uint32_t Traits;
};

struct Name {
  const char *Text;
  Role Is;
  bool HasValue;
  int64_t Value;
  const char *As;
  Range Spelled; ///< of Words
  const char *Action;
  const char *Advice;
  Range Sources;
  const char *Library;
};

struct Word {
  const char *Text;
};

struct NamedProfile {
  const char *Name;
  Range Rows, Sources;
};

} // namespace embedded

/// Returns the embedded entry \p Name, which must be canonical, or nullptr.
const Entry *builtinEntry(std::string_view Name);
/// Returns all embedded entries, sorted by name.
std::vector<const Entry *> builtinEntries();
/// Returns the embedded names.
const RoleTable &builtinNames();
/// Returns the embedded profiles, to which users' files may refer.
const ProfileMap &builtinProfiles();

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_EMBEDDED_H
