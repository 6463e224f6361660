//===- capture_matrix.cu - Measures CUDA's behavior in captures -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// capture_matrix [--output FILE] [--thread other] [--jobs N] [--filter TEXT]
//                [--from ROW] [--list] [--without-libraries]
//
// Makes every call of the case list in every capture mode, for every kind of
// capturing stream and every relation of the call's stream to the capture, and
// writes one JSON row for each. See README.md next to this file for the fields.
//
// The process that writes the file never uses CUDA. It re-executes itself for a
// range of rows; a child that crashes, hangs, or breaks its context loses only
// one row, and the next child continues after it.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cudagraph::conformance;

namespace {

constexpr int RowSeconds = 30; ///< limit for one row, including startup

struct Row {
  const Case *C;
  cudaStreamCaptureMode Mode;
  Kind Capturing;
  Relation Where;
  std::map<std::string, std::string> Got;
};

struct Arguments {
  std::string Output = "-", Filter, Self;
  bool OtherThread = false, Describe = false, List = false;
  bool WithoutLibraries = false;
  long From = 0; ///< an earlier run executed the rows before it
  size_t Jobs = 8;
  long First = -1, Last = -1;
};

std::vector<Row> allRows(const Cases &C, const Arguments &A) {
  std::vector<Row> Rows;
  for (const Case &Each : C.All) {
    if (Each.Call.find(A.Filter) == std::string::npos ||
        (A.WithoutLibraries && Each.OfLibrary))
      continue;
    for (Kind K : {Kind::Blocking, Kind::NonBlocking, Kind::Mixed})
      for (Relation R : Each.Relations)
        for (cudaStreamCaptureMode M :
             {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
              cudaStreamCaptureModeRelaxed}) {
          // The mixed kind matters only for the legacy stream, and not in
          // another thread.
          if (K == Kind::Mixed && A.OtherThread)
            continue;
          if (K == Kind::Mixed && R != Relation::Legacy && R != Relation::None)
            continue;
          Rows.push_back({&Each, M, K, R, {}});
        }
  }
  return Rows;
}

/// The child: executes rows [First, Last) and reports through stdout.
int playRows(const std::vector<Row> &Rows, const Arguments &A) {
  for (long I = A.First; I < A.Last; ++I) {
    const Row &R = Rows[I];
    auto Write = [&](const char *Key, const std::string &Value) {
      std::printf("%ld %s %s\n", I, Key, Value.c_str());
      std::fflush(stdout);
    };
    bool Sound = play(*R.C, R.Mode, R.Capturing, R.Where, A.OtherThread, Write);
    Write("done", Sound ? "1" : "0");
    if (!Sound)
      break;
  }
  std::fflush(stdout);
  _exit(0); // skips destructors, because the context may be broken
}

int describe() {
  int Toolkit = 0, Driver = 0;
  cudaDeviceProp P;
  cudaRuntimeGetVersion(&Toolkit);
  cudaDriverGetVersion(&Driver);
  if (cudaGetDeviceProperties(&P, 0) != cudaSuccess)
    return 1;
  std::printf("\"toolkit\":\"%d.%d\",\"driver_api\":\"%d.%d\",\"gpu\":\"%s\"",
              Toolkit / 1000, Toolkit % 1000 / 10, Driver / 1000,
              Driver % 1000 / 10, P.name);
  return 0;
}

/// Starts this program again with \p Extra arguments.
pid_t start(const Arguments &A, std::vector<std::string> Extra, int *Out) {
  Extra.insert(Extra.end(), {"--filter", A.Filter});
  if (A.OtherThread)
    Extra.insert(Extra.end(), {"--thread", "other"});
  if (A.WithoutLibraries)
    Extra.push_back("--without-libraries");
  std::vector<char *> Argv{const_cast<char *>(A.Self.c_str())};
  for (std::string &Each : Extra)
    Argv.push_back(Each.data());
  Argv.push_back(nullptr);
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC))
    return -1;
  pid_t Child = fork();
  if (Child == 0) {
    std::signal(SIGTERM, SIG_IGN); // the parent decides when to stop
    std::signal(SIGINT, SIG_IGN);
    dup2(Pipe[1], 1);
    execv("/proc/self/exe", Argv.data());
    _exit(127);
  }
  close(Pipe[1]);
  *Out = Pipe[0];
  return Child;
}

