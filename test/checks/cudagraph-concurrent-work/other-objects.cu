// Each object of a class has its own thread. The thread of one object is idle
// while that object captures; the threads of other objects may not be.

// RUN: %check %s cudagraph-concurrent-work

#include <mutex>
#include <thread>

__global__ void k();

bool next_job();

class Instance {
public:
  static int create(Instance **result);
  void build();
  ~Instance() {
    if (completion.joinable())
      completion.join();
  }

private:
  void complete();
  std::thread completion;
  cudaStream_t stream;
  cudaEvent_t done;
};

int Instance::create(Instance **result) {
  *result = new Instance;
  cudaStreamCreate(&(*result)->stream);
  (*result)->completion = std::thread(&Instance::complete, *result);
  (*result)->build();
  return 0;
}
void Instance::complete() {
  while (next_job())
    cudaEventSynchronize(done);
}
void Instance::build() {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess)
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamBeginCapture' begins a capture in global mode; each 'Instance' object has a thread that calls 'cudaEventSynchronize', and such a call for another object is refused and invalidates this capture (901)
    // CHECK-NOTES: :[[@LINE-6]]:5: note: the thread calls it here
    return;
  k<<<1, 1, 0, stream>>>();
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess)
    return;
  cudaGraphDestroy(graph);
}

// The mode does not affect other threads.
class ThreadLocal {
public:
  void start() { completion = std::thread(&ThreadLocal::complete, this); }
  void build();

private:
  void complete() {
    while (next_job())
      cudaEventSynchronize(done);
  }
  std::thread completion;
  cudaStream_t stream;
  cudaEvent_t done;
};
void ThreadLocal::build() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}

// The thread makes no unsafe call, or makes it in relaxed mode.
class Harmless {
public:
  void start() { completion = std::thread(&Harmless::complete, this); }
  void start_relaxed() { relaxed = std::thread(&Harmless::load, this); }
  void build();

private:
  void complete() {
    while (next_job())
      ;
  }
  void load() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    while (next_job())
      cudaEventSynchronize(done);
  }
  std::thread completion, relaxed;
  cudaStream_t stream;
  cudaEvent_t done;
};
void Harmless::build() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}

// The function that starts the thread waits for it.
class Waits {
public:
  void warm_up() {
    std::thread loader(&Waits::load, this);
    loader.join();
    build();
  }
  void build();

private:
  void load() { cudaEventSynchronize(done); }
  cudaStream_t stream;
  cudaEvent_t done;
};
void Waits::build() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}

// A lock prevents the threads of all objects from running during the capture.
std::mutex captures;
class Locked {
public:
  void start() { completion = std::thread(&Locked::complete, this); }
  void build();

private:
  void complete() {
    while (next_job()) {
      std::lock_guard<std::mutex> guard(captures);
      cudaEventSynchronize(done);
    }
  }
  std::thread completion;
  cudaStream_t stream;
  cudaEvent_t done;
};
void Locked::build() {
  std::lock_guard<std::mutex> guard(captures);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}

// There is no evidence of a second object: a server has one worker, which
// captures.
class Server {
public:
  void start() { worker = std::thread(&Server::serve, this); }
  void build();

private:
  void serve() {
    build();
    while (next_job())
      cudaStreamSynchronize(stream);
  }
  std::thread worker;
  cudaStream_t stream;
};
void Server::build() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}

// The only object of its class.
class Single {
public:
  static Single *get();
  void build();

private:
  void serve() {
    while (next_job())
      cudaStreamSynchronize(stream);
  }
  static Single *only;
  std::thread worker;
  cudaStream_t stream;
};
Single *Single::get() {
  if (!only) {
    only = new Single;
    only->worker = std::thread(&Single::serve, only);
  }
  return only;
}
void Single::build() {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}
