// Pressure relaxation of a CFD solver. Users register monitors that look at the residual after a sweep.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cfd {

constexpr int kCells = 1024;

__global__ void jacobi(float* p, const float* rhs, float* residual)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float r = rhs[i] - p[i];
    p[i] += 0.5f * r;
    if (i == 0) *residual = fabsf(r);
}

class Solver;
using Monitor = std::function<cudaError_t(Solver&)>;

class Solver {
public:
    Solver()
    {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&p_, kCells * sizeof(float));
        cudaMalloc(&rhs_, kCells * sizeof(float));
        cudaMalloc(&residual_, sizeof(float));
        const std::vector<float> rhs(kCells, 16.0f);
        cudaMemcpyAsync(rhs_, rhs.data(), kCells * sizeof(float), cudaMemcpyHostToDevice, stream_);
        cudaMemsetAsync(p_, 0, kCells * sizeof(float), stream_);
        if (cudaStreamSynchronize(stream_) != cudaSuccess) {
            std::puts("LABEL NOT CONFIRMED: setup failed");
            std::exit(1);
        }
    }
    ~Solver()
    {
        if (sweeps_) cudaGraphExecDestroy(*sweeps_);
        cudaFree(p_);
        cudaFree(rhs_);
        cudaFree(residual_);
        cudaStreamDestroy(stream_);
    }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    void addMonitor(const std::string& name, Monitor m) { monitors_[name] = std::move(m); }
    cudaStream_t stream() const { return stream_; }

    cudaError_t fetchResidual(float& host)
    {
        if (cudaError_t e = cudaMemcpyAsync(&host, residual_, sizeof host, cudaMemcpyDeviceToHost, stream_)) return e;
        return cudaStreamSynchronize(stream_); // HAZARD sync #monitor
    }

    cudaError_t sweep(int count)
    {
        jacobi<<<kCells / 128, 128, 0, stream_>>>(p_, rhs_, residual_);
        for (int i = 1; i < count; ++i) jacobi<<<kCells / 128, 128, 0, stream_>>>(p_, rhs_, residual_);
        for (auto& [name, monitor] : monitors_) {
            if (cudaError_t e = monitor(*this)) return e; // HAZARD sync #monitor
        }
        return cudaGetLastError();
    }

    // One graph of `sweepsPerStep` sweeps that is replayed.
    cudaError_t prepare(int sweepsPerStep)
    {
        cudaGraph_t graph = nullptr;
        if (cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)) return e;
        const cudaError_t swept = sweep(sweepsPerStep);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (swept != cudaSuccess || ended != cudaSuccess) {
            if (graph) cudaGraphDestroy(graph);
            cudaGetLastError();
            return swept != cudaSuccess ? swept : ended;
        }
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        if (made == cudaSuccess) sweeps_ = exec;
        return made;
    }

    cudaError_t step()
    {
        if (!sweeps_) return cudaErrorNotReady;
        return cudaGraphLaunch(*sweeps_, stream_);
    }

private:
    cudaStream_t stream_ = nullptr;
    float* p_ = nullptr;
    float* rhs_ = nullptr;
    float* residual_ = nullptr;
    std::map<std::string, Monitor> monitors_;
    std::optional<cudaGraphExec_t> sweeps_;
};

} // namespace cfd

int main()
{
    cfd::Solver solver;
    std::vector<float> history;
    solver.addMonitor("convergence", [&history](cfd::Solver& s) {
        float r = 0.0f;
        const cudaError_t e = s.fetchResidual(r);
        if (e == cudaSuccess) history.push_back(r);
        return e;
    });

    const cudaError_t eager = solver.sweep(1);
    if (eager != cudaSuccess || history.size() != 1 || history[0] != 16.0f) {
        std::printf("LABEL NOT CONFIRMED: the eager sweep fails: %s\n", cudaGetErrorName(eager));
        return 1;
    }
    const cudaError_t prepared = solver.prepare(2);
    if (prepared == cudaErrorStreamCaptureUnsupported && history.size() == 1 && solver.step() != cudaSuccess) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: prepare returned %s\n", cudaGetErrorName(prepared));
    return 1;
}
