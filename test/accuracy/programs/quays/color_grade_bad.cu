// color_grade.cu - grading and preview stages of the live transcoder
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace vid {

inline void cu(cudaError_t err) {
    if (err != cudaSuccess) throw std::runtime_error(cudaGetErrorName(err));
}

constexpr int frame_w = 320;
constexpr int frame_h = 180;
constexpr int frame_px = frame_w * frame_h;
constexpr int lut_size = 256;
constexpr int thumb_px = 16 * 16;

// ---- pinned memory ---------------------------------------------------------------------------------------------

class pinned_pool {
public:
    ~pinned_pool() {
        for (void* block : all_) cudaFreeHost(block);
    }

    void* take(size_t bytes) {
        auto& list = idle_[bytes];
        if (!list.empty()) {
            void* block = list.back();
            list.pop_back();
            return block;
        }
        if (all_.size() >= limit_) return nullptr;
        void* block = nullptr;
        cu(cudaMallocHost(&block, bytes));
        all_.push_back(block);
        return block;
    }

    void give(void* block, size_t bytes) { idle_[bytes].push_back(block); }

private:
    size_t limit_ = 16;
    std::map<size_t, std::vector<void*>> idle_;
    std::vector<void*> all_;
};

class lease {
public:
    static std::optional<lease> from(pinned_pool& pool, size_t floats) {
        void* block = pool.take(floats * sizeof(float));
        if (!block) return std::nullopt;
        return lease(pool, block, floats * sizeof(float));
    }
    lease(lease&& other) noexcept
        : pool_(other.pool_), block_(std::exchange(other.block_, nullptr)), bytes_(other.bytes_) {}
    lease& operator=(lease&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(block_, other.block_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~lease() {
        if (block_) pool_->give(block_, bytes_);
    }

    float* data() const { return static_cast<float*>(block_); }
    size_t bytes() const { return bytes_; }

private:
    lease(pinned_pool& pool, void* block, size_t bytes) : pool_(&pool), block_(block), bytes_(bytes) {}
    pinned_pool* pool_;
    void* block_;
    size_t bytes_;
};

// ---- messages --------------------------------------------------------------------------------------------------

struct frame {
    int pts = 0;
    std::vector<float> pixels;
};
using frame_ptr = std::shared_ptr<frame>;

struct set_look {
    float gamma;
};
struct flush {};
using message = std::variant<frame_ptr, set_look, flush>;
using sink = std::function<void(const message&)>;

template <class... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

inline float look_value(int level, float gamma) { return std::pow(level / float(lut_size - 1), gamma); }

// ---- grading ---------------------------------------------------------------------------------------------------

__global__ void apply_lut(float* px, const float* lut, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int level = min(max(int(px[i]), 0), lut_size - 1);
        px[i] = lut[level];
    }
}

class grade_stage {
public:
    grade_stage(pinned_pool& pool, float gamma, sink next) : pool_(pool), gamma_(gamma), next_(std::move(next)) {
        cu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        cu(cudaMalloc(&px_, frame_px * sizeof(float)));
        cu(cudaMalloc(&lut_, lut_size * sizeof(float)));
    }
    ~grade_stage() {
        drop();
        cudaFree(px_);
        cudaFree(lut_);
        cudaStreamDestroy(stream_);
    }

    void operator()(const message& msg) {
        std::visit(overloaded{
                       [&](const frame_ptr& f) { process(*f); },
                       [&](const set_look& look) {
                           gamma_ = look.gamma;
                           drop();
                       },
                       [&](const flush&) { cu(cudaStreamSynchronize(stream_)); },
                   },
                   msg);
        next_(msg);
    }

private:
    void process(frame& f) {
        if (!exec_) exec_ = compile();
        cu(cudaMemcpyAsync(px_, f.pixels.data(), frame_px * sizeof(float), cudaMemcpyHostToDevice, stream_));
        cu(cudaGraphLaunch(exec_, stream_));
        cu(cudaMemcpyAsync(f.pixels.data(), px_, frame_px * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        cu(cudaStreamSynchronize(stream_));
    }

    cudaGraphExec_t compile() {
        std::optional<lease> table = lease::from(pool_, lut_size); // HAZARD dangling #lut
        if (!table) throw std::runtime_error("pinned pool exhausted");
        for (int i = 0; i < lut_size; ++i) table->data()[i] = look_value(i, gamma_);

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        cu(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        record(*table);
        cu(cudaStreamEndCapture(stream_, &graph));
        cu(cudaGraphInstantiate(&exec, graph, 0));
        cu(cudaGraphDestroy(graph));
        return exec;
    }

    void record(const lease& table) {
        cu(cudaMemcpyAsync(lut_, table.data(), table.bytes(), cudaMemcpyHostToDevice, stream_)); // HAZARD dangling #lut
        apply_lut<<<(frame_px + 255) / 256, 256, 0, stream_>>>(px_, lut_, frame_px);
        cu(cudaGetLastError());
    }

    void drop() {
        if (!exec_) return;
        cudaStreamSynchronize(stream_);
        cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    pinned_pool& pool_;
    float gamma_;
    sink next_;
    cudaStream_t stream_ = nullptr;
    float* px_ = nullptr;
    float* lut_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

// ---- previews --------------------------------------------------------------------------------------------------

// Keeps the latest thumbnail in pinned memory for the control room's web socket.
class preview_stage {
public:
    preview_stage(pinned_pool& pool, sink next) : pool_(pool), next_(std::move(next)) {}

    void operator()(const message& msg) {
        if (auto f = std::get_if<frame_ptr>(&msg); f && (*f)->pts % 4 == 1) {
            if (!thumb_) thumb_ = lease::from(pool_, thumb_px);
            for (int i = 0; thumb_ && i < thumb_px; ++i)
                thumb_->data()[i] = 10.0f + (*f)->pixels[size_t(i) * (frame_px / thumb_px)];
        }
        next_(msg);
    }

private:
    pinned_pool& pool_;
    sink next_;
    std::optional<lease> thumb_;
};

} // namespace vid

using namespace vid;

static frame_ptr decode(int pts) {
    auto f = std::make_shared<frame>();
    f->pts = pts;
    f->pixels.resize(frame_px);
    for (int i = 0; i < frame_px; ++i) f->pixels[i] = float((i * 3 + pts * 11) % lut_size);
    return f;
}

static int run() {
    pinned_pool pool;
    std::map<int, int> wrong;
    float gamma = 2.2f;

    sink check = [&](const message& msg) {
        if (auto f = std::get_if<frame_ptr>(&msg)) {
            int& bad = wrong[(*f)->pts];
            for (int i = 0; i < frame_px; ++i) {
                float want = look_value((i * 3 + (*f)->pts * 11) % lut_size, gamma);
                bad += std::fabs((*f)->pixels[i] - want) > 1e-5f;
            }
        }
    };
    preview_stage preview(pool, check);
    grade_stage grade(pool, gamma, [&](const message& m) { preview(m); });

    for (int pts = 0; pts < 8; ++pts) grade(decode(pts));
    grade(flush{});
    for (auto& [pts, bad] : wrong) std::printf("frame %d: %d wrong pixels\n", pts, bad);

    bool confirmed = wrong[0] == 0 && wrong[1] == 0;
    for (int pts = 2; pts < 8; ++pts) confirmed = confirmed && wrong[pts] > 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return !confirmed;
}

int main() {
    try {
        return run();
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
