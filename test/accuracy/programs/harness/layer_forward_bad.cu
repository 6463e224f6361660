// Two dense layers with cuBLAS, replayed for every input vector.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int N = 64;

struct Layers {
    float *w1, *w2, *x, *h, *y;
};

__global__ void relu(float *v, int n) {
    int i = threadIdx.x;
    if (i < n) v[i] = v[i] > 0.0f ? v[i] : 0.0f;
}

cublasStatus_t matvec(const float *w, const float *in, float *out, cudaStream_t stream) {
    const float one = 1.0f, zero = 0.0f;
    cublasHandle_t blas = nullptr;
    cublasStatus_t st = cublasCreate(&blas);  // HAZARD library_handle #blas
    if (st != CUBLAS_STATUS_SUCCESS) return st;
    cublasSetStream(blas, stream);
    st = cublasSgemv(blas, CUBLAS_OP_N, N, N, &one, w, N, in, 1, &zero, out, 1);
    cublasDestroy(blas);  // HAZARD library_handle #blas
    return st;
}

cublasStatus_t forward(const Layers &l, cudaStream_t stream) {
    cublasStatus_t st = matvec(l.w1, l.x, l.h, stream);
    if (st != CUBLAS_STATUS_SUCCESS) return st;
    relu<<<1, N, 0, stream>>>(l.h, N);
    return matvec(l.w2, l.h, l.y, stream);
}

float *upload(const std::vector<float> &v) {
    float *p = nullptr;
    if (cudaMalloc(&p, v.size() * sizeof(float)) != cudaSuccess) return nullptr;
    cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    return p;
}

int main() {
    std::vector<float> identity(N * N, 0.0f), doubling(N * N, 0.0f), zeros(N, 0.0f);
    for (int i = 0; i < N; ++i) {
        identity[i * N + i] = 1.0f;
        doubling[i * N + i] = 2.0f;
    }
    Layers l{upload(identity), upload(doubling), upload(zeros), upload(zeros), upload(zeros)};

    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;

    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cublasStatus_t st = forward(l, stream);
    cudaError_t end = cudaStreamEndCapture(stream, &graph);
    if (st == CUBLAS_STATUS_SUCCESS && end == cudaSuccess) cudaGraphInstantiate(&exec, graph, 0);
    cudaGetLastError();

    int right = 0;
    for (int k = 1; k <= 3 && exec; ++k) {
        std::vector<float> x(N, (float)k);
        float y = 0;
        cudaMemcpyAsync(l.x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream);
        cudaGraphLaunch(exec, stream);
        cudaMemcpyAsync(&y, l.y + N - 1, sizeof(float), cudaMemcpyDeviceToHost, stream);
        if (cudaStreamSynchronize(stream) == cudaSuccess && y == 2.0f * k) ++right;
    }

    if (st != CUBLAS_STATUS_SUCCESS && end != cudaSuccess && right == 0)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED cublas=%d end=%d right=%d\n", (int)st, (int)end, right);

    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    for (float *p : {l.w1, l.w2, l.x, l.h, l.y}) cudaFree(p);
    return 0;
}
