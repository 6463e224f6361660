// streamtask: posts small callables to a CUDA stream without heap traffic. Example client: a video
// encoder whose rate control runs on the host after each frame and steers the next quantiser.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace streamtask {

inline void expect(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}

template <std::size_t SlotBytes>
struct FixedSlot {
    static constexpr std::size_t bytes = SlotBytes;
};

template <class SlotPolicy, std::size_t Count>
class TaskPool {
    struct Slot {
        TaskPool* owner = nullptr;
        void (*invoke)(void*) = nullptr;
        alignas(std::max_align_t) unsigned char storage[SlotPolicy::bytes];
    };

public:
    // Task that keeps its slot for the lifetime of this object; it may run any number of times.
    class Retained {
    public:
        explicit Retained(Slot* slot) : slot_(slot) {}
        Retained(Retained&& o) noexcept : slot_(std::exchange(o.slot_, nullptr)) {}
        Retained& operator=(Retained&&) = delete;
        ~Retained() {
            if (slot_) slot_->owner->release(slot_);
        }
        bool valid() const { return slot_ != nullptr; }

    private:
        friend class TaskPool;
        Slot* slot_;
    };

    TaskPool() {
        for (auto& s : slots_) {
            s.owner = this;
            free_.push_back(&s);
        }
    }
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;

    template <class F>
    cudaError_t postOnce(cudaStream_t stream, F task) {
        Slot* slot = emplace(task);
        if (!slot) return cudaErrorMemoryAllocation;
        const cudaError_t e = cudaLaunchHostFunc(stream, &TaskPool::run, slot);
        if (e != cudaSuccess) release(slot);
        return e;
    }

    template <class F>
    Retained retain(F task) { return Retained(emplace(task)); }

    cudaError_t post(cudaStream_t stream, const Retained& task) {
        if (!task.valid()) return cudaErrorInvalidValue;
        return cudaLaunchHostFunc(stream, &TaskPool::runRetained, task.slot_);
    }

private:
    template <class F>
    Slot* emplace(const F& task) {
        static_assert(sizeof(F) <= SlotPolicy::bytes, "task does not fit its slot");
        static_assert(std::is_trivially_copyable_v<F>, "task must be trivially copyable");
        std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty()) return nullptr;
        Slot* slot = free_.back();
        free_.pop_back();
        new (slot->storage) F(task);
        slot->invoke = [](void* p) { (*static_cast<F*>(p))(); };
        return slot;
    }

    void release(Slot* slot) {
        std::lock_guard<std::mutex> lock(mutex_);
        slot->invoke = nullptr;
        free_.push_back(slot);
    }

    static void CUDART_CB run(void* p) {
        Slot* slot = static_cast<Slot*>(p);
        if (!slot->invoke) return;
        slot->invoke(slot->storage);
        slot->owner->release(slot);
    }

    static void CUDART_CB runRetained(void* p) {
        Slot* slot = static_cast<Slot*>(p);
        slot->invoke(slot->storage);
    }

    std::mutex mutex_;
    std::array<Slot, Count> slots_;
    std::vector<Slot*> free_;
};

}  // namespace streamtask

namespace encoder {

using streamtask::expect;
using Tasks = streamtask::TaskPool<streamtask::FixedSlot<48>, 16>;

constexpr int kPixels = 4096;
constexpr int kTargetBits = 20000;

__global__ void residuals(const uint8_t* frame, int* residual, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) residual[i] = abs(int(frame[i]) - int(frame[i > 0 ? i - 1 : 0]));
}

__global__ void quantise(const int* residual, const int* qp, int* bits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bits, residual[i] / *qp);
}

struct RateState {
    int qp;
    int bits;
};

struct RateControl {
    int frames = 0;
    long totalBits = 0;
    int step(int qp, int bits) {
        ++frames;
        totalBits += bits;
        if (bits > kTargetBits) return qp + 2;
        if (bits < kTargetBits / 2 && qp > 1) return qp - 1;
        return qp;
    }
};

struct BitstreamLog {
    int flushes = 0;
    int lastFrame = -1;
};

