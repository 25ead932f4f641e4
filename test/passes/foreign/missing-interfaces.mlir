// What is said where a dialect lacks an interface: which one, on which operation, and where it is explained.
// RUN: split-file %s %t
// RUN: %foreign %t/whole.mlir --distribute --specialize-world=ranks=2 --collective-verify-order | FileCheck %t/whole.mlir
// RUN: not %foreign %t/bucketless.mlir --distribute 2>&1 | FileCheck %t/bucketless.mlir
// RUN: not %foreign %t/jointless.mlir --distribute 2>&1 | FileCheck %t/jointless.mlir
// RUN: not %foreign %t/formless.mlir --distribute 2>&1 | FileCheck %t/formless.mlir
// RUN: not %foreign %t/none.mlir --distribute 2>&1 | FileCheck %t/none.mlir
// RUN: not %foreign %t/crowd.mlir --distribute 2>&1 | FileCheck %t/crowd.mlir
// RUN: not %foreign %t/size.mlir --distribute=scale-learning-rate=linear 2>&1 | FileCheck %t/size.mlir
// RUN: not %foreign %t/parts.mlir --distribute=shard-optimizer=1 --specialize-world=ranks=2 2>&1 | FileCheck %t/parts.mlir
// RUN: not %foreign %t/optimizer.mlir --distribute 2>&1 | FileCheck %t/optimizer.mlir
// RUN: not %foreign %t/determinism.mlir --distribute-verify-replication 2>&1 | FileCheck %t/determinism.mlir
// RUN: not %foreign %t/form.mlir 2>&1 | FileCheck %t/form.mlir
// RUN: %foreign %t/single.mlir --distribute-broadcast-variables | FileCheck %t/single.mlir
// RUN: %foreign %t/whole.mlir --distribute=reduction=sum --specialize-world=ranks=2 | grep -c 'kind = "all_reduce", reduction = "sum"'
// RUN: not %foreign %t/element.mlir --distribute 2>&1 | FileCheck %t/element.mlir

// What needs no method: an operation with other operands, and the answers of groups, which follow from their forms.
// RUN: %foreign %t/defaults.mlir --collective-fuse | FileCheck %t/defaults.mlir --check-prefix=FUSE
// RUN: %foreign %t/defaults.mlir --distribute-print-uniformity | FileCheck %t/defaults.mlir --check-prefix=UNIFORM
// RUN: %foreign %t/defaults.mlir --collective-verify-order=ranks=4 -o /dev/null

//--- defaults.mlir
lacking.all @all 4
lacking.sets @rows strided false length 2
lacking.sets @columns strided true length 2
// FUSE-LABEL: func.func @bucket
// FUSE: %[[R:.*]]:2 = lacking.whole {group = @all, kind = "all_reduce", reduction = "sum"} %arg0, %arg1 {mark = 1 : i64} : (tensor<4xf32>, tensor<8xf32>)
// FUSE: lacking.whole {group = @rows,
func.func @bucket(%a: tensor<4xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>) {
  %ra = lacking.whole {group = @all, kind = "all_reduce", reduction = "sum"} %a {mark = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %rb = lacking.whole {group = @all, kind = "all_reduce", reduction = "sum"} %b {mark = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  // UNIFORM: varying{{.*}}group = @rows
  %row = lacking.whole {group = @rows, kind = "all_reduce", reduction = "max"} %a : (tensor<4xf32>) -> tensor<4xf32>
  // UNIFORM: uniform{{.*}}group = @columns
  %grid = lacking.whole {group = @columns, kind = "all_reduce", reduction = "max"} %row : (tensor<4xf32>) -> tensor<4xf32>
  return %ra, %rb, %grid : tensor<4xf32>, tensor<8xf32>, tensor<4xf32>
}

//--- whole.mlir
// CHECK: lacking.all @all 2
// CHECK-LABEL: func.func @initialize
// CHECK: lacking.whole {group = @all, kind = "broadcast"}
// CHECK-LABEL: func.func @step
// CHECK: lacking.whole {group = @all, kind = "all_reduce", reduction = "mean"}
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @all
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- bucketless.mlir
// CHECK: error: the group of all ranks is a 'lacking.all', but the CommunicationDialectInterface of dialect 'lacking' makes a 'lacking.bucketless' of the kind all_reduce that has no BucketOpInterface, or one that does not say so: passes would not see what it communicates; see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @bucketless
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- jointless.mlir
// CHECK: makes a 'lacking.jointless' of the kind all_reduce that has no CollectiveOpInterface
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @jointless
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- formless.mlir
// CHECK: makes a 'lacking.formless' of the kind all_reduce that has no CommunicationOpInterface
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @formless
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- none.mlir
// CHECK: says that it makes an operation of the kind all_reduce, and makes none; see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @none
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- crowd.mlir
// CHECK: error: 'lacking.crowd' is a symbol of a dialect of collectives, but has no GroupOpInterface: nobody knows who takes part; see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.crowd @all
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- size.mlir
// CHECK: cannot ask for the number of ranks; let asks() and createSize() have it, see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @all
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- parts.mlir
// CHECK: makes no reduce_scatter; let makes() and create() have it, see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @all
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
    return %next : tensor<4xf32>
  }
}

