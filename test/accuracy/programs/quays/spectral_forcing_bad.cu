/* spectral_forcing.cu
 *
 * Tracer equation on a periodic line with a large-scale forcing. The forcing comes from the observation module on the
 * grid, is low-pass filtered in spectral space and then relaxed into the tracer. One model step is one CUDA graph.
 */
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace util
{

inline void fail(const char *what, int code, int line)
{
    std::printf("line %d: %s returned %d\nLABEL WRONG\n", line, what, code);
    std::exit(1);
}

#define CUDA_TRY(expr)                                             \
    do {                                                           \
        cudaError_t rc_ = (expr);                                  \
        if (rc_ != cudaSuccess)                                    \
            util::fail(#expr, static_cast<int>(rc_), __LINE__);    \
    } while (0)

#define FFT_TRY(expr)                                              \
    do {                                                           \
        cufftResult rc_ = (expr);                                  \
        if (rc_ != CUFFT_SUCCESS)                                  \
            util::fail(#expr, static_cast<int>(rc_), __LINE__);    \
    } while (0)

inline int blocks(int n)
{
    return (n + 127) / 128;
}

} // namespace util

namespace gpu
{

__global__ void to_complex(const float *in, cufftComplex *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_float2(in[i], 0.0f);
}

__global__ void truncate_modes(cufftComplex *hat, int n, int cutoff)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    int wave = k <= n / 2 ? k : n - k;
    float scale = wave <= cutoff ? 1.0f / static_cast<float>(n) : 0.0f;
    hat[k].x *= scale;
    hat[k].y *= scale;
}

__global__ void real_part(const cufftComplex *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].x;
}

__global__ void relax(float *tracer, const float *forcing, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tracer[i] += dt * forcing[i];
}

} // namespace gpu

namespace spectral
{

struct Plan
{
    int n = 0;
    int cutoff = 0;
    cufftHandle handle = 0;
    cudaStream_t stream = nullptr;
    cufftComplex *work = nullptr;
};

/* Plans are expensive and live as long as the model. */
class PlanStore
{
public:
    ~PlanStore()
    {
        for (auto &entry : plans_) {
            cufftDestroy(entry.second.handle);
            cudaFree(entry.second.work);
            cudaStreamDestroy(entry.second.stream);
        }
    }

    Plan &get(int n, int cutoff)
    {
        auto found = plans_.find({n, cutoff});
        if (found != plans_.end())
            return found->second;
        Plan plan;
        plan.n = n;
        plan.cutoff = cutoff;
        CUDA_TRY(cudaStreamCreateWithFlags(&plan.stream, cudaStreamNonBlocking));
        CUDA_TRY(cudaMalloc(&plan.work, n * sizeof(cufftComplex)));
        FFT_TRY(cufftPlan1d(&plan.handle, n, CUFFT_C2C, 1));
        FFT_TRY(cufftSetStream(plan.handle, plan.stream));
        return plans_[{n, cutoff}] = plan;
    }

private:
    std::map<std::pair<int, int>, Plan> plans_;
};

void low_pass(const Plan &plan, const float *in, float *out)
{
    const int grid = util::blocks(plan.n);
    gpu::to_complex<<<grid, 128, 0, plan.stream>>>(in, plan.work, plan.n);                 // HAZARD escape #fft
    FFT_TRY(cufftExecC2C(plan.handle, plan.work, plan.work, CUFFT_FORWARD));               // HAZARD escape #fft
    gpu::truncate_modes<<<grid, 128, 0, plan.stream>>>(plan.work, plan.n, plan.cutoff);    // HAZARD escape #fft
    FFT_TRY(cufftExecC2C(plan.handle, plan.work, plan.work, CUFFT_INVERSE));               // HAZARD escape #fft
    gpu::real_part<<<grid, 128, 0, plan.stream>>>(plan.work, out, plan.n);                 // HAZARD escape #fft
}

} // namespace spectral

namespace model
{

struct State
{
    int n = 0;
    float dt = 0.0f;
    float *tracer = nullptr;
    float *observed = nullptr; // written by the observation module before each step
    float *forcing = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t step = nullptr;
};

State allocate(int n, float dt)
{
    State s;
    s.n = n;
    s.dt = dt;
    CUDA_TRY(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    for (float **field : {&s.tracer, &s.observed, &s.forcing}) {
        CUDA_TRY(cudaMalloc(field, n * sizeof(float)));
        CUDA_TRY(cudaMemset(*field, 0, n * sizeof(float)));
    }
    return s;
}

void release(State &s)
{
    if (s.step)
        cudaGraphExecDestroy(s.step);
    cudaFree(s.tracer);
    cudaFree(s.observed);
    cudaFree(s.forcing);
    cudaStreamDestroy(s.stream);
}

void physics(State &s, spectral::Plan &plan)
{
    spectral::low_pass(plan, s.observed, s.forcing); // HAZARD escape #fft
    gpu::relax<<<util::blocks(s.n), 128, 0, s.stream>>>(s.tracer, s.forcing, s.n, s.dt);
}

void compile_step(State &s, spectral::Plan &plan)
{
    cudaGraph_t graph = nullptr;
    CUDA_TRY(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeRelaxed));
    physics(s, plan);
    CUDA_TRY(cudaStreamEndCapture(s.stream, &graph));
    CUDA_TRY(cudaGraphInstantiate(&s.step, graph, 0));
    CUDA_TRY(cudaGraphDestroy(graph));
    CUDA_TRY(cudaDeviceSynchronize());
}

void advance(State &s, spectral::Plan &plan)
{
    if (!s.step)
        compile_step(s, plan);
    CUDA_TRY(cudaGraphLaunch(s.step, s.stream));
    CUDA_TRY(cudaStreamSynchronize(s.stream));
}

} // namespace model

namespace observations
{

const double pi = 3.14159265358979323846;

double amplitude(int step)
{
    return 1.0 + 0.5 * step;
}

/* A long wave whose amplitude grows, and short-wave noise that the filter has to remove. */
void assimilate(model::State &s, int step)
{
    std::vector<float> field(s.n);
    for (int i = 0; i < s.n; ++i) {
        double x = 2.0 * pi * i / s.n;
        field[i] = static_cast<float>(amplitude(step) * std::cos(2.0 * x) + (3.0 + step) * std::sin(97.0 * x));
    }
    CUDA_TRY(cudaMemcpy(s.observed, field.data(), s.n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaDeviceSynchronize());
}

} // namespace observations

int main()
{
    const int n = 1024;
    const int steps = 6;
    spectral::PlanStore plans;
    model::State state = model::allocate(n, 0.1f);
    spectral::Plan &plan = plans.get(n, 8);

    /* Spin-up call: loads the kernels of the library. */
    spectral::low_pass(plan, state.observed, state.forcing);
    CUDA_TRY(cudaDeviceSynchronize());

    std::vector<double> expected(n, 0.0);
    std::vector<double> error(steps, 0.0);
    for (int step = 0; step < steps; ++step) {
        observations::assimilate(state, step);
        model::advance(state, plan);

        std::vector<float> tracer(n);
        CUDA_TRY(cudaMemcpy(tracer.data(), state.tracer, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) {
            expected[i] += 0.1 * observations::amplitude(step) * std::cos(4.0 * observations::pi * i / n);
            error[step] = std::fmax(error[step], std::fabs(tracer[i] - expected[i]));
        }
        std::printf("step %d: max error %.3e\n", step, error[step]);
    }
    model::release(state);

    const bool confirmed = error[0] < 1e-3 && error[1] > 1e-2 && error[steps - 1] > 1e-1;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
