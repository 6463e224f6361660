// EmitterSubsystem.cu - GPU sprite emitters, headless harness for the automation rig.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

using int32 = int32_t;
using uint32 = uint32_t;

class FRHIStatus
{
public:
	static FRHIStatus& Get() { static FRHIStatus Instance; return Instance; }

	void Report(cudaError_t Error, const char* Expr, int Line)
	{
		if (FirstError == cudaSuccess) { FirstError = Error; }
		std::printf("LogRHI: Error: %s (%s, line %d)\n", cudaGetErrorString(Error), Expr, Line);
	}

	bool IsClean() const { return FirstError == cudaSuccess; }

private:
	cudaError_t FirstError = cudaSuccess;
};

#define RHI_VERIFY(Expr)                                                                            \
	do {                                                                                            \
		const cudaError_t Err_ = (Expr);                                                            \
		if (Err_ != cudaSuccess) { FRHIStatus::Get().Report(Err_, #Expr, __LINE__); }               \
	} while (0)

struct FSimParams
{
	float DeltaSeconds, Gravity, Stiffness, Center;
};

__host__ __device__ inline float SpawnHeight(uint32 Index) { return 1.0f + 0.001f * float(Index % 997u); }
__host__ __device__ inline float SpawnSpeed(uint32 Index) { return 0.5f - 0.002f * float(Index % 401u); }

__global__ void SpawnCS(float* Position, float* Velocity, int32 First, int32 Count)
{
	const int32 Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index >= Count) { return; }
	Position[First + Index] = SpawnHeight(uint32(First + Index));
	Velocity[First + Index] = SpawnSpeed(uint32(First + Index));
}

__global__ void ApplyForcesCS(const float* Position, float* Velocity, const int32* LiveCount, const FSimParams* Params)
{
	const int32 Stride = gridDim.x * blockDim.x;
	for (int32 Index = blockIdx.x * blockDim.x + threadIdx.x; Index < *LiveCount; Index += Stride)
	{
		Velocity[Index] += (Params->Gravity + Params->Stiffness * (Params->Center - Position[Index])) * Params->DeltaSeconds;
	}
}

__global__ void IntegrateCS(float* Position, const float* Velocity, const int32* LiveCount, const FSimParams* Params)
{
	const int32 Stride = gridDim.x * blockDim.x;
	for (int32 Index = blockIdx.x * blockDim.x + threadIdx.x; Index < *LiveCount; Index += Stride)
	{
		Position[Index] += Velocity[Index] * Params->DeltaSeconds;
	}
}

/** Growable device array; keeps a quarter of slack so that a burst never has to wait for memory. */
template <typename T>
class TDeviceArray
{
public:
	void Init(int32 InMax, cudaStream_t Stream)
	{
		Max = InMax;
		RHI_VERIFY(cudaMallocAsync(reinterpret_cast<void**>(&Data), sizeof(T) * Max, Stream));
	}

	bool Reserve(int32 Needed, int32 InUse, cudaStream_t Stream)
	{
		if (Needed <= Max - Max / 4) { return false; }
		int32 NewMax = Max;
		while (Needed > NewMax - NewMax / 4) { NewMax *= 2; }
		T* NewData = nullptr;
		RHI_VERIFY(cudaMallocAsync(reinterpret_cast<void**>(&NewData), sizeof(T) * NewMax, Stream));
		RHI_VERIFY(cudaMemcpyAsync(NewData, Data, sizeof(T) * InUse, cudaMemcpyDeviceToDevice, Stream));
		RHI_VERIFY(cudaFreeAsync(Data, Stream)); // HAZARD dangling #grow
		Data = NewData;
		Max = NewMax;
		return true;
	}
	void Release(cudaStream_t Stream) { RHI_VERIFY(cudaFreeAsync(Data, Stream)); Data = nullptr; }

	T* GetData() const { return Data; }

private:
	T* Data = nullptr;
	int32 Max = 0;
};

struct FEmitterHandle
{
	uint32 Index = ~0u;
	uint32 Generation = 0;
};

struct FEmitterInstance
{
	uint32 Generation = 1;
	TDeviceArray<float> Position;
	TDeviceArray<float> Velocity;
	int32* LiveCountGPU = nullptr;
	int32 NumLive = 0;
	cudaGraphExec_t SimGraph = nullptr;
};

class UEmitterSubsystem
{
public:
	void Initialize()
	{
		cudaMemPool_t Pool = nullptr;
		uint64_t KeepAll = ~uint64_t(0);
		RHI_VERIFY(cudaDeviceGetDefaultMemPool(&Pool, 0));
		RHI_VERIFY(cudaMemPoolSetAttribute(Pool, cudaMemPoolAttrReleaseThreshold, &KeepAll));
		RHI_VERIFY(cudaStreamCreateWithFlags(&SimStream, cudaStreamNonBlocking));
		RHI_VERIFY(cudaMalloc(reinterpret_cast<void**>(&ParamsGPU), sizeof(FSimParams)));
	}

	void Deinitialize()
	{
		RHI_VERIFY(cudaStreamSynchronize(SimStream));
		for (std::unique_ptr<FEmitterInstance>& Emitter : Emitters)
		{
			if (Emitter->SimGraph) { RHI_VERIFY(cudaGraphExecDestroy(Emitter->SimGraph)); }
			Emitter->Position.Release(SimStream);
			Emitter->Velocity.Release(SimStream);
			RHI_VERIFY(cudaFree(Emitter->LiveCountGPU));
		}
		RHI_VERIFY(cudaStreamSynchronize(SimStream));
		RHI_VERIFY(cudaFree(ParamsGPU));
		RHI_VERIFY(cudaStreamDestroy(SimStream));
	}

	FEmitterHandle CreateEmitter(int32 ReserveCount)
	{
		std::unique_ptr<FEmitterInstance> Emitter = std::make_unique<FEmitterInstance>();
		Emitter->Position.Init(ReserveCount, SimStream);
		Emitter->Velocity.Init(ReserveCount, SimStream);
		RHI_VERIFY(cudaMalloc(reinterpret_cast<void**>(&Emitter->LiveCountGPU), sizeof(int32)));
		const FEmitterHandle Handle{uint32(Emitters.size()), Emitter->Generation};
		Emitters.push_back(std::move(Emitter));
		return Handle;
	}

	void Burst(FEmitterHandle Handle, int32 Count)
	{
		FEmitterInstance& Emitter = Resolve(Handle);
		const int32 NumAfter = Emitter.NumLive + Count;
		Emitter.Position.Reserve(NumAfter, Emitter.NumLive, SimStream);
		Emitter.Velocity.Reserve(NumAfter, Emitter.NumLive, SimStream);
		SpawnCS<<<(Count + 127) / 128, 128, 0, SimStream>>>(Emitter.Position.GetData(), Emitter.Velocity.GetData(),
			Emitter.NumLive, Count);
		RHI_VERIFY(cudaGetLastError());
		Emitter.NumLive = NumAfter;
		RHI_VERIFY(cudaMemcpyAsync(Emitter.LiveCountGPU, &Emitter.NumLive, sizeof(int32), cudaMemcpyHostToDevice, SimStream));
		RHI_VERIFY(cudaStreamSynchronize(SimStream));
	}

	void Tick(const FSimParams& Params)
	{
		RHI_VERIFY(cudaMemcpyAsync(ParamsGPU, &Params, sizeof(Params), cudaMemcpyHostToDevice, SimStream));
		for (std::unique_ptr<FEmitterInstance>& Emitter : Emitters)
		{
			if (Emitter->SimGraph == nullptr)
			{
				Emitter->SimGraph = CompileGraph(*Emitter);
			}
			RHI_VERIFY(cudaGraphLaunch(Emitter->SimGraph, SimStream));
		}
		RHI_VERIFY(cudaStreamSynchronize(SimStream));
	}

	std::vector<float> ReadPositions(FEmitterHandle Handle)
	{
		FEmitterInstance& Emitter = Resolve(Handle);
		std::vector<float> Result(Emitter.NumLive);
		RHI_VERIFY(cudaMemcpyAsync(Result.data(), Emitter.Position.GetData(), sizeof(float) * Result.size(),
			cudaMemcpyDeviceToHost, SimStream));
		RHI_VERIFY(cudaStreamSynchronize(SimStream));
		return Result;
	}

private:
	FEmitterInstance& Resolve(FEmitterHandle Handle) { return *Emitters.at(Handle.Index); }

	void EnqueueSimStages(const FEmitterInstance& Emitter)
	{
		const dim3 Grid(16);
		ApplyForcesCS<<<Grid, 256, 0, SimStream>>>(Emitter.Position.GetData(), Emitter.Velocity.GetData(), Emitter.LiveCountGPU, ParamsGPU); // HAZARD dangling #grow
		IntegrateCS<<<Grid, 256, 0, SimStream>>>(Emitter.Position.GetData(), Emitter.Velocity.GetData(), Emitter.LiveCountGPU, ParamsGPU); // HAZARD dangling #grow
	}

	cudaGraphExec_t CompileGraph(const FEmitterInstance& Emitter)
	{
		cudaGraph_t Graph = nullptr;
		cudaGraphExec_t Exec = nullptr;
		RHI_VERIFY(cudaStreamBeginCapture(SimStream, cudaStreamCaptureModeThreadLocal));
		EnqueueSimStages(Emitter);
		RHI_VERIFY(cudaStreamEndCapture(SimStream, &Graph));
		RHI_VERIFY(cudaGraphInstantiate(&Exec, Graph, 0));
		RHI_VERIFY(cudaGraphDestroy(Graph));
		return Exec;
	}

	cudaStream_t SimStream = nullptr;
	FSimParams* ParamsGPU = nullptr;
	std::vector<std::unique_ptr<FEmitterInstance>> Emitters;
};

/** CPU twin used by the automation test. */
struct FEmitterMirror
{
	std::vector<float> Position, Velocity;

	void Burst(int32 Count)
	{
		for (int32 Index = 0; Index < Count; ++Index)
		{
			const uint32 Id = uint32(Position.size());
			Position.push_back(SpawnHeight(Id));
			Velocity.push_back(SpawnSpeed(Id));
		}
	}

	void Tick(const FSimParams& P)
	{
		for (size_t Index = 0; Index < Position.size(); ++Index)
		{
			Velocity[Index] += (P.Gravity + P.Stiffness * (P.Center - Position[Index])) * P.DeltaSeconds;
			Position[Index] += Velocity[Index] * P.DeltaSeconds;
		}
	}

	bool Matches(const std::vector<float>& Other) const
	{
		for (size_t Index = 0; Index < Position.size(); ++Index)
			if (!(std::fabs(Position[Index] - Other[Index]) < 1e-3f)) { return false; }
		return Position.size() == Other.size();
	}
};

int main()
{
	UEmitterSubsystem Subsystem;
	Subsystem.Initialize();
	FEmitterMirror SparksMirror, SmokeMirror;

	const FEmitterHandle Sparks = Subsystem.CreateEmitter(4096);
	Subsystem.Burst(Sparks, 2800);
	SparksMirror.Burst(2800);

	bool bEarlyFramesOk = true, bLateFramesOk = true;
	FEmitterHandle Smoke;
	for (int32 Frame = 0; Frame < 10; ++Frame)
	{
		if (Frame == 4)
		{
			Subsystem.Burst(Sparks, 700);
			SparksMirror.Burst(700);
			Smoke = Subsystem.CreateEmitter(4096);
			Subsystem.Burst(Smoke, 2000);
			SmokeMirror.Burst(2000);
		}
		const FSimParams Params{0.05f + 0.01f * float(Frame % 3), -1.5f, 2.0f, 3.0f};
		Subsystem.Tick(Params);
		SparksMirror.Tick(Params);
		SmokeMirror.Tick(Params);

		bool bFrameOk = SparksMirror.Matches(Subsystem.ReadPositions(Sparks));
		if (Frame >= 4) { bFrameOk = bFrameOk && SmokeMirror.Matches(Subsystem.ReadPositions(Smoke)); }
		(Frame < 4 ? bEarlyFramesOk : bLateFramesOk) &= bFrameOk;
	}

	Subsystem.Deinitialize();
	const bool bObserved = bEarlyFramesOk && (!bLateFramesOk || !FRHIStatus::Get().IsClean());
	std::printf(bObserved ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
	return bObserved ? 0 : 1;
}
