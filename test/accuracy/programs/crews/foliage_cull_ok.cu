// Foliage renderer: distance culling of grass and tree instances that stream in while the player walks.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace foliage {

static cudaError_t g_firstError = cudaSuccess;

static bool gpuOk(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return true;
    if (g_firstError == cudaSuccess) g_firstError = e;
    std::fprintf(stderr, "foliage: %s failed: %s\n", what, cudaGetErrorString(e));
    return false;
}

struct Instance {
    float x, z;
    uint32_t species;
};

struct PatchHandle {
    uint32_t first = 0;
    uint32_t count = 0;
};

constexpr uint32_t kCapacity = 8192;
constexpr uint32_t kGroup = 128;

// All instances live in one array that is sized for the worst case at level load.
class InstanceManager {
public:
    bool startup() {
        return gpuOk(cudaMalloc(&instances_, kCapacity * sizeof(Instance)), "instances") &&
               gpuOk(cudaMallocHost(&liveCount_, sizeof(uint32_t)), "live count") && reset();
    }
    void shutdown() {
        cudaFree(instances_);
        cudaFreeHost(liveCount_);
    }
    bool spawnPatch(const std::vector<Instance>& patch, PatchHandle* out) {
        if (mirror_.size() + patch.size() > kCapacity) return false;
        out->first = static_cast<uint32_t>(mirror_.size());
        out->count = static_cast<uint32_t>(patch.size());
        mirror_.insert(mirror_.end(), patch.begin(), patch.end());
        *liveCount_ = static_cast<uint32_t>(mirror_.size());
        return gpuOk(cudaMemcpy(instances_ + out->first, patch.data(), patch.size() * sizeof(Instance),
                                cudaMemcpyHostToDevice), "patch upload") &&
               gpuOk(cudaDeviceSynchronize(), "patch upload wait");
    }
    const Instance* device() const { return instances_; }
    const uint32_t* liveCountHost() const { return liveCount_; }
    uint32_t live() const { return *liveCount_; }
    const std::vector<Instance>& mirror() const { return mirror_; }

private:
    bool reset() {
        *liveCount_ = 0;
        return true;
    }
    Instance* instances_ = nullptr;
    uint32_t* liveCount_ = nullptr;  // pinned; copied to the device by every frame
    std::vector<Instance> mirror_;
};

struct ViewConstants {
    float eyeX, eyeZ, radius;
};

__global__ void cullInstances(const Instance* instances, const uint32_t* live, const ViewConstants* view,
                              uint32_t* visible) {
    const uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < *live; i += stride) {
        const float dx = instances[i].x - view->eyeX;
        const float dz = instances[i].z - view->eyeZ;
        if (dx * dx + dz * dz <= view->radius * view->radius) atomicAdd(visible, 1u);
    }
}

class CullSystem {
public:
    bool startup(const InstanceManager& im) {
        return gpuOk(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking), "queue") &&
               gpuOk(cudaMalloc(&dLive_, sizeof(uint32_t)), "live") &&
               gpuOk(cudaMalloc(&dVisible_, sizeof(uint32_t)), "visible") &&
               gpuOk(cudaMalloc(&dView_, sizeof(ViewConstants)), "view") &&
               gpuOk(cudaMallocHost(&hView_, sizeof(ViewConstants)), "view staging") &&
               gpuOk(cudaMallocHost(&hVisible_, sizeof(uint32_t)), "readback") && record(im);
    }
    void shutdown() {
        if (frame_) cudaGraphExecDestroy(frame_);
        cudaFree(dLive_);
        cudaFree(dVisible_);
        cudaFree(dView_);
        cudaFreeHost(hView_);
        cudaFreeHost(hVisible_);
        if (queue_) cudaStreamDestroy(queue_);
    }
    // One frame: constants are written to the staging block, everything else replays.
    bool frame(const ViewConstants& view, uint32_t* visible) {
        *hView_ = view;
        if (!gpuOk(cudaGraphLaunch(frame_, queue_), "launch")) return false;
        if (!gpuOk(cudaStreamSynchronize(queue_), "frame wait")) return false;
        *visible = *hVisible_;
        return true;
    }

private:
    bool record(const InstanceManager& im) {
        if (!gpuOk(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeGlobal), "begin")) return false;
        bool ok = gpuOk(cudaMemcpyAsync(dView_, hView_, sizeof(ViewConstants), cudaMemcpyHostToDevice, queue_), "view");
        ok &= gpuOk(cudaMemcpyAsync(dLive_, im.liveCountHost(), sizeof(uint32_t), cudaMemcpyHostToDevice, queue_), "n");
        ok &= gpuOk(cudaMemsetAsync(dVisible_, 0, sizeof(uint32_t), queue_), "clear");
        // A first guess from the patches already loaded; the kernel strides over whatever is live.
        const uint32_t groups = (im.live() + kGroup - 1) / kGroup;
        cullInstances<<<groups, kGroup, 0, queue_>>>(im.device(), dLive_, dView_, dVisible_);
        ok &= gpuOk(cudaGetLastError(), "cull");
        ok &= gpuOk(cudaMemcpyAsync(hVisible_, dVisible_, sizeof(uint32_t), cudaMemcpyDeviceToHost, queue_), "back");
        cudaGraph_t graph = nullptr;
        ok &= gpuOk(cudaStreamEndCapture(queue_, &graph), "end");
        if (!ok) return false;
        ok = gpuOk(cudaGraphInstantiate(&frame_, graph, 0), "instantiate");
        return gpuOk(cudaGraphDestroy(graph), "destroy") && ok;
    }

    cudaStream_t queue_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
    uint32_t *dLive_ = nullptr, *dVisible_ = nullptr, *hVisible_ = nullptr;
    ViewConstants *dView_ = nullptr, *hView_ = nullptr;
};

static std::vector<Instance> makePatch(uint32_t n, uint32_t seed) {
    std::vector<Instance> p(n);
    for (uint32_t i = 0; i < n; ++i) {
        p[i].x = static_cast<float>((i * 37u + seed * 11u) % 200u);
        p[i].z = static_cast<float>((i * 53u + seed * 29u) % 200u);
        p[i].species = i % 5u;
    }
    return p;
}

static uint32_t referenceVisible(const std::vector<Instance>& all, const ViewConstants& v) {
    uint32_t n = 0;
    for (const Instance& i : all) {
        const float dx = i.x - v.eyeX, dz = i.z - v.eyeZ;
        if (dx * dx + dz * dz <= v.radius * v.radius) ++n;
    }
    return n;
}

}  // namespace foliage

int main() {
    using namespace foliage;
    InstanceManager instances;
    CullSystem cull;
    PatchHandle patch;
    bool ok = instances.startup() && instances.spawnPatch(makePatch(300, 1), &patch) && cull.startup(instances);
    bool right = true;
    for (uint32_t frame = 0; ok && frame < 6; ++frame) {
        if (frame == 2 || frame == 4) ok = instances.spawnPatch(makePatch(900 + 500 * frame, frame), &patch);
        const ViewConstants view = {40.0f + 10.0f * frame, 100.0f, 90.0f};
        uint32_t visible = 0;
        ok = ok && cull.frame(view, &visible);
        const uint32_t want = referenceVisible(instances.mirror(), view);
        std::printf("frame %u live %u visible %u expected %u\n", frame, instances.live(), visible, want);
        right = right && visible == want;
    }
    cull.shutdown();
    instances.shutdown();
    std::puts(ok && right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
