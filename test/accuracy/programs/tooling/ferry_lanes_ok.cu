#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#define RETURN_IF_ERR(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) return e__; } while (0)

__global__ void load_cargo(float *bay, int n, float w) { if (threadIdx.x < n) bay[threadIdx.x] = w; }
__global__ void sail(long long cycles) {
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {}
}
__global__ void unload(const float *bay, float *quay, int n) { if (threadIdx.x < n) quay[threadIdx.x] = bay[threadIdx.x] * 2.f; }
__global__ void audit(const float *bay, float *book, int n) { if (threadIdx.x < n) book[threadIdx.x] = bay[threadIdx.x]; }

struct Bay {
    float *mem = nullptr;
    std::mutex gate;
    cudaEvent_t idle = nullptr;
    explicit Bay(int n) {
        cudaMalloc(&mem, n * sizeof(float));
        cudaMemset(mem, 0, n * sizeof(float));
        cudaEventCreateWithFlags(&idle, cudaEventDisableTiming);
        cudaDeviceSynchronize();
    }
    ~Bay() {
        cudaEventDestroy(idle);
        cudaFree(mem);
    }
};

class Lane {
public:
    Lane(std::shared_ptr<Bay> bay, int n, float weight) : bay_(std::move(bay)), n_(n), weight_(weight) {
        cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&loaded_, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&audited_, cudaEventDisableTiming);
        cudaMalloc(&quay_, 2 * n * sizeof(float));
        cudaMemset(quay_, 0, 2 * n * sizeof(float));
        book_ = quay_ + n;
        cudaDeviceSynchronize();
    }
    ~Lane() {
        if (exec_) cudaGraphExecDestroy(*exec_);
        cudaFree(quay_);
        cudaEventDestroy(loaded_);
        cudaEventDestroy(audited_);
        cudaStreamDestroy(side_);
        cudaStreamDestroy(main_);
    }
    cudaError_t plan() {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t x = nullptr;
        RETURN_IF_ERR(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
        cudaError_t body = voyage();
        cudaError_t end = cudaStreamEndCapture(main_, &g);
        RETURN_IF_ERR(body);
        RETURN_IF_ERR(end);
        cudaError_t made = cudaGraphInstantiate(&x, g, 0);
        cudaGraphDestroy(g);
        if (made == cudaSuccess) exec_ = x;
        return made;
    }
    cudaError_t depart() {
        {
            std::lock_guard<std::mutex> lock(bay_->gate);
            RETURN_IF_ERR(cudaStreamWaitEvent(main_, bay_->idle, 0));
            RETURN_IF_ERR(cudaGraphLaunch(*exec_, main_));
            RETURN_IF_ERR(cudaEventRecord(bay_->idle, main_));
        }
        return cudaStreamSynchronize(main_);
    }
    float quay() const { float v = -1; cudaMemcpy(&v, quay_ + 3, sizeof v, cudaMemcpyDeviceToHost); return v; }
    float book() const { float v = -1; cudaMemcpy(&v, book_ + 3, sizeof v, cudaMemcpyDeviceToHost); return v; }

private:
    cudaError_t voyage() {
        sail<<<1, 1, 0, main_>>>(30'000'000LL);
        load_cargo<<<1, 32, 0, main_>>>(bay_->mem, n_, weight_);
        RETURN_IF_ERR(cudaEventRecord(loaded_, main_));
        RETURN_IF_ERR(cudaStreamWaitEvent(side_, loaded_, 0));
        audit<<<1, 32, 0, side_>>>(bay_->mem, book_, n_);
        sail<<<1, 1, 0, main_>>>(200'000'000LL);
        unload<<<1, 32, 0, main_>>>(bay_->mem, quay_, n_);
        return join();
    }
    cudaError_t join() {
        RETURN_IF_ERR(cudaEventRecord(audited_, side_));
        RETURN_IF_ERR(cudaStreamWaitEvent(main_, audited_, 0));
        return cudaGetLastError();
    }

    std::shared_ptr<Bay> bay_;
    int n_;
    float weight_;
    cudaStream_t main_ = nullptr, side_ = nullptr;
    cudaEvent_t loaded_ = nullptr, audited_ = nullptr;
    float *quay_ = nullptr, *book_ = nullptr;
    std::optional<cudaGraphExec_t> exec_;
};

int main() {
    const int n = 16;
    cudaError_t p, q;
    float qa, qb, ba;
    {
        auto bay = std::make_shared<Bay>(n);
        Lane north(bay, n, 5.f), south(bay, n, 8.f);
        p = north.plan();
        q = south.plan();
        if (p != cudaSuccess || q != cudaSuccess) {
            std::printf("LABEL REFUTED plan %d %d\n", int(p), int(q));
            return 0;
        }
        auto fn = std::async(std::launch::async, [&] { return north.depart(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        auto fs = std::async(std::launch::async, [&] { return south.depart(); });
        p = fn.get();
        q = fs.get();
        qa = north.quay();
        qb = south.quay();
        ba = north.book();
    }
    bool ok = p == cudaSuccess && q == cudaSuccess && qa == 10.f && qb == 16.f && ba == 5.f;
    std::printf("LABEL %s (%d %d: %g %g %g)\n", ok ? "CONFIRMED" : "REFUTED", int(p), int(q), qa, qb, ba);
    return 0;
}
