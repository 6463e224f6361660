//===- SummaryFormat.cpp - Serializes summaries ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function consists of the keys of the functions that it mentions, the sites
// of its spans, and its fields, in which functions and spans are indices into
// these two lists. A unit consists of a version, a header, entries, the bytes
// of the functions, and a checksum.
//
//===----------------------------------------------------------------------===//

#include "SummaryCheck.h"
#include "SummaryFields.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {
namespace {

/// Increase this with every change to the format or to the output of lowering.
constexpr llvm::StringLiteral Magic = "cudagraph-tidy summary 12\n";

/// Numbers functions and spans in the order of their first use.
struct WriteRefs {
  llvm::DenseMap<FunctionId, unsigned> FunctionIds;
  std::vector<FunctionId> Functions;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> SpanIds;
  std::vector<std::pair<Span, bool>> Spans; ///< and whether their text counts

  void function(ArchiveWriter &Ar, FunctionId F) {
    if (F == None)
      return Ar.raw(0);
    auto [It, New] = FunctionIds.try_emplace(F, Functions.size());
    if (New)
      Functions.push_back(F);
    Ar.raw(It->second + 1);
  }
  void span(ArchiveWriter &Ar, Span S, bool WithText) {
    if (!S.Begin)
      return Ar.raw(0);
    auto [It, New] = SpanIds.try_emplace({S.Begin, S.End}, Spans.size());
    if (New)
      Spans.push_back({S, WithText});
    Spans[It->second].second |= WithText;
    Ar.raw(It->second + 1);
  }
};

void putBlock(std::string &Out, llvm::StringRef Bytes) {
  putNumber(Out, Bytes.size());
  Out += Bytes;
}

} // namespace

std::string encodeFunction(FunctionInfo Info, const FlowGraph *Graph,
                           llvm::function_ref<FunctionKey(FunctionId)> KeyOf,
                           llvm::function_ref<Site(Span, bool)> SiteOf) {
  WriteRefs Refs;
  ArchiveWriter Body;
  GraphFields<ArchiveWriter, WriteRefs> Fields(Body, Refs);
  Fields.info(Info);
  Body.raw(Graph != nullptr);
  if (Graph) // not const: fields() reads and writes with the same code
    Fields.graph(const_cast<FlowGraph &>(*Graph));
  ArchiveWriter Tables;
  Tables.raw(Refs.Functions.size());
  for (FunctionId F : Refs.Functions)
    Tables.raw(KeyOf(F));
  Tables.raw(Refs.Spans.size());
  for (auto [S, WithText] : Refs.Spans) {
    Site At = SiteOf(S, WithText);
    fields(Tables, At);
  }
  std::string Result;
  putBlock(Result, Tables.take());
  return Result + Body.take();
}

bool decodeFunction(llvm::StringRef Bytes, FunctionInfo &Info,
                    std::unique_ptr<FlowGraph> &Graph,
                    llvm::function_ref<FunctionId(FunctionKey)> IdOf,
                    llvm::function_ref<unsigned(size_t)> FirstSite) {
  llvm::StringRef TableBytes, BodyBytes;
  if (!splitFunction(Bytes, TableBytes, BodyBytes))
    return false;
  ReadRefs Refs;
  ArchiveReader Tables(TableBytes);
  Refs.Functions.resize(Tables.count());
  for (FunctionId &F : Refs.Functions)
    F = IdOf(Tables.raw());
  Refs.SiteCount = Tables.count();
  Refs.FirstSite = FirstSite(Refs.SiteCount);
  ArchiveReader Body(BodyBytes);
  GraphFields<ArchiveReader, ReadRefs> Fields(Body, Refs);
  Fields.info(Info);
  if (Body.raw()) {
    Graph = std::make_unique<FlowGraph>();
    Fields.graph(*Graph);
  }
  return !Tables.failed() && !Body.failed() && !Refs.Bad;
}

std::vector<FunctionKey> mentionedKeys(llvm::StringRef Bytes) {
  llvm::StringRef TableBytes, BodyBytes;
  if (!splitFunction(Bytes, TableBytes, BodyBytes))
    return {};
  ArchiveReader Tables(TableBytes);
  std::vector<FunctionKey> Result(Tables.count());
  for (FunctionKey &K : Result)
    K = Tables.raw();
  return Result;
}

