// Telemetry hub: every topic owns a small graph that samples a device metric, brings it to the host and accumulates
// it in a host callback. Observers of the topic are notified after each published sample.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace telemetry {

inline void require(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class ISampleObserver {
public:
    virtual ~ISampleObserver() = default;
    virtual void onSample(const std::string& topic, long total, int samples) = 0;
};

struct TopicConfig {
    std::string name;
    int increment = 1;
};

using TopicId = size_t;

__global__ void sampleMetric(int* metric, int* out, int increment) {
    *metric += increment;
    *out = *metric;
}

class Hub {
public:
    Hub() : arena_(8192), topics_(&arena_) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~Hub() {
        cudaStreamSynchronize(stream_);
        for (Topic& t : topics_) {
            if (t.exec) cudaGraphExecDestroy(t.exec);
            cudaFree(t.device);
            cudaFreeHost(t.latest);
        }
        cudaStreamDestroy(stream_);
    }
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;

    TopicId openTopic(const TopicConfig& config) {
        names_.push_back(config.name);
        observers_.emplace_back();
        topics_.push_back(Topic{});  // HAZARD dangling #topic
        Topic& topic = topics_.back();
        require(cudaMalloc(&topic.device, 2 * sizeof(int)), "metric");
        require(cudaMemset(topic.device, 0, 2 * sizeof(int)), "metric");
        require(cudaMallocHost(&topic.latest, sizeof(int)), "mailbox");
        require(cudaDeviceSynchronize(), "metric");
        capture(topic, config);
        return topics_.size() - 1;
    }

    void subscribe(TopicId id, ISampleObserver& observer) { observers_.at(id).push_back(&observer); }

    void publish(TopicId id) {
        Topic& topic = topics_.at(id);
        require(cudaGraphLaunch(topic.exec, stream_), "publish");
        require(cudaStreamSynchronize(stream_), "publish");
        for (ISampleObserver* o : observers_[id]) o->onSample(names_[id], topic.total, topic.samples);
    }

private:
    struct Topic {
        cudaGraphExec_t exec = nullptr;
        int* device = nullptr;
        int* latest = nullptr;  // pinned
        long total = 0;
        int samples = 0;
    };

    static void CUDART_CB accumulate(void* userData) {
        auto* topic = static_cast<Topic*>(userData);
        topic->total += *topic->latest;
        ++topic->samples;
    }

    void capture(Topic& topic, const TopicConfig& config) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        const cudaError_t enqueued = enqueue(topic, config);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        const cudaError_t made = ended == cudaSuccess ? cudaGraphInstantiate(&topic.exec, graph, 0) : ended;
        if (graph) cudaGraphDestroy(graph);
        require(enqueued, "topic work");
        require(made, "topic graph");
    }

    cudaError_t enqueue(Topic& topic, const TopicConfig& config) noexcept {
        int* const sample = topic.device + 1;
        sampleMetric<<<1, 1, 0, stream_>>>(topic.device, sample, config.increment);
        cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess) return e;
        e = cudaMemcpyAsync(topic.latest, sample, sizeof(int), cudaMemcpyDeviceToHost, stream_);
        if (e != cudaSuccess) return e;
        return cudaLaunchHostFunc(stream_, &Hub::accumulate, &topic);  // HAZARD dangling #topic
    }

    cudaStream_t stream_ = nullptr;
    std::pmr::monotonic_buffer_resource arena_;  // topics live as long as the hub
    std::pmr::vector<Topic> topics_;
    std::vector<std::string> names_;
    std::vector<std::vector<ISampleObserver*>> observers_;
};

}  // namespace telemetry

namespace {

class RecordingObserver final : public telemetry::ISampleObserver {
public:
    void onSample(const std::string& topic, long total, int samples) override {
        last_ = topic;
        total_ = total;
        samples_ = samples;
        ++notifications_;
    }
    bool saw(const std::string& topic, long total, int samples) const {
        return last_ == topic && total_ == total && samples_ == samples && notifications_ == samples;
    }

private:
    std::string last_;
    long total_ = 0;
    int samples_ = 0;
    int notifications_ = 0;
};

// Sum of the first n sampled values of a metric that grows by `increment` per sample.
long expectedTotal(int increment, int n) { return static_cast<long>(increment) * n * (n + 1) / 2; }

}  // namespace

int main() {
    const std::vector<telemetry::TopicConfig> configs{{"temperature", 1}, {"fan", 3}, {"power", 10}, {"clock", 25}};
    bool good = true;
    try {
        telemetry::Hub hub;
        std::vector<RecordingObserver> observers(configs.size());
        std::vector<telemetry::TopicId> ids;
        for (size_t i = 0; i < configs.size(); ++i) {
            ids.push_back(hub.openTopic(configs[i]));
            hub.subscribe(ids[i], observers[i]);
        }
        for (int round = 1; round <= 4; ++round) {
            for (size_t i = 0; i < configs.size(); ++i) {
                hub.publish(ids[i]);
                const bool seen = observers[i].saw(configs[i].name, expectedTotal(configs[i].increment, round), round);
                if (!seen && good) std::printf("round %d: topic %s is off\n", round, configs[i].name.c_str());
                good = good && seen;
            }
        }
    } catch (const std::exception& e) {
        std::printf("failed: %s\nLABEL UNOBSERVED\n", e.what());
        return 1;
    }
    std::puts(!good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
