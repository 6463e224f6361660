# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of commonly used operators that no sample calls by name, and whose schema does
not suggest suitable arguments."""

import torch

from case import A, Table, d, i

CASES = Table()
case = CASES.case

case("clip", "", [], lambda: A(d(4), 0.2, 0.8))
case("clip_", "", [], lambda: A(d(4), 0.2, 0.8))
case("clip.Tensor", "", [], lambda: A(d(4), d(4), d(4) + 1))
case("clip_.Tensor", "", [], lambda: A(d(4), d(4), d(4) + 1))
case("einsum", "", [], lambda: A("ij,jk->ik", [d(4, 4), d(4, 4)]))
case("einsum", "three tensors", [], lambda: A("ij,jk,kl->il", [d(4, 4), d(4, 4), d(4, 4)]))
case("tensordot", "", [], lambda: A(d(4, 4), d(4, 4), [1], [0]))

# Losses.
case("cross_entropy_loss", "", [], lambda: A(d(4, 5), i(0, 1, 2, 3)))
case("cross_entropy_loss", "weights, label smoothing", [],
     lambda: A(d(4, 5), i(0, 1, 2, 3), d(5), 1, -100, 0.1))
case("cross_entropy_loss", "probabilities", [], lambda: A(d(4, 5), torch.softmax(d(4, 5), 1)))
case("nll_loss_nd", "", [], lambda: A(d(4, 5), i(0, 1, 2, 3)))
case("nll_loss2d", "", [], lambda: A(d(1, 5, 2, 2), i(0, 1, 2, 3).reshape(1, 2, 2)))
case("kl_div", "", [], lambda: A(d(4, 5), d(4, 5)))
case("cosine_embedding_loss", "", [], lambda: A(d(4, 5), d(4, 5), i(1, -1, 1, -1)))

# Recurrent cells.
GATES = {"lstm_cell": 4, "gru_cell": 3, "rnn_tanh_cell": 1, "rnn_relu_cell": 1}
for name, gates in GATES.items():
    case(name, "", [], lambda n=name, g=gates: A(
        d(2, 4), [d(2, 4), d(2, 4)] if n == "lstm_cell" else d(2, 4), d(4 * g, 4), d(4 * g, 4),
        d(4 * g), d(4 * g)))
case("rnn_relu.input", "", [], lambda: A(d(3, 2, 4), d(1, 2, 4), [d(4, 4), d(4, 4), d(4), d(4)],
                                         True, 1, 0.0, False, False, False))
case("_thnn_fused_lstm_cell", "", [], lambda: A(d(2, 16), d(2, 16), d(2, 4)))
case("_thnn_fused_gru_cell", "", [], lambda: A(d(2, 12), d(2, 12), d(2, 4)))

# Convolutions.
ONE, ZERO = [1, 1], [0, 0]
X, W = (lambda: d(1, 2, 8, 8)), (lambda: d(3, 2, 3, 3))
case("_convolution", "", [], lambda: A(X(), W(), None, ONE, ZERO, ONE, False, ZERO, 1, False, False,
                                       True, True))
case("_convolution_mode", "", [], lambda: A(X(), W(), None, ONE, "valid", ONE, 1))
case("convolution_backward", "", [],
     lambda: A(d(1, 3, 6, 6), X(), W(), None, ONE, ZERO, ONE, False, ZERO, 1, [True, True, False]))
case("_conv_depthwise2d", "", [],
     lambda: A(X(), d(2, 1, 3, 3), [3, 3], None, ONE, ZERO, ONE))
case("conv_depthwise3d", "", [], lambda: A(d(1, 2, 8, 8, 8), d(2, 1, 3, 3, 3), [3, 3, 3], None,
                                           [1, 1, 1], [0, 0, 0], [1, 1, 1]))
case("conv_tbc", "", [], lambda: A(d(4, 2, 3), d(2, 3, 5), d(5), 0))
case("cudnn_convolution_transpose", "", [],
     lambda: A(d(1, 3, 4, 4), W(), ZERO, ZERO, ONE, ONE, 1, False, False, True))
case("thnn_conv2d", "", [], lambda: A(X(), W(), [3, 3]))
case("_slow_conv2d_forward", "", [], lambda: A(X(), W(), [3, 3], None, ONE, ZERO))
case("slow_conv_transpose2d", "", [], lambda: A(X(), d(2, 3, 3, 3), [3, 3]))
case("slow_conv_dilated2d", "", [], lambda: A(X(), W(), [3, 3]))
case("affine_grid_generator", "", [], lambda: A(d(1, 2, 3), [1, 2, 4, 4], False))
case("affine_grid_generator_backward", "", [], lambda: A(d(1, 4, 4, 2), [1, 2, 4, 4], False))
case("cudnn_affine_grid_generator", "", [], lambda: A(d(1, 2, 3), 1, 2, 4, 4))

# Attention and other operators of transformers.
case("_masked_softmax", "", [], lambda: A(d(2, 2, 4, 4), d(2, 2, 4, 4) > 0.9, 3, 2))
case("_transform_bias_rescale_qkv", "", [], lambda: A(d(2, 4, 24), d(24), 2))
case("_native_multi_head_attention", "", [],
     lambda: A(d(2, 4, 8), d(2, 4, 8), d(2, 4, 8), 8, 2, d(24, 8), d(24), d(8, 8), d(8)))
case("_weight_int8pack_mm", "", [],
     lambda: A(d(16, 32).bfloat16(), torch.ones(16, 32, dtype=torch.int8, device="cuda"),
               d(16).bfloat16()))
case("orgqr", "", [], lambda: A(d(4, 4), d(4)))
