//===- JsonText.h - JSON that anybody may have written ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's JSON and YAML readers recurse as deep as the text is nested, and a
// file of a few brackets ends the process. What is nested deeper than any real
// file is an error here.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_JSONTEXT_H
#define CUDAGRAPH_DRIVER_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace cudagraph::driver {

/// Parses \p Text as llvm::json::parse() does, and refuses deep nesting.
llvm::Expected<llvm::json::Value> parseJsonText(llvm::StringRef Text);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_JSONTEXT_H
