// RopeScene.cu - position relaxation for rope bundles (physics island "Rigging").
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

using int32 = int32_t;
using uint32 = uint32_t;

namespace Rigging
{

struct FSubstepParams
{
	float Stiffness;
	float Wind;
};

static int32 GErrorCount = 0;

static void EnsureCuda(cudaError_t Result, const char* Where)
{
	if (Result != cudaSuccess)
	{
		++GErrorCount;
		std::printf("LogRigging: Error: %s: %s\n", Where, cudaGetErrorString(Result));
	}
}

__global__ void RelaxRopeCS(const float* __restrict__ Read, float* __restrict__ Write, const FSubstepParams* Params,
	int32 NumNodes)
{
	const int32 Node = blockIdx.x * blockDim.x + threadIdx.x;
	if (Node >= NumNodes)
	{
		return;
	}
	if (Node == 0 || Node == NumNodes - 1)
	{
		Write[Node] = Read[Node];
		return;
	}
	const float Laplacian = Read[Node - 1] - 2.0f * Read[Node] + Read[Node + 1];
	Write[Node] = Read[Node] + Params->Stiffness * Laplacian + Params->Wind;
}

__global__ void AccumulateStrainCS(const float* Nodes, float* Strain, int32 NumNodes)
{
	const int32 Node = blockIdx.x * blockDim.x + threadIdx.x;
	if (Node + 1 < NumNodes)
	{
		Strain[Node] += fabsf(Nodes[Node + 1] - Nodes[Node]);
	}
}

/** Two copies of the node positions, one is read while the other is written. */
class FPingPongState
{
public:
	void Allocate(int32 InNumNodes)
	{
		NumNodes = InNumNodes;
		for (float*& Buffer : Buffers)
		{
			EnsureCuda(cudaMalloc(reinterpret_cast<void**>(&Buffer), sizeof(float) * NumNodes), "state alloc");
			EnsureCuda(cudaMemset(Buffer, 0, sizeof(float) * NumNodes), "state clear");
		}
	}

	void Release()
	{
		for (float* Buffer : Buffers)
		{
			EnsureCuda(cudaFree(Buffer), "state free");
		}
	}

	float* Get(int32 Slot) const { return Buffers[Slot & 1]; }
	int32 Front() const { return FrontSlot; }
	void Advance(int32 Steps) { FrontSlot = (FrontSlot + Steps) & 1; }
	int32 Num() const { return NumNodes; }

private:
	std::array<float*, 2> Buffers{};
	int32 FrontSlot = 0;
	int32 NumNodes = 0;
};

class ISolverStage
{
public:
	virtual ~ISolverStage() = default;
	/** Returns the slot which holds the result of the stage. */
	virtual int32 Enqueue(cudaStream_t Stream, const FPingPongState& State, int32 Slot) = 0;
};

class FRelaxStage final : public ISolverStage
{
public:
	FRelaxStage(int32 InNumSubsteps, const FSubstepParams* InParams) : NumSubsteps(InNumSubsteps), Params(InParams) {}

	int32 Enqueue(cudaStream_t Stream, const FPingPongState& State, int32 Slot) override
	{
		const int32 Num = State.Num();
		for (int32 Substep = 0; Substep < NumSubsteps; ++Substep)
		{
			RelaxRopeCS<<<(Num + 127) / 128, 128, 0, Stream>>>(State.Get(Slot), State.Get(Slot + 1), Params, Num);
			Slot ^= 1;
		}
		return Slot;
	}

private:
	int32 NumSubsteps;
	const FSubstepParams* Params;
};

class FStrainStage final : public ISolverStage
{
public:
	explicit FStrainStage(float* InStrain) : Strain(InStrain) {}

	int32 Enqueue(cudaStream_t Stream, const FPingPongState& State, int32 Slot) override
	{
		AccumulateStrainCS<<<(State.Num() + 127) / 128, 128, 0, Stream>>>(State.Get(Slot), Strain, State.Num());
		return Slot;
	}

private:
	float* Strain;
};

class FRopeScene
{
public:
	FRopeScene(int32 NumNodes, int32 InNumSubsteps) : NumSubsteps(InNumSubsteps)
	{
		EnsureCuda(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking), "stream");
		EnsureCuda(cudaMalloc(reinterpret_cast<void**>(&ParamsGPU), sizeof(FSubstepParams)), "params");
		EnsureCuda(cudaMalloc(reinterpret_cast<void**>(&StrainGPU), sizeof(float) * NumNodes), "strain");
		EnsureCuda(cudaMemset(StrainGPU, 0, sizeof(float) * NumNodes), "strain clear");
		State.Allocate(NumNodes);
		Stages.push_back(new FRelaxStage(NumSubsteps, ParamsGPU));
		Stages.push_back(new FStrainStage(StrainGPU));
		EnsureCuda(cudaDeviceSynchronize(), "init");
	}

