// A program that ends communicators. It needs no NCCL, because it does what the
// injected library does.

#include "NcclWatch.h"
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace cudagraph::probe;

extern "C" int ncclCommDestroy(void *);
extern "C" int ncclCommAbort(void *);

/// A communicator of the size in NCCL 2.30; its kernels receive Device.
struct Communicator {
  char Before[1184344];
  uint64_t Device;
};

static void report(const char *Api, const std::vector<uint64_t> &Words) {
  std::printf("%s ends", Api);
  for (uint64_t Word : Words)
    std::printf(" %llx", static_cast<unsigned long long>(Word));
  std::puts("");
}

/// Creates a communicator at the end of the mapped memory.
static Communicator *make(uint64_t Device) {
  auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t Bytes = (sizeof(Communicator) / Page + 1) * Page;
  char *Memory = static_cast<char *>(mmap(nullptr, Bytes + Page, PROT_NONE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(Memory, Bytes, PROT_READ | PROT_WRITE);
  auto *Made = reinterpret_cast<Communicator *>(Memory + Bytes -
                                                sizeof(Communicator));
  Made->Device = Device;
  return Made;
}

int main() {
  for (const char *Name :
       {"_Z29ncclDevKernel_AllGather_RING24ncclDevKernelArgsStorage",
        "ncclKernel_AllReduce", "_Z5scalePf", ""})
    std::printf("'%s': %d\n", Name, NcclWatch::isKernel(Name));
  Communicator *First = make(0x7f1200000000), *Second = make(0x7f1300000000),
               *Third = make(0x7f1400000000);
  if (!NcclWatch::watch({0x7f1200000000, 0x7f1300000000}, report))
    std::puts("not watched");
  ncclCommDestroy(Third);
  ncclCommDestroy(First);
  ncclCommDestroy(First);
  ncclCommAbort(Second);
  ncclCommDestroy(nullptr);
}
