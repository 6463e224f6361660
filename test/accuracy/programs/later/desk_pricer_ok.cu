// Finance: each desk has a book of instruments whose pricing is recorded as one graph. A book that has an instrument
// that the device cannot price is refused, and its desk tries again without that instrument.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace desk {

enum class Kind { Bond, Forward, Exotic };

struct Instrument {
    std::string id;
    Kind kind;
    double notional;
};

struct Result {
    bool ok;
    std::string message;
    static Result success() { return {true, {}}; }
    static Result failure(std::string text) { return {false, std::move(text)}; }
    static Result of(cudaError_t rc) { return rc == cudaSuccess ? success() : failure(cudaGetErrorName(rc)); }
};

__global__ void priceBond(double notional, const double* rate, double* value) { *value = notional / (1.0 + *rate); }
__global__ void priceForward(double notional, const double* rate, double* value) { *value = notional * *rate; }

// Ends a capture that was not completed.
class CaptureScope {
public:
    CaptureScope(cudaStream_t stream, cudaStreamCaptureMode mode) : stream_(stream), begun_(cudaStreamBeginCapture(stream, mode)) {}
    ~CaptureScope() {
        if (begun_ != cudaSuccess || done_) return;
        cudaGraph_t unfinished = nullptr;
        cudaStreamEndCapture(stream_, &unfinished);
        if (unfinished) cudaGraphDestroy(unfinished);
    }
    CaptureScope(const CaptureScope&) = delete;
    CaptureScope& operator=(const CaptureScope&) = delete;
    cudaError_t begun() const { return begun_; }
    cudaError_t complete(cudaGraph_t* graph) {
        done_ = true;
        return cudaStreamEndCapture(stream_, graph);
    }

private:
    cudaStream_t stream_;
    cudaError_t begun_;
    bool done_ = false;
};

class Pricer {
public:
    static constexpr std::size_t kMax = 16;

    Result open() {
        if (const auto r = Result::of(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); !r.ok) return r;
        if (const auto r = Result::of(cudaMalloc(&rate_, sizeof(double))); !r.ok) return r;
        return Result::of(cudaMalloc(&values_, kMax * sizeof(double)));
    }

    Result load(const std::vector<Instrument>& book) {
        cudaGraph_t graph = nullptr;
        CaptureScope capture(stream_, cudaStreamCaptureModeThreadLocal);
        if (capture.begun() != cudaSuccess) return Result::of(capture.begun());
        for (std::size_t i = 0; i < book.size(); ++i) {
            const Instrument& item = book[i];
            if (item.kind == Kind::Bond) {
                priceBond<<<1, 1, 0, stream_>>>(item.notional, rate_, values_ + i);
            } else if (item.kind == Kind::Forward) {
                priceForward<<<1, 1, 0, stream_>>>(item.notional, rate_, values_ + i);
            } else {
                return Result::failure("cannot price " + item.id);
            }
        }
        if (const auto r = Result::of(capture.complete(&graph)); !r.ok) return r;
        const auto made = Result::of(cudaGraphInstantiate(&exec_, graph, 0));
        cudaGraphDestroy(graph);
        count_ = book.size();
        return made;
    }

    Result total(double rate, double& sum) {
        std::vector<double> values(count_);
        cudaMemcpyAsync(rate_, &rate, sizeof rate, cudaMemcpyHostToDevice, stream_);
        if (const auto r = Result::of(cudaGraphLaunch(exec_, stream_)); !r.ok) return r;
        cudaMemcpyAsync(values.data(), values_, count_ * sizeof(double), cudaMemcpyDeviceToHost, stream_);
        const auto r = Result::of(cudaStreamSynchronize(stream_));
        sum = 0.0;
        for (double v : values) sum += v;
        return r;
    }

private:
    cudaStream_t stream_ = nullptr;
    double* rate_ = nullptr;
    double* values_ = nullptr;
    std::size_t count_ = 0;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace desk

int main() {
    using namespace desk;
    auto unconfirmed = [](const std::string& why) {
        std::printf("LABEL NOT CONFIRMED: %s\n", why.c_str());
        return 1;
    };
    Pricer pricer;
    if (const auto r = pricer.open(); !r.ok) return unconfirmed(r.message);
    std::vector<Instrument> book{{"B1", Kind::Bond, 110.0}, {"X9", Kind::Exotic, 5.0}, {"F2", Kind::Forward, 50.0}};
    if (const auto r = pricer.load(book); r.ok || r.message != "cannot price X9") return unconfirmed("first load: " + r.message);

    book.erase(std::remove_if(book.begin(), book.end(), [](const Instrument& i) { return i.kind == Kind::Exotic; }), book.end());
    const auto again = pricer.load(book);
    if (!again.ok) return unconfirmed("second load: " + again.message);
    for (const double rate : {0.1, 0.25, 0.0}) {
        double sum = 0.0;
        if (const auto r = pricer.total(rate, sum); !r.ok) return unconfirmed(r.message);
        const double expected = 110.0 / (1.0 + rate) + 50.0 * rate;
        if (sum < expected - 1e-9 || sum > expected + 1e-9) return unconfirmed("wrong total");
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
