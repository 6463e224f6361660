// Job system of a game engine: while the main thread records the simulation graph of a level, worker threads make
// the assets of that level resident. Kernels find assets through a bindless table in device memory.
#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class JobCounter {
public:
    void add() {
        std::lock_guard<std::mutex> lock(m_);
        ++pending_;
    }
    void done() {
        std::lock_guard<std::mutex> lock(m_);
        if (--pending_ == 0) cv_.notify_all();
    }
    void wait() {
        std::unique_lock<std::mutex> lock(m_);
        cv_.wait(lock, [this] { return pending_ == 0; });
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    int pending_ = 0;
};

class JobSystem {
public:
    explicit JobSystem(int workers) {
        for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run(); });
    }
    ~JobSystem() {
        {
            std::lock_guard<std::mutex> lock(m_);
            stop_ = true;
        }
        cv_.notify_all();
        for (std::thread& t : threads_) t.join();
    }
    void submit(JobCounter& counter, std::function<void()> job) {
        counter.add();
        {
            std::lock_guard<std::mutex> lock(m_);
            queue_.emplace_back([&counter, j = std::move(job)] {
                j();
                counter.done();
            });
        }
        cv_.notify_one();
    }

private:
    void run() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(m_);
                cv_.wait(lock, [this] { return stop_ || !queue_.empty(); });
                if (queue_.empty()) return;
                job = std::move(queue_.front());
                queue_.pop_front();
            }
            job();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> queue_;
    std::vector<std::thread> threads_;
    bool stop_ = false;
};

class FirstError {
public:
    void note(cudaError_t e) {
        int expected = cudaSuccess;
        if (e != cudaSuccess) value_.compare_exchange_strong(expected, e);
    }
    cudaError_t get() const { return static_cast<cudaError_t>(value_.load()); }

private:
    std::atomic<int> value_{cudaSuccess};
};

constexpr int kCells = 1024;
constexpr int kSlots = 2;

// Runs on worker threads; every worker call uses its own upload stream.
class AssetStreamer {
public:
    explicit AssetStreamer(FirstError& err) : err_(err) {
        err_.note(cudaMalloc(&table_, kSlots * sizeof(float*)));
        for (cudaStream_t& s : upload_) err_.note(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    }
    ~AssetStreamer() {
        for (float* p : resident_) cudaFree(p);
        for (cudaStream_t s : upload_) cudaStreamDestroy(s);
        cudaFree(table_);
    }
    float** table() const { return table_; }

    void load(int slot, float value) {
        const std::vector<float> texels(kCells, value);
        float* dev = nullptr;
        cudaError_t e = cudaMalloc(&dev, kCells * sizeof(float));  // HAZARD mode #residency
        if (e != cudaSuccess) {
            err_.note(e);
            return;
        }
        const cudaStream_t s = upload_[slot];
        err_.note(cudaMemcpyAsync(dev, texels.data(), kCells * sizeof(float), cudaMemcpyHostToDevice, s));
        err_.note(cudaMemcpyAsync(table_ + slot, &dev, sizeof dev, cudaMemcpyHostToDevice, s));
        err_.note(cudaStreamSynchronize(s));
        std::lock_guard<std::mutex> lock(m_);
        resident_.push_back(dev);
    }

private:
    FirstError& err_;
    float** table_ = nullptr;
    cudaStream_t upload_[kSlots] = {};
    std::mutex m_;
    std::vector<float*> resident_;
};

__global__ void erode(float* const* table, float* height, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) height[i] += table[0][i] - table[1][i];
}

class Simulation {
public:
    Simulation(FirstError& err, JobSystem& jobs, AssetStreamer& assets) : err_(err), jobs_(jobs), assets_(assets) {
        err_.note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        err_.note(cudaMalloc(&height_, kCells * sizeof(float)));
    }
    ~Simulation() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(height_);
        cudaStreamDestroy(stream_);
    }

    void enterLevel(float rain, float drain) {
        if (exec_) err_.note(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
        err_.note(cudaMemsetAsync(height_, 0, kCells * sizeof(float), stream_));
        cudaGraph_t graph = nullptr;
        JobCounter resident;
        const cudaError_t begun = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);  // HAZARD mode #residency
        err_.note(begun);
        if (begun != cudaSuccess) return;
        jobs_.submit(resident, [this, rain] { assets_.load(0, rain); });
        jobs_.submit(resident, [this, drain] { assets_.load(1, drain); });
        erode<<<(kCells + 127) / 128, 128, 0, stream_>>>(assets_.table(), height_, kCells);
        err_.note(cudaGetLastError());
        resident.wait();
        err_.note(cudaStreamEndCapture(stream_, &graph));
        if (err_.get() == cudaSuccess) err_.note(cudaGraphInstantiate(&exec_, graph, 0));
        if (graph) err_.note(cudaGraphDestroy(graph));
    }

    bool stepAndCheck(int steps, float perStep) {
        for (int k = 1; k <= steps; ++k) {
            float host[kCells];
            err_.note(cudaGraphLaunch(exec_, stream_));
            err_.note(cudaMemcpyAsync(host, height_, sizeof host, cudaMemcpyDeviceToHost, stream_));
            err_.note(cudaStreamSynchronize(stream_));
            if (err_.get() != cudaSuccess) return false;
            for (float h : host)
                if (h != perStep * k) return false;
        }
        return true;
    }

private:
    FirstError& err_;
    JobSystem& jobs_;
    AssetStreamer& assets_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* height_ = nullptr;
};

int main() {
    FirstError err;
    bool good = true;
    {
        AssetStreamer assets(err);
        JobSystem jobs(2);
        Simulation sim(err, jobs, assets);
        sim.enterLevel(5.0f, 2.0f);
        good = err.get() == cudaSuccess && sim.stepAndCheck(3, 3.0f);
        if (good) sim.enterLevel(9.0f, 1.0f);
        good = good && err.get() == cudaSuccess && sim.stepAndCheck(4, 8.0f);
    }
    std::printf("status: %s\n", cudaGetErrorString(err.get()));
    std::puts(!good && err.get() != cudaSuccess ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
