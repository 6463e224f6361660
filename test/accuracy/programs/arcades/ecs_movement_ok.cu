// Entity-component world with component columns mirrored on the GPU. The movement systems are
// recorded once into a graph that the scheduler replays every tick.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define CU(call)                                                                    \
    do {                                                                            \
        cudaError_t err_ = (call);                                                  \
        if (err_ != cudaSuccess) {                                                  \
            std::fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(err_)); \
            std::printf("LABEL WRONG\n");                                           \
            std::exit(1);                                                           \
        }                                                                           \
    } while (0)

namespace ecs {

struct Transform {
    float x, y;
};
struct Velocity {
    float dx, dy;
};
struct Arena2D {
    float halfExtent;
};

using Entity = uint32_t;

// Host column with a device mirror; new rows are uploaded by flush().
template <class C>
class Column {
public:
    explicit Column(uint32_t capacity) : capacity_(capacity) {
        CU(cudaMalloc(&device_, capacity * sizeof(C)));
        rows_.reserve(capacity);
    }
    ~Column() { cudaFree(device_); }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    bool push(const C& value) {
        if (rows_.size() == capacity_) return false;
        rows_.push_back(value);
        return true;
    }
    void flush(cudaStream_t stream) {
        const size_t fresh = rows_.size() - uploaded_;
        if (fresh == 0) return;
        CU(cudaMemcpyAsync(device_ + uploaded_, rows_.data() + uploaded_, fresh * sizeof(C), cudaMemcpyHostToDevice,
                           stream));
        uploaded_ = rows_.size();
    }
    C* device() const { return device_; }
    std::vector<C>& rows() { return rows_; }

private:
    uint32_t capacity_;
    size_t uploaded_ = 0;
    C* device_ = nullptr;
    std::vector<C> rows_;
};

class World {
public:
    World(uint32_t capacity, cudaStream_t stream) : transforms(capacity), velocities(capacity), stream_(stream) {
        CU(cudaMallocHost(&population_, sizeof(uint32_t)));
        CU(cudaMalloc(&devicePopulation_, sizeof(uint32_t)));
        *population_ = 0;
    }
    ~World() {
        cudaFreeHost(population_);
        cudaFree(devicePopulation_);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    bool spawn(const Transform& t, const Velocity& v) {
        if (!transforms.push(t) || !velocities.push(v)) return false;
        ++*population_;
        return true;
    }
    void flush() {
        transforms.flush(stream_);
        velocities.flush(stream_);
        CU(cudaStreamSynchronize(stream_));
    }
    uint32_t population() const { return *population_; }
    const uint32_t* pinnedPopulation() const { return population_; }
    uint32_t* devicePopulation() const { return devicePopulation_; }

    Column<Transform> transforms;
    Column<Velocity> velocities;

private:
    cudaStream_t stream_;
    uint32_t* population_ = nullptr;
    uint32_t* devicePopulation_ = nullptr;
};

__global__ void moveEntities(Transform* t, const Velocity* v, const uint32_t* population, float dt) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *population) return;
    t[i].x += v[i].dx * dt;
    t[i].y += v[i].dy * dt;
}

__global__ void bounceEntities(const Transform* t, Velocity* v, const uint32_t* population, Arena2D arena) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *population) return;
    if (fabsf(t[i].x) > arena.halfExtent) v[i].dx = -v[i].dx;
    if (fabsf(t[i].y) > arena.halfExtent) v[i].dy = -v[i].dy;
}

constexpr uint32_t kGroup = 128;
constexpr float kTick = 1.f / 32.f;
constexpr Arena2D kArena{8.f};

uint32_t groupsFor(const World& w) { return (w.population() + kGroup - 1) / kGroup; }

using System = std::function<void(World&, cudaStream_t)>;

System movementSystem() {
    return [](World& w, cudaStream_t s) {
        const uint32_t groups = groupsFor(w);
        moveEntities<<<groups, kGroup, 0, s>>>(w.transforms.device(), w.velocities.device(), w.devicePopulation(), kTick);
        CU(cudaGetLastError());
    };
}

System bounceSystem() {
    return [](World& w, cudaStream_t s) {
        const uint32_t groups = groupsFor(w);
        bounceEntities<<<groups, kGroup, 0, s>>>(w.transforms.device(), w.velocities.device(), w.devicePopulation(), kArena);
        CU(cudaGetLastError());
    };
}

