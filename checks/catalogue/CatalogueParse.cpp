//===- CatalogueParse.cpp - From JSON to entries --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function below reads one kind of value and returns false after it has
// described the first thing that is wrong with it. Keep schema.json in step.
//
//===----------------------------------------------------------------------===//

#include "CatalogueParse.h"
#include "ParseSupport.h"
#include "support/JsonSyntax.h"
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

namespace cudagraph::catalogue {

using nlohmann::json;

/// Highest parameter position that an entry may name.
static constexpr int MaxPosition = 31;

/// Most stars in a pattern, where two next to each other count as one: each of
/// them multiplies the time that a name takes.
static constexpr int MaxStars = 3;

static constexpr std::string_view StreamSpellings[] = {
    "origin", "joined", "other", "legacy", "per-thread", "none"};
static constexpr std::string_view Roles[] = {
    "alpha", "beta", "buffer", "callable", "config", "data",  "device",
    "index", "dst",  "event",  "flags",    "func",   "graph", "handle",
    "kind",  "mode", "object", "out",      "params", "ptr",   "shared",
    "size",  "src",  "status", "storage",  "stream"};
static constexpr std::string_view ConditionSpellings[] = {
#define CONDITION(NAME, SPELLING, TEXT, OTHERWISE) SPELLING,
#include "Conditions.def"
};
static constexpr std::string_view Directions[] = {"d2d", "d2h", "h2d"};
static constexpr std::string_view ReturnKinds[] = {
    "bool-capturing", "capture-status", "device-value", "status", "varying"};
static constexpr std::string_view EvidenceKinds[] = {
    "documentation", "measured", "standard", "user"};
static constexpr std::string_view TraitSpellings[] = {
#define TRAIT(NAME, SPELLING, SUMMARY) SPELLING,
#include "Traits.def"
};
static constexpr std::string_view RoleSpellings[] = {
#define ROLE(NAME, SPELLING, KIND, FIELD, SUMMARY) SPELLING,
#include "Roles.def"
};
static constexpr std::string_view EffectSpellings[] = {
#define EFFECT(NAME, SPELLING, FLAGS, SUMMARY) SPELLING,
#include "Effects.def"
};

namespace {

/// Reads one file into a ParsedFile.
class Reader {
public:
  Reader(std::string_view FileName, bool RequireReason,
         const ProfileMap &Shared, ParsedFile &Result)
      : FileName(FileName), RequireReason(RequireReason), Shared(Shared),
        Result(Result) {}

  bool readFile(const json &J);

  std::string Error; ///< set when a read function returns false

private:
  std::string_view FileName;
  bool RequireReason;
  const ProfileMap &Shared;
  ParsedFile &Result;
  std::string Pointer; ///< where the reader is

  /// Moves the reader to a member or an element for as long as it lives.
  class Step {
  public:
    Step(Reader &R, std::string_view Token)
        : Pointer(R.Pointer), Length(Pointer.size()) {
      support::appendToken(Pointer, Token);
    }
    Step(Reader &R, size_t Index) : Step(R, std::to_string(Index)) {}
    ~Step() { Pointer.resize(Length); }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

  private:
    std::string &Pointer;
    size_t Length;
  };

  bool fail(const std::string &Problem) {
    Error = errorAt(FileName, Pointer, Problem);
    return false;
  }
  bool wrongType(const json &Got, const char *Expected) {
    return fail(std::string("this is ") + describe(Got) + "; write " +
                Expected);
  }
  static std::string describe(const json &J);

  bool checkKeys(const json &J,
                 std::initializer_list<std::string_view> Allowed);
  template <typename List>
  bool checkWord(const std::string &Word, const List &Words, const char *What);

