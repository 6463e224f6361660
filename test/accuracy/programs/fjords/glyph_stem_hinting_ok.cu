// inkwell: header style library for the measurement of stems in glyph bitmaps (input of an automatic hinter).
//
// A Hinter is assembled from a memory policy, an arena, and stages (CRTP); it records its stages into a graph once and
// replays them for each glyph. The arena is shared with the other tables of a font.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <vector>

namespace inkwell {
constexpr int kEdge = 64;
constexpr int kMaxBoxes = 4;
constexpr int kRelaxRounds = 2000000;

inline void ck(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(rc));
        throw std::runtime_error(what);
    }
}

struct Box { int x0, y0, x1, y1; };
struct Glyph { Box box[kMaxBoxes]; };

// ---------------------------------------------------------------------------------------------------------- memory

struct DeviceMemory {
    static void* allocate(std::size_t n) { void* p = nullptr; ck(cudaMalloc(&p, n), "device memory"); return p; }
    static void release(void* p) { cudaFree(p); }
};

struct PinnedMemory {
    static void* allocate(std::size_t n) { void* p = nullptr; ck(cudaMallocHost(&p, n), "pinned memory"); return p; }
    static void release(void* p) { cudaFreeHost(p); }
};

template <class T, class Memory> class Block {
public:
    explicit Block(std::size_t n) : data_(static_cast<T*>(Memory::allocate(n * sizeof(T)))) {}
    ~Block() { Memory::release(data_); }
    Block(const Block&) = delete;
    T* data() const { return data_; }

private:
    T* data_;
};

template <class Memory> class Arena {
public:
    explicit Arena(std::size_t bytes) : store_(bytes), size_(bytes) {}
    template <class T> T* take(std::size_t n) {
        const std::size_t at = (used_ + 255) & ~std::size_t(255);
        if (at + n * sizeof(T) > size_) throw std::bad_alloc();
        used_ = at + n * sizeof(T);
        return reinterpret_cast<T*>(store_.data() + at);
    }
    std::size_t mark() const { return used_; }
    void rewind(std::size_t m) { used_ = m; }

private:
    Block<char, Memory> store_;
    std::size_t size_, used_ = 0;
};

template <class A> class ArenaScope {
public:
    explicit ArenaScope(A& arena) : arena_(arena), mark_(arena.mark()) {}
    ~ArenaScope() { arena_.rewind(mark_); }

private:
    A& arena_;
    std::size_t mark_;
};

struct Rows {
    static constexpr int index = 0;
    __host__ __device__ static int at(int line, int k) { return line * kEdge + k; }
};
struct Columns {
    static constexpr int index = 1;
    __host__ __device__ static int at(int line, int k) { return k * kEdge + line; }
};

__global__ void rasterize(const Glyph* g, float* coverage) {
    const int x = threadIdx.x, y = blockIdx.x;
    float c = 0.0f;
    for (const Box& b : g->box)
        if (x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1) c = 1.0f;
    coverage[y * kEdge + x] = c;
}

template <class Axis> __global__ void project(const float* coverage, float* profile) {
    float sum = 0.0f;
    for (int k = 0; k < kEdge; ++k) sum += coverage[Axis::at(threadIdx.x, k)];
    profile[threadIdx.x] = sum;
}

__global__ void relaxWeights(float* weights, int rounds) {
    const float target = (threadIdx.x + 1) / float(kEdge);
    float w = 0.0f;
    for (int r = 0; r < rounds; ++r) w = fmaf(target - w, 0.25f, w);
    weights[threadIdx.x] = w;
}

__global__ void measureStems(const float* profile, const float* weights, float* stems) {
    stems[threadIdx.x] = profile[threadIdx.x] * weights[threadIdx.x];
}
// ----------------------------------------------------------------------------------------------------------- stages

struct Frame {
    Glyph* hostGlyph;
    Glyph* glyph;
    float* coverage;
    float* profile;  // two axes
    float* weights;  // two axes
    float* stems;    // two axes
    float* hostStems;
};

template <class Derived> struct Stage {
    void operator()(cudaStream_t s, const Frame& f) const {
        static_cast<const Derived*>(this)->emit(s, f);
        ck(cudaGetLastError(), Derived::name);
    }
};

struct Raster : Stage<Raster> {
    static constexpr const char* name = "raster";
    void emit(cudaStream_t s, const Frame& f) const {
        ck(cudaMemcpyAsync(f.glyph, f.hostGlyph, sizeof(Glyph), cudaMemcpyHostToDevice, s), name);
        rasterize<<<kEdge, kEdge, 0, s>>>(f.glyph, f.coverage);
    }
};

template <class Axis> struct Stems : Stage<Stems<Axis>> {
    static constexpr const char* name = "stems";
    void emit(cudaStream_t s, const Frame& f) const {
        constexpr int offset = Axis::index * kEdge;
        project<Axis><<<1, kEdge, 0, s>>>(f.coverage, f.profile + offset);
        relaxWeights<<<1, kEdge, 0, s>>>(f.weights + offset, kRelaxRounds);
        measureStems<<<1, kEdge, 0, s>>>(f.profile + offset, f.weights + offset, f.stems + offset);
    }
};

