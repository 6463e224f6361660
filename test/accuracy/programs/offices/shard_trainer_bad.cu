// Data-parallel training of a toy model. The shards share one device, each has its own stream,
// as the multi-GPU version has one stream per card. Graphs: one training step, one evaluation.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kShards = 3;
constexpr int kDim = 128;
constexpr float kRate = 0.5f;

// First failure is kept; the callers look at it where they can do something about it.
struct Status {
  cudaError_t code = cudaSuccess;
  const char* what = "";
  bool ok() const { return code == cudaSuccess; }
  void add(cudaError_t e, const char* w) {
    if (code == cudaSuccess && e != cudaSuccess) {
      code = e;
      what = w;
    }
  }
};
#define ADD(st, call) (st).add((call), #call)

__global__ void gradient(const float* w, const float* target, float* g) {
  int i = threadIdx.x;
  g[i] = w[i] - target[i];
}
__global__ void all_reduce(const float* g0, const float* g1, const float* g2, float* mean) {
  int i = threadIdx.x;
  mean[i] = (g0[i] + g1[i] + g2[i]) / 3.f;
}
__global__ void apply(float* w, const float* mean, float rate) { w[threadIdx.x] -= rate * mean[threadIdx.x]; }
__global__ void grad_norm(const float* mean, float* out) {
  float s = 0.f;
  for (int i = 0; i < kDim; ++i) s += mean[i] * mean[i];
  *out = s;
}
__global__ void eval_loss(const float* w, const float* batch, float* out) {
  float s = 0.f;
  for (int i = 0; i < kDim; ++i) s += (w[i] - batch[i]) * (w[i] - batch[i]);
  *out = s / kDim;
}

struct Shard {
  cudaStream_t stream = nullptr;
  cudaEvent_t ready = nullptr, updated = nullptr;
  float *w = nullptr, *target = nullptr, *g = nullptr;
};

struct Trainer {
  Shard shard[kShards];
  cudaStream_t comm = nullptr, metrics = nullptr, eval = nullptr, loader = nullptr;
  cudaEvent_t start = nullptr, reduced = nullptr, measured = nullptr, loaded = nullptr;
  float *mean = nullptr, *norm = nullptr, *batch = nullptr, *loss = nullptr;
  cudaGraphExec_t step_exec = nullptr, eval_exec = nullptr;

