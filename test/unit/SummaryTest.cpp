//===- SummaryTest.cpp - Summaries as bytes and back ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads written data again. Damage to the bytes is detected and has no other
// effect. With sanitizers, this test finds reads past the end.
//
//===----------------------------------------------------------------------===//

#include "analysis/ir/Summary.h"
#include "Parse.h"
#include "analysis/ir/Archive.h"
#include "analysis/lower/Summarize.h"
#include "rules/Analyze.h"
#include "rules/Evaluate.h"
#include <limits>

using namespace cudagraph;

namespace {

/// An example of everything in a summary.
const char *const Sample =
    "#define WAIT(s) cudaStreamSynchronize(s)\n"
    "struct Base { virtual void run(cudaStream_t); virtual ~Base(); };\n"
    "struct Derived : Base { void run(cudaStream_t) override {} };\n"
    "struct Ops { void (*run)(cudaStream_t, int); };\n"
    "static void work(cudaStream_t s, int n) {\n"
    "  for (int i = 0; i < n; ++i) if (n % 2) WAIT(s); // NOLINT\n"
    "}\n"
    "Ops ops = {work};\n"
    "void region(cudaStream_t s, float *x, Base *b, cudaGraph_t *g) {\n"
    "  static int calls = 0; ++calls;\n"
    "  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) return;\n"
    "  k<<<calls, 32, 0, s>>>(x);\n"
    "  auto f = [&] { b->run(s); ops.run(s, 3); };\n"
    "  f();\n"
    "  switch (calls) { case 1: work(s, -1); break; default: throw 1; }\n"
    "  cudaStreamEndCapture(s, g);\n"
    "}\n";

UnitSummary sample() {
  auto Unit = unit::parse(Sample);
  UnitSummary Result = summarizeUnit(Unit->getASTContext(), "id", false);
  Result.Directory = "/dir";
  Result.Failure = "because";
  Result.Errors = 7;
  Result.FirstErrors = {"a.cu:1:2: error: x"};
  Result.ErrorKinds = {{"a.cu:1:2: error: x", 7}};
  Result.Command = {"clang++", "a.cu"};
  return Result;
}

/// All functions of \p Unit, decoded and encoded again; empty if that fails.
std::vector<std::string> reencoded(const UnitSummary &Unit) {
  std::vector<std::string> Result;
  for (const SummaryEntry &E : Unit.Functions) {
    std::vector<FunctionKey> Keys;
    std::vector<Site> Sites = decodeSites(E.Bytes);
    FunctionInfo Info;
    std::unique_ptr<FlowGraph> Graph;
    bool Good = decodeFunction(
        E.Bytes, Info, Graph,
        [&](FunctionKey K) -> FunctionId {
          Keys.push_back(K);
          return Keys.size() - 1;
        },
        [](size_t) { return 1; });
    Result.push_back(
        Good ? encodeFunction(
                   Info, Graph.get(), [&](FunctionId F) { return Keys.at(F); },
                   [&](Span S, bool) { return Sites.at(S.Begin - 1); })
             : std::string());
  }
  return Result;
}

/// Each damaged form of \p Bytes: one bit flipped, or truncated. All of them
/// for small data, and a sample for large data.
template <typename Fn> void eachDamage(const std::string &Bytes, Fn Try) {
  size_t Step = 1 + Bytes.size() / 4000;
  for (size_t I = 0; I < Bytes.size(); I += Step) {
    for (unsigned Bit : {0, 6, 7}) {
      std::string Flipped = Bytes;
      Flipped[I] ^= 1 << Bit;
      Try(Flipped);
    }
    // A copy of this length, so that additional reads are out of bounds.
    Try(std::string(Bytes.data(), I));
  }
}

TEST(Archive, KeepsNumbersAndTexts) {
  uint64_t Big = ~uint64_t(0);
  int64_t Least = std::numeric_limits<int64_t>::min();
  int Minus = -1;
  unsigned NoId = None, Id = 5;
  std::string Text("a\0b\xff", 4), Same = Text, Empty;
  bool Yes = true, No = false;
  std::optional<int> Maybe = -7, Not;
  std::vector<unsigned> List = {3, 0, 300};
  auto All = [&](auto &Ar) {
    Ar.num(Big);
    Ar.num(Least);
    Ar.num(Minus);
    Ar.id(NoId);
    Ar.id(Id);
    Ar.text(Text);
    Ar.text(Same);
    Ar.text(Empty);
    Ar.flags(Yes, No);
    Ar.maybe(Maybe, [&](int &N) { Ar.num(N); });
    Ar.maybe(Not, [&](int &N) { Ar.num(N); });
    Ar.list(List, [&](unsigned &N) { Ar.num(N); });
  };
  ArchiveWriter Writer;
  All(Writer);
  std::string Bytes = Writer.take();
  Big = Least = Minus = 9;
  NoId = Id = 9;
  Text = Same = Empty = "?";
  Yes = false, No = true;
  Maybe.reset();
  List = {1};
  ArchiveReader Reader(Bytes);
  All(Reader);
  EXPECT_FALSE(Reader.failed());
  EXPECT_EQ(Big, ~uint64_t(0));
  EXPECT_EQ(Least, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Minus, -1);
  EXPECT_EQ(NoId, None);
  EXPECT_EQ(Id, 5U);
  EXPECT_EQ(Text, std::string("a\0b\xff", 4));
  EXPECT_EQ(Same, Text);
  EXPECT_EQ(Empty, "");
  EXPECT_TRUE(Yes && !No);
  EXPECT_EQ(Maybe, -7);
  EXPECT_FALSE(Not);
  EXPECT_EQ(List, (std::vector<unsigned>{3, 0, 300}));
  Reader.raw();
  EXPECT_TRUE(Reader.failed()) << "nothing follows";
}

TEST(Archive, RefusesWhatCannotBe) {
  // A count, a length, and the index of a text, each of which is too large.
  EXPECT_TRUE(ArchiveReader("\x05").failed());
  EXPECT_TRUE(ArchiveReader(llvm::StringRef("\x01\x7fx", 3)).failed());
  ArchiveReader NoText(llvm::StringRef("\x00\x01", 2));
  std::string Text;
  NoText.text(Text);
  EXPECT_TRUE(NoText.failed());
  EXPECT_TRUE(ArchiveReader(std::string(20, '\x80') + '\0').failed());
  ArchiveReader Endless(llvm::StringRef("\x00\xff\xff\xff\xff\xff\x7f", 7));
  std::vector<std::string> Huge;
  Endless.list(Huge, [&](std::string &S) { Endless.text(S); });
  EXPECT_TRUE(Endless.failed());
  EXPECT_TRUE(Huge.empty());
}

TEST(Archive, TakesNumbersOfTenBytesAtMost) {
  std::string Largest(9, '\xff');
  Largest += "\x01rest";
  llvm::StringRef Bytes = Largest;
  EXPECT_EQ(takeNumber(Bytes), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Bytes, "rest");
  // Zeros after a number have no effect, but are never written.
  std::string Padded(10, '\x80');
  Padded += std::string(1, '\0') + "rest";
  for (llvm::StringRef Bad :
       {llvm::StringRef(Padded), llvm::StringRef(), llvm::StringRef("\x80")}) {
    llvm::StringRef Left = Bad;
    EXPECT_EQ(takeNumber(Left), std::nullopt);
    EXPECT_EQ(Left, Bad);
  }
}

TEST(Summary, IsReadAsItWasWritten) {
  UnitSummary Unit = sample();
  std::string Bytes = encodeSummary(Unit);
  llvm::Expected<UnitSummary> Read = decodeSummary(Bytes);
  ASSERT_TRUE(!!Read) << llvm::toString(Read.takeError());
  EXPECT_TRUE(encodeSummary(*Read) == Bytes);
  EXPECT_EQ(Read->Directory, "/dir");
  EXPECT_EQ(Read->Failure, "because");
  EXPECT_EQ(Read->Errors, 7U);
  EXPECT_EQ(Read->FirstErrors, Unit.FirstErrors);
  ASSERT_EQ(Read->ErrorKinds.size(), 1u);
  EXPECT_EQ(Read->ErrorKinds[0].First, "a.cu:1:2: error: x");
  EXPECT_EQ(Read->ErrorKinds[0].Count, 7u);
  EXPECT_EQ(Read->Command, Unit.Command);
  EXPECT_EQ(Read->Order, Unit.Order);
  EXPECT_EQ(Read->Overrides, Unit.Overrides);
  ASSERT_EQ(Read->Nolint.size(), 1U);
  EXPECT_EQ(Read->Nolint[0].Lines, Unit.Nolint.at(0).Lines);
  ASSERT_EQ(Read->Functions.size(), Unit.Functions.size());
  for (size_t I = 0; I < Unit.Functions.size(); ++I) {
    EXPECT_EQ(Read->Functions[I].Key, Unit.Functions[I].Key);
    EXPECT_EQ(Read->Functions[I].Bytes, Unit.Functions[I].Bytes);
    EXPECT_EQ(Read->Functions[I].Collected, Unit.Functions[I].Collected);
    EXPECT_EQ(Read->Functions[I].HasGraph, Unit.Functions[I].HasGraph);
  }
  EXPECT_TRUE(encodeSummary(sample()) == Bytes) << "the same in every run";
}

TEST(Summary, KeepsFunctionsInFull) {
  UnitSummary Unit = sample();
  std::vector<std::string> Again = reencoded(Unit);
  unsigned Bodies = 0;
  for (size_t I = 0; I < Again.size(); ++I) {
    EXPECT_TRUE(Again[I] == Unit.Functions[I].Bytes) << "function " << I;
    Bodies += Unit.Functions[I].HasGraph;
  }
  EXPECT_GE(Bodies, 5U);
}

TEST(Summary, NoticesEveryDamage) {
  std::string Bytes = encodeSummary(sample());
  eachDamage(Bytes, [](std::string Damaged) {
    llvm::Expected<UnitSummary> Read = decodeSummary(std::move(Damaged));
    EXPECT_FALSE(!!Read);
    llvm::consumeError(Read.takeError());
  });
}

TEST(Summary, SaysWhatIsWrong) {
  auto Why = [](std::string Bytes) {
    return llvm::toString(decodeSummary(std::move(Bytes)).takeError());
  };
  std::string Bytes = encodeSummary(sample());
  EXPECT_EQ(Why(""), "is not a summary");
  EXPECT_EQ(Why("int main() {}\n"), "is not a summary");
  EXPECT_EQ(Why(Bytes + "x"), "is damaged: its checksum is wrong");
  size_t End = Bytes.find('\n');
  Bytes[End - 1] = Bytes[End - 1] == '0' ? '1' : '0';
  EXPECT_EQ(Why(Bytes), "was written by another version of cudagraph-tidy");
}

TEST(Summary, FunctionsSurviveDamage) {
  // No checksum detects this damage: the contents may be meaningless, but are
  // read.
  UnitSummary Unit = sample();
  std::vector<std::string> Whole;
  for (const SummaryEntry &E : Unit.Functions)
    Whole.push_back(E.Bytes.str());
  for (const std::string &Bytes : Whole)
    eachDamage(Bytes, [](const std::string &Damaged) {
      FunctionInfo Info;
      std::unique_ptr<FlowGraph> Graph;
      (void)decodeFunction(
          Damaged, Info, Graph, [](FunctionKey) -> FunctionId { return 0; },
          [](size_t) { return 1; });
      (void)decodeSites(Damaged);
      (void)mentionedKeys(Damaged);
    });
}

TEST(RootResults, AreReadAsTheyWereWritten) {
  RootResult Result;
  Result.BudgetExceeded = true;
  Result.Steps = 7;
  Result.Work = 1'000'000'007;
  Result.Visited = {1, ~uint64_t(0)};
  Region &R = Result.Regions.emplace_back();
  R.Id = 1;
  R.Name = "region";
  R.Mode = catalogue::Mode::Relaxed;
  R.Begin.File = "a.cu";
  R.Begin.Line = 3;
  R.Ends.push_back(R.Begin);
  Finding &F = Result.Findings.emplace_back();
  F.Check = "cudagraph-sync-call";
  F.Message = "message";
  F.Loc = R.Begin;
  F.Loc.Written.push_back({"b.h", 1, 2});
  F.Regions = {1};
  F.Outcome.Code = 900;
  F.Outcome.ByMode = {900, 0, 901};
  F.Outcome.Alternatives.push_back({"when", OutcomeKind::Escapes, 0});
  F.Chain.push_back({R.Begin, "f", "calls"});
  F.Fixes.push_back({R.Begin, "text"});
  Result.OpaqueCalls.push_back({R.Begin, "callee", "function"});
  std::string Bytes = encodeResult(Result);
  std::optional<RootResult> Read = decodeResult(Bytes);
  ASSERT_TRUE(Read);
  EXPECT_EQ(encodeResult(*Read), Bytes);
  ASSERT_EQ(Read->Findings.size(), 1U);
  EXPECT_EQ(Read->Findings[0].Outcome.Code, 900);
  EXPECT_EQ(Read->Findings[0].Chain.at(0).Message, "calls");
  EXPECT_EQ(Read->Visited, Result.Visited);
  EXPECT_TRUE(Read->BudgetExceeded);
  EXPECT_EQ(Read->Steps, Result.Steps);
  EXPECT_EQ(Read->Work, Result.Work);
  eachDamage(Bytes,
             [](const std::string &Damaged) { (void)decodeResult(Damaged); });
}

} // namespace
