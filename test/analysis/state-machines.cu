// One call to a function begins the capture; a later call ends it.

// RUN: %check %s

__global__ void k(float *x);
struct Steps {
  int next;
  cudaStream_t s;
  cudaGraph_t g;
  float *x;
  bool resume() {
    switch (next) {
    case 0:
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      next = 1;
      return true;
    case 1:
      k<<<1, 1, 0, s>>>(x);
      next = 2;
      return true;
    case 2:
      cudaMalloc(&x, 4);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc'
      next = 3;
      return true;
    case 3:
      cudaStreamEndCapture(s, &g);
      next = 4;
      return true;
    default:
      return false;
    }
  }
};
void drive(Steps &steps) {
  while (steps.resume()) {
  }
  cudaStreamSynchronize(steps.s);
}

// The step is a member that every call sets, and each step has its own work.
// The work of the other steps is not part of the capture, nor is the counting.
enum class Phase { Boot, Open, Add, Close, Run, Fault };
__global__ void part(float *x, int which);
class Supervisor {
public:
  void tick() {
    ++ticks_;
    switch (phase_) {
    case Phase::Boot:
      go(boot(), Phase::Open);
      break;
    case Phase::Open:
      part_ = 0;
      go(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), Phase::Add);
      break;
    case Phase::Add:
      part<<<1, 1, 0, s_>>>(x_, part_);
      ++part_;
      go(cudaGetLastError(), part_ < 6 ? Phase::Add : Phase::Close);
      break;
    case Phase::Close: {
      cudaGraph_t g = nullptr;
      cudaError_t e = cudaStreamEndCapture(s_, &g);
      if (e == cudaSuccess)
        e = cudaGraphInstantiate(&exec_, g, 0);
      go(e, Phase::Run);
      break;
    }
    case Phase::Run:
      go(run(), Phase::Run);
      break;
    case Phase::Fault:
      break;
    }
  }
  bool ready() const { return phase_ == Phase::Run; }
  bool failed() const { return phase_ == Phase::Fault; }
  unsigned ticks() const { return ticks_; }
  void halt() {
    cudaStreamSynchronize(s_);
    cudaFree(x_);
  }

private:
  void go(cudaError_t e, Phase next) {
    if (e != cudaSuccess)
      error_ = e;
    phase_ = e == cudaSuccess ? next : Phase::Fault;
  }
  cudaError_t boot() {
    cudaError_t e = cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    if (e == cudaSuccess)
      e = cudaMalloc(&x_, 64);
    return e;
  }
  cudaError_t run() {
    cudaError_t e = cudaGraphLaunch(exec_, s_);
    return e == cudaSuccess ? cudaStreamSynchronize(s_) : e;
  }
  Phase phase_ = Phase::Boot;
  cudaError_t error_ = cudaSuccess;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *x_ = nullptr;
  int part_ = 0;
  unsigned ticks_ = 0;
};
int supervise() {
  Supervisor sup;
  while (!sup.ready() && !sup.failed())
    sup.tick();
  const unsigned startup = sup.ticks();
  for (int k = 0; k < 50 && !sup.failed(); ++k)
    sup.tick();
  sup.halt();
  return startup == 9;
}

// An intermediate step that must not be in a capture.
class Careless {
public:
  Careless() { cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking); }
  void tick() {
    switch (phase_) {
    case Phase::Open:
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      phase_ = Phase::Add;
      break;
    case Phase::Add:
      k<<<1, 1, 0, s_>>>(x_);
      cudaStreamSynchronize(s_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
      phase_ = Phase::Close;
      break;
    case Phase::Close:
      cudaStreamEndCapture(s_, &g_);
      phase_ = Phase::Run;
      break;
    default:
      cudaStreamSynchronize(s_);
    }
  }
  bool ready() const { return phase_ == Phase::Run; }

private:
  Phase phase_ = Phase::Open;
  cudaStream_t s_ = nullptr;
  cudaGraph_t g_ = nullptr;
  float *x_ = nullptr;
};
void careless() {
  Careless c;
  while (!c.ready())
    c.tick();
  for (int i = 0; i < 3; ++i)
    c.tick();
}
