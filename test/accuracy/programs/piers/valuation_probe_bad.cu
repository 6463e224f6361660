// Valuation service.  Composition root is in main(); everything else is resolved through the ServiceContainer.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace valuation
{

class CudaException : public std::runtime_error
{
public:
    CudaException(cudaError_t code, const char* what)
        : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)) {}
};

inline void ThrowIfFailed(cudaError_t code, const char* what)
{
    if (code != cudaSuccess) throw CudaException(code, what);
}

class ServiceContainer
{
public:
    template <class TInterface>
    void AddSingleton(std::shared_ptr<TInterface> instance) { m_services[typeid(TInterface)] = std::move(instance); }

    template <class TInterface>
    std::shared_ptr<TInterface> Resolve() const
    {
        auto it = m_services.find(typeid(TInterface));
        if (it == m_services.end()) throw std::logic_error("service is not registered");
        return std::static_pointer_cast<TInterface>(it->second);
    }

private:
    std::unordered_map<std::type_index, std::shared_ptr<void>> m_services;
};

class CaptureModeScope
{
public:
    explicit CaptureModeScope(cudaStreamCaptureMode mode) : m_mode(mode) { cudaThreadExchangeStreamCaptureMode(&m_mode); }
    ~CaptureModeScope() { cudaThreadExchangeStreamCaptureMode(&m_mode); }

private:
    cudaStreamCaptureMode m_mode;
};

// Workspaces are made on first use and live as long as the service.
class IWorkspaceProvider
{
public:
    virtual ~IWorkspaceProvider() = default;
    virtual float* Acquire(const std::string& owner, size_t count) = 0;
};

class WorkspaceProvider final : public IWorkspaceProvider
{
public:
    ~WorkspaceProvider() override { for (auto& entry : m_blocks) cudaFree(entry.second); }

    float* Acquire(const std::string& owner, size_t count) override
    {
        float*& block = m_blocks[owner + "#" + std::to_string(count)];
        if (block != nullptr) return block;
        CaptureModeScope relaxed(cudaStreamCaptureModeRelaxed);
        ThrowIfFailed(cudaMalloc(reinterpret_cast<void**>(&block), count * sizeof(float)), "workspace");
        return block;
    }

private:
    std::unordered_map<std::string, float*> m_blocks;
};

__global__ void DiscountKernel(const float* cashflow, const float* rate, float* present, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) present[i] = cashflow[i] / (1.0f + rate[0] * float(i % 16 + 1));
}

__global__ void SpreadKernel(const float* present, const float* rate, float* value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) value[i] = present[i] - rate[1] * fabsf(present[i]);
}

struct Book
{
    std::string name;
    int count = 0;
    float* cashflow = nullptr;
    float* rates = nullptr;
    float* value = nullptr;
};

class IModelStep
{
public:
    virtual ~IModelStep() = default;
    virtual const char* Name() const = 0;
    virtual void Run(const Book& book, cudaStream_t stream) = 0;
};

class WorkspaceStep : public IModelStep
{
public:
    explicit WorkspaceStep(std::shared_ptr<IWorkspaceProvider> workspaces) : m_workspaces(std::move(workspaces)) {}

protected:
    std::shared_ptr<IWorkspaceProvider> m_workspaces;
};

class DiscountStep final : public WorkspaceStep
{
public:
    using WorkspaceStep::WorkspaceStep;
    const char* Name() const override { return "discount"; }
    void Run(const Book& book, cudaStream_t stream) override
    {
        float* present = m_workspaces->Acquire(book.name, book.count);
        DiscountKernel<<<(book.count + 127) / 128, 128, 0, stream>>>(book.cashflow, book.rates, present, book.count);
        ThrowIfFailed(cudaGetLastError(), Name());
    }
};

class SpreadStep final : public WorkspaceStep
{
public:
    using WorkspaceStep::WorkspaceStep;
    const char* Name() const override { return "spread"; }
    void Run(const Book& book, cudaStream_t stream) override
    {
        const float* present = m_workspaces->Acquire(book.name, book.count);
        SpreadKernel<<<(book.count + 127) / 128, 128, 0, stream>>>(present, book.rates, book.value, book.count);
        ThrowIfFailed(cudaGetLastError(), Name());
    }
};

class LatencySampler
{
public:
    explicit LatencySampler(unsigned period) : m_period(period) {}
    bool Take() { return ++m_calls % m_period == 0; }
    void Publish(const char* name, std::chrono::duration<double, std::micro> elapsed)
    {
        std::printf("telemetry: %s %.0f us\n", name, elapsed.count());
    }

private:
    const unsigned m_period;
    unsigned m_calls = 0;
};

