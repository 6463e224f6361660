//===- Trace.cpp - Reads the output of the injected library ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include "format/JsonFields.h"
#include "format/Lines.h"
#include "support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::probe {
namespace {

TraceFrame readFrame(const Json &J) {
  TraceFrame F;
  if (J.is_array() && J.size() >= 2) {
    F.Module = static_cast<int64_t>(asNumber(J[0]));
    F.Offset = asNumber(J[1]);
  }
  return F;
}

Dim3 readDim(const Json &Node, const char *Name) {
  Dim3 D = {1, 1, 1};
  const Json::array_t &List = listOf(Node, Name);
  for (size_t I = 0; I < std::min<size_t>(3, List.size()); ++I)
    D[I] = asNumber(List[I]);
  return D;
}

TraceNode readNode(const Json &J) {
  TraceNode N;
  N.Type = textOf(J, "type");
  N.Name = textOf(J, "name");
  N.Grid = readDim(J, "grid");
  N.Block = readDim(J, "block");
  N.Shared = numberOf(J, "shared");
  for (const Json &Arg : listOf(J, "args"))
    N.Args.push_back(asText(Arg));
  N.Source = textOf(J, "src");
  N.Destination = textOf(J, "dst");
  N.CopyKind = textOf(J, "kind");
  N.Value = textOf(J, "value");
  N.Bytes = numberOf(J, "bytes");
  N.Function = readFrame(field(J, "function"));
  N.Data = textOf(J, "data");
  N.Event = textOf(J, "event");
  for (const Json &Address : listOf(J, "addresses"))
    N.Addresses.push_back(asNumber(Address));
  if (const Json &Stack = field(J, "stack"); !Stack.is_null())
    N.Stack = static_cast<int64_t>(asNumber(Stack));
  N.Stream = textOf(J, "stream");
  N.Depth = countOf(J, "depth");
  if (const Json &After = field(J, "after"); After.is_array()) {
    N.After.emplace();
    for (const Json &Index : listOf(J, "after"))
      N.After->push_back(asCount(Index));
  }
  return N;
}

TraceStack readStack(const Json &J) {
  TraceStack S;
  for (const Json &Frame : listOf(J, "frames"))
    S.Frames.push_back(readFrame(Frame));
  for (const Json &Frame : listOf(J, "python")) {
    std::string File = textOf(Frame, "file");
    // The companion's functions are between those of PyTorch and the user.
    if (File.find("/cudagraph_companion/") == std::string::npos)
      S.Python.push_back({std::move(File),
                          static_cast<unsigned>(numberOf(Frame, "line")),
                          textOf(Frame, "function")});
  }
  return S;
}

/// [base, bytes, kind], with as many elements as there are.
std::vector<TraceRange> readRanges(const Json &J, const char *Name) {
  std::vector<TraceRange> Result;
  for (const Json &Each : listOf(J, Name))
    if (Each.is_array() && Each.size() >= 2)
      Result.push_back({asNumber(Each[0]), asNumber(Each[1]),
                        Each.size() > 2 ? asText(Each[2]) : ""});
  return Result;
}

/// Events that concern graphs that can be launched.
void readReplay(TraceEvent &E, const Json &J) {
  E.Exec = numberOf(J, "exec");
  for (const Json &Id : listOf(J, "execs"))
    E.Execs.push_back(asNumber(Id));
  if (const Json &Node = field(J, "node"); Node.is_number_integer())
    E.Node = asCount(Node);
  E.Pool = readRanges(J, "pool");
  E.Memory = readRanges(J, "memory");
  E.Pageable = readRanges(J, "pageable");
  E.Reading = readRanges(J, "reads");
  E.Writing = readRanges(J, "writes");
  for (const Json &Word : listOf(J, "words"))
    if (Word.is_array() && Word.size() >= 2)
      E.Words.push_back({asCount(Word[0]), asNumber(Word[1])});
  eachOf(J, "host", [&](const Json &H) {
    E.Host.push_back({numberOf(H, "address"), numberOf(H, "bytes"),
                      isTrue(H, "reads"), isTrue(H, "pinned"),
                      textOf(H, "state")});
  });
  E.IsUpdate = isTrue(J, "update");
  E.Busy = isTrue(J, "busy");
  if (const Json &Heap = field(J, "heap"); Heap.is_boolean())
    E.Heap = Heap.get<bool>();
  E.Waits = isTrue(J, "waits");
  E.How = textOf(J, "how");
  E.OfEvent = textOf(J, "event");
  E.SourceLine = numberOf(J, "line");
}

TraceEvent readEvent(EventKind Kind, const Json &J) {
  TraceEvent E;
  E.Kind = Kind;
  E.Api = textOf(J, "api");
  E.Domain = textOf(J, "domain");
  E.Stream = textOf(J, "stream");
  E.StreamKind = textOf(J, "kind");
  E.Mode = textOf(J, "mode");
  E.Code = intOf(J, "code");
  E.Tid = numberOf(J, "tid");
  E.Time = numberOf(J, "t");
  if (const Json &Stack = field(J, "stack"); !Stack.is_null())
    E.Stack = static_cast<int64_t>(asNumber(Stack));
  E.Capture = numberOf(J, Kind == EventKind::Call ? "in" : "capture");
  for (const Json &Active : listOf(J, "captures")) {
    if (Active.is_object())
      E.Captures.push_back(
          {numberOf(Active, "id"), textOf(Active, "after") == "invalidated"});
    else
      E.Captures.push_back({asNumber(Active), false});
  }
  E.Work = textOf(J, Kind == EventKind::First ? "what" : "work");
  E.Name = textOf(J, "name");
  E.Direction = textOf(J, "direction");
  E.Storage = textOf(J, "storage");
  E.Address = textOf(J, "address");
  E.Dead = textsOf(J, "dead");
  E.Bytes = numberOf(J, "bytes");
  E.HasGraph = field(J, "graph").is_array();
  for (const Json &Node : listOf(J, "graph"))
    E.Nodes.push_back(readNode(Node));
  E.NodesLeftOut = numberOf(J, "nodes_left_out");
  readReplay(E, J);
  return E;
}

class Reader {
public:
  Reader(StringRef File, Trace &Result) : File(File), Result(Result) {}

