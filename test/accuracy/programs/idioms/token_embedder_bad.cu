// Embedding service: one thread serves requests with a recorded graph, another thread loads embedding tables.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kVocabulary = 1000;
constexpr int kWidth = 32;
constexpr int kTokens = 64;

__global__ void embedKernel(const float* table, const int* ids, float* out) {
    out[blockIdx.x * kWidth + threadIdx.x] = table[ids[blockIdx.x] * kWidth + threadIdx.x];
}

static float tableValue(int token, int column) { return static_cast<float>(token) + 0.01f * column; }

// A thread that runs jobs in order.
class WorkerThread {
public:
    WorkerThread() : thread_([this] { loop(); }) {}
    ~WorkerThread() { stop(); }
    void post(std::function<void()> job) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            jobs_.push_back(std::move(job));
        }
        ready_.notify_one();
    }
    void stop() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        ready_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

private:
    void loop() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
                if (jobs_.empty()) return;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
    }
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

struct Table {
    cudaError_t status = cudaErrorUnknown;
    float* values = nullptr;
};

class TableLoader {
public:
    TableLoader() { created_ = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
    ~TableLoader() {
        worker_.stop();
        for (float* p : loaded_) cudaFree(p);
        cudaStreamDestroy(stream_);
    }
    std::future<Table> request() {
        auto promise = std::make_shared<std::promise<Table>>();
        worker_.post([this, promise] { promise->set_value(load()); });
        return promise->get_future();
    }

private:
    Table load() {
        Table table;
        std::vector<float> host(kVocabulary * kWidth);
        for (int t = 0; t < kVocabulary; ++t)
            for (int c = 0; c < kWidth; ++c) host[t * kWidth + c] = tableValue(t, c);
        const std::size_t bytes = host.size() * sizeof(float);
        table.status = created_;
        if (table.status == cudaSuccess) table.status = cudaMalloc(&table.values, bytes);  // HAZARD mode #mode
        if (table.status != cudaSuccess) return table;
        loaded_.push_back(table.values);
        table.status = cudaMemcpyAsync(table.values, host.data(), bytes, cudaMemcpyHostToDevice, stream_);
        const cudaError_t finished = cudaStreamSynchronize(stream_);
        if (table.status == cudaSuccess) table.status = finished;
        return table;
    }
    cudaStream_t stream_ = nullptr;
    cudaError_t created_ = cudaSuccess;
    std::vector<float*> loaded_;
    WorkerThread worker_;
};

struct Reply {
    cudaError_t status = cudaErrorUnknown;
    std::vector<float> vectors;
};

class EmbeddingService {
public:
    explicit EmbeddingService(TableLoader& loader) : loader_(loader) {
        const std::size_t outBytes = kTokens * kWidth * sizeof(float);
        for (cudaError_t e : {cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                              cudaMallocHost(&hostIds_, kTokens * sizeof(int)), cudaMalloc(&ids_, kTokens * sizeof(int)),
                              cudaMallocHost(&hostOut_, outBytes), cudaMalloc(&out_, outBytes)})
            if (status_ == cudaSuccess) status_ = e;
        worker_.post([this] { if (status_ == cudaSuccess) status_ = record(); });
    }
    ~EmbeddingService() {
        worker_.stop();
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(ids_);
        cudaFree(out_);
        cudaFreeHost(hostIds_);
        cudaFreeHost(hostOut_);
        cudaStreamDestroy(stream_);
    }
    std::future<Reply> embed(std::vector<int> ids) {
        auto promise = std::make_shared<std::promise<Reply>>();
        worker_.post([this, promise, ids = std::move(ids)] { promise->set_value(serve(ids)); });
        return promise->get_future();
    }

private:
    // Runs on the serving thread. The table arrives from the loader while the front of the graph is being recorded.
    cudaError_t record() {
        std::future<Table> pending;
        cudaGraph_t graph = nullptr;
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);  // HAZARD mode #mode
        if (e != cudaSuccess) return e;
        pending = loader_.request();
        e = cudaMemcpyAsync(ids_, hostIds_, kTokens * sizeof(int), cudaMemcpyHostToDevice, stream_);
        const Table table = pending.get();
        if (e == cudaSuccess) e = table.status;
        if (e == cudaSuccess) {
            embedKernel<<<kTokens, kWidth, 0, stream_>>>(table.values, ids_, out_);
            e = cudaGetLastError();
        }
        if (e == cudaSuccess)
            e = cudaMemcpyAsync(hostOut_, out_, kTokens * kWidth * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (e == cudaSuccess) e = ended;
        if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return e;
    }

    Reply serve(const std::vector<int>& ids) {
        Reply reply;
        reply.status = status_;
        if (reply.status != cudaSuccess) return reply;
        std::copy(ids.begin(), ids.end(), hostIds_);
        reply.status = cudaGraphLaunch(exec_, stream_);
        if (reply.status == cudaSuccess) reply.status = cudaStreamSynchronize(stream_);
        reply.vectors.assign(hostOut_, hostOut_ + kTokens * kWidth);
        return reply;
    }

    TableLoader& loader_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *hostIds_ = nullptr, *ids_ = nullptr;
    float *hostOut_ = nullptr, *out_ = nullptr;
    cudaError_t status_ = cudaSuccess;   // set before the first job and by the serving thread afterwards
    WorkerThread worker_;
};

int main() {
    int failed = 0, wrong = 0;
    const int requests = 5;
    {
        TableLoader loader;
        EmbeddingService service(loader);
        for (int r = 0; r < requests; ++r) {
            std::vector<int> ids(kTokens);
            for (int i = 0; i < kTokens; ++i) ids[i] = (i * 13 + r * 101) % kVocabulary;
            const Reply reply = service.embed(ids).get();
            if (reply.status != cudaSuccess) {
                std::printf("request %d: %s\n", r, cudaGetErrorString(reply.status));
                ++failed;
                continue;
            }
            for (int i = 0; i < kTokens * kWidth; ++i)
                if (std::fabs(reply.vectors[i] - tableValue(ids[i / kWidth], i % kWidth)) > 1e-3f) ++wrong;
        }
    }
    std::printf("failed requests %d, wrong values %d\n", failed, wrong);
    std::puts(failed == requests ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
