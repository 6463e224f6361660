#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

struct Run {
    int* keys = nullptr;
    int capacity = 0;
    cudaError_t rc = cudaSuccess;
};

class StorageThread {
public:
    StorageThread() : worker_([this] { loop(); }) {}
    ~StorageThread() {
        {
            std::lock_guard<std::mutex> lk(m_);
            stop_ = true;
        }
        cv_.notify_one();
        worker_.join();
        for (int* p : owned_) cudaFree(p);
    }
    std::future<Run> reserve(int capacity) {
        std::lock_guard<std::mutex> lk(m_);
        pending_.emplace_back();
        pending_.back().capacity = capacity;
        auto f = pending_.back().done.get_future();
        cv_.notify_one();
        return f;
    }

private:
    struct Request {
        int capacity = 0;
        std::promise<Run> done;
    };
    void loop() {
        for (;;) {
            std::unique_lock<std::mutex> lk(m_);
            cv_.wait(lk, [this] { return stop_ || !pending_.empty(); });
            if (pending_.empty()) return;
            Request rq = std::move(pending_.front());
            pending_.pop_front();
            lk.unlock();
            Run run;
            run.capacity = rq.capacity;
            run.rc = cudaMalloc(&run.keys, rq.capacity * sizeof(int));
            if (run.rc == cudaSuccess) owned_.push_back(run.keys);
            rq.done.set_value(run);
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<Request> pending_;
    std::vector<int*> owned_;
    bool stop_ = false;
    std::thread worker_;
};

__global__ void merge_runs(int* dst, const int* newer, const int* older, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = max(newer[i], older[i]);
}

class Level {
public:
    explicit Level(StorageThread& storage) : storage_(storage) {
        note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        note(cudaMallocHost(&memtable_, kCap * sizeof(int)));
        for (int** p : {&l0_, &l1_}) {
            note(cudaMalloc(p, kCap * sizeof(int)));
            note(cudaMemset(*p, 0, kCap * sizeof(int)));
        }
        for (int i = 0; i < kCap; ++i) memtable_[i] = 0;
        note(cudaDeviceSynchronize());
    }
    ~Level() {
        for (auto e : {flush_, merge_})
            if (e) cudaGraphExecDestroy(e);
        cudaFree(l0_), cudaFree(l1_), cudaFreeHost(memtable_);
        cudaStreamDestroy(stream_);
    }
    void put(int key) { memtable_[count_++] = key; }

    void flush() {
        if (!flush_) {
            cudaGraph_t graph = nullptr;
            note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
            note(cudaMemcpyAsync(l0_, memtable_, kCap * sizeof(int), cudaMemcpyHostToDevice, stream_));
            note(cudaStreamEndCapture(stream_, &graph));
            note(cudaGraphInstantiate(&flush_, graph, 0));
            note(cudaGraphDestroy(graph));
        }
        note(cudaGraphLaunch(flush_, stream_));
        note(cudaStreamSynchronize(stream_));
    }

    cudaError_t compile_merge() {
        cudaGraph_t graph = nullptr;
        note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        target_ = storage_.reserve(kCap).get();
        merge_runs<<<kCap / 128, 128, 0, stream_>>>(target_.keys, l0_, l1_, kCap);
        cudaError_t end = cudaStreamEndCapture(stream_, &graph);
        if (end != cudaSuccess) {
            cudaGetLastError();
            return end;
        }
        note(cudaGraphInstantiate(&merge_, graph, 0));
        note(cudaGraphDestroy(graph));
        return cudaSuccess;
    }
    void compact() {
        if (!merge_) return;
        note(cudaGraphLaunch(merge_, stream_));
        note(cudaStreamSynchronize(stream_));
    }
    int peek(bool merged, int slot) {
        int v = -1;
        note(cudaMemcpy(&v, (merged ? target_.keys : l0_) + slot, sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }
    cudaError_t reserve_status() const { return target_.rc; }
    cudaError_t status() const { return rc_; }

private:
    void note(cudaError_t e) {
        if (rc_ == cudaSuccess) rc_ = e;
    }
    static constexpr int kCap = 1024;
    StorageThread& storage_;
    Run target_;
    int *l0_ = nullptr, *l1_ = nullptr, *memtable_ = nullptr;
    int count_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t flush_ = nullptr, merge_ = nullptr;
    cudaError_t rc_ = cudaSuccess;
};

int main() {
    StorageThread storage;
    Level level(storage);
    for (int i = 0; i < 100; ++i) level.put(7);
    level.flush();
    for (int i = 0; i < 300; ++i) level.put(9);
    level.flush();
    const int head = level.peek(false, 50), tail = level.peek(false, 350);
    const cudaError_t merged = level.compile_merge();
    level.compact();
    bool ok = level.status() == cudaSuccess && head == 7 && tail == 9 && merged == cudaSuccess &&
              level.reserve_status() == cudaSuccess && level.peek(true, 350) == 9;
    std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %d %d %d %d %d\n", level.status(), head, tail, merged,
                level.reserve_status());
    return 0;
}
