// Demand forecasting service: article features are projected with a learned weight vector (cuBLAS),
// corrected for the season and copied back. Stages are assembled by a factory from a configuration.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace forecast {

void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
void check(cublasStatus_t s, const char* what) {
    if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(s));
}

struct ForecastConfig {
    int articles = 256;
    int features = 64;
    float seasonFactor = 1.25f;
    float safetyStock = 3.f;
    cudaStream_t computeStream = nullptr;
};

struct DeviceBuffers {
    explicit DeviceBuffers(const ForecastConfig& c) {
        check(cudaMalloc(&features, sizeof(float) * c.articles * c.features), "features");
        check(cudaMalloc(&weights, sizeof(float) * c.features), "weights");
        check(cudaMalloc(&demand, sizeof(float) * c.articles), "demand");
        check(cudaMalloc(&orders, sizeof(float) * c.articles), "orders");
        check(cudaMallocHost(&inbox, sizeof(float) * c.articles * c.features), "inbox");
        check(cudaMallocHost(&outbox, sizeof(float) * c.articles), "outbox");
        check(cudaMemset(features, 0, sizeof(float) * c.articles * c.features), "features");
        check(cudaMemset(demand, 0, sizeof(float) * c.articles), "demand");
        check(cudaDeviceSynchronize(), "buffers");
    }
    ~DeviceBuffers() {
        cudaFree(features);
        cudaFree(weights);
        cudaFree(demand);
        cudaFree(orders);
        cudaFreeHost(inbox);
        cudaFreeHost(outbox);
    }
    float *features = nullptr, *weights = nullptr, *demand = nullptr, *orders = nullptr;
    float *inbox = nullptr, *outbox = nullptr;
};

__global__ void seasonalOrders(const float* demand, float* orders, int n, float season, float safety) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) orders[i] = fmaxf(demand[i] * season, 0.f) + safety;
}

// Shared access to the linear algebra library.
class BlasGateway {
public:
    explicit BlasGateway(cudaStream_t stream) {
        check(cublasCreate(&handle_), "cublasCreate");
        check(cudaMalloc(&workspace_, kWorkspace), "blas workspace");
        check(cublasSetStream(handle_, stream), "cublasSetStream");
        check(cublasSetWorkspace(handle_, workspace_, kWorkspace), "cublasSetWorkspace");
    }
    ~BlasGateway() {
        cublasDestroy(handle_);
        cudaFree(workspace_);
    }
    BlasGateway(const BlasGateway&) = delete;
    BlasGateway& operator=(const BlasGateway&) = delete;

    cublasStatus_t project(const float* rows, const float* weights, float* out, int rowCount, int columns) {
        static const float one = 1.f, zero = 0.f;
        return cublasSgemv(handle_, CUBLAS_OP_T, columns, rowCount, &one, rows, columns, weights, 1, &zero, out, 1);  // HAZARD default_stream #blas
    }

private:
    static constexpr size_t kWorkspace = 4u << 20;
    cublasHandle_t handle_ = nullptr;
    void* workspace_ = nullptr;
};

class IForecastStage {
public:
    virtual ~IForecastStage() = default;
    virtual void enqueue(cudaStream_t stream) = 0;
};

class LoadStage final : public IForecastStage {
public:
    LoadStage(const ForecastConfig& c, DeviceBuffers& b) : config_(c), buffers_(b) {}
    void enqueue(cudaStream_t stream) override {
        check(cudaMemcpyAsync(buffers_.features, buffers_.inbox, sizeof(float) * config_.articles * config_.features,
                              cudaMemcpyHostToDevice, stream), "load");
    }

private:
    const ForecastConfig config_;
    DeviceBuffers& buffers_;
};

class ProjectionStage final : public IForecastStage {
public:
    ProjectionStage(const ForecastConfig& c, DeviceBuffers& b, std::shared_ptr<BlasGateway> blas)
        : config_(c), buffers_(b), blas_(std::move(blas)) {}
    void enqueue(cudaStream_t) override {
        check(blas_->project(buffers_.features, buffers_.weights, buffers_.demand, config_.articles, config_.features),
              "projection");
    }

private:
    const ForecastConfig config_;
    DeviceBuffers& buffers_;
    std::shared_ptr<BlasGateway> blas_;
};

