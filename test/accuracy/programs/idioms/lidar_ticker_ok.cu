// Lidar front end written as a polled driver: lidar_tick() never blocks and advances one state per call.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

enum class LidarState { Boot, Record, Idle, Submit, Wait, Deliver, Reconfigure, Fault };

constexpr int kBeams = 1024;

struct LidarConfig {
    float threshold;
    bool dualReturn;   // packets carry two returns per beam, the second one is only merged in this mode
};

struct LidarPacket {
    float first[kBeams];
    float second[kBeams];
};

struct LidarDriver {
    LidarState state = LidarState::Boot;
    LidarConfig active{10.0f, false};
    LidarConfig wanted{10.0f, false};
    bool reconfigure = false;
    bool packetPending = false;
    bool rangesReady = false;
    cudaError_t fault = cudaSuccess;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
    LidarPacket *hostPacket = nullptr, *packet = nullptr;
    float *hostRanges = nullptr, *ranges = nullptr;
    unsigned instantiations = 0;
};

__global__ void thresholdKernel(const LidarPacket* p, float* ranges, float threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBeams) ranges[i] = p->first[i] >= threshold ? p->first[i] : 0.0f;
}

__global__ void mergeSecondKernel(const LidarPacket* p, float* ranges) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBeams) ranges[i] = fmaxf(ranges[i], 0.5f * p->second[i]);
}

static bool lidar_ok(LidarDriver& d, cudaError_t e) {
    if (e == cudaSuccess) return true;
    if (d.fault == cudaSuccess) d.fault = e;
    d.state = LidarState::Fault;
    return false;
}

// Records the processing of one packet for the given configuration.
static cudaError_t lidar_record(LidarDriver& d, const LidarConfig& cfg, cudaGraph_t* graph) {
    *graph = nullptr;
    cudaError_t e = cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeRelaxed);
    if (e != cudaSuccess) return e;
    e = cudaMemcpyAsync(d.packet, d.hostPacket, sizeof(LidarPacket), cudaMemcpyHostToDevice, d.stream);
    thresholdKernel<<<kBeams / 128, 128, 0, d.stream>>>(d.packet, d.ranges, cfg.threshold);
    if (e == cudaSuccess) e = cudaGetLastError();
    if (cfg.dualReturn) {
        mergeSecondKernel<<<kBeams / 128, 128, 0, d.stream>>>(d.packet, d.ranges);
        if (e == cudaSuccess) e = cudaGetLastError();
    }
    cudaError_t copied = cudaMemcpyAsync(d.hostRanges, d.ranges, kBeams * sizeof(float), cudaMemcpyDeviceToHost, d.stream);
    if (e == cudaSuccess) e = copied;
    cudaError_t ended = cudaStreamEndCapture(d.stream, graph);
    if (e == cudaSuccess) e = ended;
    if (e != cudaSuccess && *graph) {
        cudaGraphDestroy(*graph);
        *graph = nullptr;
    }
    return e;
}