  bool readSince(const json &J, Entry &E);
  bool readGroups(const json &J);
  bool readGroup(const json &J);
  bool readGroupNames(const json &J, const NamedRole &Common);
  bool readTraits(const json &J, uint32_t &Traits);
  bool readTexts(const json &J, std::vector<std::string> &Texts);
  bool readProfile(const json &J, Profile &P);
  bool readEntry(const json &J, Entry &E);
  bool readName(const json &J, std::string &Name);
  bool readArgs(const json &J, Entry &E);
  bool readPosition(const json &J, int &Position);
  bool readLast(const json &J, Entry &E);
  bool readOutcome(const json &J, Entry &E);
  bool readRows(const json &J, std::vector<OutcomeRow> &Rows);
  bool readRow(const json &J, OutcomeRow &Row);
  bool readStreams(const json &J, std::vector<StreamRelation> &Streams);
  bool readStream(const json &J, std::vector<StreamRelation> &Streams);
  bool readConditions(const json &J, OutcomeRow &Row);
  bool readCapturing(const json &J, OutcomeRow &Row);
  bool readModes(const json &J, OutcomeRow &Row);
  bool readCell(const json &J, Cell &C);
  bool readEvidence(const json &J, std::vector<Evidence> &Sources);
  bool readText(const json &J, std::string &Text);
  bool readAction(const json &J, ActionText &Words);
};

} // namespace

std::string Reader::describe(const json &J) {
  switch (J.type()) {
  case json::value_t::null:
    return "null";
  case json::value_t::object:
    return "an object";
  case json::value_t::array:
    return J.empty() ? "an empty array" : "an array";
  case json::value_t::string:
    return "the string " + inQuotes(J.get_ref<const std::string &>());
  case json::value_t::boolean:
    return "a boolean";
  default:
    return "the number " + J.dump();
  }
}

/// \p J must be an object whose keys are all in \p Allowed.
bool Reader::checkKeys(const json &J,
                       std::initializer_list<std::string_view> Allowed) {
  if (!J.is_object())
    return wrongType(J, "an object");
  for (const auto &[Key, Value] : J.items())
    if (std::find(Allowed.begin(), Allowed.end(), Key) == Allowed.end())
      return fail("unknown field " + inQuotes(Key) + "; " +
                  suggest(Key, {Allowed}));
  return true;
}

template <typename List>
bool Reader::checkWord(const std::string &Word, const List &Words,
                       const char *What) {
  if (std::find(std::begin(Words), std::end(Words), Word) != std::end(Words))
    return true;
  return fail(std::string("unknown ") + What + " " + inQuotes(Word) + "; " +
              suggest(Word, {std::begin(Words), std::end(Words)}));
}

bool Reader::readFile(const json &J) {
  if (!checkKeys(J, {"$schema", "entries", "library", "names", "outcomes",
                     "profiles", "since", "traits"}))
    return false;
  if (!J.contains("library"))
    return fail("the field 'library' is missing; name the library that the "
                "entries belong to");
  {
    Step S(*this, "library");
    if (!readText(J["library"], Result.Library))
      return false;
  }
  if (J.contains("profiles")) {
    Step S(*this, "profiles");
    const json &Profiles = J["profiles"];
    if (!Profiles.is_object())
      return wrongType(Profiles, "an object of named profiles");
    for (const auto &[Name, Value] : Profiles.items()) {
      Step S(*this, Name);
      if (!readProfile(Value, Result.Profiles[Name]))
        return false;
    }
  }
  if (J.contains("outcomes")) {
    Step S(*this, "outcomes");
    const json &Outcomes = J["outcomes"];
    if (RequireReason)
      return fail("measured outcomes belong to the built-in data; give each "
                  "entry an 'outcome' of its own");
    if (!Outcomes.is_object())
      return wrongType(Outcomes, "an object of outcomes by name");
    for (const auto &[Name, Value] : Outcomes.items()) {
      Step S(*this, Name);
      if (!readProfile(Value, Result.Measured[Name]))
        return false;
    }
  }
  Entry Common;
  if (J.contains("since") && !readSince(J["since"], Common))
    return false;
  if (J.contains("traits") && !readTraits(J["traits"], Common.Traits))
    return false;
  if (J.contains("names") && !readGroups(J["names"]))
    return false;
  if (!J.contains("entries"))
    return true;
  Step S(*this, "entries");
  const json &Entries = J["entries"];
  if (!Entries.is_array())
    return wrongType(Entries, "an array of entries");
  std::map<std::string, size_t, std::less<>> Seen;
  Result.Entries.reserve(Entries.size());
  for (size_t I = 0; I != Entries.size(); ++I) {
    Step S(*this, I);
    Entry &E = Result.Entries.emplace_back();
    E.Library = Result.Library;
    E.Since = Common.Since;
    E.SinceText = Common.SinceText;
    E.Traits = Common.Traits;
    if (!readEntry(Entries[I], E))
      return false;
    auto [It, IsNew] = Seen.emplace(E.Name, I);
    if (!IsNew)
      return fail("'" + E.Name + "' has an entry already, /entries/" +
                  std::to_string(It->second) + "; keep one of the two");
  }
  return true;
}

/// Reads "since", which holds for all entries of the file.
bool Reader::readSince(const json &J, Entry &E) {
  Step S(*this, "since");
  if (RequireReason)
    return fail(
        "only the built-in data knows the versions of libraries; leave this "
        "out");
  if (!checkKeys(J, {"text", "value"}))
    return false;
  for (const char *Field : {"text", "value"})
    if (!J.contains(Field))
      return fail(std::string("the field '") + Field +
                  "' is missing; give the first version that supports "
                  "captures, as its header numbers it, and a text");
  {
    Step S(*this, "value");
    if (!J["value"].is_number_integer() || J["value"].get<int64_t>() < 1 ||
        J["value"].get<int64_t>() > INT32_MAX)
      return wrongType(J["value"], "the number of a version");
    E.Since = J["value"].get<int>();
  }
  Step T(*this, "text");
  return readText(J["text"], E.SinceText);
}

/// Reads "names", what is known besides entries.
bool Reader::readGroups(const json &J) {
  Step S(*this, "names");
  if (!J.is_array())
    return wrongType(J, "an array of groups of names");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readGroup(J[I]))
      return false;
  }
  return true;
}

