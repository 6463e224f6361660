/* Quote server with hot reload of its configuration. The pricing chain is one CUDA graph that is
   re-recorded at each reload and put into the running executable with cudaGraphExecUpdate. */
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <string>
#include <vector>

namespace {

constexpr int kMaxQuotes = 256;

void fail_hard(cudaError_t e, const char* file, int line) {
  std::printf("%s:%d: %s (%s)\nLABEL UNOBSERVED\n", file, line, cudaGetErrorName(e), cudaGetErrorString(e));
  std::exit(0);
}
#define REQUIRE_CUDA(e)                                        \
  do {                                                         \
    cudaError_t rc_ = (e);                                     \
    if (rc_ != cudaSuccess) fail_hard(rc_, __FILE__, __LINE__); \
  } while (0)

struct Config {
  float rate = 0.f;
  float fee = 0.f;
  float cap = 0.f;  // no upper limit when zero

  static bool parse(const std::string& text, Config& out) {
    Config c;
    if (std::sscanf(text.c_str(), "rate=%f fee=%f cap=%f", &c.rate, &c.fee, &c.cap) < 2) return false;
    out = c;
    return true;
  }
  float price(float base) const {
    float p = base * (1.f + rate) + fee;
    return cap > 0.f ? std::min(p, cap) : p;
  }
};

__global__ void price_kernel(const float* base, float* out, float rate, float fee) {
  int i = threadIdx.x;
  out[i] = base[i] * (1.f + rate) + fee;
}
__global__ void cap_kernel(float* out, float cap) {
  int i = threadIdx.x;
  out[i] = fminf(out[i], cap);
}

struct Request {
  int id;
  std::vector<float> base;
};

class PricingServer {
 public:
  PricingServer() {
    REQUIRE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    REQUIRE_CUDA(cudaMalloc(&d_base_, kMaxQuotes * sizeof(float)));
    REQUIRE_CUDA(cudaMalloc(&d_out_, kMaxQuotes * sizeof(float)));
    REQUIRE_CUDA(cudaMallocHost(&h_base_, kMaxQuotes * sizeof(float)));
    REQUIRE_CUDA(cudaMallocHost(&h_out_, kMaxQuotes * sizeof(float)));
  }
  ~PricingServer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(d_base_);
    cudaFree(d_out_);
    cudaFreeHost(h_base_);
    cudaFreeHost(h_out_);
    cudaStreamDestroy(stream_);
  }

  void reload(const Config& c) {
    cudaGraph_t graph = record(c);
    if (!exec_) {
      REQUIRE_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
    } else {
      cudaGraphExecUpdateResultInfo info{};
      if (cudaGraphExecUpdate(exec_, graph, &info) != cudaSuccess) {
        // A different set of kernels cannot be patched in (info.result says why): start over.
        (void)cudaGetLastError();
        std::printf("reload: update refused (%d), instantiating anew\n", int(info.result));
        REQUIRE_CUDA(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
        REQUIRE_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
      }
    }
    REQUIRE_CUDA(cudaGraphDestroy(graph));
    ++reloads_;
  }

  void enqueue(Request r) { queue_.push(std::move(r)); }

  // Answers everything in the queue and counts the wrong quotes.
  int drain(const Config& reference) {
    int wrong = 0;
    for (; !queue_.empty(); queue_.pop()) {
      const Request& r = queue_.front();
      std::fill(h_base_, h_base_ + kMaxQuotes, 0.f);
      std::copy(r.base.begin(), r.base.end(), h_base_);
      REQUIRE_CUDA(cudaGraphLaunch(exec_, stream_));
      REQUIRE_CUDA(cudaStreamSynchronize(stream_));
      for (size_t i = 0; i < r.base.size(); ++i) wrong += std::fabs(h_out_[i] - reference.price(r.base[i])) > 1e-3f;
      ++served_;
    }
    return wrong;
  }
  int served() const { return served_; }
  int reloads() const { return reloads_; }

 private:
  cudaGraph_t record(const Config& c) {
    cudaGraph_t graph = nullptr;
    REQUIRE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    REQUIRE_CUDA(cudaMemcpyAsync(d_base_, h_base_, kMaxQuotes * sizeof(float), cudaMemcpyHostToDevice, stream_));
    price_kernel<<<1, kMaxQuotes, 0, stream_>>>(d_base_, d_out_, c.rate, c.fee);
    REQUIRE_CUDA(cudaGetLastError());
    if (c.cap > 0.f) {
      cap_kernel<<<1, kMaxQuotes, 0, stream_>>>(d_out_, c.cap);
      REQUIRE_CUDA(cudaGetLastError());
    }
    REQUIRE_CUDA(cudaMemcpyAsync(h_out_, d_out_, kMaxQuotes * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    REQUIRE_CUDA(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *d_base_ = nullptr, *d_out_ = nullptr, *h_base_ = nullptr, *h_out_ = nullptr;
  std::queue<Request> queue_;
  int served_ = 0, reloads_ = 0;
};

std::vector<float> ramp(int n, float step) {
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i) v[i] = step * i;
  return v;
}

}  // namespace

int main() {
  const std::vector<std::string> files = {"rate=0.10 fee=1.0", "rate=0.20 fee=2.0", "rate=0.20 fee=2.0 cap=90.0"};
  std::vector<int> wrong;
  {
    PricingServer server;
    int id = 0;
    for (const std::string& text : files) {
      Config c;
      if (!Config::parse(text, c)) continue;
      server.reload(c);
      for (int k = 0; k < 3; ++k) server.enqueue({id++, ramp(100 + 50 * k, 1.f)});
      wrong.push_back(server.drain(c));
      std::printf("%s: %d wrong quotes\n", text.c_str(), wrong.back());
    }
    std::printf("%d requests, %d reloads\n", server.served(), server.reloads());
  }
  bool first_two = wrong.size() == 3 && wrong[0] == 0 && wrong[1] == 0;
  std::puts(first_two && wrong[2] == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
