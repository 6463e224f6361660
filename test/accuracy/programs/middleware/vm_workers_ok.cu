#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace vm {

constexpr int kMaxLanes = 1024;
using Handle = uint32_t;

static std::atomic<int> first_error{0};
inline bool ok(cudaError_t e) {
    int expected = 0;
    if (e != cudaSuccess) first_error.compare_exchange_strong(expected, static_cast<int>(e));
    return e == cudaSuccess;
}

__global__ void stage(int* scratch, int tag, long long spin) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kMaxLanes) scratch[i] = tag;
    long long t0 = clock64();
    while (clock64() - t0 < spin) {
    }
}

__global__ void commit(int* out, const int* scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scratch[i] * 10;
}

class ResourceTable {
public:
    ~ResourceTable() {
        for (int* p : slots_) cudaFree(p);
    }
    Handle create(int count) {
        int* p = nullptr;
        ok(cudaMalloc(&p, count * sizeof(int)));
        ok(cudaMemset(p, 0, count * sizeof(int)));
        ok(cudaDeviceSynchronize());
        slots_.push_back(p);
        return static_cast<Handle>(slots_.size() - 1);
    }
    int* operator[](Handle h) const { return slots_.at(h); }

private:
    std::vector<int*> slots_;
};

class Submitter {
public:
    Submitter() { ok(cudaEventCreateWithFlags(&last_, cudaEventDisableTiming)); }
    ~Submitter() { cudaEventDestroy(last_); }
    void submit(cudaGraphExec_t exec, cudaStream_t s) {
        std::lock_guard<std::mutex> lock(m_);
        ok(cudaStreamWaitEvent(s, last_, 0));
        ok(cudaGraphLaunch(exec, s));
        ok(cudaEventRecord(last_, s));
    }

private:
    std::mutex m_;
    cudaEvent_t last_ = nullptr;
};

class Lane {
public:
    Lane(ResourceTable& table, Submitter& submitter, Handle scratch, int tag)
        : table_(table), submitter_(submitter), scratch_(scratch), out_(table.create(kMaxLanes)), tag_(tag) {
        ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Lane() {
        drop();
        cudaStreamDestroy(stream_);
    }
    void set_width(int lanes) {
        lanes_ = lanes;
        drop();
    }
    void execute() {
        if (!exec_) translate();
        submitter_.submit(exec_, stream_);
        ok(cudaStreamSynchronize(stream_));
    }
    int read(int lane) const {
        int v = -1;
        ok(cudaMemcpy(&v, table_[out_] + lane, sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    void drop() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    void translate() {
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        stage<<<kMaxLanes / 64, 64, 0, stream_>>>(table_[scratch_], tag_, 40000000LL);
        commit<<<lanes_ / 64, 64, 0, stream_>>>(table_[out_], table_[scratch_]);
        ok(cudaStreamEndCapture(stream_, &graph));
        ok(cudaGraphInstantiate(&exec_, graph, 0));
        ok(cudaGraphDestroy(graph));
    }
    ResourceTable& table_;
    Submitter& submitter_;
    Handle scratch_, out_;
    int tag_;
    int lanes_ = 256;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace vm

int main() {
    vm::ResourceTable table;
    vm::Submitter submitter;
    vm::Handle shared = table.create(vm::kMaxLanes);
    vm::Lane even(table, submitter, shared, 1), odd(table, submitter, shared, 2);
    even.execute();
    odd.execute();
    bool solo = even.read(100) == 10 && odd.read(100) == 20 && even.read(900) == 0;
    even.set_width(vm::kMaxLanes);
    even.execute();
    int wide = even.read(900);
    int mixed = 0;
    for (int round = 0; round < 4; ++round) {
        std::thread a([&] { even.execute(); });
        std::thread b([&] { odd.execute(); });
        a.join();
        b.join();
        mixed += even.read(100) != 10 || odd.read(100) != 20;
    }
    int err = vm::first_error.load();
    if (solo && err == 0 && wide == 10 && mixed == 0) std::puts("LABEL CONFIRMED");
    else std::printf("LABEL REFUTED solo=%d err=%d wide=%d mixed=%d\n", solo, err, wide, mixed);
    return 0;
}
