//===- main.cpp - cudagraph-probe -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// argv -> Options -> a command -> exit status. Standard output belongs to the
// observed program: messages go to standard error, unless requested otherwise.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "catalogue/Printable.h"
#include "support/OutOfMemory.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace cudagraph::probe;

static Expected<int> run(ArrayRef<const char *> Args,
                         const std::string &Program) {
  Expected<Options> Opts = parseOptions(Args);
  if (!Opts)
    return Opts.takeError();
  switch (Opts->Command) {
  case Options::Help:
    printHelp(outs());
    return ExitClean;
  case Options::Version:
    outs() << "cudagraph-probe " CUDAGRAPH_VERSION "\n";
    return ExitClean;
  case Options::Run:
    return runCommand(*Opts, Program);
  case Options::Report:
    return reportCommand(*Opts);
  case Options::Confirm:
    return confirmCommand(*Opts, Program);
  }
  return ExitUsage;
}

int main(int argc, char **argv) {
  cudagraph::support::handleOutOfMemory(
      "cudagraph-probe: error: out of memory; no report was written\n",
      ExitUsage);
  static int Anchor;
  std::string Program = sys::fs::getMainExecutable(argv[0], &Anchor);
  Expected<int> Status = run(ArrayRef(argv + 1, argv + argc), Program);
  if (Status)
    return *Status;
  errs() << "cudagraph-probe: error: "
         << cudagraph::printable(toString(Status.takeError())) << "\n";
  return ExitUsage;
}
