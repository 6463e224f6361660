// Renderer/Private/FramePermutationCache.cu
// Each quality level of the GPU frame is recorded once and then replayed by the render thread.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

using FName = std::string;

enum class EQuality : uint8_t { Medium, Epic, Cinematic };

__global__ void SkinVerticesKernel(const float* Rest, float* Out, int Num, float BoneScale)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
		Out[Index] = Rest[Index] * BoneScale + 1.0f;
}

__global__ void SpawnParticlesKernel(float* Life, int Num)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
		Life[Index] = static_cast<float>(Index & 15);
}

__global__ void ComposeKernel(const float* Skinned, const float* Life, float* Frame, int Num, int NumParticles)
{
	int Index = blockIdx.x * blockDim.x + threadIdx.x;
	if (Index < Num)
		Frame[Index] += Skinned[Index] + Life[Index % NumParticles];
}

/** Swaps the capture mode of this thread for one block. */
class FScopedCaptureMode
{
public:
	explicit FScopedCaptureMode(cudaStreamCaptureMode InMode) : Mode(InMode) { cudaThreadExchangeStreamCaptureMode(&Mode); }
	~FScopedCaptureMode() { cudaThreadExchangeStreamCaptureMode(&Mode); }

private:
	cudaStreamCaptureMode Mode;
};

/** Starts a recording, drops it at the end of the block unless Finish was called. */
class FScopedRecording
{
public:
	explicit FScopedRecording(cudaStream_t InStream) : Stream(InStream)
	{
		Error = cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal);
		bActive = Error == cudaSuccess;
	}

	~FScopedRecording()
	{
		if (bActive)
			Finish();
		if (Graph)
			cudaGraphDestroy(Graph);
	}

	cudaGraph_t Finish()
	{
		bActive = false;
		Error = cudaStreamEndCapture(Stream, &Graph);
		return Error == cudaSuccess ? Graph : nullptr;
	}

	cudaError_t GetError() const { return Error; }

private:
	cudaStream_t Stream;
	cudaGraph_t Graph = nullptr;
	cudaError_t Error = cudaSuccess;
	bool bActive = false;
};

/** Named transient buffers shared by the passes. Grows on demand, old blocks live until Shutdown. */
class FTransientPool
{
public:
	~FTransientPool() { for (void* Block : Blocks) cudaFree(Block); }