static void lidar_tick(LidarDriver& d) {
    switch (d.state) {
        case LidarState::Boot:
            if (!lidar_ok(d, cudaStreamCreate(&d.stream))) break;
            if (!lidar_ok(d, cudaMalloc(&d.packet, sizeof(LidarPacket)))) break;
            if (!lidar_ok(d, cudaMalloc(&d.ranges, kBeams * sizeof(float)))) break;
            if (!lidar_ok(d, cudaMallocHost(&d.hostPacket, sizeof(LidarPacket)))) break;
            if (!lidar_ok(d, cudaMallocHost(&d.hostRanges, kBeams * sizeof(float)))) break;
            d.state = LidarState::Record;
            break;
        case LidarState::Record: {
            cudaGraph_t graph = nullptr;
            if (!lidar_ok(d, lidar_record(d, d.active, &graph))) break;
            cudaError_t made = cudaGraphInstantiate(&d.exec, graph, 0);
            cudaGraphDestroy(graph);
            if (!lidar_ok(d, made)) break;
            ++d.instantiations;
            d.state = LidarState::Idle;
            break;
        }
        case LidarState::Idle:
            if (d.reconfigure) d.state = LidarState::Reconfigure;
            else if (d.packetPending) d.state = LidarState::Submit;
            break;
        case LidarState::Submit:
            d.packetPending = false;
            if (lidar_ok(d, cudaGraphLaunch(d.exec, d.stream))) d.state = LidarState::Wait;
            break;
        case LidarState::Wait: {
            cudaError_t q = cudaStreamQuery(d.stream);
            if (q == cudaErrorNotReady) break;
            if (lidar_ok(d, q)) d.state = LidarState::Deliver;
            break;
        }
        case LidarState::Deliver:
            d.rangesReady = true;
            d.state = LidarState::Idle;
            break;
        case LidarState::Reconfigure: {
            d.reconfigure = false;
            cudaGraph_t graph = nullptr;
            if (!lidar_ok(d, lidar_record(d, d.wanted, &graph))) break;
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(d.exec, graph, &info) != cudaSuccess) {
                // Another set of stages: the old executable cannot take it over.
                (void)cudaGetLastError();
                cudaGraphExecDestroy(d.exec);
                d.exec = nullptr;
                cudaError_t made = cudaGraphInstantiate(&d.exec, graph, 0);
                if (!lidar_ok(d, made)) {
                    cudaGraphDestroy(graph);
                    break;
                }
                ++d.instantiations;
            }
            cudaGraphDestroy(graph);
            d.active = d.wanted;
            d.state = LidarState::Idle;
            break;
        }
        case LidarState::Fault:
            break;
    }
}

static void lidar_close(LidarDriver& d) {
    if (d.exec) cudaGraphExecDestroy(d.exec);
    cudaFree(d.packet);
    cudaFree(d.ranges);
    cudaFreeHost(d.hostPacket);
    cudaFreeHost(d.hostRanges);
    if (d.stream) cudaStreamDestroy(d.stream);
}

static bool lidar_settled(const LidarDriver& d) {
    return d.state == LidarState::Fault ||
           (d.state == LidarState::Idle && !d.reconfigure && !d.packetPending);
}

int main() {
    LidarDriver driver;
    const LidarConfig script[3] = {{10.0f, false}, {20.0f, false}, {20.0f, true}};
    int wrong[3] = {};
    while (!lidar_settled(driver)) lidar_tick(driver);

    for (int phase = 0; phase < 3 && driver.state != LidarState::Fault; ++phase) {
        if (phase > 0) {
            driver.wanted = script[phase];
            driver.reconfigure = true;
        }
        for (int k = 0; k < 3; ++k) {
            while (!lidar_settled(driver)) lidar_tick(driver);
            if (driver.state == LidarState::Fault) break;
            LidarPacket& p = *driver.hostPacket;
            for (int i = 0; i < kBeams; ++i) {
                p.first[i] = static_cast<float>((i + 5 * k) % 40);
                p.second[i] = static_cast<float>((i * 3 + k) % 60);
            }
            driver.rangesReady = false;
            driver.packetPending = true;
            while (!driver.rangesReady && driver.state != LidarState::Fault) lidar_tick(driver);
            for (int i = 0; i < kBeams && driver.rangesReady; ++i) {
                float want = p.first[i] >= script[phase].threshold ? p.first[i] : 0.0f;
                if (script[phase].dualReturn) want = std::fmax(want, 0.5f * p.second[i]);
                if (std::fabs(driver.hostRanges[i] - want) > 1e-4f) ++wrong[phase];
            }
        }
    }
    std::printf("fault %s, wrong ranges %d %d %d, instantiations %u\n", cudaGetErrorString(driver.fault), wrong[0], wrong[1],
                wrong[2], driver.instantiations);
    const bool healthy = driver.state != LidarState::Fault;
    lidar_close(driver);
    std::puts(healthy && wrong[0] + wrong[1] + wrong[2] == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