bool Reader::readGroup(const json &J) {
  if (!checkKeys(J, {"action", "advice", "as", "evidence", "names", "reason",
                     "role", "spelled", "values"}))
    return false;
  if (!J.contains("role"))
    return fail("the field 'role' is missing; say what the names stand for");
  NamedRole Common;
  Common.Library = Result.Library;
  {
    Step S(*this, "role");
    std::string Word;
    if (!readText(J["role"], Word) || !checkWord(Word, RoleSpellings, "role"))
      return false;
    Common.Is = static_cast<Role>(
        std::find(std::begin(RoleSpellings), std::end(RoleSpellings), Word) -
        std::begin(RoleSpellings));
  }
  RoleField Field = fieldOf(Common.Is);
  std::string Of = "'" + std::string(spelling(Common.Is)) + "'";
  const char *Wanted = Field == RoleField::Value ? "values" : "names";
  if (!J.contains(Wanted))
    return fail(std::string("the field '") + Wanted + "' is missing; " +
                (Field == RoleField::Value
                     ? "give the numbers of the names with role "
                     : "list the names with role ") +
                Of);
  for (auto [Key, Fits] :
       {std::pair("names", Field != RoleField::Value),
        std::pair("values", Field == RoleField::Value),
        std::pair("as", Field == RoleField::As),
        std::pair("spelled", kindOf(Common.Is) == NameKind::Type)})
    if (J.contains(Key) && !Fits)
      return fail("role " + Of + " has no '" + Key + "'; leave it out");
  if (Field == RoleField::As && !J.contains("as"))
    return fail("the field 'as' is missing; role " + Of +
                " says another name for its names");
  std::string Reason;
  for (auto [Key, Text] :
       {std::pair("as", &Common.As), std::pair("advice", &Common.Advice),
        std::pair("reason", &Reason)}) {
    Step S(*this, Key);
    if (J.contains(Key) && !readText(J[Key], *Text))
      return false;
  }
  ActionText Words;
  if (J.contains("action") && !readAction(J["action"], Words))
    return false;
  Common.Action = Words.text();
  if (J.contains("spelled")) {
    Step S(*this, "spelled");
    if (!readTexts(J["spelled"], Common.Spelled))
      return false;
  }
  if (J.contains("evidence")) {
    Step S(*this, "evidence");
    if (!readEvidence(J["evidence"], Common.Sources))
      return false;
  } else if (!Reason.empty()) {
    Common.Sources.push_back({"user", Reason});
  }
  // A guess has no evidence, and no more than a reason.
  bool Guess = kindOf(Common.Is) == NameKind::Heuristic;
  if ((RequireReason || Guess) && Reason.empty())
    return fail(
        "the field 'reason' is missing; say why these names have role " + Of);
  if (Common.Sources.empty())
    return fail("the field 'evidence' is missing; say where the facts about "
                "these names come from");
  Step S(*this, Wanted);
  return readGroupNames(J[Wanted], Common);
}

static int starsIn(std::string_view Pattern) {
  int Result = 0;
  for (size_t I = 0; I != Pattern.size(); ++I)
    if (Pattern[I] == '*') {
      ++Result;
      I += I + 1 != Pattern.size() && Pattern[I + 1] == '*';
    }
  return Result;
}

