//===- SarifResult.cpp - A finding as a SARIF result ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SarifResult.h"
#include "Escape.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// GitHub keeps this many steps of a flow.
constexpr size_t MostSteps = 1000;
/// A message with more links is not useful.
constexpr size_t MostLinks = 12;
constexpr size_t MostOfText = 2000;

/// Escapes message text in which brackets would create links.
std::string bracketless(StringRef Text) {
  std::string Result;
  for (char C : printable(shortened(Text.str(), MostOfText))) {
    if (C == '[' || C == ']' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// Returns message text without links, in which brackets remain unchanged.
std::string plain(StringRef Text) {
  std::string Result = printable(shortened(Text.str(), MostOfText));
  return StringRef(Result).contains("](") ? bracketless(Text) : Result;
}

std::string sentence(std::string Text) {
  if (!Text.empty())
    Text.front() = toUpper(Text.front());
  return StringRef(Text).ends_with(".") ? Text : Text + ".";
}

/// For viewers that sort by one number.
int rankOf(const Entry &E) {
  if (!E.Of || E.Of->Sure == Confidence::Certain)
    return 90;
  return E.Of->Sure == Confidence::Likely ? 60 : 30;
}

bool samePlace(const Location &A, const Location &B) {
  return A.File == B.File && A.Line == B.Line && A.Column == B.Column;
}

} // namespace

void SarifResults::text(StringRef Name, StringRef Text) {
  J.attributeObject(Name, [&] { J.attribute("text", validUtf8(Text)); });
}

void SarifResults::artifact(StringRef File) {
  J.attributeObject("artifactLocation", [&] {
    std::string Path = fromRoot(R, File);
    if (StringRef(Path).starts_with("/")) {
      J.attribute("uri", "file://" + uriEscaped(Path));
    } else {
      J.attribute("uri", uriEscaped(Path));
      J.attribute("uriBaseId", "%SRCROOT%");
    }
  });
}

void SarifResults::physical(const Location &L, bool Primary) {
  J.attributeObject("physicalLocation", [&] {
    artifact(L.File);
    // A pull request shows a result as new only if all of its locations are in
    // changed lines.
    Span S = spanOf(L, Sources, /*OneLine=*/true);
    J.attributeObject("region", [&] {
      J.attribute("startLine", S.Line);
      J.attribute("startColumn", S.Column);
      J.attribute("endLine", S.EndLine);
      J.attribute("endColumn", S.EndColumn);
      StringRef Line = Sources.line(L.File, L.Line);
      if (Primary && L.Column && !Line.empty()) {
        size_t End = S.EndLine == L.EndLine && L.EndColumn ? L.EndColumn - 1
                                                           : Line.size();
        text("snippet", shortened(Line.slice(L.Column - 1, End).str(), 400));
      }
    });
  });
}

void SarifResults::logical(StringRef Function) {
  if (Function.empty())
    return;
  J.attributeArray("logicalLocations", [&] {
    J.object([&] {
      J.attribute("fullyQualifiedName", printable(Function));
      J.attribute("kind", "function");
    });
  });
}

std::string SarifResults::message(const Entry &E, std::vector<Linked> &Links) {
  auto Link = [&](const Location &At, StringRef Message) {
    Links.push_back({&At, printable(shortened(Message.str(), MostOfText))});
    return "[" + bracketless(Message) + "](" + std::to_string(Links.size()) +
           ")";
  };
  std::string Result = sentence(plain(E.Message));
  if (!E.Of) {
    for (const Step &S : E.Steps)
      Result += " It is " + Link(S.Loc, S.Message) + ".";
    return Result;
  }
  // Only the beginning and the end of a long path are listed.
  const std::vector<Step> &Chain = E.Of->Chain;
  size_t Dropped = Chain.size() > MostLinks ? Chain.size() - MostLinks : 0;
  for (size_t I = 0; I < Chain.size(); ++I) {
    if (Dropped && I > 0 && I <= Dropped) {
      if (I == 1)
        Result += ", " + counted(Dropped, "more step");
      continue;
    }
    Result += I == 0 ? " Path to the call: " : ", ";
    Result += Chain[I].Loc.valid() ? Link(Chain[I].Loc, Chain[I].Message)
                                   : plain(Chain[I].Message);
  }
  if (!Chain.empty())
    Result += ".";
  for (const Step &S : E.Of->Notes)
    if (!S.Loc.valid() || samePlace(S.Loc, E.Loc))
      Result += " " + sentence(plain(S.Message));
    else
      Result += " " + Link(S.Loc, S.Message) + ".";
  if (E.InRun)
    Result += " " + sentence(plain(E.InRun->Note));
  return Result;
}

void SarifResults::codeFlow(const Finding &F) {
  auto Step = [&](const Location &L, StringRef Function, StringRef Message,
                  size_t Level, const char *Importance) {
    J.object([&] {
      J.attributeObject("location", [&] {
        if (L.valid())
          physical(L, /*Primary=*/false);
        logical(Function);
        J.attributeObject("message", [&] {
          J.attribute("text", printable(shortened(Message.str(), MostOfText)));
        });
      });
      J.attribute("nestingLevel", static_cast<int64_t>(Level));
      J.attribute("importance", Importance);
    });
  };
  J.attributeArray("codeFlows", [&] {
    J.object([&] {
      J.attributeArray("threadFlows", [&] {
        J.object([&] {
          J.attributeArray("locations", [&] {
            // One step is the call, and one may state the number of omitted
            // steps.
            size_t Size = F.Chain.size();
            size_t Dropped = Size + 1 > MostSteps ? Size + 2 - MostSteps : 0;
            size_t From = Dropped ? MostSteps / 2 : Size;
            for (size_t I = 0; I < Size; ++I) {
              const cudagraph::Step &S = F.Chain[I];
              if (I == From)
                Step(Location(), "", counted(Dropped, "step") + " left out", I,
                     "unimportant");
              if (I < From || I >= From + Dropped)
                Step(S.Loc, S.Function, S.Message, I,
                     I == 0 ? "essential" : "important");
            }
            Step(F.Loc, F.Function, F.Message, Size, "essential");
          });
        });
      });
    });
  });
}

void SarifResults::fix(const Finding &F) {
  std::map<std::string, std::vector<const Fix *>> Files;
  for (const Fix &Edit : F.Fixes)
    Files[Edit.Range.File].push_back(&Edit);
  J.attributeArray("fixes", [&] {
    J.object([&] {
      text("description",
           "Apply " + counted(F.Fixes.size(), "edit") + ", as --fix does.");
      J.attributeArray("artifactChanges", [&] {
        for (const auto &[File, Edits] : Files)
          J.object([&, &File = File, &Edits = Edits] {
            artifact(File);
            J.attributeArray("replacements", [&] {
              for (const Fix *Edit : Edits)
                J.object([&] {
                  Span S = spanOf(Edit->Range, Sources, /*OneLine=*/false);
                  J.attributeObject("deletedRegion", [&] {
                    J.attribute("startLine", S.Line);
                    J.attribute("startColumn", S.Column);
                    J.attribute("endLine", S.EndLine);
                    J.attribute("endColumn", S.EndColumn);
                  });
                  text("insertedContent", Edit->Text);
                });
            });
          });
      });
    });
  });
}

void SarifResults::stack(const std::vector<confirm::Frame> &Frames) {
  if (Frames.empty())
    return;
  J.attributeArray("stacks", [&] {
    J.object([&] {
      text("message", "The call in the run, innermost first.");
      J.attributeArray("frames", [&] {
        for (const confirm::Frame &F : ArrayRef(Frames).take_front(MostSteps))
          J.object([&] {
            J.attributeObject("location", [&] {
              if (!F.File.empty() && F.Line) {
                Location L;
                L.File = F.File;
                L.Line = F.Line;
                L.Column = F.Column;
                physical(L, /*Primary=*/false);
              }
              logical(F.Function);
            });
            if (!F.Module.empty())
              J.attribute("module", printable(F.Module));
          });
      });
    });
  });
}

void SarifResults::outcome(const Outcome &O) {
  J.attributeObject("outcome", [&] {
    J.attribute("kind", spelling(O.Kind));
    if (O.Code && *O.Code)
      J.attribute("code", *O.Code);
    if (!O.Name.empty())
      J.attribute("name", O.Name);
    if (!O.ByMode.empty())
      J.attributeObject("byMode", [&] {
        for (size_t I = 0; I < O.ByMode.size(); ++I)
          J.attribute(spelling(static_cast<catalogue::Mode>(I)), O.ByMode[I]);
      });
    if (!O.Evidence.empty())
      J.attribute("evidence", printable(O.Evidence));
  });
}

void SarifResults::region(const Region &G) {
  J.attributeObject("region", [&] {
    J.attribute("id", G.Id);
    J.attribute("root", spelling(G.Root));
    J.attribute("name", printable(G.Name));
    if (G.Mode)
      J.attribute("mode", spelling(*G.Mode));
    if (!G.Stream.empty())
      J.attribute("stream", printable(G.Stream));
    J.attribute("begin", printable(fromRoot(R, G.Begin.File)) + ":" +
                             std::to_string(G.Begin.Line));
  });
}

void SarifResults::properties(const Entry &E) {
  J.attributeObject("properties", [&] {
    if (const Finding *F = E.Of) {
      J.attribute("confidence", spelling(F->Sure));
      J.attribute("callee", printable(F->Callee));
      outcome(F->Outcome);
      if (!F->Regions.empty() && F->Regions.front() <= R.Regions.size())
        region(R.Regions[F->Regions.front() - 1]);
      J.attribute("regions", static_cast<int64_t>(F->Regions.size()));
    }
    if (const confirm::RunOnly *Only = E.Only) {
      J.attribute("kind", printable(Only->Seen.Kind));
      J.attribute("callee", printable(Only->Seen.Api));
      if (Only->Seen.Code)
        J.attribute("code", Only->Seen.Code);
      J.attribute("captures", static_cast<int64_t>(Only->Seen.Captures.size()));
    }
    if (const confirm::Confirmation *C = E.InRun)
      J.attributeObject("confirmation", [&] {
        J.attribute("status", confirm::spelling(C->Is));
        if (C->Code && *C->Code)
          J.attribute("code", *C->Code);
        J.attribute("captures", C->Captures);
        J.attribute("note", printable(C->Note));
      });
  });
}

void SarifResults::write(const Entry &E) {
  auto Rule =
      find_if(Rules, [&](const SarifRule &S) { return S.Id == E.Check; });
  J.object([&] {
    J.attribute("ruleId", E.Check);
    if (Rule != Rules.end())
      J.attribute("ruleIndex", static_cast<int64_t>(Rule - Rules.begin()));
    J.attribute("level", E.Severity);
    std::vector<Linked> Links;
    text("message", message(E, Links));
    J.attributeArray("locations", [&] {
      J.object([&] {
        physical(E.Loc, /*Primary=*/true);
        logical(E.Of ? E.Of->Function : "");
      });
    });
    if (!Links.empty())
      J.attributeArray("relatedLocations", [&] {
        for (auto [Index, L] : enumerate(Links))
          J.object([&, Index = Index, &L = L] {
            J.attribute("id", static_cast<int64_t>(Index + 1));
            physical(*L.At, /*Primary=*/false);
            text("message", L.Message);
          });
      });
    if (E.Of && !E.Of->Chain.empty())
      codeFlow(*E.Of);
    if (E.Of && !E.Of->Fixes.empty())
      fix(*E.Of);
    if (E.InRun || E.Only)
      stack(E.InRun ? E.InRun->Stack : E.Only->Seen.Stack);
    J.attributeObject("partialFingerprints", [&] {
      std::string Hash = Hashes.of(E.Loc.File, E.Loc.Line);
      J.attribute("primaryLocationLineHash",
                  Hash.empty() ? E.Fingerprint : Hash);
      J.attribute("cudagraph/v1", E.Fingerprint);
    });
    J.attribute("rank", rankOf(E));
    properties(E);
  });
}

} // namespace cudagraph::reports
