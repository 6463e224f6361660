// Block based plugin host. Audio arrives through a double buffer, parameters through automation
// lanes, and the effect chain of a track is replayed as one unit per audio block.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace host
{

static void check (cudaError_t e)
{
    if (e != cudaSuccess)
        throw std::runtime_error (cudaGetErrorString (e));
}

constexpr int blockSize  = 256;
constexpr int delayFrames = 1000;
constexpr int ringFrames  = 2048;

//==============================================================================
struct ParamBlock
{
    float gainStart, gainEnd;
    float feedback;
    float drive;
};

class AutomationLane
{
public:
    struct Point { int frame; float value; };
    AutomationLane (std::initializer_list<Point> p) : points (p) {}

    float valueAt (int frame) const
    {
        if (frame <= points.front().frame) return points.front().value;
        for (size_t i = 1; i < points.size(); ++i)
            if (frame < points[i].frame)
            {
                auto& a = points[i - 1];
                auto& b = points[i];
                return a.value + (b.value - a.value) * float (frame - a.frame) / float (b.frame - a.frame);
            }
        return points.back().value;
    }

private:
    std::vector<Point> points;
};

//==============================================================================
class DoubleBuffer
{
public:
    DoubleBuffer()
    {
        for (auto& s : slots)
        {
            check (cudaMalloc (&s, blockSize * sizeof (float)));
            check (cudaMemset (s, 0, blockSize * sizeof (float)));
        }
    }
    ~DoubleBuffer() { for (auto* s : slots) cudaFree (s); }
    DoubleBuffer (const DoubleBuffer&) = delete;

    float* front() const { return slots[active]; }
    float* back() const  { return slots[active ^ 1]; }
    int    phase() const { return active; }
    void   flip()        { active ^= 1; }

private:
    float* slots[2] = {};
    int active = 0;
};

//==============================================================================
__global__ void gainRamp (const float* in, float* out, const ParamBlock* p)
{
    int i = threadIdx.x;
    float g = p->gainStart + (p->gainEnd - p->gainStart) * float (i) / float (blockSize);
    out[i] = in[i] * g;
}

__global__ void delayLine (const float* in, float* out, float* ring, int* writePos, const ParamBlock* p)
{
    int i = threadIdx.x, w = *writePos;
    float delayed = ring[(w + i - delayFrames + ringFrames) % ringFrames];
    float y = in[i] + p->feedback * delayed;
    out[i] = y;
    __syncthreads();
    ring[(w + i) % ringFrames] = y;
    if (i == 0) *writePos = (w + blockSize) % ringFrames;
}

__global__ void softClip (const float* in, float* out, const ParamBlock* p)
{
    float x = in[threadIdx.x] * p->drive;
    out[threadIdx.x] = x / (1.0f + fabsf (x));
}

class Effect
{
public:
    virtual ~Effect() = default;
    virtual void process (const float* in, float* out, const ParamBlock* p, cudaStream_t s) = 0;
};

class GainEffect : public Effect
{
    void process (const float* in, float* out, const ParamBlock* p, cudaStream_t s) override
    {
        gainRamp<<<1, blockSize, 0, s>>> (in, out, p);
    }
};

class DelayEffect : public Effect
{
public:
    DelayEffect()
    {
        check (cudaMalloc (&ring, ringFrames * sizeof (float)));
        check (cudaMalloc (&pos, sizeof (int)));
        check (cudaMemset (ring, 0, ringFrames * sizeof (float)));
        check (cudaMemset (pos, 0, sizeof (int)));
    }
    ~DelayEffect() override { cudaFree (ring); cudaFree (pos); }

    void process (const float* in, float* out, const ParamBlock* p, cudaStream_t s) override
    {
        delayLine<<<1, blockSize, 0, s>>> (in, out, ring, pos, p);
    }

private:
    float* ring = nullptr;
    int* pos = nullptr;
};

class ClipEffect : public Effect
{
    void process (const float* in, float* out, const ParamBlock* p, cudaStream_t s) override
    {
        softClip<<<1, blockSize, 0, s>>> (in, out, p);
    }
};

//==============================================================================
class Track
{
public:
    Track()
    {
        check (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
        check (cudaMalloc (&deviceParams, sizeof (ParamBlock)));
        check (cudaMallocHost (&params, sizeof (ParamBlock)));
        check (cudaMallocHost (&mix, blockSize * sizeof (float)));
        check (cudaDeviceSynchronize());
    }
    ~Track()
    {
        for (auto exec : execs)
            if (exec != nullptr) cudaGraphExecDestroy (exec);
        cudaFree (deviceParams);
        cudaFreeHost (params);
        cudaFreeHost (mix);
        cudaStreamDestroy (stream);
    }

    void add (std::unique_ptr<Effect> e) { chain.push_back (std::move (e)); }

    void pushInput (const float* samples)
    {
        check (cudaMemcpyAsync (input.back(), samples, blockSize * sizeof (float), cudaMemcpyHostToDevice, stream));
        input.flip();
    }

    const float* processBlock (const ParamBlock& automation)
    {
        *params = automation;
        auto& exec = execs[input.phase()];
        if (exec == nullptr) exec = renderToGraph();
        check (cudaGraphLaunch (exec, stream));
        check (cudaStreamSynchronize (stream));
        return mix;
    }

private:
    void runChain()
    {
        check (cudaMemcpyAsync (deviceParams, params, sizeof (ParamBlock), cudaMemcpyHostToDevice, stream));
        const float* src = input.front();
        for (auto& effect : chain)
        {
            effect->process (src, scratch.back(), deviceParams, stream);
            scratch.flip();
            src = scratch.front();
        }
        check (cudaMemcpyAsync (mix, src, blockSize * sizeof (float), cudaMemcpyDeviceToHost, stream));
    }

    cudaGraphExec_t renderToGraph()
    {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t result = nullptr;
        check (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
        runChain();
        check (cudaStreamEndCapture (stream, &graph));
        check (cudaGraphInstantiate (&result, graph, 0));
        check (cudaGraphDestroy (graph));
        return result;
    }

    std::vector<std::unique_ptr<Effect>> chain;
    DoubleBuffer input, scratch;
    ParamBlock* deviceParams = nullptr;
    ParamBlock* params = nullptr;
    float* mix = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t execs[2] = {};
};

} // namespace host

//==============================================================================
struct Reference
{
    std::vector<float> ring = std::vector<float> (host::ringFrames, 0.0f);
    int pos = 0;

    std::vector<float> process (const std::vector<float>& in, const host::ParamBlock& p)
    {
        std::vector<float> out (in.size());
        for (int i = 0; i < host::blockSize; ++i)
        {
            float g = p.gainStart + (p.gainEnd - p.gainStart) * float (i) / float (host::blockSize);
            float y = in[i] * g + p.feedback * ring[(pos + i - host::delayFrames + host::ringFrames) % host::ringFrames];
            ring[(pos + i) % host::ringFrames] = y;
            float x = y * p.drive;
            out[i] = x / (1.0f + std::fabs (x));
        }
        pos = (pos + host::blockSize) % host::ringFrames;
        return out;
    }
};

int main()
{
    using namespace host;
    bool firstOk = false;
    int badBlocks = 0;
    try
    {
        Track track;
        track.add (std::make_unique<GainEffect>());
        track.add (std::make_unique<DelayEffect>());
        track.add (std::make_unique<ClipEffect>());
        AutomationLane gain { { 0, 0.2f }, { 900, 1.0f }, { 2000, 0.5f } };
        AutomationLane drive { { 0, 1.0f }, { 1500, 3.0f } };
        Reference reference;

        std::vector<float> samples (blockSize);
        for (int block = 0; block < 12; ++block)
        {
            const int frame = block * blockSize;
            for (int i = 0; i < blockSize; ++i)
                samples[i] = std::sin (0.013f * float (frame + i)) + 0.3f * std::sin (0.171f * float (frame + i));
            ParamBlock p { gain.valueAt (frame), gain.valueAt (frame + blockSize), 0.4f, drive.valueAt (frame) };

            track.pushInput (samples.data());
            const float* out = track.processBlock (p);
            auto expected = reference.process (samples, p);
            float worst = 0.0f;
            for (int i = 0; i < blockSize; ++i) worst = std::max (worst, std::fabs (out[i] - expected[i]));
            if (block == 0) firstOk = worst < 1e-4f;
            if (! (worst < 1e-4f)) ++badBlocks;
        }
    }
    catch (const std::exception& e)
    {
        std::printf ("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
    std::printf ("first %d, blocks off %d\n", firstOk, badBlocks);
    std::puts (firstOk && badBlocks == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
