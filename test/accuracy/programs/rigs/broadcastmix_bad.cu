// Vision mixer for live broadcast: cross-fade of programme and preview plus a station bug (logo) in the corner.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixer {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char* where)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};

inline void require(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

constexpr int kWidth = 320, kHeight = 180, kPixels = kWidth * kHeight;
constexpr int kBugWidth = 48, kBugHeight = 32, kBugX = 260, kBugY = 12;

// One page-locked luma plane.
class Frame {
public:
    Frame() { require(cudaMallocHost(&pixels_, kPixels), "frame"); }
    ~Frame() { cudaFreeHost(pixels_); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    uint8_t* data() { return pixels_; }
    const uint8_t* data() const { return pixels_; }

private:
    uint8_t* pixels_ = nullptr;
};

// Frames go back to the pool when the last reference is released.
class FramePool {
public:
    explicit FramePool(size_t count) {
        for (size_t i = 0; i < count; ++i) {
            owned_.push_back(std::make_unique<Frame>());
            idle_.push_back(owned_.back().get());
        }
    }
    std::shared_ptr<Frame> lease() {
        if (idle_.empty()) throw std::runtime_error("frame pool exhausted");
        Frame* f = idle_.back();
        idle_.pop_back();
        return std::shared_ptr<Frame>(f, [this](Frame* p) { idle_.push_back(p); });
    }

private:
    std::vector<std::unique_ptr<Frame>> owned_;
    std::vector<Frame*> idle_;
};

template <class T>
class DevicePlane {
public:
    explicit DevicePlane(size_t count) { require(cudaMalloc(&ptr_, count * sizeof(T)), "plane"); }
    ~DevicePlane() { cudaFree(ptr_); }
    DevicePlane(const DevicePlane&) = delete;
    DevicePlane& operator=(const DevicePlane&) = delete;
    T* get() const { return ptr_; }

private:
    T* ptr_ = nullptr;
};

__host__ __device__ inline uint8_t fade(uint8_t a, uint8_t b) { return uint8_t((3 * a + b + 2) / 4); }
__host__ __device__ inline uint8_t key(uint8_t under, uint8_t bug) { return bug ? uint8_t((under + bug) / 2) : under; }

__global__ void crossfade(const uint8_t* programme, const uint8_t* preview, uint8_t* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) out[i] = fade(programme[i], preview[i]);
}

__global__ void insert_bug(uint8_t* out, const uint8_t* bug) {
    const int x = threadIdx.x, y = blockIdx.x;
    uint8_t& p = out[(kBugY + y) * kWidth + kBugX + x];
    p = key(p, bug[y * kBugWidth + x]);
}

class VisionMixer {
public:
    explicit VisionMixer(FramePool& pool)
        : pool_(pool), output_(pool.lease()), programme_(kPixels), preview_(kPixels), mixed_(kPixels),
          bug_(kBugWidth * kBugHeight) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~VisionMixer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void configure(const std::function<void(uint8_t*, int, int)>& draw_bug) {
        auto artwork = pool_.lease(); // HAZARD dangling #bug
        draw_bug(artwork->data(), kBugWidth, kBugHeight);
        record(*artwork);
    }

    const Frame& mix(const Frame& programme, const Frame& preview) {
        require(cudaMemcpyAsync(programme_.get(), programme.data(), kPixels, cudaMemcpyHostToDevice, stream_), "programme");
        require(cudaMemcpyAsync(preview_.get(), preview.data(), kPixels, cudaMemcpyHostToDevice, stream_), "preview");
        require(cudaGraphLaunch(exec_, stream_), "launch");
        require(cudaStreamSynchronize(stream_), "mix");
        return *output_;
    }

private:
    void record(const Frame& artwork) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        const cudaError_t body = enqueue(artwork);
        const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
        std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(&cudaGraphDestroy)> guard(graph, &cudaGraphDestroy);
        require(body, "record");
        require(end, "end");
        require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    }

    cudaError_t enqueue(const Frame& artwork) {
        crossfade<<<(kPixels + 255) / 256, 256, 0, stream_>>>(programme_.get(), preview_.get(), mixed_.get());
        cudaError_t rc = cudaMemcpyAsync(bug_.get(), artwork.data(), kBugWidth * kBugHeight, cudaMemcpyHostToDevice, stream_); // HAZARD dangling #bug
        if (rc != cudaSuccess) return rc;
        insert_bug<<<kBugHeight, kBugWidth, 0, stream_>>>(mixed_.get(), bug_.get());
        rc = cudaGetLastError();
        if (rc != cudaSuccess) return rc;
        return cudaMemcpyAsync(output_->data(), mixed_.get(), kPixels, cudaMemcpyDeviceToHost, stream_);
    }

    FramePool& pool_;
    std::shared_ptr<Frame> output_;
    DevicePlane<uint8_t> programme_, preview_, mixed_, bug_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

// Two synthetic cameras.
class Camera {
public:
    Camera(FramePool& pool, int seed) : pool_(pool), seed_(seed) {}
    std::shared_ptr<Frame> grab(int tick) const {
        auto f = pool_.lease();
        for (int i = 0; i < kPixels; ++i) f->data()[i] = uint8_t(16 + (i * (seed_ + 3) + tick * 37 + (i / kWidth) * 5) % 200);
        return f;
    }

private:
    FramePool& pool_;
    int seed_;
};

void draw_station_bug(uint8_t* dst, int w, int h) {
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) dst[y * w + x] = ((x / 8 + y / 8) % 2) ? 235 : 0;
}

std::vector<uint8_t> reference(const Frame& a, const Frame& b) {
    std::vector<uint8_t> out(kPixels), bug(kBugWidth * kBugHeight);
    for (int i = 0; i < kPixels; ++i) out[i] = fade(a.data()[i], b.data()[i]);
    draw_station_bug(bug.data(), kBugWidth, kBugHeight);
    for (int y = 0; y < kBugHeight; ++y)
        for (int x = 0; x < kBugWidth; ++x) {
            uint8_t& p = out[(kBugY + y) * kWidth + kBugX + x];
            p = key(p, bug[y * kBugWidth + x]);
        }
    return out;
}

struct Tally {
    int frames = 0, clean = 0;
    bool background_ok = true;
};

Tally broadcast(int frames) {
    FramePool pool(4);
    VisionMixer mixer(pool);
    const Camera studio(pool, 1), field(pool, 4);
    mixer.configure(draw_station_bug);
    Tally tally;
    for (int t = 0; t < frames; ++t) {
        const auto a = studio.grab(t), b = field.grab(t);
        const Frame& out = mixer.mix(*a, *b);
        const auto want = reference(*a, *b);
        tally.frames += 1;
        tally.clean += std::equal(want.begin(), want.end(), out.data());
        tally.background_ok = tally.background_ok && std::equal(want.begin(), want.begin() + kBugY * kWidth, out.data());
    }
    return tally;
}

}  // namespace mixer

int main() {
    try {
        const mixer::Tally t = mixer::broadcast(6);
        std::printf("%d frames, %d without defects, background %s\n", t.frames, t.clean, t.background_ok ? "good" : "bad");
        std::puts(t.clean == 0 && t.background_ok ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
