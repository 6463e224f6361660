//===- OnlyCaptures.cpp - Only features that concern captures -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlyCaptures.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

bool isOwn(const json::Value &Diagnostic) {
  const json::Object *D = Diagnostic.getAsObject();
  return D && (D->getString("code").value_or("").starts_with("cudagraph-") ||
               D->getString("source").value_or("") == "cudagraph-tidy");
}

template <typename Fn> void keepIf(json::Array &All, Fn Keep) {
  json::Array Remaining;
  for (json::Value &V : All)
    if (Keep(V))
      Remaining.push_back(std::move(V));
  All = std::move(Remaining);
}

} // namespace

void keepOwnCapabilities(json::Object &Capabilities) {
  json::Object Remaining;
  for (StringRef Name : {"textDocumentSync", "positionEncoding",
                         "hoverProvider", "codeActionProvider"})
    if (json::Value *V = Capabilities.get(Name))
      Remaining[Name] = std::move(*V);
  // The server's commands apply edits, and old clients receive fixes as
  // commands.
  if (json::Value *V = Capabilities.get("executeCommandProvider"))
    Remaining["executeCommandProvider"] = std::move(*V);
  Capabilities = std::move(Remaining);
}

void keepOwnDiagnostics(json::Array &Diagnostics) {
  keepIf(Diagnostics, isOwn);
}

void keepOwnActions(json::Array &Actions) {
  keepIf(Actions, [](const json::Value &V) {
    const json::Object *Action = V.getAsObject();
    const json::Array *Of = Action ? Action->getArray("diagnostics") : nullptr;
    return Of && any_of(*Of, isOwn);
  });
}

} // namespace cudagraph::driver
