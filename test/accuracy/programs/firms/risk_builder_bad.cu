// Stress-test service: a builder records one kernel per scenario into a graph. Scenario sets come from users, so the
// builder validates them; the service drops rejected scenarios and builds again.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace risk {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char* where)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(code)) {}
};
class ScenarioRejected : public std::invalid_argument {
public:
    explicit ScenarioRejected(std::string name) : std::invalid_argument("rejected scenario"), name_(std::move(name)) {}
    const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
};

inline void check(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

struct Scenario {
    std::string name;
    float shock;  // relative move, -1 is a total loss
};

class DeviceArray {
public:
    explicit DeviceArray(size_t n) { check(cudaMalloc(&p_, n * sizeof(float)), "DeviceArray"); }
    ~DeviceArray() { cudaFree(p_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    float* get() const noexcept { return p_; }

private:
    float* p_ = nullptr;
};

class Stream {
public:
    Stream() { check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "Stream"); }
    ~Stream() { cudaStreamDestroy(s_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t get() const noexcept { return s_; }

private:
    cudaStream_t s_ = nullptr;
};

__global__ void stress(const float* exposure, float* pnl, float shock, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pnl[i] += exposure[i] * shock;
}

// A built set of scenarios; immutable, rebuilt when the scenarios change.
class StressGraph {
public:
    explicit StressGraph(cudaGraphExec_t exec) noexcept : exec_(exec) {}
    ~StressGraph() { cudaGraphExecDestroy(exec_); }
    StressGraph(const StressGraph&) = delete;
    StressGraph& operator=(const StressGraph&) = delete;
    void run(cudaStream_t s) const { check(cudaGraphLaunch(exec_, s), "run scenarios"); }

private:
    cudaGraphExec_t exec_;
};

class StressGraphBuilder {
public:
    StressGraphBuilder& onBook(const float* exposure, int n) {
        exposure_ = exposure;
        n_ = n;
        return *this;
    }
    StressGraphBuilder& into(float* pnl) {
        pnl_ = pnl;
        return *this;
    }
    StressGraphBuilder& withScenarios(std::vector<Scenario> scenarios) {
        scenarios_ = std::move(scenarios);
        return *this;
    }

    std::unique_ptr<StressGraph> build(cudaStream_t stream) const {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
        for (const Scenario& s : scenarios_) {
            if (s.shock < -1.0f || s.shock > 1.0f) throw ScenarioRejected(s.name);  // HAZARD scope
            stress<<<(n_ + 127) / 128, 128, 0, stream>>>(exposure_, pnl_, s.shock, n_);
        }
        const cudaError_t launched = cudaGetLastError();
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(stream, &graph), "end capture");
        check(launched, "scenario kernels");
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        check(made, "instantiate");
        return std::make_unique<StressGraph>(exec);
    }

private:
    const float* exposure_ = nullptr;
    float* pnl_ = nullptr;
    int n_ = 0;
    std::vector<Scenario> scenarios_;
};

class StressService {
public:
    explicit StressService(const std::vector<float>& book)
        : n_(static_cast<int>(book.size())), exposure_(book.size()), pnl_(book.size()) {
        check(cudaMemcpy(exposure_.get(), book.data(), n_ * sizeof(float), cudaMemcpyHostToDevice), "book");
        check(cudaDeviceSynchronize(), "book");
    }

    // Returns the number of scenarios that were left out.
    int configure(std::vector<Scenario> scenarios) {
        graph_.reset();
        for (int dropped = 0;; ++dropped) {
            try {
                graph_ = StressGraphBuilder().onBook(exposure_.get(), n_).into(pnl_.get()).withScenarios(scenarios).build(
                    stream_.get());
                return dropped;
            } catch (const ScenarioRejected& r) {
                std::printf("%s: %s\n", r.what(), r.name().c_str());
                scenarios.erase(std::remove_if(scenarios.begin(), scenarios.end(),
                                               [&r](const Scenario& s) { return s.name == r.name(); }),
                                scenarios.end());
            }
        }
    }

    std::vector<float> profitAndLoss() {
        std::vector<float> host(n_);
        check(cudaMemsetAsync(pnl_.get(), 0, n_ * sizeof(float), stream_.get()), "clear");
        graph_->run(stream_.get());
        check(cudaMemcpyAsync(host.data(), pnl_.get(), n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_.get()), "pnl");
        check(cudaStreamSynchronize(stream_.get()), "scenarios");
        return host;
    }

private:
    int n_;
    Stream stream_;
    DeviceArray exposure_;
    DeviceArray pnl_;
    std::unique_ptr<StressGraph> graph_;
};

}  // namespace risk

int main() {
    const std::vector<float> book{100.0f, -40.0f, 16.0f, 8.0f};
    bool good = false;
    try {
        risk::StressService service(book);
        good = service.configure({{"rates up", 0.25f}, {"typo", -25.0f}, {"equity crash", -0.5f}}) == 1;
        for (int day = 0; day < 3; ++day) {
            const std::vector<float> pnl = service.profitAndLoss();
            for (size_t i = 0; i < book.size(); ++i) good = good && pnl[i] == book[i] * -0.25f;
        }
        good = service.configure({{"mild", 0.125f}}) == 0 && good;
        const std::vector<float> pnl = service.profitAndLoss();
        for (size_t i = 0; i < book.size(); ++i) good = good && pnl[i] == book[i] * 0.125f;
    } catch (const risk::CudaError& e) {
        std::printf("service failed: %s\n", e.what());
        good = false;
    }
    std::puts(!good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