class Encoder {
public:
    Encoder(Tasks& tasks, RateControl& control, BitstreamLog& log) : tasks_(tasks), control_(control), log_(log) {
        expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        expect(cudaMalloc(&frame_, kPixels), "frame");
        expect(cudaMalloc(&residual_, kPixels * sizeof(int)), "residual");
        expect(cudaMalloc(&rate_, sizeof(RateState)), "rate");
        expect(cudaMallocHost(&camera_, kPixels), "camera");
        expect(cudaMallocHost(&hostRate_, sizeof(RateState)), "host rate");
        *hostRate_ = RateState{2, 0};
    }
    ~Encoder() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(frame_);
        cudaFree(residual_);
        cudaFree(rate_);
        cudaFreeHost(camera_);
        cudaFreeHost(hostRate_);
        cudaStreamDestroy(stream_);
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    // Returns the number of bits of the frame.
    int encode(const std::vector<uint8_t>& picture, int index) {
        for (int i = 0; i < kPixels; ++i) camera_[i] = picture[i];
        if (!exec_) exec_ = buildFrameGraph();
        expect(cudaGraphLaunch(exec_, stream_), "launch");
        expect(cudaStreamSynchronize(stream_), "encode");
        if (index % 2 == 1) {
            BitstreamLog* log = &log_;
            expect(tasks_.postOnce(stream_, [log, index] {
                ++log->flushes;
                log->lastFrame = index;
            }), "flush");
            expect(cudaStreamSynchronize(stream_), "flush");
        }
        return hostRate_->bits;
    }

private:
    void recordFrame() {
        const int blocks = (kPixels + 255) / 256;
        int* qp = &rate_->qp;
        int* bits = &rate_->bits;
        expect(cudaMemcpyAsync(frame_, camera_, kPixels, cudaMemcpyHostToDevice, stream_), "camera");
        expect(cudaMemcpyAsync(qp, &hostRate_->qp, sizeof(int), cudaMemcpyHostToDevice, stream_), "qp");
        expect(cudaMemsetAsync(bits, 0, sizeof(int), stream_), "bits");
        residuals<<<blocks, 256, 0, stream_>>>(frame_, residual_, kPixels);
        expect(cudaGetLastError(), "residuals");
        quantise<<<blocks, 256, 0, stream_>>>(residual_, qp, bits, kPixels);
        expect(cudaGetLastError(), "quantise");
        expect(cudaMemcpyAsync(&hostRate_->bits, bits, sizeof(int), cudaMemcpyDeviceToHost, stream_), "bits");
        RateControl* control = &control_;
        RateState* state = hostRate_;
        rateTask_.emplace(tasks_.retain([control, state] { state->qp = control->step(state->qp, state->bits); }));
        expect(tasks_.post(stream_, *rateTask_), "rate");
    }

    cudaGraphExec_t buildFrameGraph() {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        recordFrame();
        expect(cudaStreamEndCapture(stream_, &graph), "end");
        expect(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        expect(cudaGraphDestroy(graph), "graph");
        return exec;
    }

    Tasks& tasks_;
    RateControl& control_;
    BitstreamLog& log_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    uint8_t* frame_ = nullptr;
    int* residual_ = nullptr;
    RateState* rate_ = nullptr;
    uint8_t* camera_ = nullptr;
    RateState* hostRate_ = nullptr;
    std::optional<Tasks::Retained> rateTask_;
};

std::vector<uint8_t> capturePicture(int index) {
    std::vector<uint8_t> p(kPixels);
    for (int i = 0; i < kPixels; ++i) p[i] = static_cast<uint8_t>((i * 37 + (i / 64) * index * 5) % 256);
    return p;
}

int referenceBits(const std::vector<uint8_t>& p, int qp) {
    int bits = 0;
    for (int i = 0; i < kPixels; ++i) bits += std::abs(int(p[i]) - int(p[i > 0 ? i - 1 : 0])) / qp;
    return bits;
}

}  // namespace encoder

int main() {
    using namespace encoder;
    constexpr int kFrames = 6;
    Tasks tasks;
    RateControl control, reference;
    BitstreamLog log;
    int wrongFrames = 0, qp = 2;
    {
        Encoder enc(tasks, control, log);
        for (int f = 0; f < kFrames; ++f) {
            const std::vector<uint8_t> picture = capturePicture(f);
            const int bits = enc.encode(picture, f);
            const int expected = referenceBits(picture, qp);
            qp = reference.step(qp, expected);
            std::printf("frame %d: %d bits, expected %d\n", f, bits, expected);
            if (bits != expected) ++wrongFrames;
        }
    }
    std::printf("rate control saw %d of %d frames, %d flushes\n", control.frames, reference.frames, log.flushes);
    const bool right = wrongFrames == 0 && control.frames == reference.frames && log.flushes == kFrames / 2;
    std::printf(right ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
