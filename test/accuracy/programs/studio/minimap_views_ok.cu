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

using Handle = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

class MinimapView {
public:
    MinimapView(int team, std::shared_ptr<Buffer> scratch) : team_(team), scratch_(std::move(scratch))
    {
        note(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    }
    ~MinimapView()
    {
        exec_.reset();
        cudaStreamDestroy(s_);
    }
    MinimapView(const MinimapView&) = delete;

    void rebuild(int scale)
    {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t made = nullptr;
        note(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
        paintTerrain<<<1, kCells, 0, s_>>>(scratch_->p, team_, 300000LL);
        composeIcons<<<1, kCells, 0, s_>>>(scratch_->p, map_.p, scale);
        note(cudaStreamEndCapture(s_, &g));
        note(cudaGraphInstantiate(&made, g, 0));
        if (g) note(cudaGraphDestroy(g));
        exec_ = Handle(made, [](cudaGraphExec_t e) { cudaGraphExecDestroy(e); });
    }
    int refresh()
    {
        int cell = 0;
        note(cudaGraphLaunch(exec_.get(), s_));
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
            cudaError_t e = cudaGraphLaunch(it.exec.get(), it.stream);
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

int main()
{
    MinimapView red(1, std::make_shared<Buffer>()), blue(2, std::make_shared<Buffer>());
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
    cudaError_t shown = hud.present();
    int pinned = red.peek();
    bool clean = red.error() == cudaSuccess && blue.error() == cudaSuccess && shown == cudaSuccess;
    bool label = clean && mixed == 0 && fresh == 100 && pinned == 10;
    std::printf("LABEL %s mixed=%d fresh=%d pinned=%d\n", label ? "CONFIRMED" : "REFUTED", mixed, fresh, pinned);
    return 0;
}
