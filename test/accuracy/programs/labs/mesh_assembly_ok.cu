// mesh_assembly: nodal forces of a plate split in two subdomains that share one row of nodes.  Both subdomains are
// assembled at the same time on two streams; a graph per load step is replayed while the load increases.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kWidth = 64, kRows = 33;                 // nodes per row, rows per subdomain
constexpr int kInterface = kRows - 1;                  // global index of the shared row
constexpr int kNodes = kWidth * (2 * kRows - 1), kSub = kWidth * kRows;
constexpr int kMaterialIterations = 20000;

cudaError_t g_status = cudaSuccess;
void ok(cudaError_t e) {
    if (e != cudaSuccess && g_status == cudaSuccess) {
        g_status = e;
        std::fprintf(stderr, "mesh_assembly: %s\n", cudaGetErrorString(e));
    }
}

struct Subdomain {
    int first_row;      // global row of local row 0
    float* stiffness;   // per local node
    cudaStream_t stream;
    float* interface_force;  // this side's share of the shared row
};

__global__ void next_load(float* load) { *load += 0.5f; }

// Implicit material law s^2 = k * load, iterated from a warm start.
__device__ float stress(float k, float load, float guess) {
    float s = 1.0f + fabsf(guess);
    for (int it = 0; it < kMaterialIterations; ++it) s = 0.5f * (s + k * load / s);
    return s;
}

// Rows owned by one subdomain go to `force`, the shared row goes to a buffer of its own.
__global__ void assemble(float* force, float* shared_row, const float* stiffness, const float* load, int first_row) {
    const int local = blockIdx.x * blockDim.x + threadIdx.x;
    if (local >= kSub) return;
    const int row = first_row + local / kWidth, col = local % kWidth;
    const int node = row * kWidth + col;
    float* target = row == kInterface ? shared_row + col : force + node;
    const float before = *target;
    *target = before + stress(stiffness[local], *load, before);
}

__global__ void merge_interface(float* force, const float* a, const float* b) {
    const int col = threadIdx.x;
    force[kInterface * kWidth + col] += a[col] + b[col];
}

__global__ void displace(float* u, const float* force) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < kNodes) u[node] += 0.01f * force[node];
}

class Plate {
public:
    explicit Plate(const std::vector<float> (&k)[2]) {
        ok(cudaMalloc(&force_, sizeof(float) * kNodes));
        ok(cudaMalloc(&u_, sizeof(float) * kNodes));
        ok(cudaMalloc(&load_, sizeof(float)));
        ok(cudaMemset(u_, 0, sizeof(float) * kNodes));
        ok(cudaMemset(load_, 0, sizeof(float)));
        for (int d = 0; d < 2; ++d) {
            Subdomain& s = sub_[d];
            s.first_row = d * kInterface;
            ok(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
            ok(cudaMalloc(&s.stiffness, sizeof(float) * kSub));
            ok(cudaMemcpy(s.stiffness, k[d].data(), sizeof(float) * kSub, cudaMemcpyHostToDevice));
            ok(cudaMalloc(&s.interface_force, sizeof(float) * kWidth));
        }
        ok(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
        ok(cudaEventCreateWithFlags(&assembled_, cudaEventDisableTiming));
        ok(cudaDeviceSynchronize());
    }
    ~Plate() {
        if (step_) cudaGraphExecDestroy(step_);
        for (Subdomain& s : sub_) {
            cudaFree(s.stiffness);
            cudaFree(s.interface_force);
            cudaStreamDestroy(s.stream);
        }
        cudaEventDestroy(forked_);
        cudaEventDestroy(assembled_);
        cudaFree(force_);
        cudaFree(u_);
        cudaFree(load_);
    }

    void record_step() {
        cudaStream_t main = sub_[0].stream, side = sub_[1].stream;
        const int blocks = (kSub + 255) / 256;
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
        next_load<<<1, 1, 0, main>>>(load_);
        ok(cudaMemsetAsync(force_, 0, sizeof(float) * kNodes, main));
        for (Subdomain& s : sub_) ok(cudaMemsetAsync(s.interface_force, 0, sizeof(float) * kWidth, main));
        ok(cudaEventRecord(forked_, main));
        ok(cudaStreamWaitEvent(side, forked_, 0));
        assemble<<<blocks, 256, 0, main>>>(force_, sub_[0].interface_force, sub_[0].stiffness, load_, sub_[0].first_row);
        assemble<<<blocks, 256, 0, side>>>(force_, sub_[1].interface_force, sub_[1].stiffness, load_, sub_[1].first_row);
        ok(cudaEventRecord(assembled_, side));
        ok(cudaStreamWaitEvent(main, assembled_, 0));
        merge_interface<<<1, kWidth, 0, main>>>(force_, sub_[0].interface_force, sub_[1].interface_force);
        displace<<<(kNodes + 255) / 256, 256, 0, main>>>(u_, force_);
        ok(cudaStreamEndCapture(main, &graph));
        if (g_status == cudaSuccess) ok(cudaGraphInstantiate(&step_, graph, 0));
        if (graph) cudaGraphDestroy(graph);
    }

    void load_step() {
        if (g_status != cudaSuccess) return;
        ok(cudaGraphLaunch(step_, sub_[0].stream));
        ok(cudaStreamSynchronize(sub_[0].stream));
    }

    std::vector<float> displacement() const {
        std::vector<float> h(kNodes);
        ok(cudaMemcpy(h.data(), u_, sizeof(float) * kNodes, cudaMemcpyDeviceToHost));
        return h;
    }

private:
    Subdomain sub_[2] = {};
    float *force_ = nullptr, *u_ = nullptr, *load_ = nullptr;
    cudaEvent_t forked_ = nullptr, assembled_ = nullptr;
    cudaGraphExec_t step_ = nullptr;
};

}  // namespace

int main() {
    std::vector<float> k[2] = {std::vector<float>(kSub), std::vector<float>(kSub)};
    for (int i = 0; i < kSub; ++i) {
        k[0][i] = 2.0f + static_cast<float>(i % 7);
        k[1][i] = 3.0f + static_cast<float>(i % 5);
    }
    std::vector<double> want(kNodes, 0.0);
    int wrong_steps = 0;
    {
        Plate plate(k);
        plate.record_step();
        for (int step = 1; step <= 4; ++step) {
            plate.load_step();
            for (int d = 0; d < 2; ++d)
                for (int i = 0; i < kSub; ++i) want[d * kInterface * kWidth + i] += 0.01 * std::sqrt(k[d][i] * 0.5 * step);
            const std::vector<float> got = plate.displacement();
            int wrong = 0;
            for (int n = 0; n < kNodes; ++n) wrong += !(std::fabs(got[n] - want[n]) < 1e-3 * want[n]);
            wrong_steps += wrong > 0;
            std::printf("step %d: wrong nodes %d\n", step, wrong);
        }
    }
    std::puts(g_status == cudaSuccess && wrong_steps == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
