// Deep packet inspection on the GPU. For each flow a graph scans the flow's current packet for a marker byte, brings
// the number of hits back and calls a host function that raises an alert when the limit of the flow is exceeded.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

static constexpr int kFlows = 3;
static constexpr int kPacket = 1500;

static int failures = 0;

static bool good(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return true;
  std::printf("%s: %s\n", what, cudaGetErrorString(e));
  ++failures;
  return false;
}

// What the control plane sees.
struct Ledger {
  std::atomic<int> alerts[kFlows];
  std::atomic<int> strays;
  int* hits;  // pinned, one counter for each flow
};
static Ledger ledger{};

struct NoticeCtx {
  char label[24];
  int flow;
  int limit;
};

struct AuditRecord {
  char host[24];
  int id;
  int severity;
};

static void CUDART_CB raise_notice(void* user) {
  const NoticeCtx* ctx = static_cast<const NoticeCtx*>(user);
  const int flow = ctx->flow;
  if (flow < 0 || flow >= kFlows) {
    ledger.strays.fetch_add(1);
    return;
  }
  if (ledger.hits[flow] > ctx->limit) ledger.alerts[flow].fetch_add(1);
}

__global__ void scan_packet(const uint8_t* pkt, int n, uint8_t marker, int* hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && pkt[i] == marker) atomicAdd(hits, 1);
}

class Inspector {
 public:
  Inspector() {
    good(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    good(cudaMalloc(&packets_, size_t(kFlows) * kPacket), "packets");
    good(cudaMalloc(&hits_, kFlows * sizeof(int)), "hits");
    good(cudaMallocHost(&ledger.hits, kFlows * sizeof(int)), "pinned hits");
  }
  ~Inspector() {
    cudaStreamSynchronize(stream_);
    for (cudaGraphExec_t e : flows_)
      if (e) cudaGraphExecDestroy(e);
    cudaFreeHost(ledger.hits);
    cudaFree(hits_);
    cudaFree(packets_);
    cudaStreamDestroy(stream_);
  }
  Inspector(const Inspector&) = delete;
  Inspector& operator=(const Inspector&) = delete;

  bool admit(int flow, uint8_t marker, int limit) {
    auto ctx = std::make_unique<NoticeCtx>();
    std::snprintf(ctx->label, sizeof ctx->label, "flow-%d/%02x", flow, marker);
    ctx->flow = flow;
    ctx->limit = limit;

    const uint8_t* packet = packets_ + size_t(flow) * kPacket;
    int* hits = hits_ + flow;
    cudaGraph_t graph = nullptr;
    if (!good(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
    cudaError_t e = cudaMemsetAsync(hits, 0, sizeof(int), stream_);
    scan_packet<<<(kPacket + 255) / 256, 256, 0, stream_>>>(packet, kPacket, marker, hits);
    if (e == cudaSuccess) e = cudaGetLastError();
    if (e == cudaSuccess)
      e = cudaMemcpyAsync(ledger.hits + flow, hits, sizeof(int), cudaMemcpyDeviceToHost, stream_);
    if (e == cudaSuccess) e = cudaLaunchHostFunc(stream_, raise_notice, ctx.get());  // HAZARD dangling
    const cudaError_t closed = cudaStreamEndCapture(stream_, &graph);
    if (!good(e, "capture") || !good(closed, "end")) {
      if (graph) cudaGraphDestroy(graph);
      return false;
    }

    cudaGraphExec_t exec = nullptr;
    const bool made = good(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    cudaGraphDestroy(graph);
    if (made) flows_[flow] = exec;
    return made;
  }

  bool inspect(int flow, const std::vector<uint8_t>& packet) {
    return good(cudaMemcpyAsync(packets_ + size_t(flow) * kPacket, packet.data(), kPacket, cudaMemcpyHostToDevice, stream_),
                "packet") &&
           good(cudaGraphLaunch(flows_[flow], stream_), "launch");
  }
  bool drain() { return good(cudaStreamSynchronize(stream_), "drain"); }

 private:
  cudaStream_t stream_ = nullptr;
  uint8_t* packets_ = nullptr;
  int* hits_ = nullptr;
  cudaGraphExec_t flows_[kFlows] = {};
};

int main() {
  int expected[kFlows] = {};
  {
    Inspector inspector;
    bool up = true;
    for (int f = 0; f < kFlows; ++f) up = up && inspector.admit(f, uint8_t(0x90 + f), 4 + f);

    // the audit trail of the management plane
    std::vector<std::unique_ptr<AuditRecord>> trail;
    for (int i = 0; i < 64; ++i) {
      trail.push_back(std::make_unique<AuditRecord>());
      std::snprintf(trail.back()->host, sizeof trail.back()->host, "10.0.0.%d", i);
      trail.back()->id = 7000 + i;
      trail.back()->severity = 3;
    }

    for (int round = 0; up && round < 8; ++round)
      for (int f = 0; f < kFlows; ++f) {
        std::vector<uint8_t> packet(kPacket, 0x20);
        const int planted = (round * 5 + f * 3) % 11;
        for (int k = 0; k < planted; ++k) packet[size_t(k) * 130 + f] = uint8_t(0x90 + f);
        expected[f] += planted > 4 + f;
        up = inspector.inspect(f, packet) && inspector.drain() && up;
      }
    std::printf("%zu audit records\n", trail.size());
  }
  bool same = ledger.strays.load() == 0;
  for (int f = 0; f < kFlows; ++f) {
    std::printf("flow %d: %d alerts, %d expected\n", f, ledger.alerts[f].load(), expected[f]);
    same = same && ledger.alerts[f].load() == expected[f];
  }
  std::puts(failures == 0 && !same ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
