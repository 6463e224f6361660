/* Block based audio engine. A chain of processors is prepared once and then
 * driven by the device thread, one block of kBlock samples at a time. */

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace audio {

constexpr int kBlock = 64;
constexpr int kQueueBlocks = 8;

inline void Require(cudaError_t rc, const char *what) {
	if (rc == cudaSuccess)
		return;
	std::printf("[audio] %s: %s\nLABEL WRONG\n", what, cudaGetErrorString(rc));
	std::exit(1);
}

/* ---- device code ---------------------------------------------------- */

__global__ void GainKernel(float *buf, const float *gain) {
	buf[threadIdx.x] *= *gain;
}

/* y[n] = y[n-1] + k (x[n] - y[n-1]); the state survives between blocks */
__global__ void OnePoleKernel(float *buf, float *state, float k) {
	float y = *state;
	for (int i = 0; i < kBlock; i++) {
		y += k * (buf[i] - y);
		buf[i] = y;
	}
	*state = y;
}

struct MeterState {
	float running;      /* peak since the last report */
	float reported;     /* last published peak */
	unsigned reports;
	unsigned blocks;    /* since the last report */
};

__global__ void AccumulatePeakKernel(const float *buf, MeterState *m) {
	float p = m->running;
	for (int i = 0; i < kBlock; i++)
		p = fmaxf(p, fabsf(buf[i]));
	m->running = p;
}

__global__ void PublishPeakKernel(MeterState *m, unsigned interval) {
	if (++m->blocks < interval)
		return;
	m->blocks = 0;
	m->reported = m->running;
	m->running = 0.0f;
	m->reports++;
}

/* ---- host infrastructure -------------------------------------------- */

/* Single producer, single consumer queue of blocks in pinned memory. */
class BlockQueue {
public:
	BlockQueue() {
		Require(cudaMallocHost(&mem_, kBlock * kQueueBlocks * sizeof(float)), "queue");
	}
	~BlockQueue() { cudaFreeHost(mem_); }

	float *BeginWrite() {
		unsigned w = write_.load(std::memory_order_relaxed);
		if (w - read_.load(std::memory_order_acquire) == kQueueBlocks)
			return nullptr;
		return mem_ + (w % kQueueBlocks) * kBlock;
	}
	void EndWrite() { write_.fetch_add(1, std::memory_order_release); }

	const float *BeginRead() {
		unsigned r = read_.load(std::memory_order_relaxed);
		if (r == write_.load(std::memory_order_acquire))
			return nullptr;
		return mem_ + (r % kQueueBlocks) * kBlock;
	}
	void EndRead() { read_.fetch_add(1, std::memory_order_release); }

private:
	float *mem_ = nullptr;
	std::atomic<unsigned> write_{0}, read_{0};
};

struct ProcessArgs {
	float *samples;
	cudaStream_t stream;
};

class Processor {
public:
	virtual ~Processor() = default;
	virtual void Prepare(cudaStream_t) {}
	virtual void Process(const ProcessArgs &args) = 0;
	/* host side bookkeeping, after the samples of a block are out */
	virtual void BlockDone() {}
};

class GainProcessor : public Processor {
public:
	GainProcessor() {
		Require(cudaMalloc(&gain_, sizeof(float)), "gain");
	}
	~GainProcessor() override { cudaFree(gain_); }
	void Set(float g, cudaStream_t stream) {
		value_ = g;
		Require(cudaMemcpyAsync(gain_, &value_, sizeof(float),
				cudaMemcpyHostToDevice, stream), "gain");
	}
	void Process(const ProcessArgs &args) override {
		GainKernel<<<1, kBlock, 0, args.stream>>>(args.samples, gain_);
	}

private:
	float *gain_ = nullptr;
	float value_ = 1.0f;
};

class OnePoleProcessor : public Processor {
public:
	explicit OnePoleProcessor(float k) : k_(k) {
		Require(cudaMalloc(&state_, sizeof(float)), "pole");
	}
	~OnePoleProcessor() override { cudaFree(state_); }
	void Prepare(cudaStream_t s) override {
		Require(cudaMemsetAsync(state_, 0, sizeof(float), s), "pole");
	}
	void Process(const ProcessArgs &args) override {
		OnePoleKernel<<<1, 1, 0, args.stream>>>(args.samples, state_, k_);
	}

private:
	float k_;
	float *state_ = nullptr;
};

class PeakMeter : public Processor {
public:
	explicit PeakMeter(unsigned interval) : interval_(interval) {
		Require(cudaMalloc(&dev_, sizeof(MeterState)), "meter");
	}
	~PeakMeter() override { cudaFree(dev_); }

	void Prepare(cudaStream_t s) override {
		Require(cudaMemsetAsync(dev_, 0, sizeof(MeterState), s), "meter");
		blocks_ = 0;
		last_seen_ = 0;
	}
	void Process(const ProcessArgs &args) override {
		AccumulatePeakKernel<<<1, 1, 0, args.stream>>>(args.samples, dev_);
		if (interval_ != 0)
			PublishPeakKernel<<<1, 1, 0, args.stream>>>(dev_, interval_);
	}
	void BlockDone() override {
		if (++blocks_ % interval_ == 0)
			last_seen_ = Read().reports;
	}
	unsigned LastSeen() const { return last_seen_; }
	MeterState Read() const {
		MeterState m;
		Require(cudaMemcpy(&m, dev_, sizeof m, cudaMemcpyDeviceToHost), "meter");
		return m;
	}

private:
	unsigned interval_;
	unsigned blocks_ = 0, last_seen_ = 0;
	MeterState *dev_ = nullptr;
};

class Engine {
public:
	Engine() {
		Require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
		Require(cudaMalloc(&buf_, kBlock * sizeof(float)), "buf");
		Require(cudaMallocHost(&out_, kBlock * sizeof(float)), "out");
	}
	~Engine() {
		if (exec_)
			cudaGraphExecDestroy(exec_);
		cudaFree(buf_);
		cudaFreeHost(out_);
		cudaStreamDestroy(stream_);
	}

	template <class P, class... A> P *Add(A &&...a) {
		auto p = std::make_unique<P>(std::forward<A>(a)...);
		P *raw = p.get();
		chain_.push_back(std::move(p));
		return raw;
	}

	void Prepare() {
		for (auto &p : chain_)
			p->Prepare(stream_);
		Require(cudaStreamSynchronize(stream_), "prepare");
		cudaGraph_t g;
		Require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
		RunChain();
		Require(cudaStreamEndCapture(stream_, &g), "end");
		Require(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
		Require(cudaGraphDestroy(g), "destroy");
	}

	/* called by the device thread; false if there was no input */
	bool Pump(BlockQueue &in) {
		const float *src = in.BeginRead();
		if (!src)
			return false;
		Require(cudaMemcpyAsync(buf_, src, kBlock * sizeof(float),
				cudaMemcpyHostToDevice, stream_), "in");
		Require(cudaGraphLaunch(exec_, stream_), "launch");
		Require(cudaStreamSynchronize(stream_), "block");
		in.EndRead();
		for (auto &p : chain_)
			p->BlockDone();
		return true;
	}
	const float *Output() const { return out_; }
	cudaStream_t Stream() const { return stream_; }

private:
	void RunChain() {
		ProcessArgs args{buf_, stream_};
		for (auto &p : chain_)
			p->Process(args);
		Require(cudaMemcpyAsync(out_, buf_, kBlock * sizeof(float),
				cudaMemcpyDeviceToHost, stream_), "out");
	}

	cudaStream_t stream_ = nullptr;
	float *buf_ = nullptr, *out_ = nullptr;
	cudaGraphExec_t exec_ = nullptr;
	std::vector<std::unique_ptr<Processor>> chain_;
};

} /* namespace audio */

int main() {
	using namespace audio;
	constexpr unsigned kInterval = 4;
	constexpr float kPole = 0.25f;
	Engine engine;
	BlockQueue queue;
	auto *gain = engine.Add<GainProcessor>();
	engine.Add<OnePoleProcessor>(kPole);
	auto *meter = engine.Add<PeakMeter>(kInterval);
	gain->Set(0.5f, engine.Stream());
	engine.Prepare();

	float y = 0.0f, running = 0.0f, reported = 0.0f, g = 0.5f;
	int meter_wrong = 0, audio_wrong = 0, first_wrong = 0;
	for (unsigned b = 1; b <= 14; b++) {
		if (b == 6)
			gain->Set(g = 0.75f, engine.Stream());
		float *dst = queue.BeginWrite();
		for (int i = 0; i < kBlock; i++)
			dst[i] = std::sin(0.05f * (b * kBlock + i)) * (1.0f + 0.1f * b);
		std::vector<float> want(dst, dst + kBlock);
		queue.EndWrite();
		if (!engine.Pump(queue))
			break;
		for (int i = 0; i < kBlock; i++) {
			y += kPole * (want[i] * g - y);
			running = std::max(running, std::fabs(y));
			audio_wrong += !(std::fabs(engine.Output()[i] - y) < 1e-4f);
		}
		if (b % kInterval == 0) {
			reported = running;
			running = 0.0f;
		}
		MeterState m = meter->Read();
		int bad = m.reports != b / kInterval || meter->LastSeen() != m.reports ||
			 !(std::fabs(m.reported - reported) < 1e-4f);
		meter_wrong += bad;
		if (b == 1)
			first_wrong = bad;
	}
	std::printf("audio_wrong=%d meter_wrong=%d\n", audio_wrong, meter_wrong);
	bool confirmed = audio_wrong == 0 && first_wrong == 0 && meter_wrong == 0;
	std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
	return 0;
}
