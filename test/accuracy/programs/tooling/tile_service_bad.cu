#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class JobQueue {
public:
    explicit JobQueue(const char *name) : name_(name), worker_([this] { loop(); }) {}
    ~JobQueue() {
        { std::lock_guard<std::mutex> l(m_); quit_ = true; }
        cv_.notify_all();
        worker_.join();
    }
    template <class F> auto submit(F f) -> std::future<decltype(f())> {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto fut = task->get_future();
        { std::lock_guard<std::mutex> l(m_); jobs_.emplace_back([task] { (*task)(); }); }
        cv_.notify_one();
        return fut;
    }
private:
    void loop() {
        for (;;) {
            std::function<void()> j;
            {
                std::unique_lock<std::mutex> l(m_);
                cv_.wait(l, [this] { return quit_ || !jobs_.empty(); });
                if (jobs_.empty()) return;
                j = std::move(jobs_.front());
                jobs_.pop_front();
            }
            j();
        }
    }
    const char *name_;
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> jobs_;
    bool quit_ = false;
    std::thread worker_;
};

class TileStore {
public:
    ~TileStore() { for (auto &kv : tiles_) cudaFree(kv.second); }
    cudaError_t ensure(int id, size_t bytes) {
        std::lock_guard<std::mutex> l(m_);
        if (tiles_.count(id)) return cudaSuccess;
        void *p = nullptr;
        cudaError_t e = cudaMalloc(&p, bytes); // HAZARD capture_mode #alloc
        if (e == cudaSuccess) tiles_[id] = p;
        else (void)cudaGetLastError();
        return e;
    }
    float *at(int id) {
        std::lock_guard<std::mutex> l(m_);
        return static_cast<float *>(tiles_.at(id));
    }
private:
    std::mutex m_;
    std::map<int, void *> tiles_;
};

__global__ void blend(float *dst, const float *src, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] += src[i] + 1.0f;
}

struct Prefetcher {
    std::promise<void> go;
    std::promise<void> finished;
};

class Compositor {
public:
    Compositor() { cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking); }
    ~Compositor() {
        if (x_) cudaGraphExecDestroy(x_);
        cudaStreamDestroy(s_);
    }
    cudaError_t prepare(float *dst, const float *src, int n, int layers, const std::function<void(int)> &progress) {
        cudaGraph_t g = nullptr;
        cudaError_t e = cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal); // HAZARD capture_mode #alloc
        if (e != cudaSuccess) return e;
        for (int l = 0; l < layers; ++l) {
            blend<<<(n + 127) / 128, 128, 0, s_>>>(dst, src, n);
            progress(l);
        }
        e = cudaStreamEndCapture(s_, &g);
        (void)cudaGetLastError();
        if (e != cudaSuccess) return e;
        e = cudaGraphInstantiate(&x_, g, 0);
        cudaGraphDestroy(g);
        return e;
    }
    cudaError_t frame() {
        if (cudaError_t e = cudaGraphLaunch(x_, s_)) return e;
        return cudaStreamSynchronize(s_);
    }
private:
    cudaStream_t s_ = nullptr;
    cudaGraphExec_t x_ = nullptr;
};

int main() {
    const int n = 512;
    TileStore store;
    cudaError_t e1 = store.ensure(1, n * sizeof(float)), e2 = store.ensure(2, n * sizeof(float));
    cudaMemset(store.at(1), 0, n * sizeof(float));
    cudaMemset(store.at(2), 0, n * sizeof(float));
    cudaDeviceSynchronize();
    cudaError_t build = cudaErrorUnknown, fetch = cudaErrorUnknown, run = cudaErrorUnknown;
    float v = -1.f;
    {
        JobQueue render("render"), io("io");
        Prefetcher pf;
        auto go = pf.go.get_future();
        auto finished = pf.finished.get_future();
        auto fetched = io.submit([&]() -> cudaError_t {
            go.wait();
            cudaError_t e = store.ensure(77, 1 << 20);
            pf.finished.set_value();
            return e;
        });
        Compositor comp;
        build = render.submit([&] {
            return comp.prepare(store.at(1), store.at(2), n, 3, [&](int layer) {
                if (layer == 1) { pf.go.set_value(); finished.wait(); }
            });
        }).get();
        fetch = fetched.get();
        if (build == cudaSuccess)
            for (int f = 0; f < 2; ++f) run = render.submit([&] { return comp.frame(); }).get();
        cudaMemcpy(&v, store.at(1) + 9, sizeof v, cudaMemcpyDeviceToHost);
    }
    bool ok = e1 == cudaSuccess && e2 == cudaSuccess && fetch == cudaErrorStreamCaptureUnsupported && build != cudaSuccess;
    std::printf("LABEL %s (build %d fetch %d run %d v %g)\n", ok ? "CONFIRMED" : "REFUTED", int(build), int(fetch), int(run), v);
    return 0;
}
