//===- DnnCases.cu - cuDNN: handles, descriptors, and layers --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor is 1 x 4 x 4 x 4; DnnConvolutionCases.cu has the convolutions.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#if defined(CUDAGRAPH_WITHOUT_LIBRARIES) || !defined(CUDAGRAPH_WITH_CUDNN)
void cudagraph::conformance::addDnnCases(Cases &) {}
#else

#include <cudnn.h>

namespace cudagraph::conformance {

namespace {
struct Layers {
  cudnnTensorDescriptor_t Data = nullptr, Pooled = nullptr, Channel = nullptr;
  cudnnActivationDescriptor_t Activation = nullptr;
  cudnnPoolingDescriptor_t Pooling = nullptr;
  cudnnDropoutDescriptor_t Dropout = nullptr;
  cudnnReduceTensorDescriptor_t Sum = nullptr;
  cudnnOpTensorDescriptor_t Add = nullptr;
  size_t StateBytes = 0, ReserveBytes = 0;
  void *States = nullptr, *Space = nullptr;
};
constexpr size_t SpaceBytes = 1 << 20;
} // namespace

static Layers &layers(Scene &S) { return kept<Layers>(S); }
static float *out(Scene &S) { return floats(S.Device2); }
/// Statistics of the channels.
static float *channel(Scene &S) { return floats(S.Device2 + 1024); }

static int create(Scene &S) {
  auto *New = new Layers;
  S.Q = New;
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudnnCreate(&slot<cudnnHandle_t>(S)));
  for (cudnnTensorDescriptor_t *Each :
       {&New->Data, &New->Pooled, &New->Channel})
    Try(cudnnCreateTensorDescriptor(Each));
  Try(cudnnSetTensor4dDescriptor(New->Data, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                 1, 4, 4, 4));
  Try(cudnnSetTensor4dDescriptor(New->Pooled, CUDNN_TENSOR_NCHW,
                                 CUDNN_DATA_FLOAT, 1, 4, 2, 2));
  Try(cudnnSetTensor4dDescriptor(New->Channel, CUDNN_TENSOR_NCHW,
                                 CUDNN_DATA_FLOAT, 1, 4, 1, 1));
  Try(cudnnCreateActivationDescriptor(&New->Activation));
  Try(cudnnSetActivationDescriptor(New->Activation, CUDNN_ACTIVATION_RELU,
                                   CUDNN_NOT_PROPAGATE_NAN, 0));
  Try(cudnnCreatePoolingDescriptor(&New->Pooling));
  Try(cudnnSetPooling2dDescriptor(New->Pooling, CUDNN_POOLING_MAX,
                                  CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
  Try(cudnnCreateReduceTensorDescriptor(&New->Sum));
  Try(cudnnSetReduceTensorDescriptor(New->Sum, CUDNN_REDUCE_TENSOR_ADD,
                                     CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
                                     CUDNN_REDUCE_TENSOR_NO_INDICES,
                                     CUDNN_32BIT_INDICES));
  Try(cudnnCreateOpTensorDescriptor(&New->Add));
  Try(cudnnSetOpTensorDescriptor(New->Add, CUDNN_OP_TENSOR_ADD,
                                 CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN));
  Try(cudnnCreateDropoutDescriptor(&New->Dropout));
  Try(cudnnDropoutGetStatesSize(slot<cudnnHandle_t>(S), &New->StateBytes));
  Try(cudnnDropoutGetReserveSpaceSize(New->Data, &New->ReserveBytes));
  Try(cudaMalloc(&New->States, New->StateBytes));
  Try(cudaMalloc(&New->Space, SpaceBytes));
  return E;
}
static int setStream(Scene &S) {
  return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream);
}
static int destroy(Scene &S) {
  Layers &L = layers(S);
  for (cudnnTensorDescriptor_t Each : {L.Data, L.Pooled, L.Channel})
    cudnnDestroyTensorDescriptor(Each);
  cudnnDestroyActivationDescriptor(L.Activation);
  cudnnDestroyPoolingDescriptor(L.Pooling);
  cudnnDestroyReduceTensorDescriptor(L.Sum);
  cudnnDestroyOpTensorDescriptor(L.Add);
  cudnnDestroyDropoutDescriptor(L.Dropout);
  cudaFree(L.States);
  cudaFree(L.Space);
  delete &L;
  return emptied(S, cudnnDestroy(slot<cudnnHandle_t>(S)));
}

static void addHandles(Cases &C) {
  Action Create = [](Scene &S) { return cudnnCreate(&slot<cudnnHandle_t>(S)); };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cudnnDestroy(slot<cudnnHandle_t>(S))) : 0;
  };
  library(C, "cudnnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cudnnCreate", "first in the process", Create).fresh();
  library(C, "cudnnDestroy", "", Destroy).before(Create);
  library(
      C, "cudnnSetStream", "",
      [](Scene &S) { return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream); })
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "cudnnGetStream", "",
          [](Scene &S) {
            return cudnnGetStream(slot<cudnnHandle_t>(S), &S.NewStream);
          })
      .before(Create)
      .after(Destroy);
  Action Tensor = [](Scene &S) {
    return cudnnCreateTensorDescriptor(&slot<cudnnTensorDescriptor_t>(S));
  };
  Action DestroyTensor = [](Scene &S) {
    return cudnnDestroyTensorDescriptor(slot<cudnnTensorDescriptor_t>(S));
  };
  library(C, "cudnnCreateTensorDescriptor", "", Tensor).after(DestroyTensor);
  library(C, "cudnnDestroyTensorDescriptor", "", DestroyTensor).before(Tensor);
  library(C, "cudnnSetTensor4dDescriptor", "",
          [](Scene &S) {
            return cudnnSetTensor4dDescriptor(slot<cudnnTensorDescriptor_t>(S),
                                              CUDNN_TENSOR_NCHW,
                                              CUDNN_DATA_FLOAT, 1, 4, 4, 4);
          })
      .before(Tensor)
      .after(DestroyTensor);
}

