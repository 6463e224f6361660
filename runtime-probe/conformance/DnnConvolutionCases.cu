//===- DnnConvolutionCases.cu - cuDNN: convolutions and recurrence --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 8 x 8 images with 4 channels, 3 x 3 filters, and an LSTM of width 8.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#if defined(CUDAGRAPH_WITHOUT_LIBRARIES) || !defined(CUDAGRAPH_WITH_CUDNN)
void cudagraph::conformance::addDnnConvolutionCases(Cases &) {}
#else

#include <cudnn.h>

namespace cudagraph::conformance {

namespace {
constexpr size_t SpaceBytes = 32 << 20;

struct Network {
  cudnnTensorDescriptor_t Image = nullptr, Bias = nullptr, State = nullptr;
  cudnnFilterDescriptor_t Filter = nullptr;
  cudnnConvolutionDescriptor_t Convolution = nullptr;
  cudnnActivationDescriptor_t Activation = nullptr;
  cudnnDropoutDescriptor_t Dropout = nullptr;
  cudnnRNNDescriptor_t Recurrence = nullptr;
  cudnnRNNDataDescriptor_t Sequence = nullptr;
  size_t WeightBytes = 0, WorkBytes = 0, ReserveBytes = 0;
  void *Space = nullptr;
  void *Weights = nullptr;
};
} // namespace

static Network &network(Scene &S) { return kept<Network>(S); }
static float *filter(Scene &S) { return floats(S.Device + 2048); }
static float *out(Scene &S) { return floats(S.Device2); }
static float *bias(Scene &S) { return floats(S.Device2 + 2048); }

static int create(Scene &S) {
  auto *New = new Network;
  S.Q = New;
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudnnCreate(&slot<cudnnHandle_t>(S)));
  for (cudnnTensorDescriptor_t *Each : {&New->Image, &New->Bias, &New->State})
    Try(cudnnCreateTensorDescriptor(Each));
  Try(cudnnSetTensor4dDescriptor(New->Image, CUDNN_TENSOR_NCHW,
                                 CUDNN_DATA_FLOAT, 1, 4, 8, 8));
  Try(cudnnSetTensor4dDescriptor(New->Bias, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                 1, 4, 1, 1));
  Try(cudnnCreateFilterDescriptor(&New->Filter));
  Try(cudnnSetFilter4dDescriptor(New->Filter, CUDNN_DATA_FLOAT,
                                 CUDNN_TENSOR_NCHW, 4, 4, 3, 3));
  Try(cudnnCreateConvolutionDescriptor(&New->Convolution));
  Try(cudnnSetConvolution2dDescriptor(New->Convolution, 1, 1, 1, 1, 1, 1,
                                      CUDNN_CROSS_CORRELATION,
                                      CUDNN_DATA_FLOAT));
  Try(cudnnCreateActivationDescriptor(&New->Activation));
  Try(cudnnSetActivationDescriptor(New->Activation, CUDNN_ACTIVATION_RELU,
                                   CUDNN_NOT_PROPAGATE_NAN, 0));
  Try(cudaMalloc(&New->Space, SpaceBytes));
  return E;
}
static int addRecurrence(Scene &S) {
  Network &N = network(S);
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  int Sizes[] = {1, 1, 8}, Strides[] = {8, 8, 1}, Length = 2;
  float Padding = 0;
  Try(cudnnSetTensorNdDescriptor(N.State, CUDNN_DATA_FLOAT, 3, Sizes, Strides));
  Try(cudnnCreateDropoutDescriptor(&N.Dropout));
  Try(cudnnSetDropoutDescriptor(N.Dropout, slot<cudnnHandle_t>(S), 0, nullptr,
                                0, 0));
  Try(cudnnCreateRNNDescriptor(&N.Recurrence));
  Try(cudnnSetRNNDescriptor_v8(
      N.Recurrence, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
      CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
      CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, 8, 8, 8, 1, N.Dropout,
      CUDNN_RNN_PADDED_IO_ENABLED));
  Try(cudnnCreateRNNDataDescriptor(&N.Sequence));
  Try(cudnnSetRNNDataDescriptor(N.Sequence, CUDNN_DATA_FLOAT,
                                CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 2, 1,
                                8, &Length, &Padding));
  Try(cudnnGetRNNWeightSpaceSize(slot<cudnnHandle_t>(S), N.Recurrence,
                                 &N.WeightBytes));
  Try(cudnnGetRNNTempSpaceSizes(slot<cudnnHandle_t>(S), N.Recurrence,
                                CUDNN_FWD_MODE_INFERENCE, N.Sequence,
                                &N.WorkBytes, &N.ReserveBytes));
  Try(cudaMalloc(&N.Weights, N.WeightBytes));
  Try(N.WorkBytes > SpaceBytes);
  return E;
}
static int setStream(Scene &S) {
  return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream);
}
static int destroy(Scene &S) {
  Network &N = network(S);
  for (cudnnTensorDescriptor_t Each : {N.Image, N.Bias, N.State})
    cudnnDestroyTensorDescriptor(Each);
  cudnnDestroyFilterDescriptor(N.Filter);
  cudnnDestroyConvolutionDescriptor(N.Convolution);
  cudnnDestroyActivationDescriptor(N.Activation);
  if (N.Recurrence) {
    cudnnDestroyRNNDataDescriptor(N.Sequence);
    cudnnDestroyRNNDescriptor(N.Recurrence);
    cudnnDestroyDropoutDescriptor(N.Dropout);
  }
  cudaFree(N.Space);
  cudaFree(N.Weights);
  delete &N;
  return emptied(S, cudnnDestroy(slot<cudnnHandle_t>(S)));
}

