# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deliberate cases: linear algebra, random numbers, layers, lists of tensors,
and layouts other than strided.
"""

import torch

from case import A, Table, d, h, i, mask, scalar

CASES = Table()
case, call = CASES.case, CASES.call
CUDA = torch.device("cuda")
F16, BF16, F64 = torch.float16, torch.bfloat16, torch.float64


def spd(*shape):
    """Symmetric positive definite matrices."""
    a = d(*shape)
    return a @ a.mT + 4 * torch.eye(shape[-1], device="cuda")


# Linear algebra: the forms that check for errors read the solver's status.
for name in ("linalg_cholesky", "cholesky", "linalg_eigh", "linalg_eigvalsh", "_linalg_eigh",
             "linalg_inv", "inverse", "linalg_svd", "svd", "linalg_svdvals", "_linalg_svd",
             "linalg_qr", "qr", "geqrf", "linalg_lu", "linalg_lu_factor", "linalg_ldl_factor",
             "linalg_det", "det", "linalg_slogdet", "slogdet", "logdet", "_linalg_det",
             "_linalg_slogdet", "linalg_eig", "linalg_eigvals", "_linalg_eigvals", "linalg_pinv",
             "pinverse", "linalg_matrix_rank", "linalg_cond", "matrix_exp", "linalg_matrix_exp",
             "cholesky_inverse", "nuclear_norm", "linalg_tensorinv"):
    case(name, "", [], lambda: A(spd(4, 4)))
    case(name, "batch", [], lambda: A(spd(2, 4, 4)))
for name in ("linalg_cholesky_ex", "linalg_inv_ex", "linalg_lu_factor_ex", "linalg_ldl_factor_ex"):
    for size in ((4, 4), (2, 4, 4)):
        form = "" if len(size) == 2 else "batch"
        case(name, form, [], lambda s=size: A(spd(*s)))
        case(name, ("check_errors " + form).strip(), ["configured"],
             lambda s=size: A(spd(*s), check_errors=True))
case("linalg_solve", "", [], lambda: A(spd(4, 4), d(4, 2)))
case("linalg_solve", "batch", [], lambda: A(spd(2, 4, 4), d(2, 4, 2)))
case("linalg_solve_ex", "", [], lambda: A(spd(4, 4), d(4, 2)))
case("linalg_solve_ex", "check_errors", ["configured"],
     lambda: A(spd(4, 4), d(4, 2), check_errors=True))
case("_linalg_solve_ex", "", [], lambda: A(spd(4, 4), d(4, 2)))
case("linalg_solve_triangular", "", [], lambda: A(spd(4, 4), d(4, 2), upper=True))
case("triangular_solve", "", [], lambda: A(d(4, 2), spd(4, 4)))
case("cholesky_solve", "", [], lambda: A(d(4, 2), spd(4, 4)))
case("linalg_lstsq", "", [], lambda: A(d(6, 4), d(6, 2)))
case("linalg_matrix_power", "", [], lambda: A(spd(4, 4), 3))
case("linalg_matrix_power", "inverse", ["configured"], lambda: A(spd(4, 4), -2))
case("linalg_multi_dot", "", [], lambda: A([d(4, 4), d(4, 4), d(4, 4)]))
case("linalg_vector_norm", "", [], lambda: A(d(4, 4)))
case("linalg_matrix_norm.str_ord", "", [], lambda: A(d(4, 4), "fro"))
case("linalg_matrix_norm.str_ord", "nuclear", ["configured"], lambda: A(d(4, 4), "nuc"))
case("linalg_norm", "", [], lambda: A(d(4, 4)))
for name in ("mm", "matmul"):
    case(name, "", [], lambda: A(d(4, 4), d(4, 4)))
    case(name, "bfloat16", [], lambda: A(d(16, 16, dtype=BF16), d(16, 16, dtype=BF16)))
case("bmm", "", [], lambda: A(d(2, 4, 4), d(2, 4, 4)))
case("addmm", "", [], lambda: A(d(4, 4), d(4, 4), d(4, 4)))
case("_int_mm", "", [], lambda: A(torch.ones(32, 32, dtype=torch.int8, device="cuda"),
                                  torch.ones(32, 32, dtype=torch.int8, device="cuda")))
E4M3 = torch.float8_e4m3fn
case("_scaled_mm", "", [], lambda: A(d(32, 32).to(E4M3), d(32, 32).to(E4M3).t(), scalar(1.0),
                                     scalar(1.0), out_dtype=BF16))
case("_grouped_mm", "", [], lambda: A(d(32, 16, dtype=BF16), d(2, 16, 16, dtype=BF16),
                                      i(16, 32, dtype=torch.int32)))

# Random numbers of the default generator.
for name in ("bernoulli", "bernoulli.p", "poisson", "rand_like", "randn_like", "multinomial"):
    extra = {"bernoulli.p": (0.5,), "multinomial": (2,)}.get(name, ())
    case(name, "", [], lambda e=extra: A(d(64), *e))
case("multinomial", "replacement", [], lambda: A(d(64), 8, True))
case("randint_like", "", [], lambda: A(d(64), 1000))
for name in ("bernoulli_.float", "uniform_", "normal_", "exponential_", "log_normal_", "cauchy_",
             "random_"):
    case(name, "", [], lambda: A(d(64)))
case("bernoulli_.Tensor", "", [], lambda: A(d(64), d(64)))
case("bernoulli_.Tensor", "probability of the host", ["host-value"],
     lambda: A(d(64), scalar(0.5, "cpu")))
case("random_.to", "", [], lambda: A(d(64), 100))
case("geometric_", "", [], lambda: A(d(64), 0.5))
for name, args in (("rand", ([64],)), ("randn", ([64],)), ("randint", (1000, [64])),
                   ("randperm", (64,))):
    case(name, "", [], lambda a=args: A(*a, device=CUDA))
case("randperm", "large", [], lambda: A(100000, device=CUDA))
case("normal.Tensor_Tensor", "", [], lambda: A(d(64), d(64)))
case("normal.float_Tensor", "", [], lambda: A(0.0, d(64)))
case("normal.Tensor_float", "", [], lambda: A(d(64), 1.0))
case("normal.float_float", "", [], lambda: A(0.0, 1.0, [64], device=CUDA))
case("dropout", "", [], lambda: A(d(64), 0.5, True))
case("dropout", "evaluation", [], lambda: A(d(64), 0.5, False))
case("dropout_", "", [], lambda: A(d(64), 0.5, True))
case("native_dropout", "", [], lambda: A(d(64), 0.5, True))
case("alpha_dropout", "", [], lambda: A(d(64), 0.5, True))
case("feature_dropout", "", [], lambda: A(d(2, 64, 4), 0.5, True))
case("rrelu_with_noise", "", [], lambda: A(d(64) - 0.5, d(64), 0.1, 0.3, True))
case("binomial", "", [], lambda: A(torch.full((64,), 100.0, device="cuda"), d(64)))
case("_standard_gamma", "", [], lambda: A(d(64) + 0.5))
case("_sample_dirichlet", "", [], lambda: A(d(64) + 0.5))

# Order, histograms, and search.
case("histc", "", [], lambda: A(d(64)))
case("histc", "bounds", [], lambda: A(d(64), 10, 0, 1))
case("histogram.bin_ct", "", [], lambda: A(d(64), 10))
case("quantile", "", [], lambda: A(d(64), d(2)))
case("quantile.scalar", "", [], lambda: A(d(64), 0.5))
case("nanquantile", "", [], lambda: A(d(64), d(2)))
for name in ("median", "nanmedian", "sort", "argsort", "msort"):
    case(name, "", [], lambda: A(d(64)))
    case(name, "large", [], lambda: A(d(100000)))
case("median.dim", "", [], lambda: A(d(8, 8), 0))
case("mode", "", [], lambda: A(d(8, 8)))
case("mode", "large", [], lambda: A(i(*range(5000))))
case("kthvalue", "", [], lambda: A(d(64), 3))
case("topk", "", [], lambda: A(d(64), 3))
case("topk", "large", [], lambda: A(d(100000), 3))
case("searchsorted.Tensor", "", [], lambda: A(torch.arange(8.0, device="cuda"), d(4)))
case("searchsorted.Scalar", "", [], lambda: A(torch.arange(8.0, device="cuda"), 2.5))
case("bucketize.Tensor", "", [], lambda: A(d(4), torch.arange(8.0, device="cuda")))
case("bucketize.Scalar", "", [], lambda: A(2.5, torch.arange(8.0, device="cuda")))
case("isin.Tensor_Tensor", "", [], lambda: A(d(8), d(4)))
case("isin.Tensor_Tensor", "large", [], lambda: A(d(100), d(100)))

# Layers.
PROBS = lambda: torch.log_softmax(d(8, 2, 5), 2)
for name, where in (("host", "cpu"), ("device", "cuda")):
    for op in ("ctc_loss.Tensor", "_ctc_loss.Tensor"):
        case(op, "lengths on the " + name, ["host-value"] if name == "host" else [],
             lambda w=where: A(PROBS(), i(1, 2, 1, 2).reshape(2, 2), i(8, 8, device=w),
                               i(2, 2, device=w)))
case("ctc_loss.IntList", "", [], lambda: A(PROBS(), i(1, 2, 1, 2).reshape(2, 2), [8, 8], [2, 2]))
case("_cudnn_ctc_loss", "", [], lambda: A(PROBS(), i(1, 2, 1, 2, device="cpu", dtype=torch.int32),
                                          [8, 8], [2, 2], 0, True, False))
case("embedding", "", [], lambda: A(d(8, 4), i(0, 2)))
case("embedding_renorm_", "", [], lambda: A(d(8, 4), i(0, 2), 0.5, 2.0))
for mode in range(3):
    case("embedding_bag", f"mode {mode}", [],
         lambda m=mode: A(d(8, 4), i(0, 2, 4, 5), i(0, 2), False, m))
case("embedding_dense_backward", "", [], lambda: A(d(2, 4), i(0, 2), 8, -1, False))
case("embedding_dense_backward", "large", [],
     lambda: A(d(4000, 4), torch.arange(4000, device="cuda") % 8, 8, -1, False))
case("embedding_dense_backward", "large, scale_grad_by_freq", [],
     lambda: A(d(4000, 4), torch.arange(4000, device="cuda") % 8, 8, -1, True))
case("batch_norm", "training", [], lambda: A(d(2, 3, 4), d(3), d(3), d(3), d(3), True, 0.1, 1e-5, True))
case("batch_norm", "evaluation", [],
     lambda: A(d(2, 3, 4), d(3), d(3), d(3), d(3), False, 0.1, 1e-5, True))
for name, dtype in (("flash", F16), ("float32", torch.float32)):
    case("scaled_dot_product_attention", name, [],
         lambda t=dtype: A(*(d(2, 2, 16, 16, dtype=t) for _ in range(3))))
    case("scaled_dot_product_attention", name + ", dropout", [],
         lambda t=dtype: A(*(d(2, 2, 16, 16, dtype=t) for _ in range(3)), None, 0.5))
case("grid_sampler", "", [], lambda: A(d(1, 2, 4, 4), d(1, 4, 4, 2), 0, 0, False))
case("convolution", "", [], lambda: A(d(1, 2, 8, 8), d(3, 2, 3, 3), None, [1, 1], [0, 0], [1, 1],
                                      False, [0, 0], 1))
case("upsample_bilinear2d", "", [], lambda: A(d(1, 2, 4, 4), [8, 8], False))
case("nll_loss", "", [], lambda: A(d(4, 5), i(0, 1, 2, 3)))
for name in ("lstm", "gru", "rnn_tanh"):
    gates = {"lstm": 4, "gru": 3}.get(name, 1)
    WEIGHTS = lambda g=gates: [d(4 * g, 4), d(4 * g, 4), d(4 * g), d(4 * g)]
    STATE = lambda n=name: [d(1, 2, 4), d(1, 2, 4)] if n == "lstm" else d(1, 2, 4)
    case(name + ".input", "", [], lambda w=WEIGHTS, s=STATE: A(
        d(3, 2, 4), s(), w(), True, 1, 0.0, False, False, False))
    case(name + ".input", "training", [], lambda w=WEIGHTS, s=STATE: A(
        d(3, 2, 4), s(), w(), True, 1, 0.0, True, False, False))
    case(name + ".data", "packed", [], lambda w=WEIGHTS, s=STATE: A(
        d(5, 4), i(2, 2, 1, device="cpu"), s(), w(), True, 1, 0.0, False, False))
case("_pack_padded_sequence", "lengths on the host", [],
     lambda: A(d(3, 2, 4), i(3, 2, device="cpu"), False))
case("_pad_packed_sequence", "", [], lambda: A(d(5, 4), i(2, 2, 1, device="cpu"), False, 0.0, 3))

# Lists of tensors, optimizers, and mixed precision.
L = lambda: [d(4), d(8)]
for name in ("add", "sub", "mul", "div"):
    case(f"_foreach_{name}.List", "", [], lambda: A(L(), L()))
    case(f"_foreach_{name}_.Scalar", "", [], lambda: A(L(), 2.0))
case("_foreach_mul.Tensor", "", [], lambda: A(L(), scalar(2.0)))
case("_foreach_mul.Tensor", "value of the host", ["host-value"], lambda: A(L(), scalar(2.0, "cpu")))
case("_foreach_addcmul.Tensor", "scalars on the host", ["host-value"],
     lambda: A(L(), L(), L(), h(2)))
case("_foreach_norm.Scalar", "", [], lambda: A(L()))
case("_foreach_copy_", "", [], lambda: A(L(), L()))
case("_foreach_zero_", "", [], lambda: A(L()))
ADAM = dict(lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=False, maximize=False)
STEPS = lambda: [torch.ones((), device="cuda") for _ in range(2)]
for name in ("_fused_adam_", "_fused_adamw_"):
    case(name, "", [], lambda: A(L(), L(), L(), L(), [], STEPS(), **ADAM))
    case(name + ".tensor_lr", "", [],
         lambda: A(L(), L(), L(), L(), [], STEPS(), **{**ADAM, "lr": scalar(0.1)}))
    case(name + ".tensor_lr", "lr on the host", ["host-value"],
         lambda: A(L(), L(), L(), L(), [], STEPS(), **{**ADAM, "lr": scalar(0.1, "cpu")}))
case("_fused_sgd_", "", [], lambda: A(L(), L(), L(), weight_decay=0.1, momentum=0.9, lr=0.1,
                                      dampening=0.0, nesterov=False, maximize=False,
                                      is_first_step=False))
case("_fused_adagrad_", "", [], lambda: A(L(), L(), L(), STEPS(), lr=0.1, lr_decay=0.1,
                                          weight_decay=0.1, eps=1e-8, maximize=False))
case("_amp_foreach_non_finite_check_and_unscale_", "", [],
     lambda: A(L(), torch.zeros(1, device="cuda"), torch.ones(1, device="cuda")))
case("_amp_update_scale_", "", [], lambda: A(d(1), torch.zeros(1, dtype=torch.int32, device="cuda"),
                                             torch.zeros(1, device="cuda"), 2.0, 0.5, 10))

# Other layouts.
COO = lambda: d(4, 4).to_sparse()
CSR = lambda: d(4, 4).to_sparse_csr()
UNSORTED = lambda: torch.sparse_coo_tensor(i(0, 1, 0, 1).reshape(2, 2), d(2), (4, 4))
case("to_sparse", "", [], lambda: A(d(4, 4)))
case("to_sparse_csr", "", [], lambda: A(d(4, 4)))
case("to_dense", "of COO", [], lambda: A(COO()))
case("to_dense", "of CSR", [], lambda: A(CSR()))
case("coalesce", "", [], lambda: A(UNSORTED()))
case("_coalesce", "", [], lambda: A(UNSORTED()))
case("_nnz", "", [], lambda: A(COO()))
case("sparse_coo_tensor.indices_size", "", [],
     lambda: A(i(0, 1, 0, 1).reshape(2, 2), d(2), [4, 4]))
case("sparse_coo_tensor.indices", "", [], lambda: A(i(0, 1, 0, 1).reshape(2, 2), d(2)))
case("_sparse_mm", "", [], lambda: A(COO(), d(4, 4)))
case("_sparse_sum", "", [], lambda: A(COO()))
case("mm", "COO", ["configured"], lambda: A(COO(), d(4, 4)))
case("mm", "CSR", ["configured"], lambda: A(CSR(), d(4, 4)))
case("sparse_mask", "", [], lambda: A(d(4, 4), COO()))
case("_nested_tensor_from_tensor_list", "", [], lambda: A(L()))
case("_nested_tensor_from_mask", "", [],
     lambda: A(d(2, 4, 3), torch.ones(2, 4, dtype=torch.bool, device="cuda")))
case("nested_to_padded_tensor", "", [],
     lambda: A(torch.nested.nested_tensor([d(2, 3), d(4, 3)]), 0.0))
case("quantize_per_tensor", "", [], lambda: A(d(4), 0.1, 0, torch.quint8))
case("quantize_per_tensor.tensor_qparams", "", [],
     lambda: A(d(4), scalar(0.1), scalar(0), torch.quint8))
case("quantize_per_channel", "", [],
     lambda: A(d(4, 4), d(4, dtype=F64), i(0, 0, 0, 0), 0, torch.quint8))
case("fake_quantize_per_tensor_affine", "", [], lambda: A(d(4), 0.1, 0, 0, 255))

# Storage.
case("record_stream", "", [], lambda: A(d(4), torch.cuda.current_stream()))
case("resize_", "larger", [], lambda: A(d(4), [64]), False)
case("set_.source_Tensor", "", [], lambda: A(d(4), d(8)), False)
case("masked_fill.Scalar", "", [], lambda: A(d(4, 4), mask(4, 4), 2.0))
