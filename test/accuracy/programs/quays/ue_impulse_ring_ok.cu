// PhysicsRuntime/Private/ImpulseUploadRing.cu
// Streams gameplay impulses (explosions, wind volumes, vehicle wheels) into the GPU rigid body solver.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

static bool GRHIFailed = false;

static void RHIReport(const char* Expr, cudaError_t Err, int Line)
{
	std::fprintf(stderr, "LogRHI: Error: %s -> %s (line %d)\n", Expr, cudaGetErrorName(Err), Line);
	GRHIFailed = true;
}

#define RHI_VERIFY(Expr)                                  \
	do                                                    \
	{                                                     \
		const cudaError_t RHIErr = (Expr);                \
		if (RHIErr != cudaSuccess)                        \
		{                                                 \
			RHIReport(#Expr, RHIErr, __LINE__);           \
		}                                                 \
	} while (0)

namespace PhysicsConstants
{
	constexpr int32_t NumBodies = 4096;
	constexpr int32_t BroadPhaseSubsteps = 1024;
	constexpr uint32_t NumUploadSlots = 3;
	constexpr float Damping = 0.5f;
	constexpr float DeltaTime = 1.0f / 60.0f;
}

__global__ void BroadPhaseKernel(const float* __restrict__ Position, int32_t* __restrict__ PairCount, int32_t Num, int32_t Substeps)
{
	const int32_t Body = blockIdx.x * blockDim.x + threadIdx.x;
	if (Body >= Num)
	{
		return;
	}
	const float Mine = Position[Body];
	float Overlap = 0.0f;
	for (int32_t Step = 0; Step < Substeps; ++Step)
	{
		for (int32_t Other = 0; Other < Num; ++Other)
		{
			Overlap = Overlap * 0.9990f + fabsf(Mine - Position[(Other + Step) & (Num - 1)]);
		}
	}
	PairCount[Body] = Overlap > 1.0f ? 1 : 0;
}

__global__ void IntegrateKernel(float* Position, float* Velocity, const float* Impulse, int32_t Num, float Damping, float Dt)
{
	const int32_t Body = blockIdx.x * blockDim.x + threadIdx.x;
	if (Body < Num)
	{
		Velocity[Body] = Velocity[Body] * Damping + Impulse[Body];
		Position[Body] += Velocity[Body] * Dt;
	}
}

/** GPU side state of one physics island. */
class FRigidBodyScene
{
public:
	explicit FRigidBodyScene(int32_t InNum) : Num(InNum)
	{
		for (float** Buffer : {&Position, &Velocity, &Impulse})
		{
			RHI_VERIFY(cudaMalloc(Buffer, Num * sizeof(float)));
			RHI_VERIFY(cudaMemset(*Buffer, 0, Num * sizeof(float)));
		}
		RHI_VERIFY(cudaMalloc(&PairCount, Num * sizeof(int32_t)));
	}

	~FRigidBodyScene()
	{
		cudaFree(Position);
		cudaFree(Velocity);
		cudaFree(Impulse);
		cudaFree(PairCount);
	}

	FRigidBodyScene(const FRigidBodyScene&) = delete;
	FRigidBodyScene& operator=(const FRigidBodyScene&) = delete;

	void RecordTick(cudaStream_t Stream, const float* HostImpulse) const
	{
		const dim3 Block(128);
		const dim3 Grid((Num + 127) / 128);
		BroadPhaseKernel<<<Grid, Block, 0, Stream>>>(Position, PairCount, Num, PhysicsConstants::BroadPhaseSubsteps);
		RHI_VERIFY(cudaMemcpyAsync(Impulse, HostImpulse, Num * sizeof(float), cudaMemcpyHostToDevice, Stream));
		IntegrateKernel<<<Grid, Block, 0, Stream>>>(Position, Velocity, Impulse, Num, PhysicsConstants::Damping, PhysicsConstants::DeltaTime);
	}

	void Download(std::vector<float>& OutVelocity) const
	{
		OutVelocity.resize(Num);
		RHI_VERIFY(cudaMemcpy(OutVelocity.data(), Velocity, Num * sizeof(float), cudaMemcpyDeviceToHost));
	}

	int32_t GetNum() const { return Num; }

private:
	int32_t Num = 0;
	float* Position = nullptr;
	float* Velocity = nullptr;
	float* Impulse = nullptr;
	int32_t* PairCount = nullptr;
};

/** Pinned memory of one upload slot, the tick graph that reads it, and the fence of its latest launch. */
struct FUploadSlot
{
	float* Pinned = nullptr;
	cudaGraphExec_t TickGraph = nullptr;
	cudaEvent_t Fence = nullptr;
	uint64_t LastFrame = ~0ull;
};

class FImpulseUploadRing
{
public:
	FImpulseUploadRing(const FRigidBodyScene& InScene, cudaStream_t InStream) : Scene(InScene), Stream(InStream)
	{
		for (FUploadSlot& Slot : Slots)
		{
			RHI_VERIFY(cudaMallocHost(&Slot.Pinned, Scene.GetNum() * sizeof(float)));
			std::memset(Slot.Pinned, 0, Scene.GetNum() * sizeof(float));
			Slot.TickGraph = CompileTick(Slot);
			RHI_VERIFY(cudaEventCreateWithFlags(&Slot.Fence, cudaEventDisableTiming));
		}
	}

	~FImpulseUploadRing()
	{
		RHI_VERIFY(cudaStreamSynchronize(Stream));
		for (FUploadSlot& Slot : Slots)
		{
			cudaGraphExecDestroy(Slot.TickGraph);
			cudaFreeHost(Slot.Pinned);
			cudaEventDestroy(Slot.Fence);
		}
	}

	/** Throttles the game thread, returns the memory for the impulses of this frame. */
	float* BeginFrame()
	{
		FUploadSlot& Slot = Slots[FrameIndex % PhysicsConstants::NumUploadSlots];
		if (Slot.LastFrame != ~0ull)
		{
			const cudaError_t Ready = cudaEventQuery(Slot.Fence);
			if (Ready == cudaErrorNotReady)
			{
				++NumStalls;
				RHI_VERIFY(cudaEventSynchronize(Slot.Fence));
			}
			else
			{
				RHI_VERIFY(Ready);
			}
		}
		return Slot.Pinned;
	}

	void EndFrame()
	{
		FUploadSlot& Slot = Slots[FrameIndex % PhysicsConstants::NumUploadSlots];
		RHI_VERIFY(cudaGraphLaunch(Slot.TickGraph, Stream));
		RHI_VERIFY(cudaEventRecord(Slot.Fence, Stream));
		Slot.LastFrame = FrameIndex++;
	}

	uint32_t GetNumStalls() const { return NumStalls; }

private:
	cudaGraphExec_t CompileTick(const FUploadSlot& Slot)
	{
		cudaGraph_t Graph = nullptr;
		cudaGraphExec_t Exec = nullptr;
		RHI_VERIFY(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
		Scene.RecordTick(Stream, Slot.Pinned);
		RHI_VERIFY(cudaStreamEndCapture(Stream, &Graph));
		RHI_VERIFY(cudaGraphInstantiate(&Exec, Graph, 0));
		RHI_VERIFY(cudaGraphUpload(Exec, Stream));
		RHI_VERIFY(cudaStreamSynchronize(Stream));
		RHI_VERIFY(cudaGraphDestroy(Graph));
		return Exec;
	}

	const FRigidBodyScene& Scene;
	cudaStream_t Stream;
	std::array<FUploadSlot, PhysicsConstants::NumUploadSlots> Slots;
	uint64_t FrameIndex = 0;
	uint32_t NumStalls = 0;
};

/** Deterministic stand-in for gameplay code. */
class FGameplayForces
{
public:
	static float Evaluate(uint64_t Frame, int32_t Body) { return 0.25f * static_cast<float>(Frame + 1) + 0.01f * static_cast<float>(Body % 7); }

	void Write(uint64_t Frame, float* Out, int32_t Num)
	{
		Expected.resize(Num, 0.0f);
		for (int32_t Body = 0; Body < Num; ++Body)
		{
			Out[Body] = Evaluate(Frame, Body);
			Expected[Body] = Expected[Body] * PhysicsConstants::Damping + Evaluate(Frame, Body);
		}
	}

	int32_t CountMismatches(const std::vector<float>& Velocity) const
	{
		int32_t Bad = 0;
		for (size_t Body = 0; Body < Velocity.size(); ++Body)
		{
			Bad += std::fabs(Velocity[Body] - Expected[Body]) > 1e-3f ? 1 : 0;
		}
		return Bad;
	}

private:
	std::vector<float> Expected;
};

int main()
{
	cudaStream_t PhysicsStream = nullptr;
	RHI_VERIFY(cudaStreamCreateWithFlags(&PhysicsStream, cudaStreamNonBlocking));

	FRigidBodyScene Scene(PhysicsConstants::NumBodies);
	RHI_VERIFY(cudaDeviceSynchronize());
	auto Ring = std::make_unique<FImpulseUploadRing>(Scene, PhysicsStream);
	FGameplayForces Forces;
	std::vector<float> Velocity;

	uint64_t Frame = 0;
	Forces.Write(Frame++, Ring->BeginFrame(), Scene.GetNum());
	Ring->EndFrame();
	RHI_VERIFY(cudaStreamSynchronize(PhysicsStream));
	Scene.Download(Velocity);
	const int32_t FirstFrameMismatches = Forces.CountMismatches(Velocity);

	for (; Frame < 9; ++Frame)
	{
		Forces.Write(Frame, Ring->BeginFrame(), Scene.GetNum());
		Ring->EndFrame();
	}
	RHI_VERIFY(cudaStreamSynchronize(PhysicsStream));
	Scene.Download(Velocity);
	const int32_t Mismatches = Forces.CountMismatches(Velocity);
	std::printf("LogPhysics: first frame mismatches %d, run mismatches %d, stalls %u\n", FirstFrameMismatches, Mismatches, Ring->GetNumStalls());

	Ring.reset();
	RHI_VERIFY(cudaStreamDestroy(PhysicsStream));
	const bool bConfirmed = !GRHIFailed && FirstFrameMismatches == 0 && Mismatches == 0;
	std::printf("%s\n", bConfirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
	return bConfirmed ? 0 : 1;
}