//--- optimizer.mlir
// CHECK: error: has no gradient to reduce: it holds no optimizer operation
// CHECK: note: variable "w" becomes what 'lacking.update' gives; if that is an optimizer, it must have OptimizerOpInterface, see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @all
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %x: tensor<?x4xf32> {train.input = #train.input<"x", @data>}, %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf32> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %next = lacking.update %w %g : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    return %next : tensor<4xf32>
  }
}

//--- determinism.mlir
// CHECK: error: variable "w" leaves @step different on different ranks
// CHECK: note: it varies because the result of 'lacking.update' comes from an operation of which nothing says that equal operands give equal bits on every rank
// CHECK-SAME: or give the dialect 'lacking' the UniformityDialectInterface, see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    %next = lacking.update %w %w : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    return %next : tensor<4xf32>
  }
}

//--- form.mlir
// CHECK: error: 'lacking.whole' op attribute 'form' failed to satisfy constraint: a form of communication, such as {group = @world, kind = "all_reduce", reduction = "mean"}
lacking.all @all
func.func @sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = lacking.whole {group = @all, kind = "all_reduce"} %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- single.mlir
// Without buckets each value has a collective of its own.
// CHECK-LABEL: func.func @initialize
// CHECK: %[[W:.*]] = lacking.whole {group = @single, kind = "broadcast"} %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[V:.*]] = lacking.whole {group = @single, kind = "broadcast"} %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: return %[[W]], %[[V]]
#w = #train.variable<"w", trainable>
#v = #train.variable<"v", trainable>
module attributes {train.program} {
  lacking.all @single
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    %v = arith.constant dense<0.0> : tensor<2xf32>
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %v: tensor<2xf32> {train.variable = #v}) -> (tensor<4xf32> {train.variable = #w}, tensor<2xf32> {train.variable = #v}) {
    return %w, %v : tensor<4xf32>, tensor<2xf32>
  }
}

//--- element.mlir
// CHECK: error: the group of all ranks is a 'lacking.all', but the CommunicationDialectInterface of dialect 'lacking' makes no all_reduce of 'tensor<4xf64>'; see docs/embedding.md
// CHECK: error: the gradient that 'train.sgd' takes is not reduced over the ranks
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  lacking.all @f32
  train.dataset @data {global_batch = 8 : i64}
  func.func @initialize() -> (tensor<4xf64> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf64>
    return %w : tensor<4xf64>
  }
  func.func @step(%w: tensor<4xf64> {train.variable = #w}, %x: tensor<?x4xf64> {train.input = #train.input<"x", @data>}, %rate: tensor<f64> {train.hyperparameter = #train.hyperparameter<"rate", 0.1 : f64>}) -> (tensor<4xf64> {train.variable = #w}) {
    %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf64> to tensor<4xf64>
    %next = train.sgd %w gradient %g rate %rate : tensor<4xf64>, tensor<f64>
    return %next : tensor<4xf64>
  }
}
