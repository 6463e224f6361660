// Render farm node: a frame session records draw calls, a worker seals the session into a replayable frame.
#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace farm {

class WorkerPool {
public:
    explicit WorkerPool(unsigned workers) {
        for (unsigned w = 0; w < workers; ++w) threads_.emplace_back([this] { loop(); });
    }
    ~WorkerPool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (auto& t : threads_) t.join();
    }
    template <class Fn>
    auto submit(Fn fn) -> std::future<decltype(fn())> {
        auto task = std::make_shared<std::packaged_task<decltype(fn())()>>(std::move(fn));
        auto future = task->get_future();
        {
            std::lock_guard<std::mutex> lock(mutex_);
            queue_.emplace_back([task] { (*task)(); });
        }
        wake_.notify_one();
        return future;
    }

private:
    void loop() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
                if (queue_.empty()) return;
                job = std::move(queue_.front());
                queue_.pop_front();
            }
            job();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

struct Tile {
    int x, y, extent;
    float radiance;
};

__global__ void shadeTile(float* film, int pitch, Tile tile) {
    const int x = tile.x + threadIdx.x, y = tile.y + blockIdx.x;
    if (threadIdx.x < tile.extent) film[y * pitch + x] += tile.radiance;
}

class FrameSession {
public:
    enum class State { Idle, Recording, Sealed, Failed };

    FrameSession(std::shared_ptr<WorkerPool> pool, int pitch, int rows) : pool_(std::move(pool)), pitch_(pitch), rows_(rows) {}
    ~FrameSession() {
        abandon();
        if (frame_) (void)cudaGraphExecDestroy(frame_);
        (void)cudaFree(film_);
        if (stream_) (void)cudaStreamDestroy(stream_);
    }
    FrameSession(const FrameSession&) = delete;
    FrameSession& operator=(const FrameSession&) = delete;

    bool initialize() {
        return note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)) &&
               note(cudaMalloc(&film_, bytes())) && note(cudaMemsetAsync(film_, 0, bytes(), stream_)) &&
               note(cudaStreamSynchronize(stream_));
    }
    bool open() {
        if (state_ != State::Idle) return false;
        if (!note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal))) return false;
        state_ = State::Recording;
        return true;
    }
    bool draw(const Tile& tile) {
        if (state_ != State::Recording) return false;
        shadeTile<<<tile.extent, 64, 0, stream_>>>(film_, pitch_, tile);
        return note(cudaGetLastError());
    }
    std::future<bool> sealAsync() {
        return pool_->submit([this] { return seal(); });  // HAZARD scope #1
    }
    bool present() {
        return state_ == State::Sealed && note(cudaGraphLaunch(frame_, stream_)) && note(cudaStreamSynchronize(stream_));
    }
    bool read(std::vector<float>& film) {
        film.resize(pitch_ * rows_);
        return note(cudaMemcpyAsync(film.data(), film_, bytes(), cudaMemcpyDeviceToHost, stream_)) &&
               note(cudaStreamSynchronize(stream_));
    }
    cudaError_t lastError() const { return error_; }

private:
    bool seal() {
        if (state_ != State::Recording) return false;
        state_ = State::Failed;
        cudaGraph_t graph = nullptr;
        if (!note(cudaStreamEndCapture(stream_, &graph))) return false;  // HAZARD scope #1
        const bool made = note(cudaGraphInstantiate(&frame_, graph, 0));
        (void)cudaGraphDestroy(graph);
        if (made) state_ = State::Sealed;
        return made;
    }
    void abandon() {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (!stream_ || cudaStreamIsCapturing(stream_, &status) != cudaSuccess || status == cudaStreamCaptureStatusNone) return;
        cudaGraph_t graph = nullptr;
        (void)cudaStreamEndCapture(stream_, &graph);
        if (graph) (void)cudaGraphDestroy(graph);
    }
    bool note(cudaError_t rc) {
        if (rc != cudaSuccess && error_ == cudaSuccess) error_ = rc;
        return rc == cudaSuccess;
    }
    std::size_t bytes() const { return sizeof(float) * pitch_ * rows_; }

    std::shared_ptr<WorkerPool> pool_;
    const int pitch_, rows_;
    State state_ = State::Idle;
    cudaError_t error_ = cudaSuccess;
    cudaStream_t stream_ = nullptr;
    float* film_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
};

}  // namespace farm

int main() {
    auto pool = std::make_shared<farm::WorkerPool>(2);
    farm::FrameSession session(pool, 128, 128);
    bool recorded = session.initialize() && session.open();
    for (const farm::Tile& tile : {farm::Tile{0, 0, 64, 1.0f}, farm::Tile{64, 64, 32, 2.0f}, farm::Tile{64, 64, 64, 0.5f}})
        recorded = recorded && session.draw(tile);
    const bool sealed = recorded && session.sealAsync().get();
    bool right = sealed;
    for (int frame = 1; frame <= 3 && right; ++frame) {
        std::vector<float> film;
        right = session.present() && session.read(film) && film[0] == 1.0f * frame && film[70 * 128 + 70] == 2.5f * frame &&
                film[120 * 128 + 120] == 0.5f * frame && film[127] == 0.0f;
    }
    std::printf("recorded %d sealed %d: %s\n", recorded, sealed, cudaGetErrorName(session.lastError()));
    std::puts(recorded && !sealed && session.lastError() == cudaErrorStreamCaptureWrongThread ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
