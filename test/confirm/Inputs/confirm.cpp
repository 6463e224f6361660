//===- confirm.cpp - cudagraph_confirm without a program to run -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// confirm watch FINDINGS              prints the functions to watch
// confirm text|json FINDINGS REPORT...  prints the results of the reports
//
//===----------------------------------------------------------------------===//

#include "confirm/Confirm.h"
#include <fstream>
#include <iostream>
#include <iterator>

using namespace cudagraph::confirm;

static std::string textOf(const char *File) {
  std::ifstream In(File, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return 2;
  std::string What = Argv[1], Why;
  StaticResult Findings;
  if (!readFindings(textOf(Argv[2]), Argv[2], Findings, Why)) {
    std::cerr << "error: " << Why << "\n";
    return 2;
  }
  if (What == "watch") {
    std::cout << watchList(Findings) << "\n";
    return 0;
  }
  Run Seen;
  for (int I = 3; I < Argc; ++I)
    if (!readReport(textOf(Argv[I]), Argv[I], Seen, Why)) {
      std::cerr << "error: " << Why << "\n";
      return 2;
    }
  Joined Result = join(Findings, Seen);
  std::cout << (What == "json" ? printJson(Findings, Seen, Result)
                               : printText(Findings, Seen, Result));
  return Result.count(Status::Confirmed) || !Result.Others.empty();
}
