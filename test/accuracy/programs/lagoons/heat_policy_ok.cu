// Header-style library for explicit heat solvers: a CRTP base records one double step, policies define the physics.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heat {

inline void require(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

// ---- policies ------------------------------------------------------------------------------------

struct Insulated {
    static __host__ __device__ int at(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
};
struct Ring {
    static __host__ __device__ int at(int i, int n) { return (i + n) % n; }
};

struct ConstantFlame {
    static __host__ __device__ double power(double level) { return level; }
};
struct QuarticFlame {
    static __host__ __device__ double power(double level) { return level * level * level * level; }
};

template <class Boundary>
__global__ void diffuse(const double* in, double* out, int n, double alpha) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + alpha * (in[Boundary::at(i - 1, n)] - 2 * in[i] + in[Boundary::at(i + 1, n)]);
}

template <class Flame>
__global__ void burn(double* t, int where, double level) {
    t[where] += Flame::power(level);
}

// ---- recording base ------------------------------------------------------------------------------

template <class Derived>
class RecordedSolver {
public:
    RecordedSolver(const RecordedSolver&) = delete;
    RecordedSolver& operator=(const RecordedSolver&) = delete;

    void prepare() {
        graph_ = captureSelf();
        require(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }

    void run(int replays) {
        for (int k = 0; k < replays; ++k) require(cudaGraphLaunch(exec_, stream_), "launch");
        require(cudaStreamSynchronize(stream_), "run");
    }

protected:
    RecordedSolver() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
    ~RecordedSolver() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        cudaStreamDestroy(stream_);
    }

    // Captures the current configuration again and carries it over to the executable graph.
    void refresh() {
        if (!exec_) return;
        const std::vector<cudaGraphNode_t> keep = steps_;
        cudaGraph_t fresh = captureSelf();
        if (cudaGraphExecUpdate(exec_, fresh, &lastUpdate_) == cudaSuccess) {
            steps_ = keep;
            require(cudaGraphDestroy(fresh), "destroy");
            return;
        }
        cudaGetLastError();
        require(cudaGraphExecDestroy(std::exchange(exec_, nullptr)), "destroy");
        require(cudaGraphDestroy(std::exchange(graph_, fresh)), "destroy");
        require(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }

    // Remembers the node of the launch that was recorded last.
    void markStep() {
        cudaStreamCaptureStatus status;
        const cudaGraphNode_t* deps = nullptr;
        size_t count = 0;
        require(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &deps, nullptr, &count), "capture info");
        if (status == cudaStreamCaptureStatusActive && count == 1) steps_.push_back(deps[0]);
    }

    void patchStep(size_t k, const cudaKernelNodeParams& p) {
        require(cudaGraphExecKernelNodeSetParams(exec_, steps_.at(k), &p), "set params");
    }

    size_t stepCount() const { return steps_.size(); }
    cudaStream_t stream() const { return stream_; }

private:
    cudaGraph_t captureSelf() {
        steps_.clear();
        cudaGraph_t g = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            static_cast<Derived*>(this)->enqueue();
        } catch (...) {
            cudaStreamEndCapture(stream_, &g);
            if (g) cudaGraphDestroy(g);
            throw;
        }
        require(cudaStreamEndCapture(stream_, &g), "end");
        return g;
    }

    cudaStream_t stream_{};
    cudaGraph_t graph_{};
    cudaGraphExec_t exec_{};
    cudaGraphExecUpdateResultInfo lastUpdate_{};
    std::vector<cudaGraphNode_t> steps_;
};

// ---- a rod of n cells ----------------------------------------------------------------------------

template <class Boundary, class Flame = ConstantFlame>
class Rod : public RecordedSolver<Rod<Boundary, Flame>> {
    using Base = RecordedSolver<Rod<Boundary, Flame>>;
    friend Base;

public:
    Rod(const std::vector<double>& start, double alpha) : n_(int(start.size())), alpha_(alpha) {
        for (double*& p : cells_) require(cudaMalloc(&p, n_ * sizeof(double)), "cells");
        require(cudaMemcpyAsync(cells_[0], start.data(), n_ * sizeof(double), cudaMemcpyHostToDevice, this->stream()),
                "start");
        require(cudaStreamSynchronize(this->stream()), "start");
    }
    ~Rod() {
        for (double* p : cells_) cudaFree(p);
    }

