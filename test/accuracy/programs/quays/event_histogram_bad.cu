// EventHistogram.cu
// Computes per schema histograms of product events for the analytics dashboard.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace Contoso::Analytics
{
    constexpr uint32_t c_binCount = 64;
    constexpr uint32_t c_threads = 128;

    inline void ThrowIfFailed(cudaError_t hr)
    {
        if (hr != cudaSuccess)
        {
            throw std::runtime_error(cudaGetErrorString(hr));
        }
    }

    struct SchemaInfo
    {
        uint32_t id;
        uint32_t binWidth;
    };

    struct ISchemaRegistry
    {
        virtual ~ISchemaRegistry() = default;
        virtual const SchemaInfo& Lookup(uint32_t schemaId) const = 0;
    };

    struct ILogger
    {
        virtual ~ILogger() = default;
        virtual void Info(const std::string& message) = 0;
    };

    class StaticSchemaRegistry final : public ISchemaRegistry
    {
    public:
        explicit StaticSchemaRegistry(std::vector<SchemaInfo> schemas)
        {
            for (const auto& schema : schemas)
            {
                m_schemas.emplace(schema.id, schema);
            }
        }

        const SchemaInfo& Lookup(uint32_t schemaId) const override { return m_schemas.at(schemaId); }

    private:
        std::unordered_map<uint32_t, SchemaInfo> m_schemas;
    };

    class ConsoleLogger final : public ILogger
    {
    public:
        void Info(const std::string& message) override { std::printf("[analytics] %s\n", message.c_str()); }
    };

    __global__ void BinEvents(const uint32_t* events, uint32_t count, uint32_t binWidth, uint32_t* bins)
    {
        const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count)
        {
            atomicAdd(&bins[min(events[i] / binWidth, c_binCount - 1)], 1u);
        }
    }

    // Public surface. The device part is hidden, so that the ingest service does not need the CUDA headers.
    class EventHistogram
    {
    public:
        EventHistogram(std::shared_ptr<const ISchemaRegistry> registry, std::shared_ptr<ILogger> logger, size_t maxBatch);
        ~EventHistogram();

        std::vector<uint32_t> Process(uint32_t schemaId, const std::vector<uint32_t>& events);

    private:
        class Impl;
        std::unique_ptr<Impl> m_impl;
    };

    class EventHistogram::Impl
    {
    public:
        Impl(std::shared_ptr<const ISchemaRegistry> registry, std::shared_ptr<ILogger> logger, size_t maxBatch)
            : m_registry(std::move(registry)), m_logger(std::move(logger)), m_maxBatch(maxBatch)
        {
            ThrowIfFailed(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
            ThrowIfFailed(cudaMallocHost(&m_staging, maxBatch * sizeof(uint32_t)));
            ThrowIfFailed(cudaMallocHost(&m_result, c_binCount * sizeof(uint32_t)));
            ThrowIfFailed(cudaMalloc(&m_events, maxBatch * sizeof(uint32_t)));
            ThrowIfFailed(cudaMalloc(&m_bins, c_binCount * sizeof(uint32_t)));
        }

        ~Impl()
        {
            for (auto& plan : m_plans)
            {
                cudaGraphExecDestroy(plan.second);
            }
            cudaFree(m_bins);
            cudaFree(m_events);
            cudaFreeHost(m_result);
            cudaFreeHost(m_staging);
            cudaStreamDestroy(m_stream);
        }

        std::vector<uint32_t> Process(uint32_t schemaId, const std::vector<uint32_t>& events)
        {
            std::lock_guard<std::mutex> lock(m_mutex);
            if (events.size() > m_maxBatch)
            {
                throw std::length_error("batch too large");
            }
            std::copy(events.begin(), events.end(), m_staging);
            cudaGraphExec_t plan = GetOrBuildPlan(schemaId, static_cast<uint32_t>(events.size()));
            ThrowIfFailed(cudaGraphLaunch(plan, m_stream));
            ThrowIfFailed(cudaStreamSynchronize(m_stream));
            return std::vector<uint32_t>(m_result, m_result + c_binCount);
        }

    private:
        cudaGraphExec_t GetOrBuildPlan(uint32_t schemaId, uint32_t eventCount)
        {
            const auto found = m_plans.find(schemaId);
            if (found != m_plans.end())
            {
                return found->second;
            }

            cudaGraph_t graph = nullptr;
            cudaGraphExec_t plan = nullptr;
            ThrowIfFailed(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
            Enqueue(m_registry->Lookup(schemaId), eventCount);
            ThrowIfFailed(cudaStreamEndCapture(m_stream, &graph));
            ThrowIfFailed(cudaGraphInstantiate(&plan, graph, 0));
            ThrowIfFailed(cudaGraphDestroy(graph));
            m_plans.emplace(schemaId, plan);
            m_logger->Info("plan ready for schema " + std::to_string(schemaId));
            return plan;
        }

        void Enqueue(const SchemaInfo& schema, uint32_t eventCount)
        {
            const uint32_t blocks = std::max(1u, (eventCount + c_threads - 1) / c_threads);
            ThrowIfFailed(cudaMemsetAsync(m_bins, 0, c_binCount * sizeof(uint32_t), m_stream));
            ThrowIfFailed(cudaMemcpyAsync(m_events, m_staging, eventCount * sizeof(uint32_t), cudaMemcpyHostToDevice, m_stream)); // HAZARD dynamic_shape #count
            BinEvents<<<blocks, c_threads, 0, m_stream>>>(m_events, eventCount, schema.binWidth, m_bins); // HAZARD dynamic_shape #count
            ThrowIfFailed(cudaGetLastError());
            ThrowIfFailed(cudaMemcpyAsync(m_result, m_bins, c_binCount * sizeof(uint32_t), cudaMemcpyDeviceToHost, m_stream));
        }

        std::shared_ptr<const ISchemaRegistry> m_registry;
        std::shared_ptr<ILogger> m_logger;
        size_t m_maxBatch;
        std::mutex m_mutex;
        std::unordered_map<uint32_t, cudaGraphExec_t> m_plans;
        cudaStream_t m_stream = nullptr;
        uint32_t* m_staging = nullptr;
        uint32_t* m_result = nullptr;
        uint32_t* m_events = nullptr;
        uint32_t* m_bins = nullptr;
    };

    EventHistogram::EventHistogram(std::shared_ptr<const ISchemaRegistry> registry, std::shared_ptr<ILogger> logger, size_t maxBatch)
        : m_impl(std::make_unique<Impl>(std::move(registry), std::move(logger), maxBatch))
    {
    }

    EventHistogram::~EventHistogram() = default;

    std::vector<uint32_t> EventHistogram::Process(uint32_t schemaId, const std::vector<uint32_t>& events)
    {
        return m_impl->Process(schemaId, events);
    }
}

using namespace Contoso::Analytics;

namespace
{
    std::vector<uint32_t> MakeBatch(size_t count, uint32_t seed)
    {
        std::vector<uint32_t> events(count);
        uint32_t state = seed * 2654435761u + 1u;
        for (auto& event : events)
        {
            state = state * 1664525u + 1013904223u;
            event = (state >> 8) % 1000u;
        }
        return events;
    }

    std::vector<uint32_t> Reference(const std::vector<uint32_t>& events, uint32_t binWidth)
    {
        std::vector<uint32_t> bins(c_binCount, 0u);
        for (uint32_t event : events)
        {
            ++bins[std::min(event / binWidth, c_binCount - 1)];
        }
        return bins;
    }
}

int main()
{
    const std::vector<SchemaInfo> schemas = {{11, 16}, {12, 25}};
    const size_t batchSizes[] = {3000, 3000, 5000, 700, 8192, 3000};
    std::vector<bool> good;
    try
    {
        auto registry = std::make_shared<StaticSchemaRegistry>(schemas);
        EventHistogram histogram(registry, std::make_shared<ConsoleLogger>(), 8192);
        uint32_t seed = 0;
        for (size_t size : batchSizes)
        {
            bool same = true;
            for (const auto& schema : schemas)
            {
                const auto batch = MakeBatch(size, ++seed);
                same &= histogram.Process(schema.id, batch) == Reference(batch, schema.binWidth);
            }
            good.push_back(same);
            std::printf("batch of %zu events: %s\n", size, same ? "match" : "mismatch");
        }
    }
    catch (const std::exception& e)
    {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
    const std::vector<bool> predicted = {true, true, false, false, false, true};
    const bool confirmed = good == predicted;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
