// Drone light show: simulation of several swarms, one stream and one graph per swarm.
//
//   FormationManager   target heights on the device, loaded by worker threads
//   ScratchManager     named scratch buffers for the systems
//   SwarmManager       owns the swarms, records their frame graphs, runs frames

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <future>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace show {

constexpr int kDrones = 256;
constexpr int kWashRounds = 2000000;
constexpr float kWash = 0.5f;

struct Position { float x, z; };
struct FormationHandle { int index = -1; };
struct SwarmHandle { int index = -1; };

struct Status {
    cudaError_t code = cudaSuccess;
    const char* where = "";
    bool ok() const { return code == cudaSuccess; }
    void keep(cudaError_t rc, const char* w) {
        if (ok() && rc != cudaSuccess) code = rc, where = w;
    }
};

// ---------------------------------------------------------------------------------------------------------- kernels

__global__ void sampleWind(float* wind, float gust) { wind[threadIdx.x] = gust + 0.001f * threadIdx.x; }

__global__ void solveDownwash(float* wash, int rounds) {
    float w = 0.0f;
    for (int r = 0; r < rounds; ++r) w = fmaf(kWash - w, 0.25f, w);
    wash[threadIdx.x] = w;
}

__global__ void steer(Position* pos, const float* formation, const float* wind, const float* wash) {
    Position& p = pos[threadIdx.x];
    p.x += wind[threadIdx.x] + wash[threadIdx.x];
    p.z = formation[threadIdx.x];
}

// --------------------------------------------------------------------------------------------------------- managers

class FormationManager {
public:
    ~FormationManager() {
        for (float* f : formations_) cudaFree(f);
    }

    // May be called from any thread.
    FormationHandle load(const std::vector<float>& heights, Status& status) {
        float* data = nullptr;
        cudaStream_t stream = nullptr;
        status.keep(cudaMalloc(&data, kDrones * sizeof(float)), "formation memory");  // HAZARD mode #b
        if (status.ok()) status.keep(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "loader stream");
        if (status.ok()) {
            status.keep(cudaMemcpyAsync(data, heights.data(), kDrones * sizeof(float), cudaMemcpyHostToDevice, stream),
                        "formation upload");
            status.keep(cudaStreamSynchronize(stream), "formation upload");
        }
        if (stream) cudaStreamDestroy(stream);
        if (!status.ok()) {
            if (data) cudaFree(data);
            return {};
        }
        std::lock_guard<std::mutex> lock(mutex_);
        formations_.push_back(data);
        return {int(formations_.size()) - 1};
    }
    const float* data(FormationHandle h) {
        std::lock_guard<std::mutex> lock(mutex_);
        return h.index < 0 ? nullptr : formations_[h.index];
    }

private:
    std::mutex mutex_;
    std::vector<float*> formations_;
};

class ScratchManager {
public:
    ~ScratchManager() {
        for (auto& entry : buffers_) cudaFree(entry.second);
    }
    float* request(const std::string& name) {
        float*& buffer = buffers_[name];
        if (!buffer && cudaMalloc(&buffer, kDrones * sizeof(float)) != cudaSuccess) buffer = nullptr;
        return buffer;
    }

private:
    std::unordered_map<std::string, float*> buffers_;
};

struct Swarm {
    std::string name;
    float gust = 0.0f;
    Position* positions = nullptr;
    FormationHandle formation;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
};

struct Prefetch {
    std::vector<float> heights;
    FormationHandle handle;
    Status status;
};

class SwarmManager {
public:
    SwarmManager(FormationManager& formations, ScratchManager& scratch) : formations_(formations), scratch_(scratch) {}
    ~SwarmManager() {
        for (Swarm& s : swarms_) {
            if (s.exec) cudaGraphExecDestroy(s.exec);
            if (s.stream) cudaStreamDestroy(s.stream);
            cudaFree(s.positions);
        }
    }

    // A formation that will be needed soon can be loaded beside the recording of the new swarm.
    SwarmHandle add(const std::string& name, float gust, FormationHandle formation, Status& status, Prefetch* next = nullptr) {
        Swarm s;
        s.name = name;
        s.gust = gust;
        s.formation = formation;
        status.keep(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking), "swarm stream");
        status.keep(cudaMalloc(&s.positions, kDrones * sizeof(Position)), "swarm memory");
        if (status.ok()) status.keep(cudaMemset(s.positions, 0, kDrones * sizeof(Position)), "swarm memory");
        status.keep(cudaDeviceSynchronize(), "swarm memory");
        if (status.ok()) record(s, status, next);
        swarms_.push_back(s);
        return {int(swarms_.size()) - 1};
    }

    void frame(Status& status) {
        for (Swarm& s : swarms_)
            if (s.exec) status.keep(cudaGraphLaunch(s.exec, s.stream), "launch");  // HAZARD concurrent #a
        for (Swarm& s : swarms_)
            if (s.exec) status.keep(cudaStreamSynchronize(s.stream), "frame");
    }

    std::vector<Position> positions(SwarmHandle h) const {
        std::vector<Position> p(kDrones);
        cudaMemcpy(p.data(), swarms_[h.index].positions, kDrones * sizeof(Position), cudaMemcpyDeviceToHost);
        return p;
    }

private:
    void record(Swarm& s, Status& status, Prefetch* next) {
        float* wind = scratch_.request("wind");
        float* wash = scratch_.request("wash." + s.name);
        const float* formation = formations_.data(s.formation);
        std::future<void> loading;
        cudaGraph_t graph = nullptr;

        status.keep(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal), "begin");  // HAZARD mode #b
        if (!status.ok()) return;
        if (next)
            loading = std::async(std::launch::async, [this, next] { next->handle = formations_.load(next->heights, next->status); });
        sampleWind<<<1, kDrones, 0, s.stream>>>(wind, s.gust);  // HAZARD concurrent #a
        solveDownwash<<<1, kDrones, 0, s.stream>>>(wash, kWashRounds);
        steer<<<1, kDrones, 0, s.stream>>>(s.positions, formation, wind, wash);
        if (loading.valid()) loading.get();
        status.keep(cudaStreamEndCapture(s.stream, &graph), "end");
        if (status.ok()) status.keep(cudaGraphInstantiate(&s.exec, graph, 0), "instantiate");
        if (graph) cudaGraphDestroy(graph);
    }

    FormationManager& formations_;
    ScratchManager& scratch_;
    std::vector<Swarm> swarms_;
};

}  // namespace show