    void setConductivity(double alpha) {
        alpha_ = alpha;
        for (size_t k = 0; k < this->stepCount(); ++k) {
            double *in = cells_[k & 1], *out = cells_[(k & 1) ^ 1];
            void* args[] = {&in, &out, &n_, &alpha_};
            cudaKernelNodeParams p{};
            p.func = reinterpret_cast<void*>(&diffuse<Boundary>);
            p.gridDim = dim3(blocks());
            p.blockDim = dim3(kThreads);
            p.kernelParams = args;
            this->patchStep(k, p);
        }
    }

    void setFlame(int where, double level) {
        where_ = where;
        level_ = level;
        this->refresh();
    }

    std::vector<double> read() const {
        std::vector<double> v(n_);
        require(cudaMemcpy(v.data(), cells_[0], n_ * sizeof(double), cudaMemcpyDeviceToHost), "read");
        return v;
    }

private:
    static constexpr int kThreads = 128;
    int blocks() const { return (n_ + kThreads - 1) / kThreads; }

    // Two steps, so that the result is back in the first buffer.
    void enqueue() {
        if (level_ != 0.0) burn<Flame><<<1, 1, 0, this->stream()>>>(cells_[0], where_, level_);
        for (int k = 0; k < 2; ++k) {
            diffuse<Boundary><<<blocks(), kThreads, 0, this->stream()>>>(cells_[0], cells_[1], n_, alpha_);
            this->markStep();
            std::swap(cells_[0], cells_[1]);
        }
        require(cudaGetLastError(), "enqueue");
    }

    int n_;
    double alpha_;
    int where_ = 0;
    double level_ = 0.0;
    double* cells_[2] = {};
};

}  // namespace heat

// ---- self test -----------------------------------------------------------------------------------

template <class Boundary, class Flame = heat::ConstantFlame>
struct HostRod {
    std::vector<double> t;
    void run(int replays, double alpha, int where = 0, double level = 0.0) {
        const int n = int(t.size());
        for (int r = 0; r < replays; ++r) {
            if (level != 0.0) t[where] += Flame::power(level);
            for (int k = 0; k < 2; ++k) {
                std::vector<double> o(n);
                for (int i = 0; i < n; ++i)
                    o[i] = t[i] + alpha * (t[Boundary::at(i - 1, n)] - 2 * t[i] + t[Boundary::at(i + 1, n)]);
                t.swap(o);
            }
        }
    }
};

static bool same(const std::vector<double>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i)
        if (std::fabs(a[i] - b[i]) > 1e-9 * (1 + std::fabs(b[i]))) return false;
    return true;
}

int main() {
    bool confirmed = false;
    try {
        cudaFree(nullptr);
        std::vector<double> start(1000);
        for (size_t i = 0; i < start.size(); ++i) start[i] = double(i * i % 97);

        // A ring whose conductivity changes between the runs.
        heat::Rod<heat::Ring> ring(start, 0.10);
        HostRod<heat::Ring> ringRef{start};
        ring.prepare();
        ring.run(3);
        ringRef.run(3, 0.10);
        const bool plainRight = same(ring.read(), ringRef.t);
        ring.setConductivity(0.35);
        ring.run(3);
        ringRef.run(3, 0.35);
        const bool tunedRight = same(ring.read(), ringRef.t);

        // A rod with a flame that moves.
        heat::Rod<heat::Insulated, heat::QuarticFlame> torch(start, 0.2), candle(start, 0.2);
        HostRod<heat::Insulated, heat::QuarticFlame> torchRef{start}, candleRef{start};
        torch.setFlame(400, 3.0);
        torch.prepare();
        torch.run(2);
        torchRef.run(2, 0.2, 400, 3.0);
        torch.setFlame(700, 2.0);
        torch.run(2);
        torchRef.run(2, 0.2, 700, 2.0);
        const bool movedRight = same(torch.read(), torchRef.t);

        // A cold rod on which the flame is lit later.
        candle.prepare();
        candle.run(2);
        candleRef.run(2, 0.2);
        candle.setFlame(500, 3.0);
        candle.run(2);
        candleRef.run(2, 0.2, 500, 3.0);
        const bool litRight = same(candle.read(), candleRef.t);

        std::printf("plain %d tuned %d moved %d lit %d\n", plainRight, tunedRight, movedRight, litRight);
        confirmed = plainRight && tunedRight && movedRight && litRight;
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
