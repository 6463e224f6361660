// Host work that runs once at capture and never on replay.

// RUN: %check %s cudagraph-host-logic
// RUN: %if gxx %{ %check %s cudagraph-host-logic --real-std %}

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

__global__ void kernel(float *x, int n);

struct Region {
  cudaStream_t s;
  cudaGraph_t graph;
};

void input_output(cudaStream_t s, FILE *log, std::ofstream &file, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  printf("step\n");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output or error stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  std::printf("step\n");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output or error stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fprintf(log, "step\n");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fprintf' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fprintf(stderr, "step\n");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fprintf' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  puts("step");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'puts' writes to the standard output or error stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fputs("step", log);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fputs' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fwrite(x, 1, 4, log);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fwrite' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fflush(log);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fflush' works on a file during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  std::cout << "step " << 3 << std::endl;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::operator<<' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  file << "step\n";
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::operator<<' writes to a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  FILE *f = fopen("weights.bin", "rb");
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'fopen' works on a file during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fread(x, 1, 4, f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fread' reads from a stream during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  fclose(f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'fclose' works on a file during the capture of 's' (global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}

void clocks(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto t0 = std::chrono::steady_clock::now();
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'std::chrono::steady_clock::now' reads a clock during the capture of 's' (global mode); replays keep the time from the capture [cudagraph-host-logic]
  auto t1 = std::chrono::high_resolution_clock::now();
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'std::chrono::system_clock::now' reads a clock during the capture of 's' (global mode); replays keep the time from the capture [cudagraph-host-logic]
  time_t t2 = time(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'time' reads a clock during the capture of 's' (global mode); replays keep the time from the capture [cudagraph-host-logic]
  clock_t t3 = clock();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'clock' reads a clock during the capture of 's' (global mode); replays keep the time from the capture [cudagraph-host-logic]
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'clock_gettime' reads a clock during the capture of 's' (global mode); replays keep the time from the capture [cudagraph-host-logic]
  cudaStreamEndCapture(s, &graph);
}

void random_numbers(cudaStream_t s, std::mt19937 &engine) {
  cudaGraph_t graph;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::random_device device;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int a = rand();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'rand' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  int b = std::rand();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'rand' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  float c = uniform(engine);
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'std::uniform_real_distribution::operator()' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  unsigned d = engine();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'std::mersenne_twister_engine::operator()' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  unsigned e = device();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'std::random_device::operator()' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  srand(42);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'srand' seeds the random number generator during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  kernel<<<1, 32, 0, s>>>(nullptr, a + b + (int)c + (int)d + (int)e);
  cudaStreamEndCapture(s, &graph);
}

void environment(cudaStream_t s, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  const char *debug = getenv("DEBUG");
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'getenv' reads the environment during the capture of 's' (global mode); replays keep the value of the environment at capture [cudagraph-host-logic]
  setenv("DEBUG", "1", 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'setenv' changes the environment during the capture of 's' (global mode); replays keep the value of the environment at capture [cudagraph-host-logic]
  if (debug)
    kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}

void locks(cudaStream_t s, std::mutex &m) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    std::lock_guard<std::mutex> lock(m);
    // CHECK-MESSAGES: :[[@LINE-1]]:33: warning: 'std::lock_guard::lock_guard' takes a lock during the capture of 's' (global mode); the lock is held at capture and does not protect replays [cudagraph-host-logic]
    kernel<<<1, 32, 0, s>>>(nullptr, 1);
  }
  m.lock();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::mutex::lock' takes a lock during the capture of 's' (global mode); the lock is held at capture and does not protect replays [cudagraph-host-logic]
  m.unlock();
  std::unique_lock<std::mutex> lock(m);
  // CHECK-MESSAGES: :[[@LINE-1]]:32: warning: 'std::unique_lock::unique_lock' takes a lock during the capture of 's' (global mode); the lock is held at capture and does not protect replays [cudagraph-host-logic]
  cudaStreamEndCapture(s, &graph);
}

void sleeps(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::this_thread::sleep_for' puts the thread to sleep during the capture of 's' (thread-local mode); the wait happens once, at capture, and not on replay [cudagraph-host-logic]
  cudaStreamEndCapture(s, &graph);
}

// Writes to objects that outlive the region.
int steps;
static float learning_rate = 1.0f;
namespace config {
extern int epoch;
}

struct Optimizer {
  int step_ = 0;
  std::vector<int> history;
  static int total;
  cudaStream_t stream;
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    ++step_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'step_' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    steps += 1;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'steps' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    learning_rate *= 0.9f;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'learning_rate' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    config::epoch = config::epoch + 1;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'epoch' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    total++;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'total' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    history.push_back(step_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    step_ = step_ + 1;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'step_' changes during the capture of 'stream' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    kernel<<<1, 32, 0, stream>>>(nullptr, 1);
    cudaStreamEndCapture(stream, &graph);
  }
};

// Static local variables count calls.
void call_counter(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  static int calls = 0;
  calls++;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'calls' changes during the capture of 's' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
  kernel<<<1, 32, 0, s>>>(nullptr, 1);
  cudaStreamEndCapture(s, &graph);
}

// The branch depends on a value that differs between calls.
void branches(cudaStream_t s, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (rand() % 2)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'rand' draws a random number during the capture of 's' (global mode); replays use the number drawn at capture [cudagraph-host-logic]
  // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: the branch depends on a value that differs from call to call during the capture of 's' (global mode); replays repeat the branch taken at capture [cudagraph-host-logic]
    kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}

// The branch depends on a value that is read back from the device.
void device_branch(cudaStream_t s, float *x, int *flag) {
  cudaGraph_t graph;
  int host = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(&host, flag, sizeof(int), cudaMemcpyDeviceToHost, s);
  if (host)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the branch depends on a value read back from the device during the capture of 's' (relaxed mode); replays repeat the branch taken at capture [cudagraph-host-logic]
    kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}
