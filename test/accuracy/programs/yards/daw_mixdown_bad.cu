// Multitrack audio session: tracks, transport, fader undo and a GPU mix engine rendering fixed blocks.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int kBlockFrames = 256;

#define AUDIO_CHECK(expr)                                                                           \
    do {                                                                                            \
        cudaError_t s_ = (expr);                                                                    \
        if (s_ != cudaSuccess) throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(s_)); \
    } while (0)

__global__ void clipKernel(float* bus, const float* clip, int clipFrames, const long long* position,
                           const float* fader) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kBlockFrames) return;
    long long frame = *position + i;
    if (frame < clipFrames) bus[i] += clip[frame] * *fader;
}

__global__ void metronomeKernel(float* bus, int framesPerBeat, const long long* position, const float* fader) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kBlockFrames) return;
    long long inBeat = (*position + i) % framesPerBeat;
    if (inBeat < 32) bus[i] += (1.0f - inBeat / 32.0f) * *fader;
}

class Transport {
public:
    using Listener = std::function<void(long long)>;
    long long position() const { return position_; }
    void onMoved(Listener l) { listeners_.push_back(std::move(l)); }
    void locate(long long frame) {
        position_ = frame;
        for (auto& l : listeners_) l(position_);
    }
    void advance(int frames) { locate(position_ + frames); }

private:
    long long position_ = 0;
    std::vector<Listener> listeners_;
};

class Track {
public:
    explicit Track(float fader) {
        AUDIO_CHECK(cudaMalloc(&deviceFader_, sizeof(float)));
        setFader(fader);
    }
    virtual ~Track() { cudaFree(deviceFader_); }
    virtual void mixInto(float* bus, const long long* position, cudaStream_t stream) = 0;
    virtual float sampleAt(long long frame) const = 0;
    float fader() const { return fader_; }
    void setFader(float value) {
        fader_ = value;
        AUDIO_CHECK(cudaMemcpy(deviceFader_, &fader_, sizeof(float), cudaMemcpyHostToDevice));
    }

protected:
    float fader_ = 1.0f;
    float* deviceFader_ = nullptr;
};