// ----------------------------------------------------------------------------------------------------------- driver

using namespace show;

static std::vector<float> heights(float base, float slope) {
    std::vector<float> h(kDrones);
    for (int i = 0; i < kDrones; ++i) h[i] = base + slope * i;
    return h;
}

static bool inPlace(const std::vector<Position>& p, float gust, int frames, const std::vector<float>& z) {
    for (int i = 0; i < kDrones; ++i)
        if (std::fabs(p[i].x - frames * (gust + 0.001f * i + kWash)) > 1e-3f || p[i].z != z[i]) return false;
    return true;
}

int main() {
    FormationManager formations;
    ScratchManager scratch;
    SwarmManager swarms(formations, scratch);
    Status status;

    const auto flat = heights(30.0f, 0.0f), ramp = heights(20.0f, 0.1f);
    const FormationHandle flatHandle = formations.load(flat, status), rampHandle = formations.load(ramp, status);
    const SwarmHandle north = swarms.add("north", 1.0f, flatHandle, status);
    const SwarmHandle south = swarms.add("south", -2.0f, rampHandle, status);
    for (int f = 0; f < 3; ++f) swarms.frame(status);
    const bool northRight = inPlace(swarms.positions(north), 1.0f, 3, flat);
    const bool southRight = inPlace(swarms.positions(south), -2.0f, 3, ramp);
    const bool running = status.ok();

    Prefetch spiral;
    spiral.heights = heights(40.0f, 0.5f);
    Status later;
    swarms.add("west", 0.5f, flatHandle, later, &spiral);

    std::printf("north in place %d, south in place %d; west: %s %s, prefetch: %s %s\n", northRight, southRight, later.where,
                cudaGetErrorName(later.code), spiral.status.where, cudaGetErrorName(spiral.status.code));
    const bool shown = running && !(northRight && southRight) && !spiral.status.ok() && spiral.handle.index < 0;
    std::puts(shown ? "LABEL CONFIRMED" : "LABEL WRONG");
    return shown ? 0 : 1;
}
