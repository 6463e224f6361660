//===- JsonRead.h - Lenient access to JSON ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field that is missing or of another type is its default: only what no
// report can do without is an error.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_JSONREAD_H
#define CUDAGRAPH_PROBE_CONFIRM_JSONREAD_H

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cudagraph::confirm {

using Json = nlohmann::ordered_json;

/// Parses \p Text; false, and what is wrong and where, if it is no JSON.
bool parseJson(std::string_view Text, Json &Result, std::string &Why);

/// Returns the field, or null.
inline const Json &field(const Json &Object, const char *Name) {
  static const Json None;
  if (!Object.is_object())
    return None;
  auto It = Object.find(Name);
  return It == Object.end() ? None : *It;
}

inline std::string text(const Json &Object, const char *Name) {
  const Json &Value = field(Object, Name);
  return Value.is_string() ? Value.get<std::string>() : std::string();
}

inline int number(const Json &Value) {
  if (!Value.is_number_integer())
    return 0;
  // Larger ones are damage.
  constexpr int Most = std::numeric_limits<int>::max();
  if (Value.is_number_unsigned())
    return Value.get<uint64_t>() > Most ? 0 : int(Value.get<uint64_t>());
  int64_t Wide = Value.get<int64_t>();
  return Wide < -int64_t(Most) || Wide > Most ? 0 : int(Wide);
}
inline int number(const Json &Object, const char *Name) {
  return number(field(Object, Name));
}
inline unsigned count(const Json &Object, const char *Name) {
  int Value = number(Object, Name);
  return Value < 0 ? 0 : unsigned(Value);
}

/// Calls \p Each with every object of the list, if it is one.
template <typename Fn> void each(const Json &List, Fn Each) {
  if (List.is_array())
    for (const Json &Value : List)
      if (Value.is_object())
        Each(Value);
}

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_JSONREAD_H
