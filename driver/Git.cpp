//===- Git.cpp - What git says --------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Git.h"
#include "Options.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Removes a file at the end, also if a signal ends the process.
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
    return makeError("cannot make a temporary file: " + EC.message());
  Temporary RemoveOut(Out);
  if (std::error_code EC =
          sys::fs::createTemporaryFile("cudagraph-git", "err", Err))
    return makeError("cannot make a temporary file: " + EC.message());
  Temporary RemoveErr(Err);
  std::string Why;
  int Status = sys::ExecuteAndWait(
      Program, Args, /*Env=*/std::nullopt,
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
    return makeError("cannot read what git wrote: " +
                     Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

/// A path as git prints it: in quotes, C's way, if it holds anything special.
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

/// Reads "12,3" or "12", which stands for one line.
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
      // A line of the file may look like one of the above.
      for (unsigned Left = H.OldCount + H.NewCount; Left && !Text.empty();) {
        std::tie(Line, Rest) = Text.split('\n');
        Text = Rest;
        Left -= !Line.starts_with("\\");
      }
    }
  }
  return Result;
}

Expected<Git> Git::at(StringRef Directory) {
  Git Result;
  ErrorOr<std::string> Program = sys::findProgramByName("git");
  if (!Program)
    return makeError("there is no git on the PATH");
  Result.Program = *Program;
  Expected<std::string> Top = capture(
      Result.Program, {"git", "-C", Directory, "rev-parse", "--show-toplevel"});
  if (!Top)
    return Top.takeError();
  Result.Top = StringRef(*Top).rtrim('\n').str();
  return Result;
}

Expected<std::string> Git::run(ArrayRef<StringRef> Args) const {
  SmallVector<StringRef> All = {"git", "-C", Top, "-c", "core.quotePath=false"};
  All.append(Args.begin(), Args.end());
  return capture(Program, All);
}

Expected<std::vector<FileDiff>> Git::diff(ArrayRef<StringRef> Args) const {
  // Whatever the user's configuration says about how a diff looks.
  SmallVector<StringRef> All = {"diff",
                                "-U0",
                                "--no-color",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--no-relative",
                                "--find-renames",
                                "--ignore-submodules",
                                "--src-prefix=a/",
                                "--dst-prefix=b/",
                                "--diff-filter=d"};
  All.append(Args.begin(), Args.end());
  Expected<std::string> Text = run(All);
  if (!Text)
    return Text.takeError();
  return parseDiff(*Text);
}

} // namespace cudagraph::driver