  void read(StringRef Text) {
    for (unsigned Number = 1; !Text.empty(); ++Number) {
      auto [Line, Rest] = Text.split('\n');
      // The end of the process may have truncated the last line.
      bool Whole = Line.size() < Text.size();
      Text = Rest;
      Json J = parseJson(Line);
      if (J.is_object())
        line(J, Number - 1);
      else if (Whole && !Line.trim().empty())
        problem((File + ":" + Twine(Number) + ": not a line of a trace").str());
    }
  }

private:
  StringRef File;
  Trace &Result;
  bool Started = false;
  /// The position of a line's event, for `repeat`.
  std::map<uint64_t, std::pair<size_t, size_t>> Lines;

  void problem(std::string Text) { Result.Problems.push_back(std::move(Text)); }

  ProcessTrace &current() {
    if (!Started) {
      Started = true;
      Result.Processes.emplace_back();
      uint64_t Pid = 0;
      if (!sys::path::stem(File).getAsInteger(10, Pid))
        Result.Processes.back().Pid = Pid;
    }
    return Result.Processes.back();
  }

  void process(const Json &J) {
    // Begins another image of the process, unless this one has no name yet.
    if (Started && !current().Exe.empty())
      Started = false;
    ProcessTrace &P = current();
    if (uint64_t Pid = numberOf(J, "pid"))
      P.Pid = Pid;
    P.Exe = textOf(J, "exe");
    for (const Json &Arg : listOf(J, "args"))
      P.Args.push_back(asText(Arg));
    P.Driver = intOf(J, "driver");
    P.CapturesOnly = isTrue(J, "captures_only");
    P.CaptureLimit = countOf(J, "captures");
    machine(J);
    if (const Json &Env = field(J, "env"); Env.is_object())
      for (const auto &Variable : Env.items())
        P.Env[Variable.key()] = asText(Variable.value());
    if (int Version = intOf(J, "version"); Version > 1)
      problem((File + ": version " + Twine(Version) +
               " of the trace is newer than this program")
                  .str());
  }

  /// At the start of the process, or once there is a context.
  void machine(const Json &J) {
    if (std::string Gpu = textOf(J, "gpu"); !Gpu.empty())
      current().Gpu = Gpu;
    if (int Nccl = intOf(J, "nccl"))
      current().Nccl = Nccl;
  }

  void repeat(const Json &J) {
    auto It = Lines.find(numberOf(J, "of"));
    if (It == Lines.end())
      return;
    auto [Process, Event] = It->second;
    Result.Processes[Process].Events[Event].Times +=
        static_cast<unsigned>(numberOf(J, "times"));
  }

  void event(EventKind Kind, const Json &J, uint64_t Index) {
    ProcessTrace &P = current();
    Lines[Index] = {Result.Processes.size() - 1, P.Events.size()};
    P.Events.push_back(readEvent(Kind, J));
  }

