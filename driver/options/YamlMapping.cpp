//===- YamlMapping.cpp - Keys and values of a YAML file -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See YamlMapping.h.
//
//===----------------------------------------------------------------------===//

#include "YamlMapping.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "llvm/ADT/SmallString.h"

using namespace llvm;

namespace cudagraph::driver {

Error YamlMapping::read(
    function_ref<Error(StringRef, yaml::Node *, yaml::Node *)> Each) {
  auto Buffer = readBuffer(File.str(), support::Bound::Settings);
  if (!Buffer)
    return Buffer.takeError();
  if (std::string Why = checkYaml((*Buffer)->getBuffer()); !Why.empty())
    return makeError(File + ": " + Why);
  Manager.setDiagHandler(
      [](const SMDiagnostic &D, void *Context) {
        auto *Self = static_cast<YamlMapping *>(Context);
        if (Self->Problem.empty())
          Self->Problem = (Self->File + ":" + Twine(D.getLineNo()) + ":" +
                           Twine(D.getColumnNo() + 1) + ": " + D.getMessage())
                              .str();
      },
      this);
  yaml::Stream Stream(**Buffer, Manager, /*ShowColors=*/false);
  auto Document = Stream.begin();
  yaml::Node *Root = Document == Stream.end() ? nullptr : Document->getRoot();
  if (auto *Map = dyn_cast_or_null<yaml::MappingNode>(Root)) {
    for (yaml::KeyValueNode &Pair : *Map) {
      auto *Name = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey());
      if (!Name)
        break; // a parse error
      SmallString<32> Storage;
      std::string Key = Name->getValue(Storage).str();
      if (Error E = Each(Key, Name, Pair.getValue()))
        return E;
    }
  } else if (Root && !isa<yaml::NullNode>(Root) && Problem.empty()) {
    return makeError(File + ": expected a mapping of keys to values");
  }
  if (Stream.failed() || !Problem.empty())
    return makeError(Problem.empty() ? File + ": invalid YAML" : Problem);
  return Error::success();
}

std::string YamlMapping::at(yaml::Node *Node) {
  SMLoc Start = Node->getSourceRange().Start;
  // LLVM gives some nodes, such as one that ends in a zero byte, no location.
  unsigned Buffer =
      Start.isValid() ? Manager.FindBufferContainingLoc(Start) : 0;
  if (!Buffer)
    return (File + ": ").str();
  auto [Line, Column] = Manager.getLineAndColumn(Start, Buffer);
  return (File + ":" + Twine(Line) + ":" + Twine(Column) + ": ").str();
}

Expected<std::vector<std::string>> YamlMapping::values(yaml::Node *Node) {
  std::vector<std::string> Result;
  auto Add = [&](yaml::Node &One) {
    SmallString<128> Storage;
    if (auto *Scalar = dyn_cast<yaml::ScalarNode>(&One))
      Result.push_back(Scalar->getValue(Storage).str());
    else if (auto *Block = dyn_cast<yaml::BlockScalarNode>(&One))
      Result.push_back(Block->getValue().str());
    else
      return false;
    return true;
  };
  if (auto *List = dyn_cast<yaml::SequenceNode>(Node)) {
    for (yaml::Node &One : *List)
      if (!Add(One))
        return makeError(at(Node) + "expected a plain value in the list");
  } else if (!Add(*Node)) {
    return makeError(at(Node) + "expected a value or a list of values");
  }
  return Result;
}

} // namespace cudagraph::driver
