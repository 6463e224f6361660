//===- YamlMapping.h - Keys and values of a YAML file -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one file: key by key, each value with its location. Errors contain
// file, line, and column.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_YAMLMAPPING_H
#define CUDAGRAPH_DRIVER_OPTIONS_YAMLMAPPING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

class YamlMapping {
public:
  explicit YamlMapping(llvm::StringRef File) : File(File) {}

  /// Calls \p Each with the key, the node of the key, and the node of the
  /// value. The parser only moves forward, so the location of the key must be
  /// requested first.
  llvm::Error
  read(llvm::function_ref<llvm::Error(llvm::StringRef, llvm::yaml::Node *,
                                      llvm::yaml::Node *)>
           Each);
  /// Returns the location of \p Node: "FILE:LINE:COLUMN: ".
  std::string at(llvm::yaml::Node *Node);
  /// Returns the scalar, or the scalars in the list, of \p Node.
  llvm::Expected<std::vector<std::string>> values(llvm::yaml::Node *Node);

private:
  llvm::StringRef File;
  llvm::SourceMgr Manager;
  std::string Problem; ///< the first error of the parser
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_YAMLMAPPING_H
