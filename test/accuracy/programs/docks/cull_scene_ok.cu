// Frustum culling pass of the render graph. Passes are compiled once and replayed every frame.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define HR(call) Render::VerifyResult((call), #call, __LINE__)

namespace Render
{
inline void VerifyResult(cudaError_t status, const char* what, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "line %d: %s -> %s\n", line, what, cudaGetErrorString(status));
    std::puts("LABEL WRONG");
    std::exit(1);
}

constexpr uint32_t kMaxInstances = 16384;
constexpr uint32_t kGroupSize = 128;

inline uint32_t DivUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

struct Instance
{
    int32_t Center;
    int32_t Radius;
    uint32_t MeshId;
    uint32_t Flags;
};

struct ViewConstants
{
    int32_t Near;
    int32_t Far;
    uint32_t LayerMask;
    uint32_t Pad;
};

struct SceneHeader
{
    uint32_t InstanceCount;
    uint32_t Revision;
};

struct VisibleHeader
{
    uint32_t Count;
    uint32_t MeshChecksum;
};

struct DrawArgs
{
    uint32_t VertexCount;
    uint32_t InstanceCount;
    uint32_t FirstVertex;
    uint32_t FirstInstance;
};

__host__ __device__ inline bool IsVisible(const Instance& inst, const ViewConstants& view)
{
    return (inst.Flags & view.LayerMask) && inst.Center + inst.Radius >= view.Near &&
           inst.Center - inst.Radius <= view.Far;
}

// Grid-stride: the group count is a tuning value, the range comes from the scene header.
__global__ void CullInstances(const Instance* instances, const SceneHeader* scene, const ViewConstants* view,
                              VisibleHeader* header, uint32_t* visible)
{
    const uint32_t count = scene->InstanceCount;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    {
        if (!IsVisible(instances[i], *view))
            continue;
        const uint32_t slot = atomicAdd(&header->Count, 1u);
        atomicAdd(&header->MeshChecksum, instances[i].MeshId);
        visible[slot] = i;
    }
}

__global__ void BuildDrawArgs(const VisibleHeader* header, DrawArgs* args)
{
    args->VertexCount = 36;
    args->InstanceCount = header->Count;
    args->FirstVertex = 0;
    args->FirstInstance = 0;
}

// CPU mirror plus GPU copy of all instances. The GPU copy has a fixed capacity.
class Scene
{
public:
    Scene()
    {
        HR(cudaMalloc(&m_Device, sizeof(Instance) * kMaxInstances));
        HR(cudaMallocHost(&m_Mirror, sizeof(Instance) * kMaxInstances));
        HR(cudaMalloc(&m_Header, sizeof(SceneHeader)));
        HR(cudaMallocHost(&m_HeaderMirror, sizeof(SceneHeader)));
        *m_HeaderMirror = {0, 0};
    }
    ~Scene()
    {
        cudaFree(m_Device);
        cudaFreeHost(m_Mirror);
        cudaFree(m_Header);
        cudaFreeHost(m_HeaderMirror);
    }
    void Spawn(const Instance& inst) { m_Mirror[m_Count++] = inst; }
    void Flush(cudaStream_t stream)
    {
        if (m_Uploaded == m_Count)
            return;
        HR(cudaMemcpyAsync(m_Device + m_Uploaded, m_Mirror + m_Uploaded, sizeof(Instance) * (m_Count - m_Uploaded),
                           cudaMemcpyHostToDevice, stream));
        *m_HeaderMirror = {m_Count, m_HeaderMirror->Revision + 1};
        HR(cudaMemcpyAsync(m_Header, m_HeaderMirror, sizeof(SceneHeader), cudaMemcpyHostToDevice, stream));
        m_Uploaded = m_Count;
    }
    uint32_t Count() const { return m_Count; }
    const Instance* GpuInstances() const { return m_Device; }
    const SceneHeader* GpuHeader() const { return m_Header; }
    const Instance& At(uint32_t i) const { return m_Mirror[i]; }

private:
    Instance* m_Device = nullptr;
    Instance* m_Mirror = nullptr;
    SceneHeader* m_Header = nullptr;
    SceneHeader* m_HeaderMirror = nullptr;
    uint32_t m_Count = 0;
    uint32_t m_Uploaded = 0;
};

struct FrameResources
{
    ViewConstants* View = nullptr;
    ViewConstants* ViewStaging = nullptr;
    VisibleHeader* Header = nullptr;
    uint32_t* Visible = nullptr;
    DrawArgs* Args = nullptr;

    FrameResources()
    {
        HR(cudaMalloc(&View, sizeof(ViewConstants)));
        HR(cudaMallocHost(&ViewStaging, sizeof(ViewConstants)));
        HR(cudaMalloc(&Header, sizeof(VisibleHeader)));
        HR(cudaMalloc(&Visible, sizeof(uint32_t) * kMaxInstances));
        HR(cudaMalloc(&Args, sizeof(DrawArgs)));
    }
    ~FrameResources()
    {
        cudaFree(View);
        cudaFreeHost(ViewStaging);
        cudaFree(Header);
        cudaFree(Visible);
        cudaFree(Args);
    }
};

