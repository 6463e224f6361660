//===- Links.cpp - Removes links to pages that do not exist ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd links each check to its page on clang-tidy's site. These checks have
// no page there.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "llvm/Support/JSON.h"

namespace clang::clangd {
struct PublishDiagnosticsParams;
}

using namespace llvm;

namespace cudagraph::driver {

CUDAGRAPH_WRAP(json::Value, ToJson,
               "_ZN5clang6clangd6toJSONERKNS0_24PublishDiagnosticsParamsE",
               (const clang::clangd::PublishDiagnosticsParams &Params))

json::Value wrapToJson(const clang::clangd::PublishDiagnosticsParams &Params) {
  json::Value Result = realToJson(Params);
  json::Object *Message = Result.getAsObject();
  json::Array *All = Message ? Message->getArray("diagnostics") : nullptr;
  if (!All)
    return Result;
  for (json::Value &Each : *All) {
    json::Object *Diagnostic = Each.getAsObject();
    if (!Diagnostic)
      continue;
    if (auto Code = Diagnostic->getString("code");
        Code && Code->starts_with("cudagraph-"))
      Diagnostic->erase("codeDescription");
  }
  return Result;
}

} // namespace cudagraph::driver
