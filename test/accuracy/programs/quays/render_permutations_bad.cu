// Renderer/Private/FramePermutationCache.cu
// Each quality level of the GPU frame is recorded once and then replayed by the render thread.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using FName = std::string;

enum class EQuality : uint8_t { Medium, Epic, Cinematic };

__global__ void SkinVerticesKernel(const float* Rest, float* Out, int Num, float BoneScale)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
	{
		Out[Index] = Rest[Index] * BoneScale + 1.0f;
	}
}

__global__ void SpawnParticlesKernel(float* Life, int Num)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
	{
		Life[Index] = static_cast<float>(Index & 15);
	}
}

__global__ void ComposeKernel(const float* Skinned, const float* Life, float* Frame, int Num, int NumParticles)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
	{
		Frame[Index] += Skinned[Index] + Life[Index % NumParticles];
	}
}

/** Named transient buffers shared by the passes. Grows on demand, old blocks live until Shutdown. */
class FTransientPool
{
public:
	~FTransientPool()
	{
		for (void* Block : Blocks)
		{
			cudaFree(Block);
		}
	}

	float* Acquire(const FName& Name, size_t NumFloats)
	{
		FEntry& Entry = Entries[Name];
		if (Entry.Capacity < NumFloats)
		{
			float* Grown = nullptr;
			LastError = cudaMalloc(&Grown, NumFloats * sizeof(float)); // HAZARD refused
			if (LastError != cudaSuccess)
			{
				std::fprintf(stderr, "LogRenderer: pool cannot grow '%s': %s\n", Name.c_str(), cudaGetErrorName(LastError));
				return nullptr;
			}
			Blocks.push_back(Grown);
			Entry = {Grown, NumFloats};
		}
		return Entry.Memory;
	}

	cudaError_t GetLastPoolError() const { return LastError; }

private:
	struct FEntry
	{
		float* Memory = nullptr;
		size_t Capacity = 0;
	};
	std::unordered_map<FName, FEntry> Entries;
	std::vector<void*> Blocks;
	cudaError_t LastError = cudaSuccess;
};

struct FQualitySettings
{
	int NumVertices;
	int NumParticles;
	float BoneScale;
};

static FQualitySettings GetSettings(EQuality Quality)
{
	switch (Quality)
	{
	case EQuality::Epic:
		return {8192, 4096, 2.0f};
	case EQuality::Cinematic:
		return {8192, 512, 3.0f};
	default:
		return {8192, 1024, 2.0f};
	}
}

struct FPassContext
{
	FTransientPool& Pool;
	cudaStream_t Stream;
	FQualitySettings Settings;
	float* FrameBuffer;
	std::map<FName, float*> Outputs;
};

class IRenderPass
{
public:
	virtual ~IRenderPass() = default;
	virtual const char* GetName() const = 0;
	virtual bool Record(FPassContext& Context) = 0;
};

class FSkinningPass final : public IRenderPass
{
public:
	const char* GetName() const override { return "Skinning"; }
	bool Record(FPassContext& Context) override
	{
		const int Num = Context.Settings.NumVertices;
		float* Rest = Context.Pool.Acquire("RestPose", Num);
		float* Skinned = Context.Pool.Acquire("Skinned", Num);
		if (!Rest || !Skinned)
		{
			return false;
		}
		SkinVerticesKernel<<<(Num + 255) / 256, 256, 0, Context.Stream>>>(Rest, Skinned, Num, Context.Settings.BoneScale);
		Context.Outputs["Skinned"] = Skinned;
		return true;
	}
};

class FParticlePass final : public IRenderPass
{
public:
	const char* GetName() const override { return "Particles"; }
	bool Record(FPassContext& Context) override
	{
		const int Num = Context.Settings.NumParticles;
		float* Life = Context.Pool.Acquire("ParticleLife", Num);
		if (!Life)
		{
			return false;
		}
		SpawnParticlesKernel<<<(Num + 255) / 256, 256, 0, Context.Stream>>>(Life, Num);
		Context.Outputs["Life"] = Life;
		return true;
	}
};

class FComposePass final : public IRenderPass
{
public:
	const char* GetName() const override { return "Compose"; }
	bool Record(FPassContext& Context) override
	{
		const int Num = Context.Settings.NumVertices;
		ComposeKernel<<<(Num + 255) / 256, 256, 0, Context.Stream>>>(
			Context.Outputs.at("Skinned"), Context.Outputs.at("Life"), Context.FrameBuffer, Num, Context.Settings.NumParticles);
		return true;
	}
};

class FFramePermutationCache
{
public:
	FFramePermutationCache(FTransientPool& InPool, cudaStream_t InStream, float* InFrameBuffer)
		: Pool(InPool), Stream(InStream), FrameBuffer(InFrameBuffer)
	{
		Passes.push_back(std::make_unique<FSkinningPass>());
		Passes.push_back(std::make_unique<FParticlePass>());
		Passes.push_back(std::make_unique<FComposePass>());
	}

