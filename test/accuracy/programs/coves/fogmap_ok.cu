// Fog-of-war layers of the strategy view.
//
// Every map layer owns a visibility field. On each tick the field fades a little and is refreshed around the units
// that stand on the layer. Vision parameters of all units live in one device pool that the layers share. The tick of
// a layer is recorded once as a CUDA graph and replayed until the roster of the layer changes.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace fow {

#define FOW_CHECK(call)                                                                             \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));      \
            std::printf("LABEL WRONG\n");                                                           \
            std::exit(2);                                                                           \
        }                                                                                           \
    } while (0)

constexpr float kFadePerTick = 0.25f;

struct VisionParams {
    float x = 0.f, y = 0.f;
    float radius = 0.f;
    float strength = 1.f;
};

__global__ void fadeField(const float* prev, float* next, int cells, float amount) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) next[i] = fmaxf(prev[i] - amount, 0.f);
}

__global__ void revealDisc(const VisionParams* vision, float* field, int w, int h) {
    int cx = blockIdx.x * blockDim.x + threadIdx.x;
    int cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (cx >= w || cy >= h) return;
    float dx = cx - vision->x, dy = cy - vision->y;
    if (dx * dx + dy * dy <= vision->radius * vision->radius) {
        float* cell = field + cy * w + cx;
        *cell = fmaxf(*cell, vision->strength);
    }
}

struct SlotHandle {
    int index = -1;
    unsigned generation = 0;
};

// Fixed-capacity device pool; unused slots form an intrusive free list.
class VisionPool {
public:
    explicit VisionPool(int capacity) : slots_(capacity) {
        FOW_CHECK(cudaMalloc(&device_, capacity * sizeof(VisionParams)));
        for (int i = 0; i < capacity; ++i) slots_[i].nextFree = i + 1 < capacity ? i + 1 : -1;
    }
    ~VisionPool() { cudaFree(device_); }
    VisionPool(const VisionPool&) = delete;
    VisionPool& operator=(const VisionPool&) = delete;

    SlotHandle acquire(const VisionParams& params) {
        int index = freeHead_;
        if (index < 0) {
            std::fprintf(stderr, "vision pool exhausted\n");
            std::exit(2);
        }
        freeHead_ = slots_[index].nextFree;
        SlotHandle handle{index, ++slots_[index].generation};
        write(handle, params);
        return handle;
    }

    void write(SlotHandle handle, const VisionParams& params) {
        if (!alive(handle)) return;
        FOW_CHECK(cudaMemcpy(device_ + handle.index, &params, sizeof params, cudaMemcpyHostToDevice));
        FOW_CHECK(cudaDeviceSynchronize());
    }

    void release(SlotHandle handle) {
        if (!alive(handle)) return;
        Slot& slot = slots_[handle.index];
        ++slot.generation;
        slot.nextFree = freeHead_;
        freeHead_ = handle.index;
    }

    bool alive(SlotHandle handle) const {
        return handle.index >= 0 && slots_[handle.index].generation == handle.generation;
    }
    const VisionParams* at(SlotHandle handle) const { return device_ + handle.index; }

private:
    struct Slot {
        int nextFree = -1;
        unsigned generation = 0;
    };
    std::vector<Slot> slots_;
    VisionParams* device_ = nullptr;
    int freeHead_ = 0;
};

// Units are linked into the roster of their layer.
struct Unit {
    std::string name;
    VisionParams params;
    SlotHandle vision;
    Unit* prev = nullptr;
    Unit* next = nullptr;
};

class Roster {
public:
    void link(Unit* u) {
        u->next = head_;
        if (head_) head_->prev = u;
        head_ = u;
    }
    void unlink(Unit* u) {
        if (u->prev) u->prev->next = u->next;
        else head_ = u->next;
        if (u->next) u->next->prev = u->prev;
    }
    Unit* first() const { return head_; }

private:
    Unit* head_ = nullptr;
};

class MapLayer {
public:
    MapLayer(VisionPool& pool, int w, int h) : pool_(pool), w_(w), h_(h) {
        FOW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (float** field : {&front_, &back_}) {
            FOW_CHECK(cudaMalloc(field, w * h * sizeof(float)));
            FOW_CHECK(cudaMemset(*field, 0, w * h * sizeof(float)));
        }
        FOW_CHECK(cudaDeviceSynchronize());
    }