static void addForward(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Forward = [](Scene &S) {
    Network &N = network(S);
    float One = 1, Zero = 0;
    return cudnnConvolutionForward(
        slot<cudnnHandle_t>(S), &One, N.Image, S.Device, N.Filter, filter(S),
        N.Convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
        N.Space, SpaceBytes, &Zero, N.Image, out(S));
  };
  Action NoSpace = [](Scene &S) {
    Network &N = network(S);
    float One = 1, Zero = 0;
    return cudnnConvolutionForward(slot<cudnnHandle_t>(S), &One, N.Image,
                                   S.Device, N.Filter, filter(S), N.Convolution,
                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                   nullptr, 0, &Zero, N.Image, out(S));
  };
  library(C, "cudnnConvolutionForward", "", Forward)
      .on(mainRelations())
      .before(chain(Ready, Forward))
      .after(destroy);
  library(C, "cudnnConvolutionForward", "no stream set", Forward)
      .on({Relation::Legacy})
      .before(chain(create, Forward))
      .after(destroy);
  library(C, "cudnnConvolutionForward", "first use of the handle", Forward)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  library(C, "cudnnConvolutionForward", "no workspace", NoSpace)
      .on(fewRelations())
      .before(chain(Ready, NoSpace))
      .after(destroy);
  Action Fused = [](Scene &S) {
    Network &N = network(S);
    float One = 1, Zero = 0;
    return cudnnConvolutionBiasActivationForward(
        slot<cudnnHandle_t>(S), &One, N.Image, S.Device, N.Filter, filter(S),
        N.Convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
        N.Space, SpaceBytes, &Zero, N.Image, out(S), N.Bias, bias(S),
        N.Activation, N.Image, out(S));
  };
  library(C, "cudnnConvolutionBiasActivationForward", "", Fused)
      .on(fewRelations())
      .before(chain(Ready, Fused))
      .after(destroy);
}