	~FRopeScene()
	{
		EnsureCuda(cudaStreamSynchronize(Stream), "drain");
		for (cudaGraphExec_t TickGraph : TickGraphs)
		{
			EnsureCuda(TickGraph ? cudaGraphExecDestroy(TickGraph) : cudaSuccess, "graph");
		}
		for (ISolverStage* Stage : Stages)
		{
			delete Stage;
		}
		State.Release();
		EnsureCuda(cudaFree(StrainGPU), "strain");
		EnsureCuda(cudaFree(ParamsGPU), "params");
		EnsureCuda(cudaStreamDestroy(Stream), "stream");
	}

	void SetPose(const std::vector<float>& Pose)
	{
		EnsureCuda(cudaMemcpyAsync(State.Get(State.Front()), Pose.data(), sizeof(float) * Pose.size(),
			cudaMemcpyHostToDevice, Stream), "pose");
		EnsureCuda(cudaStreamSynchronize(Stream), "pose");
	}

	void Tick(const FSubstepParams& Params)
	{
		EnsureCuda(cudaMemcpyAsync(ParamsGPU, &Params, sizeof(Params), cudaMemcpyHostToDevice, Stream), "params");
		cudaGraphExec_t& TickGraph = TickGraphs[State.Front()];
		if (TickGraph == nullptr)
		{
			TickGraph = RecordTick(State.Front());
		}
		EnsureCuda(cudaGraphLaunch(TickGraph, Stream), "tick");
		State.Advance(NumSubsteps);
		EnsureCuda(cudaStreamSynchronize(Stream), "tick");
	}

	std::vector<float> ReadPose() const { return Download(State.Get(State.Front())); }
	std::vector<float> ReadStrain() const { return Download(StrainGPU); }

private:
	cudaGraphExec_t RecordTick(int32 StartSlot)
	{
		cudaGraph_t Graph = nullptr;
		cudaGraphExec_t Exec = nullptr;
		EnsureCuda(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal), "begin");
		int32 Slot = StartSlot;
		for (ISolverStage* Stage : Stages)
		{
			Slot = Stage->Enqueue(Stream, State, Slot);
		}
		EnsureCuda(cudaStreamEndCapture(Stream, &Graph), "end");
		EnsureCuda(cudaGraphInstantiate(&Exec, Graph, 0), "instantiate");
		EnsureCuda(cudaGraphDestroy(Graph), "graph");
		return Exec;
	}

	std::vector<float> Download(const float* Source) const
	{
		std::vector<float> Result(State.Num());
		EnsureCuda(cudaMemcpy(Result.data(), Source, sizeof(float) * Result.size(), cudaMemcpyDeviceToHost), "read");
		return Result;
	}

	int32 NumSubsteps;
	cudaStream_t Stream = nullptr;
	FPingPongState State;
	FSubstepParams* ParamsGPU = nullptr;
	float* StrainGPU = nullptr;
	std::vector<ISolverStage*> Stages;
	/** Indexed by the slot that is in front when the tick starts. */
	std::array<cudaGraphExec_t, 2> TickGraphs{};
};

static void ReferenceTick(std::vector<float>& Pose, std::vector<float>& Strain, const FSubstepParams& P, int32 Substeps)
{
	for (int32 Substep = 0; Substep < Substeps; ++Substep)
	{
		std::vector<float> Next = Pose;
		for (size_t Node = 1; Node + 1 < Pose.size(); ++Node)
		{
			Next[Node] = Pose[Node] + P.Stiffness * (Pose[Node - 1] - 2.0f * Pose[Node] + Pose[Node + 1]) + P.Wind;
		}
		Pose.swap(Next);
	}
	for (size_t Node = 0; Node + 1 < Pose.size(); ++Node)
	{
		Strain[Node] += std::fabs(Pose[Node + 1] - Pose[Node]);
	}
}

static float MaxDifference(const std::vector<float>& A, const std::vector<float>& B)
{
	float Result = 0.0f;
	for (size_t Index = 0; Index < A.size(); ++Index)
	{
		Result = std::fmax(Result, std::fabs(A[Index] - B[Index]));
	}
	return Result;
}

} // namespace Rigging

int main()
{
	using namespace Rigging;
	constexpr int32 NumNodes = 2000;
	constexpr int32 NumSubsteps = 3;

	FRopeScene Scene(NumNodes, NumSubsteps);
	std::vector<float> Pose(NumNodes), Strain(NumNodes, 0.0f);
	for (int32 Node = 0; Node < NumNodes; ++Node)
	{
		Pose[Node] = std::sin(0.37f * float(Node)) + ((Node % 50 == 0) ? 2.0f : 0.0f);
	}
	Scene.SetPose(Pose);

	bool bAllOk = true;
	for (int32 Tick = 0; Tick < 6; ++Tick)
	{
		const FSubstepParams Params{0.2f + 0.01f * float(Tick), 0.02f * float(Tick + 1)};
		Scene.Tick(Params);
		ReferenceTick(Pose, Strain, Params, NumSubsteps);
		const float Error = MaxDifference(Scene.ReadPose(), Pose) + MaxDifference(Scene.ReadStrain(), Strain);
		std::printf("LogRigging: tick %d, error %g\n", Tick, double(Error));
		bAllOk = bAllOk && Error < 1e-3f;
	}
	const bool bPassed = bAllOk && GErrorCount == 0;
	std::printf(bPassed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
	return bPassed ? 0 : 1;
}