class IPass
{
public:
    virtual ~IPass() = default;
    virtual void Encode(cudaStream_t queue, FrameResources& res) = 0;
};

class ViewUploadPass : public IPass
{
public:
    void Encode(cudaStream_t queue, FrameResources& res) override
    {
        HR(cudaMemcpyAsync(res.View, res.ViewStaging, sizeof(ViewConstants), cudaMemcpyHostToDevice, queue));
        HR(cudaMemsetAsync(res.Header, 0, sizeof(VisibleHeader), queue));
    }
};

class CullPass : public IPass
{
public:
    explicit CullPass(const Scene& scene) : m_Scene(scene) {}
    void Encode(cudaStream_t queue, FrameResources& res) override
    {
        const uint32_t count = m_Scene.Count();
        const uint32_t groups = DivUp(count > 0 ? count : kMaxInstances, kGroupSize);
        CullInstances<<<groups, kGroupSize, 0, queue>>>(m_Scene.GpuInstances(), m_Scene.GpuHeader(), res.View, res.Header,
                                                        res.Visible);
    }

private:
    const Scene& m_Scene;
};

class DrawArgsPass : public IPass
{
public:
    void Encode(cudaStream_t queue, FrameResources& res) override
    {
        BuildDrawArgs<<<1, 1, 0, queue>>>(res.Header, res.Args);
    }
};

class RenderGraph
{
public:
    RenderGraph() { HR(cudaStreamCreateWithFlags(&m_Queue, cudaStreamNonBlocking)); }
    ~RenderGraph()
    {
        if (m_Compiled)
            cudaGraphExecDestroy(m_Compiled);
        cudaStreamDestroy(m_Queue);
    }
    template <typename PassT, typename... Args>
    void AddPass(Args&&... args)
    {
        m_Passes.push_back(std::make_unique<PassT>(static_cast<Args&&>(args)...));
    }
    void Compile(FrameResources& res)
    {
        cudaGraph_t graph = nullptr;
        HR(cudaStreamBeginCapture(m_Queue, cudaStreamCaptureModeGlobal));
        for (auto& pass : m_Passes)
            pass->Encode(m_Queue, res);
        HR(cudaStreamEndCapture(m_Queue, &graph));
        HR(cudaGraphInstantiate(&m_Compiled, graph, 0));
        HR(cudaGraphDestroy(graph));
    }
    void Execute()
    {
        HR(cudaGraphLaunch(m_Compiled, m_Queue));
        HR(cudaStreamSynchronize(m_Queue));
    }
    cudaStream_t Queue() const { return m_Queue; }

private:
    std::vector<std::unique_ptr<IPass>> m_Passes;
    cudaStream_t m_Queue = nullptr;
    cudaGraphExec_t m_Compiled = nullptr;
};
} // namespace Render

static void SpawnWave(Render::Scene& scene, uint32_t number)
{
    for (uint32_t k = 0; k < number; ++k)
    {
        const uint32_t id = scene.Count();
        scene.Spawn({int32_t((id * 37u) % 2000u) - 1000, int32_t(id % 9u), id * 3u + 1u, 1u << (id % 3u)});
    }
}

int main()
{
    using namespace Render;
    Scene scene;
    FrameResources res;
    RenderGraph graph;
    graph.AddPass<ViewUploadPass>();
    graph.AddPass<CullPass>(scene);
    graph.AddPass<DrawArgsPass>();

    SpawnWave(scene, 3000);
    scene.Flush(graph.Queue());
    graph.Compile(res);

    bool before = true, after = true;
    for (int frame = 0; frame < 6; ++frame)
    {
        if (frame == 3)
            SpawnWave(scene, 2500);
        scene.Flush(graph.Queue());
        *res.ViewStaging = {-500 + 40 * frame, 600 - 30 * frame, frame % 2 ? 3u : 7u, 0u};
        graph.Execute();

        VisibleHeader expect{0, 0}, got;
        DrawArgs args;
        for (uint32_t i = 0; i < scene.Count(); ++i)
            if (IsVisible(scene.At(i), *res.ViewStaging))
            {
                ++expect.Count;
                expect.MeshChecksum += scene.At(i).MeshId;
            }
        HR(cudaMemcpy(&got, res.Header, sizeof got, cudaMemcpyDeviceToHost));
        HR(cudaMemcpy(&args, res.Args, sizeof args, cudaMemcpyDeviceToHost));
        const bool same = got.Count == expect.Count && got.MeshChecksum == expect.MeshChecksum &&
                          args.InstanceCount == expect.Count;
        std::printf("frame %d: visible %u, reference %u\n", frame, got.Count, expect.Count);
        (frame < 3 ? before : after) &= same;
    }
    std::puts(before && after ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
