// Warehouse fleet simulation: component arrays on the device, systems that are ticked by a frame graph.
//
//   DeviceHeap       size class allocator over one slab
//   ComponentArray   growing array of one component, index = robot index
//   EventPool        fixed pool of event records, addressed by handles
//   FrameGraph       records the systems of a tick and replays them

#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define FLEET_CHECK(x) ::fleet::verify((x), #x, __LINE__)

namespace fleet {

inline void verify(cudaError_t rc, const char* what, int line) {
    if (rc == cudaSuccess) return;
    std::printf("line %d: %s: %s\nLABEL WRONG\n", line, what, cudaGetErrorString(rc));
    std::exit(1);
}

constexpr float kTickSeconds = 0.5f;

struct Pose { float x, y; };
struct Drive { float speed; };
struct Battery { float charge; };

// ---------------------------------------------------------------------------------------------------------- memory

class DeviceHeap {
public:
    explicit DeviceHeap(size_t bytes) : size_(bytes) {
        FLEET_CHECK(cudaMalloc(&slab_, bytes));
        FLEET_CHECK(cudaMemset(slab_, 0, bytes));
    }
    ~DeviceHeap() { cudaFree(slab_); }

    void* allocate(size_t bytes) {
        const size_t cls = sizeClass(bytes);
        auto& free = free_[cls];
        if (!free.empty()) {
            void* p = free.back();
            free.pop_back();
            return p;
        }
        if (top_ + cls > size_) return nullptr;
        void* p = slab_ + top_;
        top_ += cls;
        return p;
    }
    void release(void* p, size_t bytes) { free_[sizeClass(bytes)].push_back(p); }

private:
    static size_t sizeClass(size_t bytes) {
        size_t c = 256;
        while (c < bytes) c *= 2;
        return c;
    }
    char* slab_ = nullptr;
    size_t size_, top_ = 0;
    std::map<size_t, std::vector<void*>> free_;
};

template <class T> class ComponentArray {
public:
    ComponentArray(DeviceHeap& heap, int capacity) : heap_(heap), capacity_(capacity) {
        data_ = static_cast<T*>(heap_.allocate(capacity * sizeof(T)));
    }
    ~ComponentArray() { heap_.release(data_, capacity_ * sizeof(T)); }

    void set(int index, const T& value) {
        if (index >= capacity_) grow();
        FLEET_CHECK(cudaMemcpy(data_ + index, &value, sizeof(T), cudaMemcpyHostToDevice));
    }
    T get(int index) const {
        T value;
        FLEET_CHECK(cudaMemcpy(&value, data_ + index, sizeof(T), cudaMemcpyDeviceToHost));
        return value;
    }
    T* data() const { return data_; }

private:
    void grow() {
        T* wider = static_cast<T*>(heap_.allocate(2 * capacity_ * sizeof(T)));
        FLEET_CHECK(cudaMemcpy(wider, data_, capacity_ * sizeof(T), cudaMemcpyDeviceToDevice));
        FLEET_CHECK(cudaDeviceSynchronize());
        heap_.release(data_, capacity_ * sizeof(T));
        data_ = wider;
        capacity_ *= 2;
    }
    DeviceHeap& heap_;
    int capacity_;
    T* data_;
};

// ---------------------------------------------------------------------------------------------------------- events

struct EventHandle { uint16_t index, generation; };
struct EventRecord {
    int fired = 0;
    uint16_t generation = 0;
    bool used = false;
};

class EventPool {
public:
    EventHandle acquire() {
        for (uint16_t i = 0; i < records_.size(); ++i) {
            EventRecord& r = records_[i];
            if (r.used) continue;
            r.used = true;
            r.fired = 0;
            return {i, ++r.generation};
        }
        return {0xffff, 0};
    }
    EventRecord* resolve(EventHandle h) {
        if (h.index >= records_.size()) return nullptr;
        EventRecord& r = records_[h.index];
        return r.used && r.generation == h.generation ? &r : nullptr;
    }
    void release(EventHandle h) {
        if (EventRecord* r = resolve(h)) r->used = false;
    }

private:
    std::array<EventRecord, 16> records_{};
};

// ----------------------------------------------------------------------------------------------------------- world

struct World {
    explicit World(int capacity)
        : heap(1 << 20), batteries(heap, capacity), drives(heap, capacity), poses(heap, capacity) {
        FLEET_CHECK(cudaMalloc(&robotCount, sizeof(int)));
        FLEET_CHECK(cudaMemset(robotCount, 0, sizeof(int)));
        FLEET_CHECK(cudaDeviceSynchronize());
    }
    ~World() { cudaFree(robotCount); }

    int spawn(Pose pose, float speed) {
        const int id = robots++;
        batteries.set(id, {100.0f});
        drives.set(id, {speed});
        poses.set(id, pose);
        FLEET_CHECK(cudaMemcpy(robotCount, &robots, sizeof(int), cudaMemcpyHostToDevice));
        FLEET_CHECK(cudaDeviceSynchronize());
        return id;
    }