  void line(const Json &J, uint64_t Index) {
    std::optional<Line> Is = lineOf(textOf(J, "e"));
    if (Is == Line::Process)
      return process(J);
    if (Is == Line::Machine)
      return machine(J);
    ProcessTrace &P = current();
    if (!Is)
      return;
    switch (*Is) {
    case Line::Process:
    case Line::Machine:
      break;
    case Line::Problem:
    case Line::Limit: {
      P.Limited |= *Is == Line::Limit;
      std::string Text = textOf(J, "text");
      problem("process " + std::to_string(P.Pid) + ": " +
              (Text.empty() ? textOf(J, "what") : Text));
      break;
    }
    case Line::Module:
      P.Modules[static_cast<int64_t>(numberOf(J, "id"))] = {
          textOf(J, "path"), textOf(J, "build_id")};
      break;
    case Line::Stack:
      P.Stacks[static_cast<int64_t>(numberOf(J, "id"))] = readStack(J);
      break;
    case Line::Thread:
      P.Threads[numberOf(J, "tid")] = textOf(J, "name");
      break;
    case Line::Source:
      if (!J.contains("line")) { // this event applies to all lines
        for (SourceLine &L : P.Lines)
          if (L.Problem.empty())
            L.Problem = textOf(J, "problem");
        break;
      }
      P.Lines.push_back(
          {textOf(J, "file"), countOf(J, "line"), textOf(J, "problem"), 0, {}});
      break;
    case Line::Repeat:
      repeat(J);
      break;
    case Line::Exit:
      P.Complete = true;
      break;
#define LINE(ID, NAME)
#define EVENT(ID, NAME, ANALYZE)                                               \
  case Line::ID:                                                               \
    event(EventKind::ID, J, Index);                                            \
    break;
#include "format/Lines.def"
    }
  }
};

} // namespace

void readProcess(StringRef File, StringRef Text, Trace &Result) {
  Reader(File, Result).read(Text);
}

/// Reads the companion's records. If a process has executed several programs,
/// the records belong to the last one.
static void readPython(StringRef TracePath, uint64_t Pid, Trace &Result) {
  SmallString<128> Path(TracePath);
  sys::path::replace_extension(Path, ".python.jsonl");
  if (!sys::fs::exists(Path) || Result.Processes.empty() ||
      Result.Processes.back().Pid != Pid)
    return;
  std::string Text;
  if (support::InputError E =
          support::readInput(Path.str().str(), support::Bound::Trace, Text)) {
    Result.Problems.push_back((Path + ": " + E.message()).str());
    return;
  }
  CompanionTrace &Into = Result.Processes.back().Companion;
  readCompanion(Path, Text, Into);
  for (const std::string &Problem : Into.Problems)
    Result.Problems.push_back("process " + std::to_string(Pid) +
                              ": the Python companion: " + Problem);
}

namespace {

struct TraceFile {
  std::string Folder;
  uint64_t Pid = 0;
  std::string Path;
  auto operator<=>(const TraceFile &) const = default;
};

} // namespace

/// The traces in \p Directory and in its folders \p Below: traces of
/// several machines, whose process IDs may be the same.
static std::error_code collect(StringRef Directory, bool Below,
                               std::vector<TraceFile> &Files) {
  std::error_code EC;
  for (sys::fs::directory_iterator It(Directory, EC), End; !EC && It != End;
       It.increment(EC)) {
    StringRef Path = It->path();
    uint64_t Pid = 0;
    if (Below && sys::fs::is_directory(Path))
      (void)collect(Path, /*Below=*/false, Files); // may belong to any process
    else if (sys::path::extension(Path) == ".jsonl" &&
             !sys::path::stem(Path).getAsInteger(10, Pid))
      Files.push_back({Directory.str(), Pid, Path.str()});
  }
  return EC;
}

Expected<Trace> readTrace(StringRef Directory) {
  std::vector<TraceFile> Files;
  if (std::error_code EC = collect(Directory, /*Below=*/true, Files))
    return createStringError(EC, "'" + Directory + "': " + EC.message());
  std::sort(Files.begin(), Files.end());
  Trace Result;
  for (const TraceFile &File : Files) {
    std::string Text;
    if (support::InputError E =
            support::readInput(File.Path, support::Bound::Trace, Text)) {
      Result.Problems.push_back(File.Path + ": " + E.message());
      continue;
    }
    readProcess(File.Path, Text, Result);
    readPython(File.Path, File.Pid, Result);
  }
  return Result;
}

} // namespace cudagraph::probe
