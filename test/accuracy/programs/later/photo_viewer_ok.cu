// Photo viewer in the style of C: a table of operations, an opaque device, and a view that the user can resize.
// Drawing a view (exposure, then clear of the overlay) is a graph.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PIXELS (256 * 256)
#define TRY(call)                                                                  \
    do {                                                                           \
        cudaError_t rc_ = (call);                                                  \
        if (rc_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d %s\n", __func__, __LINE__, cudaGetErrorName(rc_)); \
            return -1;                                                             \
        }                                                                          \
    } while (0)

struct view {
    int width, height;
    unsigned char *photo, *screen, *overlay;
    float *exposure; /* on the device, so that a slider can change it */
    cudaStream_t stream;
    cudaGraphExec_t redraw;
};

struct view_ops {
    int (*open)(struct view *v, int width, int height);
    int (*resize)(struct view *v, int width, int height);
    int (*expose)(struct view *v, float factor);
    int (*draw)(struct view *v);
    void (*close)(struct view *v);
};

__global__ void expose_pixels(const unsigned char *photo, unsigned char *screen, const float *factor, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) screen[i] = (unsigned char)fminf(255.0f, photo[i] * *factor);
}

static int soft_open(struct view *v, int width, int height)
{
    memset(v, 0, sizeof *v);
    v->width = width;
    v->height = height;
    TRY(cudaMalloc(&v->photo, MAX_PIXELS));
    TRY(cudaMalloc(&v->screen, MAX_PIXELS));
    TRY(cudaMalloc(&v->overlay, MAX_PIXELS));
    TRY(cudaMalloc(&v->exposure, sizeof(float)));
    TRY(cudaMemset(v->photo, 40, MAX_PIXELS));
    TRY(cudaMemset(v->screen, 0, MAX_PIXELS));
    TRY(cudaMemset(v->overlay, 7, MAX_PIXELS));
    TRY(cudaStreamCreate(&v->stream));
    return 0;
}

static int soft_resize(struct view *v, int width, int height)
{
    if (width * height > MAX_PIXELS) return -1;
    v->width = width;
    v->height = height;
    if (v->redraw) {
        TRY(cudaStreamSynchronize(v->stream));
        TRY(cudaGraphExecDestroy(v->redraw));
        v->redraw = NULL;
    }
    return 0;
}

static int soft_expose(struct view *v, float factor)
{
    TRY(cudaMemcpyAsync(v->exposure, &factor, sizeof factor, cudaMemcpyHostToDevice, v->stream));
    TRY(cudaStreamSynchronize(v->stream));
    return 0;
}

static int record(struct view *v)
{
    cudaGraph_t graph;
    int pixels = v->width * v->height;
    TRY(cudaStreamBeginCapture(v->stream, cudaStreamCaptureModeGlobal));
    expose_pixels<<<(pixels + 255) / 256, 256, 0, v->stream>>>(v->photo, v->screen, v->exposure, pixels);
    cudaMemsetAsync(v->overlay, 0, pixels, v->stream);
    TRY(cudaStreamEndCapture(v->stream, &graph));
    TRY(cudaGraphInstantiate(&v->redraw, graph, 0));
    TRY(cudaGraphDestroy(graph));
    return 0;
}

static int soft_draw(struct view *v)
{
    if (v->redraw == NULL && record(v) != 0) return -1;
    TRY(cudaGraphLaunch(v->redraw, v->stream));
    TRY(cudaStreamSynchronize(v->stream));
    return 0;
}

static void soft_close(struct view *v)
{
    if (v->redraw) cudaGraphExecDestroy(v->redraw);
    cudaStreamDestroy(v->stream);
    cudaFree(v->photo);
    cudaFree(v->screen);
    cudaFree(v->overlay);
    cudaFree(v->exposure);
}

static const struct view_ops soft_view = {soft_open, soft_resize, soft_expose, soft_draw, soft_close};

/* Counts the pixels at the start of a buffer that have a value. */
static int count(const unsigned char *device, int value)
{
    static unsigned char host[MAX_PIXELS];
    int n = 0;
    if (cudaMemcpy(host, device, MAX_PIXELS, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    while (n < MAX_PIXELS && host[n] == value) n++;
    return n;
}

int main(void)
{
    const struct view_ops *ops = &soft_view;
    struct view v;
    static const int sizes[][2] = {{64, 48}, {128, 96}, {200, 200}};
    int stale = 0, fresh = 0;
    if (ops->open(&v, 64, 48) != 0) return puts("LABEL NOT CONFIRMED: open"), 1;
    for (int i = 0; i < 3; i++) {
        if (ops->resize(&v, sizes[i][0], sizes[i][1]) != 0) return puts("LABEL NOT CONFIRMED: resize"), 1;
        for (float f = 1.0f; f <= 3.0f; f += 1.0f) {
            if (ops->expose(&v, f) != 0 || ops->draw(&v) != 0) return puts("LABEL NOT CONFIRMED: draw"), 1;
            int pixels = sizes[i][0] * sizes[i][1];
            if (count(v.screen, (int)(40 * f)) >= pixels && count(v.overlay, 0) >= pixels) fresh++;
            else if (count(v.screen, (int)(40 * f)) == 64 * 48 && count(v.overlay, 0) == 64 * 48) stale++;
        }
    }
    ops->close(&v);
    printf("complete views %d, partial views %d\n", fresh, stale);
    if (fresh == 9) return puts("LABEL CONFIRMED"), 0;
    puts("LABEL NOT CONFIRMED: other views than expected");
    return 1;
}
