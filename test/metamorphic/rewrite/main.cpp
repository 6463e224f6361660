//===- main.cpp - cudagraph-rewrite ---------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cudagraph-rewrite --table
//   cudagraph-rewrite --list FILE -- ARGUMENTS
//   cudagraph-rewrite --rewriting=NAME --site=N --output=PREFIX FILE --
//   ARGUMENTS
//
// The first prints the rewritings, the second prints the number of sites of
// each in FILE, and the third writes the new program: PREFIX.cu, perhaps
// PREFIX-other.cu, and PREFIX.json with the old line of each of their lines.
// Exit status: 0; 1 if FILE does not compile; 2 if the site does not exist.
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

llvm::cl::opt<bool> Table("table", llvm::cl::desc("print the rewritings"));
llvm::cl::opt<bool> List("list", llvm::cl::desc("print the number of sites"));
llvm::cl::opt<std::string> Name("rewriting", llvm::cl::desc("which one"));
llvm::cl::opt<unsigned> Number("site", llvm::cl::desc("which of its sites"));
llvm::cl::opt<std::string> Output("output", llvm::cl::desc("where to write"));
llvm::cl::opt<std::string> File(llvm::cl::Positional, llvm::cl::desc("FILE"));

int Status = 1;

/// Names and layout, which do not affect a comment about a line.
bool keepsPlaces(const Rewriting &R) {
  return R.Law == "names" || R.Law == "unknown";
}

/// Whether comments and directives move with the site's text.
bool isSafe(const Unit &U, const Rewriting &R, const Site &S) {
  if (R.Law == "names")
    return true;
  auto movable = [&](Range Where) {
    if (keepsPlaces(R))
      return !U.text(U.lines(Where)).contains("CUDAGRAPH_");
    return !U.marked(Where) && !U.text(Where).contains("\n#");
  };
  for (const Edit &E : S.Edits) {
    // A helper is inserted between existing lines and moves none of them.
    bool Helper =
        E.Where.Begin == E.Where.End &&
        (E.Where.Begin == U.prologue() || E.Where.End == U.Old.size());
    if (!Helper && !S.Other && !movable(E.Where))
      return false;
    for (const Piece &P : E.New.pieces())
      if (P.Copy && !movable(*P.Copy))
        return false;
  }
  return true;
}

Sites sitesOf(const Unit &U, const Rewriting &R) {
  Sites Found, Safe;
  // Comments about a range of lines need these lines.
  bool Stretches =
      U.Old.contains("NOLINTBEGIN") || U.Old.contains("cudagraph:");
  if (Stretches && R.Law != "names")
    return Found;
  R.Find(U, Found);
  for (Site &S : Found)
    if (isSafe(U, R, S))
      Safe.push_back(std::move(S));
  return Safe;
}

bool write(const std::string &Path, llvm::StringRef Text) {
  std::error_code Error;
  llvm::raw_fd_ostream Out(Path, Error);
  if (!Error)
    Out << Text;
  return !Error;
}

void apply(const Unit &U) {
  for (const Rewriting &R : rewritings()) {
    if (R.Name != Name)
      continue;
    Sites Found = sitesOf(U, R);
    if (Number >= Found.size())
      continue;
    const Site &S = Found[Number];
    Rendered New = render(U.Old, S.Edits);
    std::string Extension = llvm::sys::path::extension(File).str();
    llvm::json::Object Map{
        {"line", U.SM.getLineNumber(U.SM.getMainFileID(), S.Offset)},
        {"lines", llvm::json::Array(New.Lines)}};
    bool Good = write(Output + Extension, New.Code);
    if (S.Other) {
      Rendered Other = render(U.Old, *S.Other);
      Map["other"] = llvm::json::Array(Other.Lines);
      Good &= write(Output + "-other" + Extension, Other.Code);
    }
    std::string Json;
    llvm::raw_string_ostream(Json) << llvm::json::Value(std::move(Map));
    if (Good && write(Output + ".json", Json + "\n"))
      Status = 0;
    return;
  }
  Status = 2;
}

class Consumer : public ASTConsumer {
public:
  explicit Consumer(CompilerInstance &CI) : CI(CI) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    Unit U(Context, CI.getPreprocessor());
    if (!List)
      return apply(U);
    for (const Rewriting &R : rewritings())
      llvm::outs() << R.Name << ' ' << sitesOf(U, R).size() << '\n';
    Status = 0;
  }

private:
  CompilerInstance &CI;
};

class Action : public ASTFrontendAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    return std::make_unique<Consumer>(CI);
  }
};

} // namespace

int main(int Count, const char **Arguments) {
  std::string Error;
  auto Database = tooling::FixedCompilationDatabase::loadFromCommandLine(
      Count, Arguments, Error);
  llvm::cl::ParseCommandLineOptions(Count, Arguments);
  if (Table) {
    for (const Rewriting &R : rewritings())
      llvm::outs() << R.Name << '\t' << R.Law << '\t' << R.Without << '\t'
                   << R.Summary << '\n';
    return 0;
  }
  if (!Database || File.empty() ||
      (!List && (Name.empty() || Output.empty()))) {
    llvm::errs() << "usage: cudagraph-rewrite --list FILE -- ARGUMENTS\n";
    return 2;
  }
  tooling::ClangTool Tool(*Database, {File});
  Tool.appendArgumentsAdjuster(tooling::getInsertArgumentAdjuster(
      {"-resource-dir", CUDAGRAPH_RESOURCE_DIR, "-w"},
      tooling::ArgumentInsertPosition::BEGIN));
  IgnoringDiagConsumer Silent;
  Tool.setDiagnosticConsumer(&Silent);
  Tool.setPrintErrorMessage(false);
  Tool.run(tooling::newFrontendActionFactory<Action>().get());
  return Status;
}
