//===- Json.cpp - The lossless report -------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "Diagnosis.h"
#include "OpsTable.h"
#include "Unseen.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

constexpr int Version = 1;

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R) : J(Out, /*IndentSize=*/2), R(R) {}

  void write(Listed What) {
    bool WithFindings = What == Listed::Findings;
    J.object([&] {
      J.attribute("version", Version);
      J.attributeObject("tool", [&] {
        J.attribute("name", "cudagraph-tidy");
        J.attribute("version", CUDAGRAPH_VERSION);
        J.attribute("llvm", LLVM_VERSION_STRING);
      });
      list("regions", R.Regions, [&](const Region &G) { region(G); });
      J.attributeObject("coverage", [&] { coverage(); });
      if (WithFindings)
        J.attributeArray("findings", [&] {
          for (size_t I = 0; I < R.Findings.size(); ++I)
            finding(R.Findings[I],
                    R.InRun ? &R.InRun->Confirmations[I] : nullptr);
        });
      if (WithFindings) {
        J.attributeObject("hidden", [&] {
          J.attribute("nolint", R.Hidden.Nolint);
          J.attribute("baseline", R.Hidden.Baseline);
          J.attribute("unchanged", R.Hidden.Unchanged);
          J.attribute("advice", R.Hidden.Advice);
        });
        list("remarks", R.Remarks, [&](const Remark &Each) {
          J.object([&] {
            J.attribute("kind", Each.Is == Remark::UnusedNolint
                                    ? "unused-nolint"
                                    : "stale-baseline");
            location("location", Each.Loc);
            text("message", Each.Message);
          });
        });
      }
      if (What == Listed::Operators)
        list("ops", R.Operators, [&](const Operator &Row) { op(Row); });
      if (WithFindings && R.InRun)
        list("run_only", R.InRun->Others,
             [&](const confirm::RunOnly &Other) { runOnly(Other); });
    });
  }

