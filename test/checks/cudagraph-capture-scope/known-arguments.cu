// A function returns between the begin call and the end call. Each caller passes
// constants for which it takes only this path, or only the other one.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(int n);
enum class Status { Ok, BadSize, Failed };

static bool stage(int n, cudaStream_t s) {
  if (n % 3)
    return false;
  k<<<1, 1, 0, s>>>(n);
  return true;
}

class Plan {
public:
  Plan() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  Status record(int n) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return Status::Failed;
    const bool accepted = stage(n, s);
    if (!accepted)
      return Status::BadSize;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (non-blocking, thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    if (cudaStreamEndCapture(s, &g))
      return Status::Failed;
    return cudaGraphInstantiate(&e, g, 0) ? Status::Failed : Status::Ok;
  }
  cudaStream_t s;
  cudaGraph_t g = nullptr;
  cudaGraphExec_t e = nullptr;
};

class Note {
public:
  void record(int n, cudaStream_t s) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    if (!stage(n, s))
      return;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's' (non-blocking, thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    if (cudaStreamEndCapture(s, &g))
      return;
    (void)cudaGraphInstantiate(&e, g, 0);
  }
  cudaGraph_t g = nullptr;
  cudaGraphExec_t e = nullptr;
};

// Legal: the path with the early return ends the capture.
class Careful {
public:
  Careful() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  Status record(int n) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return Status::Failed;
    const bool accepted = stage(n, s);
    cudaError_t ended = cudaStreamEndCapture(s, &g);
    if (!accepted)
      return Status::BadSize;
    if (ended)
      return Status::Failed;
    return cudaGraphInstantiate(&e, g, 0) ? Status::Failed : Status::Ok;
  }
  cudaStream_t s;
  cudaGraph_t g = nullptr;
  cudaGraphExec_t e = nullptr;
};

// Legal: another call to the same function ends the capture.
class Steps {
public:
  Steps() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  int step(bool first) {
    if (first) {
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return -1;
      k<<<1, 1, 0, s>>>(1);
      return 1;
    }
    k<<<1, 1, 0, s>>>(2);
    return cudaStreamEndCapture(s, &g) ? -1 : 0;
  }
  cudaStream_t s;
  cudaGraph_t g = nullptr;
};

// All paths share the return of a C function.
struct Group {
  int first, count;
};
static int mark(cudaStream_t s, cudaEvent_t e) {
  int rc = 0;
  if (cudaEventRecord(e, s))
    rc = -1;
  return rc;
}
static int build(const Group *groups, int n, cudaStream_t s, cudaEvent_t e) {
  int rc = 0;
  cudaGraph_t graph = nullptr;
  if ((rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)))
    goto out;
  for (int i = 0; i < n; ++i) {
    if (groups[i].count <= 0) {
      rc = -1000;
      goto out;
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this goto leaves 's' (non-blocking, thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    }
    k<<<1, 1, 0, s>>>(groups[i].first);
    if ((rc = mark(s, e)) != 0)
      goto out;
  }
  rc = cudaStreamEndCapture(s, &graph);
out:
  return rc;
}
void batches() {
  static const Group holey[] = {{0, 3}, {3, 0}, {3, 4}};
  static const Group solid[] = {{0, 3}, {3, 1}, {4, 4}};
  cudaStream_t s;
  cudaEvent_t e;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  if (build(holey, 3, s, e))
    build(solid, 3, s, e);
}

int main() {
  batches();
  Plan plan;
  Status status = plan.record(1000);
  if (status == Status::BadSize)
    status = plan.record(999);
  if (status == Status::Ok)
    (void)cudaGraphLaunch(plan.e, plan.s);
  Note note;
  note.record(1000, plan.s);
  Careful careful;
  if (careful.record(1000) == Status::BadSize)
    careful.record(999);
  Steps steps;
  if (steps.step(true) == 1)
    steps.step(false);
}
