// Slide-level encoder for digital pathology: attention pooling over the tile features of a slide.
// Buffers come from a small block cache, as in most tensor runtimes.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#define CU(call)                                                                       \
    do {                                                                               \
        cudaError_t e_ = (call);                                                       \
        if (e_ != cudaSuccess) {                                                       \
            std::printf("%s:%d %s\nLABEL WRONG\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

constexpr int kFeat = 32;
constexpr int kMaxTiles = 4096;

// Rounds sizes up to powers of two and keeps released blocks for the next request of that size.
class BlockCache {
public:
    ~BlockCache() {
        for (void* p : all_) cudaFree(p);
    }
    void* take(size_t bytes, size_t& rounded) {
        rounded = 512;
        while (rounded < bytes) rounded *= 2;
        auto& bin = free_[rounded];
        if (!bin.empty()) {
            void* p = bin.back();
            bin.pop_back();
            return p;
        }
        void* p = nullptr;
        CU(cudaMalloc(&p, rounded));
        all_.push_back(p);
        return p;
    }
    void give(void* p, size_t rounded) { free_[rounded].push_back(p); }

private:
    std::map<size_t, std::vector<void*>> free_;
    std::vector<void*> all_;
};

class Block {
public:
    Block(BlockCache& c, size_t bytes) : cache_(c), p_(c.take(bytes, size_)) {}
    Block(const Block&) = delete;
    ~Block() { cache_.give(p_, size_); }
    template <class T>
    T* as() const { return static_cast<T*>(p_); }

private:
    BlockCache& cache_;
    size_t size_ = 0;
    void* p_;
};

struct Slide {
    int tiles;
    std::vector<int> features;  // tiles x kFeat
};

struct AttentionWeights {
    int w[kFeat];
};

__global__ void scoreTiles(const int* feat, AttentionWeights a, const int* tiles, int* score) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= *tiles) return;
    int s = 0;
    for (int f = 0; f < kFeat; ++f) s += feat[t * kFeat + f] * a.w[f];
    score[t] = s & 15;
}

__global__ void poolTiles(const int* feat, const int* score, const int* tiles, long long* out) {
    int f = threadIdx.x, n = *tiles;
    long long acc = 0;
    for (int t = 0; t < n; ++t) acc += (long long)score[t] * feat[t * kFeat + f];
    out[f] = acc;
}

// Keeps the optical-density reference of the scanner on the device for its whole life.
class StainNormalizer {
public:
    StainNormalizer(BlockCache& cache, const std::vector<int>& reference)
        : n_(reference.size()), table_(cache, n_ * sizeof(int)) {
        CU(cudaMemcpy(table_.as<int>(), reference.data(), n_ * sizeof(int), cudaMemcpyHostToDevice));
    }
    std::vector<int> reference() const {
        std::vector<int> v(n_);
        CU(cudaMemcpy(v.data(), table_.as<int>(), n_ * sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    size_t n_;
    Block table_;
};

class SlideEncoder {
public:
    SlideEncoder(BlockCache& cache, const AttentionWeights& w, cudaStream_t s)
        : cache_(cache), weights_(w), stream_(s), feat_(cache, size_t(kMaxTiles) * kFeat * sizeof(int)),
          pooled_(cache, kFeat * sizeof(long long)), score_(cache, kMaxTiles * sizeof(int)),
          tiles_(cache, sizeof(int)) {
        CU(cudaMallocHost(&host_, kFeat * sizeof(long long)));
        CU(cudaMallocHost(&tilesHost_, sizeof(int)));
        warmUp();
        record();
    }
    ~SlideEncoder() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(host_);
        cudaFreeHost(tilesHost_);
    }

    std::vector<long long> encode(const Slide& slide) {
        CU(cudaMemcpyAsync(feat_.as<int>(), slide.features.data(), slide.features.size() * sizeof(int),
                           cudaMemcpyHostToDevice, stream_));
        *tilesHost_ = slide.tiles;
        CU(cudaGraphLaunch(exec_, stream_));
        CU(cudaStreamSynchronize(stream_));
        return {host_, host_ + kFeat};
    }

private:
    // Loads the kernels and brings the clocks up; the tiles and the result of this run are thrown away.
    void warmUp() {
        Block score(cache_, kMaxTiles * sizeof(int)), out(cache_, kFeat * sizeof(long long));
        CU(cudaMemsetAsync(tiles_.as<int>(), 0, sizeof(int), stream_));
        forward(score.as<int>(), out.as<long long>());
        CU(cudaStreamSynchronize(stream_));
    }

    void forward(int* score, long long* out) {
        const int threads = 128, tiles = kMaxTiles;
        AttentionWeights local = weights_;
        CU(cudaMemsetAsync(score, 0, kMaxTiles * sizeof(int), stream_));
        scoreTiles<<<(tiles + threads - 1) / threads, threads, 0, stream_>>>(feat_.as<int>(), local,
                                                                             tiles_.as<int>(), score);
        poolTiles<<<1, kFeat, 0, stream_>>>(feat_.as<int>(), score, tiles_.as<int>(), out);
        CU(cudaGetLastError());
    }

    void record() {
        cudaGraph_t graph;
        CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        CU(cudaMemcpyAsync(tiles_.as<int>(), tilesHost_, sizeof(int), cudaMemcpyHostToDevice, stream_));
        forward(score_.as<int>(), pooled_.as<long long>());
        CU(cudaMemcpyAsync(host_, pooled_.as<long long>(), kFeat * sizeof(long long), cudaMemcpyDeviceToHost,
                           stream_));
        CU(cudaStreamEndCapture(stream_, &graph));
        CU(cudaGraphInstantiate(&exec_, graph, 0));
        CU(cudaGraphDestroy(graph));
    }

    BlockCache& cache_;
    AttentionWeights weights_;
    cudaStream_t stream_;
    Block feat_, pooled_, score_, tiles_;
    long long* host_ = nullptr;
    int* tilesHost_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static Slide makeSlide(int tiles, unsigned seed) {
    Slide s{tiles, std::vector<int>(size_t(tiles) * kFeat)};
    for (auto& v : s.features) {
        seed = seed * 1664525u + 1013904223u;
        v = int(seed >> 25) + 1;
    }
    return s;
}

static std::vector<long long> encodeOnCpu(const Slide& s, const AttentionWeights& a) {
    std::vector<long long> out(kFeat, 0);
    for (int t = 0; t < s.tiles; ++t) {
        int score = 0;
        for (int f = 0; f < kFeat; ++f) score += s.features[t * kFeat + f] * a.w[f];
        for (int f = 0; f < kFeat; ++f) out[f] += (long long)(score & 15) * s.features[t * kFeat + f];
    }
    return out;
}

int main() {
    AttentionWeights w;
    for (int f = 0; f < kFeat; ++f) w.w[f] = (f * 7) % 11 - 4;

    cudaStream_t stream;
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    BlockCache cache;
    int wrongSlides = 0;
    bool firstRight = false, referenceKept = false;
    {
        SlideEncoder encoder(cache, w, stream);
        Slide biopsy = makeSlide(700, 1), resection = makeSlide(3900, 2), smear = makeSlide(90, 3);
        firstRight = encoder.encode(biopsy) == encodeOnCpu(biopsy, w);

        std::vector<int> reference(kMaxTiles);
        std::iota(reference.begin(), reference.end(), 100000);
        StainNormalizer normalizer(cache, reference);
        for (const Slide* s : {&resection, &smear, &biopsy, &resection})
            wrongSlides += encoder.encode(*s) != encodeOnCpu(*s, w);
        referenceKept = normalizer.reference() == reference;
    }
    std::printf("first slide right: %d, wrong slides after it: %d, reference kept: %d\n", firstRight, wrongSlides,
                referenceKept);
    CU(cudaStreamDestroy(stream));
    std::printf(firstRight && wrongSlides == 0 && referenceKept ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
