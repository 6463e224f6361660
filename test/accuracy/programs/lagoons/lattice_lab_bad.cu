// Cellular automata laboratory. Experiments are described by a plan; every call reports a Status instead of throwing.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

constexpr int kSide = 128, kCells = kSide * kSide, kMaxRadius = 4;
const dim3 kBlock(16, 16), kGrid(kSide / 16, kSide / 16);

// ---- status --------------------------------------------------------------------------------------

struct Status {
    cudaError_t code = cudaSuccess;
    std::string text;

    static Status failure(std::string t) { return {cudaErrorInvalidValue, std::move(t)}; }
    static Status of(cudaError_t e, const char* op) {
        return e == cudaSuccess ? Status{} : Status{e, std::string(op) + ": " + cudaGetErrorString(e)};
    }
    bool ok() const { return code == cudaSuccess; }
};

#define TRY_STATUS(expr)                   \
    do {                                   \
        Status status__ = (expr);          \
        if (!status__.ok()) return status__; \
    } while (0)
#define TRY_CUDA(call) TRY_STATUS(Status::of((call), #call))

// ---- rules, written once for host and device -------------------------------------------------------

__host__ __device__ inline int cellAt(const int* c, int x, int y) {
    return c[((y + kSide) % kSide) * kSide + (x + kSide) % kSide];
}

__host__ __device__ inline int lifeRule(const int* c, int x, int y) {
    int n = -cellAt(c, x, y);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) n += cellAt(c, x + dx, y + dy);
    return n == 3 || (n == 2 && cellAt(c, x, y));
}

__host__ __device__ inline int majorityRule(const int* c, int x, int y, int radius) {
    int n = 0, all = (2 * radius + 1) * (2 * radius + 1);
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) n += cellAt(c, x + dx, y + dy);
    return 3 * n > all;
}

__global__ void lifeKernel(const int* in, int* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * kSide + x] = lifeRule(in, x, y);
}

__global__ void majorityKernel(const int* in, int* out, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * kSide + x] = majorityRule(in, x, y, radius);
}

__global__ void censusKernel(const int* c, int* alive) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (c[y * kSide + x]) atomicAdd(alive, 1);
}

// ---- plans ---------------------------------------------------------------------------------------

struct Stage {
    std::string rule;
    int radius = 1;
};

struct Plan {
    std::vector<Stage> stages;
    bool census = false;
};

