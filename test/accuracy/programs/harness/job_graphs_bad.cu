// Job system with GPU graph compilation next to chunk streaming.
#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class JobSystem {
public:
    explicit JobSystem(int workers) {
        for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { loop(); });
    }
    ~JobSystem() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            quit_ = true;
        }
        wake_.notify_all();
        for (auto& t : threads_) t.join();
    }
    template <class F>
    std::future<cudaError_t> submit(F&& fn) {
        auto task = std::make_shared<std::packaged_task<cudaError_t()>>(std::forward<F>(fn));
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            queue_.push([task] { (*task)(); });
        }
        wake_.notify_one();
        return result;
    }

private:
    void loop() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return quit_ || !queue_.empty(); });
                if (queue_.empty()) return;
                job = std::move(queue_.front());
                queue_.pop();
            }
            job();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_;
    std::queue<std::function<void()>> queue_;
    std::vector<std::thread> threads_;
    bool quit_ = false;
};

__global__ void accumulate(int* cells, int amount) { cells[threadIdx.x] += amount; }

struct ChunkStreamer {
    std::vector<void*> chunks;
    cudaError_t load(size_t bytes) {
        void* p = nullptr;
        cudaError_t e = cudaMalloc(&p, bytes);  // HAZARD capture_mode #chunk
        if (e == cudaSuccess) chunks.push_back(p);
        return e;
    }
    ~ChunkStreamer() {
        for (void* p : chunks) cudaFree(p);
    }
};

struct Effect {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int* cells = nullptr;
    Effect() {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaMalloc(&cells, 64 * sizeof(int));
        cudaMemset(cells, 0, 64 * sizeof(int));
    }
    ~Effect() {
        if (exec) cudaGraphExecDestroy(exec);
        if (graph) cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        cudaFree(cells);
    }
    int play(int times) {
        int v = -1;
        if (!exec) return v;
        for (int i = 0; i < times; ++i) cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
        cudaMemcpy(&v, cells, sizeof v, cudaMemcpyDeviceToHost);
        return v;
    }
};

cudaError_t compileLighting(Effect& fx, JobSystem& jobs, ChunkStreamer& streamer, cudaError_t* chunkStatus) {
    cudaError_t e = cudaStreamBeginCapture(fx.stream, cudaStreamCaptureModeGlobal);  // HAZARD capture_mode #chunk
    if (e != cudaSuccess) return e;
    auto chunk = jobs.submit([&streamer] { return streamer.load(1 << 16); });
    accumulate<<<1, 64, 0, fx.stream>>>(fx.cells, 1);
    *chunkStatus = chunk.get();
    accumulate<<<1, 64, 0, fx.stream>>>(fx.cells, 2);
    e = cudaStreamEndCapture(fx.stream, &fx.graph);
    return e == cudaSuccess ? cudaGraphInstantiate(&fx.exec, fx.graph, 0) : e;
}

cudaError_t compileShadows(Effect& fx, JobSystem& jobs) {
    cudaError_t e = cudaStreamBeginCapture(fx.stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    accumulate<<<1, 64, 0, fx.stream>>>(fx.cells, 4);
    auto finish = jobs.submit([&fx] {
        cudaError_t r = cudaStreamEndCapture(fx.stream, &fx.graph);  // HAZARD capture_scope
        return r == cudaSuccess ? cudaGraphInstantiate(&fx.exec, fx.graph, 0) : r;
    });
    e = finish.get();
    if (e != cudaSuccess) cudaStreamEndCapture(fx.stream, &fx.graph);
    return e;
}

int main() {
    JobSystem jobs(2);
    ChunkStreamer streamer;
    Effect lighting, shadows;
    cudaError_t chunk = cudaSuccess;
    const cudaError_t lit = compileLighting(lighting, jobs, streamer, &chunk);
    cudaGetLastError();
    const cudaError_t shadowed = compileShadows(shadows, jobs);
    cudaGetLastError();
    const int a = lighting.play(3), b = shadows.play(3);
    const bool confirmed = chunk == cudaErrorStreamCaptureUnsupported && lit == cudaErrorStreamCaptureInvalidated &&
                           shadowed == cudaErrorStreamCaptureWrongThread && a == -1 && b == -1;
    if (confirmed)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED chunk=%d lit=%d shadowed=%d a=%d b=%d\n", chunk, lit, shadowed, a, b);
    return 0;
}
