// Turbine telemetry: each batch of vibration samples is detrended, its peak deviation is computed and
// observers are informed about processed batches and raised alarms.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace telemetry {

enum class Status { Ok, DeviceFailure, NotReady };

struct PipelineSettings {
    int samplesPerBatch = 4096;
    float baseline = 1.5f;
    float alarmLimit = 6.0f;
};

struct BatchSummary {
    float peakDeviation;
};

class IBatchObserver {
public:
    virtual ~IBatchObserver() = default;
    virtual void onBatchProcessed(long sequence) = 0;
    virtual void onAlarm(const BatchSummary& summary) = 0;
};

class AuditTrail final : public IBatchObserver {
public:
    void onBatchProcessed(long sequence) override { sequences_.push_back(sequence); }
    void onAlarm(const BatchSummary& summary) override { peaks_.push_back(summary.peakDeviation); }
    size_t batches() const { return sequences_.size(); }
    size_t alarms() const { return peaks_.size(); }

private:
    std::vector<long> sequences_;
    std::vector<float> peaks_;
};

class BillingMeter final : public IBatchObserver {
public:
    explicit BillingMeter(int samplesPerBatch) : samplesPerBatch_(samplesPerBatch) {}
    void onBatchProcessed(long) override { billedSamples_ += samplesPerBatch_; }
    void onAlarm(const BatchSummary&) override {}
    long billedSamples() const { return billedSamples_; }

private:
    int samplesPerBatch_;
    long billedSamples_ = 0;
};

__global__ void detrend(const float* raw, float* clean, int n, float baseline) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) clean[i] = raw[i] - baseline;
}

__global__ void peakDeviation(const float* clean, int n, BatchSummary* summary) {
    __shared__ float best[256];
    float local = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) local = fmaxf(local, fabsf(clean[i]));
    best[threadIdx.x] = local;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) summary->peakDeviation = best[0];
}

class DeviceSession {
public:
    static std::unique_ptr<DeviceSession> open(const PipelineSettings& settings) {
        auto session = std::unique_ptr<DeviceSession>(new DeviceSession);
        const size_t bytes = settings.samplesPerBatch * sizeof(float);
        if (cudaStreamCreateWithFlags(&session->stream, cudaStreamNonBlocking) != cudaSuccess) return nullptr;
        if (cudaMallocHost(&session->inbox, bytes) != cudaSuccess) return nullptr;
        if (cudaMallocHost(&session->summary, sizeof(BatchSummary)) != cudaSuccess) return nullptr;
        if (cudaMalloc(&session->raw, bytes) != cudaSuccess) return nullptr;
        if (cudaMalloc(&session->clean, bytes) != cudaSuccess) return nullptr;
        if (cudaMalloc(&session->deviceSummary, sizeof(BatchSummary)) != cudaSuccess) return nullptr;
        *session->summary = BatchSummary{0.f};
        return session;
    }
    ~DeviceSession() {
        cudaFree(raw);
        cudaFree(clean);
        cudaFree(deviceSummary);
        cudaFreeHost(inbox);
        cudaFreeHost(summary);
        if (stream) cudaStreamDestroy(stream);
    }

    cudaStream_t stream = nullptr;
    float* inbox = nullptr;
    BatchSummary* summary = nullptr;
    float* raw = nullptr;
    float* clean = nullptr;
    BatchSummary* deviceSummary = nullptr;

private:
    DeviceSession() = default;
};

class BatchPipeline {
public:
    BatchPipeline(PipelineSettings settings, std::unique_ptr<DeviceSession> session)
        : settings_(settings), session_(std::move(session)) {}
    ~BatchPipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    BatchPipeline(const BatchPipeline&) = delete;
    BatchPipeline& operator=(const BatchPipeline&) = delete;

    void subscribe(std::shared_ptr<IBatchObserver> observer) { observers_.push_back(std::move(observer)); }