static void addElements(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Activate = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0;
    return cudnnActivationForward(slot<cudnnHandle_t>(S), L.Activation, &One,
                                  L.Data, S.Device, &Zero, L.Data, out(S));
  };
  library(C, "cudnnActivationForward", "", Activate)
      .on(mainRelations())
      .before(chain(Ready, Activate))
      .after(destroy);
  library(C, "cudnnActivationForward", "no stream set", Activate)
      .on({Relation::Legacy})
      .before(chain(create, Activate))
      .after(destroy);
  library(C, "cudnnActivationForward", "first use of the handle", Activate)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action AddUp = [](Scene &S) {
    float One = 1;
    return cudnnAddTensor(slot<cudnnHandle_t>(S), &One, layers(S).Channel,
                          channel(S), &One, layers(S).Data, out(S));
  };
  library(C, "cudnnAddTensor", "", AddUp)
      .on(fewRelations())
      .before(chain(Ready, AddUp))
      .after(destroy);
  Action Op = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0;
    return cudnnOpTensor(slot<cudnnHandle_t>(S), L.Add, &One, L.Data, S.Device,
                         &One, L.Data, S.Device, &Zero, L.Data, out(S));
  };
  library(C, "cudnnOpTensor", "", Op)
      .on(fewRelations())
      .before(chain(Ready, Op))
      .after(destroy);
  Action Value = [](Scene &S) {
    float One = 1;
    return cudnnSetTensor(slot<cudnnHandle_t>(S), layers(S).Data, out(S), &One);
  };
  library(C, "cudnnSetTensor", "", Value)
      .on(fewRelations())
      .before(chain(Ready, Value))
      .after(destroy);
}

