// Radio desk: lowers the music while somebody speaks. Blocks arrive in a ring of pinned slots, the processed music
// leaves through a second ring, and the device part of each block is one graph launch.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace radio {

constexpr int kBlock = 256;
constexpr unsigned kSlots = 4;

struct Block {
    float voice[kBlock];
    float music[kBlock];
};

struct OutBlock {
    float samples[kBlock];
};

static void ok(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::printf("%s: %s\nLABEL UNOBSERVED\n", what, cudaGetErrorString(status));
    std::exit(1);
}

template <class T>
class PinnedRing {
public:
    PinnedRing() { ok(cudaMallocHost(&slots_, kSlots * sizeof(T)), "ring"); }
    ~PinnedRing() { cudaFreeHost(slots_); }
    PinnedRing(const PinnedRing&) = delete;
    PinnedRing& operator=(const PinnedRing&) = delete;

    T* writeSlot() { return &slots_[head_ % kSlots]; }
    T* readSlot() { return &slots_[tail_ % kSlots]; }
    void push() { ++head_; }
    void pop() { ++tail_; }
    bool empty() const { return head_ == tail_; }
    bool full() const { return head_ - tail_ == kSlots; }

private:
    T* slots_ = nullptr;
    unsigned head_ = 0, tail_ = 0;
};

__global__ void detectKernel(const Block* block, float* peak) {
    __shared__ float level[kBlock];
    const int t = threadIdx.x;
    level[t] = fabsf(block->voice[t]);
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (t < half) level[t] = fmaxf(level[t], level[t + half]);
        __syncthreads();
    }
    if (t == 0) *peak = level[0];
}

__global__ void duckKernel(const Block* block, const float* peak, OutBlock* out, float threshold, float depth) {
    const int t = threadIdx.x;
    out->samples[t] = block->music[t] * (*peak > threshold ? depth : 1.0f);
}

class Ducker {
public:
    Ducker(PinnedRing<Block>& in, PinnedRing<OutBlock>& out) : in_(in), out_(out) {
        ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        ok(cudaMalloc(&block_, sizeof(Block)), "block");
        ok(cudaMalloc(&result_, sizeof(OutBlock)), "result");
        ok(cudaMalloc(&peak_, sizeof(float)), "peak");
        record();
    }
    ~Ducker() {
        cudaGraphExecDestroy(exec_);
        cudaGraphDestroy(graph_);
        cudaFree(peak_);
        cudaFree(result_);
        cudaFree(block_);
        cudaStreamDestroy(stream_);
    }

    // Consumes one input block, produces one output block.
    bool pump() {
        if (in_.empty() || out_.full()) return false;
        ok(cudaGraphExecMemcpyNodeSetParams1D(exec_, fetchNode_, block_, in_.readSlot(), sizeof(Block),
                                              cudaMemcpyHostToDevice), "retarget input");
        ok(cudaGraphExecMemcpyNodeSetParams1D(exec_, storeNode_, out_.writeSlot(), result_, sizeof(OutBlock),
                                              cudaMemcpyDeviceToHost), "retarget output");
        ok(cudaGraphLaunch(exec_, stream_), "launch");
        ok(cudaStreamSynchronize(stream_), "pump");
        in_.pop();
        out_.push();
        return true;
    }

private:
    // The node that the capture appended last to the stream.
    cudaGraphNode_t lastNode() {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        unsigned long long id = 0;
        cudaGraph_t graph = nullptr;
        const cudaGraphNode_t* deps = nullptr;
        std::size_t count = 0;
        ok(cudaStreamGetCaptureInfo(stream_, &status, &id, &graph, &deps, nullptr, &count), "capture info");
        if (status != cudaStreamCaptureStatusActive || count != 1) ok(cudaErrorUnknown, "capture state");
        return deps[0];
    }

    void record() {
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        ok(cudaMemcpyAsync(block_, in_.readSlot(), sizeof(Block), cudaMemcpyHostToDevice, stream_), "fetch");
        fetchNode_ = lastNode();
        detectKernel<<<1, kBlock, 0, stream_>>>(block_, peak_);
        ok(cudaGetLastError(), "detect");
        duckKernel<<<1, kBlock, 0, stream_>>>(block_, peak_, result_, 0.5f, 0.25f);
        ok(cudaGetLastError(), "duck");
        ok(cudaMemcpyAsync(out_.writeSlot(), result_, sizeof(OutBlock), cudaMemcpyDeviceToHost, stream_), "store");
        storeNode_ = lastNode();
        ok(cudaStreamEndCapture(stream_, &graph_), "end");
        ok(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate");
    }

    PinnedRing<Block>& in_;
    PinnedRing<OutBlock>& out_;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cudaGraphNode_t fetchNode_ = nullptr, storeNode_ = nullptr;
    Block* block_ = nullptr;
    OutBlock* result_ = nullptr;
    float* peak_ = nullptr;
};

}  // namespace radio

static float voiceAt(int block, int i) { return block % 3 == 1 && i % 64 == 0 ? 0.75f : 0.125f; }
static float musicAt(int block, int i) { return static_cast<float>((i + 7 * block) % 33) - 16.0f; }

int main() {
    using namespace radio;
    PinnedRing<Block> in;
    PinnedRing<OutBlock> out;
    Ducker ducker(in, out);
    int produced = 0, consumed = 0, wrongBlocks = 0;
    const int total = 14;
    while (consumed < total) {
        for (int burst = 0; burst < 3 && produced < total && !in.full(); ++burst, ++produced) {
            Block* slot = in.writeSlot();
            for (int i = 0; i < kBlock; ++i) {
                slot->voice[i] = voiceAt(produced, i);
                slot->music[i] = musicAt(produced, i);
            }
            in.push();
        }
        while (ducker.pump()) {}
        for (; !out.empty(); out.pop(), ++consumed) {
            const float gain = consumed % 3 == 1 ? 0.25f : 1.0f;
            bool good = true;
            for (int i = 0; i < kBlock; ++i)
                good = good && std::fabs(out.readSlot()->samples[i] - gain * musicAt(consumed, i)) < 1e-5f;
            wrongBlocks += !good;
        }
    }
    std::printf("blocks %d, wrong %d\n", consumed, wrongBlocks);
    const bool confirmed = wrongBlocks == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
