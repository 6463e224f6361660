#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#define CPL(call)                                                                  \
    do {                                                                           \
        const cudaError_t rc_ = (call);                                            \
        if (rc_ != cudaSuccess) {                                                  \
            std::printf("LABEL REFUTED %s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); \
            std::exit(0);                                                          \
        }                                                                          \
    } while (0)

constexpr int kCells = 1024;

struct OceanState {
    float* sst = nullptr;
    float* depth = nullptr;
};
struct AtmosState {
    float* flux = nullptr;
    float* forcing = nullptr;
};

__global__ void turbulent_flux(float* flux, const float* forcing, long long iterations) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();
    while (clock64() - start < iterations) {
    }
    if (i < kCells) flux[i] = forcing[0];
}
__global__ void mixed_layer(float* depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) depth[i] += 1.0f;
}
__global__ void absorb_flux(float* sst, const float* flux, const float* depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells && depth[i] > 0.0f) sst[i] += flux[i];
}
__global__ void pack_restart(float* out, const float* sst, const float* depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) {
        out[2 * i] = sst[i];
        out[2 * i + 1] = depth[i];
    }
}

class Sequencer {
public:
    Sequencer() {
        for (auto& e : pool_) CPL(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~Sequencer() {
        for (auto e : pool_) cudaEventDestroy(e);
    }
    void order(cudaStream_t before, cudaStream_t after) {
        cudaEvent_t e = pool_[next_++ % pool_.size()];
        CPL(cudaEventRecord(e, before));
        CPL(cudaStreamWaitEvent(after, e, 0));
    }

private:
    std::array<cudaEvent_t, 8> pool_{};
    size_t next_ = 0;
};

class Coupler {
public:
    Coupler() : seq_(std::make_unique<Sequencer>()) {
        CPL(cudaStreamCreateWithFlags(&s_atm_, cudaStreamNonBlocking));
        CPL(cudaStreamCreateWithFlags(&s_ocn_, cudaStreamNonBlocking));
        for (float** p : {&ocn_.sst, &ocn_.depth, &atm_.flux, &atm_.forcing}) {
            CPL(cudaMalloc(p, kCells * sizeof(float)));
            CPL(cudaMemset(*p, 0, kCells * sizeof(float)));
        }
        CPL(cudaMalloc(&restart_, 2 * kCells * sizeof(float)));
        CPL(cudaMemset(restart_, 0xff, 2 * kCells * sizeof(float)));
        CPL(cudaDeviceSynchronize());
    }
    ~Coupler() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* p : {ocn_.sst, ocn_.depth, atm_.flux, atm_.forcing, restart_}) cudaFree(p);
        cudaStreamDestroy(s_atm_);
        cudaStreamDestroy(s_ocn_);
    }

    void prepare() {
        CPL(cudaStreamBeginCapture(s_atm_, cudaStreamCaptureModeRelaxed));
        seq_->order(s_atm_, s_ocn_);
        step_atmosphere();
        seq_->order(s_atm_, s_ocn_);
        step_ocean();
        seq_->order(s_ocn_, s_atm_);
        cudaGraph_t graph = nullptr;
        CPL(cudaStreamEndCapture(s_atm_, &graph));
        CPL(cudaGraphInstantiate(&exec_, graph, 0));
        CPL(cudaGraphDestroy(graph));
        CPL(cudaDeviceSynchronize());
    }
    void run(float forcing) {
        CPL(cudaMemcpyAsync(atm_.forcing, &forcing, sizeof(float), cudaMemcpyHostToDevice, s_atm_));
        CPL(cudaGraphLaunch(exec_, s_atm_));
        CPL(cudaStreamSynchronize(s_atm_));
    }
    float probe(int which) {
        float v = 0;
        const float* from = which == 0 ? ocn_.sst : restart_;
        CPL(cudaMemcpy(&v, from, sizeof(float), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    void step_atmosphere() {
        turbulent_flux<<<kCells / 256, 256, 0, s_atm_>>>(atm_.flux, atm_.forcing, 20000000LL);
    }
    void step_ocean() {
        const dim3 grid(kCells / 256), block(256);
        mixed_layer<<<grid, block, 0, s_ocn_>>>(ocn_.depth);
        absorb_flux<<<grid, block, 0, s_ocn_>>>(ocn_.sst, atm_.flux, ocn_.depth);
        pack_restart<<<grid, block, 0, s_ocn_>>>(restart_, ocn_.sst, ocn_.depth);
        CPL(cudaGetLastError());
    }

    OceanState ocn_;
    AtmosState atm_;
    float* restart_ = nullptr;
    cudaStream_t s_atm_ = nullptr, s_ocn_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::unique_ptr<Sequencer> seq_;
};

int main() {
    Coupler coupler;
    coupler.prepare();
    for (float f : {1.0f, 2.0f, 3.0f}) coupler.run(f);
    const float sst = coupler.probe(0), saved = coupler.probe(1);
    if (sst == 6.0f && saved == 6.0f)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED sst=%f saved=%f\n", sst, saved);
    return 0;
}