/// Reads a child's lines into \p Rows. Returns the row after the last one that
/// it executed, or on which it crashed.
long watch(pid_t Child, int Out, std::vector<Row> &Rows, long First) {
  std::string Text;
  long Next = First;
  bool Killed = false;
  for (;;) {
    pollfd P{Out, POLLIN, 0};
    if (poll(&P, 1, RowSeconds * 1000) == 0) {
      kill(Child, SIGKILL);
      Killed = true;
      break;
    }
    char Buffer[4096];
    ssize_t N = read(Out, Buffer, sizeof(Buffer));
    if (N <= 0)
      break;
    Text.append(Buffer, N);
    for (size_t End; (End = Text.find('\n')) != std::string::npos;
         Text.erase(0, End + 1)) {
      long Index;
      char Key[16], Value[512];
      // Other lines are output of libraries.
      if (std::sscanf(Text.c_str(), "%ld %15s %511s", &Index, Key, Value) !=
              3 ||
          Index < First || Index >= static_cast<long>(Rows.size()))
        continue;
      Rows[Index].Got[Key] = Value;
      if (!std::strcmp(Key, "done"))
        Next = Index + 1;
    }
  }
  close(Out);
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (Next > First && !Killed && WIFEXITED(Status))
    return Next;
  if (Killed)
    Rows[Next].Got["timeout"] = std::to_string(RowSeconds);
  else if (WIFSIGNALED(Status))
    Rows[Next].Got["signal"] = std::to_string(WTERMSIG(Status));
  return Next + 1;
}

volatile sig_atomic_t Stopped = 0;
void onStop(int) { Stopped = 1; }

/// Executes the rows from A.From on, until it is stopped. Returns the first row
/// for a later run.
long playAll(std::vector<Row> &Rows, const Arguments &A) {
  constexpr long Chunk = 96;
  std::atomic<long> Cursor{A.From};
  std::mutex Taking;
  auto Work = [&] {
    for (;;) {
      long First, Last;
      {
        std::lock_guard<std::mutex> Lock(Taking);
        First = Cursor;
        if (First >= static_cast<long>(Rows.size()) || Stopped)
          return;
        Last = First + 1;
        if (!Rows[First].C->FreshProcess)
          while (Last < static_cast<long>(Rows.size()) &&
                 Last < First + Chunk && !Rows[Last].C->FreshProcess)
            ++Last;
        Cursor = Last;
      }
      while (First < Last) {
        int Out;
        pid_t Child = start(
            A, {"--rows", std::to_string(First), std::to_string(Last)}, &Out);
        First = watch(Child, Out, Rows, First);
      }
    }
  };
  std::vector<std::thread> Workers;
  for (size_t I = 0; I < A.Jobs; ++I)
    Workers.emplace_back(Work);
  for (std::thread &Each : Workers)
    Each.join();
  return Cursor;
}

/// The value of \p Key, or null.
std::string number(const Row &R, const char *Key) {
  auto At = R.Got.find(Key);
  return At == R.Got.end() ? "null" : At->second;
}

void writeRow(std::FILE *F, const Row &R) {
  static const char *const Statuses[] = {"\"none\"", "\"active\"",
                                         "\"invalidated\""};
  auto At = R.Got.find("status");
  int Status = At == R.Got.end() ? -1 : std::atoi(At->second.c_str());
  std::fprintf(F, "{\"call\":\"%s\",", R.C->Call.c_str());
  if (!R.C->Form.empty())
    std::fprintf(F, "\"form\":\"%s\",", R.C->Form.c_str());
  std::fprintf(F,
               "\"mode\":\"%s\",\"capturing\":\"%s\",\"stream\":\"%s\","
               "\"returned\":%s,\"status_after\":%s,\"end\":%s,"
               "\"nodes_added\":%s,\"next\":%s,\"graph\":%s",
               spelling(R.Mode), spelling(R.Capturing), spelling(R.Where),
               number(R, "returned").c_str(),
               Status < 0 ? "null" : Statuses[Status], number(R, "end").c_str(),
               number(R, "nodes").c_str(), number(R, "next").c_str(),
               number(R, "graph").c_str());
  if (R.Got.count("cuda_call"))
    std::fprintf(F, ",\"cuda_call\":\"%s\"", R.Got.at("cuda_call").c_str());
  for (const char *Key : {"kinds", "cuda_code", "setup", "signal", "timeout"})
    if (R.Got.count(Key))
      std::fprintf(F, ",\"%s\":%s", Key, number(R, Key).c_str());
  std::fputs("}", F);
}

