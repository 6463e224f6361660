// Rollups over refrigerated-container telemetry. A query (door openings, temperature excursions) is compiled
// once into a recorded plan, kept in a plan cache under its text, and run for every batch of readings.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rollup {

constexpr int kRows = 32768;
constexpr int kGroups = 32;
constexpr int kRowsPerGroup = kRows / kGroups;

#define Q(expr) ::rollup::guard((expr), #expr, __LINE__)
inline void guard(cudaError_t e, const char* what, int line) {
    if (e == cudaSuccess) return;
    std::printf("line %d: %s: %s\nLABEL WRONG\n", line, what, cudaGetErrorString(e));
    std::exit(0);
}

// Bump allocator for constants and intermediate columns; everything in it goes away at once.
class Arena {
public:
    explicit Arena(size_t bytes) : size_(bytes) { Q(cudaMalloc(&base_, bytes)); }
    ~Arena() { cudaFree(base_); }
    template <class T>
    T* make(size_t n) {
        size_t at = (used_ + 255) / 256 * 256;
        if (at + n * sizeof(T) > size_) std::abort();
        used_ = at + n * sizeof(T);
        return reinterpret_cast<T*>(base_ + at);
    }
    void rewind() { used_ = 0; }

private:
    char* base_ = nullptr;
    size_t size_, used_ = 0;
};

struct Batch {
    int* temperature;  // tenths of a degree
    int* door;         // seconds open
};

// Columns are stored compressed; unpacking takes most of the time of a scan.
__device__ int unpack(const int* column, int row, long long cost) {
    long long t0 = clock64();
    while (clock64() - t0 < cost) {
    }
    return column[row];
}

__global__ void excursions(const int* column, const int* limits, long long cost, int* partial) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, g = row / kRowsPerGroup;
    int v = unpack(column, row, cost);
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (v > limits[g]) atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = n;
}

__global__ void openSeconds(const int* column, int* partial) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    atomicAdd(&n, column[row]);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = n;
}

__global__ void foldPartials(const int* partial, int perGroup, long long cost, int* out) {
    int zero = unpack(partial, 0, cost) * 0;
    __syncthreads();
    int g = threadIdx.x, sum = zero;
    for (int k = 0; k < perGroup; ++k) sum += partial[g * perGroup + k];
    out[g] = sum;
}

constexpr int kThreads = 512;
constexpr int kBlocks = kRows / kThreads;
constexpr int kPartialsPerGroup = kBlocks / kGroups;

struct Query {
    std::string text;
    std::vector<int> limits;  // per group
};

struct Result {
    int excursions[kGroups];
    int openSeconds[kGroups];
};

class Fork {
public:
    Fork(cudaStream_t from, cudaStream_t to) : from_(from), to_(to) {
        Q(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming));
        Q(cudaEventRecord(e_, from_));
        Q(cudaStreamWaitEvent(to_, e_, 0));
    }
    ~Fork() {
        Q(cudaEventRecord(e_, to_));
        Q(cudaStreamWaitEvent(from_, e_, 0));
        Q(cudaEventDestroy(e_));
    }

private:
    cudaStream_t from_, to_;
    cudaEvent_t e_;
};