std::vector<Site> decodeSites(llvm::StringRef Bytes) {
  llvm::StringRef TableBytes, BodyBytes;
  if (!splitFunction(Bytes, TableBytes, BodyBytes))
    return {};
  ArchiveReader Tables(TableBytes);
  for (size_t Keys = Tables.count(); Keys; --Keys)
    (void)Tables.raw();
  std::vector<Site> Result(Tables.count());
  for (Site &Each : Result)
    fields(Tables, Each);
  return Result;
}

std::string encodeSummary(const UnitSummary &Unit) {
  std::string Result(Magic);
  ArchiveWriter Header;
  fields(Header, const_cast<UnitSummary &>(Unit));
  putBlock(Result, Header.take());
  putNumber(Result, Unit.Functions.size());
  for (const SummaryEntry &E : Unit.Functions) {
    for (unsigned Shift = 0; Shift < 64; Shift += 8)
      Result += static_cast<char>(E.Key >> Shift);
    putNumber(Result, E.HasGraph | E.Collected << 1 | E.Initializers << 2);
    putNumber(Result, E.Bytes.size());
  }
  for (const SummaryEntry &E : Unit.Functions)
    Result += E.Bytes;
  uint64_t Sum = llvm::xxh3_64bits(llvm::StringRef(Result));
  for (unsigned Shift = 0; Shift < 64; Shift += 8)
    Result += static_cast<char>(Sum >> Shift);
  return Result;
}

static uint64_t fixed64(llvm::StringRef Bytes) {
  uint64_t Result = 0;
  for (unsigned I = 0; I < 8; ++I)
    Result |= static_cast<uint64_t>(static_cast<uint8_t>(Bytes[I])) << 8 * I;
  return Result;
}

llvm::Expected<UnitSummary> decodeSummary(std::string Bytes,
                                          CheckedFunctions *Checked) {
  auto Fail = [](const char *Why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Why);
  };
  auto Storage = std::make_shared<const std::string>(std::move(Bytes));
  llvm::StringRef All(*Storage);
  if (!All.consume_front(Magic))
    return Fail(All.starts_with(Magic.drop_back(2))
                    ? "was written by another version of cudagraph-tidy"
                    : "is not a summary");
  UnitSummary Unit;
  Unit.Storage = Storage;
  Unit.Checksum = llvm::xxh3_64bits(llvm::StringRef(*Storage).drop_back(8));
  if (All.size() < 8 || fixed64(All.take_back(8)) != Unit.Checksum)
    return Fail("is damaged: its checksum is wrong");
  All = All.drop_back(8);
  // The checksum is correct, so invalid contents were written by another
  // program.
  const char *const Truncated = "is damaged: it is truncated";
  auto Number = [&]() -> uint64_t {
    std::optional<uint64_t> N = takeNumber(All);
    if (!N)
      All = {};
    return N.value_or(0);
  };
  uint64_t Length = Number();
  if (Length > All.size())
    return Fail(Truncated);
  ArchiveReader Header(All.take_front(Length));
  fields(Header, Unit);
  if (Header.failed() || !Header.atEnd())
    return Fail("is damaged: its header cannot be read");
  All = All.drop_front(Length);
  uint64_t Count = Number();
  // A key, flags, and a size need at least this many bytes.
  if (Count > All.size() / 10)
    return Fail(Truncated);
  Unit.Functions.resize(Count);
  std::vector<uint64_t> Sizes;
  for (SummaryEntry &E : Unit.Functions) {
    if (All.size() < 8)
      return Fail(Truncated);
    E.Key = fixed64(All);
    All = All.drop_front(8);
    uint64_t Flags = Number();
    if (Flags > 7)
      return Fail("is damaged: a function has an unknown kind");
    E.HasGraph = Flags & 1;
    E.Collected = Flags & 2;
    E.Initializers = Flags & 4;
    Sizes.push_back(Number());
  }
  for (auto [E, Size] : llvm::zip(Unit.Functions, Sizes)) {
    if (Size > All.size())
      return Fail(Truncated);
    E.Bytes = All.take_front(Size);
    All = All.drop_front(Size);
  }
  if (!All.empty())
    return Fail("is damaged: it contains extra data");
  if (llvm::Error E = validate(Unit, Checked))
    return E;
  return Unit;
}

} // namespace cudagraph