class Scheduler {
public:
    Scheduler(World& world, cudaStream_t stream) : world_(world), stream_(stream) {}
    ~Scheduler() { release(); }
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    void add(System system) { systems_.push_back(std::move(system)); }

    void tick() {
        if (!exec_) record();
        else if (groupsFor(world_) != recordedGroups_) resize(groupsFor(world_));
        CU(cudaGraphLaunch(exec_, stream_));
        CU(cudaStreamSynchronize(stream_));
    }

private:
    void record() {
        CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        CU(cudaMemcpyAsync(world_.devicePopulation(), world_.pinnedPopulation(), sizeof(uint32_t),
                           cudaMemcpyHostToDevice, stream_));
        for (auto& system : systems_) system(world_, stream_);
        CU(cudaStreamEndCapture(stream_, &graph_));
        CU(cudaGraphInstantiate(&exec_, graph_, 0));
        recordedGroups_ = groupsFor(world_);
    }
    // All kernels of the graph iterate over the population, so they share one grid size.
    void resize(uint32_t groups) {
        size_t count = 0;
        CU(cudaGraphGetNodes(graph_, nullptr, &count));
        std::vector<cudaGraphNode_t> nodes(count);
        CU(cudaGraphGetNodes(graph_, nodes.data(), &count));
        for (cudaGraphNode_t node : nodes) {
            cudaGraphNodeType type;
            CU(cudaGraphNodeGetType(node, &type));
            if (type != cudaGraphNodeTypeKernel) continue;
            cudaKernelNodeParams params{};
            CU(cudaGraphKernelNodeGetParams(node, &params));
            params.gridDim = dim3(groups);
            CU(cudaGraphExecKernelNodeSetParams(exec_, node, &params));
        }
        recordedGroups_ = groups;
    }
    void release() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        exec_ = nullptr;
        graph_ = nullptr;
    }

    World& world_;
    cudaStream_t stream_;
    std::vector<System> systems_;
    uint32_t recordedGroups_ = 0;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

struct ReferenceWorld {
    std::vector<Transform> t;
    std::vector<Velocity> v;
    void tick() {
        for (size_t i = 0; i < t.size(); ++i) {
            t[i].x += v[i].dx * kTick;
            t[i].y += v[i].dy * kTick;
            if (std::fabs(t[i].x) > kArena.halfExtent) v[i].dx = -v[i].dx;
            if (std::fabs(t[i].y) > kArena.halfExtent) v[i].dy = -v[i].dy;
        }
    }
};

void spawnWave(World& world, ReferenceWorld& ref, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        Transform t{0.25f * (i % 16) - 2.f, 0.125f * (i % 32) - 2.f};
        Velocity v{1.f + (i % 4), -2.f + 0.5f * (i % 3)};
        if (!world.spawn(t, v)) break;
        ref.t.push_back(t);
        ref.v.push_back(v);
    }
    world.flush();
}

uint32_t compare(World& world, const ReferenceWorld& ref, cudaStream_t stream) {
    std::vector<Transform> now(ref.t.size());
    CU(cudaMemcpyAsync(now.data(), world.transforms.device(), now.size() * sizeof(Transform), cudaMemcpyDeviceToHost,
                       stream));
    CU(cudaStreamSynchronize(stream));
    uint32_t bad = 0;
    for (size_t i = 0; i < now.size(); ++i)
        if (std::fabs(now[i].x - ref.t[i].x) + std::fabs(now[i].y - ref.t[i].y) > 1e-4f) ++bad;
    return bad;
}

}  // namespace ecs

int main() {
    using namespace ecs;
    cudaStream_t stream = nullptr;
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    uint32_t strays = 0;
    {
        World world(4096, stream);
        ReferenceWorld reference;
        Scheduler scheduler(world, stream);
        scheduler.add(movementSystem());
        scheduler.add(bounceSystem());

        const uint32_t waves[] = {200, 400, 350};
        for (uint32_t w = 0; w < 3; ++w) {
            spawnWave(world, reference, waves[w]);
            for (int i = 0; i < 4; ++i) {
                scheduler.tick();
                reference.tick();
            }
            uint32_t bad = compare(world, reference, stream);
            std::printf("wave %u: population %u, stray entities %u\n", w, world.population(), bad);
            strays += bad;
        }
    }
    CU(cudaStreamDestroy(stream));
    std::printf(strays == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
