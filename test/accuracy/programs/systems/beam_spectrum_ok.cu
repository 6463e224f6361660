// Beam spectrum service: cuFFT per block of samples, antenna calibration on a second stream.
#include <cuda_runtime.h>
#include <cufft.h>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

constexpr int kBins = 1024;

__global__ void calibrate(const float* reference, float* weight, long long ticks) {
    long long start = clock64();
    while (clock64() - start < ticks) {}
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    weight[i] = 2.0f * reference[0];
}
__global__ void combine(const cufftComplex* spectrum, const float* weight, float* beam) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    beam[i] = (1.0f + spectrum[i].x) * weight[i];
}

struct Error {
    cudaError_t cuda = cudaSuccess;
    cufftResult fft = CUFFT_SUCCESS;
    bool none() const { return cuda == cudaSuccess && fft == CUFFT_SUCCESS; }
    void operator<<(cudaError_t e) { if (cuda == cudaSuccess) cuda = e; }
    void operator<<(cufftResult r) { if (fft == CUFFT_SUCCESS) fft = r; }
};

class BeamService {
public:
    BeamService() {
        err << cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking);
        err << cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
        err << cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming);
        err << cudaEventCreateWithFlags(&calibrated_, cudaEventDisableTiming);
        err << cudaMalloc(&samples_, kBins * sizeof(cufftComplex));
        err << cudaMalloc(&spectrum_, kBins * sizeof(cufftComplex));
        err << cudaMalloc(&weight_, kBins * sizeof(float));
        err << cudaMalloc(&beam_, kBins * sizeof(float));
        err << cudaMalloc(&reference_, sizeof(float));
        err << cudaMemset(samples_, 0, kBins * sizeof(cufftComplex));
        err << cudaMemset(weight_, 0, kBins * sizeof(float));
        err << cudaMemset(reference_, 0, sizeof(float));
        err << cufftPlan1d(&plan_, kBins, CUFFT_C2C, 1);
        err << cufftSetStream(plan_, main_);
        err << cudaDeviceSynchronize();
        warmUp();
    }
    ~BeamService() {
        if (exec_) cudaGraphExecDestroy(*exec_);
        cufftDestroy(plan_);
        for (void* p : {(void*)samples_, (void*)spectrum_, (void*)weight_, (void*)beam_, (void*)reference_}) cudaFree(p);
        cudaEventDestroy(begun_);
        cudaEventDestroy(calibrated_);
        cudaStreamDestroy(side_);
        cudaStreamDestroy(main_);
    }
    BeamService(const BeamService&) = delete;
    BeamService& operator=(const BeamService&) = delete;

    float block(float impulse, float reference) {
        std::vector<cufftComplex> samples(kBins, cufftComplex{0.0f, 0.0f});
        samples[0].x = impulse;
        std::vector<float> beam(kBins);
        if (!exec_) exec_ = record();
        err << cudaMemcpyAsync(samples_, samples.data(), kBins * sizeof(cufftComplex), cudaMemcpyHostToDevice, main_);
        err << cudaMemcpyAsync(reference_, &reference, sizeof(float), cudaMemcpyHostToDevice, main_);
        err << cudaGraphLaunch(*exec_, main_);
        err << cudaMemcpyAsync(beam.data(), beam_, kBins * sizeof(float), cudaMemcpyDeviceToHost, main_);
        err << cudaStreamSynchronize(main_);
        return beam[kBins / 2];
    }

    float spectrumAt(int bin) const {
        cufftComplex v{};
        cudaMemcpy(&v, spectrum_ + bin, sizeof v, cudaMemcpyDeviceToHost);
        return v.x;
    }
    Error err;

private:
    void warmUp() {
        err << cufftExecC2C(plan_, samples_, spectrum_, CUFFT_FORWARD);
        err << cudaDeviceSynchronize();
    }
    cudaGraphExec_t record() {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t e = nullptr;
        err << cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
        err << cudaEventRecord(begun_, main_);
        err << cudaStreamWaitEvent(side_, begun_, 0);
        calibrate<<<kBins / 256, 256, 0, side_>>>(reference_, weight_, 3000000LL);
        err << cudaEventRecord(calibrated_, side_);
        err << cufftExecC2C(plan_, samples_, spectrum_, CUFFT_FORWARD);
        err << cudaStreamWaitEvent(main_, calibrated_, 0);
        combine<<<kBins / 256, 256, 0, main_>>>(spectrum_, weight_, beam_);
        err << cudaStreamEndCapture(main_, &g);
        err << cudaGraphInstantiate(&e, g, 0);
        err << cudaGraphDestroy(g);
        return e;
    }

    cudaStream_t main_ = nullptr, side_ = nullptr;
    cudaEvent_t begun_ = nullptr, calibrated_ = nullptr;
    cufftHandle plan_ = 0;
    cufftComplex *samples_ = nullptr, *spectrum_ = nullptr;
    float *weight_ = nullptr, *beam_ = nullptr, *reference_ = nullptr;
    std::optional<cudaGraphExec_t> exec_;
};

int main() {
    BeamService service;
    float a = service.block(3.0f, 1.0f);
    float b = service.block(5.0f, 4.0f);
    float spectrum = service.spectrumAt(kBins / 2);
    auto near = [](float v, float r) { return std::fabs(v - r) < 1e-3f; };
    bool confirmed = service.err.none() && near(a, 8.0f) && near(b, 48.0f) && near(spectrum, 5.0f);
    std::printf("%s: %g %g spectrum=%g (%s, fft %d)\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", a, b, spectrum,
                cudaGetErrorName(service.err.cuda), (int)service.err.fft);
    return 0;
}
