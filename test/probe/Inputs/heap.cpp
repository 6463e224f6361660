// A program whose frees are watched. It needs no GPU, because it does what the
// injected library does.

#include "HeapWatch.h"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace cudagraph::probe;

static std::string Seen;
static int Reports;

static void report(const char *Api, uint64_t, uint64_t Bytes) {
  ++Reports;
  Seen += std::string(" ") + Api + (Bytes >= 64 ? "" : " of few bytes");
}

static uint64_t at(const void *Memory) {
  return reinterpret_cast<uint64_t>(Memory);
}

static void tell(const char *What) {
  std::printf("%s:%s\n", What, Seen.c_str());
  Seen.clear();
}

static void watch(const void *Memory) {
  if (!HeapWatch::watch({{at(Memory), 8}}, report))
    std::puts("not watched");
}

struct Particle {
  double Values[8];
};

int main() {
  auto *First = static_cast<char *>(std::malloc(256));
  auto *Other = static_cast<char *>(std::malloc(256));
  watch(First + 100);
  std::free(Other);
  tell("other memory");
  std::free(First);
  tell("free");

  auto *Object = new Particle();
  watch(&Object->Values[3]);
  delete Object;
  tell("delete");

  std::vector<Particle> Elements(4);
  watch(&Elements[2]);
  Elements.pop_back();
  tell("an element that is removed");
  Elements.resize(64);
  tell("a vector that grows");
  watch(&Elements[2]);
  std::thread([&] { std::vector<Particle>().swap(Elements); }).join();
  tell("on another thread");

  void *Block = std::malloc(64);
  void *Guard = std::malloc(64); // keeps the block from growing in place
  watch(Block);
  Block = std::realloc(Block, 1 << 20);
  tell("realloc");
  watch(Block);
  Block = std::realloc(Block, 1 << 19);
  tell("realloc in place");
  std::free(Block);
  std::free(Guard);
  Seen.clear();

  size_t Size = 1 << 16;
  void *Pages = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  watch(static_cast<char *>(Pages) + 5000);
  munmap(Pages, Size);
  tell("munmap");
  void (*Indirect)(void *) = std::free;
  Block = std::malloc(64);
  watch(Block);
  Indirect(Block);
  tell("by address");
  Block = std::malloc(64);
  watch(Block);
  std::free(Block);
  Seen.clear();
  Block = std::malloc(64);
  std::free(Block);
  tell("once only");

  // Thousands of blocks: each watched block is found, and no other one.
  std::vector<void *> Watched, Others;
  for (int I = 0; I < 5000; ++I) {
    Watched.push_back(std::malloc(40 + I % 300));
    Others.push_back(std::malloc(40 + I % 300));
    watch(static_cast<char *>(Watched.back()) + 16);
  }
  for (void *Each : Others)
    std::free(Each);
  tell("others of many");
  Reports = 0;
  for (void *Each : Watched)
    std::free(Each);
  std::printf("of many: %d\n", Reports);
  Seen.clear();
  for (int I = 0; I < 5000; ++I)
    std::free(std::malloc(40 + I % 300));
  tell("after many");
}
