//===- JsonFields.h - Reads fields that may be absent or invalid *- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to nlohmann's values without exceptions. A value that is absent, of
// the wrong type, or out of range is empty. Does not use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_FORMAT_JSONFIELDS_H
#define CUDAGRAPH_PROBE_FORMAT_JSONFIELDS_H

#include "Report.h"
#include "support/JsonSyntax.h"
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::probe {

using Json = nlohmann::ordered_json;

/// Parses \p Text; text that is not JSON, or that is nested too deeply, is
/// discarded.
inline Json parseJson(std::string_view Text) {
  if (support::checkJson(Text, support::JsonNames::MayRepeat))
    return Json(Json::value_t::discarded);
  return Json::parse(Text, nullptr, /*allow_exceptions=*/false);
}

/// Parses the output of \p Tool: an object with its name, the version 1, and
/// the list \p List.
std::optional<ReportFault> parseVersioned(std::string_view Text,
                                          std::string_view Tool,
                                          const char *List, Json &Root);

/// The member \p Name of \p Object; null if there is none.
inline const Json &field(const Json &Object, const char *Name) {
  static const Json None;
  if (!Object.is_object())
    return None;
  auto It = Object.find(Name);
  return It == Object.end() ? None : *It;
}

/// Also converts a number.
inline std::string asText(const Json &Value) {
  if (const auto *Text = Value.get_ptr<const std::string *>())
    return *Text;
  if (Value.is_number_integer())
    return std::to_string(Value.get<int64_t>());
  return {};
}

/// Also converts text, such as "0x1f" or "31".
inline uint64_t asNumber(const Json &Value) {
  if (Value.is_number_integer())
    return Value.get<uint64_t>();
  uint64_t Number = 0;
  if (const auto *Text = Value.get_ptr<const std::string *>()) {
    bool IsHex = Text->starts_with("0x");
    const char *End = Text->data() + Text->size();
    auto Read = std::from_chars(Text->data() + (IsHex ? 2 : 0), End, Number,
                                IsHex ? 16 : 10);
    if (Read.ec != std::errc() || Read.ptr != End)
      return 0;
  }
  return Number;
}

inline int asInt(const Json &Value) {
  if (!Value.is_number_integer())
    return 0;
  constexpr int Most = std::numeric_limits<int>::max();
  if (Value.is_number_unsigned())
    return Value.get<uint64_t>() > Most ? 0 : int(Value.get<uint64_t>());
  int64_t Wide = Value.get<int64_t>();
  return Wide < -int64_t(Most) || Wide > Most ? 0 : int(Wide);
}

inline unsigned asCount(const Json &Value) {
  int Number = asInt(Value);
  return Number < 0 ? 0 : unsigned(Number);
}

inline std::string textOf(const Json &Object, const char *Name) {
  return asText(field(Object, Name));
}
inline uint64_t numberOf(const Json &Object, const char *Name) {
  return asNumber(field(Object, Name));
}
inline int intOf(const Json &Object, const char *Name) {
  return asInt(field(Object, Name));
}
inline unsigned countOf(const Json &Object, const char *Name) {
  return asCount(field(Object, Name));
}
inline bool isTrue(const Json &Object, const char *Name) {
  const Json &Value = field(Object, Name);
  return Value.is_boolean() && Value.get<bool>();
}

/// The elements of the array \p Name; none if it is not an array.
inline const Json::array_t &listOf(const Json &Object, const char *Name) {
  static const Json::array_t None;
  const auto *List = field(Object, Name).get_ptr<const Json::array_t *>();
  return List ? *List : None;
}

/// The strings in the list \p Name; other elements are skipped.
inline std::vector<std::string> textsOf(const Json &Object, const char *Name) {
  std::vector<std::string> Result;
  for (const Json &Value : listOf(Object, Name))
    if (Value.is_string())
      Result.push_back(asText(Value));
  return Result;
}

/// The positive numbers in the list \p Name.
inline std::vector<unsigned> countsOf(const Json &Object, const char *Name) {
  std::vector<unsigned> Result;
  for (const Json &Value : listOf(Object, Name))
    if (unsigned Number = asCount(Value))
      Result.push_back(Number);
  return Result;
}

/// Calls \p Each with every object of the list \p Name.
template <typename Fn>
void eachOf(const Json &Object, const char *Name, Fn Each) {
  for (const Json &Value : listOf(Object, Name))
    if (Value.is_object())
      Each(Value);
}

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_FORMAT_JSONFIELDS_H
