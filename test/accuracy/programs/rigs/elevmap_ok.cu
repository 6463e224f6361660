// Elevation mapping for a legged robot: range scans are fused into a map that rolls forward with the body.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace terrain {

constexpr int kRows = 24, kCols = 64;
constexpr float kDecay = 0.5f;

class DeviceFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

#define TERRAIN_CHECK(expr)                                                                       \
    do {                                                                                          \
        if (const cudaError_t rc_ = (expr); rc_ != cudaSuccess)                                   \
            throw DeviceFault(std::string(#expr) + ": " + cudaGetErrorString(rc_));               \
    } while (0)

struct Cell {
    float height;
    float confidence;
};

struct DeviceDeleter {
    void operator()(void* p) const { cudaFree(p); }
};
struct PinnedDeleter {
    void operator()(void* p) const { cudaFreeHost(p); }
};
template <class T> using DevicePtr = std::unique_ptr<T[], DeviceDeleter>;
template <class T> using PinnedPtr = std::unique_ptr<T[], PinnedDeleter>;

template <class T> DevicePtr<T> make_device(size_t n) {
    void* p = nullptr;
    TERRAIN_CHECK(cudaMalloc(&p, n * sizeof(T)));
    DevicePtr<T> owner(static_cast<T*>(p));
    TERRAIN_CHECK(cudaMemset(p, 0, n * sizeof(T)));
    return owner;
}
template <class T> PinnedPtr<T> make_pinned(size_t n) {
    void* p = nullptr;
    TERRAIN_CHECK(cudaMallocHost(&p, n * sizeof(T)));
    return PinnedPtr<T>(static_cast<T*>(p));
}

__host__ __device__ inline Cell faded(Cell c) { return Cell{c.height, c.confidence * kDecay}; }
__host__ __device__ inline Cell measured(float range) { return Cell{1.5f - range, 1.0f}; }

__global__ void fade_map(Cell* map) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kRows * kCols) map[i] = faded(map[i]);
}

__global__ void advance_front(int* front) { *front = (*front + 1) % kRows; }

__global__ void fuse_scan(Cell* map, const float* scan, const int* front) {
    map[*front * kCols + threadIdx.x] = measured(scan[threadIdx.x]);
}

// Owns a stream and turns a piece of enqueueing code into something that can be replayed.
class Recorder {
public:
    Recorder() { TERRAIN_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Recorder() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    template <class Body> void record(Body&& body) {
        cudaGraph_t graph = nullptr;
        TERRAIN_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            body(stream_);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        TERRAIN_CHECK(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        TERRAIN_CHECK(rc);
    }
    void replay() {
        TERRAIN_CHECK(cudaGraphLaunch(exec_, stream_));
        TERRAIN_CHECK(cudaStreamSynchronize(stream_));
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

using RowObserver = std::function<void(int row)>;

class ElevationMapper {
public:
    ElevationMapper()
        : map_(make_device<Cell>(kRows * kCols)), scan_(make_device<float>(kCols)), staging_(make_pinned<float>(kCols)),
          d_front_(make_device<int>(1)) {
        TERRAIN_CHECK(cudaMemcpy(d_front_.get(), &front_, sizeof(int), cudaMemcpyHostToDevice));
        TERRAIN_CHECK(cudaDeviceSynchronize());
    }

    void observe(RowObserver observer) { observers_.push_back(std::move(observer)); }

    void start() {
        recorder_.record([this](cudaStream_t stream) { update(stream); });
    }

    void onScan(const std::vector<float>& ranges) {
        for (int c = 0; c < kCols; ++c) staging_[c] = ranges[c];
        recorder_.replay();
        front_ = (front_ + 1) % kRows;
        for (const auto& notify : observers_) notify(front_);
    }

    std::vector<Cell> snapshot() const {
        std::vector<Cell> out(kRows * kCols);
        TERRAIN_CHECK(cudaMemcpy(out.data(), map_.get(), out.size() * sizeof(Cell), cudaMemcpyDeviceToHost));
        return out;
    }

private:
    void update(cudaStream_t stream) {
        TERRAIN_CHECK(cudaMemcpyAsync(scan_.get(), staging_.get(), kCols * sizeof(float), cudaMemcpyHostToDevice, stream));
        fade_map<<<(kRows * kCols + 127) / 128, 128, 0, stream>>>(map_.get());
        TERRAIN_CHECK(cudaGetLastError());
        advance_front<<<1, 1, 0, stream>>>(d_front_.get());
        TERRAIN_CHECK(cudaGetLastError());
        fuse_scan<<<1, kCols, 0, stream>>>(map_.get(), scan_.get(), d_front_.get());
        TERRAIN_CHECK(cudaGetLastError());
    }

    DevicePtr<Cell> map_;
    DevicePtr<float> scan_;
    PinnedPtr<float> staging_;
    DevicePtr<int> d_front_;
    Recorder recorder_;
    std::vector<RowObserver> observers_;
    int front_ = -1;  // host copy of *d_front_
};

// Rows that the foothold planner has to look at again.
class FootholdPlanner {
public:
    void rowChanged(int row) { dirty_.push_back(row); }
    const std::vector<int>& dirty() const { return dirty_; }

private:
    std::vector<int> dirty_;
};

class SimulatedLidar {
public:
    std::vector<float> scan(int tick) const {
        std::vector<float> r(kCols);
        for (int c = 0; c < kCols; ++c) r[c] = 1.5f + 0.25f * std::sin(0.2f * c + 0.9f * tick) - 0.01f * tick;
        return r;
    }
};

class ReferenceMap {
public:
    void fuse(const std::vector<float>& ranges) {
        for (Cell& c : cells_) c = faded(c);
        row_ = (row_ + 1) % kRows;
        for (int c = 0; c < kCols; ++c) cells_[row_ * kCols + c] = measured(ranges[c]);
    }
    int differences(const std::vector<Cell>& other) const {
        int n = 0;
        for (size_t i = 0; i < cells_.size(); ++i)
            n += std::fabs(cells_[i].height - other[i].height) > 1e-5f ||
                 std::fabs(cells_[i].confidence - other[i].confidence) > 1e-5f;
        return n;
    }

private:
    std::vector<Cell> cells_ = std::vector<Cell>(kRows * kCols, Cell{0.0f, 0.0f});
    int row_ = -1;
};

}  // namespace terrain

int main() {
    constexpr int kScans = 10;
    try {
        terrain::ElevationMapper mapper;
        terrain::FootholdPlanner planner;
        const terrain::SimulatedLidar lidar;
        terrain::ReferenceMap reference;
        mapper.observe([&planner](int row) { planner.rowChanged(row); });
        mapper.start();
        int first = 0, last = 0;
        for (int t = 0; t < kScans; ++t) {
            const auto ranges = lidar.scan(t);
            mapper.onScan(ranges);
            reference.fuse(ranges);
            last = reference.differences(mapper.snapshot());
            if (t == 0) first = last;
        }
        std::printf("cells off: %d after one scan, %d after %d; planner saw %zu rows\n", first, last, kScans,
                    planner.dirty().size());
        std::puts(first == 0 && last == 0 && planner.dirty().size() == kScans && planner.dirty().back() == kScans - 1 ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
