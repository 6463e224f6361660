// Depth viewer: a list of passes, recorded again when the view is dirty, replayed otherwise.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define GPU(call) viewer::raiseIf((call), #call)

namespace viewer {

void raiseIf(cudaError_t rc, const char* call) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(rc));
}

struct Camera {
    float3 eye{0.0f, 0.0f, 0.0f};
    float focal = 1.0f;
};

__global__ void depthPass(float* depth, const float3* points, int n, Camera cam) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) depth[i] = cam.focal * (points[i].z - cam.eye.z);
}
__global__ void tonePass(const float* depth, float* image, int n, float exposure) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = depth[i] * exposure;
}

class Viewer {
public:
    explicit Viewer(const std::vector<float3>& cloud) : n_(int(cloud.size())) {
        GPU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GPU(cudaMalloc(&points_, n_ * sizeof(float3)));
        GPU(cudaMalloc(&depth_, n_ * sizeof(float)));
        GPU(cudaMalloc(&image_, n_ * sizeof(float)));
        GPU(cudaMemcpyAsync(points_, cloud.data(), n_ * sizeof(float3), cudaMemcpyHostToDevice, stream_));
        GPU(cudaStreamSynchronize(stream_));

        passes_.emplace_back([this](cudaStream_t s) {
            depthPass<<<grid(), kBlock, 0, s>>>(depth_, points_, n_, camera_);  // HAZARD frozen #1
            return cudaGetLastError();
        });
        passes_.emplace_back([this](cudaStream_t s) {
            tonePass<<<grid(), kBlock, 0, s>>>(depth_, image_, n_, exposure_);
            return cudaGetLastError();
        });
    }
    Viewer(const Viewer&) = delete;
    ~Viewer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
        cudaFree(points_);
        cudaFree(depth_);
        cudaFree(image_);
    }

    void setExposure(float e) {
        if (e == exposure_) return;
        exposure_ = e;
        dirty_ = true;
    }
    void dolly(float dz) {
        camera_.eye.z += dz;  // HAZARD frozen #1
    }

    void frame() {
        if (!exec_ || dirty_) {
            refresh();
            dirty_ = false;
        }
        GPU(cudaGraphLaunch(exec_, stream_));
        GPU(cudaStreamSynchronize(stream_));
    }

    float pixel(int i) const {
        float v = 0.0f;
        GPU(cudaMemcpy(&v, image_ + i, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    static constexpr int kBlock = 128;
    unsigned grid() const { return unsigned((n_ + kBlock - 1) / kBlock); }

    cudaGraph_t recordPasses() const {
        cudaGraph_t graph = nullptr;
        cudaError_t first = cudaSuccess;
        GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (const auto& pass : passes_) {
            const cudaError_t rc = pass(stream_);
            if (first == cudaSuccess) first = rc;
        }
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (first != cudaSuccess && graph) cudaGraphDestroy(graph);
        GPU(first);
        GPU(ended);
        return graph;
    }

    void refresh() {
        cudaGraph_t graph = recordPasses();
        cudaGraphExecUpdateResultInfo info{};
        cudaError_t rc = cudaErrorGraphExecUpdateFailure;
        if (exec_) {
            rc = cudaGraphExecUpdate(exec_, graph, &info);
            if (rc != cudaSuccess) {
                cudaGetLastError();
                cudaGraphExecDestroy(std::exchange(exec_, nullptr));
            }
        }
        if (rc != cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        GPU(rc);
    }

    const int n_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float3* points_ = nullptr;
    float *depth_ = nullptr, *image_ = nullptr;
    Camera camera_;
    float exposure_ = 1.0f;
    bool dirty_ = false;
    std::vector<std::function<cudaError_t(cudaStream_t)>> passes_;
};

}  // namespace viewer

int main() {
    try {
        viewer::Viewer view(std::vector<float3>(500, float3{0.0f, 0.0f, 10.0f}));
        int wrong = 0;
        auto expect = [&](float value) {
            view.frame();
            if (std::fabs(view.pixel(499) - value) > 1e-4f) ++wrong;
        };
        expect(10.0f);
        view.setExposure(2.0f);
        expect(20.0f);
        view.dolly(1.0f);
        expect(18.0f);
        view.dolly(3.0f);
        expect(12.0f);
        view.setExposure(1.0f);
        expect(6.0f);
        std::printf("wrong frames: %d\n", wrong);
        std::puts(wrong == 2 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
