//===- Format.cpp - From a format to its writer ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Checkstyle.h"
#include "GitHub.h"
#include "GitLab.h"
#include "Html.h"
#include "JUnit.h"
#include "Json.h"
#include "OpsTable.h"
#include "RdJsonl.h"
#include "Sarif.h"
#include "TaskList.h"
#include "Text.h"
#include <vector>

using namespace llvm;

namespace cudagraph::reports {
namespace {

// The column LISTS of Formats.def.
enum : unsigned {
  REGIONS = 1u << unsigned(Listed::Regions),
  FINDINGS = 1u << unsigned(Listed::Findings),
  OPERATORS = 1u << unsigned(Listed::Operators),
};

struct FormatRow {
  Format Id;
  StringRef Name;
  unsigned Lists;

  bool canList(Listed What) const { return Lists & (1u << unsigned(What)); }
};

constexpr FormatRow Rows[] = {
#define FORMAT(ID, NAME, LISTS, WRITE) {Format::ID, NAME, LISTS},
#include "Formats.def"
};

void writeTextOf(raw_ostream &Out, const Report &R, SourceText &Sources,
                 const ReportStyle &How) {
  switch (How.List) {
  case Listed::Regions:
    return writeRegionsText(Out, R, How.Text);
  case Listed::Findings:
    return writeText(Out, R, Sources, How.Text);
  case Listed::Operators:
    return writeOpsText(Out, R, How.Text);
  }
}

void writeMarkdownOf(raw_ostream &Out, const Report &R, SourceText &Sources,
                     const ReportStyle &How) {
  if (How.List == Listed::Operators)
    return writeOpsMarkdown(Out, R);
  writeTaskList(Out, R, Sources);
}

} // namespace

StringRef nameOf(Format As) { return Rows[size_t(As)].Name; }

std::optional<Format> findFormat(StringRef Name, Listed What) {
  for (const FormatRow &Row : Rows)
    if (Row.Name == Name && Row.canList(What))
      return Row.Id;
  return std::nullopt;
}

std::string formatNames(Listed What) {
  std::vector<StringRef> Names;
  for (const FormatRow &Row : Rows)
    if (Row.canList(What))
      Names.push_back(Row.Name);
  std::string Result = Names.front().str();
  for (StringRef Name : ArrayRef(Names).drop_front())
    Result += (Name != Names.back() ? ", "
               : Names.size() == 2  ? " and "
                                    : ", and ") +
              Name.str();
  return Result;
}

void write(Format As, raw_ostream &Out, const Report &R, SourceText &Sources,
           const ReportStyle &How) {
  switch (As) {
#define FORMAT(ID, NAME, LISTS, WRITE)                                         \
  case Format::ID:                                                             \
    return WRITE;
#include "Formats.def"
  }
}

} // namespace cudagraph::reports