class ForkJoin {
public:
    ForkJoin() {
        ck(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking), "side stream");
        ck(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), "event");
        ck(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming), "event");
    }
    ~ForkJoin() {
        cudaEventDestroy(fork_);
        cudaEventDestroy(join_);
        cudaStreamDestroy(side_);
    }
    template <class First, class Second> void run(cudaStream_t s, const Frame& f, const First& a, const Second& b) const {
        ck(cudaEventRecord(fork_, s), "fork");
        ck(cudaStreamWaitEvent(side_, fork_, 0), "fork");
        a(s, f);
        b(side_, f);
        ck(cudaEventRecord(join_, side_), "join");
        ck(cudaStreamWaitEvent(s, join_, 0), "join");
    }

private:
    cudaStream_t side_ = nullptr;
    cudaEvent_t fork_ = nullptr, join_ = nullptr;
};

template <class ArenaT, class Lanes = ForkJoin> class Hinter {
public:
    explicit Hinter(ArenaT& arena)
        : arena_(arena), hostGlyph_(1), hostStems_(2 * kEdge), glyph_(1),
          coverage_(arena.template take<float>(kEdge * kEdge)), profile_(2 * kEdge), weights_(2 * kEdge), stems_(2 * kEdge) {
        ck(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        prime();
        record();
    }
    ~Hinter() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    const float* measure(const Glyph& g) {
        *hostGlyph_.data() = g;
        ck(cudaGraphLaunch(exec_, stream_), "launch");
        ck(cudaStreamSynchronize(stream_), "measure");
        return hostStems_.data();
    }

private:
    // Runs the raster stage once on an empty glyph, so that the kernels are loaded before the first measurement.
    void prime() {
        ArenaScope<ArenaT> scope(arena_);
        Frame f{};
        f.hostGlyph = hostGlyph_.data();
        f.glyph = glyph_.data();
        f.coverage = arena_.template take<float>(kEdge * kEdge);
        *f.hostGlyph = Glyph{};
        Raster{}(stream_, f);
        ck(cudaStreamSynchronize(stream_), "prime");
    }

    void record() {
        const Frame f{hostGlyph_.data(), glyph_.data(), coverage_,        profile_.data(),
                      weights_.data(),   stems_.data(), hostStems_.data()};
        ck(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        cudaGraph_t graph = nullptr;
        try {
            Raster{}(stream_, f);
            lanes_.run(stream_, f, Stems<Rows>{}, Stems<Columns>{});
            ck(cudaMemcpyAsync(f.hostStems, f.stems, 2 * kEdge * sizeof(float), cudaMemcpyDeviceToHost, stream_), "stems");
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        ck(cudaStreamEndCapture(stream_, &graph), "end");
        ck(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        ck(cudaGraphDestroy(graph), "graph");
    }

    ArenaT& arena_;
    Lanes lanes_;
    Block<Glyph, PinnedMemory> hostGlyph_;
    Block<float, PinnedMemory> hostStems_;
    Block<Glyph, DeviceMemory> glyph_;
    float* coverage_;
    Block<float, DeviceMemory> profile_, weights_, stems_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

template <class ArenaT> class KerningTable {
public:
    KerningTable(ArenaT& arena, const std::vector<int>& pairs) : n_(pairs.size()), data_(arena.template take<int>(n_)) {
        ck(cudaMemcpy(data_, pairs.data(), n_ * sizeof(int), cudaMemcpyHostToDevice), "kerning");
    }
    std::vector<int> read() const {
        std::vector<int> v(n_);
        ck(cudaMemcpy(v.data(), data_, n_ * sizeof(int), cudaMemcpyDeviceToHost), "kerning");
        return v;
    }

private:
    std::size_t n_;
    int* data_;
};

}  // namespace inkwell

// ------------------------------------------------------------------------------------------------------- self-test

using namespace inkwell;

template <class Axis> static bool axisMatches(const Glyph& g, const float* stems) {
    bool same = true;
    for (int line = 0; line < kEdge; ++line) {
        float sum = 0.0f;
        for (int k = 0; k < kEdge; ++k) {
            const int p = Axis::at(line, k), x = p % kEdge, y = p / kEdge;
            bool in = false;
            for (const Box& b : g.box) in |= x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1;
            sum += in ? 1.0f : 0.0f;
        }
        same &= std::fabs(stems[Axis::index * kEdge + line] - sum * (line + 1) / kEdge) < 1e-3f;
    }
    return same;
}

int main() {
    const Glyph glyphs[3] = {{{{8, 4, 16, 60}, {16, 52, 50, 60}}},
                             {{{28, 4, 36, 60}, {10, 4, 54, 12}}},
                             {{{8, 4, 16, 60}, {16, 4, 48, 10}, {16, 28, 40, 34}}}};
    std::vector<int> pairs(2000);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = 7000 + int(i);
    bool good = false;
    try {
        Arena<DeviceMemory> arena(1 << 20);
        Hinter<Arena<DeviceMemory>> hinter(arena);
        KerningTable<Arena<DeviceMemory>> kerning(arena, pairs);
        const bool before = kerning.read() == pairs;
        int both = 0;
        for (const Glyph& g : glyphs) {
            const float* stems = hinter.measure(g);
            both += axisMatches<Rows>(g, stems) && axisMatches<Columns>(g, stems);
        }
        const bool after = kerning.read() == pairs;
        std::printf("glyphs with both axes right: %d of 3, kerning intact before %d after %d\n", both, before, after);
        good = both == 3 && before && after && cudaGetLastError() == cudaSuccess;
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return good ? 0 : 1;
}
