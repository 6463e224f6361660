// Streaming speech recognition: each decoder replays a graph per audio chunk and publishes partial results from a
// host function. Records for the results come from a fixed pool.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

namespace asr {

void expect(cudaError_t e, const char* action)
{
    if (e == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: cannot %s: %s\n", action, cudaGetErrorString(e));
    std::exit(1);
}

constexpr int kFrames = 160;

struct Transcript {
    int utterance;
    int score;
};

class TranscriptLog {
public:
    void add(Transcript t)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back(t);
    }
    std::vector<Transcript> entries() const
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Transcript> entries_;
};

struct PartialRecord {
    int utterance = -1;
    const int* score = nullptr;
    TranscriptLog* log = nullptr;
};

class RecordPool {
public:
    class Lease {
    public:
        explicit Lease(RecordPool& pool) : pool_(&pool), index_(pool.acquire()) {}
        ~Lease()
        {
            if (pool_) pool_->release(index_);
        }
        Lease(Lease&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), index_(other.index_) {}
        Lease& operator=(Lease&&) = delete;
        PartialRecord* get() const { return &pool_->records_[index_]; }
        PartialRecord* operator->() const { return get(); }

    private:
        RecordPool* pool_;
        int index_;
    };

private:
    int acquire()
    {
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (!std::exchange(used_[i], true)) return static_cast<int>(i);
        std::puts("LABEL NOT CONFIRMED: the pool is exhausted");
        std::exit(1);
    }
    void release(int index) { used_[index] = false; }

    std::array<PartialRecord, 8> records_;
    std::array<bool, 8> used_{};
};

// Weights of the samples of a chunk.
std::vector<int> makeWindow() { return std::vector<int>(kFrames, 3); }

__global__ void decodeChunk(const int* audio, const int* window, int* score)
{
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < kFrames; i += blockDim.x) atomicMax(&best, audio[i] * window[i]);
    __syncthreads();
    if (threadIdx.x == 0) *score = best;
}

void CUDART_CB publishPartial(void* data)
{
    const auto* record = static_cast<const PartialRecord*>(data);
    record->log->add({record->utterance, *record->score});
}

class Decoder {
public:
    Decoder(int utterance, RecordPool& pool, TranscriptLog& log) : record_(pool)
    {
        expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
        expect(cudaMallocHost(&chunk_, kFrames * sizeof(int)), "allocate the chunk");
        expect(cudaMallocHost(&hostScore_, sizeof(int)), "allocate the score");
        expect(cudaMalloc(&audio_, kFrames * sizeof(int)), "allocate audio");
        expect(cudaMalloc(&window_, kFrames * sizeof(int)), "allocate the window");
        expect(cudaMalloc(&score_, sizeof(int)), "allocate the device score");
        open(utterance, log);
    }
    ~Decoder()
    {
        cudaStreamSynchronize(stream_);
        cudaGraphExecDestroy(exec_);
        cudaFreeHost(chunk_);
        cudaFreeHost(hostScore_);
        cudaFree(audio_);
        cudaFree(window_);
        cudaFree(score_);
        cudaStreamDestroy(stream_);
    }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    void push(int loudest)
    {
        for (int i = 0; i < kFrames; ++i) chunk_[i] = i == 2 || i == 3 ? loudest : 1;
        expect(cudaGraphLaunch(exec_, stream_), "launch");
        expect(cudaStreamSynchronize(stream_), "wait for the chunk");
    }

private:
    void open(int utterance, TranscriptLog& log)
    {
        record_->utterance = utterance;
        record_->score = hostScore_;
        record_->log = &log;

        cudaGraph_t graph = nullptr;
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        expect(cudaMemcpyAsync(audio_, chunk_, kFrames * sizeof(int), cudaMemcpyHostToDevice, stream_), "upload");
        expect(cudaMemcpyAsync(window_, weights_.data(), kFrames * sizeof(int), cudaMemcpyHostToDevice, stream_),
               "upload the window");
        decodeChunk<<<1, 64, 0, stream_>>>(audio_, window_, score_);
        expect(cudaMemcpyAsync(hostScore_, score_, sizeof(int), cudaMemcpyDeviceToHost, stream_), "download");
        expect(cudaLaunchHostFunc(stream_, publishPartial, record_.get()), "publish");
        expect(cudaStreamEndCapture(stream_, &graph), "end");
        expect(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        expect(cudaGraphDestroy(graph), "destroy the graph");
    }

    const std::vector<int> weights_ = makeWindow();
    RecordPool::Lease record_; // returned to the pool after the graph is gone
    cudaStream_t stream_ = nullptr;
    int* chunk_ = nullptr;
    int* hostScore_ = nullptr;
    int* audio_ = nullptr;
    int* window_ = nullptr;
    int* score_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace asr

int main()
{
    asr::RecordPool pool;
    asr::TranscriptLog log;
    {
        asr::Decoder first(101, pool, log);
        first.push(10);
        asr::Decoder second(202, pool, log);
        second.push(20);
        first.push(30);
        second.push(40);
    }
    const auto got = log.entries();
    const bool counted = got.size() == 4;
    bool right = counted;
    const asr::Transcript expected[] = {{101, 3 * 10}, {202, 3 * 20}, {101, 3 * 30}, {202, 3 * 40}};
    for (int i = 0; right && i < 4; ++i)
        right = got[i].utterance == expected[i].utterance && got[i].score == expected[i].score;
    if (right) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: %zu partial results\n", got.size());
    for (const auto& t : got) std::printf("  utterance %d score %d\n", t.utterance, t.score);
    return 1;
}
