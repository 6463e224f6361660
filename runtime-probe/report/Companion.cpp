//===- Companion.cpp - The records of the Python companion ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Companion.h"
#include "format/JsonFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

PythonFrame frameOf(const Json &J) {
  return {textOf(J, "file"), countOf(J, "line"), textOf(J, "function")};
}

std::vector<PythonFrame> framesOf(const Json &J) {
  std::vector<PythonFrame> Result;
  eachOf(J, "python",
         [&](const Json &Frame) { Result.push_back(frameOf(Frame)); });
  return Result;
}

std::vector<Collectives> collectivesOf(const Json &J, const char *List,
                                       const char *Name) {
  std::vector<Collectives> Result;
  eachOf(J, List, [&](const Json &Each) {
    Collectives C{numberOf(Each, "block"),
                  textOf(Each, Name),
                  {},
                  numberOf(Each, "collectives")};
    for (const Json &Rank : listOf(Each, "ranks"))
      C.Ranks.push_back(asCount(Rank)); // 0 is one of them
    Result.push_back(std::move(C));
  });
  return Result;
}

uint64_t addressOf(const Json &J) {
  uint64_t Address = 0;
  StringRef(textOf(J, "address")).getAsInteger(0, Address);
  return Address;
}

std::vector<PythonMemory> memoryOf(const Json &J) {
  std::vector<PythonMemory> Result;
  auto Frames = [](const Json &Each, const char *List) {
    std::vector<PythonFrame> Found;
    eachOf(Each, List,
           [&](const Json &Frame) { Found.push_back(frameOf(Frame)); });
    return Found;
  };
  eachOf(J, "blocks", [&](const Json &Each) {
    PythonMemory M{addressOf(Each), numberOf(Each, "bytes"),
                   isTrue(Each, "pinned"), Frames(Each, "made"), std::nullopt};
    if (field(Each, "taken").is_array())
      M.Taken = Frames(Each, "taken");
    Result.push_back(std::move(M));
  });
  return Result;
}

PythonError errorOf(const Json &J) {
  PythonError E{textOf(J, "type"), textOf(J, "message"), framesOf(J), {}};
  eachOf(J, "made", [&](const Json &Each) {
    E.Made.push_back({textOf(Each, "what"), textOf(Each, "name"),
                      textOf(Each, "stream"), framesOf(Each)});
  });
  return E;
}

PythonRun runOf(const Json &J) {
  PythonRun Run;
  Run.Function = textOf(J, "function");
  Run.At = {textOf(J, "file"), countOf(J, "line"), Run.Function};
  if (field(J, "before").is_number_integer())
    Run.Before = countOf(J, "before");
  Run.Streams = textsOf(J, "streams");
  Run.Parallel = isTrue(J, "ddp");
  return Run;
}

/// False if information for a finding is missing.
bool isWhole(const PythonNote &N) {
  if (N.Python.empty() || N.Python.front().File.empty())
    return false;
  switch (N.Is) {
  case PythonNote::Autocast:
    return true;
  case PythonNote::Rebound:
    return !N.Name.empty();
  case PythonNote::Gone:
    return !N.Memory.empty();
  case PythonNote::Collected:
    return !N.Name.empty() && N.Count && N.Replays;
  case PythonNote::Hook:
  case PythonNote::Thrown:
    return !N.Detail.empty();
  case PythonNote::Destroy:
    return any_of(N.Held, [](const Collectives &C) { return C.Count != 0; });
  }
  return false;
}

class Reader {
public:
  explicit Reader(CompanionTrace &Result) : Result(Result) {}

  void record(const Json &J) {
    std::string Is = textOf(J, "e");
    if (Is == "python")
      return process(J);
    if (Is == "block")
      return begin(J);
    if (Is == "block-end")
      return end(J);
    if (Is == "companion-problem")
      return Result.Problems.push_back(textOf(J, "text"));
    if (PythonBlock *B = block(J); B && Is == "replays")
      B->Replays = numberOf(J, "count");
    note(Is, J);
  }

private:
  CompanionTrace &Result;

