// Elements of one container have different numbers.

// RUN: %check %s cudagraph-sync-call --real-std

#include "cuda_runtime.h"
#include <vector>

__global__ void work(float *x);

struct Step {
  int kind;
  float *x;
};
void added(cudaStream_t s, float *a, float *b) {
  std::vector<Step> steps;
  steps.push_back(Step{1, a});
  steps.push_back(Step{2, b});
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  for (const Step &each : steps) {
    if (each.kind == 1)
      cudaStreamSynchronize(s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    else
      work<<<1, 1, 0, s>>>(each.x);
  }
  if (cudaStreamEndCapture(s, &g))
    return;
}
void listed(cudaStream_t s, float *a, float *b) {
  std::vector<Step> steps{Step{1, a}, Step{2, b}};
  steps.push_back(Step{3, b});
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  for (const Step &each : steps) {
    if (each.kind == 2)
      cudaDeviceSynchronize();
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    else
      work<<<1, 1, 0, s>>>(each.x);
  }
  if (cudaStreamEndCapture(s, &g))
    return;
}

// A helper that does not use the number adds the steps.
class Steps {
public:
  Steps &plain(float *x) { return add({0, x}); }
  Steps &wait() { return add({1, nullptr}); }
  void record(cudaStream_t s) const {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    for (const Step &each : steps_)
      if (each.kind == 1)
        cudaStreamSynchronize(s);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
      else
        work<<<1, 1, 0, s>>>(each.x);
    if (cudaStreamEndCapture(s, &g))
      return;
  }

private:
  Steps &add(Step step) {
    steps_.push_back(step);
    return *this;
  }
  std::vector<Step> steps_;
};
void built(cudaStream_t s, float *x) {
  Steps steps;
  steps.plain(x).wait().plain(x);
  steps.record(s);
}

// Constructed in place.
class Job {
public:
  Job(bool waits, float *x) : waits_(waits), x_(x) {}
  explicit Job(float *x) : x_(x) {}
  void run(cudaStream_t s) const {
    if (waits_)
      cudaStreamQuery(s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    work<<<1, 1, 0, s>>>(x_);
  }

private:
  bool waits_ = false;
  float *x_;
};
void emplaced(cudaStream_t s, float *x) {
  std::vector<Job> jobs;
  jobs.emplace_back(x);
  jobs.emplace_back(true, x);
  jobs.emplace_back(false, x);
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  for (const Job &each : jobs)
    each.run(s);
  if (cudaStreamEndCapture(s, &g))
    return;
}

// Legal: all elements have the same number.
void same(cudaStream_t s, float *a, float *b) {
  std::vector<Step> steps;
  steps.push_back(Step{2, a});
  steps.push_back(Step{2, b});
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  for (const Step &each : steps) {
    if (each.kind == 1)
      cudaStreamSynchronize(s);
    else
      work<<<1, 1, 0, s>>>(each.x);
  }
  if (cudaStreamEndCapture(s, &g))
    return;
}
