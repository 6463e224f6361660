// Relief map tiles. Jobs run on named workers, assets are loaded by an I/O thread, every tile has a recorded plan.
#include <cuda_runtime.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct CudaError : std::runtime_error {
    CudaError(cudaError_t e, const char* op) : std::runtime_error(std::string(op) + ": " + cudaGetErrorString(e)) {}
};
static void must(cudaError_t e, const char* op) {
    if (e != cudaSuccess) throw CudaError(e, op);
}

constexpr int kSide = 64, kCells = kSide * kSide, kRamp = 256, kSettlePasses = 120;

// ---- kernels -------------------------------------------------------------------------------------

__global__ void smoothRows(const int* height, int* out) {
    int x = threadIdx.x, y = blockIdx.x;
    int l = max(x - 1, 0), r = min(x + 1, kSide - 1);
    out[y * kSide + x] = (height[y * kSide + l] + 2 * height[y * kSide + x] + height[y * kSide + r]) / 4;
}

// Sediment runs along the whole tile in scan order, so this is one sequential walk.
__global__ void settle(int* h) {
    for (int pass = 0; pass < kSettlePasses; ++pass) {
        int carry = h[0];
        for (int i = 0; i < kCells; ++i) {
            carry = (carry * 3 + h[i] + pass) >> 2;
            h[i] = carry;
        }
    }
}

__global__ void colorize(const int* h, const int* ramp, int* pixels) {
    int i = blockIdx.x * kSide + threadIdx.x;
    pixels[i] = ramp[h[i] & (kRamp - 1)];
}

// ---- workers -------------------------------------------------------------------------------------

class Worker {
public:
    Worker() : thread_([this] { loop(); }) {}
    ~Worker() {
        post([this] { quit_ = true; });
        thread_.join();
    }
    template <class F>
    auto run(F f) -> std::future<decltype(f())> {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        post([task] { (*task)(); });
        return result;
    }

private:
    void post(std::function<void()> job) {
        {
            std::lock_guard<std::mutex> g(m_);
            jobs_.push_back(std::move(job));
        }
        cv_.notify_one();
    }
    void loop() {
        while (!quit_) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> g(m_);
                cv_.wait(g, [this] { return !jobs_.empty(); });
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> jobs_;
    bool quit_ = false;
    std::thread thread_;
};

// ---- assets --------------------------------------------------------------------------------------

static int rampColor(const std::string& name, int i) { return (name == "flat" ? 3 : 5) * i + int(name.size()); }

class AssetStore {
public:
    ~AssetStore() {
        for (auto& kv : ramps_) cudaFree(kv.second);
    }
    const int* ramp(const std::string& name) {
        return io_.run([this, name] { return load(name); }).get();
    }

private:
    const int* load(const std::string& name) {
        auto it = ramps_.find(name);
        if (it != ramps_.end()) return it->second;
        std::vector<int> table(kRamp);
        for (int i = 0; i < kRamp; ++i) table[i] = rampColor(name, i);
        int* dev = nullptr;
        must(cudaMalloc(&dev, kRamp * sizeof(int)), "asset memory"); // HAZARD mode #a
        ramps_[name] = dev;
        cudaStream_t s;
        must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "asset stream");
        must(cudaMemcpyAsync(dev, table.data(), kRamp * sizeof(int), cudaMemcpyHostToDevice, s), "asset upload");
        must(cudaStreamSynchronize(s), "asset sync");
        cudaStreamDestroy(s);
        return dev;
    }
    std::map<std::string, int*> ramps_;
    Worker io_;
};

// ---- tile plans ----------------------------------------------------------------------------------

// What a worker owns while it handles a tile.
struct WorkerContext {
    int* scratch = nullptr;
    WorkerContext() { must(cudaMalloc(&scratch, kCells * sizeof(int)), "scratch"); }
    ~WorkerContext() { cudaFree(scratch); }
};

