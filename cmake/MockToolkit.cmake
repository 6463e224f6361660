# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lays out a CUDA toolkit at <prefix>/share/cudagraph-tidy/cuda: the mock
# headers, a stand-in for nvcc, empty libraries, and the toolchain file that
# --cmake-toolchain prints. docs/build-systems.md shows its use.

# The layout that CMake's FindCUDAToolkit, FindCUDA, and similar modules expect.
set(shared
  cuda cudart cublas cublasLt cufft cufftw curand cusolver cusolverMg cusparse
  cuFile cufile cufile_rdma cudla cupti nccl npp nppc nppi nppial nppicc nppicom
  nppidei nppif nppig nppim nppist nppisu nppitc npps nvJitLink nvToolsExt nvfatbin
  nvidia-ml nvjpeg nvperf_host nvperf_target nvrtc nvrtc-builtins nvtx3interop
  pcsamplingutil OpenCL)
set(static
  cudadevrt cudart_static cublas_static cublasLt_static cufft_static
  cufft_static_nocallback cufftw_static cufile_static cufile_rdma_static cufilt
  culibos cupti_static curand_static cusolver_static cusolver_lapack_static
  cusolver_metis_static cusparse_static lapack_static metis_static nppc_static
  nppial_static nppicc_static nppicom_static nppidei_static nppif_static
  nppig_static nppim_static nppist_static nppisu_static nppitc_static npps_static
  nvJitLink_static nvfatbin_static nvidia-ml nvjpeg_static nvperf_host_static
  nvptxcompiler_static nvrtc_static nvrtc-builtins_static)

cudagraph_share(test/Inputs/mock cuda/include)
cudagraph_share(driver/translation/toolkit/detect cuda/detect)
# CMake resolves links to find a file's folder, so this one is a copy.
configure_file(driver/translation/toolkit/toolchain.cmake
  ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/cuda/toolchain.cmake COPYONLY)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/cuda)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/driver/translation/toolkit/bin
  ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/cuda/bin SYMBOLIC)
install(PROGRAMS driver/translation/toolkit/bin/nvcc
  DESTINATION ${CUDAGRAPH_DATADIR}/cuda/bin)
install(FILES driver/translation/toolkit/toolchain.cmake
  DESTINATION ${CUDAGRAPH_DATADIR}/cuda)

# Linkers read a text file with the name of a shared library as a script. This
# script and the archives are empty.
set(libraries ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/cuda/lib64)
list(TRANSFORM shared APPEND .so)
list(TRANSFORM static APPEND .a)
foreach(name IN LISTS shared static)
  if(name MATCHES "[.]a$")
    file(WRITE ${libraries}/lib${name} "!<arch>\n")
  elseif(NOT EXISTS ${libraries}/lib${name})
    file(WRITE ${libraries}/lib${name}
      "/* GNU ld script of cudagraph-tidy: replaces a CUDA library. */\n")
  endif()
endforeach()
install(DIRECTORY ${libraries} DESTINATION ${CUDAGRAPH_DATADIR}/cuda)
unset(shared)
unset(static)
unset(libraries)
