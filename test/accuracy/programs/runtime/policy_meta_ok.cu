#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#define RP_CHECK(call)                                                                     \
    if (cudaError_t rp_rc = (call); rp_rc != cudaSuccess) {                                \
        std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rp_rc)); \
        std::abort();                                                                      \
    } else                                                                                 \
        static_cast<void>(0)

namespace policy {

constexpr int kMaxDims = 6;

__global__ void strided_copy(const float* src, float* dst, const int* meta, int rank, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rest = i, off = 0;
    for (int d = rank - 1; d >= 0; --d) {
        off += (rest % meta[d]) * meta[kMaxDims + d];
        rest /= meta[d];
    }
    dst[i] = off >= 0 && off < n ? src[off] : nanf("");
}

__global__ void affine(float* x, float a, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i] + b;
}

struct CudaFree {
    void operator()(void* p) const { cudaFree(p); }
};
template <class T>
using dev_ptr = std::unique_ptr<T, CudaFree>;

template <class T>
dev_ptr<T> dev_alloc(size_t n) {
    T* p = nullptr;
    RP_CHECK(cudaMalloc(&p, n * sizeof(T)));
    return dev_ptr<T>(p);
}

struct Layout {
    std::vector<int> dims;
    std::vector<int> strides;

    Layout permuted(const std::vector<int>& axes) const {
        Layout r;
        for (int a : axes) {
            r.dims.push_back(dims[a]);
            r.strides.push_back(strides[a]);
        }
        return r;
    }
    std::vector<int> packed() const {
        std::vector<int> m(2 * kMaxDims, 1);
        for (size_t d = 0; d < dims.size(); ++d) {
            m[d] = dims[d];
            m[kMaxDims + d] = strides[d];
        }
        return m;
    }
};

static void CUDART_CB drop_meta(void* p) { delete static_cast<std::vector<int>*>(p); }

void upload_meta(int* dst, std::vector<int> meta, cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = nullptr;
    RP_CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph));
    const int* src = meta.data();
    if (status == cudaStreamCaptureStatusActive) {
        auto* kept = new std::vector<int>(std::move(meta));
        cudaUserObject_t object = nullptr;
        RP_CHECK(cudaUserObjectCreate(&object, kept, drop_meta, 1, cudaUserObjectNoDestructorSync));
        RP_CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
        src = kept->data();
    }
    RP_CHECK(cudaMemcpyAsync(dst, src, 2 * kMaxDims * sizeof(int), cudaMemcpyHostToDevice, stream));
    if (status == cudaStreamCaptureStatusNone) {
        RP_CHECK(cudaStreamSynchronize(stream));
    }
}

template <class Body>
cudaGraphExec_t record_graph(cudaStream_t stream, Body&& body) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    RP_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    std::forward<Body>(body)(stream);
    RP_CHECK(cudaStreamEndCapture(stream, &graph));
    RP_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    RP_CHECK(cudaGraphDestroy(graph));
    return exec;
}

class PolicyHead {
public:
    PolicyHead(int joints, int horizon, int channels)
        : obs_layout_{{joints, horizon, channels}, {horizon * channels, channels, 1}},
          n_(joints * horizon * channels),
          obs_(dev_alloc<float>(n_)),
          act_(dev_alloc<float>(n_)),
          meta_(dev_alloc<int>(2 * kMaxDims)) {
        RP_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~PolicyHead() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void prepare() {
        forward(stream_);
        RP_CHECK(cudaStreamSynchronize(stream_));
        exec_ = record_graph(stream_, [this](cudaStream_t s) { forward(s); });
    }

    cudaError_t act(const std::vector<float>& obs, std::vector<float>& out) {
        out.assign(n_, 0.0f);
        RP_CHECK(cudaMemcpyAsync(obs_.get(), obs.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        cudaError_t rc = cudaGraphLaunch(exec_, stream_);
        if (rc != cudaSuccess) return rc;
        rc = cudaMemcpyAsync(out.data(), act_.get(), n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        if (rc != cudaSuccess) return rc;
        return cudaStreamSynchronize(stream_);
    }

private:
    void forward(cudaStream_t s) {
        const Layout view = obs_layout_.permuted({2, 0, 1});
        upload_meta(meta_.get(), view.packed(), s);
        const int grid = (n_ + 127) / 128;
        strided_copy<<<grid, 128, 0, s>>>(obs_.get(), act_.get(), meta_.get(), static_cast<int>(view.dims.size()), n_);
        RP_CHECK(cudaGetLastError());
        affine<<<grid, 128, 0, s>>>(act_.get(), 2.0f, 1.0f, n_);
        RP_CHECK(cudaGetLastError());
    }

    Layout obs_layout_;
    int n_;
    dev_ptr<float> obs_, act_;
    dev_ptr<int> meta_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace policy

int main() {
    constexpr int J = 7, H = 16, C = 3;
    policy::PolicyHead head(J, H, C);
    head.prepare();

    cudaError_t rc = cudaSuccess;
    bool right = true;
    for (int tick = 0; tick < 4 && rc == cudaSuccess; ++tick) {
        std::vector<float> obs(J * H * C), out;
        for (size_t i = 0; i < obs.size(); ++i) obs[i] = static_cast<float>(i + tick);
        rc = head.act(obs, out);
        for (int c = 0; c < C; ++c)
            for (int j = 0; j < J; ++j)
                for (int h = 0; h < H; ++h) {
                    const float want = 2.0f * obs[(j * H + h) * C + c] + 1.0f;
                    right = right && std::fabs(out[(c * J + j) * H + h] - want) < 1e-3f;
                }
    }
    std::puts(rc == cudaSuccess && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
