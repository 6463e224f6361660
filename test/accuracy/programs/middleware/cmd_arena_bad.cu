#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <vector>

using Err = int;
#define TRY(x)                                   \
    if (Err e_ = static_cast<Err>(x); e_ != 0) { \
        std::printf("%s -> %d\n", #x, e_);       \
        return e_;                               \
    }

struct BufferId {
    uint16_t index = 0xffff;
    uint16_t generation = 0;
};

class GenerationalArena {
public:
    Err init(size_t bytes) {
        capacity_ = bytes;
        return cudaMalloc(&slab_, bytes);
    }
    void shutdown() { cudaFree(slab_); }
    BufferId allocate(size_t bytes) {
        size_t at = (top_ + 255) & ~size_t(255);
        assert(at + bytes <= capacity_);
        top_ = at + bytes;
        uint16_t slot = static_cast<uint16_t>(live_++);
        if (slot == entries_.size()) entries_.push_back({});
        entries_[slot].offset = at;
        return {slot, entries_[slot].generation};
    }
    void reset() {
        for (auto& e : entries_) ++e.generation;
        live_ = 0;
        top_ = 0;
    }
    float* resolve(BufferId id) const {
        assert(entries_.at(id.index).generation == id.generation);
        return reinterpret_cast<float*>(slab_ + entries_[id.index].offset);
    }

private:
    struct Entry { size_t offset = 0; uint16_t generation = 0; };
    std::vector<Entry> entries_;
    char* slab_ = nullptr;
    size_t capacity_ = 0, top_ = 0, live_ = 0;
};

enum class Op : uint8_t { Gather, Scale, Mark };
struct BufferRef { GenerationalArena* arena; BufferId id; };
struct Instr {
    Op op;
    BufferRef dst, src, aux;
    float imm = 0;
    uint32_t timeline = 0;
};

__global__ void gather(float* dst, const float* src, const float* lut, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = lut[static_cast<int>(src[i])];
}
__global__ void scale(float* dst, const float* src, float k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = k * src[i];
}
__global__ void fill(float* p, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

constexpr int kN = 256;

struct Device {
    cudaStream_t queue = nullptr;
    GenerationalArena persistent, frame;
    uint64_t timelines[4] = {};
};


static Err interpret(Device& dev, const std::vector<Instr>& program) {
    auto at = [](const BufferRef& r) { return r.arena->resolve(r.id); };
    for (const Instr& in : program) {
        switch (in.op) {
            case Op::Gather:
                gather<<<1, kN, 0, dev.queue>>>(at(in.dst), at(in.src), at(in.aux), kN);  // HAZARD dangling
                break;
            case Op::Scale:
                scale<<<1, kN, 0, dev.queue>>>(at(in.dst), at(in.src), in.imm, kN);
                break;
            case Op::Mark:
                ++dev.timelines[in.timeline];  // HAZARD host_logic
                break;
        }
    }
    return cudaGetLastError();
}

struct SecondaryList { cudaGraphExec_t exec = nullptr; };

static Err bake(Device& dev, const std::vector<Instr>& program, SecondaryList* out) {
    cudaGraph_t graph = nullptr;
    TRY(cudaStreamBeginCapture(dev.queue, cudaStreamCaptureModeGlobal));
    Err recorded = interpret(dev, program);
    TRY(cudaStreamEndCapture(dev.queue, &graph));
    TRY(recorded);
    TRY(cudaGraphInstantiate(&out->exec, graph, 0));
    return cudaGraphDestroy(graph);
}

static Err run(Device& dev, int* frames_right) {
    TRY(cudaStreamCreateWithFlags(&dev.queue, cudaStreamNonBlocking));
    TRY(dev.persistent.init(1 << 20));
    TRY(dev.frame.init(1 << 20));
    BufferRef index{&dev.persistent, dev.persistent.allocate(kN * 4)};
    BufferRef picked{&dev.persistent, dev.persistent.allocate(kN * 4)};
    BufferRef result{&dev.persistent, dev.persistent.allocate(kN * 4)};
    BufferRef palette{&dev.frame, dev.frame.allocate(kN * 4)};
    auto put = [&](const BufferRef& r, float v) { fill<<<1, kN, 0, dev.queue>>>(r.arena->resolve(r.id), v, kN); };
    put(index, 3.0f);
    put(palette, 5.0f);
    std::vector<Instr> program = {{Op::Gather, picked, index, palette},
                                  {Op::Scale, result, picked, picked, 2.0f},
                                  {Op::Mark, result, result, result, 0.0f, 1}};
    SecondaryList list;
    TRY(bake(dev, program, &list));
    for (int frame = 0; frame < 3; ++frame) {
        TRY(cudaGraphLaunch(list.exec, dev.queue));
        float host = 0;
        TRY(cudaMemcpyAsync(&host, dev.persistent.resolve(result.id), 4, cudaMemcpyDeviceToHost, dev.queue));
        TRY(cudaStreamSynchronize(dev.queue));
        *frames_right += host == 10.0f;
        dev.frame.reset();
        BufferRef overlay{&dev.frame, dev.frame.allocate(kN * 4)};
        put(overlay, 100.0f + frame);
    }
    TRY(cudaStreamSynchronize(dev.queue));
    TRY(cudaGraphExecDestroy(list.exec));
    dev.frame.shutdown();
    dev.persistent.shutdown();
    return cudaStreamDestroy(dev.queue);
}

int main() {
    Device dev;
    int right = 0;
    Err e = run(dev, &right);
    bool ok = e == 0 && right == 1 && dev.timelines[1] == 1;
    if (ok) std::puts("LABEL CONFIRMED");
    else std::printf("LABEL REFUTED %d %d %d\n", e, right, (int)dev.timelines[1]);
    return 0;
}
