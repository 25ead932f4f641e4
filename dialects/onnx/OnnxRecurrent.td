// Recurrent layers, and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_ONNX_RECURRENT_TD
#define TUTTI_ONNX_RECURRENT_TD

include "dialects/onnx/OnnxDialect.td"

def Onnx_Lengths : 1DTensorOf<[I32]>;

// What recurrent operators share with their gradients.
class Onnx_Recurrent {
  dag sequence = (ins Onnx_FloatTensor:$X, Onnx_FloatTensor:$W, Onnx_FloatTensor:$R, Optional<Onnx_FloatTensor>:$B,
                      Optional<Onnx_Lengths>:$sequence_lens, Optional<Onnx_FloatTensor>:$initial_h);
  dag memory = (ins Optional<Onnx_FloatTensor>:$initial_c, Optional<Onnx_FloatTensor>:$P);
  dag attributes = (ins OptionalAttr<DenseF32ArrayAttr>:$activation_alpha,
                        OptionalAttr<DenseF32ArrayAttr>:$activation_beta, OptionalAttr<StrArrayAttr>:$activations,
                        OptionalAttr<F32Attr>:$clip, DefaultValuedStrAttr<StrAttr, "forward">:$direction,
                        OptionalAttr<I64Attr>:$hidden_size, DefaultValuedAttr<I64Attr, "0">:$layout);
  dag reset = (ins DefaultValuedAttr<I64Attr, "0">:$linear_before_reset);
  dag forget = (ins DefaultValuedAttr<I64Attr, "0">:$input_forget);
  dag states = (outs Onnx_FloatTensor:$Y, Onnx_FloatTensor:$Y_h);
  dag cell = (outs Onnx_FloatTensor:$Y_c);
  dag gradients = (outs Onnx_FloatTensor:$dX, Onnx_FloatTensor:$dW, Onnx_FloatTensor:$dR, Onnx_FloatTensor:$dB,
                        Onnx_FloatTensor:$dinitial_h);
  dag memoryGradients = (outs Onnx_FloatTensor:$dinitial_c, Onnx_FloatTensor:$dP);
  dag incoming = (ins Optional<Onnx_FloatTensor>:$dY, Optional<Onnx_FloatTensor>:$dY_h);
  dag incomingCell = (ins Optional<Onnx_FloatTensor>:$dY_c);
}
def Onnx_Recurrent : Onnx_Recurrent;