class Plan {
public:
    Plan(const Query& q, const Batch& in, Arena& session, cudaStream_t main, cudaStream_t side) : stream_(main) {
        Q(cudaMalloc(&out_, sizeof(Result)));
        Q(cudaMallocHost(&host_, sizeof(Result)));
        Q(cudaMalloc(&partials_, 2 * kBlocks * sizeof(int)));
        int* limits = session.make<int>(kGroups);
        Q(cudaMemcpy(limits, q.limits.data(), kGroups * sizeof(int), cudaMemcpyHostToDevice));
        Q(cudaDeviceSynchronize());

        cudaGraph_t g = nullptr;
        Q(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
        {
            Fork fork(main, side);
            openSeconds<<<kBlocks, kThreads, 0, main>>>(in.door, partials_);  // HAZARD concurrent #b
            foldPartials<<<1, kGroups, 0, main>>>(partials_, kPartialsPerGroup, 9000000, out_->openSeconds);
            excursions<<<kBlocks, kThreads, 0, side>>>(in.temperature, limits, 3000000,  // HAZARD dangling #a
                                                       partials_);  // HAZARD concurrent #b
            foldPartials<<<1, kGroups, 0, side>>>(partials_, kPartialsPerGroup, 0, out_->excursions);
        }
        Q(cudaMemcpyAsync(host_, out_, sizeof(Result), cudaMemcpyDeviceToHost, main));
        Q(cudaStreamEndCapture(main, &g));
        Q(cudaGraphInstantiate(&exec_, g, 0));
        Q(cudaGraphDestroy(g));
    }
    Plan(const Plan&) = delete;
    ~Plan() {
        cudaGraphExecDestroy(exec_);
        cudaFree(out_);
        cudaFree(partials_);
        cudaFreeHost(host_);
    }
    Result run() {
        Q(cudaGraphLaunch(exec_, stream_));
        Q(cudaStreamSynchronize(stream_));
        return *host_;
    }

private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
    Result *out_ = nullptr, *host_ = nullptr;
    int* partials_ = nullptr;
};

class Engine {
public:
    Engine() : columns_(2 * kRows * sizeof(int) + 4096), session_(1 << 20) {
        Q(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
        Q(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
        batch_ = {columns_.make<int>(kRows), columns_.make<int>(kRows)};
    }
    ~Engine() {
        plans_.clear();
        cudaStreamDestroy(main_);
        cudaStreamDestroy(side_);
    }
    void load(const std::vector<int>& temperature, const std::vector<int>& door) {
        Q(cudaMemcpy(batch_.temperature, temperature.data(), kRows * sizeof(int), cudaMemcpyHostToDevice));
        Q(cudaMemcpy(batch_.door, door.data(), kRows * sizeof(int), cudaMemcpyHostToDevice));
        Q(cudaDeviceSynchronize());
    }
    Result execute(const Query& q) {
        auto it = plans_.find(q.text);
        if (it == plans_.end())
            it = plans_.emplace(q.text, std::make_unique<Plan>(q, batch_, session_, main_, side_)).first;
        return it->second->run();
    }
    void endSession() { session_.rewind(); }  // HAZARD dangling #a

private:
    Arena columns_, session_;
    cudaStream_t main_ = nullptr, side_ = nullptr;
    Batch batch_{};
    std::map<std::string, std::unique_ptr<Plan>> plans_;
};

Result onCpu(const Query& q, const std::vector<int>& temperature, const std::vector<int>& door) {
    Result r{};
    for (int i = 0; i < kRows; ++i) {
        r.excursions[i / kRowsPerGroup] += temperature[i] > q.limits[i / kRowsPerGroup];
        r.openSeconds[i / kRowsPerGroup] += door[i];
    }
    return r;
}

void readings(int day, std::vector<int>& temperature, std::vector<int>& door) {
    temperature.resize(kRows);
    door.resize(kRows);
    for (int i = 0; i < kRows; ++i) {
        temperature[i] = -200 + (i * 37 + day * 11) % 120;
        door[i] = 1000 + (i * 5 + day) % 30;
    }
}

template <size_t N>
bool same(const int (&a)[N], const int (&b)[N]) {
    return std::memcmp(a, b, sizeof a) == 0;
}

}  // namespace rollup

int main() {
    using namespace rollup;
    Engine engine;
    Query fish{"fish > -18.0", std::vector<int>(kGroups, -180)};
    Query vaccines{"vaccine > -15.0", std::vector<int>(kGroups, -150)};
    for (int g = 0; g < kGroups; ++g) fish.limits[g] += g % 5, vaccines.limits[g] += g % 3;

    std::vector<int> t, d;
    int doorWrong = 0, fishLikeVaccine = 0;
    bool firstRight = false;
    for (int day = 0; day < 3; ++day) {
        readings(day, t, d);
        engine.load(t, d);
        Result want = onCpu(fish, t, d), other = onCpu(vaccines, t, d);
        Result got = engine.execute(fish);
        if (day == 0) firstRight = same(got.excursions, want.excursions);
        doorWrong += !same(got.openSeconds, want.openSeconds);
        if (day > 0) fishLikeVaccine += same(got.excursions, other.excursions);
        std::printf("day %d: excursions %d (expected %d), open %d (expected %d)\n", day, got.excursions[0],
                    want.excursions[0], got.openSeconds[0], want.openSeconds[0]);
        engine.endSession();
        engine.execute(vaccines);
    }
    bool confirmed = firstRight && doorWrong == 3 && fishLikeVaccine == 2;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
