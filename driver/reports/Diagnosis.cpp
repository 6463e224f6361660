//===- Diagnosis.cpp - Groups errors of many units by cause ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnosis.h"
#include "catalogue/Versions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"
#include <map>
#include <set>

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// The condition on a unit under which a diagnosis applies.
enum class When {
  Always,
  Mock,
  Cxx14 = 14,
  Cxx17 = 17,
  Cxx20 = 20,
  Cxx23 = 23
};

struct Diagnosis {
  When If;
  Regex Pattern;
  StringRef Advice;
};

const std::vector<Diagnosis> &allDiagnoses() {
  static const std::vector<Diagnosis> All = [] {
    std::vector<Diagnosis> Result;
#define DIAGNOSIS(WHEN, PATTERN, ADVICE)                                       \
  Result.push_back({When::WHEN, Regex(PATTERN), ADVICE});
#include "Diagnoses.def"
    return Result;
  }();
  return All;
}

/// The properties of a unit's command that determine whether a diagnosis
/// applies.
struct Circumstances {
  bool Mock = false;
  unsigned Standard = 0; ///< the number after C++; 0: none is selected
  std::string Spelled;   ///< "-std=c++14"

  bool operator<(const Circumstances &O) const {
    return std::tie(Mock, Spelled) < std::tie(O.Mock, O.Spelled);
  }
};

Circumstances circumstancesOf(const IncompleteUnit &Unit) {
  Circumstances Result;
  Result.Mock = Unit.MockToolkit;
  for (StringRef Arg : Unit.Command) {
    StringRef Value = Arg;
    if (!Value.consume_front("-std=") && !Value.consume_front("--std="))
      continue;
    Result.Spelled = Arg.str();
    if (!Value.consume_front("c++"))
      (void)Value.consume_front("gnu++");
    unsigned Number = 0;
    Result.Standard = StringSwitch<unsigned>(Value)
                          .Case("0x", 11)
                          .Case("1y", 14)
                          .Case("1z", 17)
                          .Case("2a", 20)
                          .Case("2b", 23)
                          .Case("2c", 26)
                          .Default(Value.getAsInteger(10, Number) ? 0 : Number);
    if (Result.Standard >= 90)
      Result.Standard = 3; // C++98
  }
  return Result;
}

std::string olderStandard(const Circumstances &Given, unsigned Needed) {
  std::string Wanted = "-std=c++" + std::to_string(Needed);
  if (Given.Spelled.empty())
    return "most come from the missing " + Wanted + "; --extra-arg=" + Wanted +
           " adds it";
  return "most come from " + Given.Spelled +
         ", which is older than the code; " + "--extra-arg=" + Wanted +
         " replaces it";
}

/// Names the versions of CUDA that declare the name in \p Message, and the
/// remedy; empty if the name is unknown.
std::string versionAdvice(StringRef Message, bool Mock) {
  static const Regex Names("(undeclared identifier|undeclared function|no "
                           "matching function for call to|no member named) "
                           "'(cu(da)?[A-Z][A-Za-z0-9_]*)'");
  SmallVector<StringRef, 4> Parts;
  if (!Names.match(Message, &Parts))
    return "";
  auto Forms = catalogue::formsOf(std::string_view(Parts[2]));
  bool Missing = !Parts[1].starts_with("no matching");
  if (Forms.empty() || (!Missing && Forms.size() < 2))
    return "";
  std::string Result = "CUDA declares ";
  if (Missing) {
    catalogue::Form All = Forms.front();
    All.Until = Forms.back().Until;
    // All versions declare the name; only its parameters changed.
    if (!All.Since && !All.Until)
      return "";
    Result += Parts[2].str() + " " + catalogue::inWords(All);
  } else {
    for (const catalogue::Form &F : Forms)
      Result += (&F == &Forms.front() ? "" : ", and ") + Parts[2].str() + "(" +
                std::string(F.Parameters) + ") " + catalogue::inWords(F);
  }
  return Result + (Mock ? "; use --cuda-version to select mock headers of "
                          "another version, or --cuda-path to select a toolkit"
                        : "; use --cuda-path to select another toolkit");
}

