// Two-lane graph built from policy classes; constant tables live in an arena.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace lanes {

inline void verify(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::printf("LABEL REFUTED %s: %s\n", what, cudaGetErrorName(e));
    std::exit(0);
}

template <class T, int BlockLen>
class Arena {
public:
    static constexpr int block_len = BlockLen;
    using value_type = T;
    explicit Arena(int blocks) {
        verify(cudaMalloc(&base_, sizeof(T) * BlockLen * blocks), "arena");
        for (int b = blocks - 1; b >= 0; --b) free_.push_back(base_ + b * BlockLen);
    }
    Arena(const Arena&) = delete;
    ~Arena() { cudaFree(base_); }
    T* take() {
        T* p = free_.back();
        free_.pop_back();
        return p;
    }
    void give(T* p) { free_.push_back(p); }

private:
    T* base_ = nullptr;
    std::vector<T*> free_;
};

template <class A>
class Scoped {
public:
    using T = typename A::value_type;
    Scoped(A& arena, T fill) : arena_(&arena), p_(arena.take()) {
        std::vector<T> host(A::block_len, fill);
        verify(cudaMemcpy(p_, host.data(), sizeof(T) * A::block_len, cudaMemcpyHostToDevice), "table");
    }
    Scoped(Scoped&& o) noexcept : arena_(o.arena_), p_(std::exchange(o.p_, nullptr)) {}
    Scoped& operator=(Scoped&&) = delete;
    ~Scoped() {
        if (p_) arena_->give(p_);
    }
    T* get() const { return p_; }

private:
    A* arena_;
    T* p_;
};

struct Stream {
    cudaStream_t h = nullptr;
    Stream() { verify(cudaStreamCreateWithFlags(&h, cudaStreamNonBlocking), "stream"); }
    ~Stream() { cudaStreamDestroy(h); }
};

struct Fence {
    cudaEvent_t h = nullptr;
    Fence() { verify(cudaEventCreateWithFlags(&h, cudaEventDisableTiming), "event"); }
    ~Fence() { cudaEventDestroy(h); }
    void order(const Stream& before, const Stream& after) {
        verify(cudaEventRecord(h, before.h), "record");
        verify(cudaStreamWaitEvent(after.h, h, 0), "wait");
    }
};

__global__ void produce(int* signal) {
    const long long start = clock64();
    while (clock64() - start < 20000000LL) {
    }
    signal[threadIdx.x] += 1;
}

__global__ void consume(const int* signal, int* report) { report[threadIdx.x] = signal[threadIdx.x]; }

__global__ void applyTable(const int* table, int* mapped) { mapped[threadIdx.x] = 3 * table[threadIdx.x]; }

template <class A>
class Program {
public:
    explicit Program(A& arena) : arena_(arena), signal_(arena, 0), report_(arena, -1), mapped_(arena, -1), table_(arena, 7) { build(); }
    ~Program() { cudaGraphExecDestroy(exec_); }
    void replay() {
        verify(cudaGraphLaunch(exec_, main_.h), "launch");
        verify(cudaStreamSynchronize(main_.h), "replay");
    }
    int report() const { return peek(report_.get()); }
    int mapped() const { return peek(mapped_.get()); }

private:
    static int peek(const int* p) {
        int v = 0;
        verify(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost), "peek");
        return v;
    }
    void build() {
        constexpr int n = A::block_len;
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(main_.h, cudaStreamCaptureModeThreadLocal), "begin");
        produce<<<1, n, 0, main_.h>>>(signal_.get());
        fork_.order(main_, side_);
        consume<<<1, n, 0, side_.h>>>(signal_.get(), report_.get());
        applyTable<<<1, n, 0, main_.h>>>(table_.get(), mapped_.get());
        join_.order(side_, main_);
        verify(cudaStreamEndCapture(main_.h, &graph), "end");
        verify(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
    }

    A& arena_;
    Scoped<A> signal_, report_, mapped_, table_;
    Stream main_, side_;
    Fence fork_, join_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lanes

int main() {
    using Arena = lanes::Arena<int, 128>;
    Arena arena(8);
    lanes::Program<Arena> program(arena);
    int reports[3], mapped[3];
    for (int k = 0; k < 3; ++k) {
        lanes::Scoped<Arena> request(arena, 100 + k);
        program.replay();
        reports[k] = program.report();
        mapped[k] = program.mapped();
    }
    const bool confirmed = reports[0] == 1 && reports[2] == 3 && mapped[0] == 21 && mapped[2] == 21;
    if (confirmed)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED report=%d,%d mapped=%d,%d\n", reports[0], reports[2], mapped[0], mapped[2]);
    return 0;
}