	~FFramePermutationCache()
	{
		for (auto& [Quality, Exec] : Permutations)
		{
			cudaGraphExecDestroy(Exec);
		}
	}

	cudaGraphExec_t FindOrBuild(EQuality Quality)
	{
		auto It = Permutations.find(Quality);
		if (It != Permutations.end())
		{
			return It->second;
		}
		cudaGraphExec_t Exec = nullptr;
		if (!Build(GetSettings(Quality), Exec))
		{
			return nullptr;
		}
		return Permutations[Quality] = Exec;
	}

	cudaError_t GetBeginError() const { return BeginError; }

private:
	bool Build(const FQualitySettings& Settings, cudaGraphExec_t& OutExec)
	{
		FPassContext Context{Pool, Stream, Settings, FrameBuffer, {}};
		BeginError = cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal);
		if (BeginError != cudaSuccess)
		{
			std::fprintf(stderr, "LogRenderer: cannot start recording: %s\n", cudaGetErrorName(BeginError));
			return false;
		}
		for (const std::unique_ptr<IRenderPass>& Pass : Passes)
		{
			if (!Pass->Record(Context))
			{
				std::fprintf(stderr, "LogRenderer: pass '%s' failed\n", Pass->GetName());
				return false; // HAZARD scope
			}
		}
		cudaGraph_t Graph = nullptr;
		if (cudaStreamEndCapture(Stream, &Graph) != cudaSuccess)
		{
			return false;
		}
		const cudaError_t Error = cudaGraphInstantiate(&OutExec, Graph, 0);
		cudaGraphDestroy(Graph);
		return Error == cudaSuccess;
	}

	FTransientPool& Pool;
	cudaStream_t Stream;
	float* FrameBuffer;
	cudaError_t BeginError = cudaSuccess;
	std::vector<std::unique_ptr<IRenderPass>> Passes;
	std::map<EQuality, cudaGraphExec_t> Permutations;
};

int main()
{
	constexpr int Num = 8192;
	cudaStream_t RenderStream = nullptr;
	bool bSetup = cudaStreamCreateWithFlags(&RenderStream, cudaStreamNonBlocking) == cudaSuccess;

	FTransientPool Pool;
	float* Rest = Pool.Acquire("RestPose", Num);
	Pool.Acquire("Skinned", Num);
	Pool.Acquire("ParticleLife", 1024);
	float* FrameBuffer = Pool.Acquire("FrameBuffer", Num);
	std::vector<float> Host(Num);
	for (int Index = 0; Index < Num; ++Index)
	{
		Host[Index] = static_cast<float>(Index % 100);
	}
	bSetup &= cudaMemcpy(Rest, Host.data(), Num * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
	bSetup &= cudaMemset(FrameBuffer, 0, Num * sizeof(float)) == cudaSuccess;
	bSetup &= cudaDeviceSynchronize() == cudaSuccess;

	FFramePermutationCache Cache(Pool, RenderStream, FrameBuffer);
	bool bMediumGood = true;
	for (int Frame = 1; Frame <= 3; ++Frame)
	{
		cudaGraphExec_t Exec = Cache.FindOrBuild(EQuality::Medium);
		bMediumGood &= Exec && cudaGraphLaunch(Exec, RenderStream) == cudaSuccess;
		bMediumGood &= cudaStreamSynchronize(RenderStream) == cudaSuccess;
		std::vector<float> Result(Num);
		bMediumGood &= cudaMemcpy(Result.data(), FrameBuffer, Num * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
		for (int Index = 0; Index < Num; ++Index)
		{
			bMediumGood &= Result[Index] == Frame * (Host[Index] * 2.0f + 1.0f + static_cast<float>(Index & 15));
		}
	}

	// The user opens the settings menu: Epic first, then Cinematic.
	const bool bEpic = Cache.FindOrBuild(EQuality::Epic) != nullptr;
	const cudaError_t PoolError = Pool.GetLastPoolError();
	const bool bCinematic = Cache.FindOrBuild(EQuality::Cinematic) != nullptr;
	cudaStreamCaptureStatus Status = cudaStreamCaptureStatusNone;
	cudaStreamIsCapturing(RenderStream, &Status);
	std::printf("LogRenderer: medium %d epic %d (%s) cinematic %d (%s) capture status %d\n", bMediumGood, bEpic,
		cudaGetErrorName(PoolError), bCinematic, cudaGetErrorName(Cache.GetBeginError()), static_cast<int>(Status));

	const bool bConfirmed = bSetup && bMediumGood && !bEpic && PoolError != cudaSuccess && !bCinematic
		&& Cache.GetBeginError() != cudaSuccess && Status != cudaStreamCaptureStatusNone;
	std::printf("%s\n", bConfirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
	return bConfirmed ? 0 : 1;
}
