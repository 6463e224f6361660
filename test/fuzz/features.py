# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The parts of generated programs: the text that precedes each program, and statements
of unusual shape, in which $n is a new name, $s a stream, $i an integer, and $b a
condition."""

PRELUDE = r"""
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) throw e; } while (0)
#ifndef INT_MIN
#define INT_MIN (-2147483647 - 1)
#endif
namespace std {
template <class R, class...> struct coroutine_traits { using promise_type = typename R::promise_type; };
template <class P = void> struct coroutine_handle {
  static coroutine_handle from_address(void *) noexcept { return {}; }
  static coroutine_handle from_promise(P &) { return {}; }
  void *address() const noexcept { return nullptr; }
};
template <> struct coroutine_handle<void> {
  template <class P> coroutine_handle(coroutine_handle<P>) {}
  static coroutine_handle from_address(void *) noexcept;
  void *address() const noexcept;
};
struct suspend_always {
  bool await_ready() noexcept { return false; }
  template <class H> void await_suspend(H) noexcept {}
  void await_resume() noexcept {}
};
}
namespace {
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct Box {
  cudaStream_t stream; cudaEvent_t event; cudaGraph_t graph; cudaGraphExec_t exec;
  float *data; int count; bool flag : 1; unsigned bits : 3;
  union { int a; float b; };
  cudaStream_t get() const { return stream; }
  Box *next = nullptr;
  Box &operator+=(int n) { count += n; return *this; }
  explicit operator bool() const { return flag; }
};
struct Pair { cudaStream_t first; int second; };
struct Base { cudaStream_t stream; virtual void run(cudaStream_t s) { cudaStreamSynchronize(s); } virtual ~Base() {} };
struct Middle : virtual Base { void run(cudaStream_t s) override { Base::run(s); } };
struct Derived : Middle { int extra; void run(cudaStream_t s) override { cudaMalloc((void **)&extra, 4); Middle::run(s); }
  ~Derived() { cudaStreamSynchronize(stream); } };
struct Guard { cudaStream_t s; Guard(cudaStream_t s) : s(s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }
  ~Guard() noexcept(false) { cudaGraph_t g; if (cudaStreamEndCapture(s, &g)) throw 1; } };
template <typename T> T identity(T x) { return x; }
template <typename F, typename... A> auto apply_all(F f, A... a) { return (f(a), ...); }
template <int N> int depth(cudaStream_t s) { if constexpr (N > 0) return depth<N - 1>(s); else return cudaStreamSynchronize(s); }
__global__ void kernel0(float *, int) {}
__global__ void kernel1(float *p, int n) { if (n > 0) p[0] = n; }
void callback(void *data) { delete (float *)data; cudaDeviceSynchronize(); }
cudaStream_t g_stream, g_array[3], *g_pointer = &g_array[1];
cudaEvent_t g_event; cudaGraph_t g_graph; cudaGraphExec_t g_exec; cudaError_t g_error;
float *g_ptr, g_buffer[16]; int g_int, g_table[8]; bool g_flag;
std::vector<cudaStream_t> g_streams; std::vector<float> g_vector; std::map<int, cudaStream_t> g_map;
std::function<void(cudaStream_t)> g_function; std::unique_ptr<float> g_unique;
Pair g_pair; Box box; Base *g_holder = new Derived;
cudaStreamCaptureStatus status; cudaStreamCaptureMode mode; void *args[2];
cudaStream_t factory() { static cudaStream_t s = [] { cudaStream_t x; cudaStreamCreate(&x); return x; }(); return s; }
cudaStream_t made0() { return factory(); }
cudaStream_t made1() { cudaStream_t s; cudaStreamCreate(&s); return s; } cudaStream_t made2() { return made1(); }
cudaStream_t made3() { return made2(); } cudaStream_t made4() { return made3(); } cudaStream_t made5() { return made4(); }
cudaStream_t made6() { return made5(); } cudaStream_t made7() { return made6(); } cudaStream_t made8() { return made7(); }
void (*g_functions[])(void *) = {callback, nullptr};
}
"""

SHAPES = [
    # Values that are computed from themselves.
    "{ int $n = $i; $n = $n + $n; $n = $n * $n; $n = $n + $n; $n = $n - $n / 3; $n = $n ^ ($n >> 1); g_int = $n; }",
    "{ int $n = $i; for (int i = 0; i < 9; ++i) { $n = $n + $n; $n *= 31; } kernel0<<<$n, 1, 0, $s>>>(g_ptr, $n); }",
    "{ bool $n = $b, m = $b; $n = $n && m; m = $n || m; $n = $n && m; m = $n || !m; $n = $n == m; if ($n) g_int = 1; }",
    "{ int $n = $i; " + "$n = $n + $n; " * 40 + "kernel0<<<$n, 1, 0, $s>>>(g_ptr, $n); }",
    "{ bool $n = $b, m = $b; " + "$n = $n && m; m = $n || m; " * 30 + "if ($n) cudaStreamSynchronize($s); }",
    "{ int $n = $i" + " + $i" * 60 + "; g_int = $n; }",
    "{ Box $n; Box *w = &$n; w->next = w; w->next->next->next->stream = $s; w = w->next; cudaStreamSynchronize(w->stream); }",
    "{ Box *$n = &box; while ($n) { cudaStreamBeginCapture($n->stream, mode); $n = $n->next; } }",
    "{ Box $n[2] = {box, box}; Box copy = $n[$i & 1]; $n[0] = copy; std::swap($n[0], $n[1]); cudaStreamSynchronize($n[0].get()); }",
    # Control flow.
    "switch ($i) { do { case 1: cudaStreamBeginCapture($s, mode); case 2: kernel0<<<1, 1, 0, $s>>>(g_ptr, 1); } while ($b); case 7 ... 9: ; }",
    "{ void *$n[] = {&&$nA, &&$nB}; goto *$n[$i & 1]; $nA: cudaStreamBeginCapture($s, mode); $nB: cudaStreamEndCapture($s, &g_graph); }",
    "if ($b ? cudaStreamBeginCapture($s, mode) : cudaStreamEndCapture($s, &g_graph)) return {};",
    "for (; cudaStreamBeginCapture($s, mode) == cudaSuccess; cudaStreamEndCapture($s, &g_graph)) if ($b) continue; else break;",
    "while (cudaStreamBeginCapture($s, mode) || $b) { if ($b) break; cudaStreamEndCapture($s, &g_graph); }",
    "do { if ($b) continue; cudaStreamBeginCapture($s, mode); } while (cudaStreamEndCapture($s, &g_graph) && $b);",
    "(void)($b && cudaStreamBeginCapture($s, mode) == 0 && (cudaDeviceSynchronize(), $b) && cudaStreamEndCapture($s, &g_graph) == 0);",
    "{ Guard $n($s); try { Guard inner($s); if ($b) throw 2; } catch (int) { cudaMalloc((void **)&g_ptr, 4); } }",
    "try { try { throw box; } catch (Box &$n) { throw; } } catch (...) { cudaStreamEndCapture($s, &g_graph); }",
    "{ int $n = 0; $nagain: if ($n++ < 3) goto $nagain; }",
    "[] { struct L { static int $n(int d) { return d ? $n(d - 1) : (int)cudaDeviceSynchronize(); } }; L::$n(5); }();",
    # Functions.
    "{ struct L { Task $n(cudaStream_t s) { cudaStreamBeginCapture(s, mode); co_await std::suspend_always{}; co_yield 1; cudaStreamEndCapture(s, &g_graph); } }; L().$n($s); }",
    "{ auto $n = [](auto self, cudaStream_t s, int d) -> void { if (d) self(self, s, d - 1); else cudaStreamSynchronize(s); }; $n($n, $s, $i); }",
    "{ std::function<void(int)> $n; $n = [&](int d) { if (d) $n(d - 1); cudaStreamBeginCapture($s, mode); }; $n(3); }",
    "{ void (Base::*$n)(cudaStream_t) = &Base::run; (g_holder->*$n)($s); }",
    "{ cudaStream_t Box::*$n = &Box::stream; box.*$n = $s; cudaStreamSynchronize((&box)->*$n); }",
    "g_functions[$i & 1](g_ptr);",
    "depth<20>($s);",
    "apply_all([](cudaStream_t s) { return cudaStreamSynchronize(s); }, $s, g_stream, factory());",
    "{ cudaError_t (*$n)(cudaStream_t) = $b ? cudaStreamSynchronize : cudaStreamQuery; $n($s); }",
    "{ auto $n = std::make_unique<Derived>(); $n->stream = $s; $n->run($s); Base *b = $n.release(); delete b; }",
    "{ auto $n = std::make_shared<Box>(); std::function<void()> f = [$n] { cudaStreamEndCapture($n->stream, &$n->graph); }; f(); }",
    # Objects.
    "{ alignas(Box) char $n[sizeof(Box)]; Box *b = new ($n) Box(box); b->stream = $s; b->~Box(); }",
    "{ union { cudaStream_t s; void *p; long n; } $n; $n.p = g_ptr; cudaStreamSynchronize($n.s); }",
    "{ cudaStream_t $n[2][2] = {{$s, nullptr}, {g_stream}}; for (auto &row : $n) for (auto s : row) cudaStreamCreate(&s); cudaStreamSynchronize($n[$i & 1][$i & 1]); }",
    "{ std::vector<std::vector<cudaStream_t>> $n(2); $n[0].push_back($s); for (auto &v : $n) for (auto s : v) { cudaStreamBeginCapture(s, mode); cudaStreamEndCapture(s, &g_graph); } }",
    "{ std::map<int, cudaStream_t> $n; $n[$i] = $s; for (auto &[key, value] : $n) cudaStreamSynchronize(value); }",
    "{ static Box $n = [] { Box b{}; cudaStreamCreate(&b.stream); return b; }(); cudaStreamBeginCapture($n.stream, mode); }",
    "{ const Box &$n = Box{$s}; cudaStreamSynchronize($n.stream); }",
    "{ cudaStream_t &$n = $b ? g_stream : box.stream; cudaStreamCreate(&$n); }",
    "{ int $n = $i; int *w = &$n; int **z = &w; **z = 5; cudaMemcpyAsync(g_ptr, *z, 4, cudaMemcpyHostToDevice, $s); }",
    "{ float $n[64]; cudaMemcpyAsync($n, g_ptr, sizeof $n, cudaMemcpyDeviceToHost, $s); if ($n[0] > 0) kernel1<<<1, (int)$n[1], 0, $s>>>($n, 1); }",
    "(box += $i) += 2;",
    "{ auto $n = new Box[3]; $n[1].stream = $s; cudaStreamDestroy($n[1].stream); delete[] $n; delete $n; }",
    "{ cudaStream_t $n = made8(); cudaStreamBeginCapture($n, mode); cudaStreamSynchronize($n); cudaStreamEndCapture($n, &g_graph); }",
    "{ cudaStream_t *$n = g_pointer + 9223372036854775807; $n[9223372036854775807] = $s; cudaStreamSynchronize($n[9223372036854775807]); }",
    "{ __int128 $n = 1; $n <<= 100; g_int = (int)($n >> 90); } ",
    "{ long long $n = -9223372036854775807LL - 1; g_int = $n / (g_int ? -1 : 1); g_int = (int)(-$n); }",
    "{ float $n = 1e30f; double d = 0.1; long double l = 3.5L; g_int = (int)($n + d + l); }",
]

# A separate header instead of CUDA's: the catalogue contains these functions by
# name, and here they have different parameters.
PLAIN = r"""
typedef struct CUstream_st *cudaStream_t; typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t; typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaError_t { cudaSuccess }; enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal };
enum cudaMemcpyKind { cudaMemcpyDeviceToHost = 2 };
"""

NAMES = ["cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaStreamCreateWithFlags",
         "cudaStreamCreate", "cudaMemcpyAsync", "cudaMemcpy", "cudaMalloc", "cudaFree",
         "cudaLaunchKernel", "cudaLaunchHostFunc", "cudaEventRecord", "cudaStreamWaitEvent",
         "cudaGraphInstantiate", "cudaGraphLaunch", "cudaStreamIsCapturing",
         "cudaThreadExchangeStreamCaptureMode", "cublasCreate_v2", "cublasSetStream_v2",
         "cublasSgemm_v2", "curandCreateGenerator", "ncclAllReduce", "cudaStreamAddCallback",
         "cudaMallocAsync", "cudaHostAlloc", "cuLaunchKernel", "cudaUserObjectCreate",
         "cudaGraphRetainUserObject", "cudaStreamGetCaptureInfo_v2", "cudaMemsetAsync",
         "pthread_create", "malloc", "free", "printf", "rand", "clock_gettime", "fopen"]

PARAMETERS = ["cudaStream_t", "cudaStream_t *", "cudaGraph_t *", "cudaGraphExec_t", "int",
              "void *", "void **", "cudaStreamCaptureMode", "cudaMemcpyKind", "cudaEvent_t",
              "const float *", "void (*)(void *)", "..."]
