//===- Baseline.cpp - The baseline of known findings ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"
#include "driver/support/Errors.h"
#include "support/InputFile.h"
#include "support/Nesting.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr int Version = 1;

/// A file that is not a baseline is not overwritten.
constexpr char Remedy[] =
    "; remove the file, and create a new one with --baseline-write";

/// Sources may contain any bytes, but JSON only Unicode.
std::string asText(StringRef Value) {
  return json::isUTF8(Value) ? Value.str() : json::fixUTF8(Value);
}

auto key(const BaselineEntry &E) {
  return std::tie(E.File, E.Check, E.Function, E.Callee, E.Fingerprint);
}

bool readEntry(const json::Object &O, BaselineEntry &E) {
  auto Text = [&](StringRef Key, std::string &Into) {
    std::optional<StringRef> Value = O.getString(Key);
    if (Value)
      Into = Value->str();
    return Value.has_value();
  };
  return Text("fingerprint", E.Fingerprint) && Text("check", E.Check) &&
         Text("file", E.File) && Text("function", E.Function) &&
         Text("callee", E.Callee) && !E.Fingerprint.empty();
}

} // namespace

Baseline Baseline::empty(const std::string &Path) {
  Baseline Result;
  Result.Path = Path;
  return Result;
}

Expected<Baseline> Baseline::read(const std::string &Path) {
  std::string Bytes;
  if (support::InputError E =
          support::readInput(Path, support::Bound::Data, Bytes))
    return makeError(
        "cannot read the baseline " + Path + ": " + E.message() +
        (E.Errno == ENOENT ? "; create it with --baseline-write" : ""));
  Baseline Result = empty(Path);
  StringRef Text = Bytes;
  for (unsigned Line = 1; !Text.empty(); ++Line) {
    auto [Content, Rest] = Text.split('\n');
    Text = Rest;
    if (Content.trim().empty())
      continue;
    auto Wrong = [&](const Twine &Why) {
      return makeError(Path + ":" + Twine(Line) + ": " + Why + Remedy);
    };
    if (!support::checkJsonNesting(Content).empty())
      return Wrong("the line is nested deeper than any baseline entry");
    Expected<json::Value> Value = json::parse(Content);
    if (!Value)
      return Wrong("invalid JSON (" + toString(Value.takeError()) +
                   "); every line of a baseline is a JSON object");
    const json::Object *O = Value->getAsObject();
    if (O && O->getInteger("version") && Result.ToolVersion.empty()) {
      if (*O->getInteger("version") != Version)
        return Wrong(
            "the baseline has version " + Twine(*O->getInteger("version")) +
            ", but this cudagraph-tidy supports version " + Twine(Version));
      Result.ToolVersion = O->getString("tool_version").value_or("0").str();
      continue;
    }
    if (Result.ToolVersion.empty())
      return Wrong("the first line of a baseline is {\"version\":1,...}");
    BaselineEntry Entry;
    Entry.Line = Line;
    if (!O || !readEntry(*O, Entry))
      return Wrong("an entry needs the strings fingerprint, check, file, "
                   "function, and callee");
    Result.add(std::move(Entry));
  }
  if (Result.ToolVersion.empty())
    return makeError(Path + " is empty and therefore not a baseline" + Remedy);
  return Result;
}

void Baseline::add(BaselineEntry Entry) {
  if (Known.try_emplace(Entry.Fingerprint, true).second)
    Entries.push_back(std::move(Entry));
}

void Baseline::removeIf(function_ref<bool(const BaselineEntry &)> Gone) {
  erase_if(Entries, [&](const BaselineEntry &E) {
    bool Is = Gone(E);
    if (Is)
      Known.erase(E.Fingerprint);
    return Is;
  });
}

Error Baseline::write() const {
  std::vector<const BaselineEntry *> Sorted;
  for (const BaselineEntry &E : Entries)
    Sorted.push_back(&E);
  sort(Sorted, [](const BaselineEntry *A, const BaselineEntry *B) {
    return key(*A) < key(*B);
  });
  std::string Text;
  raw_string_ostream Out(Text);
  auto Line = [&](function_ref<void(json::OStream &)> Fields) {
    json::OStream J(Out);
    J.object([&] { Fields(J); });
    Out << "\n";
  };
  Line([](json::OStream &J) {
    J.attribute("version", Version);
    J.attribute("tool", "cudagraph-tidy");
    J.attribute("tool_version", CUDAGRAPH_VERSION);
  });
  for (const BaselineEntry *E : Sorted)
    Line([&](json::OStream &J) {
      J.attribute("check", E->Check);
      J.attribute("file", asText(E->File));
      J.attribute("function", asText(E->Function));
      J.attribute("callee", asText(E->Callee));
      J.attribute("fingerprint", E->Fingerprint);
    });
  if (Error E = support::writeOutput(Path, Text))
    return makeError("cannot write the baseline " + Path + ": " +
                     toString(std::move(E)));
  return Error::success();
}

BaselineEntry entryFor(const reports::Report &R, const Finding &F) {
  BaselineEntry E;
  E.Fingerprint = F.Fingerprint;
  E.Check = F.Check;
  E.File = reports::fromRoot(R, F.Loc.File);
  E.Function = F.Function;
  E.Callee = F.Callee;
  return E;
}

} // namespace cudagraph::driver