static void addReductions(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Softmax = [](Scene &S) {
    float One = 1, Zero = 0;
    return cudnnSoftmaxForward(slot<cudnnHandle_t>(S), CUDNN_SOFTMAX_ACCURATE,
                               CUDNN_SOFTMAX_MODE_CHANNEL, &One, layers(S).Data,
                               S.Device, &Zero, layers(S).Data, out(S));
  };
  library(C, "cudnnSoftmaxForward", "", Softmax)
      .on(mainRelations())
      .before(chain(Ready, Softmax))
      .after(destroy);
  Action Pool = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0;
    return cudnnPoolingForward(slot<cudnnHandle_t>(S), L.Pooling, &One, L.Data,
                               S.Device, &Zero, L.Pooled, out(S));
  };
  library(C, "cudnnPoolingForward", "", Pool)
      .on(mainRelations())
      .before(chain(Ready, Pool))
      .after(destroy);
  Action Reduce = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0;
    return cudnnReduceTensor(slot<cudnnHandle_t>(S), L.Sum, nullptr, 0, L.Space,
                             SpaceBytes, &One, L.Data, S.Device, &Zero,
                             L.Channel, out(S));
  };
  library(C, "cudnnReduceTensor", "", Reduce)
      .on(fewRelations())
      .before(chain(Ready, Reduce))
      .after(destroy);
  Action Infer = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0, *Each = channel(S);
    return cudnnBatchNormalizationForwardInference(
        slot<cudnnHandle_t>(S), CUDNN_BATCHNORM_SPATIAL, &One, &Zero, L.Data,
        S.Device, L.Data, out(S), L.Channel, Each, Each + 4, Each + 8,
        Each + 12, 1e-5);
  };
  library(C, "cudnnBatchNormalizationForwardInference", "", Infer)
      .on(mainRelations())
      .before(chain(Ready, Infer))
      .after(destroy);
  Action Train = [](Scene &S) {
    Layers &L = layers(S);
    float One = 1, Zero = 0, *Each = channel(S);
    return cudnnBatchNormalizationForwardTraining(
        slot<cudnnHandle_t>(S), CUDNN_BATCHNORM_SPATIAL, &One, &Zero, L.Data,
        S.Device, L.Data, out(S), L.Channel, Each, Each + 4, 1, Each + 8,
        Each + 12, 1e-5, Each + 16, Each + 20);
  };
  library(C, "cudnnBatchNormalizationForwardTraining", "", Train)
      .on(mainRelations())
      .before(chain(Ready, Train))
      .after(destroy);
}

static void addDropout(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Set = [](Scene &S) {
    Layers &L = layers(S);
    return cudnnSetDropoutDescriptor(L.Dropout, slot<cudnnHandle_t>(S), 0.5f,
                                     L.States, L.StateBytes, 7);
  };
  Action Drop = [](Scene &S) {
    Layers &L = layers(S);
    return cudnnDropoutForward(slot<cudnnHandle_t>(S), L.Dropout, L.Data,
                               S.Device, L.Data, out(S), L.Space,
                               L.ReserveBytes);
  };
  library(C, "cudnnDropoutGetStatesSize", "",
          [](Scene &S) {
            return cudnnDropoutGetStatesSize(slot<cudnnHandle_t>(S), &S.N);
          })
      .before(create)
      .after(destroy);
  library(C, "cudnnSetDropoutDescriptor", "", Set)
      .on(mainRelations())
      .before(chain(Ready, Set))
      .after(destroy);
  library(C, "cudnnSetDropoutDescriptor", "first use of the handle", Set)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  library(C, "cudnnRestoreDropoutDescriptor", "",
          [](Scene &S) {
            Layers &L = layers(S);
            return cudnnRestoreDropoutDescriptor(L.Dropout,
                                                 slot<cudnnHandle_t>(S), 0.5f,
                                                 L.States, L.StateBytes, 7);
          })
      .on(fewRelations())
      .before(chain(Ready, Set))
      .after(destroy);
  library(C, "cudnnDropoutForward", "", Drop)
      .on(mainRelations())
      .before(chain(chain(Ready, Set), Drop))
      .after(destroy);
}

void addDnnCases(Cases &C) {
  addHandles(C);
  addElements(C);
  addReductions(C);
  addDropout(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