  PythonBlock *block(const Json &J) {
    uint64_t Id = numberOf(J, field(J, "id").is_null() ? "block" : "id");
    for (PythonBlock &B : Result.Blocks)
      if (B.Id == Id)
        return &B;
    return nullptr;
  }

  void process(const Json &J) {
    Result.Python = textOf(J, "python");
    Result.Torch = textOf(J, "torch");
    if (field(J, "rank").is_number_integer())
      Result.Rank = countOf(J, "rank");
    Result.World = countOf(J, "world");
  }

  void begin(const Json &J) {
    PythonBlock B;
    B.Id = numberOf(J, "id");
    B.Tid = numberOf(J, "tid");
    B.Begin = numberOf(J, "t");
    B.Kind = textOf(J, "kind");
    B.Name = textOf(J, "name");
    B.Stream = textOf(J, "stream");
    B.Python = framesOf(J);
    Result.Blocks.push_back(std::move(B));
  }

  void end(const Json &J) {
    PythonBlock *B = block(J);
    if (!B)
      return;
    B->End = numberOf(J, "t");
    if (const Json &Error = field(J, "error"); Error.is_object())
      B->Error = errorOf(Error);
    eachOf(J, "runs", [&](const Json &Run) { B->Runs.push_back(runOf(Run)); });
    B->Groups = collectivesOf(J, "groups", "name");
  }

  void note(StringRef Is, const Json &J) {
    auto Kind = StringSwitch<std::optional<PythonNote::Kind>>(Is)
                    .Case("autocast-cache", PythonNote::Autocast)
                    .Case("rebound", PythonNote::Rebound)
                    .Case("gone", PythonNote::Gone)
                    .Case("collected", PythonNote::Collected)
                    .Case("hook", PythonNote::Hook)
                    .Case("destroy", PythonNote::Destroy)
                    .Case("thrown", PythonNote::Thrown)
                    .Default(std::nullopt);
    if (!Kind)
      return;
    PythonNote N;
    N.Is = *Kind;
    N.Block = numberOf(J, "block");
    N.Tid = numberOf(J, "tid");
    N.Python = framesOf(J);
    N.Freed = isTrue(J, "freed");
    N.Store = countOf(J, "store");
    N.Replays = numberOf(J, "replays");
    N.Since = numberOf(J, "since");
    N.Count = numberOf(J, "count");
    N.Held = collectivesOf(J, "held", "group");
    N.Address = addressOf(J);
    N.Memory = memoryOf(J);
    N.Name = textOf(J, "name");
    N.Type = textOf(J, "type");
    if (N.Is == PythonNote::Hook) {
      N.Name = textOf(J, "module");
      N.Type = textOf(J, "kind");
      N.Detail = textOf(J, "function");
      N.Python = {frameOf(J)};
    } else if (N.Is == PythonNote::Thrown) {
      N.Name = textOf(J, "what");
      N.Detail = textOf(J, "message");
    } else if (N.Is == PythonNote::Destroy) {
      N.Detail = textOf(J, "how");
    }
    if (isWhole(N))
      Result.Notes.push_back(std::move(N));
  }
};

} // namespace

void readCompanion(StringRef File, StringRef Text, CompanionTrace &Result) {
  Reader R(Result);
  for (unsigned Number = 1; !Text.empty(); ++Number) {
    auto [Line, Rest] = Text.split('\n');
    // The end of the process may have truncated the last line.
    bool Whole = Line.size() < Text.size();
    Text = Rest;
    Json J = parseJson(Line);
    if (J.is_object())
      R.record(J);
    else if (Whole && !Line.trim().empty())
      Result.Problems.push_back(
          (File + ":" + Twine(Number) + ": not a line of a trace").str());
  }
}

std::string placeOf(const PythonFrame &F) {
  std::string Place = (sys::path::filename(F.File) + ":" + Twine(F.Line)).str();
  if (F.Function.empty() || F.Function == "<module>")
    return Place;
  return "'" + F.Function + "' (" + Place + ")";
}

} // namespace cudagraph::probe
