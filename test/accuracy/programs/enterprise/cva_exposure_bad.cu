// Expected exposure accumulation for CVA. Kernels are wrapped in commands, commands are compiled into a program.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace cva {

class Error {
public:
    Error() = default;
    Error(cudaError_t code, const char* where) : code_(code), where_(where) {}
    explicit operator bool() const { return code_ != cudaSuccess; }
    const char* where() const { return where_; }
    const char* what() const { return cudaGetErrorName(code_); }

private:
    cudaError_t code_ = cudaSuccess;
    const char* where_ = "";
};
#define CVA_TRY(call) \
    if (cudaError_t rc_ = (call); rc_ != cudaSuccess) return ::cva::Error(rc_, #call)

struct SimClock {
    int step = 0;
    float dt = 0.25f;
    float hazardRate = 0.03f;
};

__global__ void accrueExposure(const float* mtm, float* exposure, int paths, int step, float dt, float hazardRate) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    const float survival = expf(-hazardRate * dt * step);
    exposure[p] += survival * fmaxf(mtm[p], 0.0f);
}

class ICommand {
public:
    virtual ~ICommand() = default;
    virtual Error record(cudaStream_t stream) = 0;
};

class KernelCommand final : public ICommand {
public:
    KernelCommand(const void* function, dim3 grid, dim3 block) : function_(function), grid_(grid), block_(block) {}

    template <class T>
    KernelCommand& bind(T* location) {
        slots_.push_back(const_cast<void*>(static_cast<const void*>(location)));
        return *this;
    }
    Error record(cudaStream_t stream) override {
        CVA_TRY(cudaLaunchKernel(function_, grid_, block_, slots_.data(), 0, stream));  // HAZARD frozen #1
        return {};
    }

private:
    const void* function_;
    dim3 grid_, block_;
    std::vector<void*> slots_;
};

class Program {
public:
    ~Program() {
        if (exec_) (void)cudaGraphExecDestroy(exec_);
    }
    void append(std::unique_ptr<ICommand> command) { commands_.push_back(std::move(command)); }

    Error compile(cudaStream_t stream) {
        CVA_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        Error first;
        for (auto& command : commands_) {
            first = command->record(stream);
            if (first) break;
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, cudaError_t (*)(cudaGraph_t)> owner(graph, cudaGraphDestroy);
        if (first) return first;
        CVA_TRY(ended);
        CVA_TRY(cudaGraphInstantiate(&exec_, graph, 0));
        return {};
    }
    Error execute(cudaStream_t stream) {
        CVA_TRY(cudaGraphLaunch(exec_, stream));
        return {};
    }

private:
    std::vector<std::unique_ptr<ICommand>> commands_;
    cudaGraphExec_t exec_ = nullptr;
};

class ExposureEngine {
public:
    explicit ExposureEngine(int paths) : paths_(paths), clock_(std::make_shared<SimClock>()) {}
    ~ExposureEngine() {
        program_.reset();
        (void)cudaFree(mtm_);
        (void)cudaFree(exposure_);
        if (stream_) (void)cudaStreamDestroy(stream_);
    }

    Error start(const std::vector<float>& mtm) {
        CVA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CVA_TRY(cudaMalloc(&mtm_, paths_ * sizeof(float)));
        CVA_TRY(cudaMalloc(&exposure_, paths_ * sizeof(float)));
        CVA_TRY(cudaMemcpyAsync(mtm_, mtm.data(), paths_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        CVA_TRY(cudaMemsetAsync(exposure_, 0, paths_ * sizeof(float), stream_));
        CVA_TRY(cudaStreamSynchronize(stream_));

        auto accrue = std::make_unique<KernelCommand>(reinterpret_cast<const void*>(&accrueExposure),
                                                      dim3((paths_ + 127) / 128), dim3(128));
        accrue->bind(&mtm_).bind(&exposure_).bind(&paths_);
        accrue->bind(&clock_->step).bind(&clock_->dt).bind(&clock_->hazardRate);  // HAZARD frozen #1
        program_ = std::make_unique<Program>();
        program_->append(std::move(accrue));
        return program_->compile(stream_);
    }

    Error simulate(int steps) {
        for (int k = 0; k < steps; ++k) {
            clock_->step = k;
            if (Error e = program_->execute(stream_)) return e;
        }
        CVA_TRY(cudaStreamSynchronize(stream_));
        return {};
    }

    Error collect(std::vector<float>& out) const {
        out.resize(paths_);
        CVA_TRY(cudaMemcpyAsync(out.data(), exposure_, paths_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        CVA_TRY(cudaStreamSynchronize(stream_));
        return {};
    }

private:
    int paths_;
    std::shared_ptr<SimClock> clock_;
    cudaStream_t stream_ = nullptr;
    float* mtm_ = nullptr;
    float* exposure_ = nullptr;
    std::unique_ptr<Program> program_;
};

}  // namespace cva

int main() {
    const int paths = 512, steps = 12;
    cva::ExposureEngine engine(paths);
    std::vector<float> mtm(paths, 100.0f), exposure;
    cva::Error e = engine.start(mtm);
    if (!e) e = engine.simulate(steps);
    if (!e) e = engine.collect(exposure);
    if (e) {
        std::printf("%s at %s\nLABEL REFUTED\n", e.what(), e.where());
        return 0;
    }
    double expected = 0.0;
    for (int k = 0; k < steps; ++k) expected += 100.0 * std::exp(-0.03 * 0.25 * k);
    std::printf("expected %.3f got %.3f\n", expected, exposure[3]);
    const bool right = std::fabs(exposure[3] - expected) < 0.1;
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
