// Stage lighting previsualisation.
//
// A rig holds fixtures which project a gobo onto the stage canvas. The levels come from a DMX universe in pinned
// memory, gobo patterns are brought in by a loader thread. One look (all fixtures and the grand master) is recorded
// as a CUDA graph and replayed per frame.
#include <cuda_runtime.h>

#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr int kCells = 96 * 54;
constexpr int kUniverse = 512;

static bool check(cudaError_t err, const char* what) {
    if (err == cudaSuccess) return true;
    std::fprintf(stderr, "stagelight: %s: %s\n", what, cudaGetErrorName(err));
    cudaGetLastError();
    return false;
}

__global__ void washFixture(float* canvas, const float* gobo, const uint8_t* dmx, int channel, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) canvas[i] += gobo[i] * (dmx[channel] / 255.f);
}

__global__ void applyMaster(float* canvas, int cells, float master) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) canvas[i] *= master;
}

struct Gobo {
    float* texels = nullptr;
    bool ready = false;
    ~Gobo() {
        if (texels) cudaFree(texels);
    }
};
using GoboPtr = std::shared_ptr<Gobo>;

// Pattern value of one cell; the real asset pipeline would decode an image here.
static float goboTexel(const std::string& name, int cell) { return 0.25f + ((cell + name.size()) % 4) * 0.25f; }

class GoboLibrary {
public:
    GoboLibrary() {
        check(cudaStreamCreateWithFlags(&upload_, cudaStreamNonBlocking), "upload stream");
        loader_ = std::thread([this] { run(); });
    }
    ~GoboLibrary() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            closing_ = true;
        }
        wake_.notify_one();
        loader_.join();
        cudaStreamDestroy(upload_);
    }

    // Returns the cached gobo, or hands the request over to the loader thread.
    std::shared_future<GoboPtr> request(const std::string& name) {
        std::lock_guard<std::mutex> lock(mutex_);
        std::promise<GoboPtr> promise;
        std::shared_future<GoboPtr> result = promise.get_future().share();
        auto hit = cache_.find(name);
        if (hit != cache_.end()) {
            promise.set_value(hit->second);
        } else {
            queue_.push_back({name, std::move(promise)});
            wake_.notify_one();
        }
        return result;
    }

private:
    struct Job {
        std::string name;
        std::promise<GoboPtr> promise;
    };

    void run() {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
            if (queue_.empty()) return;
            Job job = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            GoboPtr gobo = load(job.name);
            lock.lock();
            if (gobo->ready) cache_[job.name] = gobo;
            lock.unlock();
            job.promise.set_value(gobo);
        }
    }

    GoboPtr load(const std::string& name) {
        auto gobo = std::make_shared<Gobo>();
        std::vector<float> pattern(kCells);
        for (int i = 0; i < kCells; ++i) pattern[i] = goboTexel(name, i);
        const size_t bytes = kCells * sizeof(float);
        if (!check(cudaMalloc(&gobo->texels, bytes), name.c_str())) return gobo;  // HAZARD mode #a
        gobo->ready =
            check(cudaMemcpyAsync(gobo->texels, pattern.data(), bytes, cudaMemcpyHostToDevice, upload_), "upload") &&
            check(cudaStreamSynchronize(upload_), "upload");
        return gobo;
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;
    std::map<std::string, GoboPtr> cache_;
    bool closing_ = false;
    cudaStream_t upload_ = nullptr;
    std::thread loader_;
};

// Records everything that is put on the stream during its life time.
class LookRecorder {
public:
    explicit LookRecorder(cudaStream_t stream) : stream_(stream) {
        open_ = check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin look");  // HAZARD mode #a
    }
    ~LookRecorder() {
        cudaGraph_t rest = finish();
        if (rest) cudaGraphDestroy(rest);
    }
    cudaGraph_t finish() {
        cudaGraph_t graph = nullptr;
        if (open_ && !check(cudaStreamEndCapture(stream_, &graph), "end look")) graph = nullptr;
        open_ = false;
        return graph;
    }
    // The node which was recorded last.
    cudaGraphNode_t tail() const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        const cudaGraphNode_t* nodes = nullptr;
        size_t count = 0;
        check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &nodes, nullptr, &count), "tail");
        return count == 1 ? nodes[0] : nullptr;
    }

private:
    cudaStream_t stream_;
    bool open_ = false;
};

struct Fixture {
    std::string gobo;
    int channel;
};