private:
  json::OStream J;
  const Report &R;

  /// Names and messages quote sources, which may contain any text.
  void text(StringRef Name, StringRef Value) {
    J.attribute(Name, json::isUTF8(Value) ? Value.str() : json::fixUTF8(Value));
  }
  void textOrNull(StringRef Name, StringRef Value) {
    if (Value.empty())
      J.attribute(Name, nullptr);
    else
      text(Name, Value);
  }
  void texts(StringRef Name, const std::vector<std::string> &Values) {
    list(Name, Values, [&](StringRef Value) {
      J.value(json::isUTF8(Value) ? Value.str() : json::fixUTF8(Value));
    });
  }

  template <typename T, typename Fn>
  void list(StringRef Name, const std::vector<T> &Values, Fn Each) {
    J.attributeArray(Name, [&] {
      for (const T &Value : Values)
        Each(Value);
    });
  }

  void location(StringRef Name, const Location &L) {
    if (!L.valid())
      return J.attribute(Name, nullptr);
    J.attributeObject(Name, [&] { position(L); });
  }
  void position(const Location &L) {
    text("file", L.File);
    J.attribute("line", L.Line);
    J.attribute("column", L.Column);
    J.attribute("end_line", L.EndLine);
    J.attribute("end_column", L.EndColumn);
  }

  /// The fields that identify a region, even within a finding.
  void regionHead(const Region &G) {
    J.attribute("id", G.Id);
    text("root", spelling(G.Root));
    text("name", G.Name);
    textOrNull("mode", G.Mode ? spelling(*G.Mode) : "");
    textOrNull("stream", G.Stream);
    textOrNull("stream_kind", !G.Kind ? ""
                              : *G.Kind == catalogue::StreamKind::Blocking
                                  ? "blocking"
                                  : "non_blocking");
    location("location", G.Begin);
  }
  void region(const Region &G) {
    J.object([&] {
      regionHead(G);
      list("ends", G.Ends,
           [&](const Location &End) { J.object([&] { position(End); }); });
      list("timeline", G.Timeline, [&](const TimelineEntry &E) { entry(E); });
      J.attribute("timeline_truncated", G.Truncated);
      texts("variants", G.Variants);
      J.attribute("calls", callsIn(G));
      J.attribute("findings", R.findingsIn(G.Id));
    });
  }

  void entry(const TimelineEntry &E) {
    J.object([&] {
      text("kind", spelling(E.Kind));
      textOrNull("stream", E.Stream);
      textOrNull("part", spelling(E.Part));
      textOrNull("label", E.Label);
      textOrNull("event", E.Event);
      text("function", E.Function);
      J.attribute("depth", E.Depth);
      J.attribute("always", E.Always);
      location("location", E.Loc);
    });
  }

  void steps(StringRef Name, const std::vector<Step> &Steps) {
    list(Name, Steps, [&](const Step &S) {
      J.object([&] {
        location("location", S.Loc);
        text("function", S.Function);
        text("message", S.Message);
      });
    });
  }

  void coverage() {
    const Coverage &C = R.Seen;
    J.attribute("translation_units", C.TranslationUnits);
    J.attribute("skipped_units", C.SkippedUnits);
    list("incomplete", C.Incomplete, [&](const IncompleteUnit &Unit) {
      J.object([&] {
        text("file", Unit.File);
        text("reason", Unit.Reason);
        J.attribute("error_count", Unit.ErrorCount);
        texts("errors", Unit.Errors);
        list("error_kinds", Unit.Kinds, [&](const ErrorKind &Kind) {
          J.object([&] {
            text("first", Kind.First);
            J.attribute("count", Kind.Count);
          });
        });
        textOrNull("variant", Unit.Variant);
        text("directory", Unit.Directory);
        texts("command", Unit.Command);
      });
    });
    list("diagnoses", groupErrors(C.Incomplete), [&](const ErrorGroup &G) {
      J.object([&] {
        J.attribute("units", G.Units);
        J.attribute("errors", G.Errors);
        text("first", G.First);
        text("message", G.Message);
        J.attribute("other_messages", G.Others);
        textOrNull("advice", G.Advice);
      });
    });
    J.attribute("interrupted", C.Interrupted);
    J.attribute("opaque_calls", static_cast<int64_t>(C.OpaqueCalls.size()));
    list("opaque", C.OpaqueCalls, [&](const OpaqueCall &Call) {
      J.object([&] {
        location("location", Call.Loc);
        text("function", Call.Function);
        text("callee", Call.Callee);
      });
    });
    list("skipped_branches", C.Unseen, [&](const UnseenBranch &Branch) {
      J.object([&] {
        location("location", Branch.Loc);
        text("message", described(Branch, C));
        text("condition", Branch.Condition);
        J.attribute("else", Branch.Otherwise);
        textOrNull("macro", Branch.Macro);
        J.attribute("begins", Branch.Begins);
        J.attribute("ends", Branch.Ends);
        texts("calls", Branch.Calls);
      });
    });
    J.attribute("held_back", C.HeldBack);
    texts("variants", R.Variants);
  }

  void outcome(const Outcome &O) {
    text("kind", spelling(O.Kind));
    if (O.Code && *O.Code)
      J.attribute("code", *O.Code);
    else
      J.attribute("code", nullptr);
    textOrNull("name", O.Name);
    if (O.ByMode.empty())
      J.attribute("by_mode", nullptr);
    else
      J.attributeObject("by_mode", [&] {
        for (size_t I = 0; I < O.ByMode.size(); ++I)
          J.attribute(spelling(static_cast<catalogue::Mode>(I)), O.ByMode[I]);
      });
    list("alternatives", O.Alternatives, [&](const Alternative &A) {
      J.object([&] {
        text("when", A.When);
        text("kind", spelling(A.Kind));
        if (A.Code)
          J.attribute("code", A.Code);
        else
          J.attribute("code", nullptr);
        textOrNull("name", catalogue::errorName(A.Code));
      });
    });
    text("evidence", O.Evidence);
  }

  void frames(StringRef Name, const std::vector<confirm::Frame> &Frames) {
    list(Name, Frames, [&](const confirm::Frame &F) {
      J.object([&] {
        textOrNull("function", F.Function);
        textOrNull("file", F.File);
        J.attribute("line", F.Line);
        J.attribute("column", F.Column);
        textOrNull("module", F.Module);
        J.attribute("inlined", F.Inlined);
      });
    });
  }
  void codeOrNull(int Code) {
    if (Code)
      J.attribute("code", Code);
    else
      J.attribute("code", nullptr);
  }

  void confirmation(const confirm::Confirmation &C) {
    text("status", confirm::spelling(C.Is));
    codeOrNull(C.Code.value_or(0));
    textOrNull("name", C.CodeName);
    J.attribute("captures", C.Captures);
    text("note", C.Note);
    frames("stack", C.Stack);
    frames("recorded", C.Recorded);
  }

  void runOnly(const confirm::RunOnly &Other) {
    const confirm::Event &E = Other.Seen;
    J.object([&] {
      text("kind", E.Kind);
      codeOrNull(E.Code);
      textOrNull("name", E.Name);
      textOrNull("api", E.Api);
      text("message", confirm::described(Other));
      J.attribute("captures", static_cast<int64_t>(E.Captures.size()));
      J.attribute("times", E.Times);
      confirm::Position At = confirm::placeOf(Other);
      if (!At.Line)
        J.attribute("location", nullptr);
      else
        J.attributeObject("location", [&] {
          text("file", At.File);
          J.attribute("line", At.Line);
          J.attribute("column", At.Column);
        });
      if (Other.Region)
        J.attribute("region", Other.Region);
      else
        J.attribute("region", nullptr);
      frames("stack", E.Stack);
    });
  }

  void op(const Operator &Row) {
    J.object([&] {
      text("name", Row.Name);
      textOrNull("library", Row.Library);
      text("registered_with", Row.How);
      textOrNull("dispatch_key", Row.DispatchKey);
      textOrNull("schema", Row.Schema);
      textOrNull("function", Row.Function);
      location("location", Row.Loc);
      text("verdict", spelling(Row.Is));
      textOrNull("reason", reasonOf(Row));
      textOrNull("opaque", Row.Opaque);
      J.attribute("findings", Row.Causes);
      texts("freezes", Row.Freezes);
      texts("variants", Row.Variants);
      if (!Row.Cause)
        return J.attribute("cause", nullptr);
      const Finding &F = *Row.Cause;
      J.attributeObject("cause", [&] {
        text("check", F.Check);
        text("confidence", spelling(F.Sure));
        text("message", F.Message);
        J.attribute("always", F.Always);
        textOrNull("unless", F.Unless);
        location("location", F.Loc);
        text("function", F.Function);
        text("callee", F.Callee);
        J.attributeObject("outcome", [&] { outcome(F.Outcome); });
        steps("chain", F.Chain);
        steps("notes", F.Notes);
      });
    });
  }

  void finding(const Finding &F, const confirm::Confirmation *InRun) {
    J.object([&] {
      text("check", F.Check);
      text("severity", F.Severity);
      text("confidence", spelling(F.Sure));
      text("message", F.Message);
      location("location", F.Loc);
      text("function", F.Function);
      text("callee", F.Callee);
      if (F.Regions.empty() || F.Regions.front() > R.Regions.size())
        J.attribute("region", nullptr);
      else
        J.attributeObject(
            "region", [&] { regionHead(R.Regions[F.Regions.front() - 1]); });
      list("regions", F.Regions, [&](unsigned Id) { J.value(Id); });
      J.attributeObject("outcome", [&] { outcome(F.Outcome); });
      steps("chain", F.Chain);
      steps("notes", F.Notes);
      list("fixes", F.Fixes, [&](const Fix &Edit) {
        J.object([&] {
          location("location", Edit.Range);
          text("text", Edit.Text);
        });
      });
      if (F.ChangedAt)
        location("changed_at", *F.ChangedAt);
      text("fingerprint", F.Fingerprint);
      J.attribute("advice", F.Advice);
      texts("variants", F.Variants);
      if (InRun)
        J.attributeObject("confirmation", [&] { confirmation(*InRun); });
    });
  }
};

} // namespace

void writeJson(raw_ostream &Out, const Report &R, Listed What) {
  Writer(Out, R).write(What);
  Out << "\n";
}

} // namespace cudagraph::reports