  Status setup() {
    Status st;
    for (cudaStream_t* s : {&comm, &metrics, &eval, &loader}) ADD(st, cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    for (cudaEvent_t* e : {&start, &reduced, &measured, &loaded}) ADD(st, cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    for (float** p : {&mean, &batch}) ADD(st, cudaMalloc(p, kDim * sizeof(float)));
    for (float** p : {&norm, &loss}) ADD(st, cudaMalloc(p, sizeof(float)));
    for (int r = 0; r < kShards; ++r) {
      Shard& s = shard[r];
      ADD(st, cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
      ADD(st, cudaEventCreateWithFlags(&s.ready, cudaEventDisableTiming));
      ADD(st, cudaEventCreateWithFlags(&s.updated, cudaEventDisableTiming));
      for (float** p : {&s.w, &s.target, &s.g}) ADD(st, cudaMalloc(p, kDim * sizeof(float)));
      std::vector<float> t(kDim, float(r + 1));
      ADD(st, cudaMemsetAsync(s.w, 0, kDim * sizeof(float), s.stream));
      ADD(st, cudaMemcpyAsync(s.target, t.data(), kDim * sizeof(float), cudaMemcpyHostToDevice, s.stream));
      ADD(st, cudaStreamSynchronize(s.stream));
    }
    return st;
  }

  Status load_batch(const std::vector<float>& host) {
    Status st;
    ADD(st, cudaMemcpyAsync(batch, host.data(), kDim * sizeof(float), cudaMemcpyHostToDevice, loader));
    ADD(st, cudaEventRecord(loaded, loader));
    return st;
  }

  Status capture_step() {
    Status st;
    cudaGraph_t graph = nullptr;
    ADD(st, cudaStreamBeginCapture(comm, cudaStreamCaptureModeGlobal));
    ADD(st, cudaEventRecord(start, comm));
    for (Shard& s : shard) {
      ADD(st, cudaStreamWaitEvent(s.stream, start, 0));
      gradient<<<1, kDim, 0, s.stream>>>(s.w, s.target, s.g);
      ADD(st, cudaEventRecord(s.ready, s.stream));
      ADD(st, cudaStreamWaitEvent(comm, s.ready, 0));
    }
    all_reduce<<<1, kDim, 0, comm>>>(shard[0].g, shard[1].g, shard[2].g, mean);
    ADD(st, cudaEventRecord(reduced, comm));
    for (Shard& s : shard) {
      ADD(st, cudaStreamWaitEvent(s.stream, reduced, 0));
      apply<<<1, kDim, 0, s.stream>>>(s.w, mean, kRate);
      ADD(st, cudaEventRecord(s.updated, s.stream));
      ADD(st, cudaStreamWaitEvent(comm, s.updated, 0));
    }
    ADD(st, cudaStreamWaitEvent(metrics, reduced, 0));
    grad_norm<<<1, 1, 0, metrics>>>(mean, norm);
    ADD(st, cudaEventRecord(measured, metrics));         // HAZARD dependency #metrics
    ADD(st, cudaStreamEndCapture(comm, &graph));         // HAZARD dependency #metrics
    if (st.ok()) ADD(st, cudaGraphInstantiate(&step_exec, graph, 0));
    if (graph) ADD(st, cudaGraphDestroy(graph));
    return st;
  }

  Status capture_eval() {
    Status st;
    cudaGraph_t graph = nullptr;
    ADD(st, cudaStreamBeginCapture(eval, cudaStreamCaptureModeGlobal));
    ADD(st, cudaStreamWaitEvent(eval, loaded, 0));  // HAZARD dependency #loaded
    eval_loss<<<1, 1, 0, eval>>>(shard[0].w, batch, loss);
    ADD(st, cudaStreamEndCapture(eval, &graph));
    if (st.ok()) ADD(st, cudaGraphInstantiate(&eval_exec, graph, 0));
    if (graph) ADD(st, cudaGraphDestroy(graph));
    return st;
  }

  Status train(int steps) {
    Status st;
    for (int i = 0; i < steps; ++i) ADD(st, cudaGraphLaunch(step_exec, comm));
    ADD(st, cudaStreamSynchronize(comm));
    return st;
  }

  Status evaluate(float* out) {
    Status st;
    ADD(st, cudaGraphLaunch(eval_exec, eval));
    ADD(st, cudaMemcpyAsync(out, loss, sizeof(float), cudaMemcpyDeviceToHost, eval));
    ADD(st, cudaStreamSynchronize(eval));
    return st;
  }
};

static bool report(const char* phase, const Status& st) {
  std::printf("%s: %s%s%s\n", phase, cudaGetErrorName(st.code), st.ok() ? "" : " at ", st.what);
  return st.ok();
}

int main() {
  Trainer t;
  if (!report("setup", t.setup()) || !report("load", t.load_batch(std::vector<float>(kDim, 2.f)))) {
    std::puts("LABEL UNOBSERVED");
    return 0;
  }
  bool eval_captured = report("capture evaluation", t.capture_eval());
  bool step_captured = report("capture step", t.capture_step());

  bool right = eval_captured && step_captured;
  float w = 0.f;  // reference: every shard follows the mean target, 2
  for (int round = 0; round < 3 && right; ++round) {
    float loss = -1.f;
    right = report("train", t.train(2)) && report("evaluate", t.evaluate(&loss));
    for (int i = 0; i < 2; ++i) w -= kRate * (w - 2.f);
    std::printf("round %d loss %f\n", round, loss);
    right = right && std::fabs(loss - (w - 2.f) * (w - 2.f)) < 1e-4f;
  }
  std::puts(!eval_captured && !step_captured ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
