// frame_ops: a frame is produced by a list of operations held in std::variant; an Encoder visits the list and
// enqueues each operation, and a Player replays the recorded list once per frame.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <variant>
#include <vector>

namespace {

constexpr int kPixels = 64 * 1024;

void must(cudaError_t e, const char* expr) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", expr, cudaGetErrorString(e));
        throw std::runtime_error(expr);
    }
}
#define MUST(expr) must((expr), #expr)

__global__ void fade(int* px, int n, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] = (i % 256) + level;
}

__global__ void drift(int* overlay, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) overlay[i] += 1 + i % 3;
}

__global__ void blend(int* px, const int* overlay, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) px[i] += overlay[i];
}

constexpr dim3 kBlock{256, 1, 1};
constexpr dim3 kGrid{kPixels / 256, 1, 1};

// ---- the operations ----
struct Background {
    int* px;
    int level;  // fixed for the clip
};

struct Animate {  // advances the overlay by one frame, beside the main lane
    int* overlay;
    cudaStream_t lane;
};

struct Compose {
    int* px;
    const int* overlay;
};

struct Publish {
    int* dst;  // pinned
    const int* px;
};

struct Tally {
    std::atomic<int>* frames;
};

using Op = std::variant<Background, Animate, Compose, Publish, Tally>;

class Encoder {
public:
    explicit Encoder(cudaStream_t s) : s_(s) {}

    void operator()(const Background& op) const { fade<<<kGrid, kBlock, 0, s_>>>(op.px, kPixels, op.level); }

    void operator()(const Animate& op) const {
        drift<<<kGrid, kBlock, 0, op.lane>>>(op.overlay, kPixels);  // HAZARD escape
    }

    void operator()(const Compose& op) const { blend<<<kGrid, kBlock, 0, s_>>>(op.px, op.overlay, kPixels); }

    void operator()(const Publish& op) const {
        note(cudaMemcpyAsync(op.dst, op.px, sizeof(int) * kPixels, cudaMemcpyDeviceToHost, s_));
    }

    void operator()(const Tally& op) const {
        op.frames->fetch_add(1);  // HAZARD host_logic
    }

    cudaError_t status() const { return first_; }

private:
    void note(cudaError_t e) const {
        if (first_ == cudaSuccess) first_ = e;
    }
    cudaStream_t s_;
    mutable cudaError_t first_ = cudaSuccess;
};

class Player {
public:
    Player(const std::vector<Op>& ops, cudaStream_t s) : s_(s) {
        cudaGraph_t graph = nullptr;
        Encoder enc(s);
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        for (const Op& op : ops) std::visit(enc, op);
        const cudaError_t ended = cudaStreamEndCapture(s, &graph);
        MUST(enc.status());
        MUST(ended);
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        MUST(made);
    }
    ~Player() { cudaGraphExecDestroy(exec_); }
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    void next_frame() {
        MUST(cudaGraphLaunch(exec_, s_));
        MUST(cudaStreamSynchronize(s_));
    }

private:
    cudaStream_t s_;
    cudaGraphExec_t exec_ = nullptr;
};

int wrong_pixels(const int* frame, int number, int level) {
    int wrong = 0;
    for (int i = 0; i < kPixels; ++i) wrong += frame[i] != (i % 256) + level + number * (1 + i % 3);
    return wrong;
}

}  // namespace

int main() {
    constexpr int kFrames = 5, kLevel = 40;
    bool failed = false;
    int wrong = 0;
    std::atomic<int> frames{0};
    try {
        cudaStream_t main_lane, side_lane;
        int *px = nullptr, *overlay = nullptr, *shown = nullptr;
        MUST(cudaStreamCreateWithFlags(&main_lane, cudaStreamNonBlocking));
        MUST(cudaStreamCreateWithFlags(&side_lane, cudaStreamNonBlocking));
        MUST(cudaMalloc(&px, sizeof(int) * kPixels));
        MUST(cudaMalloc(&overlay, sizeof(int) * kPixels));
        MUST(cudaMallocHost(&shown, sizeof(int) * kPixels));
        MUST(cudaMemsetAsync(overlay, 0, sizeof(int) * kPixels, main_lane));
        MUST(cudaStreamSynchronize(main_lane));

        const std::vector<Op> clip = {
            Background{px, kLevel}, Animate{overlay, side_lane}, Compose{px, overlay},
            Publish{shown, px},     Tally{&frames},
        };
        {
            Player player(clip, main_lane);
            for (int f = 1; f <= kFrames; ++f) {
                player.next_frame();
                wrong += wrong_pixels(shown, f, kLevel);
            }
        }
        cudaFree(px);
        cudaFree(overlay);
        cudaFreeHost(shown);
        cudaStreamDestroy(side_lane);
        cudaStreamDestroy(main_lane);
    } catch (const std::exception&) {
        failed = true;
    }
    std::printf("frames counted %d of %d, wrong pixels %d\n", frames.load(), kFrames, wrong);
    std::puts(!failed && wrong > 0 && frames.load() == 1 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
