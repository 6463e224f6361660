// Label inspection on a bottling line. A camera driver fills a ring of pinned frames, a recorded graph
// uploads a frame, maps it through the tone curve of the recipe and counts defective pixels.
// Recipes are loaded by a worker thread while the line keeps on running.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace line {

constexpr int kWidth = 320, kHeight = 200, kPixels = kWidth * kHeight;
constexpr int kSlots = 6;

struct Failure : std::runtime_error {
    Failure(cudaError_t e, const char* at) : std::runtime_error(std::string(at) + ": " + cudaGetErrorName(e)), code(e) {}
    cudaError_t code;
};
inline void must(cudaError_t e, const char* at) {
    if (e != cudaSuccess) {
        cudaGetLastError();
        throw Failure(e, at);
    }
}

struct Frame {
    uint8_t* pixels = nullptr;
    int bottle = -1;
};

// Frames go round in a ring; the camera writes at the tail, inspection reads at the head.
class FrameQueue {
public:
    FrameQueue() {
        for (auto& f : ring_) must(cudaMallocHost(&f.pixels, kPixels), "frame slot");
    }
    ~FrameQueue() {
        for (auto& f : ring_) cudaFreeHost(f.pixels);
    }
    bool full() const { return size_ == kSlots; }
    bool empty() const { return size_ == 0; }
    Frame& tail() { return ring_[(head_ + size_) % kSlots]; }
    void commit() { ++size_; }
    const Frame& front() const { return ring_[head_]; }
    void pop() {
        head_ = (head_ + 1) % kSlots;
        --size_;
    }

private:
    Frame ring_[kSlots];
    int head_ = 0, size_ = 0;
};

struct Recipe {
    uint8_t* curve = nullptr;  // device, 256 entries
    int limit = 0;
};

class RecipeBook {
public:
    ~RecipeBook() {
        for (auto& r : recipes_) cudaFree(r.second.curve);
    }
    // Parses and uploads a recipe; may be called from any thread.
    cudaError_t load(const std::string& name, int gamma, int limit) {
        uint8_t curve[256];
        for (int i = 0; i < 256; ++i) curve[i] = uint8_t(i * gamma / 100 > 255 ? 255 : i * gamma / 100);
        Recipe r;
        r.limit = limit;
        cudaError_t e = cudaMalloc(&r.curve, sizeof curve);  // HAZARD mode #b
        if (e == cudaSuccess) e = cudaMemcpy(r.curve, curve, sizeof curve, cudaMemcpyHostToDevice);
        if (e == cudaSuccess) recipes_[name] = r;
        cudaGetLastError();
        return e;
    }
    bool has(const std::string& name) const { return recipes_.count(name) != 0; }
    const Recipe& get(const std::string& name) const { return recipes_.at(name); }

private:
    std::map<std::string, Recipe> recipes_;
};

__global__ void countDefects(const uint8_t* img, const uint8_t* curve, int limit, int* defects) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels && curve[img[i]] > limit) atomicAdd(defects, 1);
}

class CaptureScope {
public:
    CaptureScope(cudaStream_t s, cudaStreamCaptureMode mode) : stream_(s) {
        must(cudaStreamBeginCapture(s, mode), "begin capture");
    }
    ~CaptureScope() {
        if (stream_) {
            cudaGraph_t g = nullptr;
            if (cudaStreamEndCapture(stream_, &g) == cudaSuccess) cudaGraphDestroy(g);
            cudaGetLastError();
        }
    }
    cudaGraph_t finish() {
        cudaGraph_t g = nullptr;
        cudaStream_t s = std::exchange(stream_, nullptr);
        must(cudaStreamEndCapture(s, &g), "end capture");
        return g;
    }

private:
    cudaStream_t stream_;
};

