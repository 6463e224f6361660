//===- OpsTable.cpp - The output of `cudagraph-tidy ops` ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpsTable.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

unsigned countOf(const Report &R, Verdict V) {
  return count_if(R.Operators, [&](const Operator &O) { return O.Is == V; });
}

std::string lineOf(const Location &L) {
  return L.valid() ? L.File + ":" + std::to_string(L.Line) : "";
}

/// Returns the schema of \p Row on one line, or its function if it has no
/// schema.
std::string schemaOf(const Operator &Row) {
  return printable(!Row.Schema.empty() ? Row.Schema : Row.Function);
}

/// \p Text in a cell of a Markdown table.
std::string cell(StringRef Text) {
  std::string Result;
  for (char C : printable(Text)) {
    if (StringRef("|\\`*_<>[]").contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// \p Text as code in a cell.
std::string code(StringRef Text) {
  if (Text.empty())
    return "";
  std::string Result = "`";
  for (char C : printable(Text)) {
    if (C == '`')
      C = '\'';
    if (C == '|')
      Result += '\\';
    Result += C;
  }
  return Result + "`";
}

std::string quoted(StringRef Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"')
      Result += '"';
    Result += C;
  }
  return Result + "\"";
}

/// The arguments of --also-with on which the row depends.
std::string variantOf(const Operator &Row) {
  if (Row.Variants.empty() || is_contained(Row.Variants, ""))
    return "";
  return " (with " + join(Row.Variants, ", and with ") + ")";
}

/// The path from the operator to the call, outermost first.
std::vector<std::string> causesOf(const Operator &Row) {
  std::vector<std::string> Result;
  if (Row.Cause)
    for (const Step &S : drop_begin(Row.Cause->Chain))
      Result.push_back(spelled(S.Loc) + ": " + S.Message);
  return Result;
}

/// The number of units that a summary names.
constexpr size_t ShownUnits = 5;

void writeSummary(raw_ostream &Out, const Report &R) {
  ArrayRef<IncompleteUnit> Units = R.Seen.Incomplete;
  for (const IncompleteUnit &Unit : Units.take_front(ShownUnits))
    Out << printable(Unit.File) << " is incomplete: " << printable(Unit.Reason)
        << "; operators in it may be missing.\n";
  if (Units.size() > ShownUnits)
    Out << counted(Units.size() - ShownUnits, "more unit")
        << (Units.size() - ShownUnits == 1 ? " is" : " are")
        << " incomplete.\n";
  Out << counted(R.Operators.size(), "operator") << ": "
      << countOf(R, Verdict::Safe) << " safe, " << countOf(R, Verdict::Unsafe)
      << " unsafe, " << countOf(R, Verdict::Unknown) << " unknown. "
      << countedUnits(R) << ".\n";
}

} // namespace

std::string reasonOf(const Operator &Row) {
  if (Row.Is == Verdict::Safe)
    return "";
  if (Row.Cause)
    return (Row.Is == Verdict::Unknown ? "possibly: " : "") +
           Row.Cause->Message +
           (Row.Cause->Unless.empty() ? "" : ", unless " + Row.Cause->Unless) +
           " [" + Row.Cause->Check + "]";
  if (!Row.Opaque.empty())
    return "calls '" + Row.Opaque + "', which is not visible";
  return Row.Why;
}

void writeOpsText(raw_ostream &Out, const Report &R, TextStyle Style) {
  auto Colour = [&](Verdict V) {
    return V == Verdict::Safe     ? raw_ostream::GREEN
           : V == Verdict::Unsafe ? raw_ostream::RED
                                  : raw_ostream::YELLOW;
  };
  for (const Operator &Row : R.Operators) {
    if (Style.Color)
      Out.changeColor(Colour(Row.Is), /*Bold=*/true);
    Out << llvm::left_justify(spelling(Row.Is), 9);
    if (Style.Color)
      Out.resetColor();
    Out << printable(Row.Name);
    if (!Row.DispatchKey.empty())
      Out << " (" << printable(Row.DispatchKey) << ")";
    if (std::string At = lineOf(Row.Loc); !At.empty())
      Out << "  " << printable(At);
    if (std::string Schema = schemaOf(Row); !Schema.empty())
      Out << "  " << Schema;
    if (!Row.Freezes.empty())
      Out << "  freezes " << printable(join(Row.Freezes, ", "));
    Out << "\n";
    std::string Reason = reasonOf(Row);
    if (Reason.empty())
      continue;
    Reason += variantOf(Row);
    Out.indent(9);
    if (Row.Cause)
      Out << printable(spelled(Row.Cause->Loc)) << ": ";
    Out << printable(Reason);
    if (Row.Causes > 1)
      Out << " (and " << counted(Row.Causes - 1, "more finding") << ")";
    Out << "\n";
    for (const std::string &Each : causesOf(Row))
      Out.indent(11) << printable(Each) << "\n";
  }
  if (!Style.ClosingLine)
    return;
  if (R.Operators.empty() && R.Seen.Incomplete.empty())
    Out << "found no registered operator: the code does not use TORCH_LIBRARY, "
           "PYBIND11_MODULE, TVM_FFI_DLL_EXPORT_TYPED_FUNC, or "
           "XLA_FFI_DEFINE_HANDLER\n";
  writeSummary(Out, R);
}

void writeOpsMarkdown(raw_ostream &Out, const Report &R) {
  Out << "| operator | verdict | where | schema or function | freezes | cause "
         "|\n| --- | --- | --- | --- | --- | --- |\n";
  for (const Operator &Row : R.Operators) {
    std::string Cause = cell(reasonOf(Row) + variantOf(Row));
    if (Row.Cause)
      Cause = code(lineOf(Row.Cause->Loc)) + " " + Cause;
    for (const std::string &Each : causesOf(Row))
      Cause += "<br>" + cell(Each);
    Out << "| " << code(Row.Name) << " | " << spelling(Row.Is) << " | "
        << code(lineOf(Row.Loc)) << " | " << code(schemaOf(Row)) << " | "
        << code(join(Row.Freezes, ", ")) << " | " << Cause << " |\n";
  }
  Out << "\n";
  writeSummary(Out, R);
}

void writeOpsCsv(raw_ostream &Out, const Report &R) {
  Out << "name,verdict,confidence,registered_with,dispatch_key,schema,function,"
         "file,line,check,cause,cause_file,cause_line,chain,opaque,freezes,"
         "unless\r\n";
  for (const Operator &Row : R.Operators) {
    auto Line = [](const Location &L) {
      return L.valid() ? std::to_string(L.Line) : std::string();
    };
    const Finding *F = Row.Cause ? &*Row.Cause : nullptr;
    std::string Cells[] = {Row.Name,
                           spelling(Row.Is),
                           F ? spelling(F->Sure) : "",
                           Row.How,
                           Row.DispatchKey,
                           Row.Schema,
                           Row.Function,
                           Row.Loc.File,
                           Line(Row.Loc),
                           F ? F->Check : "",
                           F ? F->Message : reasonOf(Row),
                           F ? F->Loc.File : "",
                           F ? Line(F->Loc) : "",
                           join(causesOf(Row), "; "),
                           Row.Opaque,
                           join(Row.Freezes, "; "),
                           F ? F->Unless : ""};
    interleave(
        Cells, Out, [&](const std::string &Text) { Out << quoted(Text); }, ",");
    Out << "\r\n";
  }
}

} // namespace cudagraph::reports
