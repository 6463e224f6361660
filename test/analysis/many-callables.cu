// More than ManyOfType callables of one type, each of which calls others of
// that type. Each is still analyzed for the call in the capture.

// REQUIRES: gxx
// RUN: %check %s cudagraph-sync-call --real-std

#include <functional>

__global__ void work(float *x);

struct Scene {
  cudaStream_t stream;
  float *x;
};
using Action = std::function<int(Scene &)>;

Action chain(Action first, Action then) {
  return [=](Scene &s) {
    int error = first(s);
    return error ? error : then(s);
  };
}
void add(const Action &);

void add0() {
  add(chain([](Scene &s) { work<<<1, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 0 : 1; }));
}
void add1() {
  add(chain([](Scene &s) { work<<<2, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 1 : 1; }));
}
void add2() {
  add(chain([](Scene &s) { work<<<3, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 2 : 1; }));
}
void add3() {
  add(chain([](Scene &s) { work<<<4, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 3 : 1; }));
}
void add4() {
  add(chain([](Scene &s) { work<<<5, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 4 : 1; }));
}
void add5() {
  add(chain([](Scene &s) { work<<<6, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 5 : 1; }));
}
void add6() {
  add(chain([](Scene &s) { work<<<7, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 6 : 1; }));
}
void add7() {
  add(chain([](Scene &s) { work<<<8, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 7 : 1; }));
}
void add8() {
  add(chain([](Scene &s) { work<<<9, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 8 : 1; }));
}
void add9() {
  add(chain([](Scene &s) { work<<<10, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 9 : 1; }));
}
void add10() {
  add(chain([](Scene &s) { work<<<11, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 10 : 1; }));
}
void add11() {
  add(chain([](Scene &s) { work<<<12, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 11 : 1; }));
}
void add12() {
  add(chain([](Scene &s) { work<<<13, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 12 : 1; }));
}
void add13() {
  add(chain([](Scene &s) { work<<<14, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 13 : 1; }));
}
void add14() {
  add(chain([](Scene &s) { work<<<15, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 14 : 1; }));
}
void add15() {
  add(chain([](Scene &s) { work<<<16, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 15 : 1; }));
}
void add16() {
  add(chain([](Scene &s) { work<<<17, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 16 : 1; }));
}
void add17() {
  add(chain([](Scene &s) { work<<<18, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 17 : 1; }));
}
void add18() {
  add(chain([](Scene &s) { work<<<19, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 18 : 1; }));
}
void add19() {
  add(chain([](Scene &s) { work<<<20, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 19 : 1; }));
}
void add20() {
  add(chain([](Scene &s) { work<<<21, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 20 : 1; }));
}
void add21() {
  add(chain([](Scene &s) { work<<<22, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 21 : 1; }));
}
void add22() {
  add(chain([](Scene &s) { work<<<23, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 22 : 1; }));
}
void add23() {
  add(chain([](Scene &s) { work<<<24, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 23 : 1; }));
}
void add24() {
  add(chain([](Scene &s) { work<<<25, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 24 : 1; }));
}
void add25() {
  add(chain([](Scene &s) { work<<<26, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 25 : 1; }));
}
void add26() {
  add(chain([](Scene &s) { work<<<27, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 26 : 1; }));
}
void add27() {
  add(chain([](Scene &s) { work<<<28, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 27 : 1; }));
}
void add28() {
  add(chain([](Scene &s) { work<<<29, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 28 : 1; }));
}
void add29() {
  add(chain([](Scene &s) { work<<<30, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 29 : 1; }));
}
void add30() {
  add(chain([](Scene &s) { work<<<31, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 30 : 1; }));
}
void add31() {
  add(chain([](Scene &s) { work<<<32, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 31 : 1; }));
}
void add32() {
  add(chain([](Scene &s) { work<<<33, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 32 : 1; }));
}
void add33() {
  add(chain([](Scene &s) { work<<<34, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 33 : 1; }));
}
void add34() {
  add(chain([](Scene &s) { work<<<35, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 34 : 1; }));
}
void add35() {
  add(chain([](Scene &s) { work<<<36, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 35 : 1; }));
}
void add36() {
  add(chain([](Scene &s) { work<<<37, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 36 : 1; }));
}
void add37() {
  add(chain([](Scene &s) { work<<<38, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 37 : 1; }));
}
void add38() {
  add(chain([](Scene &s) { work<<<39, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 38 : 1; }));
}
void add39() {
  add(chain([](Scene &s) { work<<<40, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 39 : 1; }));
}
void add40() {
  add(chain([](Scene &s) { work<<<41, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 40 : 1; }));
}
void add41() {
  add(chain([](Scene &s) { work<<<42, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 41 : 1; }));
}
void add42() {
  add(chain([](Scene &s) { work<<<43, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 42 : 1; }));
}
void add43() {
  add(chain([](Scene &s) { work<<<44, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 43 : 1; }));
}
void add44() {
  add(chain([](Scene &s) { work<<<45, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 44 : 1; }));
}
void add45() {
  add(chain([](Scene &s) { work<<<46, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 45 : 1; }));
}
void add46() {
  add(chain([](Scene &s) { work<<<47, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 46 : 1; }));
}
void add47() {
  add(chain([](Scene &s) { work<<<48, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 47 : 1; }));
}
void add48() {
  add(chain([](Scene &s) { work<<<49, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 48 : 1; }));
}
void add49() {
  add(chain([](Scene &s) { work<<<50, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 49 : 1; }));
}
void add50() {
  add(chain([](Scene &s) { work<<<51, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 50 : 1; }));
}
void add51() {
  add(chain([](Scene &s) { work<<<52, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 51 : 1; }));
}
void add52() {
  add(chain([](Scene &s) { work<<<53, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 52 : 1; }));
}
void add53() {
  add(chain([](Scene &s) { work<<<54, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 53 : 1; }));
}
void add54() {
  add(chain([](Scene &s) { work<<<55, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 54 : 1; }));
}
void add55() {
  add(chain([](Scene &s) { work<<<56, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 55 : 1; }));
}
void add56() {
  add(chain([](Scene &s) { work<<<57, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 56 : 1; }));
}
void add57() {
  add(chain([](Scene &s) { work<<<58, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 57 : 1; }));
}
void add58() {
  add(chain([](Scene &s) { work<<<59, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 58 : 1; }));
}
void add59() {
  add(chain([](Scene &s) { work<<<60, 1, 0, s.stream>>>(s.x); return 0; },
            [](Scene &s) { return s.x ? 59 : 1; }));
}

void addWait() {
  add([](Scene &s) {
    return int(cudaStreamSynchronize(s.stream));
    // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'cudaStreamSynchronize' waits for stream 's.stream', which {{.*}} [cudagraph-sync-call]
  });
}

int capture(Scene &s, const Action &action, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal);
  action(s);
  return cudaStreamEndCapture(s.stream, graph);
}