class Onnx_RecurrentOp<string name> : Onnx_DifferentiableOp<name, [AttrSizedOperandSegments]> {
  let sharding = "t^ n i^, d^ g^ i, d g h^, d b^, n, d n h -> t d n h, d n h";
  let shardingByAttributes = 1;
  let shardingNote = "with layout 1, n is in front of t, and of d";
  let results = Onnx_Recurrent.states;
  let assemblyFormat = [{
    $X `,` $W `,` $R (`bias` $B^)? (`lengths` $sequence_lens^)? (`from` $initial_h^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

class Onnx_RecurrentGradOp<string name> : Onnx_Op<name, [AttrSizedOperandSegments]> {
  let sharding = "t^ d^ n+ h^, d n h, t n i^, d g^ i, d g h, d b^, n, d n h -> t n i, d g i, d g h, d b, d n h";
  let linear = [["dY", "dY_h"]];
  let shardingByAttributes = 1;
  let shardingNote = "with layout 1, n is in front of t, and of d";
  let results = Onnx_Recurrent.gradients;
  let assemblyFormat = [{
    (`dY` $dY^)? (`dY_h` $dY_h^)? `of` $X `,` $W `,` $R (`bias` $B^)? (`lengths` $sequence_lens^)? (`from` $initial_h^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Onnx_RNNOp : Onnx_RecurrentOp<"RNN"> {
  let summary = "recurrent layer";
  let description = [{
    At each step t of a sequence, with the hidden state h of the step before, and the activation f:

    - `h = f(X[t] W^T + h R^T + Wb + Rb)`

    X is [steps, batch, inputs], W is [directions, gates * hidden, inputs], R is [directions, gates * hidden, hidden], with
    one gate here; B, which holds Wb and then Rb, is [directions, 2 * gates * hidden]. The state begins with `initial_h`,
    [directions, batch, hidden], or with zeros. Y has all states, [steps, directions, batch, hidden], `Y_h` the last ones,
    [directions, batch, hidden]. With `layout` 1 the batch comes first in X, Y, `initial_h` and `Y_h`.

    - `direction`: `forward`, `reverse` (the last step first) or `bidirectional` (one after the other).
    - `sequence_lens`: how many steps each sequence has. After its end Y is zero, and the state stays what it is; `reverse` begins
      at its end.
    - `activations`: those of the first direction, then of the second: Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid,
      Softplus, Softsign, Tanh, ThresholdedRelu. `activation_alpha` and `activation_beta` are taken in order by those that
      have such a number; without, it is what the operator of that name has, and 1 and 0 for Affine, 1 and 1 for ScaledTanh. The activation
      of an RNN is Tanh unless it says another.
    - `clip`: what each activation takes is brought into [-clip, clip] before.

    It becomes a loop over the steps, whose length is known when the program is compiled
    ([why](../decisions/0027-recurrent-layers.md)).

    **Constraints**
    - (C1) X, W and R have rank 3, the sizes of R are known, and all floats have one type.
    - (C2) `direction` is one of the three, and `layout` 0 or 1.
    - (C3) the sizes of W and R fit each other, the gates and the directions, and `hidden_size`, if it is there, is that of R.
    - (C4) B has the sizes above.
    - (C5) `sequence_lens` and `initial_h` have the sizes above.
    - (C6) there is an activation for each function of each direction, of one of the names above, and no more numbers than they take.
    - (C7) `clip` is above 0.

    Example:
    ```mlir
    %y, %h = onnx.RNN %x, %w, %r bias %b from %h0
       : (tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x?x4xf32>)
      -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.sequence, Onnx_Recurrent.attributes);
}

def Onnx_GRUOp : Onnx_RecurrentOp<"GRU"> {
  let summary = "recurrent layer of gated units";
  let description = [{
    As `onnx.RNN`, with three gates z, r and n in W, R and B, and the activations f and g, which are Sigmoid and Tanh:

    - `z = f(X[t] Wz^T + h Rz^T + Wbz + Rbz)`, r likewise
    - `n = g(X[t] Wn^T + (r * h) Rn^T + Rbn + Wbn)`, or, if `linear_before_reset` is not 0, as PyTorch has it,
      `n = g(X[t] Wn^T + r * (h Rn^T + Rbn) + Wbn)`
    - `h = (1 - z) * n + z * h`

    **Constraints**
    - (C1) those of `onnx.RNN`.

    Example:
    ```mlir
    %y, %h = onnx.GRU %x, %w, %r {linear_before_reset = 1 : i64}
       : (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.sequence, Onnx_Recurrent.attributes, Onnx_Recurrent.reset);
}

def Onnx_LSTMOp : Onnx_RecurrentOp<"LSTM"> {
  let summary = "recurrent layer of cells with a memory";
  let sharding = "t^ n i^, d^ g^ i, d g h^, d b^, n, d n h, d n h, d p^ -> t d n h, d n h, d n h";
  let description = [{
    As `onnx.RNN`, with four gates i, o, f and c in W, R and B, and the activations f, g and h, which are Sigmoid, Tanh and Tanh. Beside
    the hidden state H there is the memory C, which begins with `initial_c`, and whose last value is `Y_c`. P holds weights of the
    memory, peepholes, for i, o and f: [directions, 3 * hidden].

    - `i = f(X[t] Wi^T + H Ri^T + Pi * C + Wbi + Rbi)`, f likewise, or `1 - i` if `input_forget` is not 0
    - `c = g(X[t] Wc^T + H Rc^T + Wbc + Rbc)`
    - `C = f * C + i * c`
    - `o = f(X[t] Wo^T + H Ro^T + Po * C + Wbo + Rbo)`, with the new C
    - `H = o * h(C)`

    **Constraints**
    - (C1) those of `onnx.RNN`, of `initial_c` as of `initial_h`.
    - (C2) P has the sizes above.

    Example:
    ```mlir
    %y, %h, %c = onnx.LSTM %x, %w, %r bias %b from %h0 memory %c0
       : (tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x?x4xf32>,
          tensor<1x?x4xf32>) -> (tensor<5x1x?x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.sequence, Onnx_Recurrent.memory, Onnx_Recurrent.attributes,
                       Onnx_Recurrent.forget);
  let results = !con(Onnx_Recurrent.states, Onnx_Recurrent.cell);
  let assemblyFormat = [{
    $X `,` $W `,` $R (`bias` $B^)? (`lengths` $sequence_lens^)? (`from` $initial_h^)? (`memory` $initial_c^)?
    (`peepholes` $P^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Onnx_RNNGradOp : Onnx_RecurrentGradOp<"RNNGrad"> {
  let summary = "gradient of onnx.RNN";
  let description = [{
    The gradients of the operands of an `onnx.RNN`, from those of Y and `Y_h`; one that is missing is zero. The other operands and the
    attributes are those of the layer. All results are there, whatever operands are not. What the steps need of
    the states before them is kept by the loop of the layer with the same operands and attributes, if one stands before the gradient.

    **Constraints**
    - (C1) the operands and attributes are those of an `onnx.RNN`; `dY` and `dY_h` have the types of its results.

    Example:
    ```mlir
    %dx, %dw, %dr, %db, %dh = onnx.RNNGrad dY %dy of %x, %w, %r
       : (tensor<5x1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>)
      -> (tensor<5x?x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<1x?x4xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.incoming, Onnx_Recurrent.sequence, Onnx_Recurrent.attributes);
}

def Onnx_GRUGradOp : Onnx_RecurrentGradOp<"GRUGrad"> {
  let summary = "gradient of onnx.GRU";
  let description = [{
    As `onnx.RNNGrad`, of an `onnx.GRU`.

    **Constraints**
    - (C1) those of `onnx.RNNGrad`.

    Example:
    ```mlir
    %dx, %dw, %dr, %db, %dh = onnx.GRUGrad dY_h %dh1 of %x, %w, %r {linear_before_reset = 1 : i64}
       : (tensor<1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>)
      -> (tensor<5x?x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<1x?x4xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.incoming, Onnx_Recurrent.sequence, Onnx_Recurrent.attributes,
                       Onnx_Recurrent.reset);
}

def Onnx_LSTMGradOp : Onnx_RecurrentGradOp<"LSTMGrad"> {
  let summary = "gradient of onnx.LSTM";
  let sharding = "t^ d^ n+ h^, d n h, d n h, t n i^, d g^ i, d g h, d b^, n, d n h, d n h, d p^ -> "
                 "t n i, d g i, d g h, d b, d n h, d n h, d p";
  let linear = [["dY", "dY_h", "dY_c"]];
  let description = [{
    As `onnx.RNNGrad`, of an `onnx.LSTM`.

    **Constraints**
    - (C1) those of `onnx.RNNGrad`; `dY_c` has the type of `Y_c`.

    Example:
    ```mlir
    %dx, %dw, %dr, %db, %dh, %dc, %dp = onnx.LSTMGrad dY %dy of %x, %w, %r
       : (tensor<5x1x?x4xf32>, tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>)
      -> (tensor<5x?x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<1x?x4xf32>,
          tensor<1x?x4xf32>, tensor<1x12xf32>)
    ```
  }];
  let arguments = !con(Onnx_Recurrent.incoming, Onnx_Recurrent.incomingCell, Onnx_Recurrent.sequence,
                       Onnx_Recurrent.memory, Onnx_Recurrent.attributes, Onnx_Recurrent.forget);
  let results = !con(Onnx_Recurrent.gradients, Onnx_Recurrent.memoryGradients);
  let assemblyFormat = [{
    (`dY` $dY^)? (`dY_h` $dY_h^)? (`dY_c` $dY_c^)? `of` $X `,` $W `,` $R (`bias` $B^)? (`lengths` $sequence_lens^)?
    (`from` $initial_h^)? (`memory` $initial_c^)? (`peepholes` $P^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
