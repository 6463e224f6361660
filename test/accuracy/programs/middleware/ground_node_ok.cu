#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mw {

struct PlaneMsg { float coef[4]; };
struct ImuMsg { float accel[4]; };
struct CloudMsg { std::vector<float> z; };

class LoanPool {
public:
    LoanPool() { cudaMallocHost(&base_, kSlots * kSlot); }
    ~LoanPool() { cudaFreeHost(base_); }
    template <class T> std::shared_ptr<T> loan() {
        static_assert(sizeof(T) <= kSlot, "slot");
        for (int i = 0; i < kSlots; ++i)
            if (!used_[i]) {
                used_[i] = true;
                return std::shared_ptr<T>(reinterpret_cast<T*>(base_ + i * kSlot), [this, i](T*) { used_[i] = false; });
            }
        return nullptr;
    }

private:
    static constexpr int kSlots = 8;
    static constexpr size_t kSlot = 64;
    char* base_ = nullptr;
    bool used_[kSlots] = {};
};

template <class Msg> struct Topic {
    using Fn = std::function<void(std::shared_ptr<const Msg>)>;
    void subscribe(Fn f) { subs.push_back(std::move(f)); }
    void publish(std::shared_ptr<const Msg> m) { for (auto& s : subs) s(m); }
    std::vector<Fn> subs;
};

enum class Ret { Success, Failure };
class LifecycleNode {
public:
    virtual ~LifecycleNode() = default;
    virtual Ret on_configure() = 0;
    virtual Ret on_activate() = 0;
    virtual Ret on_cleanup() = 0;
};

}  // namespace mw

__global__ void shift_by_plane(const float* z, float* out, const float* plane, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = z[i] - plane[3];
}

__global__ void mark_ground(const float* height, int* label, const int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *count) label[i] = height[i] < 0.5f ? 1 : 2;
}

class GroundNode : public mw::LifecycleNode {
public:
    GroundNode(mw::Topic<mw::CloudMsg>& clouds, mw::Topic<mw::PlaneMsg>& planes) {
        planes.subscribe([this](std::shared_ptr<const mw::PlaneMsg> m) { plane_ = std::move(m); });
        clouds.subscribe([this](std::shared_ptr<const mw::CloudMsg> m) { on_cloud(*m); });
    }
    mw::Ret on_configure() override {
        bool ok = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess;
        ok = ok && cudaMalloc(&z_, kMax * 4) == cudaSuccess && cudaMalloc(&height_, kMax * 4) == cudaSuccess;
        ok = ok && cudaMalloc(&label_, kMax * 4) == cudaSuccess && cudaMalloc(&d_plane_, 16) == cudaSuccess;
        ok = ok && cudaMalloc(&d_count_, 4) == cudaSuccess && cudaMemset(z_, 0, kMax * 4) == cudaSuccess;
        ok = ok && cudaMallocHost(&host_plane_, 16) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
        return ok ? mw::Ret::Success : mw::Ret::Failure;
    }
    mw::Ret on_activate() override {
        active_ = plane_ != nullptr;
        if (active_) std::memcpy(host_plane_, plane_->coef, 16);
        return active_ ? mw::Ret::Success : mw::Ret::Failure;
    }
    mw::Ret on_cleanup() override {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (void* p : {(void*)z_, (void*)height_, (void*)label_, (void*)d_plane_, (void*)d_count_}) cudaFree(p);
        cudaFreeHost(host_plane_);
        return cudaStreamDestroy(stream_) == cudaSuccess ? mw::Ret::Success : mw::Ret::Failure;
    }
    std::vector<int> labels() {
        std::vector<int> out(kMax);
        status_ |= cudaMemcpy(out.data(), label_, kMax * 4, cudaMemcpyDeviceToHost);
        return out;
    }
    int status() const { return status_; }

private:
    void on_cloud(const mw::CloudMsg& cloud) {
        if (!active_) return;
        const int n = static_cast<int>(cloud.z.size());
        status_ |= cudaMemsetAsync(label_, 0, kMax * 4, stream_);
        status_ |= cudaMemcpyAsync(z_, cloud.z.data(), n * 4, cudaMemcpyHostToDevice, stream_);
        status_ |= cudaMemcpyAsync(d_count_, &n, 4, cudaMemcpyHostToDevice, stream_);
        status_ |= cudaStreamSynchronize(stream_);
        if (!exec_) capture(n);
        status_ |= cudaGraphLaunch(exec_, stream_);
        status_ |= cudaStreamSynchronize(stream_);
        plane_.reset();
    }
    void capture(int n) {
        cudaGraph_t graph = nullptr;
        status_ |= cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        status_ |= cudaMemcpyAsync(d_plane_, host_plane_, 16, cudaMemcpyHostToDevice, stream_);
        shift_by_plane<<<kMax / 128, 128, 0, stream_>>>(z_, height_, d_plane_, kMax);
        (void)n;
        mark_ground<<<kMax / 128, 128, 0, stream_>>>(height_, label_, d_count_);
        status_ |= cudaStreamEndCapture(stream_, &graph);
        status_ |= cudaGraphInstantiate(&exec_, graph, 0);
        status_ |= cudaGraphDestroy(graph);
    }
    static constexpr int kMax = 1024;
    std::shared_ptr<const mw::PlaneMsg> plane_;
    float *z_ = nullptr, *height_ = nullptr, *d_plane_ = nullptr, *host_plane_ = nullptr;
    int *label_ = nullptr, *d_count_ = nullptr;
    int status_ = 0;
    bool active_ = false;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    mw::LoanPool pool;
    mw::Topic<mw::CloudMsg> clouds;
    mw::Topic<mw::PlaneMsg> planes;
    GroundNode node(clouds, planes);
    bool up = node.on_configure() == mw::Ret::Success;
    {
        auto p = pool.loan<mw::PlaneMsg>();
        p->coef[3] = 0.0f;
        planes.publish(p);
    }
    up = up && node.on_activate() == mw::Ret::Success;
    clouds.publish(std::make_shared<mw::CloudMsg>(mw::CloudMsg{std::vector<float>(200, 1.0f)}));
    auto l0 = node.labels();
    auto imu = pool.loan<mw::ImuMsg>();
    imu->accel[3] = 9.8f;
    clouds.publish(std::make_shared<mw::CloudMsg>(mw::CloudMsg{std::vector<float>(700, 1.0f)}));
    auto l1 = node.labels();
    bool first = up && l0[0] == 2 && l0[199] == 2 && l0[200] == 0;
    bool ok = first && l1[0] == 2 && l1[199] == 2 && l1[200] == 2 && l1[699] == 2 && l1[700] == 0;
    if (ok && node.status() == 0) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED st=%d %d %d %d %d\n", node.status(), l0[0], l1[0], l1[199], l1[699]);
    node.on_cleanup();
    return 0;
}