class Inspector {
public:
    Inspector(FrameQueue& q, RecipeBook& book) : queue_(q), book_(book) {
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        must(cudaMalloc(&image_, kPixels), "image");
        must(cudaMalloc(&defects_, sizeof(int)), "counter");
        must(cudaMallocHost(&result_, sizeof(int)), "result");
    }
    ~Inspector() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(image_);
        cudaFree(defects_);
        cudaFreeHost(result_);
        cudaStreamDestroy(stream_);
    }

    // Records the inspection for one recipe. The recipe that comes next is fetched meanwhile.
    void prepare(const std::string& name, const std::string& upcoming) {
        const Recipe r = book_.get(name);
        CaptureScope scope(stream_, cudaStreamCaptureModeGlobal);  // HAZARD mode #b
        std::future<cudaError_t> next;
        if (!upcoming.empty() && !book_.has(upcoming))
            next = std::async(std::launch::async, [&] { return book_.load(upcoming, 150, 200); });
        must(cudaMemsetAsync(defects_, 0, sizeof(int), stream_), "memset");
        must(cudaMemcpyAsync(image_, queue_.front().pixels, kPixels, cudaMemcpyHostToDevice, stream_), "upload");  // HAZARD frozen
        if (next.valid()) loadStatus_ = next.get();
        countDefects<<<(kPixels + 255) / 256, 256, 0, stream_>>>(image_, r.curve, r.limit, defects_);
        must(cudaMemcpyAsync(result_, defects_, sizeof(int), cudaMemcpyDeviceToHost, stream_), "download");
        cudaGraph_t g = scope.finish();
        if (exec_) cudaGraphExecDestroy(std::exchange(exec_, nullptr));
        must(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
        cudaGraphDestroy(g);
    }

    int inspectFront() {
        must(cudaGraphLaunch(exec_, stream_), "launch");
        must(cudaStreamSynchronize(stream_), "inspection");
        return *result_;
    }
    cudaError_t loadStatus() const { return loadStatus_; }

private:
    FrameQueue& queue_;
    RecipeBook& book_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    uint8_t* image_ = nullptr;
    int *defects_ = nullptr, *result_ = nullptr;
    cudaError_t loadStatus_ = cudaSuccess;
};

void expose(Frame& f, int bottle) {
    f.bottle = bottle;
    for (int i = 0; i < kPixels; ++i) f.pixels[i] = uint8_t((i * 31 + bottle * 17) % (90 + 20 * (bottle % 7)));
}

int defectsOnCpu(const Frame& f, int gamma, int limit) {
    int n = 0;
    for (int i = 0; i < kPixels; ++i) {
        int v = f.pixels[i] * gamma / 100;
        n += (v > 255 ? 255 : v) > limit;
    }
    return n;
}

}  // namespace line

int main() {
    using namespace line;
    int differ = 0, equalFirst = 0, inspected = 0;
    std::string recording = "done";
    cudaError_t worker = cudaSuccess;
    try {
        FrameQueue queue;
        RecipeBook book;
        must(book.load("lager", 110, 60), "first recipe");
        Inspector inspector(queue, book);
        for (int b = 0; b < 4; ++b) {
            expose(queue.tail(), b);
            queue.commit();
        }
        try {
            inspector.prepare("lager", "stout");
        } catch (const Failure& f) {
            recording = f.what();
            inspector.prepare("lager", "");
        }
        worker = inspector.loadStatus();
        int first = defectsOnCpu(queue.front(), 110, 60);
        for (; !queue.empty(); queue.pop()) {
            int got = inspector.inspectFront(), want = defectsOnCpu(queue.front(), 110, 60);
            std::printf("bottle %d: %d defects, expected %d\n", queue.front().bottle, got, want);
            differ += got != want;
            equalFirst += got == first;
            ++inspected;
        }
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 0;
    }
    std::printf("recording: %s, recipe loader: %s\n", recording.c_str(), cudaGetErrorName(worker));
    bool confirmed = worker != cudaSuccess && inspected == 4 && equalFirst == 4 && differ == 3;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
