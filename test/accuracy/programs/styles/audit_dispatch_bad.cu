#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace app {

struct CudaFailure : std::runtime_error {
    explicit CudaFailure(cudaError_t c) : std::runtime_error(cudaGetErrorName(c)), code(c) {}
    cudaError_t code;
};
void check(cudaError_t c) { if (c != cudaSuccess) throw CudaFailure(c); }

class Worker {
public:
    Worker() : thread_([this] { loop(); }) {}
    ~Worker() {
        { std::lock_guard<std::mutex> l(m_); quit_ = true; }
        cv_.notify_one();
        thread_.join();
    }
    void call(std::function<void()> fn) {
        std::packaged_task<void()> task(std::move(fn));
        auto f = task.get_future();
        { std::lock_guard<std::mutex> l(m_); q_.push_back(std::move(task)); }
        cv_.notify_one();
        f.get();
    }
private:
    void loop() {
        for (;;) {
            std::unique_lock<std::mutex> l(m_);
            cv_.wait(l, [this] { return quit_ || !q_.empty(); });
            if (q_.empty()) return;
            auto task = std::move(q_.front());
            q_.pop_front();
            l.unlock();
            task();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::packaged_task<void()>> q_;
    bool quit_ = false;
    std::thread thread_;
};

class WorkerGroup {
public:
    Worker &next() { return w_[turn_++ % 2]; }
private:
    Worker w_[2];
    std::size_t turn_ = 0;
};

struct AuditRecord { std::string owner; int hits = 0; };

class AuditPool {
public:
    AuditRecord *acquire(std::string owner) {
        if (free_.empty()) { all_.push_back(std::make_unique<AuditRecord>()); free_.push_back(all_.back().get()); }
        AuditRecord *r = free_.back();
        free_.pop_back();
        r->owner = std::move(owner);
        r->hits = 0;
        return r;
    }
    void release(AuditRecord *r) { free_.push_back(r); }
private:
    std::vector<std::unique_ptr<AuditRecord>> all_;
    std::vector<AuditRecord *> free_;
};

__global__ void touch(int *p) { p[0] += 1; }
void CUDART_CB on_replay(void *arg) { ++static_cast<AuditRecord *>(arg)->hits; }

class Session {
public:
    Session(WorkerGroup &g, AuditPool &p, std::size_t id) : group_(g), pool_(p), id_(id) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaMalloc(&counter_, sizeof(int)));
        check(cudaMemset(counter_, 0, sizeof(int)));
        check(cudaDeviceSynchronize());
    }
    void open() { group_.next().call([this] { start(); }); }
    void close() { group_.next().call([this] { finish(); }); }
    void touch_remote() { group_.next().call([this] { touch<<<1, 1, 0, stream_>>>(counter_); check(cudaGetLastError()); }); }
    void record_local() { start(); touch<<<1, 1, 0, stream_>>>(counter_); audit(); finish(); }
    void replay(int n) {
        for (int i = 0; i < n; ++i) check(cudaGraphLaunch(exec_, stream_));
        check(cudaStreamSynchronize(stream_));
    }
    int count() const { int v = 0; check(cudaMemcpy(&v, counter_, sizeof v, cudaMemcpyDeviceToHost)); return v; }
    bool armed() const { return exec_ != nullptr; }
private:
    void start() { check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); } // HAZARD capture_scope #thread
    void audit() {
        AuditRecord *rec = pool_.acquire("session" + std::to_string(id_));
        check(cudaLaunchHostFunc(stream_, on_replay, rec)); // HAZARD dangling
        pool_.release(rec);
    }
    void finish() {
        cudaGraph_t g = nullptr;
        check(cudaStreamEndCapture(stream_, &g)); // HAZARD capture_scope #thread
        const cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        check(rc);
    }
    WorkerGroup &group_;
    AuditPool &pool_;
    std::size_t id_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *counter_ = nullptr;
};

}  // namespace app

int main() {
    using namespace app;
    cudaError_t refused = cudaSuccess;
    try {
        WorkerGroup group;
        AuditPool pool;
        Session remote(group, pool, 1), local(group, pool, 2);
        local.record_local();
        AuditRecord *billing = pool.acquire("billing");
        local.replay(3);
        try { remote.open(); remote.touch_remote(); remote.touch_remote(); remote.close(); } catch (const CudaFailure &e) { refused = e.code; }
        if (remote.armed()) remote.replay(2);
        const int n = local.count();
        const bool hit = refused == cudaErrorStreamCaptureWrongThread && billing->hits == 3;
        if (hit && n == 3) std::printf("LABEL CONFIRMED\n");
        else std::printf("LABEL REFUTED %s hits %d n %d\n", cudaGetErrorName(refused), billing->hits, n);
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
