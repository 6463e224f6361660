// level-synchronous BFS on a CSR graph; one level per graph launch
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <random>
#include <vector>

static void die(const char* what, cudaError_t e) {
    printf("%s: %s\nLABEL REFUTED\n", what, cudaGetErrorString(e));
    exit(0);
}
#define CU(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) die(#x, e_); } while (0)

struct csr {
    int n;
    std::vector<int> row, col;
};

// random digraph, out-degree 1..8
csr make_graph(int n, unsigned seed) {
    std::mt19937 rng(seed);
    csr g;
    g.n = n;
    g.row.push_back(0);
    for (int v = 0; v < n; v++) {
        int deg = 1 + rng() % 8;
        for (int k = 0; k < deg; k++) g.col.push_back(rng() % n);
        g.row.push_back((int)g.col.size());
    }
    return g;
}

__global__ void expand(const int* row, const int* col, int* dist, const int* front, const int* nfront,
                       int* next, int* nnext) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *nfront; i += gridDim.x * blockDim.x) {
        int v = front[i];
        for (int e = row[v]; e < row[v + 1]; e++) {
            int w = col[e];
            if (atomicCAS(&dist[w], -1, dist[v] + 1) == -1) next[atomicAdd(nnext, 1)] = w;
        }
    }
}

// next becomes the frontier
__global__ void promote(int* front, int* nfront, const int* next, int* nnext) {
    int n = *nnext;
    for (int i = threadIdx.x; i < n; i += blockDim.x) front[i] = next[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        *nfront = n;
        *nnext = 0;
    }
}

struct stream_capture {
    cudaStream_t s;
    cudaGraphExec_t* out;
    stream_capture(cudaStream_t s_, cudaGraphExec_t* out_) : s(s_), out(out_) {
        CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    }
    ~stream_capture() {
        cudaGraph_t g;
        CU(cudaStreamEndCapture(s, &g));
        CU(cudaGraphInstantiate(out, g, 0));
        CU(cudaGraphDestroy(g));
    }
};

struct bfs_bufs {
    int *row, *col, *dist, *front, *nfront, *next, *nnext;
};

template <class T>
T* upload(const std::vector<T>& v) {
    T* p;
    CU(cudaMalloc(&p, v.size() * sizeof(T)));
    CU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main() {
    csr g = make_graph(20000, 7);
    const int src = 0;

    bfs_bufs b;
    std::vector<int> dist(g.n, -1), front(g.n, 0);
    dist[src] = 0;
    front[0] = src;
    b.row = upload(g.row);
    b.col = upload(g.col);
    b.dist = upload(dist);
    b.front = upload(front);
    b.next = upload(front);
    b.nfront = upload(std::vector<int>{1});
    b.nnext = upload(std::vector<int>{0});
    CU(cudaDeviceSynchronize());

    cudaStream_t s;
    CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    cudaGraphExec_t level = nullptr;

    int nf = 1, depth = 0;
    while (nf > 0 && depth < 1000) {
        if (!level) {
            stream_capture cap(s, &level);
            expand<<<128, 256, 0, s>>>(b.row, b.col, b.dist, b.front, b.nfront, b.next, b.nnext);
            promote<<<1, 1024, 0, s>>>(b.front, b.nfront, b.next, b.nnext);
        }
        CU(cudaGraphLaunch(level, s));
        CU(cudaMemcpyAsync(&nf, b.nfront, sizeof(int), cudaMemcpyDeviceToHost, s));
        CU(cudaStreamSynchronize(s));
        depth++;
    }

    CU(cudaMemcpy(dist.data(), b.dist, g.n * sizeof(int), cudaMemcpyDeviceToHost));

    // host check
    std::vector<int> ref(g.n, -1);
    std::queue<int> q;
    ref[src] = 0;
    q.push(src);
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        for (int e = g.row[v]; e < g.row[v + 1]; e++)
            if (ref[g.col[e]] < 0) {
                ref[g.col[e]] = ref[v] + 1;
                q.push(g.col[e]);
            }
    }
    int diff = 0;
    for (int v = 0; v < g.n; v++) diff += dist[v] != ref[v];
    printf("levels %d, vertices with wrong distance %d of %d\n", depth, diff, g.n);

    CU(cudaGraphExecDestroy(level));
    CU(cudaStreamDestroy(s));
    for (int* p : {b.row, b.col, b.dist, b.front, b.nfront, b.next, b.nnext}) CU(cudaFree(p));
    printf("%s\n", diff ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
