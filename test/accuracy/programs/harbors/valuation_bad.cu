// Bond portfolio valuation service. Market settings may change while the service is running; subscribers are notified.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace finserv {

class GpuException : public std::runtime_error {
public:
    GpuException(const std::string& operation, cudaError_t status)
        : std::runtime_error(operation + " failed: " + cudaGetErrorName(status)) {}
};

void ThrowIfFailed(cudaError_t status, const std::string& operation) {
    if (status != cudaSuccess) throw GpuException(operation, status);
}

struct RateSettings {
    double shortRate = 0.02;
    double creditSpread = 0.0;
};

class ISettingsObserver {
public:
    virtual ~ISettingsObserver() = default;
    virtual void OnRateSettingsChanged(const RateSettings& settings) = 0;
};

class ISettingsProvider {
public:
    virtual ~ISettingsProvider() = default;
    virtual RateSettings Current() const = 0;
    virtual void Subscribe(ISettingsObserver* observer) = 0;
    virtual void Unsubscribe(ISettingsObserver* observer) = 0;
};

class InMemorySettingsProvider final : public ISettingsProvider {
public:
    RateSettings Current() const override { return settings_; }
    void Subscribe(ISettingsObserver* observer) override { observers_.push_back(observer); }
    void Unsubscribe(ISettingsObserver* observer) override {
        observers_.erase(std::remove(observers_.begin(), observers_.end(), observer), observers_.end());
    }
    void Publish(const RateSettings& settings) {
        settings_ = settings;
        for (ISettingsObserver* observer : observers_) observer->OnRateSettingsChanged(settings_);
    }

private:
    RateSettings settings_;
    std::vector<ISettingsObserver*> observers_;
};

struct Bond {
    double coupon;
    double notional;
    int years;
};

class IBondRepository {
public:
    virtual ~IBondRepository() = default;
    virtual std::vector<Bond> FindByPortfolio(const std::string& portfolioId) const = 0;
};

class FixtureBondRepository final : public IBondRepository {
public:
    FixtureBondRepository() {
        for (int i = 0; i < 700; ++i) {
            book_["EUR-GOV"].push_back({0.01 + 0.0001 * (i % 50), 1000.0 + i, 1 + i % 30});
        }
    }
    std::vector<Bond> FindByPortfolio(const std::string& portfolioId) const override { return book_.at(portfolioId); }

private:
    std::map<std::string, std::vector<Bond>> book_;
};

__global__ void PresentValueKernel(const Bond* bonds, const double* fxRate, double* values, int count, double yield) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    double discount = 1.0, pv = 0.0;
    for (int t = 0; t < bonds[i].years; ++t) {
        discount /= 1.0 + yield;
        pv += bonds[i].coupon * bonds[i].notional * discount;
    }
    values[i] = *fxRate * (pv + bonds[i].notional * discount);
}

class IValuationService {
public:
    virtual ~IValuationService() = default;
    virtual std::vector<double> Evaluate(double fxRate) = 0;
};

class GpuValuationService final : public IValuationService, public ISettingsObserver {
public:
    GpuValuationService(std::shared_ptr<ISettingsProvider> provider, std::vector<Bond> bonds)
        : provider_(std::move(provider)), settings_(provider_->Current()), count_(static_cast<int>(bonds.size())) {
        try {
            Upload(bonds);
            BuildGraph();
        } catch (...) {
            Release();
            throw;
        }
        provider_->Subscribe(this);
    }

    ~GpuValuationService() override {
        provider_->Unsubscribe(this);
        Release();
    }

