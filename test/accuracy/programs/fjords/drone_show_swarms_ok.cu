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
        status.keep(cudaMalloc(&data, kDrones * sizeof(float)), "formation memory");
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

// Lets the calling thread allocate while one of its streams is being captured.
class RelaxedCapture {
public:
    RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class ScratchManager {
public:
    ~ScratchManager() {
        for (auto& entry : buffers_) cudaFree(entry.second);
    }
    float* request(const std::string& name) {
        float*& buffer = buffers_[name];
        RelaxedCapture relaxed;
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
    SwarmManager(FormationManager& formations, ScratchManager& scratch, Status& status)
        : formations_(formations), scratch_(scratch) {
        status.keep(cudaEventCreateWithFlags(&windFree_, cudaEventDisableTiming), "event");
    }
    ~SwarmManager() {
        cudaEventDestroy(windFree_);
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

    // The swarms share the wind field, so each one starts when the one before it has finished.
    void frame(Status& status) {
        for (Swarm& s : swarms_) {
            if (!s.exec) continue;
            status.keep(cudaStreamWaitEvent(s.stream, windFree_, 0), "wind");
            status.keep(cudaGraphLaunch(s.exec, s.stream), "launch");
            status.keep(cudaEventRecord(windFree_, s.stream), "wind");
        }
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
        const float* formation = formations_.data(s.formation);
        std::future<void> loading;
        cudaGraph_t graph = nullptr;

        status.keep(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal), "begin");
        if (!status.ok()) return;
        if (next)
            loading = std::async(std::launch::async, [this, next] { next->handle = formations_.load(next->heights, next->status); });
        float* wind = scratch_.request("wind");
        float* wash = scratch_.request("wash." + s.name);
        sampleWind<<<1, kDrones, 0, s.stream>>>(wind, s.gust);
        solveDownwash<<<1, kDrones, 0, s.stream>>>(wash, kWashRounds);
        steer<<<1, kDrones, 0, s.stream>>>(s.positions, formation, wind, wash);
        if (loading.valid()) loading.get();
        status.keep(cudaStreamEndCapture(s.stream, &graph), "end");
        if (status.ok()) status.keep(cudaGraphInstantiate(&s.exec, graph, 0), "instantiate");
        if (graph) cudaGraphDestroy(graph);
    }

    FormationManager& formations_;
    ScratchManager& scratch_;
    cudaEvent_t windFree_ = nullptr;
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
    Status status;
    FormationManager formations;
    ScratchManager scratch;
    SwarmManager swarms(formations, scratch, status);

    const auto flat = heights(30.0f, 0.0f), ramp = heights(20.0f, 0.1f);
    const FormationHandle flatHandle = formations.load(flat, status), rampHandle = formations.load(ramp, status);
    const SwarmHandle north = swarms.add("north", 1.0f, flatHandle, status);
    const SwarmHandle south = swarms.add("south", -2.0f, rampHandle, status);
    for (int f = 0; f < 3; ++f) swarms.frame(status);
    const bool first = inPlace(swarms.positions(north), 1.0f, 3, flat) && inPlace(swarms.positions(south), -2.0f, 3, ramp);

    Prefetch spiral;
    spiral.heights = heights(40.0f, 0.5f);
    const SwarmHandle west = swarms.add("west", 0.5f, flatHandle, status, &spiral);
    const SwarmHandle east = swarms.add("east", 0.25f, spiral.handle, status);
    for (int f = 0; f < 2; ++f) swarms.frame(status);
    const bool second = inPlace(swarms.positions(north), 1.0f, 5, flat) && inPlace(swarms.positions(south), -2.0f, 5, ramp) &&
                        inPlace(swarms.positions(west), 0.5f, 2, flat) &&
                        inPlace(swarms.positions(east), 0.25f, 2, spiral.heights);

    std::printf("in place: %d %d; status: %s %s, prefetch: %s %s\n", first, second, status.where,
                cudaGetErrorName(status.code), spiral.status.where, cudaGetErrorName(spiral.status.code));
    const bool good = first && second && status.ok() && spiral.status.ok();
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return good ? 0 : 1;
}
