//===- Symbolizer.cpp - Functions and lines of addresses ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbolizer.h"
#include "format/JsonFields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

Frame unknownFrame(const TraceModule &Module) {
  Frame F;
  F.Module = Module.Path;
  return F;
}

class FileSymbolizer : public Symbolizer {
public:
  FileSymbolizer() : Llvm(options()) {}

  std::vector<Frame> frames(const TraceModule &Module,
                            uint64_t Offset) override {
    auto [It, New] = Cache.try_emplace({Module.Path, Offset});
    if (New)
      It->second = look(Module, Offset);
    return It->second;
  }

private:
  symbolize::LLVMSymbolizer Llvm;
  std::map<std::pair<std::string, uint64_t>, std::vector<Frame>> Cache;
  std::map<std::string, bool> Usable;

  static symbolize::LLVMSymbolizer::Options options() {
    symbolize::LLVMSymbolizer::Options O;
    O.Demangle = true;
    O.SkipLineZero = true;
    return O;
  }

  /// True if \p Module is still the file that ran.
  bool usable(const TraceModule &Module) {
    auto [It, New] = Usable.try_emplace(Module.Path, true);
    if (!New || Module.BuildId.empty())
      return It->second;
    auto Object = object::ObjectFile::createObjectFile(Module.Path);
    if (!Object) {
      consumeError(Object.takeError());
      return It->second = false;
    }
    object::BuildIDRef Id = object::getBuildID(Object->getBinary());
    if (!Id.empty() &&
        toHex(Id, /*LowerCase=*/true) != StringRef(Module.BuildId).lower()) {
      Problems.push_back("'" + Module.Path +
                         "' has changed since it ran: its frames have no "
                         "functions or lines");
      It->second = false;
    }
    return It->second;
  }

  std::vector<Frame> look(const TraceModule &Module, uint64_t Offset) {
    if (Module.Path.empty() || !usable(Module))
      return {unknownFrame(Module)};
    // The call ends at its return address.
    uint64_t Call = Offset ? Offset - 1 : 0;
    auto Found = Llvm.symbolizeInlinedCode(
        Module.Path, {Call, object::SectionedAddress::UndefSection});
    if (!Found) {
      consumeError(Found.takeError());
      return {unknownFrame(Module)};
    }
    std::vector<Frame> Frames;
    uint32_t Count = Found->getNumberOfFrames();
    for (uint32_t I = 0; I < Count; ++I) {
      const DILineInfo &Info = Found->getFrame(I);
      Frame F = unknownFrame(Module);
      if (Info.FunctionName != DILineInfo::BadString)
        F.Function = Info.FunctionName;
      if (Info.FileName != DILineInfo::BadString && Info.Line) {
        F.File = Info.FileName;
        F.Line = Info.Line;
        F.Column = Info.Column;
      }
      F.Inlined = I + 1 < Count;
      Frames.push_back(std::move(F));
    }
    if (Frames.empty())
      Frames.push_back(unknownFrame(Module));
    return Frames;
  }
};

class TableSymbolizer : public Symbolizer {
public:
  explicit TableSymbolizer(Json Table) : Table(std::move(Table)) {}

  std::vector<Frame> frames(const TraceModule &Module,
                            uint64_t Offset) override {
    std::vector<Frame> Frames;
    const Json &Rows = field(Table, Module.Path.c_str());
    std::string Key = "0x" + utohexstr(Offset, /*LowerCase=*/true);
    const Json::array_t &Row = listOf(Rows, Key.c_str());
    for (const Json &J : Row) {
      Frame F = unknownFrame(Module);
      F.Function = textOf(J, "function");
      F.File = textOf(J, "file");
      F.Line = intOf(J, "line");
      F.Column = intOf(J, "column");
      F.Inlined = Frames.size() + 1 < Row.size();
      Frames.push_back(std::move(F));
    }
    if (Frames.empty())
      Frames.push_back(unknownFrame(Module));
    return Frames;
  }

private:
  Json Table;
};

} // namespace

Symbolizer::~Symbolizer() = default;

std::unique_ptr<Symbolizer> createSymbolizer() {
  return std::make_unique<FileSymbolizer>();
}

Expected<std::unique_ptr<Symbolizer>> createTableSymbolizer(StringRef Table) {
  Json J = parseJson(Table);
  if (!J.is_object())
    return createStringError("not a table of symbols");
  return std::make_unique<TableSymbolizer>(std::move(J));
}

std::string demangled(StringRef Name) { return demangle(Name); }

} // namespace cudagraph::probe
