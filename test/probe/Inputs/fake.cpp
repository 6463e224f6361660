// A program that writes its own trace, with the addresses of its own code:
// `fake WAY [NUMBER]` breaks a capture and ends as WAY specifies.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static FILE *Trace;

static unsigned long offset(void *Address) {
  Dl_info Info;
  dladdr(Address, &Info);
  return static_cast<char *>(Address) - static_cast<char *>(Info.dli_fbase);
}

static void open() {
  std::string Path = std::string(std::getenv("CUDAGRAPH_PROBE_TRACE")) + "/" +
                     std::to_string(getpid()) + ".jsonl";
  Trace = std::fopen(Path.c_str(), "a");
  std::setvbuf(Trace, nullptr, _IOLBF, 4096);
  char Exe[4096] = "";
  (void)!readlink("/proc/self/exe", Exe, sizeof(Exe) - 1);
  std::fprintf(Trace,
               "{\"e\":\"process\",\"version\":1,\"pid\":%d,\"exe\":\"%s\"}\n"
               "{\"e\":\"module\",\"id\":0,\"path\":\"%s\"}\n"
               "{\"e\":\"begin\",\"capture\":1,\"stream\":\"0x5\",\"tid\":1}\n",
               getpid(), Exe, Exe);
}

__attribute__((noinline)) static void fakeMalloc(void *Outer) {
  std::fprintf(Trace,
               "{\"e\":\"stack\",\"id\":1,\"frames\":[[0,%lu],[0,%lu]]}\n"
               "{\"e\":\"call\",\"api\":\"cudaMalloc\",\"code\":900,\"tid\":1,"
               "\"stack\":1,\"captures\":[{\"id\":1,\"after\":"
               "\"invalidated\"}]}\n",
               offset(__builtin_return_address(0)), offset(Outer));
}

static inline __attribute__((always_inline)) void grow(void *Outer) {
  fakeMalloc(Outer); // grow's call
  asm volatile("");
}

__attribute__((noinline)) static void step() {
  grow(__builtin_return_address(0)); // step's call
  asm volatile("");
}

__attribute__((noinline)) static void work() {
  open();
  step(); // work's call
  asm volatile("");
}

int main(int Count, char **Args) {
  std::string Way = Count > 1 ? Args[1] : "";
  int Number = Count > 2 ? std::atoi(Args[2]) : 0;
  if (Way == "nothing")
    return Number;
  if (Way == "environment")
    return std::system("env | grep -E 'CUDA_INJECTION64|CUDAGRAPH_PROBE|PYTHONPATH'");
  work();
  std::puts("output of the program");
  if (Way == "exit")
    return Number;
  if (Way == "_exit")
    _exit(Number);
  if (Way == "raise")
    std::raise(Number);
  if (Way == "fork") {
    if (fork() == 0) {
      work();
      _exit(0);
    }
    wait(nullptr);
  }
  if (Way == "wait") {
    std::fflush(stdout);
    pause();
  }
  return 0;
}
