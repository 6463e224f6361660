//===- JsonSyntax.cpp - Finds JSON syntax errors --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonSyntax.h"
#include "Nesting.h"
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace cudagraph::support {
namespace {

class Walk : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit Walk(JsonNames Names) : Names(Names) {}

  JsonProblem Problem;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override {
    return value();
  }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(size_t) override { return open(/*IsObject=*/true); }
  bool start_array(size_t) override { return open(/*IsObject=*/false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &Key) override {
    if (Names == JsonNames::MayRepeat)
      return true;
    Level &Top = Levels.back();
    if (Top.Names.insert(Key).second) {
      Top.Current = Key;
      return true;
    }
    Problem.Is = JsonProblem::Repeated;
    Problem.Name = Key;
    for (const Level &L : Levels)
      if (&L != &Top)
        appendToken(Problem.Pointer,
                    L.IsObject ? L.Current : std::to_string(L.Index));
    return false;
  }
  bool parse_error(size_t Offset, const std::string &,
                   const nlohmann::detail::exception &E) override {
    Problem.Offset = Offset;
    Problem.Text = E.what();
    // "[json.exception.parse_error.101] parse error at line 1, ...".
    if (size_t Bracket = Problem.Text.find("] "); Bracket != std::string::npos)
      Problem.Text.erase(0, Bracket + 2);
    return false;
  }

private:
  struct Level {
    bool IsObject;
    std::set<std::string> Names;
    std::string Current;
    size_t Index;
  };
  JsonNames Names;
  std::vector<Level> Levels;

  bool value() {
    if (!Levels.empty())
      ++Levels.back().Index;
    return true;
  }
  bool open(bool IsObject) {
    Levels.push_back({IsObject, {}, {}, 0});
    return true;
  }
  bool close() {
    Levels.pop_back();
    return value();
  }
};

} // namespace

std::optional<JsonProblem> checkJson(std::string_view Text, JsonNames Names) {
  if (std::string Why = checkJsonNesting(Text); !Why.empty())
    return JsonProblem{JsonProblem::Nesting, std::move(Why), 0, {}, {}};
  Walk Check(Names);
  if (nlohmann::json::sax_parse(Text, &Check))
    return std::nullopt;
  return std::move(Check.Problem);
}

void appendToken(std::string &Pointer, std::string_view Token) {
  Pointer += '/';
  for (char C : Token)
    if (C == '~')
      Pointer += "~0";
    else if (C == '/')
      Pointer += "~1";
    else
      Pointer += C;
}

} // namespace cudagraph::support
