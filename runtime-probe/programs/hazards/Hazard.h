//===- Hazard.h - The common part of the hazard programs --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program shows one hazard in several variants: code whose result in a
// replayed graph differs from its result without a graph. Each variant has a
// fixed form, NAME-cured; NAME-legal resembles the hazard but was measured not
// to be one. Without arguments, all variants run; otherwise, only those named.
// Each runs in a separate process, because some crash, and prints a line of
// JSON:
//
// check, variant
//   eager, replay   the results of the code without a graph, and with it
//   differs         whether they differ: only for hazards
//   status          the error that CUDA returned, or how the process ended
//   note            observations
//
// The program exits with 0 if all hazards differ and no other variant does.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_HAZARD_H
#define CUDAGRAPH_HAZARD_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/// For cudaError_t, cublasStatus_t, curandStatus_t: 0 is success.
#define MUST(CALL)                                                             \
  do {                                                                         \
    if (int Code = static_cast<int>(CALL)) {                                   \
      std::fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #CALL,       \
                   Code);                                                      \
      std::exit(99);                                                           \
    }                                                                          \
  } while (false)

/// For functions that need a separate frame.
#define OWN_FRAME __attribute__((noinline))

struct Outcome {
  std::string Eager, Replay, Note, Status = "success";
};

inline std::string text(double Value) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.7g", Value);
  return Text;
}
inline std::string text(const std::vector<float> &Values) {
  std::string Text;
  for (float V : Values)
    Text += (Text.empty() ? "" : " ") + text(V);
  return Text;
}
inline std::string text(cudaError_t Code) {
  if (!Code)
    return "success";
  return cudaGetErrorName(Code) + (" (" + std::to_string(Code) + ")");
}

/// The work that Body enqueues on the stream, as an executable graph.
struct Graph {
  cudaStream_t Stream;
  cudaGraph_t Captured = nullptr;
  cudaGraphExec_t Exec = nullptr;

  template <typename Function>
  Graph(cudaStream_t S, Function Body,
        cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal)
      : Stream(S) {
    MUST(cudaStreamBeginCapture(S, Mode));
    Body();
    End = cudaStreamEndCapture(S, &Captured);
    cudaGetLastError(); // the variant checks End
    if (!End)
      MUST(cudaGraphInstantiate(&Exec, Captured, 0));
  }
  Graph(const Graph &) = delete;
  ~Graph() {
    cudaGraphExecDestroy(Exec);
    cudaGraphDestroy(Captured);
  }
  /// The result of the end of the capture.
  cudaError_t End;

  cudaError_t tryReplay() {
    MUST(cudaGraphLaunch(Exec, Stream));
    return cudaStreamSynchronize(Stream);
  }
  void replay() {
    MUST(End);
    MUST(tryReplay());
  }
};

/// The graph that receives the work of a capturing stream.
inline cudaGraph_t capturedInto(cudaStream_t S) {
  cudaStreamCaptureStatus Status;
  unsigned long long Id;
  cudaGraph_t Graph;
#if CUDART_VERSION >= 13000
  MUST(cudaStreamGetCaptureInfo(S, &Status, &Id, &Graph, nullptr, nullptr,
                                nullptr));
#else
  MUST(cudaStreamGetCaptureInfo_v2(S, &Status, &Id, &Graph));
#endif
  return Graph;
}

template <typename T> T *allocate(size_t N) {
  T *P;
  MUST(cudaMalloc(&P, N * sizeof(T)));
  MUST(cudaMemset(P, 0, N * sizeof(T)));
  MUST(cudaDeviceSynchronize());
  return P;
}
template <typename T> T *allocatePinned(size_t N) {
  T *P;
  MUST(cudaMallocHost(&P, N * sizeof(T)));
  return P;
}
/// Called after all work, because it waits for the device.
inline std::vector<float> read(const float *Device, size_t N) {
  std::vector<float> Host(N);
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(Host.data(), Device, N * 4, cudaMemcpyDeviceToHost));
  return Host;
}
inline float sum(const std::vector<float> &Values) {
  float Sum = 0;
  for (float V : Values)
    Sum += V;
  return Sum;
}
inline float sum(const float *Device, size_t N) { return sum(read(Device, N)); }

struct Variant {
  const char *Name;
  Outcome (*Run)(cudaStream_t);
};

namespace hazard {

/// Sent from the process of a variant to the printing process.
inline void tell(const char *Field, const std::string &Value) {
  std::printf("@%s %s\n", Field, Value.c_str());
  std::fflush(stdout);
}

inline int runHere(const Variant &V) {
  alarm(25); // SIGALRM: it hangs
  cudaStream_t S;
  MUST(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking));
  Outcome O = V.Run(S);
  tell("eager", O.Eager);
  tell("replay", O.Replay);
  tell("status", O.Status);
  tell("note", O.Note);
  // Some variants leave a context in which nothing can be destroyed.
  std::_Exit(0);
}

