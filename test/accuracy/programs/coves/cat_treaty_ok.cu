// Catastrophe reinsurance: an event loss table goes through an expression tree of treaty operators.
// The tree is compiled into a plan (a recorded graph), and the plan is run for each quote.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treaty {

using Cents = long long;
constexpr int kEvents = 20000;

static void expect(cudaError_t e, const std::string& op) {
    if (e != cudaSuccess) throw std::runtime_error(op + ": " + cudaGetErrorString(e));
}

struct Terms {
    Cents retention, limit;
    int sharePercent;
};

__host__ __device__ inline Cents cede(Cents loss, const Terms& t) {
    Cents over = loss > t.retention ? loss - t.retention : 0;
    return (over < t.limit ? over : t.limit) * t.sharePercent / 100;
}

__global__ void indexLosses(Cents* loss, int n, int permille) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) loss[i] = loss[i] * permille / 1000;
}

__global__ void applyLayer(const Cents* loss, int n, Terms t, unsigned long long* ceded) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cents c = cede(loss[i], t);
    if (c) atomicAdd(ceded, (unsigned long long)c);
}

inline int blocks(int n) { return (n + 255) / 256; }

struct Batch {
    Cents* base = nullptr;  // as reported
    Cents* work = nullptr;  // as seen by the treaty
    unsigned long long* ceded = nullptr;
    unsigned long long* cededHost = nullptr;
    int n = 0;

    explicit Batch(const std::vector<Cents>& losses) : n(int(losses.size())) {
        expect(cudaMalloc(&base, n * sizeof(Cents)), "base");
        expect(cudaMalloc(&work, n * sizeof(Cents)), "work");
        expect(cudaMalloc(&ceded, sizeof(*ceded)), "ceded");
        expect(cudaMallocHost(&cededHost, sizeof(*cededHost)), "ceded host");
        expect(cudaMemcpy(base, losses.data(), n * sizeof(Cents), cudaMemcpyHostToDevice), "losses");
        expect(cudaMemset(work, 0, n * sizeof(Cents)), "work");
        expect(cudaDeviceSynchronize(), "batch");
    }
    ~Batch() {
        cudaFree(base);
        cudaFree(work);
        cudaFree(ceded);
        cudaFreeHost(cededHost);
    }
};

struct EmitContext {
    cudaStream_t stream;
    Batch& batch;
    std::unordered_map<std::string, cudaGraphNode_t>& nodes;

    // Remembers the node that was recorded last under a name, so that it can be edited later on.
    void name(const std::string& key) {
        cudaStreamCaptureStatus st;
        const cudaGraphNode_t* deps = nullptr;
        size_t count = 0;
        expect(cudaStreamGetCaptureInfo(stream, &st, nullptr, nullptr, &deps, nullptr, &count), "capture info");
        if (st != cudaStreamCaptureStatusActive || count != 1) throw std::logic_error("no node to name");
        nodes[key] = deps[0];
    }
};

class Operator {
public:
    virtual ~Operator() = default;
    virtual void emit(EmitContext& c) = 0;
};
using Tree = std::unique_ptr<Operator>;

class ScanLosses : public Operator {
public:
    void emit(EmitContext& c) override {
        expect(cudaMemcpyAsync(c.batch.work, c.batch.base, c.batch.n * sizeof(Cents), cudaMemcpyDeviceToDevice,
                               c.stream),
               "scan");
    }
};

// Brings historic losses to the price level of the treaty year.
class PriceIndex : public Operator {
public:
    PriceIndex(Tree in, int permille) : in_(std::move(in)), permille_(permille) {
        expect(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking), "index stream");
        expect(cudaEventCreateWithFlags(&scanned_, cudaEventDisableTiming), "index event");
        expect(cudaEventCreateWithFlags(&indexed_, cudaEventDisableTiming), "index event");
    }
    ~PriceIndex() override {
        cudaEventDestroy(scanned_);
        cudaEventDestroy(indexed_);
        cudaStreamDestroy(side_);
    }
    // Runs on the stream of the operator; the counter of the layers is cleared meanwhile on the main one.
    void emit(EmitContext& c) override {
        in_->emit(c);
        expect(cudaEventRecord(scanned_, c.stream), "fork");
        expect(cudaStreamWaitEvent(side_, scanned_, 0), "fork");
        indexLosses<<<blocks(c.batch.n), 256, 0, side_>>>(c.batch.work, c.batch.n, permille_);
        expect(cudaGetLastError(), "index");
        expect(cudaEventRecord(indexed_, side_), "join");
        expect(cudaMemsetAsync(c.batch.ceded, 0, sizeof(*c.batch.ceded), c.stream), "clear");
        expect(cudaStreamWaitEvent(c.stream, indexed_, 0), "join");
    }