bool parse(int Argc, char **Argv, Arguments &A) {
  A.Self = Argv[0];
  for (int I = 1; I < Argc; ++I) {
    std::string Name = Argv[I];
    auto Next = [&] { return I + 1 < Argc ? Argv[++I] : ""; };
    if (Name == "--output")
      A.Output = Next();
    else if (Name == "--filter")
      A.Filter = Next();
    else if (Name == "--thread")
      A.OtherThread = !std::strcmp(Next(), "other");
    else if (Name == "--jobs")
      A.Jobs = std::atoi(Next());
    else if (Name == "--from")
      A.From = std::atol(Next());
    else if (Name == "--without-libraries")
      A.WithoutLibraries = true;
    else if (Name == "--list")
      A.List = true;
    else if (Name == "--describe")
      A.Describe = true;
    else if (Name == "--rows") {
      A.First = std::atol(Next());
      A.Last = std::atol(Next());
    } else
      return false;
  }
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc == 3 && !std::strcmp(Argv[1], "--export-ipc"))
    return exportIpc(Argv[2]);
  Arguments A;
  if (!parse(Argc, Argv, A)) {
    std::fprintf(stderr,
                 "usage: %s [--output FILE] [--thread other] "
                 "[--jobs N] [--filter TEXT] [--from ROW] [--list] "
                 "[--without-libraries]\n",
                 Argv[0]);
    return 2;
  }
  if (A.Describe)
    return describe();
  Cases C;
#define CASES(SUBJECT) add##SUBJECT##Cases(C);
#include "Cases.def"
  std::vector<Row> Rows = allRows(C, A);
  if (A.First >= 0)
    return playRows(Rows, A);
  if (A.List) {
    for (const Case &Each : C.All)
      std::printf("%s\t%s\n", Each.Call.c_str(), Each.Form.c_str());
    std::printf("%zu rows\n", Rows.size());
    return 0;
  }

  int Out;
  pid_t Child = start(A, {"--describe"}, &Out);
  char Description[512] = {};
  size_t Length = 0;
  for (ssize_t N; (N = read(Out, Description + Length,
                            sizeof(Description) - 1 - Length)) > 0;)
    Length += N;
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (Status) {
    std::fprintf(stderr, "%s: no CUDA device\n", Argv[0]);
    return 2;
  }
  // If stopped early, it writes the rows so far; --from continues from there.
  std::signal(SIGTERM, onStop);
  std::signal(SIGINT, onStop);
  long Next = playAll(Rows, A);
  Next = std::min(Next, static_cast<long>(Rows.size()));
  if (Next < static_cast<long>(Rows.size()))
    std::fprintf(stderr, "%s: stopped; continue with --from %ld\n", Argv[0],
                 Next);
  std::FILE *F = A.Output == "-" ? stdout : std::fopen(A.Output.c_str(), "w");
  if (!F) {
    std::perror(A.Output.c_str());
    return 2;
  }
  const char *Driver = std::getenv("CUDAGRAPH_DRIVER_VERSION");
  char Date[16];
  std::time_t Now = std::time(nullptr);
  std::strftime(Date, sizeof(Date), "%Y-%m-%d", std::gmtime(&Now));
  std::fprintf(F,
               "{%s,\"driver\":\"%s\",\"date\":\"%s\",\"thread\":\"%s\","
               "\"rows\":[\n",
               Description, Driver ? Driver : "unknown", Date,
               A.OtherThread ? "other" : "capturing");
  for (long I = A.From; I < Next; ++I) {
    writeRow(F, Rows[I]);
    std::fputs(I + 1 < Next ? ",\n" : "\n", F);
  }
  std::fputs("]}\n", F);
  return std::fclose(F) != 0;
}