inline std::string json(const std::string &Value, bool MayBeNumber = true) {
  char *End;
  std::strtod(Value.c_str(), &End);
  if (MayBeNumber && !Value.empty() && !*End &&
      Value.find_first_not_of("0123456789+-.e") == std::string::npos)
    return Value;
  std::string Text = "\"";
  for (char C : Value) {
    if (C == '"' || C == '\\')
      Text += '\\';
    Text += static_cast<unsigned char>(C) < ' ' ? ' ' : C;
  }
  return Text + '"';
}

/// True if the result of the variant matches its name.
inline bool run(const char *Check, const Variant &V) {
  int Pipe[2];
  MUST(pipe(Pipe));
  pid_t Child = fork();
  MUST(Child < 0);
  if (!Child) {
    dup2(Pipe[1], 1);
    dup2(Pipe[1], 2);
    close(Pipe[0]);
    close(Pipe[1]);
    execl("/proc/self/exe", Check, "--here", V.Name, nullptr);
    std::_Exit(98);
  }
  close(Pipe[1]);
  std::string Eager, Replay, Note, Status, Said;
  FILE *From = fdopen(Pipe[0], "r");
  for (char Line[1024]; std::fgets(Line, sizeof Line, From);) {
    Line[std::strcspn(Line, "\n")] = 0;
    std::string *Fields[] = {&Eager, &Replay, &Status, &Note};
    const char *Names[] = {"@eager ", "@replay ", "@status ", "@note "};
    std::string *Field = *Line ? &Said : nullptr;
    const char *Value = Line;
    for (int I = 0; I < 4; ++I)
      if (!std::strncmp(Line, Names[I], std::strlen(Names[I]))) {
        Field = Fields[I];
        Value = Line + std::strlen(Names[I]);
      }
    if (Field)
      *Field = Value;
  }
  std::fclose(From);
  int Ended;
  MUST(waitpid(Child, &Ended, 0) != Child);
  bool Failed = WIFEXITED(Ended) && WEXITSTATUS(Ended);
  if (Failed)
    Status = "exit " + std::to_string(WEXITSTATUS(Ended));
  if (WIFSIGNALED(Ended)) {
    int Signal = WTERMSIG(Ended);
    Status = "signal " + std::to_string(Signal) + ": " + strsignal(Signal);
    Failed = Eager.empty(); // otherwise, the replay crashed: see announce
    Replay = Failed ? "" : "dies";
  }
  if (Note.empty())
    Note = Said;
  const char *Kind = std::strrchr(V.Name, '-');
  bool Same =
      Kind && (!std::strcmp(Kind, "-cured") || !std::strcmp(Kind, "-legal"));
  bool Differs = !Failed && Eager != Replay;
  std::printf("{\"check\":%s,\"variant\":%s,\"eager\":%s,\"replay\":%s,"
              "\"differs\":%s,\"status\":%s,\"note\":%s}\n",
              json(Check).c_str(), json(V.Name).c_str(), json(Eager).c_str(),
              json(Replay).c_str(), Differs ? "true" : "false",
              json(Status, false).c_str(), json(Note, false).c_str());
  std::fflush(stdout);
  return !Failed && Differs != Same;
}

} // namespace hazard

/// Called before a replay that may crash the process.
inline void announce(const std::string &Eager) { hazard::tell("eager", Eager); }

/// `main` of a program. The printing process does not call CUDA.
template <int N>
int runVariants(const char *Check, const Variant (&Variants)[N], int Count,
                char **Args) {
  if (Count == 2 && !std::strcmp(Args[1], "--toolkit"))
    return std::printf("%d\n", CUDART_VERSION), 0;
  bool Here = Count == 3 && !std::strcmp(Args[1], "--here");
  int Known = 0, Wrong = 0;
  for (const Variant &V : Variants) {
    bool Named = Count == 1;
    for (int I = 1; I < Count; ++I)
      Named |= !std::strcmp(Args[I], V.Name);
    Known += Named;
    if (Named && Here)
      return hazard::runHere(V);
    Wrong += Named && !hazard::run(Check, V);
  }
  if (Count > 1 && Known != Count - 1) {
    for (const Variant &V : Variants)
      std::fprintf(stderr, "%s\n", V.Name);
    return 2;
  }
  return Wrong != 0;
}

#endif // CUDAGRAPH_HAZARD_H
