/* Block codec in the manner of C: a table of functions per profile, and the driver API for streams and graphs. The decode
 * path of a codec is captured when it is opened and replayed for each picture. */
#include <cuda.h>
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 64
#define BLOCKS 40

struct codec;

struct codec_ops {
    const char *profile;
    void (*fill_table)(float *table, int quality);
    CUresult (*record_decode)(struct codec *c);
};

struct codec {
    const struct codec_ops *ops;
    CUstream stream;
    CUgraphExec exec;
    CUdeviceptr coefs;
    CUdeviceptr table;
    CUdeviceptr pixels;
    float *host_table; /* lives as long as the codec */
    int quality;
};

__global__ void dequantize(const float *coefs, const float *table, float *pixels) {
    const int at = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    pixels[at] = coefs[at] * table[threadIdx.x];
}

__global__ void level_shift(float *pixels, float shift) { pixels[blockIdx.x * BLOCK_SIZE + threadIdx.x] += shift; }

static void fill_flat(float *table, int quality) {
    for (int i = 0; i < BLOCK_SIZE; i++) table[i] = 1.0f + 0.1f * (float)quality;
}

static void fill_ramp(float *table, int quality) {
    for (int i = 0; i < BLOCK_SIZE; i++) table[i] = 1.0f + 0.01f * (float)(quality * (i + 1));
}

static CUresult upload_table(struct codec *c) {
    if (!c->host_table) c->host_table = (float *)malloc(BLOCK_SIZE * sizeof(float));
    if (!c->host_table) return CUDA_ERROR_OUT_OF_MEMORY;
    c->ops->fill_table(c->host_table, c->quality);
    return cuMemcpyHtoDAsync(c->table, c->host_table, BLOCK_SIZE * sizeof(float), c->stream);
}

static void codec_set_quality(struct codec *c, int quality) {
    c->quality = quality;
    c->ops->fill_table(c->host_table, quality); /* the stream is idle between two pictures */
}

static CUresult record_intra(struct codec *c) {
    CUresult rc = upload_table(c);
    if (rc != CUDA_SUCCESS) return rc;
    dequantize<<<BLOCKS, BLOCK_SIZE, 0, c->stream>>>((const float *)c->coefs, (const float *)c->table, (float *)c->pixels);
    level_shift<<<BLOCKS, BLOCK_SIZE, 0, c->stream>>>((float *)c->pixels, 128.0f);
    return cudaGetLastError() == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult record_lossless(struct codec *c) {
    CUresult rc = upload_table(c);
    if (rc != CUDA_SUCCESS) return rc;
    dequantize<<<BLOCKS, BLOCK_SIZE, 0, c->stream>>>((const float *)c->coefs, (const float *)c->table, (float *)c->pixels);
    return cudaGetLastError() == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

static const struct codec_ops profiles[] = {
    {"intra", fill_ramp, record_intra},
    {"lossless", fill_flat, record_lossless},
};

static CUresult codec_open(struct codec *c, const char *profile, int quality) {
    CUgraph graph = NULL;
    CUresult rc, ended;
    size_t i;
    memset(c, 0, sizeof(*c));
    for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
        if (!strcmp(profiles[i].profile, profile)) c->ops = &profiles[i];
    if (!c->ops) return CUDA_ERROR_INVALID_VALUE;
    c->quality = quality;
    if ((rc = cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING)) != CUDA_SUCCESS) return rc;
    if ((rc = cuMemAlloc(&c->coefs, BLOCKS * BLOCK_SIZE * sizeof(float))) != CUDA_SUCCESS) return rc;
    if ((rc = cuMemAlloc(&c->pixels, BLOCKS * BLOCK_SIZE * sizeof(float))) != CUDA_SUCCESS) return rc;
    if ((rc = cuMemAlloc(&c->table, BLOCK_SIZE * sizeof(float))) != CUDA_SUCCESS) return rc;

    if ((rc = cuStreamBeginCapture(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)) != CUDA_SUCCESS) return rc;
    rc = c->ops->record_decode(c);
    ended = cuStreamEndCapture(c->stream, &graph);
    if (rc == CUDA_SUCCESS) rc = ended;
    if (rc == CUDA_SUCCESS) rc = cuGraphInstantiate(&c->exec, graph, 0);
    if (graph) cuGraphDestroy(graph);
    return rc;
}

static CUresult codec_decode(struct codec *c, const float *coefs, float *pixels) {
    const size_t bytes = BLOCKS * BLOCK_SIZE * sizeof(float);
    CUresult rc = cuMemcpyHtoDAsync(c->coefs, coefs, bytes, c->stream);
    if (rc == CUDA_SUCCESS) rc = cuGraphLaunch(c->exec, c->stream);
    if (rc == CUDA_SUCCESS) rc = cuMemcpyDtoHAsync(pixels, c->pixels, bytes, c->stream);
    if (rc == CUDA_SUCCESS) rc = cuStreamSynchronize(c->stream);
    return rc;
}

static void codec_close(struct codec *c) {
    if (c->exec) cuGraphExecDestroy(c->exec);
    cuMemFree(c->coefs);
    cuMemFree(c->pixels);
    cuMemFree(c->table);
    free(c->host_table);
    cuStreamDestroy(c->stream);
}

int main(void) {
    static float coefs[BLOCKS * BLOCK_SIZE], pixels[BLOCKS * BLOCK_SIZE];
    int wrong_pictures = 0, picture, i;
    struct codec c;
    CUresult rc;
    cudaFree(0);
    rc = codec_open(&c, "intra", 5);
    for (picture = 0; rc == CUDA_SUCCESS && picture < 3; picture++) {
        int wrong = 0;
        if (picture == 2) codec_set_quality(&c, 9);
        for (i = 0; i < BLOCKS * BLOCK_SIZE; i++) coefs[i] = (float)((i * 7 + picture) % 31 + 1);
        rc = codec_decode(&c, coefs, pixels);
        for (i = 0; i < BLOCKS * BLOCK_SIZE; i++) {
            const float step = 1.0f + 0.01f * (float)(c.quality * (i % BLOCK_SIZE + 1));
            if (!(fabsf(pixels[i] - (coefs[i] * step + 128.0f)) < 0.01f)) wrong++;
        }
        printf("picture %d: status %d, %d wrong pixels\n", picture, (int)rc, wrong);
        if (wrong) wrong_pictures++;
    }
    if (rc != CUDA_SUCCESS || wrong_pictures != 0) {
        printf("LABEL NOT CONFIRMED: status %d, %d wrong pictures\n", (int)rc, wrong_pictures);
        return 1;
    }
    codec_close(&c);
    printf("LABEL CONFIRMED\n");
    return 0;
}