	float* Acquire(const FName& Name, size_t NumFloats)
	{
		FEntry& Entry = Entries[Name];
		if (Entry.Capacity < NumFloats)
		{
			float* Grown = nullptr;
			{
				FScopedCaptureMode AllowUnsafe(cudaStreamCaptureModeRelaxed);
				LastError = cudaMalloc(&Grown, NumFloats * sizeof(float));
			}
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
	bool bNeedsRayTracing;
};

static FQualitySettings GetSettings(EQuality Quality)
{
	if (Quality == EQuality::Cinematic)
		return {8192, 512, 3.0f, true};
	return {8192, Quality == EQuality::Epic ? 4096 : 1024, 2.0f, false};
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
	virtual bool Record(FPassContext& Context) = 0;
};

class FSkinningPass final : public IRenderPass
{
public:
	bool Record(FPassContext& Context) override
	{
		const int Num = Context.Settings.NumVertices;
		float* Rest = Context.Pool.Acquire("RestPose", Num);
		float* Skinned = Context.Pool.Acquire("Skinned", Num);
		if (!Rest || !Skinned)
			return false;
		SkinVerticesKernel<<<(Num + 255) / 256, 256, 0, Context.Stream>>>(Rest, Skinned, Num, Context.Settings.BoneScale);
		Context.Outputs["Skinned"] = Skinned;
		return true;
	}
};

class FParticlePass final : public IRenderPass
{
public:
	bool Record(FPassContext& Context) override
	{
		const int Num = Context.Settings.NumParticles;
		float* Life = Context.Pool.Acquire("ParticleLife", Num);
		if (!Life)
			return false;
		SpawnParticlesKernel<<<(Num + 255) / 256, 256, 0, Context.Stream>>>(Life, Num);
		Context.Outputs["Life"] = Life;
		return true;
	}
};

class FComposePass final : public IRenderPass
{
public:
	bool Record(FPassContext& Context) override
	{
		if (Context.Settings.bNeedsRayTracing)
			return false;
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

	~FFramePermutationCache() { for (auto& Pair : Permutations) cudaGraphExecDestroy(Pair.second); }

	cudaGraphExec_t FindOrBuild(EQuality Quality)
	{
		auto It = Permutations.find(Quality);
		if (It != Permutations.end())
			return It->second;
		cudaGraphExec_t Exec = nullptr;
		if (!Build(GetSettings(Quality), Exec))
			return nullptr;
		return Permutations[Quality] = Exec;
	}

	cudaError_t GetBeginError() const { return BeginError; }

private:
	bool Build(const FQualitySettings& Settings, cudaGraphExec_t& OutExec)
	{
		FPassContext Context{Pool, Stream, Settings, FrameBuffer, {}};
		FScopedRecording Recording(Stream);
		BeginError = Recording.GetError();
		if (BeginError != cudaSuccess)
		{
			std::fprintf(stderr, "LogRenderer: cannot start recording: %s\n", cudaGetErrorName(BeginError));
			return false;
		}
		for (const std::unique_ptr<IRenderPass>& Pass : Passes)
		{
			if (!Pass->Record(Context))
				return false;
		}
		cudaGraph_t Graph = Recording.Finish();
		return Graph && cudaGraphInstantiate(&OutExec, Graph, 0) == cudaSuccess;
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
		Host[Index] = static_cast<float>(Index % 100);
	bSetup &= cudaMemcpy(Rest, Host.data(), Num * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
	bSetup &= cudaMemset(FrameBuffer, 0, Num * sizeof(float)) == cudaSuccess;
	bSetup &= cudaDeviceSynchronize() == cudaSuccess;

	FFramePermutationCache Cache(Pool, RenderStream, FrameBuffer);
	// The settings menu walks through the levels. Cinematic is not supported by this device profile.
	const EQuality Walk[] = {EQuality::Medium, EQuality::Epic, EQuality::Cinematic, EQuality::Medium, EQuality::Epic};
	std::vector<float> Expected(Num, 0.0f);
	std::vector<float> Result(Num);
	bool bGood = true;
	for (EQuality Quality : Walk)
	{
		cudaGraphExec_t Exec = Cache.FindOrBuild(Quality);
		bGood &= (Exec != nullptr) == (Quality != EQuality::Cinematic);
		bGood &= Cache.GetBeginError() == cudaSuccess && Pool.GetLastPoolError() == cudaSuccess;
		for (int Repeat = 0; Exec && Repeat < 2; ++Repeat)
		{
			bGood &= cudaGraphLaunch(Exec, RenderStream) == cudaSuccess;
			bGood &= cudaStreamSynchronize(RenderStream) == cudaSuccess;
			bGood &= cudaMemcpy(Result.data(), FrameBuffer, Num * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
			for (int Index = 0; Index < Num; ++Index)
			{
				Expected[Index] += Host[Index] * GetSettings(Quality).BoneScale + 1.0f + static_cast<float>(Index & 15);
				bGood &= Result[Index] == Expected[Index];
			}
		}
		cudaStreamCaptureStatus Status = cudaStreamCaptureStatusActive;
		bGood &= cudaStreamIsCapturing(RenderStream, &Status) == cudaSuccess && Status == cudaStreamCaptureStatusNone;
		std::printf("LogRenderer: level %d recorded %d good %d\n", static_cast<int>(Quality), Exec != nullptr, bGood);
	}
	const bool bConfirmed = bSetup && bGood;
	std::printf("%s\n", bConfirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
	return bConfirmed ? 0 : 1;
}