/// Reads the names that \p Common is said of: a list, or an object of numbers.
bool Reader::readGroupNames(const json &J, const NamedRole &Common) {
  if (fieldOf(Common.Is) == RoleField::Value) {
    if (!J.is_object() || J.empty())
      return wrongType(J, "an object of names and their numbers");
    for (const auto &[Name, Value] : J.items()) {
      Step S(*this, Name);
      if (!Value.is_number_integer() || Value.get<int64_t>() < INT32_MIN ||
          Value.get<int64_t>() > INT32_MAX)
        return wrongType(Value, "the number of the enumerator");
      NamedRole &Item = Result.Names.emplace_back(Common);
      Item.Name = Name;
      Item.Value = Value.get<int64_t>();
    }
    return true;
  }
  std::vector<std::string> Names;
  if (!readTexts(J, Names))
    return false;
  for (size_t I = 0; I != Names.size(); ++I) {
    Step S(*this, I);
    bool Lower = std::none_of(Names[I].begin(), Names[I].end(),
                              [](char C) { return C >= 'A' && C <= 'Z'; });
    if (kindOf(Common.Is) == NameKind::Heuristic && !Lower)
      return fail("case makes no difference to role '" +
                  std::string(spelling(Common.Is)) +
                  "'; write lower-case letters");
    if (starsIn(Names[I]) > MaxStars)
      return fail(inQuotes(Names[I]) + " is beyond matching; use at most " +
                  std::to_string(MaxStars) + " stars");
    Result.Names.emplace_back(Common).Name = std::move(Names[I]);
  }
  return true;
}

bool Reader::readTexts(const json &J, std::vector<std::string> &Texts) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one string");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    std::string &Text = Texts.emplace_back();
    if (!readText(J[I], Text))
      return false;
    if (std::count(Texts.begin(), Texts.end(), Text) > 1)
      return fail(inQuotes(Text) + " stands here twice; keep one of the two");
  }
  return true;
}

/// Reads "traits" of an entry or of a file, whose entries all have them.
bool Reader::readTraits(const json &J, uint32_t &Traits) {
  Step S(*this, "traits");
  std::vector<std::string> Words;
  if (!readTexts(J, Words))
    return false;
  for (size_t I = 0; I != Words.size(); ++I) {
    Step S(*this, I);
    if (!checkWord(Words[I], TraitSpellings, "trait"))
      return false;
    Traits |= 1U << (std::find(std::begin(TraitSpellings),
                               std::end(TraitSpellings), Words[I]) -
                     std::begin(TraitSpellings));
  }
  return true;
}