static void addBackward(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Data = [](Scene &S) {
    Network &N = network(S);
    float One = 1, Zero = 0;
    return cudnnConvolutionBackwardData(
        slot<cudnnHandle_t>(S), &One, N.Filter, filter(S), N.Image, out(S),
        N.Convolution, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, N.Space, SpaceBytes,
        &Zero, N.Image, S.Device);
  };
  library(C, "cudnnConvolutionBackwardData", "", Data)
      .on(fewRelations())
      .before(chain(Ready, Data))
      .after(destroy);
  Action Filter = [](Scene &S) {
    Network &N = network(S);
    float One = 1, Zero = 0;
    return cudnnConvolutionBackwardFilter(
        slot<cudnnHandle_t>(S), &One, N.Image, S.Device, N.Image, out(S),
        N.Convolution, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, N.Space, SpaceBytes,
        &Zero, N.Filter, filter(S));
  };
  library(C, "cudnnConvolutionBackwardFilter", "", Filter)
      .on(fewRelations())
      .before(chain(Ready, Filter))
      .after(destroy);
}

static void addChoices(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Find = [](Scene &S) {
    Network &N = network(S);
    cudnnConvolutionFwdAlgoPerf_t Results[8];
    return cudnnFindConvolutionForwardAlgorithm(slot<cudnnHandle_t>(S), N.Image,
                                                N.Filter, N.Convolution,
                                                N.Image, 8, &S.I, Results);
  };
  Action FindEx = [](Scene &S) {
    Network &N = network(S);
    cudnnConvolutionFwdAlgoPerf_t Results[8];
    return cudnnFindConvolutionForwardAlgorithmEx(
        slot<cudnnHandle_t>(S), N.Image, S.Device, N.Filter, filter(S),
        N.Convolution, N.Image, out(S), 8, &S.I, Results, N.Space, SpaceBytes);
  };
  Action Get = [](Scene &S) {
    Network &N = network(S);
    cudnnConvolutionFwdAlgoPerf_t Results[8];
    return cudnnGetConvolutionForwardAlgorithm_v7(
        slot<cudnnHandle_t>(S), N.Image, N.Filter, N.Convolution, N.Image, 8,
        &S.I, Results);
  };
  Action Size = [](Scene &S) {
    Network &N = network(S);
    return cudnnGetConvolutionForwardWorkspaceSize(
        slot<cudnnHandle_t>(S), N.Image, N.Filter, N.Convolution, N.Image,
        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, &S.N);
  };
  library(C, "cudnnFindConvolutionForwardAlgorithm", "", Find)
      .on(fewRelations())
      .before(chain(Ready, Find))
      .after(destroy);
  library(C, "cudnnFindConvolutionForwardAlgorithmEx", "", FindEx)
      .on(fewRelations())
      .before(chain(Ready, FindEx))
      .after(destroy);
  library(C, "cudnnGetConvolutionForwardAlgorithm_v7", "", Get)
      .on(fewRelations())
      .before(chain(Ready, Get))
      .after(destroy);
  library(C, "cudnnGetConvolutionForwardWorkspaceSize", "", Size)
      .on(fewRelations())
      .before(chain(Ready, Size))
      .after(destroy);
}

static void addRecurrent(Cases &C) {
  Action Ready = chain(chain(create, setStream), addRecurrence);
  Action Forward = [](Scene &S) {
    Network &N = network(S);
    return cudnnRNNForward(slot<cudnnHandle_t>(S), N.Recurrence,
                           CUDNN_FWD_MODE_INFERENCE, nullptr, N.Sequence,
                           S.Device, N.Sequence, out(S), N.State, nullptr,
                           nullptr, N.State, nullptr, nullptr, N.WeightBytes,
                           N.Weights, N.WorkBytes, N.Space, 0, nullptr);
  };
  library(C, "cudnnRNNForward", "", Forward)
      .on(fewRelations())
      .before(chain(Ready, Forward))
      .after(destroy);
  library(C, "cudnnRNNForward", "first use of the handle", Forward)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
}

void addDnnConvolutionCases(Cases &C) {
  addForward(C);
  addBackward(C);
  addChoices(C);
  addRecurrent(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
