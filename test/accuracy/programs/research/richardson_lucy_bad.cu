// Richardson-Lucy deconvolution of a widefield stack slice. The region of interest can be changed by the user.
#include <cuda_runtime.h>
#include <cufft.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                         \
    do {                                                                                 \
        int rc_ = (int)(call);                                                           \
        if (rc_ != 0) {                                                                  \
            std::fprintf(stderr, "%s:%d: '%s' returned %d\n", __FILE__, __LINE__, #call, rc_); \
            std::exit(2);                                                                \
        }                                                                                \
    } while (0)

__global__ void cmul(cufftComplex* a, const cufftComplex* h, int n, float scale, float conj) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cufftComplex x = a[i], y = h[i];
    y.y *= conj;
    a[i].x = scale * (x.x * y.x - x.y * y.y);
    a[i].y = scale * (x.x * y.y + x.y * y.x);
}
__global__ void ratio(const float* img, float* blurred, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) blurred[i] = img[i] / fmaxf(blurred[i], 1e-4f);
}
__global__ void correct(float* est, const float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) est[i] *= fmaxf(c[i], 0.f);
}

struct FftPair {
    cufftHandle fwd = 0, inv = 0;
    cudaStream_t stream;

    FftPair(int ny, int nx, cudaStream_t s) : stream(s) {
        plan(ny, nx);
        OK(cufftSetStream(fwd, stream));
        OK(cufftSetStream(inv, stream));
    }
    ~FftPair() { drop(); }
    FftPair(const FftPair&) = delete;

    void refit(int ny, int nx) {
        drop();
        plan(ny, nx);
        OK(cufftSetStream(fwd, stream));
    }

private:
    void plan(int ny, int nx) {
        OK(cufftPlan2d(&fwd, ny, nx, CUFFT_R2C));
        OK(cufftPlan2d(&inv, ny, nx, CUFFT_C2R));
    }
    void drop() {
        cufftDestroy(fwd);
        cufftDestroy(inv);
    }
};

template <class F> cudaGraphExec_t record_once(cudaStream_t s, F f) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    f(s);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    return exec;
}

struct Stream {
    cudaStream_t s = nullptr;
    Stream() { OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(s); }
    Stream(const Stream&) = delete;
    operator cudaStream_t() const { return s; }
};

struct Deconvolver {
    int ny, nx;
    Stream stream;
    FftPair fft;
    float *img = nullptr, *est = nullptr, *tmp = nullptr;
    cufftComplex *spec = nullptr, *otf = nullptr;

    Deconvolver(int ny_, int nx_) : ny(ny_), nx(nx_), fft(ny_, nx_, stream) { allocate(); }
    ~Deconvolver() { release(); }
    Deconvolver(const Deconvolver&) = delete;

    int pix() const { return ny * nx; }
    int nspec() const { return ny * (nx / 2 + 1); }

    void allocate() {
        for (float** p : {&img, &est, &tmp}) OK(cudaMalloc(p, pix() * sizeof(float)));
        for (cufftComplex** p : {&spec, &otf}) OK(cudaMalloc(p, nspec() * sizeof(cufftComplex)));
    }
    void release() {
        for (void* p : {(void*)img, (void*)est, (void*)tmp, (void*)spec, (void*)otf}) cudaFree(p);
    }
    void set_roi(int ny_, int nx_) {
        OK(cudaDeviceSynchronize());
        release();
        ny = ny_;
        nx = nx_;
        allocate();
        fft.refit(ny, nx);
    }

    void load(const std::vector<float>& image, const std::vector<float>& psf) {
        OK(cudaDeviceSynchronize());
        size_t b = pix() * sizeof(float);
        OK(cudaMemcpyAsync(tmp, psf.data(), b, cudaMemcpyHostToDevice, stream));
        OK(cufftExecR2C(fft.fwd, tmp, otf));
        OK(cudaMemcpyAsync(img, image.data(), b, cudaMemcpyHostToDevice, stream));
        OK(cudaMemcpyAsync(est, img, b, cudaMemcpyDeviceToDevice, stream));
        OK(cudaStreamSynchronize(stream));
    }

    void convolve(const float* in, float* out, float conj, cudaStream_t s) {
        OK(cufftExecR2C(fft.fwd, const_cast<float*>(in), spec));
        cmul<<<(nspec() + 255) / 256, 256, 0, s>>>(spec, otf, nspec(), 1.f / pix(), conj);
        OK(cufftExecC2R(fft.inv, spec, out));                       // HAZARD escape
    }
    void iteration(cudaStream_t s) {
        int g = (pix() + 255) / 256;
        convolve(est, tmp, 1.f, s);
        ratio<<<g, 256, 0, s>>>(img, tmp, pix());
        convolve(tmp, tmp, -1.f, s);
        correct<<<g, 256, 0, s>>>(est, tmp, pix());
        OK(cudaGetLastError());
    }

    std::vector<float> run(int iters, bool graphs) {
        cudaGraphExec_t exec = nullptr;
        if (graphs) exec = record_once(stream, [this](cudaStream_t s) { iteration(s); });
        for (int i = 0; i < iters; i++) {
            if (exec) OK(cudaGraphLaunch(exec, stream));
            else iteration(stream);
        }
        std::vector<float> h(pix());
        OK(cudaMemcpyAsync(h.data(), est, pix() * sizeof(float), cudaMemcpyDeviceToHost, stream));
        OK(cudaStreamSynchronize(stream));
        if (exec) OK(cudaGraphExecDestroy(exec));
        return h;
    }
};

static void phantom(int ny, int nx, std::vector<float>& image, std::vector<float>& psf) {
    image.assign(ny * nx, 0.1f);
    psf.assign(ny * nx, 0.f);
    float sum = 0;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int dy = std::min(y, ny - y), dx = std::min(x, nx - x);
            sum += psf[y * nx + x] = std::exp(-0.2f * (dx * dx + dy * dy));
            if ((y / 9 + x / 7) % 4 == 0) image[y * nx + x] += 1.f + 0.02f * (x % 11);
        }
    for (float& p : psf) p /= sum;
}

int main(int argc, char** argv) {
    int roi = argc > 1 ? std::atoi(argv[1]) : 160, iters = argc > 2 ? std::atoi(argv[2]) : 20;
    std::vector<float> image, psf;
    Deconvolver fresh(roi, roi), live(96, 96);
    phantom(96, 96, image, psf);
    live.load(image, psf);
    live.run(iters, true);

    phantom(roi, roi, image, psf);
    live.set_roi(roi, roi);
    live.load(image, psf);
    fresh.load(image, psf);
    auto a = fresh.run(iters, false), b = live.run(iters, true);
    int off = 0;
    for (size_t i = 0; i < a.size(); i++) off += !(std::fabs(a[i] - b[i]) < 1e-3f);
    OK(cudaDeviceSynchronize());
    std::printf("roi %d: %d pixels differ\n", roi, off);
    std::puts(off > 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