class TilePlan {
public:
    explicit TilePlan(std::string style) : style_(std::move(style)) {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "tile stream");
        must(cudaMalloc(&height_, kCells * sizeof(int)), "height");
        must(cudaMalloc(&pixels_, kCells * sizeof(int)), "pixels");
        must(cudaMallocHost(&heightHost, kCells * sizeof(int)), "height host");
        must(cudaMallocHost(&pixelsHost, kCells * sizeof(int)), "pixels host");
    }
    ~TilePlan() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(height_);
        cudaFree(pixels_);
        cudaFreeHost(heightHost);
        cudaFreeHost(pixelsHost);
        cudaStreamDestroy(stream_);
    }

    void build(WorkerContext& ctx, AssetStore& assets) {
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin"); // HAZARD mode #a
        cudaGraph_t graph = nullptr;
        try {
            must(cudaMemcpyAsync(height_, heightHost, kCells * sizeof(int), cudaMemcpyHostToDevice, stream_), "in");
            smoothRows<<<kSide, kSide, 0, stream_>>>(height_, ctx.scratch); // HAZARD concurrent #b
            settle<<<1, 1, 0, stream_>>>(ctx.scratch);
            const int* ramp = assets.ramp(style_);
            colorize<<<kSide, kSide, 0, stream_>>>(ctx.scratch, ramp, pixels_);
            must(cudaMemcpyAsync(pixelsHost, pixels_, kCells * sizeof(int), cudaMemcpyDeviceToHost, stream_), "out");
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        must(cudaStreamEndCapture(stream_, &graph), "end");
        cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        must(e, "instantiate");
    }

    void render() {
        must(cudaGraphLaunch(exec_, stream_), "launch"); // HAZARD concurrent #b
        must(cudaStreamSynchronize(stream_), "render");
    }

    bool matches() const {
        std::vector<int> h(kCells);
        for (int y = 0; y < kSide; ++y)
            for (int x = 0; x < kSide; ++x) {
                int l = std::max(x - 1, 0), r = std::min(x + 1, kSide - 1);
                const int* row = heightHost + y * kSide;
                h[y * kSide + x] = (row[l] + 2 * row[x] + row[r]) / 4;
            }
        for (int pass = 0; pass < kSettlePasses; ++pass) {
            int carry = h[0];
            for (int& v : h) v = carry = (carry * 3 + v + pass) >> 2;
        }
        for (int i = 0; i < kCells; ++i)
            if (pixelsHost[i] != rampColor(style_, h[i] & (kRamp - 1))) return false;
        return true;
    }

    int* heightHost = nullptr;
    int* pixelsHost = nullptr;

private:
    std::string style_;
    cudaStream_t stream_{};
    int *height_ = nullptr, *pixels_ = nullptr;
    cudaGraphExec_t exec_{};
};

static void fillTerrain(TilePlan& t, int seed) {
    for (int i = 0; i < kCells; ++i) t.heightHost[i] = 400 * seed + (i * (17 + seed)) % 911;
}

// ---- driver --------------------------------------------------------------------------------------

int main() {
    bool alone = false, together = false, relief = false;
    try {
        cudaFree(nullptr);
        AssetStore assets;
        WorkerContext contexts[2];
        TilePlan north("flat"), south("flat"), ridge("relief");
        Worker workers[2];
        assets.ramp("flat");

        // Worker 0 prepares all plans, both workers render.
        workers[0].run([&] { north.build(contexts[0], assets); }).get();
        workers[0].run([&] { south.build(contexts[0], assets); }).get();

        fillTerrain(north, 1);
        fillTerrain(south, 2);
        workers[0].run([&] { north.render(); }).get();
        workers[1].run([&] { south.render(); }).get();
        alone = north.matches() && south.matches();

        together = true;
        for (int frame = 0; frame < 3; ++frame) {
            fillTerrain(north, 3 + frame);
            fillTerrain(south, 9 + frame);
            auto a = workers[0].run([&] { north.render(); });
            auto b = workers[1].run([&] { south.render(); });
            a.get();
            b.get();
            together = together && north.matches() && south.matches();
        }

        try {
            fillTerrain(ridge, 5);
            workers[0].run([&] { ridge.build(contexts[0], assets); }).get();
            workers[0].run([&] { ridge.render(); }).get();
            relief = ridge.matches();
        } catch (const CudaError& e) {
            std::printf("relief tile: %s\n", e.what());
        }
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
        alone = false;
    }
    std::printf("alone %d together %d relief %d\n", alone, together, relief);
    std::puts(alone && !together && !relief ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