    DeviceHeap heap;
    EventPool events;
    ComponentArray<Battery> batteries;
    ComponentArray<Drive> drives;
    ComponentArray<Pose> poses;
    int robots = 0;
    int* robotCount = nullptr;
};

__global__ void driveRobots(Pose* poses, const Drive* drives, const int* count, float dt) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x)
        poses[i].x += drives[i].speed * dt;
}

__global__ void drainBatteries(Battery* batteries, const Drive* drives, const int* count, float dt) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x)
        batteries[i].charge -= 0.1f * fabsf(drives[i].speed) * dt;
}

// --------------------------------------------------------------------------------------------------------- systems

class FrameGraph {
public:
    explicit FrameGraph(World& world) : world_(world) {
        FLEET_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~FrameGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void tick() {
        if (!exec_) record();
        FLEET_CHECK(cudaGraphLaunch(exec_, stream_));
        FLEET_CHECK(cudaStreamSynchronize(stream_));
    }

private:
    static void CUDART_CB onTick(void* data) { static_cast<EventRecord*>(data)->fired++; }

    void record() {
        const EventHandle done = world_.events.acquire();
        cudaGraph_t graph = nullptr;
        FLEET_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        driveRobots<<<2, 64, 0, stream_>>>(world_.poses.data(), world_.drives.data(), world_.robotCount, kTickSeconds);  // HAZARD dangling #b
        drainBatteries<<<2, 64, 0, stream_>>>(world_.batteries.data(), world_.drives.data(), world_.robotCount, kTickSeconds);  // HAZARD dangling #b
        FLEET_CHECK(cudaLaunchHostFunc(stream_, onTick, world_.events.resolve(done)));  // HAZARD callback #a
        FLEET_CHECK(cudaStreamEndCapture(stream_, &graph));
        FLEET_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        FLEET_CHECK(cudaGraphDestroy(graph));
        world_.events.release(done);  // HAZARD callback #a
    }

    World& world_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class AisleReservations {
public:
    AisleReservations(World& world, int aisles) : world_(world), aisles_(aisles) {
        table_ = static_cast<int*>(world.heap.allocate(aisles * sizeof(int)));
        std::vector<int> owner(aisles);
        for (int i = 0; i < aisles; ++i) owner[i] = ownerOf(i);
        FLEET_CHECK(cudaMemcpy(table_, owner.data(), aisles * sizeof(int), cudaMemcpyHostToDevice));
        FLEET_CHECK(cudaDeviceSynchronize());
    }
    ~AisleReservations() { world_.heap.release(table_, aisles_ * sizeof(int)); }
    bool intact() const {
        std::vector<int> owner(aisles_);
        FLEET_CHECK(cudaMemcpy(owner.data(), table_, aisles_ * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < aisles_; ++i)
            if (owner[i] != ownerOf(i)) return false;
        return true;
    }

private:
    static int ownerOf(int aisle) { return 100 + aisle % 7; }
    World& world_;
    int aisles_;
    int* table_;
};

}  // namespace fleet

// ----------------------------------------------------------------------------------------------------------- driver

using namespace fleet;

static Pose startOf(int id) { return {float(id), 2.0f * id}; }
static float speedOf(int id) { return 1.0f + 0.25f * (id % 5); }

static int robotsAt(const World& w, const std::vector<int>& ticks) {
    int right = 0;
    for (int id = 0; id < w.robots; ++id)
        right += std::fabs(w.poses.get(id).x - (startOf(id).x + ticks[id] * speedOf(id) * kTickSeconds)) < 1e-3f;
    return right;
}

int main() {
    World world(64);
    FrameGraph frame(world);
    for (int i = 0; i < 64; ++i) world.spawn(startOf(i), speedOf(i));
    std::vector<int> ticks(64, 0);
    auto run = [&](int n) {
        for (int k = 0; k < n; ++k) frame.tick();
        for (int& t : ticks) t += n;
    };

    run(2);
    const int before = robotsAt(world, ticks);

    for (int i = 64; i < 72; ++i) world.spawn(startOf(i), speedOf(i)), ticks.push_back(0);
    AisleReservations aisles(world, 128);
    const EventHandle door = world.events.acquire();
    const bool reserved = aisles.intact();
    run(3);
    const int after = robotsAt(world, ticks);
    const int doorFired = world.events.resolve(door)->fired;

    std::printf("robots in place: %d of 64, then %d of 72; reservations intact: %d then %d; door events: %d\n", before,
                after, reserved, aisles.intact(), doorFired);
    const bool shown = before == 64 && after == 0 && reserved && !aisles.intact() && doorFired == 3;
    std::puts(shown ? "LABEL CONFIRMED" : "LABEL WRONG");
    return shown ? 0 : 1;
}
