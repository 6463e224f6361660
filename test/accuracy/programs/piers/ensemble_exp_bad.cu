// ensemble_exp.cu -- quick check if the two halves of the ensemble can share one GPU without slowing each other down
//
//   phase 1: members one after the other (numbers for the paper)
//   phase 2: members side by side
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

using std::map;
using std::string;
using std::vector;

int errors = 0;
#define CU(call) do { cudaError_t rc__ = (call); if (rc__) { ++errors; fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(rc__)); } } while (0)

const int N = 2048;
const int NEWTON = 150000;   // far more than needed: stands for the real (slow) inner solver

struct Member {
    float scale;
    float bias;
    float shift;
};

const map<string, Member> members = {{"left", {1.5f, 0.25f, 2.0f}}, {"right", {-2.0f, 4.0f, 3.0f}}};

map<string, float*> buf;
map<string, cudaStream_t> st;
map<string, cudaGraphExec_t> G;
map<string, double> seconds;

__global__ void embed(const float* x, float* h, float scale, float bias, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) h[i] = scale * x[i] + bias;
}

// sqrt(x + shift) by Newton's method
__global__ void solve(const float* x, float* root, float shift, int iters, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float a = x[i] + shift, y = a;
    for (int k = 0; k < iters; k++) y = 0.5f * (y + a / y);
    root[i] = y;
}

__global__ void head(const float* h, const float* root, float* out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = h[i] * root[i];
}

__global__ void mean2(const float* a, const float* b, float* m, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) m[i] = 0.5f * (a[i] + b[i]);
}

float* get(const string& name)
{
    auto it = buf.find(name);
    if (it != buf.end()) return it->second;
    float* p = nullptr;
    CU(cudaMalloc(&p, N * sizeof(float)));
    return buf[name] = p;
}

vector<float> make_x(int epoch)
{
    vector<float> x(N);
    for (int i = 0; i < N; i++) x[i] = 1.0f + 0.5f * std::sin(0.02f * i * (epoch + 1));
    return x;
}

float member_ref(const Member& m, float x) { return (m.scale * x + m.bias) * std::sqrt(x + m.shift); }

int main()
{
    for (auto& kv : members) CU(cudaStreamCreateWithFlags(&st[kv.first], cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&st["io"], cudaStreamNonBlocking));

    // all buffers first, so that nothing is allocated later
    for (string name : {"x", "hidden", "mean"}) get(name);
    for (auto& kv : members) {
        get(kv.first + ".root");
        get(kv.first + ".out");
    }

    auto forward = [&](const string& who, cudaStream_t s) {
        const Member& m = members.at(who);
        embed<<<N / 128, 128, 0, s>>>(get("x"), get("hidden"), m.scale, m.bias, N); // HAZARD concurrent #hidden
        solve<<<N / 128, 128, 0, s>>>(get("x"), get(who + ".root"), m.shift, NEWTON, N);
        head<<<N / 128, 128, 0, s>>>(get("hidden"), get(who + ".root"), get(who + ".out"), N); // HAZARD concurrent #hidden
        CU(cudaGetLastError());
    };

    auto build = [&](const string& who) {
        cudaGraph_t g = nullptr;
        CU(cudaStreamBeginCapture(st[who], cudaStreamCaptureModeThreadLocal));
        forward(who, st[who]);
        CU(cudaStreamEndCapture(st[who], &g));
        CU(cudaGraphInstantiate(&G[who], g, 0));
        CU(cudaGraphDestroy(g));
    };

    auto load = [&](int epoch) {
        vector<float> x = make_x(epoch);
        CU(cudaMemcpyAsync(get("x"), x.data(), N * sizeof(float), cudaMemcpyHostToDevice, st["io"]));
        CU(cudaStreamSynchronize(st["io"]));
    };

    auto combine = [&] {
        mean2<<<N / 128, 128, 0, st["io"]>>>(get("left.out"), get("right.out"), get("mean"), N);
        CU(cudaStreamSynchronize(st["io"]));
    };

    auto error_of = [&](const string& name, int epoch) {
        vector<float> y(N), x = make_x(epoch);
        CU(cudaMemcpy(y.data(), get(name), N * sizeof(float), cudaMemcpyDeviceToHost));
        float worst = 0;
        for (int i = 0; i < N; i++) {
            float l = member_ref(members.at("left"), x[i]), r = member_ref(members.at("right"), x[i]);
            float want = name == "left.out" ? l : name == "right.out" ? r : 0.5f * (l + r);
            worst = std::fmax(worst, std::fabs(y[i] - want));
        }
        return worst;
    };

    auto timed = [&](const string& label, const std::function<void()>& f) {
        auto t0 = std::chrono::steady_clock::now();
        f();
        seconds[label] += std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    };

    auto serial = [&] {
        for (auto& kv : members) {
            CU(cudaGraphLaunch(G[kv.first], st[kv.first]));
            CU(cudaStreamSynchronize(st[kv.first]));
        }
    };

    auto parallel = [&] {
        for (auto& kv : members) CU(cudaGraphLaunch(G[kv.first], st[kv.first])); // HAZARD concurrent #hidden
        for (auto& kv : members) CU(cudaStreamSynchronize(st[kv.first]));
    };

    for (auto& kv : members) build(kv.first);

    bool serial_ok = true, parallel_ok = true;
    for (int epoch = 0; epoch < 6; epoch++) {
        const bool side_by_side = epoch >= 3;
        load(epoch);
        if (side_by_side) timed("parallel", parallel);
        else timed("serial", serial);
        combine();

        float worst = 0;
        for (string name : {"left.out", "right.out", "mean"}) {
            float e = error_of(name, epoch);
            printf("epoch %d  %-9s  err %.3g\n", epoch, name.c_str(), e);
            worst = std::fmax(worst, e);
        }
        (side_by_side ? parallel_ok : serial_ok) &= worst < 1e-3f;
    }
    printf("serial %.4f s, parallel %.4f s\n", seconds["serial"], seconds["parallel"]);

    for (auto& kv : G) CU(cudaGraphExecDestroy(kv.second));
    for (auto& kv : buf) CU(cudaFree(kv.second));
    for (auto& kv : st) CU(cudaStreamDestroy(kv.second));

    bool seen = serial_ok && !parallel_ok && errors == 0;
    printf("%s\n", seen ? "LABEL CONFIRMED" : "LABEL WRONG");
    return seen ? 0 : 1;
}
