// Pseudo-spectral integration of u_t + c u_x = nu u_xx on a periodic interval, scan over nu.
// Each step: FFT, multiply by the exact propagator of dt, inverse FFT into the other buffer.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#define RT(call)                                                                      \
    do {                                                                              \
        cudaError_t err = (call);                                                     \
        if (err != cudaSuccess) {                                                     \
            printf("%s failed: %s (line %d)\n", #call, cudaGetErrorString(err), __LINE__); \
            ++nerr;                                                                   \
        }                                                                             \
    } while (0)

#define FFT(call)                                                                     \
    do {                                                                              \
        cufftResult res = (call);                                                     \
        if (res != CUFFT_SUCCESS) {                                                   \
            printf("%s failed: %d (line %d)\n", #call, (int)res, __LINE__);           \
            ++nerr;                                                                   \
        }                                                                             \
    } while (0)

constexpr int    NX    = 512;
constexpr int    NK    = NX / 2 + 1;
constexpr int    STEPS = 60;
constexpr double DT    = 0.02;
constexpr double SPEED = 1.0;

int nerr = 0;
cufftHandle fwd, inv;
cudaStream_t stream;
float *u_now, *u_new;        // current field and target of the step
cufftComplex* u_hat;

__global__ void propagate(cufftComplex* hat, double nu, double c, double dt)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= NK) return;
    double damp = exp(-nu * k * k * dt) / NX;
    double s, co;
    sincos(-c * k * dt, &s, &co);
    cufftComplex v = hat[k];
    hat[k].x = (float)(damp * (v.x * co - v.y * s));
    hat[k].y = (float)(damp * (v.x * s + v.y * co));
}

void step(double nu)
{
    FFT(cufftExecR2C(fwd, u_now, u_hat));
    propagate<<<(NK + 127) / 128, 128, 0, stream>>>(u_hat, nu, SPEED, DT);
    RT(cudaGetLastError());
    FFT(cufftExecC2R(inv, u_hat, u_new));
}

double exact(double x, double t, double nu)
{
    double y = x - SPEED * t;
    return exp(-nu * t) * sin(y) + 0.5 * exp(-9 * nu * t) * sin(3 * y + 0.4);
}

void set_initial_field()
{
    std::vector<float> u(NX);
    for (int i = 0; i < NX; ++i) u[i] = (float)exact(2 * M_PI * i / NX, 0.0, 0.0);
    RT(cudaMemcpyAsync(u_now, u.data(), NX * sizeof(float), cudaMemcpyHostToDevice, stream));
    RT(cudaStreamSynchronize(stream));
}

double error_at(double t, double nu)
{
    std::vector<float> u(NX);
    RT(cudaMemcpyAsync(u.data(), u_now, NX * sizeof(float), cudaMemcpyDeviceToHost, stream));
    RT(cudaStreamSynchronize(stream));
    double worst = 0;
    for (int i = 0; i < NX; ++i) {
        double d = fabs(u[i] - exact(2 * M_PI * i / NX, t, nu));
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

int main()
{
    RT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    RT(cudaMalloc(&u_now, NX * sizeof(float)));
    RT(cudaMalloc(&u_new, NX * sizeof(float)));
    RT(cudaMalloc(&u_hat, NK * sizeof(cufftComplex)));
    FFT(cufftPlan1d(&fwd, NX, CUFFT_R2C, 1));
    FFT(cufftPlan1d(&inv, NX, CUFFT_C2R, 1));
    FFT(cufftSetStream(fwd, stream));
    FFT(cufftSetStream(inv, stream));

    // one step outside of the graph: plans get whatever they want to set up on first use
    set_initial_field();
    step(0.05);
    std::swap(u_now, u_new);
    printf("direct step, error %.2e\n", error_at(DT, 0.05));
    if (nerr) { printf("LABEL UNOBSERVED\n"); return 1; }

    const double nus[] = { 0.01, 0.05, 0.2 };
    int wrong = 0;
    for (double nu : nus) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        set_initial_field();

        RT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        step(nu);
        std::swap(u_now, u_new); // HAZARD host_logic
        RT(cudaStreamEndCapture(stream, &graph));
        RT(cudaGraphInstantiate(&exec, graph, 0));
        if (nerr) break;

        for (int s = 0; s < STEPS; ++s)
            RT(cudaGraphLaunch(exec, stream));

        double e = error_at(STEPS * DT, nu);
        printf("nu %.3f  t %.2f  max error %.2e\n", nu, STEPS * DT, e);
        if (!(e < 1e-3)) ++wrong;
        RT(cudaGraphExecDestroy(exec));
        RT(cudaGraphDestroy(graph));
    }

    cufftDestroy(fwd);
    cufftDestroy(inv);
    RT(cudaFree(u_now));
    RT(cudaFree(u_new));
    RT(cudaFree(u_hat));
    RT(cudaStreamDestroy(stream));
    printf("%s\n", nerr || wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