bool Reader::readProfile(const json &J, Profile &P) {
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

bool Reader::readEntry(const json &J, Entry &E) {
  if (!checkKeys(J,
                 {"action", "advice", "args", "direction", "effect", "evidence",
                  "last", "name", "outcome", "reason", "returns", "traits"}))
    return false;
  for (const char *Field : {"name", "effect"})
    if (!J.contains(Field))
      return fail(std::string("the field '") + Field +
                  "' is missing; each entry needs a name and an effect");
  if (!readName(J["name"], E.Name))
    return false;
  {
    Step S(*this, "effect");
    std::string Word;
    if (!readText(J["effect"], Word) ||
        !checkWord(Word, EffectSpellings, "effect"))
      return false;
    E.Does = *parseEffect(Word);
  }
  const std::pair<const char *, std::string *> Texts[] = {
      {"advice", &E.Advice},
      {"reason", &E.Reason},
      {"direction", &E.Direction},
      {"returns", &E.Returns},
  };
  for (auto [Field, Text] : Texts) {
    Step S(*this, Field);
    if (J.contains(Field) && !readText(J[Field], *Text))
      return false;
    if (Text == &E.Direction && J.contains(Field) &&
        !checkWord(*Text, Directions, "direction"))
      return false;
    if (Text == &E.Returns && J.contains(Field) &&
        !checkWord(*Text, ReturnKinds, "result"))
      return false;
  }
  if (J.contains("action") && !readAction(J["action"], E.ActionWords))
    return false;
  E.Action = E.ActionWords.text();
  if (RequireReason && E.Reason.empty())
    return fail("the field 'reason' is missing; say why '" + E.Name +
                "' needs an entry of yours");
  if (J.contains("args") && !readArgs(J["args"], E))
    return false;
  if (J.contains("last") && !readLast(J["last"], E))
    return false;
  if (J.contains("traits") && !readTraits(J["traits"], E.Traits))
    return false;
  if (J.contains("evidence")) {
    Step S(*this, "evidence");
    if (!readEvidence(J["evidence"], E.Sources))
      return false;
  } else if (RequireReason) {
    E.Sources.push_back({"user", E.Reason});
  } else {
    return fail("the field 'evidence' is missing; say where the facts about '" +
                E.Name + "' come from");
  }
  return !J.contains("outcome") || readOutcome(J["outcome"], E);
}

bool Reader::readName(const json &J, std::string &Name) {
  Step S(*this, "name");
  if (!readText(J, Name))
    return false;
  if (std::string Canonical = canonicalName(Name); Canonical != Name)
    return fail("'" + Name + "' carries a version or stream suffix; write '" +
                Canonical + "'");
  return true;
}

bool Reader::readArgs(const json &J, Entry &E) {
  Step S(*this, "args");
  if (!J.is_object())
    return wrongType(J, "an object of roles and positions");
  for (const auto &[Role, Value] : J.items()) {
    if (!checkWord(Role, Roles, "role"))
      return false;
    Step S(*this, Role);
    if (!readPosition(Value, E.Args[Role]))
      return false;
  }
  return true;
}

bool Reader::readPosition(const json &J, int &Position) {
  if (J == "this") {
    Position = Entry::ImplicitObject;
    return true;
  }
  if (!J.is_number_integer() || J.get<int64_t>() < Entry::ImplicitObject ||
      J.get<int64_t>() > MaxPosition)
    return wrongType(J, "a position from 0 to 31, or \"this\"");
  Position = J.get<int>();
  return true;
}

bool Reader::readLast(const json &J, Entry &E) {
  Step S(*this, "last");
  if (!readText(J, E.LastRole))
    return false;
  if (E.Args.count(E.LastRole))
    return true;
  return fail("'" + E.LastRole +
              "' has no position in 'args'; name a role "
              "that 'args' lists");
}

bool Reader::readOutcome(const json &J, Entry &E) {
  Step S(*this, "outcome");
  if (J.is_object()) {
    if (!checkKeys(J, {"like", "rows"}))
      return false;
    if (J.contains("like") != J.contains("rows")) {
      if (J.contains("like")) {
        Step S(*this, "like");
        return readText(J["like"], E.Like);
      }
      Step S(*this, "rows");
      return readRows(J["rows"], E.Outcomes);
    }
    return fail("write either 'rows', at least one, or 'like', the name of the "
                "entry that behaves the same");
  }
  if (!J.is_string())
    return wrongType(
        J, "the name of a profile or an object with 'rows' or 'like'");
  const std::string &Name = J.get_ref<const std::string &>();
  auto Own = Result.Profiles.find(Name);
  bool IsOwn = Own != Result.Profiles.end();
  auto It = IsOwn ? Own : Shared.find(Name);
  if (!IsOwn && It == Shared.end()) {
    std::vector<std::string_view> Names;
    for (const ProfileMap *Map : {&Shared, &std::as_const(Result.Profiles)})
      for (const auto &[Known, P] : *Map)
        Names.push_back(Known);
    return fail("unknown profile " + inQuotes(Name) + "; " +
                (Names.empty() ? "write the rows here" : suggest(Name, Names)));
  }
  E.Outcomes = It->second.Rows;
  E.Sources.insert(E.Sources.end(), It->second.Sources.begin(),
                   It->second.Sources.end());
  return true;
}

bool Reader::readRows(const json &J, std::vector<OutcomeRow> &Rows) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one row");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readRow(J[I], Rows.emplace_back()))
      return false;
  }
  return true;
}

