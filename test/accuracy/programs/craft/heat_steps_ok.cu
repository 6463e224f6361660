// 1-D heat equation with double buffering; the time step runs from a captured graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <utility>
#include <vector>

namespace heat {

struct Status {
    cudaError_t code = cudaSuccess;
    Status& operator<<(cudaError_t next) {
        if (code == cudaSuccess) code = next;
        return *this;
    }
    explicit operator bool() const { return code == cudaSuccess; }
};

constexpr int kCells = 512;

__global__ void diffuse(const float* cur, float* next, float alpha) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kCells) return;
    const float left = i > 0 ? cur[i - 1] : 0.f;
    const float right = i + 1 < kCells ? cur[i + 1] : 0.f;
    next[i] = cur[i] + alpha * (left - 2.f * cur[i] + right);
}

__global__ void center(const float* cells, float* probe) { *probe = cells[kCells / 2]; }

struct Field {
    float* cells = nullptr;
    Field() {
        if (cudaMalloc(&cells, kCells * sizeof(float)) != cudaSuccess) std::abort();
    }
    ~Field() { cudaFree(cells); }
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;
};

class Simulation {
public:
    Simulation() {
        status_ << cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) << cudaMalloc(&dProbe_, sizeof(float))
                << cudaMallocHost(&hProbe_, sizeof(float));
        if (hProbe_) *hProbe_ = 0.f;
    }
    ~Simulation() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(hProbe_);
        cudaFree(dProbe_);
        cudaStreamDestroy(stream_);
    }

    void init(const std::vector<float>& cells) {
        status_ << cudaMemcpyAsync(front_, cells.data(), kCells * sizeof(float), cudaMemcpyHostToDevice, stream_)
                << cudaStreamSynchronize(stream_);
    }

    // Advances by an even number of steps.
    void advance(int steps) {
        if (!exec_) capture();
        for (int s = 0; s < steps && status_; s += 2) {
            status_ << cudaGraphLaunch(exec_, stream_) << cudaStreamSynchronize(stream_);
            history_.push_back(*hProbe_);
        }
    }

    std::vector<float> snapshot() {
        std::vector<float> host(kCells);
        status_ << cudaMemcpyAsync(host.data(), front_, kCells * sizeof(float), cudaMemcpyDeviceToHost, stream_)
                << cudaStreamSynchronize(stream_);
        return host;
    }
    const std::vector<float>& history() const { return history_; }
    const Status& status() const { return status_; }

private:
    void recorded(const std::function<void()>& body) {
        cudaGraph_t graph = nullptr;
        status_ << cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        if (!status_) return;
        body();
        status_ << cudaStreamEndCapture(stream_, &graph);
        if (!status_) return;
        status_ << cudaGraphInstantiate(&exec_, graph, 0) << cudaGraphDestroy(graph);
    }

    void capture() {
        recorded([this] {
            // Two steps per graph: after both swaps the host's view is what it was, in each replay too.
            for (int half = 0; half < 2; ++half) {
                diffuse<<<kCells / 128, 128, 0, stream_>>>(front_, back_, 0.25f);
                std::swap(front_, back_);
            }
            center<<<1, 1, 0, stream_>>>(front_, dProbe_);
            status_ << cudaMemcpyAsync(hProbe_, dProbe_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
        });
        std::cout << "time step recorded\n";
    }

    Field a_, b_;
    float* front_ = a_.cells;
    float* back_ = b_.cells;
    float* dProbe_ = nullptr;
    float* hProbe_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<float> history_;
    Status status_;
};

std::vector<float> reference(std::vector<float> cur, int steps) {
    std::vector<float> next(cur.size());
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < kCells; ++i) {
            const float left = i > 0 ? cur[i - 1] : 0.f;
            const float right = i + 1 < kCells ? cur[i + 1] : 0.f;
            next[i] = cur[i] + 0.25f * (left - 2.f * cur[i] + right);
        }
        std::swap(cur, next);
    }
    return cur;
}

}  // namespace heat

int main() {
    using namespace heat;
    std::vector<float> start(kCells, 0.f);
    for (int i = kCells / 2 - 4; i < kCells / 2 + 4; ++i) start[i] = 100.f;

    Simulation sim;
    sim.init(start);
    bool wrongField = false, wrongHistory = false;
    int done = 0;
    for (int chunk = 0; chunk < 3; ++chunk) {
        sim.advance(10);
        done += 10;
        const auto got = sim.snapshot();
        const auto want = reference(start, done);
        for (int i = 0; i < kCells; ++i) wrongField |= std::fabs(got[i] - want[i]) > 1e-2f;
    }
    if (sim.history().size() < 15) {
        wrongHistory = true;
    } else {
        for (int s = 0; s < 15; ++s)
            wrongHistory |= std::fabs(sim.history()[s] - reference(start, 2 * (s + 1))[kCells / 2]) > 1e-2f;
    }
    std::cout << sim.history().size() << " probes, status " << cudaGetErrorString(sim.status().code) << "\n";
    const bool seen = sim.status() && !wrongField && !wrongHistory;
    std::cout << (seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED") << std::endl;
    return 0;
}