class MeteredStep final : public IModelStep
{
public:
    MeteredStep(std::unique_ptr<IModelStep> inner, std::shared_ptr<LatencySampler> sampler)
        : m_inner(std::move(inner)), m_sampler(std::move(sampler)) {}
    const char* Name() const override { return m_inner->Name(); }
    void Run(const Book& book, cudaStream_t stream) override
    {
        if (!m_sampler->Take()) return m_inner->Run(book, stream);
        const auto start = std::chrono::steady_clock::now();
        m_inner->Run(book, stream);
        ThrowIfFailed(cudaStreamSynchronize(stream), "latency sample"); // HAZARD refused
        m_sampler->Publish(Name(), std::chrono::steady_clock::now() - start);
    }

private:
    std::unique_ptr<IModelStep> m_inner;
    std::shared_ptr<LatencySampler> m_sampler;
};

class ValuationService
{
public:
    explicit ValuationService(const ServiceContainer& container)
    {
        auto workspaces = container.Resolve<IWorkspaceProvider>();
        auto sampler = container.Resolve<LatencySampler>();
        m_steps.push_back(std::make_unique<MeteredStep>(std::make_unique<DiscountStep>(workspaces), sampler));
        m_steps.push_back(std::make_unique<MeteredStep>(std::make_unique<SpreadStep>(workspaces), sampler));
        ThrowIfFailed(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "stream");
    }

    ~ValuationService()
    {
        for (auto& entry : m_graphs) cudaGraphExecDestroy(entry.second);
        cudaStreamDestroy(m_stream);
    }

    void Revalue(const Book& book, const float (&rates)[2])
    {
        auto it = m_graphs.find(book.name);
        if (it == m_graphs.end()) it = m_graphs.emplace(book.name, Record(book)).first;
        ThrowIfFailed(cudaMemcpyAsync(book.rates, rates, sizeof(rates), cudaMemcpyHostToDevice, m_stream), "rates");
        ThrowIfFailed(cudaGraphLaunch(it->second, m_stream), "revalue");
        ThrowIfFailed(cudaStreamSynchronize(m_stream), "revalue");
    }

private:
    cudaGraphExec_t Record(const Book& book)
    {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        ThrowIfFailed(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeGlobal), "record");
        try
        {
            for (auto& step : m_steps) step->Run(book, m_stream);
        }
        catch (const std::exception&)
        {
            if (cudaStreamEndCapture(m_stream, &graph) == cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
            throw;
        }
        ThrowIfFailed(cudaStreamEndCapture(m_stream, &graph), "record");
        const cudaError_t result = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        ThrowIfFailed(result, "instantiate");
        return exec;
    }

    cudaStream_t m_stream = nullptr;
    std::vector<std::unique_ptr<IModelStep>> m_steps;
    std::unordered_map<std::string, cudaGraphExec_t> m_graphs;
};

} // namespace valuation

static valuation::Book MakeBook(const char* name, int count, std::vector<float>& cashflow)
{
    valuation::Book book;
    book.name = name;
    book.count = count;
    for (int i = 0; i < count; ++i) cashflow.push_back(float(i % 100) - 30.0f);
    cudaMalloc(reinterpret_cast<void**>(&book.cashflow), count * sizeof(float));
    cudaMalloc(reinterpret_cast<void**>(&book.rates), 2 * sizeof(float));
    cudaMalloc(reinterpret_cast<void**>(&book.value), count * sizeof(float));
    cudaMemcpy(book.cashflow, cashflow.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    return book;
}

static bool Verify(const valuation::Book& book, const std::vector<float>& cashflow, const float (&rates)[2])
{
    std::vector<float> value(book.count);
    cudaMemcpy(value.data(), book.value, book.count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < book.count; ++i)
    {
        const float present = cashflow[i] / (1.0f + rates[0] * float(i % 16 + 1));
        if (std::fabs(value[i] - (present - rates[1] * std::fabs(present))) > 1e-3f) return false;
    }
    return true;
}

int main()
{
    valuation::ServiceContainer container;
    container.AddSingleton<valuation::IWorkspaceProvider>(std::make_shared<valuation::WorkspaceProvider>());
    container.AddSingleton(std::make_shared<valuation::LatencySampler>(5u));
    valuation::ValuationService service(container);

    bool passed[3] = {true, true, true};
    const char* names[3] = {"govies", "corporates", "munis"};
    for (int b = 0; b < 3; ++b)
    {
        std::vector<float> cashflow;
        const valuation::Book book = MakeBook(names[b], 1000 + 500 * b, cashflow);
        for (int day = 0; day < 4; ++day)
        {
            const float rates[2] = {0.01f + 0.005f * float(day), 0.02f * float(day + 1)};
            try
            {
                service.Revalue(book, rates);
                passed[b] = passed[b] && Verify(book, cashflow, rates);
            }
            catch (const std::exception& e)
            {
                passed[b] = std::printf("%s, day %d: %s\n", names[b], day, e.what()) < 0;
            }
        }
    }
    const bool observed = passed[0] && passed[1] && !passed[2];
    std::printf(observed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return observed ? 0 : 1;
}