    Status start() {
        cudaGraph_t graph = nullptr;
        if (cudaStreamBeginCapture(session_->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
            return Status::DeviceFailure;
        const cudaError_t body = processBatch();
        const cudaError_t end = cudaStreamEndCapture(session_->stream, &graph);
        if (body != cudaSuccess || end != cudaSuccess) {
            if (graph) cudaGraphDestroy(graph);
            return Status::DeviceFailure;
        }
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return made == cudaSuccess ? Status::Ok : Status::DeviceFailure;
    }

    Status submit(const std::vector<float>& samples) {
        if (!exec_) return Status::NotReady;
        std::copy(samples.begin(), samples.end(), session_->inbox);
        if (cudaGraphLaunch(exec_, session_->stream) != cudaSuccess) return Status::DeviceFailure;
        if (cudaStreamSynchronize(session_->stream) != cudaSuccess) return Status::DeviceFailure;
        lastSummary_ = *session_->summary;
        publish(lastSummary_);
        return Status::Ok;
    }

    BatchSummary lastSummary() const { return lastSummary_; }
    long delivered() const { return delivered_.load(); }

private:
    cudaError_t processBatch() {
        const int n = settings_.samplesPerBatch;
        cudaError_t e = cudaMemcpyAsync(session_->raw, session_->inbox, n * sizeof(float), cudaMemcpyHostToDevice,
                                        session_->stream);
        if (e != cudaSuccess) return e;
        detrend<<<(n + 255) / 256, 256, 0, session_->stream>>>(session_->raw, session_->clean, n, settings_.baseline);
        if ((e = cudaGetLastError()) != cudaSuccess) return e;
        peakDeviation<<<1, 256, 0, session_->stream>>>(session_->clean, n, session_->deviceSummary);
        if ((e = cudaGetLastError()) != cudaSuccess) return e;
        e = cudaMemcpyAsync(session_->summary, session_->deviceSummary, sizeof(BatchSummary), cudaMemcpyDeviceToHost,
                            session_->stream);
        if (e != cudaSuccess) return e;
        return cudaLaunchHostFunc(session_->stream, &BatchPipeline::countDelivery, &delivered_);
    }

    static void CUDART_CB countDelivery(void* counter) { static_cast<std::atomic<long>*>(counter)->fetch_add(1); }

    void publish(const BatchSummary& summary) {
        ++sequence_;
        for (auto& o : observers_) o->onBatchProcessed(sequence_);
        if (summary.peakDeviation > settings_.alarmLimit)
            for (auto& o : observers_) o->onAlarm(summary);
    }

    PipelineSettings settings_;
    std::unique_ptr<DeviceSession> session_;
    std::vector<std::shared_ptr<IBatchObserver>> observers_;
    cudaGraphExec_t exec_ = nullptr;
    BatchSummary lastSummary_{0.f};
    long sequence_ = 0;
    std::atomic<long> delivered_{0};
};

std::vector<float> vibrationBatch(const PipelineSettings& s, int batch) {
    std::vector<float> samples(s.samplesPerBatch);
    for (int i = 0; i < s.samplesPerBatch; ++i) samples[i] = s.baseline + 0.001f * (i % 1000);
    samples[(batch * 577 + 31) % s.samplesPerBatch] = s.baseline + 3.f + 1.5f * batch;
    return samples;
}

float referencePeak(const std::vector<float>& samples, float baseline) {
    float peak = 0.f;
    for (float v : samples) peak = std::max(peak, std::fabs(v - baseline));
    return peak;
}

}  // namespace telemetry

int main() {
    using namespace telemetry;
    constexpr int kBatches = 6;
    PipelineSettings settings;
    auto session = DeviceSession::open(settings);
    if (!session) {
        std::printf("LABEL WRONG\n");
        return 1;
    }
    auto audit = std::make_shared<AuditTrail>();
    auto billing = std::make_shared<BillingMeter>(settings.samplesPerBatch);
    BatchPipeline pipeline(settings, std::move(session));
    pipeline.subscribe(audit);
    pipeline.subscribe(billing);

    bool devicePartRight = pipeline.start() == Status::Ok;
    size_t expectedAlarms = 0;
    for (int b = 0; b < kBatches; ++b) {
        const std::vector<float> samples = vibrationBatch(settings, b);
        devicePartRight = pipeline.submit(samples) == Status::Ok && devicePartRight;
        const float peak = referencePeak(samples, settings.baseline);
        devicePartRight = devicePartRight && std::fabs(pipeline.lastSummary().peakDeviation - peak) < 1e-5f;
        if (peak > settings.alarmLimit) ++expectedAlarms;
    }
    const long expectedSamples = static_cast<long>(kBatches) * settings.samplesPerBatch;
    std::printf("batches %zu of %d, alarms %zu of %zu, billed %ld of %ld\n", audit->batches(), kBatches,
                audit->alarms(), expectedAlarms, billing->billedSamples(), expectedSamples);
    const bool hostPartRight = audit->batches() == kBatches && billing->billedSamples() == expectedSamples &&
                               audit->alarms() == expectedAlarms && pipeline.delivered() == kBatches;
    std::printf(devicePartRight && hostPartRight ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
