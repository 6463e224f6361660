// Molecular dynamics step: four force terms on their own streams, then one reduction on the main stream.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace md {

constexpr std::size_t kTerms = 4;
constexpr std::size_t kEvents = 2;

inline void expect(cudaError_t rc, const std::string& what) {
    if (rc != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorName(rc));
}

__global__ void forceTerm(const float* x, float* f, int n, float stiffness) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] = -stiffness * x[i];
}
__global__ void sumTerms(const float* terms, float* total, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (std::size_t t = 0; t < kTerms; ++t) sum += terms[t * n + i];
    total[i] = sum;
}

// Streams and a small pool of events shared by all fork/join sections.
class Lanes {
public:
    explicit Lanes(cudaStream_t origin) : origin_(origin) {
        for (auto& s : streams_) expect(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "lane");
        for (auto& e : events_) expect(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "event");
        expect(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming), "event");
    }
    Lanes(const Lanes&) = delete;
    ~Lanes() {
        for (auto s : streams_) cudaStreamDestroy(s);
        for (auto e : events_) cudaEventDestroy(e);
        cudaEventDestroy(start_);
    }

    void fork() {
        expect(cudaEventRecord(start_, origin_), "fork");
        for (auto s : streams_) expect(cudaStreamWaitEvent(s, start_, 0), "fork");  // HAZARD dependency #1
    }
    void join() {
        for (std::size_t i = 0; i < streams_.size(); ++i)
            expect(cudaEventRecord(events_[i % events_.size()], streams_[i]), "join");  // HAZARD dependency #1
        for (std::size_t i = 0; i < streams_.size(); ++i)
            expect(cudaStreamWaitEvent(origin_, events_[i % events_.size()], 0), "join");  // HAZARD dependency #1
    }
    cudaStream_t operator[](std::size_t i) const { return streams_[i]; }

private:
    cudaStream_t origin_;
    std::array<cudaStream_t, kTerms> streams_{};
    std::array<cudaEvent_t, kEvents> events_{};
    cudaEvent_t start_ = nullptr;
};

class StreamOwner {
public:
    StreamOwner() { expect(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
    StreamOwner(const StreamOwner&) = delete;
    ~StreamOwner() { cudaStreamDestroy(s_); }
    operator cudaStream_t() const { return s_; }

private:
    cudaStream_t s_ = nullptr;
};

class Stepper {
public:
    explicit Stepper(const std::vector<float>& x) : n_(int(x.size())), lanes_(main_) {
        expect(cudaMalloc(&x_, n_ * sizeof(float)), "x");
        expect(cudaMalloc(&terms_, kTerms * n_ * sizeof(float)), "terms");
        expect(cudaMalloc(&total_, n_ * sizeof(float)), "total");
        expect(cudaMemcpyAsync(x_, x.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, main_), "x");
        expect(cudaStreamSynchronize(main_), "x");
    }
    Stepper(const Stepper&) = delete;
    ~Stepper() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(x_);
        cudaFree(terms_);
        cudaFree(total_);
    }

    void open() { expect(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal), "open"); }
    void close() {
        cudaGraph_t graph = nullptr;
        expect(cudaStreamEndCapture(main_, &graph), "close");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        expect(rc, "close");
    }
    void abandon() noexcept {
        cudaGraph_t graph = nullptr;
        if (cudaStreamEndCapture(main_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    }

    void forces() {
        lanes_.fork();
        for (std::size_t t = 0; t < kTerms; ++t) {
            forceTerm<<<(n_ + 127) / 128, 128, 0, lanes_[t]>>>(x_, terms_ + t * n_, n_, float(t + 1));
            expect(cudaGetLastError(), "forceTerm");
        }
        lanes_.join();
        sumTerms<<<(n_ + 127) / 128, 128, 0, main_>>>(terms_, total_, n_);
        expect(cudaGetLastError(), "sumTerms");
    }

    void replay() {
        expect(cudaGraphLaunch(exec_, main_), "replay");
        expect(cudaStreamSynchronize(main_), "replay");
    }
    float total(int i) const {
        float v = 0.0f;
        expect(cudaMemcpy(&v, total_ + i, sizeof v, cudaMemcpyDeviceToHost), "total");
        return v;
    }

private:
    const int n_;
    StreamOwner main_;
    Lanes lanes_;
    cudaGraphExec_t exec_ = nullptr;
    float *x_ = nullptr, *terms_ = nullptr, *total_ = nullptr;
};

void prepare(Stepper& stepper) {
    stepper.open();
    try {
        stepper.forces();
    } catch (...) {
        stepper.abandon();
        throw;
    }
    stepper.close();
}

}  // namespace md

int main() {
    bool good = true;
    std::string failure;
    try {
        md::Stepper stepper(std::vector<float>(1000, 2.0f));
        md::prepare(stepper);
        for (int k = 0; k < 3; ++k) {
            stepper.replay();
            good = good && std::fabs(stepper.total(999) + 20.0f) < 1e-4f;
        }
    } catch (const std::exception& e) {
        failure = e.what();
        std::puts(e.what());
    }
    const bool unjoined = failure.find("cudaErrorStreamCaptureUnjoined") != std::string::npos;
    std::puts(unjoined && good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
