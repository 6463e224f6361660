// Report engine: opaque implementation, outcome type instead of exceptions, optional diagnostics.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

template <typename T>
class Outcome {
public:
    Outcome(T v) : value_(std::move(v)) {}
    Outcome(cudaError_t e) : error_(e) {}
    explicit operator bool() const { return error_ == cudaSuccess; }
    const T& value() const { return *value_; }
    cudaError_t error() const { return error_; }
private:
    std::optional<T> value_;
    cudaError_t error_ = cudaSuccess;
};

struct ReportOptions {
    std::size_t maxRows = 4096;
    bool verbose = false;
};

class ReportEngine {
public:
    explicit ReportEngine(const ReportOptions& options);
    ~ReportEngine();
    Outcome<std::vector<float>> submit(const std::vector<float>& rows);
private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

__global__ void normalizeRows(const float* in, float* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i] + 1.0f;
}

struct ReportEngine::Impl {
    explicit Impl(const ReportOptions& o) : options(o) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMalloc(&in, options.maxRows * sizeof(float));
        cudaMalloc(&out, options.maxRows * sizeof(float));
        cudaMemset(out, 0, options.maxRows * sizeof(float));
        cudaDeviceSynchronize();
    }
    ~Impl() {
        for (auto& [rows, exec] : plans) cudaGraphExecDestroy(exec);
        cudaFree(in);
        cudaFree(out);
        cudaStreamDestroy(stream);
    }

    void trace(const char* stage) {
        if (!options.verbose) return;
        cudaError_t st = cudaPeekAtLastError();
        if (st != cudaSuccess) std::fprintf(stderr, "[report] %s: %s\n", stage, cudaGetErrorName(st));
    }

    cudaError_t record(std::size_t rows, cudaGraphExec_t* result) {
        cudaError_t rc = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        const unsigned n = static_cast<unsigned>(rows);
        normalizeRows<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
        trace("normalize");
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream, &graph);
        if (rc != cudaSuccess) return rc;
        rc = cudaGraphInstantiate(result, graph, 0);
        cudaGraphDestroy(graph);
        return rc;
    }

    Outcome<cudaGraphExec_t> planFor(std::size_t rows) {
        auto hit = plans.find(rows);
        if (hit != plans.end()) return hit->second;
        cudaGraphExec_t exec = nullptr;
        cudaError_t rc = record(rows, &exec);
        if (rc != cudaSuccess) return rc;
        plans.emplace(rows, exec);
        return exec;
    }

    Outcome<std::vector<float>> submit(const std::vector<float>& rows) {
        if (rows.empty() || rows.size() > options.maxRows) return cudaErrorInvalidValue;
        auto plan = planFor(rows.size());
        if (!plan) return plan.error();
        const std::size_t bytes = rows.size() * sizeof(float);
        std::vector<float> result(rows.size());
        cudaError_t rc = cudaMemcpyAsync(in, rows.data(), bytes, cudaMemcpyHostToDevice, stream);
        if (rc == cudaSuccess) rc = cudaGraphLaunch(plan.value(), stream);
        if (rc == cudaSuccess) rc = cudaMemcpyAsync(result.data(), out, bytes, cudaMemcpyDeviceToHost, stream);
        if (rc == cudaSuccess) rc = cudaStreamSynchronize(stream);
        if (rc != cudaSuccess) return rc;
        return result;
    }

    ReportOptions options;
    cudaStream_t stream = nullptr;
    float* in = nullptr;
    float* out = nullptr;
    std::unordered_map<std::size_t, cudaGraphExec_t> plans;
};

ReportEngine::ReportEngine(const ReportOptions& options) : impl_(std::make_unique<Impl>(options)) {}
ReportEngine::~ReportEngine() = default;
Outcome<std::vector<float>> ReportEngine::submit(const std::vector<float>& rows) { return impl_->submit(rows); }

int main() {
    ReportEngine engine(ReportOptions{4096, false});
    auto small = engine.submit(std::vector<float>(100, 1.0f));
    auto large = engine.submit(std::vector<float>(3000, 2.0f));
    ReportEngine chatty(ReportOptions{4096, true});
    auto traced = chatty.submit(std::vector<float>(10, 1.0f));
    bool base = small && large && small.value()[99] == 3.0f && large.value()[0] == 5.0f;
    bool confirmed = base && large.value()[2999] == 5.0f && traced && traced.value()[9] == 3.0f;
    auto again = engine.submit(std::vector<float>(100, 7.0f));
    confirmed = confirmed && again && again.value()[99] == 15.0f;
    std::printf("%s: small=%s large=%s tail=%g traced=%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED",
                cudaGetErrorName(small.error()), cudaGetErrorName(large.error()),
                large ? large.value()[2999] : -1.0f, cudaGetErrorName(traced.error()));
    return 0;
}
