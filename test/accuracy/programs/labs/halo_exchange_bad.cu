// halo_exchange: explicit diffusion on a line cut into slabs, one stream per slab.  A batch of time steps with the
// halo copies between the slabs, followed by a mass diagnostic, is recorded into one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int kSlabs = 4, kLocal = 1000, kStepsPerBatch = 8;
static_assert(kStepsPerBatch % 2 == 0, "a batch must leave the state in buffer 0");

struct Slab {
    float* u[2] = {nullptr, nullptr};  // kLocal cells and one ghost cell at either end
    cudaStream_t stream = nullptr;
    cudaEvent_t advanced = nullptr;
};

__global__ void pull_halo(float* mine, const float* left, const float* right) {
    if (threadIdx.x == 0) mine[0] = left ? left[kLocal] : 0.0f;
    if (threadIdx.x == 1) mine[kLocal + 1] = right ? right[1] : 0.0f;
}

__global__ void diffuse(const float* src, float* dst) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= kLocal) dst[i] = src[i] + 0.25f * (src[i - 1] - 2.0f * src[i] + src[i + 1]);
}

__global__ void slab_mass(const float* u, float* partial) {
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x + 1; i <= kLocal; i += 256) sum += u[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *partial = part[0];
}

__global__ void total_mass(const float* partial, float* mass) {
    float sum = 0.0f;
    for (int d = 0; d < kSlabs; ++d) sum += partial[d];
    *mass = sum;
}

class Line {
public:
    Line() : slabs_(kSlabs) {
        for (Slab& s : slabs_) {
            keep(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
            keep(cudaEventCreateWithFlags(&s.advanced, cudaEventDisableTiming));
            for (float*& u : s.u) keep(cudaMalloc(&u, sizeof(float) * (kLocal + 2)));
        }
        keep(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
        keep(cudaMalloc(&partial_, sizeof(float) * kSlabs));
        keep(cudaMalloc(&mass_, sizeof(float)));
        keep(cudaMallocHost(&host_mass_, sizeof(float)));
    }
    ~Line() {
        if (batch_) cudaGraphExecDestroy(batch_);
        for (Slab& s : slabs_) {
            for (float* u : s.u) cudaFree(u);
            cudaEventDestroy(s.advanced);
            cudaStreamDestroy(s.stream);
        }
        cudaEventDestroy(fork_);
        cudaFree(partial_);
        cudaFree(mass_);
        cudaFreeHost(host_mass_);
    }

    void scatter(const std::vector<float>& u) {
        for (int d = 0; d < kSlabs; ++d)
            keep(cudaMemcpy(slabs_[d].u[0] + 1, u.data() + d * kLocal, sizeof(float) * kLocal, cudaMemcpyHostToDevice));
        keep(cudaDeviceSynchronize());
    }

    std::vector<float> gather() {
        std::vector<float> u(kSlabs * kLocal);
        for (int d = 0; d < kSlabs; ++d)
            keep(cudaMemcpy(u.data() + d * kLocal, slabs_[d].u[0] + 1, sizeof(float) * kLocal, cudaMemcpyDeviceToHost));
        return u;
    }

    void record() {
        cudaStream_t root = slabs_[0].stream;
        cudaGraph_t graph = nullptr;
        keep(cudaStreamBeginCapture(root, cudaStreamCaptureModeGlobal));
        keep(cudaEventRecord(fork_, root));
        for (int d = 1; d < kSlabs; ++d) keep(cudaStreamWaitEvent(slabs_[d].stream, fork_, 0));

        int now = 0;
        for (int step = 0; step < kStepsPerBatch; ++step, now ^= 1) {
            for (int d = 0; d < kSlabs; ++d) {
                Slab& s = slabs_[d];
                Slab* left = d > 0 ? &slabs_[d - 1] : nullptr;
                Slab* right = d + 1 < kSlabs ? &slabs_[d + 1] : nullptr;
                // The neighbours' cells of the previous step; before the first step the fork has ordered everything.
                if (step > 0 && left) keep(cudaStreamWaitEvent(s.stream, left->advanced, 0));
                if (step > 0 && right) keep(cudaStreamWaitEvent(s.stream, right->advanced, 0));
                pull_halo<<<1, 32, 0, s.stream>>>(s.u[now], left ? left->u[now] : nullptr,
                                                  right ? right->u[now] : nullptr);
            }
            for (Slab& s : slabs_) {
                diffuse<<<(kLocal + 255) / 256, 256, 0, s.stream>>>(s.u[now], s.u[now ^ 1]);
                keep(cudaEventRecord(s.advanced, s.stream));
            }
        }

        for (int d = 0; d < kSlabs; ++d) {
            slab_mass<<<1, 256, 0, slabs_[d].stream>>>(slabs_[d].u[0], partial_ + d);  // HAZARD dependency #join
        }
        for (int d = 1; d < kSlabs; ++d) keep(cudaStreamWaitEvent(root, slabs_[d].advanced, 0));  // HAZARD dependency #join
        total_mass<<<1, 1, 0, root>>>(partial_, mass_);
        keep(cudaMemcpyAsync(host_mass_, mass_, sizeof(float), cudaMemcpyDeviceToHost, root));
        keep(cudaStreamEndCapture(root, &graph));  // HAZARD dependency #join
        if (first_error_ == cudaSuccess) keep(cudaGraphInstantiate(&batch_, graph, 0));
        if (graph) cudaGraphDestroy(graph);
    }

    float advance() {
        if (first_error_ != cudaSuccess) return -1.0f;
        keep(cudaGraphLaunch(batch_, slabs_[0].stream));
        keep(cudaStreamSynchronize(slabs_[0].stream));
        return *host_mass_;
    }

    cudaError_t first_error() const { return first_error_; }

private:
    void keep(cudaError_t e) {
        if (first_error_ == cudaSuccess) first_error_ = e;
    }
    std::vector<Slab> slabs_;
    cudaEvent_t fork_ = nullptr;
    float *partial_ = nullptr, *mass_ = nullptr, *host_mass_ = nullptr;
    cudaGraphExec_t batch_ = nullptr;
    cudaError_t first_error_ = cudaSuccess;
};

void host_batch(std::vector<float>& u) {
    const int n = static_cast<int>(u.size());
    for (int step = 0; step < kStepsPerBatch; ++step) {
        std::vector<float> next(n);
        for (int i = 0; i < n; ++i) {
            const float l = i > 0 ? u[i - 1] : 0.0f, r = i + 1 < n ? u[i + 1] : 0.0f;
            next[i] = u[i] + 0.25f * (l - 2.0f * u[i] + r);
        }
        u.swap(next);
    }
}

}  // namespace

int main() {
    std::vector<float> ref(kSlabs * kLocal);
    for (int i = 0; i < kSlabs * kLocal; ++i) ref[i] = (i / 50) % 2 ? 1.0f : 0.0f;

    int wrong = 0;
    Line line;
    line.scatter(ref);
    line.record();
    const cudaError_t recorded = line.first_error();
    for (int batch = 0; batch < 4 && line.first_error() == cudaSuccess; ++batch) {
        const float mass = line.advance();
        host_batch(ref);
        double want = 0.0;
        for (float v : ref) want += v;
        wrong += std::fabs(mass - want) > 1e-3 * want;
    }
    if (line.first_error() == cudaSuccess) {
        const std::vector<float> got = line.gather();
        for (size_t i = 0; i < ref.size(); ++i) wrong += std::fabs(got[i] - ref[i]) > 1e-5f;
    }
    std::printf("recording: %s, wrong values %d\n", cudaGetErrorName(recorded), wrong);
    std::puts(recorded == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
