//===- Git.cpp - Runs git -------------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Git.h"
#include "driver/support/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace llvm;

extern "C" char **environ; // NOLINT: POSIX declares it nowhere

namespace cudagraph::driver {
namespace {

/// Options of git that prevent the configuration of a repository, which is not
/// trusted, from running commands: a file system monitor, hooks that run when
/// git rewrites the index, and a pager. These commands do not make git rewrite
/// the index either.
constexpr StringLiteral Passive[] = {
    "--no-pager", "--no-optional-locks",
    "-c",         "core.fsmonitor=",
    "-c",         "core.hooksPath=/dev/null",
    "-c",         "diff.autoRefreshIndex=false",
    "-c",         "core.quotePath=false"};

/// Options of `git diff` that override the configuration of the diff format,
/// and of commands that create a diff.
constexpr StringLiteral PlainDiff[] = {"diff",
                                       "--no-color",
                                       "--no-ext-diff",
                                       "--no-textconv",
                                       "--no-relative",
                                       "--find-renames",
                                       "--ignore-submodules",
                                       "--submodule=short",
                                       "--inter-hunk-context=0",
                                       "-O/dev/null",
                                       "--src-prefix=a/",
                                       "--dst-prefix=b/",
                                       "--diff-filter=d"};

/// Git has the environment of this process, but must not download objects that
/// a partial clone lacks, because the repository names the command that
/// downloads them.
std::vector<StringRef> environment() {
  constexpr StringLiteral NoFetch = "GIT_NO_LAZY_FETCH=";
  std::vector<StringRef> Result;
  bool Decided = false;
  for (char **Each = environ; Each && *Each; ++Each) {
    Result.emplace_back(*Each);
    Decided |= Result.back().starts_with(NoFetch);
  }
  if (!Decided)
    Result.push_back("GIT_NO_LAZY_FETCH=1");
  return Result;
}

/// Removes a file at the end, even if a signal ends the process.
class Temporary {
public:
  explicit Temporary(StringRef Path) : Path(Path) {
    sys::RemoveFileOnSignal(Path);
  }
  ~Temporary() {
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }

private:
  StringRef Path;
};

/// Runs \p Args, which begin with \p Program, without input.
Expected<std::string> capture(const std::string &Program,
                              ArrayRef<StringRef> Args) {
  SmallString<128> Out, Err;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("cudagraph-git", "out", Out))
    return makeError("cannot create a temporary file: " + EC.message());
  Temporary RemoveOut(Out);
  if (std::error_code EC =
          sys::fs::createTemporaryFile("cudagraph-git", "err", Err))
    return makeError("cannot create a temporary file: " + EC.message());
  Temporary RemoveErr(Err);
  std::string Why;
  std::vector<StringRef> Env = environment();
  int Status = sys::ExecuteAndWait(
      Program, Args, ArrayRef<StringRef>(Env),
      {StringRef(""), StringRef(Out), StringRef(Err)}, 0, 0, &Why);
  if (Status != 0) {
    auto Said = MemoryBuffer::getFile(Err);
    StringRef Text = Said ? (*Said)->getBuffer().trim() : StringRef();
    return makeError(!Text.empty() ? Text
                     : Why.empty() ? "git failed"
                                   : StringRef(Why));
  }
  auto Buffer = MemoryBuffer::getFile(Out, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return makeError("cannot read the output of git: " +
                     Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

/// A path as git prints it: quoted as in C if it contains special characters.
std::string unquoted(StringRef Text) {
  if (!Text.consume_front("\"") || !Text.consume_back("\""))
    return Text.str();
  std::string Result;
  while (!Text.empty()) {
    char C = Text.front();
    Text = Text.drop_front();
    if (C != '\\' || Text.empty()) {
      Result += C;
      continue;
    }
    unsigned Octal = 0;
    if (Text.size() >= 3 && !Text.take_front(3).getAsInteger(8, Octal)) {
      Result += static_cast<char>(Octal);
      Text = Text.drop_front(3);
      continue;
    }
    static constexpr StringRef Names = "abtnvfr", Values = "\a\b\t\n\v\f\r";
    size_t At = Names.find(Text.front());
    Result += At == StringRef::npos ? Text.front() : Values[At];
    Text = Text.drop_front();
  }
  return Result;
}

/// Reads "12,3" or "12", which means one line.
bool parseRange(StringRef Text, unsigned &Start, unsigned &Count) {
  auto [First, Second] = Text.split(',');
  Count = 1;
  return !First.getAsInteger(10, Start) &&
         (Second.empty() || !Second.getAsInteger(10, Count));
}

/// Reads "@@ -1,2 +3 @@ anything".
bool parseHunk(StringRef Line, Hunk &H) {
  if (!Line.consume_front("@@ -"))
    return false;
  auto [Old, Rest] = Line.split(" +");
  return parseRange(Old, H.OldStart, H.OldCount) &&
         parseRange(Rest.split(" @@").first, H.NewStart, H.NewCount);
}

} // namespace

std::vector<FileDiff> parseDiff(StringRef Text) {
  std::vector<FileDiff> Result;
  bool Named = false;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    Hunk H;
    if (Line.starts_with("diff --git ")) {
      Named = false;
    } else if (Line.consume_front("+++ ")) {
      std::string Path = unquoted(Line.rtrim("\t"));
      Named = StringRef(Path).starts_with("b/");
      if (Named)
        Result.push_back({Path.substr(2), {}});
    } else if (Named && parseHunk(Line, H)) {
      Result.back().Hunks.push_back(H);
      // A line of the file may look like one of these headers.
      for (unsigned Left = H.OldCount + H.NewCount; Left && !Text.empty();) {
        std::tie(Line, Rest) = Text.split('\n');
        Text = Rest;
        Left -= !Line.starts_with("\\");
      }
    }
  }
  return Result;
}

std::vector<std::string> parseBinaries(StringRef Text) {
  std::vector<std::string> Result;
  while (!Text.empty()) {
    auto [Record, Rest] = Text.split('\0');
    Text = Rest;
    bool Binary = Record.consume_front("-\t-\t");
    if (!Binary)
      Record = Record.split('\t').second.split('\t').second;
    // A renamed file has its old and new names in separate records.
    if (Record.empty()) {
      Text = Text.split('\0').second;
      std::tie(Record, Text) = Text.split('\0');
    }
    if (Binary)
      Result.push_back(Record.str());
  }
  return Result;
}

Expected<Git> Git::at(StringRef Directory) {
  Git Result;
  ErrorOr<std::string> Program = sys::findProgramByName("git");
  if (!Program)
    return makeError("found no git on the PATH");
  Result.Program = *Program;
  Result.Top = Directory.str();
  Expected<std::string> Top = Result.run({"rev-parse", "--show-toplevel"});
  if (!Top)
    return Top.takeError();
  StringRef Path = *Top;
  Path.consume_back("\n");
  Result.Top = Path.str();
  if (Error E = Result.findFilters())
    return std::move(E);
  return Result;
}

Error Git::findFilters() {
  Expected<std::string> Keys =
      run({"config", "-z", "--name-only", "--get-regexp",
           R"(^filter\..*\.(clean|smudge|process|required)$)"});
  if (!Keys) { // there is none
    consumeError(Keys.takeError());
    return Error::success();
  }
  SmallVector<StringRef> Names;
  StringRef(*Keys).split(Names, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names) {
    // git would treat everything before the first '=' as the name.
    if (Name.contains('='))
      return makeError("its configuration has '" + Name +
                       "', a filter that cannot be disabled; rename it");
    NoFilters.push_back((Name + "=").str());
  }
  return Error::success();
}

Expected<std::string> Git::run(ArrayRef<StringRef> Args) const {
  SmallVector<StringRef> All = {"git", "-C", Top};
  All.append(std::begin(Passive), std::end(Passive));
  for (const std::string &Each : NoFilters)
    All.append({"-c", Each});
  All.append(Args.begin(), Args.end());
  return capture(Program, All);
}

Expected<std::vector<FileDiff>> Git::diff(ArrayRef<StringRef> Args) const {
  auto Ask = [&](ArrayRef<StringRef> Form) {
    SmallVector<StringRef> All(std::begin(PlainDiff), std::end(PlainDiff));
    All.append(Form.begin(), Form.end());
    All.append(Args.begin(), Args.end());
    return run(All);
  };
  Expected<std::string> Text = Ask({"-U0"});
  if (!Text) {
    std::string Why = toString(Text.takeError());
    if (StringRef(Why).contains("lazy fetching"))
      Why += "; this clone is partial: fetch the missing objects with 'git "
             "diff', or set GIT_NO_LAZY_FETCH=0 in the environment to let git "
             "fetch them here";
    return makeError(Why);
  }
  std::vector<FileDiff> Result = parseDiff(*Text);
  Expected<std::string> Counts = Ask({"--numstat", "-z"});
  if (!Counts)
    return Counts.takeError();
  for (std::string &Path : parseBinaries(*Counts))
    Result.push_back({std::move(Path), {}});
  return Result;
}

} // namespace cudagraph::driver
