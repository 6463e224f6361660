#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

constexpr int kCells = 128;

__global__ void paintTerrain(int* scratch, int team, long long ticks)
{
    scratch[threadIdx.x] = team;
    long long t0 = clock64();
    while (clock64() - t0 < ticks) {}
}

__global__ void composeIcons(const int* scratch, int* map, int scale)
{
    map[threadIdx.x] = scratch[threadIdx.x] * scale;
}

struct Buffer {
    int* p = nullptr;
    Buffer() { if (cudaMalloc(&p, kCells * sizeof(int)) != cudaSuccess) p = nullptr; }
    ~Buffer() { cudaFree(p); }
    Buffer(const Buffer&) = delete;
};

using Handle = cudaGraphExec_t;

class MinimapView {
public:
    MinimapView(int team, std::shared_ptr<Buffer> scratch) : team_(team), scratch_(std::move(scratch))
    {
        note(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    }
    ~MinimapView()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(s_);
    }
    MinimapView(const MinimapView&) = delete;

    void rebuild(int scale)
    {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t made = nullptr;
        note(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
        paintTerrain<<<1, kCells, 0, s_>>>(scratch_->p, team_, 300000LL);  // HAZARD concurrent_work #scratch
        composeIcons<<<1, kCells, 0, s_>>>(scratch_->p, map_.p, scale);  // HAZARD concurrent_work #scratch
        note(cudaStreamEndCapture(s_, &g));
        note(cudaGraphInstantiate(&made, g, 0));
        if (g) note(cudaGraphDestroy(g));
        if (exec_) note(cudaGraphExecDestroy(exec_));
        exec_ = made;
    }
    int refresh()
    {
        int cell = 0;
        note(cudaGraphLaunch(exec_, s_));  // HAZARD concurrent_work #scratch
        note(cudaMemcpyAsync(&cell, map_.p + 11, sizeof cell, cudaMemcpyDeviceToHost, s_));
        note(cudaStreamSynchronize(s_));
        return cell;
    }
    Handle handle() const { return exec_; }
    cudaStream_t stream() const { return s_; }
    int peek()
    {
        int cell = 0;
        note(cudaMemcpy(&cell, map_.p + 11, sizeof cell, cudaMemcpyDeviceToHost));
        return cell;
    }
    cudaError_t error() const { return error_; }

private:
    void note(cudaError_t e) { if (error_ == cudaSuccess) error_ = e; }

    int team_;
    std::shared_ptr<Buffer> scratch_;
    Buffer map_;
    cudaStream_t s_ = nullptr;
    Handle exec_{};
    cudaError_t error_ = cudaSuccess;
};

// Overlay of pinned views.
class Hud {
public:
    void pin(const MinimapView& v)
    {
        std::lock_guard<std::mutex> l(m_);
        items_.push_back({v.handle(), v.stream()});
    }
    cudaError_t present()
    {
        std::lock_guard<std::mutex> l(m_);
        for (auto& it : items_) {
            cudaError_t e = cudaGraphLaunch(it.exec, it.stream);  // HAZARD graph_lifetime
            if (e == cudaSuccess) e = cudaStreamSynchronize(it.stream);
            if (e != cudaSuccess) return e;
        }
        return cudaSuccess;
    }

private:
    struct Item {
        Handle exec;
        cudaStream_t stream;
    };
    std::mutex m_;
    std::vector<Item> items_;
};

int main(int argc, char**)
{
    auto scratch = std::make_shared<Buffer>();
    MinimapView red(1, scratch), blue(2, scratch);
    red.rebuild(10);
    blue.rebuild(10);
    int mixed = 0, mixedBlue = 0;
    auto play = [](MinimapView& v, int want, int* bad) {
        for (int k = 0; k < 200; ++k)
            if (v.refresh() != want) ++*bad;
    };
    std::thread a(play, std::ref(red), 10, &mixed), b(play, std::ref(blue), 20, &mixedBlue);
    a.join();
    b.join();
    mixed += mixedBlue;

    Hud hud;
    hud.pin(red);
    red.rebuild(100);
    int fresh = red.refresh();
    cudaError_t shown = cudaSuccess;
    if (argc > 1) shown = hud.present();
    int pinned = red.peek();
    bool clean = red.error() == cudaSuccess && blue.error() == cudaSuccess && shown == cudaSuccess;
    std::printf("LABEL %s mixed=%d fresh=%d pinned=%d\n", clean ? "UNOBSERVED" : "REFUTED", mixed, fresh, pinned);
    return 0;
}