private:
    Tree in_;
    int permille_;
    cudaStream_t side_ = nullptr;
    cudaEvent_t scanned_ = nullptr, indexed_ = nullptr;
};

class ExcessLayer : public Operator {
public:
    ExcessLayer(Tree in, std::string name, Terms t) : in_(std::move(in)), name_(std::move(name)), terms_(t) {}
    void emit(EmitContext& c) override {
        in_->emit(c);
        applyLayer<<<blocks(c.batch.n), 256, 0, c.stream>>>(c.batch.work, c.batch.n, terms_, c.batch.ceded);
        expect(cudaGetLastError(), "layer");
        c.name(name_);
        expect(cudaMemcpyAsync(c.batch.cededHost, c.batch.ceded, sizeof(*c.batch.ceded), cudaMemcpyDeviceToHost,
                               c.stream),
               "fetch");
    }

private:
    Tree in_;
    std::string name_;
    Terms terms_;
};

class Plan {
public:
    // The tree is needed for compiling only; the nodes of the graph keep their own arguments.
    Plan(Tree tree, Batch& batch, cudaStream_t s) : batch_(batch), stream_(s) {
        EmitContext ctx{stream_, batch_, nodes_};
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
        tree->emit(ctx);
        expect(cudaStreamEndCapture(stream_, &graph_), "end");
        expect(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }
    ~Plan() {
        cudaGraphExecDestroy(exec_);
        cudaGraphDestroy(graph_);
    }

    // Renewal: the layer keeps its place in the plan and gets other terms.
    void renew(const std::string& layer, Terms t) {
        cudaKernelNodeParams p{};
        void* args[] = {&batch_.work, &batch_.n, &t, &batch_.ceded};
        p.func = reinterpret_cast<void*>(applyLayer);
        p.gridDim = dim3(blocks(batch_.n));
        p.blockDim = dim3(256);
        p.kernelParams = args;
        expect(cudaGraphExecKernelNodeSetParams(exec_, nodes_.at(layer), &p), "renew");
    }

    Cents run() {
        expect(cudaGraphLaunch(exec_, stream_), "launch");
        expect(cudaStreamSynchronize(stream_), "run");
        return Cents(*batch_.cededHost);
    }

private:
    Batch& batch_;
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::unordered_map<std::string, cudaGraphNode_t> nodes_;
};

static std::vector<Cents> eventLosses() {
    std::vector<Cents> v(kEvents);
    uint64_t x = 88172645463325252ull;
    for (auto& l : v) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        l = Cents(x % 9000000) + 10000;
    }
    return v;
}

static Cents cededOnCpu(const std::vector<Cents>& losses, int permille, const Terms& t) {
    Cents sum = 0;
    for (Cents l : losses) sum += cede(l * permille / 1000, t);
    return sum;
}

}  // namespace treaty

int main() {
    using namespace treaty;
    try {
        const int permille = 1180;
        const Terms expiring{2000000, 5000000, 80}, renewal{3500000, 4000000, 65};
        auto losses = eventLosses();
        cudaStream_t stream;
        expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        Batch batch(losses);
        Plan plan(std::make_unique<ExcessLayer>(std::make_unique<PriceIndex>(std::make_unique<ScanLosses>(), permille),
                                                "wind xl", expiring),
                  batch, stream);
        expect(cudaDeviceSynchronize(), "compile");
        Cents before = plan.run(), again = plan.run();
        plan.renew("wind xl", renewal);
        Cents after = plan.run();
        Cents want = cededOnCpu(losses, permille, expiring), wantAfter = cededOnCpu(losses, permille, renewal);
        plan.renew("wind xl", expiring);
        Cents back = plan.run();
        std::printf("expiring %lld, again %lld, back %lld (expected %lld)\n", before, again, back, want);
        std::printf("renewal  %lld (expected %lld)\n", after, wantAfter);
        bool confirmed = before == want && again == want && back == want && after == wantAfter &&
                         cudaStreamQuery(stream) == cudaSuccess;
        std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
