//===- DriverReferenceCases.cu - Texture references of the driver ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions are deprecated, but still part of the driver.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUtexref texture(Scene &S) { return static_cast<CUtexref>(S.P); }
static CUarray array(Scene &S) { return static_cast<CUarray>(S.Q); }
static CUmipmappedArray levels(Scene &S) {
  return static_cast<CUmipmappedArray>(S.Q);
}
static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }

/// A texture reference in Scene::P.
static int makeTexture(Scene &S) {
  int E = cuTexRefCreate(reinterpret_cast<CUtexref *>(&S.P));
  return E ? E : cuTexRefSetFormat(texture(S), CU_AD_FORMAT_FLOAT, 1);
}
static int freeTexture(Scene &S) {
  return S.P ? cuTexRefDestroy(texture(S)) : 0;
}

/// The same, with an array in Scene::Q.
static int makeArray(Scene &S) {
  CUDA_ARRAY_DESCRIPTOR D{};
  D.Width = D.Height = 64;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  int E = makeTexture(S);
  return E ? E : cuArrayCreate(reinterpret_cast<CUarray *>(&S.Q), &D);
}
static int freeArray(Scene &S) {
  int E = freeTexture(S);
  if (S.Q)
    cuArrayDestroy(array(S));
  return E;
}

/// The same, with a mipmap.
static int makeLevels(Scene &S) {
  CUDA_ARRAY3D_DESCRIPTOR D{};
  D.Width = D.Height = 64;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  int E = makeTexture(S);
  return E ? E
           : cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray *>(&S.Q),
                                    &D, 2);
}
static int freeLevels(Scene &S) {
  int E = freeTexture(S);
  if (S.Q)
    cuMipmappedArrayDestroy(levels(S));
  return E;
}

static void addBindings(Cases &C) {
  C.add("cuTexRefCreate", "", [](Scene &S) {
     return cuTexRefCreate(reinterpret_cast<CUtexref *>(&S.P));
   }).after(freeTexture);
  C.add("cuTexRefDestroy", "", [](Scene &S) {
     return cuTexRefDestroy(texture(S));
   }).before(makeTexture);
  auto Address = [](Scene &S) {
    return cuTexRefSetAddress(&S.N, texture(S), address(S.Device), S.Bytes);
  };
  C.add("cuTexRefSetAddress", "", Address)
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetAddress2D", "",
        [](Scene &S) {
          CUDA_ARRAY_DESCRIPTOR D{};
          D.Width = 16;
          D.Height = 4;
          D.Format = CU_AD_FORMAT_FLOAT;
          D.NumChannels = 1;
          return cuTexRefSetAddress2D(texture(S), &D, address(S.Device), 64);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetAddress", "",
        [](Scene &S) {
          CUdeviceptr Bound;
          return cuTexRefGetAddress(&Bound, texture(S));
        })
      .before([=](Scene &S) -> int {
        int E = makeTexture(S);
        return E ? E : Address(S);
      })
      .after(freeTexture);
  auto Array = [](Scene &S) {
    return cuTexRefSetArray(texture(S), array(S), CU_TRSA_OVERRIDE_FORMAT);
  };
  C.add("cuTexRefSetArray", "", Array).before(makeArray).after(freeArray);
  C.add("cuTexRefGetArray", "",
        [](Scene &S) {
          CUarray Bound;
          return cuTexRefGetArray(&Bound, texture(S));
        })
      .before([=](Scene &S) -> int {
        int E = makeArray(S);
        return E ? E : Array(S);
      })
      .after(freeArray);
  auto Levels = [](Scene &S) {
    return cuTexRefSetMipmappedArray(texture(S), levels(S),
                                     CU_TRSA_OVERRIDE_FORMAT);
  };
  C.add("cuTexRefSetMipmappedArray", "", Levels)
      .before(makeLevels)
      .after(freeLevels);
  C.add("cuTexRefGetMipmappedArray", "",
        [](Scene &S) {
          CUmipmappedArray Bound;
          return cuTexRefGetMipmappedArray(&Bound, texture(S));
        })
      .before([=](Scene &S) -> int {
        int E = makeLevels(S);
        return E ? E : Levels(S);
      })
      .after(freeLevels);
}

static void addSetters(Cases &C) {
  C.add("cuTexRefSetFormat", "",
        [](Scene &S) {
          return cuTexRefSetFormat(texture(S), CU_AD_FORMAT_FLOAT, 1);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetAddressMode", "",
        [](Scene &S) {
          return cuTexRefSetAddressMode(texture(S), 0,
                                        CU_TR_ADDRESS_MODE_CLAMP);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetFilterMode", "",
        [](Scene &S) {
          return cuTexRefSetFilterMode(texture(S), CU_TR_FILTER_MODE_POINT);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetFlags", "",
        [](Scene &S) {
          return cuTexRefSetFlags(texture(S), CU_TRSF_READ_AS_INTEGER);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetMaxAnisotropy", "",
        [](Scene &S) { return cuTexRefSetMaxAnisotropy(texture(S), 1); })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetMipmapFilterMode", "",
        [](Scene &S) {
          return cuTexRefSetMipmapFilterMode(texture(S),
                                             CU_TR_FILTER_MODE_POINT);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetMipmapLevelBias", "",
        [](Scene &S) { return cuTexRefSetMipmapLevelBias(texture(S), 0); })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetMipmapLevelClamp", "",
        [](Scene &S) { return cuTexRefSetMipmapLevelClamp(texture(S), 0, 1); })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefSetBorderColor", "",
        [](Scene &S) {
          float Color[4] = {};
          return cuTexRefSetBorderColor(texture(S), Color);
        })
      .before(makeTexture)
      .after(freeTexture);
}

static void addGetters(Cases &C) {
  C.add("cuTexRefGetAddressMode", "",
        [](Scene &S) {
          CUaddress_mode Mode;
          return cuTexRefGetAddressMode(&Mode, texture(S), 0);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetBorderColor", "",
        [](Scene &S) {
          float Color[4];
          return cuTexRefGetBorderColor(Color, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetFilterMode", "",
        [](Scene &S) {
          CUfilter_mode Mode;
          return cuTexRefGetFilterMode(&Mode, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetFlags", "",
        [](Scene &S) {
          unsigned Flags;
          return cuTexRefGetFlags(&Flags, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetFormat", "",
        [](Scene &S) {
          CUarray_format Format;
          return cuTexRefGetFormat(&Format, &S.I, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetMaxAnisotropy", "",
        [](Scene &S) { return cuTexRefGetMaxAnisotropy(&S.I, texture(S)); })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetMipmapFilterMode", "",
        [](Scene &S) {
          CUfilter_mode Mode;
          return cuTexRefGetMipmapFilterMode(&Mode, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetMipmapLevelBias", "",
        [](Scene &S) {
          float Bias;
          return cuTexRefGetMipmapLevelBias(&Bias, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexRefGetMipmapLevelClamp", "",
        [](Scene &S) {
          float Low, High;
          return cuTexRefGetMipmapLevelClamp(&Low, &High, texture(S));
        })
      .before(makeTexture)
      .after(freeTexture);
}

void addDriverReferenceCases(Cases &C) {
  addBindings(C);
  addSetters(C);
  addGetters(C);
}

} // namespace cudagraph::conformance
