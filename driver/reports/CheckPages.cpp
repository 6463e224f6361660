//===- CheckPages.cpp - The embedded pages of docs/checks -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPages.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

struct CheckPage {
  const char *Id;
  const char *Markdown;
};
constexpr CheckPage Pages[] = {
#include "CheckDocs.inc"
    {nullptr, nullptr}};

} // namespace

StringRef checkPage(StringRef Id) {
  for (const CheckPage &Page : Pages)
    if (Page.Id && Id == Page.Id)
      return Page.Markdown;
  return "";
}

} // namespace cudagraph::reports