class LightRig {
public:
    explicit LightRig(GoboLibrary& library) : library_(library) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "rig stream");
        check(cudaMalloc(&canvas_, kCells * sizeof(float)), "canvas");
        check(cudaMalloc(&dmxDevice_, kUniverse), "dmx");
        check(cudaMallocHost(&dmx_, kUniverse), "dmx host");
        for (int c = 0; c < kUniverse; ++c) dmx_[c] = 0;
    }
    ~LightRig() {
        dropLook();
        cudaFree(canvas_);
        cudaFree(dmxDevice_);
        cudaFreeHost(dmx_);
        cudaStreamDestroy(stream_);
    }

    void patch(const std::string& gobo, int channel) { fixtures_.push_back({gobo, channel}); }
    void setChannel(int channel, uint8_t level) { dmx_[channel] = level; }

    bool rebuild() {
        dropLook();
        gobosInUse_.clear();
        const int blocks = (kCells + 255) / 256;
        LookRecorder recorder(stream_);
        if (!check(cudaMemcpyAsync(dmxDevice_, dmx_, kUniverse, cudaMemcpyHostToDevice, stream_), "dmx") ||
            !check(cudaMemsetAsync(canvas_, 0, kCells * sizeof(float), stream_), "clear canvas"))
            return false;
        for (const Fixture& fixture : fixtures_) {
            GoboPtr gobo = library_.request(fixture.gobo).get();
            if (!gobo->ready) return false;
            washFixture<<<blocks, 256, 0, stream_>>>(canvas_, gobo->texels, dmxDevice_, fixture.channel, kCells);
            gobosInUse_.push_back(gobo);
        }
        applyMaster<<<blocks, 256, 0, stream_>>>(canvas_, kCells, master_);
        masterNode_ = recorder.tail();
        look_ = recorder.finish();
        return look_ && masterNode_ && check(cudaGraphInstantiate(&exec_, look_, 0), "instantiate look");
    }

    bool setMaster(float level) {
        master_ = level;
        int cells = kCells;
        void* args[] = {&canvas_, &cells, &master_};
        cudaKernelNodeParams params = {};
        params.func = reinterpret_cast<void*>(applyMaster);
        params.gridDim = dim3((kCells + 255) / 256);
        params.blockDim = dim3(256);
        params.kernelParams = args;
        return check(cudaGraphKernelNodeSetParams(masterNode_, &params), "master level");  // HAZARD lifetime
    }

    std::vector<float> renderFrame() {
        std::vector<float> frame(kCells, -1.f);
        if (check(cudaGraphLaunch(exec_, stream_), "frame") && check(cudaStreamSynchronize(stream_), "frame"))
            check(cudaMemcpy(frame.data(), canvas_, kCells * sizeof(float), cudaMemcpyDeviceToHost), "frame");
        return frame;
    }

    float expectedCell(int cell) const {
        float sum = 0.f;
        for (const Fixture& f : fixtures_) sum += goboTexel(f.gobo, cell) * (dmx_[f.channel] / 255.f);
        return sum * master_;
    }

private:
    void dropLook() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (look_) cudaGraphDestroy(look_);
        exec_ = nullptr;
        look_ = nullptr;
        masterNode_ = nullptr;
    }

    GoboLibrary& library_;
    std::vector<Fixture> fixtures_;
    std::vector<GoboPtr> gobosInUse_;
    uint8_t* dmx_ = nullptr;
    uint8_t* dmxDevice_ = nullptr;
    float* canvas_ = nullptr;
    float master_ = 1.f;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t look_ = nullptr;
    cudaGraphNode_t masterNode_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static int compareFrame(LightRig& rig, const char* cue) {
    std::vector<float> frame = rig.renderFrame();
    int off = 0;
    for (int i = 0; i < kCells; ++i) off += std::fabs(frame[i] - rig.expectedCell(i)) > 1e-4f;
    std::printf("cue %-16s %d cells differ\n", cue, off);
    return off ? 1 : 0;
}

int main() {
    GoboLibrary library;
    LightRig rig(library);
    rig.patch("leaves", 3);
    rig.patch("breakup", 7);
    rig.setChannel(3, 128);
    rig.setChannel(7, 255);

    int issues = 0;
    if (!rig.rebuild()) {
        ++issues;
        for (const char* name : {"leaves", "breakup"}) library.request(name).get();
        if (!rig.rebuild()) {
            std::printf("LABEL WRONG\n");
            return 1;
        }
    }
    int levels = compareFrame(rig, "opening");
    rig.setChannel(3, 40);
    levels += compareFrame(rig, "leaves down");

    if (!rig.setMaster(0.5f)) levels += 100;
    int master = compareFrame(rig, "half master");
    std::printf("issues %d, level cues %d, master cues %d\n", issues, levels, master);
    std::printf("%s\n", issues == 1 && levels == 0 && master == 1 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