class OrderStage final : public IForecastStage {
public:
    OrderStage(const ForecastConfig& c, DeviceBuffers& b) : config_(c), buffers_(b) {}
    void enqueue(cudaStream_t stream) override {
        const int n = config_.articles;
        seasonalOrders<<<(n + 127) / 128, 128, 0, stream>>>(buffers_.demand, buffers_.orders, n, config_.seasonFactor,
                                                            config_.safetyStock);
        check(cudaGetLastError(), "orders");
        check(cudaMemcpyAsync(buffers_.outbox, buffers_.orders, sizeof(float) * n, cudaMemcpyDeviceToHost, stream),
              "outbox");
    }

private:
    const ForecastConfig config_;
    DeviceBuffers& buffers_;
};

class ForecastService {
public:
    ForecastService(const ForecastConfig& c, DeviceBuffers& b, std::vector<std::unique_ptr<IForecastStage>> stages)
        : buffers_(b), stream_(c.computeStream), stages_(std::move(stages)) {}
    ~ForecastService() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

    void runStages() {
        for (auto& stage : stages_) stage->enqueue(stream_);
    }

    void capture() {
        runStages();
        check(cudaDeviceSynchronize(), "warm-up");
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        try {
            runStages();
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "end capture");
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check(made, "instantiate");
    }

    std::vector<float> forecast(const std::vector<float>& articleRows, int articles) {
        std::copy(articleRows.begin(), articleRows.end(), buffers_.inbox);
        check(cudaGraphLaunch(exec_, stream_), "launch");
        check(cudaStreamSynchronize(stream_), "forecast");
        return std::vector<float>(buffers_.outbox, buffers_.outbox + articles);
    }

private:
    DeviceBuffers& buffers_;
    cudaStream_t stream_;
    std::vector<std::unique_ptr<IForecastStage>> stages_;
    cudaGraphExec_t exec_ = nullptr;
};

class ServiceFactory {
public:
    explicit ServiceFactory(cudaStream_t stream) : stream_(stream) {}
    std::unique_ptr<ForecastService> create(ForecastConfig config, DeviceBuffers& buffers) const {
        auto blas = std::make_shared<BlasGateway>(config.computeStream);  // HAZARD default_stream #blas
        config.computeStream = stream_;
        std::vector<std::unique_ptr<IForecastStage>> stages;
        stages.push_back(std::make_unique<LoadStage>(config, buffers));
        stages.push_back(std::make_unique<ProjectionStage>(config, buffers, blas));
        stages.push_back(std::make_unique<OrderStage>(config, buffers));
        return std::make_unique<ForecastService>(config, buffers, std::move(stages));
    }

private:
    cudaStream_t stream_;
};

int runDays(const ForecastConfig& config, cudaStream_t stream, int days, bool& firstWrong) {
    DeviceBuffers buffers(config);
    std::vector<float> weights(config.features);
    for (int f = 0; f < config.features; ++f) weights[f] = 0.02f * (f % 9) - 0.05f;
    std::fill(buffers.inbox, buffers.inbox + config.articles * config.features, 0.f);
    check(cudaMemcpyAsync(buffers.weights, weights.data(), sizeof(float) * weights.size(), cudaMemcpyHostToDevice,
                          stream), "weights");
    check(cudaStreamSynchronize(stream), "weights");
    auto service = ServiceFactory(stream).create(config, buffers);
    service->capture();

    int wrongDays = 0;
    for (int day = 0; day < days; ++day) {
        std::vector<float> rows(config.articles * config.features);
        for (size_t i = 0; i < rows.size(); ++i) rows[i] = 0.5f + 0.125f * ((i * 5 + day * 3) % 16);
        const std::vector<float> orders = service->forecast(rows, config.articles);
        int off = 0;
        for (int a = 0; a < config.articles; ++a) {
            double sum = 0;
            for (int f = 0; f < config.features; ++f) sum += double(rows[a * config.features + f]) * weights[f];
            const double expected = std::max(sum * config.seasonFactor, 0.0) + config.safetyStock;
            if (!(std::fabs(orders[a] - expected) < 5e-3)) ++off;
        }
        std::printf("day %d: %d articles off\n", day, off);
        if (off) ++wrongDays;
        if (day == 0) firstWrong = off > 0;
    }
    return wrongDays;
}

}  // namespace forecast

int main() {
    constexpr int kDays = 4;
    bool confirmed = false;
    try {
        cudaStream_t stream = nullptr;
        forecast::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        bool firstWrong = false;
        const int wrong = forecast::runDays(forecast::ForecastConfig{}, stream, kDays, firstWrong);
        confirmed = firstWrong && wrong == kDays;
        forecast::check(cudaStreamDestroy(stream), "stream");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