class ClipTrack : public Track {
public:
    ClipTrack(std::vector<float> clip, float fader) : Track(fader), clip_(std::move(clip)) {
        AUDIO_CHECK(cudaMalloc(&deviceClip_, clip_.size() * sizeof(float)));
        AUDIO_CHECK(cudaMemcpy(deviceClip_, clip_.data(), clip_.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
    ~ClipTrack() override { cudaFree(deviceClip_); }
    void mixInto(float* bus, const long long* position, cudaStream_t stream) override {
        clipKernel<<<1, kBlockFrames, 0, stream>>>(bus, deviceClip_, int(clip_.size()), position, deviceFader_);
        AUDIO_CHECK(cudaGetLastError());
    }
    float sampleAt(long long frame) const override {
        return frame < (long long)clip_.size() ? clip_[frame] * fader_ : 0.0f;
    }

private:
    std::vector<float> clip_;
    float* deviceClip_ = nullptr;
};

class MetronomeTrack : public Track {
public:
    MetronomeTrack(int framesPerBeat, float fader) : Track(fader), framesPerBeat_(framesPerBeat) {}
    void mixInto(float* bus, const long long* position, cudaStream_t stream) override {
        metronomeKernel<<<2, kBlockFrames / 2, 0, stream>>>(bus, framesPerBeat_, position, deviceFader_);
        AUDIO_CHECK(cudaGetLastError());
    }
    float sampleAt(long long frame) const override {
        long long inBeat = frame % framesPerBeat_;
        return inBeat < 32 ? (1.0f - inBeat / 32.0f) * fader_ : 0.0f;
    }

private:
    int framesPerBeat_;
};

class Session {
public:
    Transport transport;
    Track& add(std::unique_ptr<Track> t) {
        tracks_.push_back(std::move(t));
        return *tracks_.back();
    }
    void moveFader(size_t track, float value) {
        Track* t = tracks_.at(track).get();
        float old = t->fader();
        undo_.push_back([t, old] { t->setFader(old); });
        t->setFader(value);
    }
    void undo() {
        undo_.back()();
        undo_.pop_back();
    }
    const std::vector<std::unique_ptr<Track>>& tracks() const { return tracks_; }

private:
    std::vector<std::unique_ptr<Track>> tracks_;
    std::vector<std::function<void()>> undo_;
};

class CaptureSection {
public:
    explicit CaptureSection(cudaStream_t s) : stream_(s) {
        AUDIO_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    }
    cudaGraph_t finish() {
        open_ = false;
        cudaGraph_t graph = nullptr;
        AUDIO_CHECK(cudaStreamEndCapture(stream_, &graph));
        return graph;
    }
    ~CaptureSection() {
        cudaGraph_t dropped = nullptr;
        if (open_ && cudaStreamEndCapture(stream_, &dropped) == cudaSuccess) cudaGraphDestroy(dropped);
    }

private:
    cudaStream_t stream_;
    bool open_ = true;
};

class MixEngine {
public:
    explicit MixEngine(Session& session) : session_(session) {
        AUDIO_CHECK(cudaStreamCreate(&stream_));
        AUDIO_CHECK(cudaMalloc(&bus_, kBlockFrames * sizeof(float)));
        AUDIO_CHECK(cudaMalloc(&devicePosition_, sizeof(long long)));
        AUDIO_CHECK(cudaMallocHost(&hostPosition_, sizeof(long long)));
        AUDIO_CHECK(cudaMallocHost(&output_, kBlockFrames * sizeof(float)));
    }
    ~MixEngine() {
        if (block_) cudaGraphExecDestroy(block_);
        cudaFreeHost(output_);
        cudaFreeHost(hostPosition_);
        cudaFree(devicePosition_);
        cudaFree(bus_);
        cudaStreamDestroy(stream_);
    }

    const float* nextBlock() {
        if (!block_) prepare();
        AUDIO_CHECK(cudaGraphLaunch(block_, stream_));
        AUDIO_CHECK(cudaStreamSynchronize(stream_));
        return output_;
    }

private:
    void renderBlock() {
        *hostPosition_ = session_.transport.position();  // HAZARD host_logic #playhead
        AUDIO_CHECK(cudaMemcpyAsync(devicePosition_, hostPosition_, sizeof(long long), cudaMemcpyHostToDevice, stream_));
        AUDIO_CHECK(cudaMemsetAsync(bus_, 0, kBlockFrames * sizeof(float), stream_));
        for (const auto& track : session_.tracks()) track->mixInto(bus_, devicePosition_, stream_);
        AUDIO_CHECK(cudaMemcpyAsync(output_, bus_, kBlockFrames * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        session_.transport.advance(kBlockFrames);  // HAZARD host_logic #playhead
    }

    void prepare() {
        CaptureSection section(stream_);
        renderBlock();
        cudaGraph_t graph = section.finish();
        cudaError_t status = cudaGraphInstantiate(&block_, graph, 0);
        cudaGraphDestroy(graph);
        AUDIO_CHECK(status);
    }

    Session& session_;
    cudaStream_t stream_ = nullptr;
    float* bus_ = nullptr;
    long long* devicePosition_ = nullptr;
    long long* hostPosition_ = nullptr;
    float* output_ = nullptr;
    cudaGraphExec_t block_ = nullptr;
};

static bool blockMatches(const Session& session, long long start, const float* got) {
    for (int i = 0; i < kBlockFrames; ++i) {
        float want = 0.0f;
        for (const auto& t : session.tracks()) want += t->sampleAt(start + i);
        if (!(std::fabs(want - got[i]) < 1e-4f)) return false;
    }
    return true;
}

int main() {
    try {
        Session session;
        std::vector<float> bass(3000), voice(1800);
        for (size_t i = 0; i < bass.size(); ++i) bass[i] = std::sin(0.013f * i) + 0.0001f * i;
        for (size_t i = 0; i < voice.size(); ++i) voice[i] = 0.5f * std::sin(0.071f * i);
        session.add(std::make_unique<ClipTrack>(bass, 0.8f));
        session.add(std::make_unique<ClipTrack>(voice, 1.0f));
        session.add(std::make_unique<MetronomeTrack>(600, 0.3f));

        long long shown = -1;
        session.transport.onMoved([&shown](long long frame) { shown = frame; });
        MixEngine engine(session);

        int right = 0, wrong = 0;
        bool firstRight = false;
        for (int block = 0; block < 6; ++block) {
            if (block == 2) session.moveFader(1, 0.25f);
            if (block == 4) session.undo();
            const float* out = engine.nextBlock();
            bool ok = blockMatches(session, (long long)block * kBlockFrames, out);
            if (block == 0) firstRight = ok;
            ok ? ++right : ++wrong;
        }
        std::printf("right %d wrong %d playhead shown %lld\n", right, wrong, shown);
        bool observed = firstRight && right == 1 && wrong == 5 && shown == kBlockFrames;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