/// The cause and the remedy of \p Message, or an empty string. Sets \p Spreads
/// if other errors of the unit are probably consequences of it.
std::string adviceFor(StringRef Message, const Circumstances &Given,
                      bool &Spreads) {
  Spreads = false;
  if (std::string OfVersions = versionAdvice(Message, Given.Mock);
      !OfVersions.empty())
    return OfVersions;
  for (const Diagnosis &D : allDiagnoses()) {
    auto Needed = static_cast<unsigned>(D.If);
    bool OfStandard = D.If >= When::Cxx14;
    if ((D.If == When::Mock && !Given.Mock) ||
        (OfStandard && Given.Standard >= Needed))
      continue;
    SmallVector<StringRef, 8> Parts;
    if (!D.Pattern.match(Message, &Parts))
      continue;
    if (OfStandard) {
      Spreads = true;
      return olderStandard(Given, Needed);
    }
    std::string Result;
    StringRef Rest = D.Advice;
    while (!Rest.empty()) {
      auto [Text, After] = Rest.split('\\');
      Result += Text;
      unsigned Part = After.empty() ? 0 : After.front() - '0';
      if (Part && Part < Parts.size())
        Result += Parts[Part];
      Rest = After.drop_front(!After.empty());
    }
    return Result;
  }
  return "";
}

/// "a.cu:1:2: error: text", without the part before the text.
StringRef messageOf(StringRef Error) {
  size_t At = Error.find("error: ");
  return At == StringRef::npos ? Error : Error.drop_front(At + 7);
}

/// \p Message without the names in quotes.
std::string patternOf(StringRef Message) {
  std::string Result;
  bool Inside = false;
  for (char C : Message) {
    if (C == '\'')
      Inside = !Inside;
    if (!Inside)
      Result += C;
  }
  return Result;
}

struct Collected {
  ErrorGroup Group;
  std::set<size_t> Units;
  std::map<std::string, unsigned> Messages; ///< errors, by message
};

class Grouper {
public:
  explicit Grouper(ArrayRef<IncompleteUnit> Units) {
    for (auto [Index, Unit] : enumerate(Units))
      add(Index, Unit);
  }

  std::vector<ErrorGroup> take() {
    std::vector<ErrorGroup> Result;
    for (auto &[Key, C] : Groups) {
      auto Most = std::max_element(
          C.Messages.begin(), C.Messages.end(),
          [](const auto &A, const auto &B) { return A.second < B.second; });
      C.Group.Units = C.Units.size();
      C.Group.Message = Most->first;
      C.Group.Others = C.Messages.size() - 1;
      Result.push_back(std::move(C.Group));
    }
    llvm::sort(Result, [](const ErrorGroup &A, const ErrorGroup &B) {
      return std::tie(B.Units, B.Errors, A.First, A.Message) <
             std::tie(A.Units, A.Errors, B.First, B.Message);
    });
    return Result;
  }

private:
  void add(size_t Index, const IncompleteUnit &Unit) {
    Circumstances Given = circumstancesOf(Unit);
    std::string Cause; // of the other errors in the unit
    std::vector<std::pair<const ErrorKind *, std::string>> Unknown;
    for (const ErrorKind &Kind : Unit.Kinds) {
      std::string Message = messageOf(Kind.First).str();
      auto [Known, New] = Advice.try_emplace({Given, Message});
      if (New)
        Known->second.first =
            adviceFor(Message, Given, /*Spreads=*/Known->second.second);
      const auto &[Text, Spreads] = Known->second;
      if (Spreads && Cause.empty())
        Cause = Text;
      if (Text.empty())
        Unknown.push_back({&Kind, Message});
      else
        // A different header is a different cause, even with the same remedy.
        note(Index, Kind, Message,
             Text + (Message.find("file not found") != std::string::npos
                         ? Message
                         : std::string()),
             Text);
    }
    for (const auto &[Kind, Message] : Unknown)
      note(Index, *Kind, Message, Cause.empty() ? patternOf(Message) : Cause,
           Cause);
  }

  void note(size_t Unit, const ErrorKind &Kind, const std::string &Message,
            const std::string &Key, const std::string &Text) {
    Collected &C = Groups[Key];
    if (C.Units.empty())
      C.Group.First = Kind.First;
    C.Units.insert(Unit);
    C.Group.Errors += Kind.Count;
    C.Group.Advice = Text;
    C.Messages[Message] += Kind.Count;
  }

  std::map<std::string, Collected> Groups;
  std::map<std::pair<Circumstances, std::string>, std::pair<std::string, bool>>
      Advice;
};

} // namespace

std::vector<ErrorGroup> groupErrors(ArrayRef<IncompleteUnit> Units) {
  return Grouper(Units).take();
}

std::string described(const ErrorGroup &G) {
  std::string Result = counted(G.Units, "unit");
  if (G.Errors > G.Units)
    Result += ", " + counted(G.Errors, "error");
  Result += ": " + G.Message;
  if (G.Others)
    Result += " and " + counted(G.Others, "other message");
  if (!G.Advice.empty())
    Result += ": " + G.Advice;
  return Result;
}

} // namespace cudagraph::reports
