//===- Options.cpp - The command line of cudagraph-probe ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

using namespace llvm;
using namespace llvm::opt;

namespace cudagraph::probe {
namespace {

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class ProbeOptions : public GenericOptTable {
public:
  ProbeOptions()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, InfoTable) {}
};

constexpr const char *Usage =
    "cudagraph-probe run [options] -- PROGRAM [ARGUMENTS]\n"
    "       cudagraph-probe confirm [options] FINDINGS.json -- PROGRAM "
    "[ARGUMENTS]\n"
    "       cudagraph-probe report [options] TRACE_DIR|REPORT";

Error usage(const Twine &Text) { return createStringError(Text.str()); }

Error setCommand(Options &Opts, ArrayRef<std::string> Inputs, bool HasProgram) {
  if (Inputs.empty())
    return usage("no command; use 'run', 'confirm', or 'report' (see --help)");
  StringRef Name = Inputs.front();
  if (Name == "run") {
    Opts.Command = Options::Run;
    if (Inputs.size() > 1)
      return usage("'" + Inputs[1] + "': put the program after '--'");
    if (!HasProgram || Opts.Program.empty())
      return usage("no program: cudagraph-probe run [options] -- PROGRAM");
    return Error::success();
  }
  if (Name == "confirm") {
    Opts.Command = Options::Confirm;
    if (Inputs.size() != 2 || !HasProgram || Opts.Program.empty())
      return usage("'confirm' takes a report written by cudagraph-tidy "
                   "--format=json, and a program after '--'");
    Opts.Findings = Inputs[1];
    if (Opts.As == Format::Html || Opts.As == Format::Sarif)
      return usage("'confirm' writes text or JSON; cudagraph-tidy "
                   "--probe-report writes the other formats");
    return Error::success();
  }
  if (Name != "report")
    return usage("unknown command '" + Name +
                 "'; use 'run', 'confirm', or 'report'");
  Opts.Command = Options::Report;
  if (Inputs.size() != 2 || HasProgram)
    return usage("'report' takes one directory with a trace, or a report");
  if (!Opts.TraceDirectory.empty())
    return usage("'report' takes no --trace");
  Opts.TraceDirectory = Inputs[1];
  return Error::success();
}

} // namespace

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options Opts;
  const auto *End =
      find_if(Args, [](const char *A) { return StringRef(A) == "--"; });
  bool HasProgram = End != Args.end();
  if (HasProgram)
    Opts.Program.assign(End + 1, Args.end());
  ProbeOptions Table;
  unsigned Missing = 0, MissingCount = 0;
  InputArgList List =
      Table.ParseArgs(Args.take_front(static_cast<size_t>(End - Args.begin())),
                      Missing, MissingCount);
  if (MissingCount)
    return usage(Twine("'") + List.getArgString(Missing) + "' needs a value");
  for (const Arg *A : List.filtered(OPT_UNKNOWN))
    return usage("unknown option '" + A->getAsString(List) + "' (see --help)");
  if (List.hasArg(OPT_help))
    return Opts;
  if (List.hasArg(OPT_version)) {
    Opts.Command = Options::Version;
    return Opts;
  }
  Opts.Output = List.getLastArgValue(OPT_output).str();
  Opts.TraceDirectory = List.getLastArgValue(OPT_trace).str();
  Opts.CudaPath = List.getLastArgValue(OPT_cuda_path).str();
  Opts.InjectionLibrary = List.getLastArgValue(OPT_injection_library).str();
  Opts.Symbols = List.getLastArgValue(OPT_symbols).str();
  Opts.Watch = join(List.getAllArgValues(OPT_watch), ",");
  Opts.Halt = List.hasArg(OPT_halt);
  Opts.FailOnFindings = List.hasArg(OPT_fail_on_findings);
  Opts.Quiet = List.hasArg(OPT_quiet);
  Opts.Verbose = List.hasArg(OPT_verbose);
  Opts.NoLines = List.hasArg(OPT_no_lines);
  Opts.CapturesOnly = List.hasArg(OPT_captures_only);
  Opts.Captures = List.getLastArgValue(OPT_captures).str();
  Opts.Replays = List.getLastArgValue(OPT_replays).str();
  for (const auto &[Name, Value] : {std::pair("--captures", &Opts.Captures),
                                    std::pair("--replays", &Opts.Replays)}) {
    unsigned Number = 0;
    bool All = Value == &Opts.Replays && *Value == "all";
    if (!Value->empty() && !All && StringRef(*Value).getAsInteger(10, Number))
      return usage(Twine(Name) + " '" + *Value + "': not a number" +
                   (Value == &Opts.Replays ? ", nor 'all'" : ""));
  }
  if (const Arg *A = List.getLastArg(OPT_format)) {
    StringRef Name = A->getValue();
    for (auto [Spelled, Is] :
         {std::pair("text", Format::Text), std::pair("json", Format::Json),
          std::pair("html", Format::Html), std::pair("sarif", Format::Sarif)})
      if (Name == Spelled)
        Opts.As = Is;
    if (!Opts.As)
      return usage("invalid value '" + Name +
                   "' for --format; the values are text, json, html, and "
                   "sarif");
  }
  std::vector<std::string> Inputs = List.getAllArgValues(OPT_INPUT);
  if (Error E = setCommand(Opts, Inputs, HasProgram))
    return E;
  return Opts;
}

void printHelp(raw_ostream &Out) {
  ProbeOptions().printHelp(
      Out, Usage,
      "Observes a program's CUDA stream captures and reports what broke them");
}

} // namespace cudagraph::probe
