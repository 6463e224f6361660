//===- JsonFields.h - Fields that may be absent or wrong --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to nlohmann's values that never throws. What is absent, or not of the
// wanted type, is empty.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_JSONFIELDS_H
#define CUDAGRAPH_PROBE_JSONFIELDS_H

#include "support/Nesting.h"
#include "llvm/ADT/StringRef.h"
#include <nlohmann/json.hpp>
#include <string>

namespace cudagraph::probe {

using Json = nlohmann::ordered_json;

/// Parses \p Text; what is no JSON, or nests too deep, is discarded.
inline Json parseJson(llvm::StringRef Text) {
  if (!support::checkJsonNesting(Text).empty())
    return Json(Json::value_t::discarded);
  return Json::parse(Text.begin(), Text.end(), nullptr,
                     /*allow_exceptions=*/false);
}

/// The member \p Name of \p Object; null if there is none.
inline const Json &field(const Json &Object, const char *Name) {
  static const Json None;
  if (!Object.is_object())
    return None;
  auto It = Object.find(Name);
  return It == Object.end() ? None : *It;
}

inline std::string asText(const Json &Value) {
  if (const auto *Text = Value.get_ptr<const std::string *>())
    return *Text;
  if (Value.is_number_integer())
    return std::to_string(Value.get<int64_t>());
  return {};
}

/// Also of text: "0x1f", "31".
inline uint64_t asNumber(const Json &Value) {
  if (Value.is_number_unsigned() || Value.is_number_integer())
    return Value.get<uint64_t>();
  uint64_t Number = 0;
  if (const auto *Text = Value.get_ptr<const std::string *>())
    if (llvm::StringRef(*Text).getAsInteger(0, Number))
      return 0;
  return Number;
}

inline std::string textOf(const Json &Object, const char *Name) {
  return asText(field(Object, Name));
}
inline uint64_t numberOf(const Json &Object, const char *Name) {
  return asNumber(field(Object, Name));
}
inline int intOf(const Json &Object, const char *Name) {
  return static_cast<int>(numberOf(Object, Name));
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

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_JSONFIELDS_H
