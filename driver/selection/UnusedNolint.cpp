//===- UnusedNolint.cpp - NOLINT without effect ---------------------------===//
//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnusedNolint.h"
#include "catalogue/Cues.h"
#include "clang-tidy/GlobList.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

bool matches(StringRef Glob, StringRef Check) {
  return clang::tidy::GlobList(Glob).contains(Check);
}

/// Calls \p Each with every "NOLINTNEXTLINE(a,b)" in \p Text: its keyword, the
/// text between the parentheses, and its column.
void forEachDirective(StringRef Text,
                      function_ref<void(StringRef, StringRef, unsigned)> Each) {
  static constexpr StringRef Word = "NOLINT";
  for (size_t At = Text.find(Word); At != StringRef::npos;
       At = Text.find(Word, At + Word.size())) {
    StringRef Rest = Text.drop_front(At);
    StringRef Keyword =
        Rest.take_while([](char C) { return C >= 'A' && C <= 'Z'; });
    if (!is_contained({"NOLINT", "NOLINTNEXTLINE", "NOLINTBEGIN", "NOLINTEND"},
                      Keyword))
      continue;
    Rest = Rest.drop_front(Keyword.size());
    if (!Rest.consume_front("(") || !Rest.contains(')'))
      continue; // all checks, including or excluding ours
    Each(Keyword, Rest.take_until([](char C) { return C == ')'; }), At + 1);
  }
}

} // namespace

UnusedNolint::UnusedNolint(const std::vector<NolintLines> &Sources) {
  for (const NolintLines &Source : Sources) {
    std::vector<Item> &Items = Files[Source.File];
    if (!Items.empty())
      continue; // another unit has read the same header
    // Blocks that have begun: their names and the positions of their items.
    std::vector<std::pair<StringRef, std::pair<size_t, size_t>>> Open;
    for (const auto &[Number, Text] : Source.Lines) {
      unsigned Line = Number;
      forEachDirective(
          Text, [&](StringRef Keyword, StringRef Names, unsigned Column) {
            if (Keyword == "NOLINTEND") {
              if (Open.empty() || Open.back().first != Names)
                return; // clang-tidy reports it
              auto [From, To] = Open.back().second;
              for (Item &Each : MutableArrayRef(Items).slice(From, To - From))
                Each.Last = Line;
              Open.pop_back();
              return;
            }
            size_t From = Items.size();
            SmallVector<StringRef> Globs;
            Names.split(Globs, ',');
            for (StringRef Glob : Globs) {
              if (!Glob.trim().starts_with("cudagraph-"))
                continue;
              Item New;
              New.Glob = Glob.trim().str();
              New.Directive = Keyword.str();
              New.Line = Line;
              New.Column = Column;
              New.First = Line + (Keyword == "NOLINTNEXTLINE");
              // A block is empty until its end is found.
              New.Last = Keyword == "NOLINTBEGIN" ? 0 : New.First;
              Items.push_back(std::move(New));
            }
            if (Keyword == "NOLINTBEGIN")
              Open.push_back({Names, {From, Items.size()}});
          });
    }
    for (const auto &[Names, Range] : Open)
      for (Item &Each : MutableArrayRef(Items).slice(
               Range.first, Range.second - Range.first))
        Each.Used = true; // without an end; clang-tidy reports it
  }
}

void UnusedNolint::see(StringRef Check, StringRef File, unsigned Line) {
  auto It = Files.find(File);
  if (It == Files.end())
    return;
  for (Item &Each : It->second)
    if (!Each.Used && Each.First <= Line && Line <= Each.Last)
      Each.Used = matches(Each.Glob, Check);
}

void UnusedNolint::see(const Finding &F) {
  if (Files.empty())
    return;
  auto At = [&](const Location &L) {
    see(F.Check, L.File, L.Line);
    for (const Place &W : L.Written)
      see(F.Check, W.File, W.Line);
  };
  At(F.Loc);
  for (const Step &S : F.Chain)
    if (!cue::isCue(S.Message))
      At(S.Loc);
}

std::vector<reports::Remark> UnusedNolint::unused() const {
  std::vector<reports::Remark> Result;
  for (const auto &File : Files)
    for (const Item &Each : File.getValue()) {
      if (Each.Used)
        continue;
      reports::Remark Said;
      Said.Is = reports::Remark::UnusedNolint;
      Said.Loc.File = File.getKey().str();
      Said.Loc.Line = Said.Loc.EndLine = Each.Line;
      Said.Loc.Column = Each.Column;
      Said.Loc.EndColumn = Each.Column + Each.Directive.size();
      bool Exists = any_of(allChecks(), [&](const CheckInfo &Check) {
        return matches(Each.Glob, Check.Id);
      });
      Said.Message = Each.Directive + "(" + Each.Glob + ") suppresses nothing" +
                     (Exists ? "; remove it" : ": there is no such check");
      Result.push_back(std::move(Said));
    }
  sort(Result, [](const reports::Remark &A, const reports::Remark &B) {
    return std::tie(A.Loc.File, A.Loc.Line, A.Loc.Column, A.Message) <
           std::tie(B.Loc.File, B.Loc.Line, B.Loc.Column, B.Message);
  });
  return Result;
}

} // namespace cudagraph::driver
