//===- Sarif.cpp - SARIF 2.1.0, for code scanning -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes one run. Results above GitHub's limits are omitted, and a notification
// states how many.
//
// There is no automationDetails.id: the upload action sets one from its input
// `category`, but only for runs without an ID.
//
//===----------------------------------------------------------------------===//

#include "Sarif.h"
#include "Entries.h"
#include "Escape.h"
#include "SarifResult.h"
#include "SarifRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// GitHub accepts 25,000 results and 10 MB of compressed data. Results compress
/// to less than a tenth of their size.
constexpr size_t MostResults = 25000;
constexpr uint64_t MostBytes = 90 << 20;

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R, SourceText &Sources)
      : Out(Out), J(Out, /*IndentSize=*/2), R(R), Rules(sarifRules(R)),
        Entries(entriesOf(R, Sources)), Results(J, R, Sources, Rules) {}

  void write() {
    J.object([&] {
      J.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      J.attribute("version", "2.1.0");
      J.attributeArray("runs", [&] { J.object([&] { run(); }); });
    });
    Out << "\n";
  }

private:
  raw_ostream &Out;
  json::OStream J;
  const Report &R;
  std::vector<SarifRule> Rules;
  std::vector<Entry> Entries;
  SarifResults Results;
  size_t LeftOut = 0;

  void run() {
    J.attributeObject("tool",
                      [&] { J.attributeObject("driver", [&] { driver(); }); });
    J.attributeObject("originalUriBaseIds", [&] {
      J.attributeObject("%SRCROOT%", [&] {
        J.attribute("uri", "file://" + uriEscaped(R.Root) + "/");
      });
    });
    J.attribute("columnKind", "utf16CodeUnits");
    J.attributeArray("results", [&] { results(); });
    // The invocation follows the results, because it states how many were
    // omitted.
    J.attributeArray("invocations", [&] { J.object([&] { invocation(); }); });
    J.attributeObject("properties", [&] {
      J.attribute("translationUnits", R.Seen.TranslationUnits);
      J.attribute("skippedUnits", R.Seen.SkippedUnits);
      J.attribute("incompleteUnits", int64_t(R.Seen.Incomplete.size()));
      J.attribute("captureRegions", int64_t(R.Regions.size()));
      J.attribute("opaqueCalls", int64_t(R.Seen.OpaqueCalls.size()));
      J.attribute("hiddenByNolint", R.Hidden.Nolint);
      J.attribute("hiddenAsAdvice", R.Hidden.Advice);
      J.attribute("hiddenByBaseline", R.Hidden.Baseline);
      J.attribute("hiddenAsUnchanged", R.Hidden.Unchanged);
      if (R.InRun)
        J.attribute("inRun", confirm::summary(*R.InRun));
    });
  }

  void driver() {
    J.attribute("name", "cudagraph-tidy");
    J.attribute("version", CUDAGRAPH_VERSION);
    J.attribute("semanticVersion", CUDAGRAPH_VERSION);
    J.attribute("informationUri", CUDAGRAPH_ADDRESS);
    J.attributeArray("rules", [&] {
      for (const SarifRule &Rule : Rules)
        J.object([&] { rule(Rule); });
    });
    J.attributeArray("notifications", [&] {
      notice(IncompleteAnalysis, "IncompleteAnalysis",
             "A translation unit was not fully analyzed. Code that was not "
             "analyzed may contain findings.");
      notice("cudagraph-left-out", "LeftOut",
             "Findings that do not fit in the report, or have no location, are "
             "counted here.");
      notice(UnusedNolint, "UnusedNolint",
             "A NOLINT comment names a check but suppresses no finding.");
      notice(StaleBaseline, "StaleBaseline",
             "An entry of the baseline matches no finding.");
    });
  }

  void text(StringRef Name, StringRef Text) {
    J.attributeObject(Name, [&] { J.attribute("text", Text); });
  }

  void rule(const SarifRule &Rule) {
    J.attribute("id", Rule.Id);
    J.attribute("name", Rule.Name);
    text("shortDescription", Rule.Short);
    text("fullDescription", Rule.Full);
    J.attributeObject("help", [&] {
      J.attribute("text", Rule.Help);
      J.attribute("markdown", Rule.Help);
    });
    J.attributeObject("defaultConfiguration",
                      [&] { J.attribute("level", Rule.Level); });
    J.attributeObject("properties", [&] {
      J.attributeArray("tags", [&] {
        for (const char *Tag : {"correctness", "cuda", "cuda-graphs"})
          J.value(Tag);
      });
      J.attribute("precision", "high");
      J.attribute("problem.severity",
                  Rule.Level == "note" ? "recommendation" : Rule.Level);
    });
  }

  void notice(StringRef Id, StringRef Name, StringRef Text) {
    J.object([&] {
      J.attribute("id", Id);
      J.attribute("name", Name);
      for (const char *Member : {"shortDescription", "fullDescription", "help"})
        text(Member, Text);
    });
  }

  void results() {
    std::vector<Entry> Shown;
    for (const Entry &E : Entries)
      if (E.Check != IncompleteAnalysis && !E.isRemark() && E.Loc.valid())
        Shown.push_back(E);
    size_t Total = Shown.size();
    if (Total > MostResults) {
      sortByWeight(Shown);
      Shown.resize(MostResults);
    }
    uint64_t Start = Out.tell();
    size_t Written = 0;
    for (const Entry &E : Shown) {
      if (Out.tell() - Start > MostBytes)
        break;
      Results.write(E);
      ++Written;
    }
    LeftOut = Total - Written;
  }

  void invocation() {
    J.attribute("executionSuccessful", R.Seen.Incomplete.empty());
    J.attributeObject("workingDirectory", [&] {
      J.attribute("uri", "file://" + uriEscaped(R.WorkingDirectory) + "/");
    });
    J.attributeArray("toolExecutionNotifications", [&] {
      for (const Entry &E : Entries) {
        if (E.Check == IncompleteAnalysis) {
          std::string Message = E.Message + ".";
          for (const Step &S : E.Steps)
            Message += "\n" + fromRoot(R, S.Loc.File) + ":" +
                       std::to_string(S.Loc.Line) + ": " + S.Message;
          notification(IncompleteAnalysis, "error", Message, &E.Loc);
        } else if (E.isRemark()) {
          notification(E.Check, "note", E.Message + ".",
                       E.Loc.valid() ? &E.Loc : nullptr);
        } else if (!E.Loc.valid()) {
          notification("cudagraph-left-out", "warning",
                       E.Message + ". It has no location in the sources.");
        }
      }
      if (LeftOut)
        notification("cudagraph-left-out", "warning",
                     counted(LeftOut, "result") +
                         " left out: code scanning accepts no more.");
    });
  }

  void notification(StringRef Id, StringRef Level, const std::string &Message,
                    const Location *At = nullptr) {
    J.object([&] {
      J.attributeObject("descriptor", [&] { J.attribute("id", Id); });
      J.attribute("level", Level);
      text("message", validUtf8(shortened(Message, 4000)));
      if (At)
        J.attributeArray("locations", [&] {
          J.object([&] {
            J.attributeObject("physicalLocation",
                              [&] { Results.artifact(At->File); });
          });
        });
    });
  }
};

} // namespace

void writeSarif(raw_ostream &Out, const Report &R, SourceText &Sources) {
  Writer(Out, R, Sources).write();
}

} // namespace cudagraph::reports