class Lab {
public:
    static std::unique_ptr<Lab> create(const std::vector<int>& seed, Status& status) {
        std::unique_ptr<Lab> lab(new Lab);
        status = lab->allocate(seed);
        return status.ok() ? std::move(lab) : nullptr;
    }
    ~Lab() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(cells_);
        cudaFree(next_);
        cudaFree(alive_);
        cudaFreeHost(aliveHost_);
        cudaStreamDestroy(stream_);
    }

    // Replaces the recorded generation by the one of the plan.
    Status configure(const Plan& plan) {
        TRY_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (const Stage& stage : plan.stages) {
            if (stage.radius < 1 || stage.radius > kMaxRadius)
                return Status::failure("radius of " + stage.rule + " is out of range"); // HAZARD scope
            Status s = recordStage(stage);
            if (!s.ok()) return abandon(s);
        }
        if (plan.census) {
            Status s = recordCensus();
            if (!s.ok()) return abandon(s);
        }
        cudaGraph_t graph = nullptr;
        TRY_CUDA(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t exec = nullptr;
        cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        TRY_CUDA(e);
        std::swap(exec, exec_);
        if (exec) TRY_CUDA(cudaGraphExecDestroy(exec));
        return {};
    }

    Status advance(int generations) {
        if (!exec_) return Status::failure("no plan");
        for (int g = 0; g < generations; ++g) TRY_CUDA(cudaGraphLaunch(exec_, stream_));
        TRY_CUDA(cudaStreamSynchronize(stream_));
        return {};
    }

    Status read(std::vector<int>& out) const {
        out.resize(kCells);
        TRY_CUDA(cudaMemcpy(out.data(), cells_, kCells * sizeof(int), cudaMemcpyDeviceToHost));
        return {};
    }

    int population() const { return *aliveHost_; }

private:
    Lab() {
        rules_["life"] = [this](const Stage&) { lifeKernel<<<kGrid, kBlock, 0, stream_>>>(cells_, next_); };
        rules_["majority"] = [this](const Stage& s) {
            majorityKernel<<<kGrid, kBlock, 0, stream_>>>(cells_, next_, s.radius);
        };
    }

    Status allocate(const std::vector<int>& seed) {
        TRY_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        TRY_CUDA(cudaMalloc(&cells_, kCells * sizeof(int)));
        TRY_CUDA(cudaMalloc(&next_, kCells * sizeof(int)));
        TRY_CUDA(cudaMalloc(&alive_, sizeof(int)));
        TRY_CUDA(cudaMallocHost(&aliveHost_, sizeof(int)));
        *aliveHost_ = 0;
        TRY_CUDA(cudaMemcpyAsync(cells_, seed.data(), kCells * sizeof(int), cudaMemcpyHostToDevice, stream_));
        TRY_CUDA(cudaStreamSynchronize(stream_));
        return {};
    }

    Status recordStage(const Stage& stage) {
        auto rule = rules_.find(stage.rule);
        if (rule == rules_.end()) return Status::failure("unknown rule " + stage.rule);
        rule->second(stage);
        TRY_CUDA(cudaGetLastError());
        TRY_CUDA(cudaMemcpyAsync(cells_, next_, kCells * sizeof(int), cudaMemcpyDeviceToDevice, stream_));
        return {};
    }

    Status recordCensus() {
        TRY_CUDA(cudaMemsetAsync(alive_, 0, sizeof(int), stream_));
        censusKernel<<<kGrid, kBlock, 0, stream_>>>(cells_, alive_);
        TRY_CUDA(cudaGetLastError());
        TRY_CUDA(cudaMemcpyAsync(aliveHost_, alive_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
        TRY_CUDA(cudaStreamSynchronize(stream_)); // HAZARD refused
        return {};
    }

    Status abandon(Status why) {
        cudaGraph_t partial = nullptr;
        cudaStreamEndCapture(stream_, &partial);
        if (partial) cudaGraphDestroy(partial);
        cudaGetLastError();
        return why;
    }

    cudaStream_t stream_{};
    int *cells_ = nullptr, *next_ = nullptr, *alive_ = nullptr, *aliveHost_ = nullptr;
    cudaGraphExec_t exec_{};
    std::map<std::string, std::function<void(const Stage&)>> rules_;
};

// ---- driver --------------------------------------------------------------------------------------

static std::vector<int> seedCells() {
    std::vector<int> c(kCells);
    std::uint32_t s = 12345;
    for (int& v : c) {
        s = s * 1664525u + 1013904223u;
        v = (s >> 24) < 100;
    }
    return c;
}

static void hostGeneration(std::vector<int>& c, const Plan& plan) {
    for (const Stage& st : plan.stages) {
        std::vector<int> o(kCells);
        for (int y = 0; y < kSide; ++y)
            for (int x = 0; x < kSide; ++x)
                o[y * kSide + x] =
                    st.rule == "life" ? lifeRule(c.data(), x, y) : majorityRule(c.data(), x, y, st.radius);
        c.swap(o);
    }
}

int main() {
    cudaFree(nullptr);
    const Plan life{{{"life"}}, false}, mixed{{{"life"}, {"majority", 2}}, false};
    const Plan counted{{{"life"}}, true}, wide{{{"life"}, {"majority", 9}}, false}, unknown{{{"brain"}}, false};
    std::vector<int> model = seedCells(), cells;
    Status created;
    std::unique_ptr<Lab> lab = Lab::create(model, created);
    if (!lab) {
        std::printf("%s\nLABEL WRONG\n", created.text.c_str());
        return 1;
    }

    const auto follow = [&](const Plan& plan, int generations) {
        Status s = lab->advance(generations);
        if (s.ok()) s = lab->read(cells);
        if (!s.ok()) std::printf("advance: %s\n", s.text.c_str());
        for (int g = 0; g < generations; ++g) hostGeneration(model, plan);
        return s.ok() && cells == model;
    };
    const auto population = [&] {
        int n = 0;
        for (int v : model) n += v;
        return n;
    };

    const bool lifeRight = lab->configure(life).ok() && follow(life, 3);
    const bool mixedRight = lab->configure(mixed).ok() && follow(mixed, 2);

    const Status census = lab->configure(counted);
    std::printf("census: %d %s\n", int(census.code), census.text.c_str());
    const bool censusRight = census.ok() && follow(counted, 3) && lab->population() == population();

    const Plan& current = census.ok() ? counted : mixed;
    const bool unknownRight = !lab->configure(unknown).ok() && follow(current, 2);
    const bool rejectedRight = !lab->configure(wide).ok() && follow(current, 2);

    std::printf("life %d mixed %d census %d unknown %d rejected %d\n", lifeRight, mixedRight, censusRight, unknownRight,
                rejectedRight);
    const bool confirmed = lifeRight && mixedRight && census.code == cudaErrorStreamCaptureUnsupported &&
                           unknownRight && !rejectedRight;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
