//===- HtmlSections.cpp - The sections of the page without findings -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPages.h"
#include "HtmlParts.h"
#include "Unseen.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// The number of entries of a long list that are shown.
constexpr size_t MostListed = 200;

class Sections {
public:
  explicit Sections(Page &P) : P(P), Out(P.Out), R(P.R) {}

  void coverage() {
    const Coverage &C = R.Seen;
    Out << "<section aria-labelledby=\"coverage\" class=\"coverage\"><h2 "
           "id=\"coverage\">Coverage</h2>\n<p>"
        << countedUnits(R) << "; "
        << counted(C.OpaqueCalls.size(), "opaque call") << ".</p>\n";
    if (!C.Incomplete.empty()) {
      Out << "<details open class=\"warn\"><summary><span "
             "aria-hidden=\"true\">⚠</span> Incomplete: some code was not "
             "analyzed</summary>\n";
      some(C.Incomplete, [&](const IncompleteUnit &Unit) {
        Out << "<code>" << escaped(Unit.File)
            << "</code>: " << escaped(Unit.Reason);
        if (!Unit.Errors.empty())
          some(Unit.Errors, [&](const std::string &Each) {
            Out << "<code>" << escaped(Each) << "</code>";
          });
      });
      Out << "</details>\n";
    }
    if (!C.OpaqueCalls.empty()) {
      Out << "<details><summary>Opaque calls</summary>\n";
      some(C.OpaqueCalls, [&](const OpaqueCall &Call) {
        Out << "<code>" << escaped(Call.Callee) << "</code> in <code>"
            << escaped(Call.Function) << "</code> <span class=\"at\">"
            << place(Call.Loc) << "</span>";
      });
      Out << "</details>\n";
    }
    if (!C.Unseen.empty()) {
      Out << "<details><summary>Preprocessor branches that were not "
             "compiled</summary>\n";
      some(C.Unseen, [&](const UnseenBranch &Branch) {
        Out << message(described(Branch, C)) << " <span class=\"at\">"
            << place(Branch.Loc) << "</span>";
      });
      Out << "</details>\n";
    }
    Out << "</section>\n";
  }

  void runOnly() {
    if (!R.InRun || R.InRun->Others.empty())
      return;
    Out << "<section class=\"region\" aria-labelledby=\"run-only\"><h2 "
           "id=\"run-only\">Observed only in the run</h2>\n<ul>";
    for (const confirm::RunOnly &Other : R.InRun->Others) {
      confirm::Position At = confirm::placeOf(Other);
      Out << "<li>" << message(confirm::described(Other));
      if (At.Line) {
        Location L;
        L.File = At.File;
        L.Line = L.EndLine = At.Line;
        L.Column = At.Column;
        Out << " <span class=\"at\">" << place(L) << "</span>";
        writeExcerpt(Out, P.Sources, L, {1, 1});
      }
      if (Other.Region && Other.Region <= R.Regions.size())
        Out << " <a href=\"#region-" << Other.Region << "\">Region "
            << Other.Region << "</a>";
      Out << "</li>\n";
    }
    Out << "</ul></section>\n";
  }

  /// The pages of the checks with findings.
  void checks() {
    std::set<std::string> Ids;
    for (const Finding &F : R.Findings)
      Ids.insert(F.Check);
    if (Ids.empty())
      return;
    Out << "<section class=\"checks\" aria-labelledby=\"checks\"><h2 "
           "id=\"checks\">About the checks</h2>\n";
    for (const std::string &Id : Ids) {
      Out << "<details id=\"check-" << escaped(Id) << "\"><summary>"
          << "<h3>" << escaped(Id) << "</h3></summary><div class=\"doc\">\n";
      writeMarkdown(Out, checkPage(Id));
      Out << "</div></details>\n";
    }
    Out << "</section>\n";
  }

private:
  Page &P;
  raw_ostream &Out;
  const Report &R;

  template <typename T, typename Fn>
  void some(const std::vector<T> &All, Fn Each) {
    Out << "<ul>";
    for (size_t I = 0; I < All.size() && I < MostListed; ++I) {
      Out << "<li>";
      Each(All[I]);
      Out << "</li>\n";
    }
    if (All.size() > MostListed)
      Out << "<li>and " << All.size() - MostListed << " more</li>";
    Out << "</ul>\n";
  }
};

} // namespace

void writeCoverage(Page &P) { Sections(P).coverage(); }
void writeRunOnly(Page &P) { Sections(P).runOnly(); }
void writeChecks(Page &P) { Sections(P).checks(); }

} // namespace cudagraph::reports::html