    std::vector<double> Evaluate(double fxRate) override {
        *fxHost_ = fxRate;
        ThrowIfFailed(cudaGraphLaunch(exec_, stream_), "cudaGraphLaunch");
        ThrowIfFailed(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return std::vector<double>(valuesHost_, valuesHost_ + count_);
    }

    void OnRateSettingsChanged(const RateSettings& settings) override {
        settings_ = settings;  // HAZARD frozen #yield
    }

private:
    double EffectiveYield() const { return settings_.shortRate + settings_.creditSpread; }

    void Upload(const std::vector<Bond>& bonds) {
        ThrowIfFailed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        ThrowIfFailed(cudaMalloc(&bonds_, bonds.size() * sizeof(Bond)), "cudaMalloc");
        ThrowIfFailed(cudaMalloc(&values_, bonds.size() * sizeof(double)), "cudaMalloc");
        ThrowIfFailed(cudaMalloc(&fx_, sizeof(double)), "cudaMalloc");
        ThrowIfFailed(cudaMallocHost(&fxHost_, sizeof(double)), "cudaMallocHost");
        ThrowIfFailed(cudaMallocHost(&valuesHost_, bonds.size() * sizeof(double)), "cudaMallocHost");
        ThrowIfFailed(cudaMemcpy(bonds_, bonds.data(), bonds.size() * sizeof(Bond), cudaMemcpyHostToDevice),
                      "cudaMemcpy");
        ThrowIfFailed(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    void BuildGraph() {
        ThrowIfFailed(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
        std::string failure;
        try {
            Record();
        } catch (const GpuException& e) {
            failure = e.what();
        }
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph_);
        if (!failure.empty()) throw std::runtime_error(failure);
        ThrowIfFailed(ended, "cudaStreamEndCapture");
        ThrowIfFailed(cudaGraphInstantiate(&exec_, graph_, 0), "cudaGraphInstantiate");
    }

    void Record() {
        const int block = 128;
        ThrowIfFailed(cudaMemcpyAsync(fx_, fxHost_, sizeof(double), cudaMemcpyHostToDevice, stream_), "upload fx");
        PresentValueKernel<<<(count_ + block - 1) / block, block, 0, stream_>>>(bonds_, fx_, values_, count_, EffectiveYield());  // HAZARD frozen #yield
        ThrowIfFailed(cudaGetLastError(), "PresentValueKernel");
        ThrowIfFailed(cudaMemcpyAsync(valuesHost_, values_, count_ * sizeof(double), cudaMemcpyDeviceToHost, stream_),
                      "download values");
    }

    void Release() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        cudaFree(bonds_);
        cudaFree(values_);
        cudaFree(fx_);
        cudaFreeHost(fxHost_);
        cudaFreeHost(valuesHost_);
        if (stream_) cudaStreamDestroy(stream_);
    }

    std::shared_ptr<ISettingsProvider> provider_;
    RateSettings settings_;
    int count_;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    Bond* bonds_ = nullptr;
    double* values_ = nullptr;
    double* fx_ = nullptr;
    double* fxHost_ = nullptr;
    double* valuesHost_ = nullptr;
};

class ValuationServiceFactory {
public:
    ValuationServiceFactory(std::shared_ptr<ISettingsProvider> settings, std::shared_ptr<IBondRepository> repository)
        : settings_(std::move(settings)), repository_(std::move(repository)) {}
    std::unique_ptr<IValuationService> Create(const std::string& portfolioId) const {
        return std::make_unique<GpuValuationService>(settings_, repository_->FindByPortfolio(portfolioId));
    }

private:
    std::shared_ptr<ISettingsProvider> settings_;
    std::shared_ptr<IBondRepository> repository_;
};

double ReferenceValue(const Bond& bond, double fxRate, const RateSettings& settings) {
    double discount = 1.0, pv = 0.0;
    for (int t = 0; t < bond.years; ++t) {
        discount /= 1.0 + settings.shortRate + settings.creditSpread;
        pv += bond.coupon * bond.notional * discount;
    }
    return fxRate * (pv + bond.notional * discount);
}

}  // namespace finserv

int main() {
    using namespace finserv;
    int wrongRuns = 0;
    try {
        auto settings = std::make_shared<InMemorySettingsProvider>();
        auto repository = std::make_shared<FixtureBondRepository>();
        auto service = ValuationServiceFactory(settings, repository).Create("EUR-GOV");
        const std::vector<Bond> bonds = repository->FindByPortfolio("EUR-GOV");
        const std::vector<RateSettings> schedule = {{0.02, 0.0}, {0.02, 0.0}, {0.035, 0.004}, {0.041, 0.010}, {0.01, 0.002}};
        double fxRate = 1.05;
        for (const RateSettings& today : schedule) {
            settings->Publish(today);
            const std::vector<double> values = service->Evaluate(fxRate);
            int differing = 0;
            for (std::size_t i = 0; i < bonds.size(); ++i) {
                const double expected = ReferenceValue(bonds[i], fxRate, today);
                if (std::fabs(values[i] - expected) > 1e-9 * expected) ++differing;
            }
            std::cout << "rate " << today.shortRate << ": " << differing << " valuations differ\n";
            if (differing) ++wrongRuns;
            fxRate += 0.01;
        }
    } catch (const std::exception& e) {
        std::cout << e.what() << "\nLABEL WRONG\n";
        return 1;
    }
    const bool confirmed = wrongRuns > 0;
    std::cout << (confirmed ? "LABEL CONFIRMED" : "LABEL WRONG") << std::endl;
    return confirmed ? 0 : 1;
}
