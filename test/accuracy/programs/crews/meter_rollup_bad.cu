// Smart-meter rollup: hourly readings are folded into feeder totals, with domain events for every completed rollup.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace meters {

void require(cudaError_t rc, const char* operation) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(operation) + ": " + cudaGetErrorName(rc));
}

constexpr int kMeters = 4096;
constexpr int kFeeders = 16;

struct RollupCompleted {
    std::string region;
};

class IEventBus {
public:
    using Handler = std::function<void(const RollupCompleted&)>;
    virtual ~IEventBus() = default;
    virtual void subscribe(Handler handler) = 0;
    virtual void publish(const RollupCompleted& event) = 0;
};

class InProcessEventBus final : public IEventBus {
public:
    void subscribe(Handler handler) override { handlers_.push_back(std::move(handler)); }
    void publish(const RollupCompleted& event) override {
        for (const Handler& h : handlers_) h(event);
    }

private:
    std::vector<Handler> handlers_;
};

// Page-locked storage that the ingest adapter fills before every rollup.
class ReadingRepository {
public:
    ReadingRepository() { require(cudaMallocHost(&readings_, kMeters * sizeof(int)), "ReadingRepository"); }
    ~ReadingRepository() { cudaFreeHost(readings_); }
    ReadingRepository(const ReadingRepository&) = delete;
    ReadingRepository& operator=(const ReadingRepository&) = delete;
    int* readings() { return readings_; }

private:
    int* readings_ = nullptr;
};

__global__ void foldReadings(const int* readings, int* totals, int meters) {
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < meters) atomicAdd(&totals[m % kFeeders], readings[m]);
}

__global__ void peakFeeder(const int* totals, int* peak) {
    int best = totals[0];
    for (int f = 1; f < kFeeders; ++f) best = totals[f] > best ? totals[f] : best;
    *peak = best;
}

class RollupService {
public:
    RollupService(std::shared_ptr<IEventBus> bus, std::shared_ptr<ReadingRepository> repository, std::string region)
        : bus_(std::move(bus)), repository_(std::move(repository)), region_(std::move(region)) {
        require(cudaStreamCreateWithFlags(&work_, cudaStreamNonBlocking), "work stream");
        require(cudaStreamCreateWithFlags(&telemetry_, cudaStreamNonBlocking), "telemetry stream");
        require(cudaMalloc(&readings_, kMeters * sizeof(int)), "readings");
        require(cudaMalloc(&totals_, kFeeders * sizeof(int)), "totals");
        require(cudaMalloc(&peak_, sizeof(int)), "peak");
        require(cudaMallocHost(&hostTotals_, kFeeders * sizeof(int)), "host totals");
        require(cudaMallocHost(&hostPeak_, sizeof(int)), "host peak");
        require(cudaMemset(totals_, 0, kFeeders * sizeof(int)), "clear");
        require(cudaDeviceSynchronize(), "setup");
        prepare();
    }
    ~RollupService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (int* p : {readings_, totals_, peak_}) cudaFree(p);
        for (int* p : {hostTotals_, hostPeak_}) cudaFreeHost(p);
        cudaStreamDestroy(telemetry_);
        cudaStreamDestroy(work_);
    }

    void rollUp() {
        require(cudaGraphLaunch(exec_, work_), "launch");
        require(cudaStreamSynchronize(work_), "rollup");
        require(cudaStreamSynchronize(telemetry_), "telemetry");
    }
    int peak() const { return *hostPeak_; }
    const int* feederTotals() const { return hostTotals_; }

private:
    void enqueueTelemetry() {
        const size_t bytes = kFeeders * sizeof(int);
        require(cudaMemcpyAsync(hostTotals_, totals_, bytes, cudaMemcpyDeviceToHost, telemetry_), "copy");  // HAZARD escape
    }

    void enqueueRollup() {
        require(cudaMemcpyAsync(readings_, repository_->readings(), kMeters * sizeof(int), cudaMemcpyHostToDevice,
                                work_), "readings");
        require(cudaMemsetAsync(totals_, 0, kFeeders * sizeof(int), work_), "clear");
        foldReadings<<<kMeters / 256, 256, 0, work_>>>(readings_, totals_, kMeters);
        require(cudaGetLastError(), "fold");
        enqueueTelemetry();
        peakFeeder<<<1, 1, 0, work_>>>(totals_, peak_);
        require(cudaGetLastError(), "peak");
        require(cudaMemcpyAsync(hostPeak_, peak_, sizeof(int), cudaMemcpyDeviceToHost, work_), "peak copy");
        bus_->publish(RollupCompleted{region_});  // HAZARD host_logic
    }

    void prepare() {
        require(cudaStreamBeginCapture(work_, cudaStreamCaptureModeRelaxed), "begin");
        cudaGraph_t graph = nullptr;
        try {
            enqueueRollup();
        } catch (...) {
            cudaStreamEndCapture(work_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        require(cudaStreamEndCapture(work_, &graph), "end");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        require(rc, "instantiate");
    }

    std::shared_ptr<IEventBus> bus_;
    std::shared_ptr<ReadingRepository> repository_;
    std::string region_;
    cudaStream_t work_ = nullptr, telemetry_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *readings_ = nullptr, *totals_ = nullptr, *peak_ = nullptr;
    int *hostTotals_ = nullptr, *hostPeak_ = nullptr;
};

}  // namespace meters

int main() {
    using namespace meters;
    int announced = 0;
    bool calls = true, peaks = true, totals = true;
    const int rounds = 4;
    try {
        auto bus = std::make_shared<InProcessEventBus>();
        bus->subscribe([&announced](const RollupCompleted& e) { announced += e.region == "north" ? 1 : 0; });
        auto repository = std::make_shared<ReadingRepository>();
        for (int m = 0; m < kMeters; ++m) repository->readings()[m] = 0;
        RollupService service(bus, repository, "north");
        for (int round = 1; round <= rounds; ++round) {
            std::vector<int> want(kFeeders, 0);
            for (int m = 0; m < kMeters; ++m) {
                repository->readings()[m] = round * (1 + m % kFeeders);
                want[m % kFeeders] += repository->readings()[m];
            }
            service.rollUp();
            peaks = peaks && service.peak() == want[kFeeders - 1];
            for (int f = 0; f < kFeeders; ++f) totals = totals && service.feederTotals()[f] == want[f];
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        calls = false;
    }
    std::printf("announced %d of %d, peaks %d, telemetry %d\n", announced, rounds, peaks, totals);
    std::puts(calls && peaks && !totals && announced != rounds ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
