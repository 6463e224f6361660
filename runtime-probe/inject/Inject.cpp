//===- Inject.cpp - The library that CUDA loads into a program ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the driver is initialized, it loads the library that
// CUDA_INJECTION64_PATH names and calls InitializeInjection (CUPTI's
// documentation, section "Injection"). After any error here, the program runs
// unchanged.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"
#include "Watch.h"
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <pthread.h>
#include <unistd.h>

namespace cudagraph::probe {

namespace {

/// Variables that affect captures; section "Environment" of docs/probe.md.
const char *const Variables[] = {
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "NCCL_GRAPH_REGISTER",
    "NCCL_ASYNC_ERROR_HANDLING",
    "TORCH_NCCL_ASYNC_ERROR_HANDLING",
    "NCCL_GRAPH_MIXING_SUPPORT",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "TORCH_NCCL_BLOCKING_WAIT",
    "NCCL_LAUNCH_MODE",
    // The rank of the process, from the variables of launchers.
    "RANK",
    "WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "SLURM_PROCID",
    "SLURM_NTASKS",
};

const char *variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

Json arguments() {
  std::ifstream In("/proc/self/cmdline", std::ios::binary);
  Json Result = Json::array();
  for (std::string Each; std::getline(In, Each, '\0');)
    Result.push_back(Each);
  return Result;
}

/// The list that cudagraph-probe has written: for each line, `file`, `line`,
/// `problem` if it has no code, and `places`, a list of [file, offset].
std::vector<LineWatch::Line> linesIn(const char *File) {
  std::vector<LineWatch::Line> Result;
  std::ifstream In(File, std::ios::binary);
  Json List = Json::parse(In, nullptr, /*allow_exceptions=*/false);
  if (!List.is_array())
    return Result;
  for (const Json &J : List) {
    LineWatch::Line L;
    L.File = J.value("file", "");
    L.Number = J.value("line", 0u);
    L.Problem = J.value("problem", "");
    for (const Json &P : J.value("places", Json::array()))
      L.Places.push_back({P[0].get<std::string>(), P[1].get<uint64_t>()});
    Result.push_back(std::move(L));
  }
  return Result;
}

std::string linkTarget(const char *Link) {
  char Text[4096];
  ssize_t Length = readlink(Link, Text, sizeof Text);
  return std::string(Text, Length > 0 ? Length : 0);
}

} // namespace

Watch &Watch::get() {
  static Watch &Only = *new Watch;
  return Only;
}

void Watch::describeProcess() {
  Json Event{{"e", nameOf(Line::Process)},
             {"version", 1},
             {"pid", getpid()},
             {"ppid", getppid()},
             {"exe", linkTarget("/proc/self/exe")},
             {"args", arguments()},
             {"cwd", linkTarget("/proc/self/cwd")},
             {"time", std::time(nullptr)}};
  int Version = 0;
  if (const Driver *D = Driver::get();
      D && D->cuDriverGetVersion && D->cuDriverGetVersion(&Version) == 0)
    Event["driver"] = Version;
  uint32_t Cupti = 0;
  if (Tools.GetVersion && Tools.GetVersion(&Cupti) == CUPTI_SUCCESS)
    Event["cupti"] = Cupti;
  Json Env = Json::object();
  for (const char *Name : Variables)
    if (const char *Value = std::getenv(Name))
      Env[Name] = Value;
  Event["env"] = std::move(Env);
  if (CapturesOnly)
    Event["captures_only"] = true;
  if (CaptureLimit)
    Event["captures"] = CaptureLimit;
  File.write(std::move(Event));
}

/// Makes the queries that need a context.
void Watch::describeMachine() {
  Json Event{{"e", nameOf(Line::Machine)}};
  const Driver *D = Driver::get();
  CUdevice Device = 0;
  char Name[256] = "";
  if (D && D->cuCtxGetDevice && D->cuDeviceGetName &&
      D->cuCtxGetDevice(&Device) == CUDA_SUCCESS &&
      D->cuDeviceGetName(Name, sizeof Name, Device) == CUDA_SUCCESS)
    Event["gpu"] = Name;
  int Nccl = 0;
  if (auto *Version = reinterpret_cast<int (*)(int *)>(
          dlsym(RTLD_DEFAULT, "ncclGetVersion"));
      Version && !Version(&Nccl))
    Event["nccl"] = Nccl;
  File.write(std::move(Event));
}

void Watch::finish() {
  // In a child of fork, threads that do not exist may hold the locks, and the
  // driver cannot be used.
  if (!File.isOpen())
    return;
  ranLines();
  const Driver *D = Driver::get();
  int Count = 0;
  CUresult Got = CUDA_SUCCESS;
  if (!Begun && D && D->cuDeviceGetCount)
    Got = D->cuDeviceGetCount(&Count);
  if (Got == CUDA_ERROR_NO_DEVICE || Got == CUDA_ERROR_NOT_INITIALIZED)
    File.write({{"e", nameOf(Line::Problem)},
                {"what", "no-gpu"},
                {"text", "CUDA found no usable GPU"}});
  File.finish();
}

bool Watch::start() {
  std::string Directory = variable("CUDAGRAPH_PROBE_TRACE");
  if (Directory.empty())
    return false;
  unsigned Limit = std::strtoul(variable("CUDAGRAPH_PROBE_LIMIT"), nullptr, 10);
  if (!File.open(Directory, Limit ? Limit : 10'000))
    return false;
  Halt = *variable("CUDAGRAPH_PROBE_HALT") == '1';
  constexpr unsigned UsualReplays = 512;
  std::string Most = variable("CUDAGRAPH_PROBE_REPLAYS");
  ReplayLimit = Most.empty()    ? UsualReplays
                : Most == "all" ? EveryReplay
                                : std::strtoul(Most.c_str(), nullptr, 10);
  CapturesOnly = *variable("CUDAGRAPH_PROBE_CAPTURES_ONLY") == '1';
  if (CapturesOnly)
    ReplayLimit = 0;
  CaptureLimit =
      std::strtoul(variable("CUDAGRAPH_PROBE_CAPTURES"), nullptr, 10);
  std::string Names = variable("CUDAGRAPH_PROBE_WATCH");
  for (size_t At = 0; At < Names.size();) {
    size_t End = std::min(Names.find(',', At), Names.size());
    if (End > At)
      Watched.insert(Names.substr(At, End - At));
    At = End + 1;
  }
  auto Fail = [&](const char *What, const std::string &Text) {
    File.write({{"e", nameOf(Line::Problem)}, {"what", What}, {"text", Text}});
    File.finish();
    return false;
  };
  std::string Why;
  bool Found = Tools.load(variable("CUDAGRAPH_PROBE_CUPTI"), Why);
  describeProcess();
  if (!Found)
    return Fail("cupti-missing",
                "libcupti cannot be loaded, so the program runs unobserved; "
                "use --cuda-path to name a toolkit that contains it (" +
                    Why + ")");
  CUptiResult Got = Tools.Subscribe(&Subscriber, callback, nullptr);
  if (Got != CUPTI_SUCCESS) {
    const char *Text = nullptr;
    Tools.GetResultString(Got, &Text);
    bool Taken = Got == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ||
                 Got == CUPTI_ERROR_MAX_LIMIT_REACHED;
    std::string Said = Text ? Text : "cuptiSubscribe failed";
    if (Taken)
      return Fail(
          "cupti-taken",
          "another tool, such as a profiler, has subscribed to CUPTI, which "
          "allows only one subscriber: the program runs unobserved (" +
              Said + ")");
    return Fail("cupti-failed",
                "CUPTI cannot be used, so the program runs unobserved (" +
                    Said + ")");
  }
  auto InChild = [] {
    LineWatch::stop();
    get().File.abandon();
  };
  pthread_atfork(nullptr, nullptr, InChild);
  std::atexit([] { get().finish(); });
  listen(Listening::ToFew);
  std::vector<LineWatch::Line> Lines =
      linesIn(variable("CUDAGRAPH_PROBE_LINES"));
  LineWatch::start(Lines);
  for (const LineWatch::Line &L : Lines) {
    Json Event{
        {"e", nameOf(Line::Source)}, {"file", L.File}, {"line", L.Number}};
    if (!L.Problem.empty())
      Event["problem"] = L.Problem;
    File.write(std::move(Event));
  }
  return true;
}

} // namespace cudagraph::probe

/// Called by the driver. Always returns 1, which means success.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  (void)cudagraph::probe::Watch::get().start();
  return 1;
}
