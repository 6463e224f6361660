// A program whose lines are watched. Like the injected library, it reads the
// list from `confirm`, and prints which lines ran between two steps.

#include "LineWatch.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace cudagraph::probe;

static volatile int Rate;

__attribute__((noinline)) static void setRate(int To) {
  Rate = To; // SET
}
__attribute__((noinline)) static void neverCalled(int To) {
  Rate = To + 1; // NEVER
}

/// Reads only the needed parts of the list, which is JSON on one line.
static std::vector<LineWatch::Line> read(const char *Path) {
  std::vector<LineWatch::Line> Lines;
  static char Text[1 << 16], Module[4096];
  FILE *File = std::fopen(Path, "r");
  Text[File ? std::fread(Text, 1, sizeof Text - 1, File) : 0] = 0;
  std::string All = Text;
  for (size_t At = 0; (At = All.find("\"file\"", At)) != All.npos;) {
    size_t End = All.find("\"file\"", At + 1);
    std::string One = All.substr(At, End == All.npos ? End : End - At);
    LineWatch::Line L;
    std::sscanf(One.c_str() + One.find("\"line\""), "\"line\":%u", &L.Number);
    unsigned long Offset = 0;
    for (size_t P = One.find("\"places\""); (P = One.find("[\"", P)) != One.npos;
         ++P)
      if (std::sscanf(One.c_str() + P, "[\"%4095[^\"]\",%lu]", Module, &Offset) == 2)
        L.Places.push_back({Module, Offset});
    Lines.push_back(L);
    At = End == All.npos ? All.size() : End;
  }
  return Lines;
}

static void tell(const std::vector<LineWatch::Line> &Lines, const char *When) {
  std::printf("%s:", When);
  for (const LineWatch::Run &R : LineWatch::take())
    std::printf(" %u%s", Lines[R.Line].Number,
                R.Thread == getpid() ? "" : " on another thread");
  std::puts("");
}

int main(int Count, char **) {
  std::vector<LineWatch::Line> Lines =
      read(std::getenv("CUDAGRAPH_PROBE_LINES"));
  LineWatch::start(Lines);
  for (const LineWatch::Line &L : Lines)
    std::printf("line %u: %s\n", L.Number,
                L.Problem.empty() ? "watched" : L.Problem.c_str());
  std::fflush(stdout);
  if (Count > 1000)
    neverCalled(Count);
  setRate(0);
  tell(Lines, "before the first capture");
  LineWatch::arm();
  tell(Lines, "before");
  setRate(1);
  setRate(2);
  tell(Lines, "after two calls");
  tell(Lines, "after none");
  setRate(3);
  tell(Lines, "after one call");
  std::printf("rate %d\n", Rate);
  std::fflush(stdout);
  // A child does not stop at lines, and its parent is not disturbed.
  if (!fork()) {
    LineWatch::stop();
    setRate(4);
    neverCalled(4);
    _exit(Rate);
  }
  int Status = 0;
  wait(&Status);
  std::printf("child %d\n", WEXITSTATUS(Status));
  setRate(6);
  tell(Lines, "after the child");
  // The program's own handler must not receive signals of the probe.
  setRate(7);
  std::signal(SIGTRAP, [](int) { _exit(3); });
  tell(Lines, "after another handler");
  setRate(8);
  tell(Lines, "then");
  bool Lost = LineWatch::isLost();
  std::printf("lost %d, again %d\n", Lost, LineWatch::isLost());
}
