//===- Explain.cpp - The output of `cudagraph-tidy explain` ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "catalogue/Versions.h"
#include "driver/options/Options.h"
#include "driver/reports/CheckPages.h"
#include "driver/reports/OutcomeTable.h"
#include "driver/support/Errors.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

using namespace llvm;
using namespace cudagraph::catalogue;

namespace cudagraph::driver {
namespace {

struct CodeAdvice {
  int Code;
  const char *Origin, *Advice;
};
constexpr CodeAdvice Advices[] = {
#define CAPTURE_ERROR(CODE, ORIGIN, ADVICE) {CODE, ORIGIN, ADVICE},
#include "CodeAdvice.def"
};

constexpr int LineWidth = 80;

/// Prints \p Words with \p Indent, wrapped at the right margin.
void fill(raw_ostream &Out, unsigned Indent, ArrayRef<StringRef> Words) {
  size_t Column = 0;
  for (StringRef Word : Words) {
    if (Column && Column + 1 + Word.size() > LineWidth) {
      Out << "\n";
      Column = 0;
    }
    if (Column == 0) {
      Out.indent(Indent) << Word;
      Column = Indent + Word.size();
    } else {
      Out << ' ' << Word;
      Column += 1 + Word.size();
    }
  }
  if (Column)
    Out << "\n";
}

void fill(raw_ostream &Out, unsigned Indent, StringRef Text) {
  SmallVector<StringRef> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  fill(Out, Indent, Words);
}

/// The catalogue's phrases as sentences.
std::string sentence(StringRef Text) {
  std::string Result = Text.str();
  if (!Result.empty())
    Result.front() = toUpper(Result.front());
  return Text.ends_with(".") ? Result : Result + ".";
}

void explainCheck(const CheckInfo &Check, raw_ostream &Out) {
  if (StringRef Page = reports::checkPage(Check.Id); !Page.empty()) {
    Out << Page;
    return;
  }
  Out << Check.Id << "\n\n";
  fill(Out, 0, ("Finds " + Twine(Check.Summary) + ".").str());
}

/// 900, cudaErrorStreamCaptureUnsupported, and
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED denote the same error.
std::optional<int> parseCode(StringRef Subject) {
  auto Plain = [](StringRef Name) {
    std::string Text = Name.lower();
    llvm::erase(Text, '_');
    return Text;
  };
  for (const CodeAdvice &A : Advices)
    if (Subject == std::to_string(A.Code) ||
        Plain(Subject) == Plain(errorName(A.Code)))
      return A.Code;
  return std::nullopt;
}

/// Prints the calls that return \p Code and the situations in which they do.
void listCalls(int Code, const Catalogue &Known, raw_ostream &Out) {
  // Indexed by library and situation.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> Found;
  bool Survives = false;
  for (const Entry *E : Known.entries())
    for (const reports::Situation &S : reports::situations(*E, Code)) {
      Found[E->Library][S.Text].push_back(E->Name + (S.Survives ? "*" : ""));
      Survives |= S.Survives;
    }
  if (Found.empty())
    return;
  Out << "\nCalls that return it (use explain for the details of each):\n";
  for (const auto &[Library, BySituation] : Found) {
    Out << "  " << Library << "\n";
    std::vector<const std::pair<const std::string, std::vector<std::string>> *>
        Order;
    for (const auto &Item : BySituation)
      Order.push_back(&Item);
    // The situation with the most calls comes first.
    llvm::sort(Order, [](const auto *A, const auto *B) {
      if (A->second.size() != B->second.size())
        return A->second.size() > B->second.size();
      return A->first < B->first;
    });
    for (const auto *Item : Order) {
      fill(Out, 4, Item->first + ":");
      SmallVector<StringRef> Words(Item->second.begin(), Item->second.end());
      fill(Out, 6, Words);
    }
  }
  if (Survives)
    Out << "\n* refused, and the capture continues; any other error "
           "invalidates it\n";
}

void explainCode(int Code, const Catalogue &Known, raw_ostream &Out) {
  Out << Code << " " << errorName(Code) << "\n\n";
  fill(Out, 0, sentence(errorMeaning(Code)));
  for (const CodeAdvice &A : Advices)
    if (A.Code == Code) {
      if (*A.Origin) {
        Out << "\n";
        fill(Out, 0, ("Cause: " + Twine(A.Origin)).str());
      }
      Out << "\n";
      fill(Out, 0, ("Remedy: " + Twine(A.Advice)).str());
    }
  listCalls(Code, Known, Out);
}

/// Prints the table of outcomes, if there are any.
void printOutcomes(const Entry &E, raw_ostream &Out) {
  std::vector<reports::OutcomeGroup> Groups = reports::outcomeGroups(E);
  if (Groups.empty())
    return;
  Out << "\nWhile a stream captures, by capture mode (a number is the error "
         "returned):\n";
  using catalogue::Mode;
  const reports::OutcomeLine Head = {
      "called with", "capturing stream", inWords(Mode::Global),
      inWords(Mode::ThreadLocal), inWords(Mode::Relaxed)};
  reports::OutcomeGroup Title{"", {Head}};
  Groups.insert(Groups.begin(), Title);
  std::array<size_t, 5> Widths = {};
  bool Survives = false;
  for (const reports::OutcomeGroup &Group : Groups)
    for (const reports::OutcomeLine &Line : Group.Lines)
      for (size_t I = 0; I < Line.size(); ++I) {
        size_t Indent = I == 0 && !Group.If.empty() ? 2 : 0;
        Widths[I] = std::max(Widths[I], Line[I].size() + Indent);
        Survives |= StringRef(Line[I]).ends_with("*");
      }
  for (const reports::OutcomeGroup &Group : Groups) {
    if (!Group.If.empty())
      fill(Out, 2, "if " + Group.If + ":");
    for (const reports::OutcomeLine &Line : Group.Lines) {
      size_t Indent = Group.If.empty() ? 0 : 2;
      Out.indent(2 + Indent);
      for (size_t I = 0; I < Line.size(); ++I) {
        Out << Line[I];
        if (I + 1 < Line.size())
          Out.indent(Widths[I] - Line[I].size() - (I ? 0 : Indent) + 2);
      }
      Out << "\n";
    }
  }
  if (Survives)
    Out << "  * refused, and the capture continues; any other error "
           "invalidates it\n";
}

/// Prints the versions of CUDA that declare \p E, unless all of them do.
void printVersions(const Entry &E, raw_ostream &Out) {
  std::vector<std::string> Names = versionedNames(E.Name);
  if (Names.empty())
    return;
  Out << "\nIn the headers of CUDA (" << versionText(oldestVersion()) << " to "
      << versionText(newestVersion()) << " were compared):\n";
  for (const std::string &Name : Names)
    for (const Form &F : formsOf(Name))
      fill(Out, 2,
           inWords(F) + ": " + Name +
               (F.Parameters.empty() ? std::string()
                                     : "(" + std::string(F.Parameters) + ")"));
}

void explainFunction(const Entry &E, raw_ostream &Out) {
  Out << E.Name << " (" << E.Library << ")\n\n";
  fill(Out, 0,
       sentence(E.Action.empty() ? StringRef(summary(E.Does))
                                 : StringRef(E.Action)));
  fill(Out, 0, ("Effect: " + Twine(spelling(E.Does))).str());
  if (!E.Args.empty()) {
    Out << "\nRelevant arguments, counted from 1:\n";
    for (const auto &[Role, Position] : E.Args) {
      Out << "  " << Role << ": ";
      if (Position == Entry::ImplicitObject)
        Out << "the object on which it is called\n";
      else if (Position < 0)
        Out << "the last argument\n";
      else
        Out << "argument " << Position + 1 << "\n";
    }
  }

  printOutcomes(E, Out);
  printVersions(E, Out);
  if (!E.Advice.empty()) {
    Out << "\n";
    fill(Out, 0, "Remedy: " + E.Advice + ".");
  }
  if (!E.Reason.empty()) {
    Out << "\n";
    fill(Out, 0, "Reason: " + E.Reason);
  }
  if (!E.Sources.empty())
    Out << "\nEvidence:\n";
  for (const Evidence &S : E.Sources)
    fill(Out, 2, S.Kind + ": " + S.Source);
}

/// The names nearest to \p Subject, for a typo or an unqualified name.
std::vector<std::string> suggestions(StringRef Subject,
                                     const Catalogue &Known) {
  std::vector<std::pair<unsigned, std::string>> Near;
  unsigned Limit = std::max<size_t>(1, Subject.size() / 4);
  auto Consider = [&](StringRef Name) {
    StringRef Last = Name.substr(Name.rfind(':') + 1);
    unsigned Distance = Last.equals_insensitive(Subject)
                            ? 0
                            : Subject.edit_distance(Name, true, Limit);
    if (Distance <= Limit)
      Near.emplace_back(Distance, Name.str());
  };
  for (const CheckInfo &Check : allChecks()) {
    Consider(Check.Id);
    if (StringRef(Check.Id).ends_with(("-" + Subject).str()))
      Near.emplace_back(0, Check.Id);
  }
  for (const CodeAdvice &A : Advices)
    Consider(errorName(A.Code));
  for (const Entry *E : Known.entries())
    Consider(E->Name);
  sort(Near);
  std::vector<std::string> Result;
  for (const auto &[Distance, Name] : Near)
    if (Result.size() < 3 && Distance <= Near.front().first + 1)
      Result.push_back(Name);
  return Result;
}

} // namespace

Error explain(StringRef Subject, const Catalogue &Known, raw_ostream &Out) {
  for (const CheckInfo &Check : allChecks())
    if (Subject == Check.Id) {
      explainCheck(Check, Out);
      return Error::success();
    }
  if (std::optional<int> Code = parseCode(Subject)) {
    explainCode(*Code, Known, Out);
    return Error::success();
  }
  if (const Entry *E = Known.lookup(Subject)) {
    explainFunction(*E, Out);
    return Error::success();
  }
  std::string Message = "'" + Subject.str() +
                        "' is not a check, a capture error (900 to 908), or a "
                        "function in the catalogue";
  std::vector<std::string> Near = suggestions(Subject, Known);
  if (!Near.empty())
    Message += "; did you mean '" + join(Near, "', '") + "'?";
  return makeError(Message);
}

} // namespace cudagraph::driver