    ~MapLayer() {
        while (Unit* u = roster_.first()) despawn(u);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(front_);
        cudaFree(back_);
        cudaStreamDestroy(stream_);
    }

    Unit* spawn(std::string name, const VisionParams& params) {
        Unit* u = new Unit{std::move(name), params, pool_.acquire(params)};
        roster_.link(u);
        graphDirty_ = true;
        return u;
    }

    void despawn(Unit* u) {
        roster_.unlink(u);
        pool_.release(u->vision);
        delete u;
        graphDirty_ = true;
    }

    // A walk only rewrites the unit's slot; the recorded tick picks the new position up.
    void walk(Unit* u, float x, float y) {
        u->params.x = x;
        u->params.y = y;
        pool_.write(u->vision, u->params);
    }

    void tick() {
        if (graphDirty_) rebuild();
        FOW_CHECK(cudaGraphLaunch(exec_, stream_));
        FOW_CHECK(cudaStreamSynchronize(stream_));
    }

    float sample(int x, int y) const {
        float value = -1.f;
        FOW_CHECK(cudaMemcpy(&value, front_ + y * w_ + x, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

private:
    void rebuild() {
        if (exec_) FOW_CHECK(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
        beginRecord();
        // Vision is resolved twice per tick, which keeps fast units from leaving gaps.
        recordHalfTick(0.5f * kFadePerTick);
        recordHalfTick(0.5f * kFadePerTick);
        endRecord();
        graphDirty_ = false;
    }

    void beginRecord() { FOW_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }

    void recordHalfTick(float fade) {
        int cells = w_ * h_;
        dim3 block(16, 16), grid((w_ + 15) / 16, (h_ + 15) / 16);
        fadeField<<<(cells + 255) / 256, 256, 0, stream_>>>(front_, back_, cells, fade);
        for (Unit* u = roster_.first(); u; u = u->next) {
            revealDisc<<<grid, block, 0, stream_>>>(pool_.at(u->vision), back_, w_, h_);
        }
        FOW_CHECK(cudaGetLastError());
        std::swap(front_, back_);
    }

    void endRecord() {
        cudaGraph_t graph = nullptr;
        FOW_CHECK(cudaStreamEndCapture(stream_, &graph));
        FOW_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        FOW_CHECK(cudaGraphDestroy(graph));
    }

    VisionPool& pool_;
    Roster roster_;
    int w_, h_;
    float* front_ = nullptr;
    float* back_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    bool graphDirty_ = true;
};

}  // namespace fow

static int differences = 0;

static void expectNear(const char* what, float got, float want) {
    bool same = std::fabs(got - want) < 1e-5f;
    std::printf("%-34s got %.3f want %.3f%s\n", what, got, want, same ? "" : "  *");
    if (!same) ++differences;
}

int main() {
    using fow::VisionParams;
    fow::VisionPool pool(32);
    fow::MapLayer surface(pool, 64, 64);
    fow::MapLayer caves(pool, 64, 64);

    fow::Unit* scout = surface.spawn("scout", VisionParams{10, 10, 3, 1});
    fow::Unit* tower = surface.spawn("tower", VisionParams{40, 40, 3, 1});
    surface.tick();
    expectNear("scout area after first tick", surface.sample(10, 10), 1.f);
    expectNear("tower area after first tick", surface.sample(40, 40), 1.f);

    surface.walk(tower, 42, 40);
    surface.despawn(scout);
    fow::Unit* worm = caves.spawn("worm", VisionParams{50, 12, 3, 1});
    for (int i = 0; i < 2; ++i) {
        surface.tick();
        caves.tick();
    }
    expectNear("explored ground fades", surface.sample(10, 10), 1.f - 2 * fow::kFadePerTick);
    expectNear("surface above the worm", surface.sample(50, 12), 0.f);
    expectNear("caves around the worm", caves.sample(50, 12), 1.f);
    expectNear("tower area", surface.sample(44, 40), 1.f);
    caves.despawn(worm);

    std::printf("%s\n", differences == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