bool Reader::readRow(const json &J, OutcomeRow &Row) {
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

/// Reads "when", one condition or several that all hold.
bool Reader::readConditions(const json &J, OutcomeRow &Row) {
  Step S(*this, "when");
  auto Read = [&](const json &One) {
    std::string Word;
    if (!readText(One, Word) ||
        !checkWord(Word, ConditionSpellings, "condition"))
      return false;
    Row.When.push_back(
        static_cast<Condition>(std::find(std::begin(ConditionSpellings),
                                         std::end(ConditionSpellings), Word) -
                               std::begin(ConditionSpellings)));
    return true;
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

bool Reader::readStreams(const json &J, std::vector<StreamRelation> &Streams) {
  if (J.is_string())
    return readStream(J, Streams);
  if (!J.is_array() || J.empty())
    return wrongType(J, "a stream or an array of streams, or leave it out");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readStream(J[I], Streams))
      return false;
  }
  return true;
}

bool Reader::readStream(const json &J, std::vector<StreamRelation> &Streams) {
  std::string Word;
  if (!readText(J, Word) || !checkWord(Word, StreamSpellings, "stream"))
    return false;
  const auto *It =
      std::find(std::begin(StreamSpellings), std::end(StreamSpellings), Word);
  Streams.push_back(
      static_cast<StreamRelation>(It - std::begin(StreamSpellings)));
  return true;
}

bool Reader::readCapturing(const json &J, OutcomeRow &Row) {
  static constexpr std::string_view Kinds[] = {"blocking", "non-blocking"};
  Step S(*this, "capturing");
  std::string Word;
  if (!readText(J, Word) || !checkWord(Word, Kinds, "kind of stream"))
    return false;
  Row.Capturing =
      Word == Kinds[0] ? StreamKind::Blocking : StreamKind::NonBlocking;
  return true;
}

/// Reads "modes", one cell or three, or "global", "thread_local", "relaxed".
bool Reader::readModes(const json &J, OutcomeRow &Row) {
  static constexpr const char *Names[] = {"global", "thread_local", "relaxed"};
  if (!J.contains("modes")) {
    for (int M = 0; M != 3; ++M) {
      if (!J.contains(Names[M]))
        return fail(std::string("the field '") + Names[M] +
                    "' is missing; give the result in each mode, or one "
                    "'modes' for all");
      Step S(*this, Names[M]);
      if (!readCell(J[Names[M]], Row.ByMode[M]))
        return false;
    }
    return true;
  }
  for (const char *Name : Names)
    if (J.contains(Name))
      return fail(std::string("both 'modes' and '") + Name +
                  "' are given; keep one of the two");
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
                " results; give three: global, thread-local, relaxed");
  for (int M = 0; M != 3; ++M) {
    Step S(*this, M);
    if (!readCell(Modes[M], Row.ByMode[M]))
      return false;
  }
  return true;
}

bool Reader::readCell(const json &J, Cell &C) {
  static constexpr char Expected[] =
      "an error code from 1 to 9999, \"CODE active\" if the capture goes on, "
      "\"captured\", \"escapes\" or \"succeeds\"";
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

bool Reader::readEvidence(const json &J, std::vector<Evidence> &Sources) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one piece of evidence");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    const json &Item = J[I];
    if (!checkKeys(Item, {"kind", "source"}))
      return false;
    Evidence &E = Sources.emplace_back();
    for (auto [Field, Text] :
         {std::pair("kind", &E.Kind), std::pair("source", &E.Source)}) {
      if (!Item.contains(Field))
        return fail(std::string("the field '") + Field +
                    "' is missing; evidence has a kind and a source");
      Step S(*this, Field);
      if (!readText(Item[Field], *Text))
        return false;
      if (Text == &E.Kind && !checkWord(E.Kind, EvidenceKinds, "evidence"))
        return false;
    }
  }
  return true;
}

bool Reader::readAction(const json &J, ActionText &Words) {
  Step S(*this, "action");
  std::string Marked;
  if (!readText(J, Marked))
    return false;
  std::string Problem = parseAction(Marked, Words);
  return Problem.empty() || fail(Problem);
}

/// Texts end up in one-line messages.
bool Reader::readText(const json &J, std::string &Text) {
  if (!J.is_string())
    return wrongType(J, "a string");
  Text = J.get<std::string>();
  if (Text.empty())
    return fail("the string is empty; fill it in or leave the field out");
  if (std::any_of(Text.begin(), Text.end(),
                  [](unsigned char C) { return C < ' '; }))
    return fail("the string holds a control character; write one line of text");
  return true;
}

std::string parseFile(std::string_view Text, std::string_view FileName,
                      bool RequireReason, const ProfileMap &Shared,
                      ParsedFile &Result) {
  if (std::string Error = checkSyntax(Text, FileName); !Error.empty())
    return Error;
  Reader R(FileName, RequireReason, Shared, Result);
  R.readFile(json::parse(Text, nullptr, /*allow_exceptions=*/false));
  return std::move(R.Error);
}

} // namespace cudagraph::catalogue
