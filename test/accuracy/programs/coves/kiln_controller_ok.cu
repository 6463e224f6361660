// Controller of a ceramic tunnel kiln. Every firing phase has a handler in a table; the work of a phase is
// recorded when the phase is entered for the first time and replayed on each tick after that.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kZones = 512;

enum Phase { kPreheat, kSoak, kVent, kCool, kPhases };

// Pinned and mapped: the controller reads it without asking the driver.
struct Telemetry {
    int hottest;
    int sum;
    int ticks;
};

__global__ void heatZones(int* temp, const int* setpoint, int gain) {
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < kZones) temp[z] += (setpoint[z] - temp[z]) / gain;
}

__global__ void balanceZones(int* temp, int target) {
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < kZones) temp[z] += temp[z] < target ? 3 : temp[z] > target ? -3 : 0;
}

__global__ void coolZones(int* temp, int ambient) {
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < kZones) temp[z] -= (temp[z] - ambient) / 4;
}

__global__ void reportZones(const int* temp, Telemetry* t) {
    __shared__ int hottest, sum;
    if (threadIdx.x == 0) hottest = sum = 0;
    __syncthreads();
    for (int z = threadIdx.x; z < kZones; z += blockDim.x) {
        atomicMax(&hottest, temp[z]);
        atomicAdd(&sum, temp[z]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        t->hottest = hottest;
        t->sum = sum;
        t->ticks += 1;
        __threadfence_system();
    }
}

struct Fault {
    Phase phase;
    const char* where;
    cudaError_t code;
};

struct Kiln {
    cudaStream_t stream = nullptr;
    int *temp = nullptr, *setpoint = nullptr;
    Telemetry *telemetry = nullptr, *telemetryDev = nullptr;
    Phase phase = kPreheat;
    cudaGraphExec_t program[kPhases] = {};
    std::vector<Fault> faults;
    int target = 1200, ambient = 20;
    int* damper = nullptr;  // device; only in kilns with a motorised damper
    int level = 0;          // soak level, measured when the phase is entered
};

static bool report(Kiln& k, const char* where, cudaError_t e) {
    if (e == cudaSuccess) return true;
    cudaGetLastError();
    k.faults.push_back({k.phase, where, e});
    std::printf("fault in phase %d, %s: %s\n", k.phase, where, cudaGetErrorName(e));
    return false;
}

#define TRY(k, call)                                  \
    do {                                              \
        if (!report((k), #call, (call))) return false; \
    } while (0)

static const int kThreads = 128, kBlocks = kZones / kThreads;

static bool recordPreheat(Kiln& k) {
    heatZones<<<kBlocks, kThreads, 0, k.stream>>>(k.temp, k.setpoint, 3);
    reportZones<<<1, kThreads, 0, k.stream>>>(k.temp, k.telemetryDev);
    TRY(k, cudaGetLastError());
    return true;
}

// Brings the telemetry up to date and hands the hottest zone to the caller.
static bool readHottest(Kiln& k, int& hottest) {
    reportZones<<<1, kThreads, 0, k.stream>>>(k.temp, k.telemetryDev);
    TRY(k, cudaStreamSynchronize(k.stream));
    hottest = k.telemetry->hottest;
    return true;
}

// The soak levels out the zones around the hottest one, but never above the target.
static bool measureSoak(Kiln& k) {
    if (!readHottest(k, k.level)) return false;
    if (k.level > k.target) k.level = k.target;
    return true;
}

static bool recordSoak(Kiln& k) {
    balanceZones<<<kBlocks, kThreads, 0, k.stream>>>(k.temp, k.level);
    reportZones<<<1, kThreads, 0, k.stream>>>(k.temp, k.telemetryDev);
    TRY(k, cudaGetLastError());
    return true;
}

static bool recordVent(Kiln& k) {
    reportZones<<<1, kThreads, 0, k.stream>>>(k.temp, k.telemetryDev);
    if (!k.damper) return false;
    TRY(k, cudaMemsetAsync(k.damper, 1, sizeof(int), k.stream));
    return true;
}

static bool recordCool(Kiln& k) {
    coolZones<<<kBlocks, kThreads, 0, k.stream>>>(k.temp, k.ambient);
    reportZones<<<1, kThreads, 0, k.stream>>>(k.temp, k.telemetryDev);
    TRY(k, cudaGetLastError());
    return true;
}

struct PhaseEntry {
    const char* name;
    bool (*measure)(Kiln&);  // may be null; runs before the recording
    bool (*record)(Kiln&);
    int ticks;
    Phase next;
};

static const PhaseEntry kTable[kPhases] = {
    {"preheat", nullptr, recordPreheat, 4, kSoak},
    {"soak", measureSoak, recordSoak, 3, kVent},
    {"vent", nullptr, recordVent, 2, kCool},
    {"cool", nullptr, recordCool, 5, kCool},
};

// Ends the capture on every way out of a recording.
class Recording {
public:
    explicit Recording(cudaStream_t s) : stream_(s) {}
    ~Recording() {
        if (stream_) cudaStreamEndCapture(stream_, &graph_);
        if (graph_) cudaGraphDestroy(graph_);
    }
    cudaError_t finish(cudaGraph_t& out) {
        cudaError_t e = cudaStreamEndCapture(stream_, &graph_);
        stream_ = nullptr;
        out = graph_;
        return e;
    }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
};

static bool enterPhase(Kiln& k) {
    if (k.program[k.phase]) return true;
    const PhaseEntry& e = kTable[k.phase];
    if (e.measure && !e.measure(k)) return false;
    cudaGraph_t graph = nullptr;
    TRY(k, cudaStreamBeginCapture(k.stream, cudaStreamCaptureModeThreadLocal));
    Recording recording(k.stream);
    if (!e.record(k)) return false;
    TRY(k, recording.finish(graph));
    TRY(k, cudaGraphInstantiate(&k.program[k.phase], graph, 0));
    return true;
}

static bool tick(Kiln& k) {
    TRY(k, cudaGraphLaunch(k.program[k.phase], k.stream));
    TRY(k, cudaStreamSynchronize(k.stream));
    return true;
}

// Runs one phase; a phase that cannot be entered is skipped, and the kiln goes on with the next one.
static void runPhase(Kiln& k) {
    const PhaseEntry& e = kTable[k.phase];
    int done = 0;
    if (enterPhase(k))
        while (done < e.ticks && tick(k)) ++done;
    std::printf("%-8s %d of %d ticks, hottest %d\n", e.name, done, e.ticks, k.telemetry->hottest);
    k.phase = e.next;
}

static bool powerUp(Kiln& k) {
    TRY(k, cudaStreamCreateWithFlags(&k.stream, cudaStreamNonBlocking));
    TRY(k, cudaMalloc(&k.temp, kZones * sizeof(int)));
    TRY(k, cudaMalloc(&k.setpoint, kZones * sizeof(int)));
    TRY(k, cudaHostAlloc(&k.telemetry, sizeof(Telemetry), cudaHostAllocMapped));
    TRY(k, cudaHostGetDevicePointer(&k.telemetryDev, k.telemetry, 0));
    std::memset(k.telemetry, 0, sizeof(Telemetry));
    std::vector<int> start(kZones, 20), setpoint(kZones);
    for (int z = 0; z < kZones; ++z) setpoint[z] = 1150 + z % 100;
    TRY(k, cudaMemcpy(k.temp, start.data(), kZones * sizeof(int), cudaMemcpyHostToDevice));
    TRY(k, cudaMemcpy(k.setpoint, setpoint.data(), kZones * sizeof(int), cudaMemcpyHostToDevice));
    TRY(k, cudaDeviceSynchronize());
    return true;
}

static void powerDown(Kiln& k) {
    for (auto& p : k.program)
        if (p) cudaGraphExecDestroy(p);
    cudaStreamDestroy(k.stream);
    cudaFree(k.temp);
    cudaFree(k.setpoint);
    cudaFreeHost(k.telemetry);
}

int main() {
    Kiln kiln;
    if (!powerUp(kiln)) {
        std::printf("LABEL WRONG\n");
        return 0;
    }
    while (kiln.phase != kCool) runPhase(kiln);
    runPhase(kiln);

    // The same firing on the host; the vent phase is not available in this kiln.
    std::vector<int> temp(kZones, 20);
    int level = 0, hottest = 0, sum = 0;
    for (int t = 0; t < 4; ++t)
        for (int z = 0; z < kZones; ++z) temp[z] += (1150 + z % 100 - temp[z]) / 3;
    for (int v : temp) level = v > level ? v : level;
    if (level > kiln.target) level = kiln.target;
    for (int t = 0; t < 3; ++t)
        for (int& v : temp) v += v < level ? 3 : v > level ? -3 : 0;
    for (int t = 0; t < 5; ++t)
        for (int& v : temp) v -= (v - kiln.ambient) / 4;
    for (int v : temp) {
        hottest = v > hottest ? v : hottest;
        sum += v;
    }
    const Telemetry& got = *kiln.telemetry;
    std::printf("hottest %d (expected %d), sum %d (expected %d), reports %d, faults %zu\n", got.hottest, hottest,
                got.sum, sum, got.ticks, kiln.faults.size());
    bool confirmed = kiln.faults.empty() && got.hottest == hottest && got.sum == sum && got.ticks == 4 + 1 + 3 + 5 &&
                     !kiln.program[kVent] && kiln.program[kCool] && cudaGetLastError() == cudaSuccess;
    powerDown(kiln);
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
