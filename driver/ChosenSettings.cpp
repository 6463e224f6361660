//===- ChosenSettings.cpp - The settings of all units of a run ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChosenSettings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::driver {

ChosenSettings::ChosenSettings(ArrayRef<UnitCommand> Units, Config &Settings) {
  All.emplace();
  for (const UnitCommand &Unit : Units) {
    Expected<UnitSettings> One = Settings.settingsFor(Unit.File);
    if (!One) {
      consumeError(One.takeError());
      All.reset();
      return;
    }
    All->push_back(std::move(*One));
  }
}

bool ChosenSettings::allowSkips(const Options &Opts) const {
  return !Opts.AllUnits && Opts.Sources.empty() && !Opts.CompilerArgs &&
         Opts.Cmd != Command::Summarize && All &&
         none_of(*All, [](const UnitSettings &One) {
           return StringRef(One.Analysis.Roots).contains("function:");
         });
}

std::optional<uint64_t> ChosenSettings::hash(const Options &Opts) const {
  if (!All || (Opts.Cmd != Command::Check && Opts.Cmd != Command::Regions))
    return std::nullopt;
  std::string Text = allowSkips(Opts) ? "skip" : "all";
  if (Opts.ReportUnusedNolint)
    Text += " nolint"; // units with such comments are not skipped
  for (const UnitSettings &One : *All)
    Text +=
        "\n" + std::to_string(One.Known->textHash()) + " " + One.Analysis.Roots;
  return xxh3_64bits(StringRef(Text));
}

} // namespace cudagraph::driver
