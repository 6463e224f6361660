//===- LastRun.cpp - The results of a project's last run ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LastRun.h"
#include "analysis/ir/SummaryCheck.h"
#include "analysis/ir/SummaryFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

template <typename A> void files(A &Ar, LastRun &Run) {
  Ar.list(Run.Files, [&](FileUse &F) {
    Ar.text(F.Path);
    Ar.num(F.Hash);
  });
}

template <typename A> void units(A &Ar, LastRun &Run) {
  Ar.list(Run.Units, [&](UnitSummary &Unit) {
    fields(Ar, Unit, /*Linked=*/false);
    Ar.num(Unit.Checksum);
  });
  Ar.list(Run.Skipped, [&](std::string &File) { Ar.text(File); });
}

template <typename A> void walks(A &Ar, std::vector<UnitResult::Walk> &Walks) {
  Ar.list(Walks, [&](UnitResult::Walk &Each) {
    Ar.num(Each.Key);
    Ar.num(Each.Unit);
    Ar.text(Each.Root);
  });
}

} // namespace

void RunWriter::begin(std::vector<FileUse> Files,
                      std::vector<UnitSummary> &Units,
                      std::vector<std::string> Skipped) {
  Ar = ArchiveWriter();
  LastRun Run;
  Run.Files = std::move(Files);
  Run.Skipped = std::move(Skipped);
  std::swap(Run.Units, Units);
  files(Ar, Run);
  units(Ar, Run);
  std::swap(Run.Units, Units);
}

std::string RunWriter::finish(std::vector<UnitResult::Walk> Walks) {
  walks(Ar, Walks);
  return Ar.textLength() > MaxArchivedText ? "" : Ar.take();
}

bool RunReader::files(LastRun &Run) {
  driver::files(Ar, Run);
  return !Ar.failed();
}

bool RunReader::rest(LastRun &Run) {
  units(Ar, Run);
  walks(Ar, Run.Found.Walks);
  return !Ar.failed() && Ar.atEnd() &&
         all_of(Run.Units,
                [](const UnitSummary &Unit) {
                  return faultInOutline(Unit).empty();
                }) &&
         all_of(Run.Found.Walks, [&](const UnitResult::Walk &Each) {
           return Each.Unit < Run.Units.size();
         });
}

} // namespace cudagraph::driver
