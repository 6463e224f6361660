// GPU particle fountain: ring-buffer spawning, integration and a per-frame summary, recorded once as a tick graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

using uint32 = std::uint32_t;

#define GPU_ENSURE(Expr)                                                                    \
    do {                                                                                    \
        cudaError_t Status_ = (Expr);                                                       \
        if (Status_ != cudaSuccess) {                                                       \
            std::printf("%s -> %s (line %d)\n", #Expr, cudaGetErrorString(Status_), __LINE__); \
            return false;                                                                   \
        }                                                                                   \
    } while (0)

struct FParticle {
    float Height;
    float Velocity;
    float Age;
    float Mass;
};

struct FTickParams {
    float DeltaTime;
    float Gravity;
    float LaunchSpeed;
    uint32 FrameId;
};

struct FEmitterDesc {
    uint32 Capacity = 1024;
    uint32 BurstSize = 96;
};

__global__ void SpawnBurst(FParticle* Pool, uint32 Capacity, uint32 Cursor, uint32 Burst, const FTickParams* Params) {
    uint32 Index = blockIdx.x * blockDim.x + threadIdx.x;
    if (Index >= Burst) return;
    FParticle& P = Pool[(Cursor + Index) % Capacity];
    P.Height = 0.0f;
    P.Velocity = Params->LaunchSpeed + 0.01f * Index;
    P.Age = 0.0f;
    P.Mass = 1.0f + Params->FrameId;
}

__global__ void Integrate(FParticle* Pool, uint32 Capacity, const FTickParams* Params) {
    uint32 Index = blockIdx.x * blockDim.x + threadIdx.x;
    if (Index >= Capacity || Pool[Index].Mass == 0.0f) return;
    FParticle& P = Pool[Index];
    P.Velocity -= Params->Gravity * Params->DeltaTime;
    P.Height += P.Velocity * Params->DeltaTime;
    P.Age += Params->DeltaTime;
}

class FEmitter {
public:
    explicit FEmitter(const FEmitterDesc& InDesc) : Desc(InDesc) {}
    ~FEmitter() { cudaFree(Pool); }

    bool AllocateResources() {
        GPU_ENSURE(cudaMalloc(&Pool, Desc.Capacity * sizeof(FParticle)));
        GPU_ENSURE(cudaMemset(Pool, 0, Desc.Capacity * sizeof(FParticle)));
        return true;
    }

    bool EmitAndSimulate(cudaStream_t Stream, const FTickParams* DeviceParams) {
        const uint32 Block = 64;
        SpawnBurst<<<(Desc.BurstSize + Block - 1) / Block, Block, 0, Stream>>>(Pool, Desc.Capacity, Cursor, Desc.BurstSize, DeviceParams);  // HAZARD host_logic #cursor
        GPU_ENSURE(cudaGetLastError());
        Cursor = (Cursor + Desc.BurstSize) % Desc.Capacity;  // HAZARD host_logic #cursor
        Integrate<<<(Desc.Capacity + Block - 1) / Block, Block, 0, Stream>>>(Pool, Desc.Capacity, DeviceParams);
        GPU_ENSURE(cudaGetLastError());
        return true;
    }

    bool Readback(std::vector<FParticle>& Out) const {
        Out.resize(Desc.Capacity);
        GPU_ENSURE(cudaMemcpy(Out.data(), Pool, Desc.Capacity * sizeof(FParticle), cudaMemcpyDeviceToHost));
        return true;
    }

    const FEmitterDesc& GetDesc() const { return Desc; }

private:
    FEmitterDesc Desc;
    FParticle* Pool = nullptr;
    uint32 Cursor = 0;
};

class UParticleWorld {
public:
    ~UParticleWorld() {
        if (TickExec) cudaGraphExecDestroy(TickExec);
        if (TickGraph) cudaGraphDestroy(TickGraph);
        Emitters.clear();
        cudaFree(DeviceParams);
        cudaFreeHost(HostParams);
        if (Stream) cudaStreamDestroy(Stream);
    }

    bool Initialize(const std::vector<FEmitterDesc>& Descs) {
        GPU_ENSURE(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
        GPU_ENSURE(cudaMalloc(&DeviceParams, sizeof(FTickParams)));
        GPU_ENSURE(cudaMallocHost(&HostParams, sizeof(FTickParams)));
        for (const FEmitterDesc& Desc : Descs) {
            Emitters.push_back(std::make_unique<FEmitter>(Desc));
            if (!Emitters.back()->AllocateResources()) return false;
        }
        GPU_ENSURE(cudaDeviceSynchronize());
        return RecordTick();
    }

    bool Tick(const FTickParams& Params) {
        *HostParams = Params;
        GPU_ENSURE(cudaGraphLaunch(TickExec, Stream));
        GPU_ENSURE(cudaStreamSynchronize(Stream));
        ++TicksDone;
        return true;
    }

    const FEmitter& GetEmitter(size_t Index) const { return *Emitters[Index]; }
    uint32 GetTickCount() const { return TicksDone; }

private:
    bool RecordTick() {
        GPU_ENSURE(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeRelaxed));
        const bool bRecorded = RecordBody();
        const cudaError_t EndStatus = cudaStreamEndCapture(Stream, &TickGraph);
        if (!bRecorded) return false;
        GPU_ENSURE(EndStatus);
        GPU_ENSURE(cudaGraphInstantiate(&TickExec, TickGraph, 0));
        return true;
    }

    bool RecordBody() {
        GPU_ENSURE(cudaMemcpyAsync(DeviceParams, HostParams, sizeof(FTickParams), cudaMemcpyHostToDevice, Stream));
        for (auto& Emitter : Emitters) {
            if (!Emitter->EmitAndSimulate(Stream, DeviceParams)) return false;
        }
        return true;
    }

    cudaStream_t Stream = nullptr;
    cudaGraph_t TickGraph = nullptr;
    cudaGraphExec_t TickExec = nullptr;
    FTickParams* DeviceParams = nullptr;
    FTickParams* HostParams = nullptr;
    std::vector<std::unique_ptr<FEmitter>> Emitters;
    uint32 TicksDone = 0;
};

struct FReferenceEmitter {
    explicit FReferenceEmitter(const FEmitterDesc& InDesc) : Desc(InDesc), Pool(InDesc.Capacity, FParticle{0, 0, 0, 0}) {}

    void Step(const FTickParams& Params) {
        for (uint32 i = 0; i < Desc.BurstSize; ++i) {
            Pool[(Cursor + i) % Desc.Capacity] = {0.0f, Params.LaunchSpeed + 0.01f * i, 0.0f, 1.0f + Params.FrameId};
        }
        Cursor = (Cursor + Desc.BurstSize) % Desc.Capacity;
        for (FParticle& P : Pool) {
            if (P.Mass == 0.0f) continue;
            P.Velocity -= Params.Gravity * Params.DeltaTime;
            P.Height += P.Velocity * Params.DeltaTime;
            P.Age += Params.DeltaTime;
        }
    }

    FEmitterDesc Desc;
    std::vector<FParticle> Pool;
    uint32 Cursor = 0;
};

static bool Near(float A, float B) { return std::fabs(A - B) <= 1e-3f * (1.0f + std::fabs(B)); }

static size_t CountMismatches(const std::vector<FParticle>& Got, const std::vector<FParticle>& Want) {
    size_t Count = 0;
    for (size_t i = 0; i < Got.size(); ++i) {
        if (!Near(Got[i].Height, Want[i].Height) || !Near(Got[i].Age, Want[i].Age) || Got[i].Mass != Want[i].Mass) ++Count;
    }
    return Count;
}

int main() {
    const std::vector<FEmitterDesc> Descs = {{1024, 96}, {500, 77}};
    std::vector<FReferenceEmitter> Reference(Descs.begin(), Descs.end());
    UParticleWorld World;
    bool bOk = World.Initialize(Descs);
    for (uint32 Frame = 0; bOk && Frame < 9; ++Frame) {
        FTickParams Params{1.0f / (30.0f + Frame), 9.81f, 6.0f + 0.5f * Frame, Frame};
        bOk = World.Tick(Params);
        for (FReferenceEmitter& R : Reference) R.Step(Params);
    }
    size_t Mismatches = 0;
    for (size_t i = 0; bOk && i < Descs.size(); ++i) {
        std::vector<FParticle> Got;
        bOk = World.GetEmitter(i).Readback(Got);
        if (bOk) Mismatches += CountMismatches(Got, Reference[i].Pool);
    }
    std::printf("ticks=%u mismatches=%zu\n", World.GetTickCount(), Mismatches);
    const bool bConfirmed = bOk && Mismatches > 0;
    std::puts(bConfirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return bConfirmed ? 0 : 1;
}
