// Batches that cannot be fixed, each with what to do about it.
// RUN: dist-opt %s --train-specialize-batch --split-input-file --verify-diagnostics

module @no_global_batch {
  // expected-error @+1 {{has no global_batch; give one with --train="global-batch=..."}}
  train.dataset @data
}

// -----

module @ranks_do_not_divide {
  // expected-error @+1 {{has a global batch of 64 samples, which 3 ranks cannot share equally; change one of the two or choose batch-policy=drop, pad or weighted}}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 3>}
}

// -----

module @too_few_samples {
  // expected-error @+1 {{has a global batch of 2 samples, too few for 3 ranks: some would get none}}
  train.dataset @data {global_batch = 2 : i64, shard = #train.shard<strided, weighted, @world, ranks = 3>}
}

// -----

module @not_specialised {
  // expected-error @+1 {{is not specialised for a number of ranks; run specialize-world first}}
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
}

// -----

module @input_of_one_number {
  train.dataset @data {global_batch = 64 : i64}
  // expected-error @+1 {{input 'scale' of @step is one number, 'tensor<1xf32>', and no array of 64 samples of @data; a number that is the same for all samples is stored in the model}}
  func.func @step(%x: tensor<1xf32> {train.input = #train.input<"scale", @data>}) {
    return
  }
}

// -----

module @scalar_input {
  train.dataset @data {global_batch = 64 : i64}
  // expected-error @+1 {{input 'scale' of @step has no batch dimension: 'tensor<f32>' is a scalar; store it in the model, as an initializer}}
  func.func @step(%x: tensor<f32> {train.input = #train.input<"scale", @data>}) { return }
}

// -----

module @fixed_to_another_batch {
  train.dataset @data {global_batch = 64 : i64}
  // expected-error @+1 {{input 'input' of @step has a batch dimension of 16, but a rank takes 64 samples of @data; export the model with a symbolic batch}}
  func.func @step(%x: tensor<16x4xf32> {train.input = #train.input<"input", @data>}) { return }
}

// -----

module @another_unknown_dimension {
  train.dataset @data {global_batch = 64 : i64}
  // expected-error @+1 {{input 'input' of @step still has an unknown dimension beside the batch: 'tensor<64x?xf32>'; its size is that of the data}}
  func.func @step(%x: tensor<?x?xf32> {train.input = #train.input<"input", @data>}) { return }
}

// -----

module @an_op_that_keeps_its_secret {
  train.dataset @data {global_batch = 64 : i64}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}, %n: tensor<index>) {
    %i = tensor.extract %n[] : tensor<index>
    // expected-error @+1 {{dimension 1 of result 0 is still unknown once the batch is fixed: 'tensor<2x?xf32>'}}
    %0 = tensor.empty(%i) : tensor<2x?xf32>
    return
  }
}

// -----

module @a_custom_operator {
  train.dataset @data {global_batch = 64 : i64}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}) {
    // expected-error @+1 {{operator 'Swirl' of domain 'com.acme' cannot be compiled: Tutti has no definition of it; express it by operators that it has (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)}}
    %0 = onnx.custom "com.acme" "Swirl" (%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    return
  }
}

// -----

module @a_custom_operator_without_rank {
  train.dataset @data {global_batch = 64 : i64}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}) {
    // expected-error @+1 {{operator 'Swirl' of domain 'ai.onnx' cannot be compiled}}
    %0 = onnx.custom "" "Swirl" (%x) : (tensor<?x4xf32>) -> tensor<*xf32>
    return
  }
}

// -----

// Shapes that contradict each other only once the batch is known.
module @batches_that_do_not_match {
  train.dataset @data {global_batch = 64 : i64}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}, %y: tensor<5x4xf32>) {
    // expected-error @+1 {{cannot broadcast shapes [64, 4] and [5, 4] to one shape}}
    %0 = onnx.Add %x, %y : (tensor<?x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
    return
  }
}

// -----

module @micro_batches_that_do_not_divide {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}, %i: index) {
    // expected-error @+1 {{3 micro-batches do not divide the 16 samples of @data that a rank takes (global batch 64, 4 ranks); change one of the three}}
    %0 = train.micro_batch %i of 3 in %x : tensor<?x4xf32> -> tensor<?x4xf32>
    return
  }
}

// -----

// Why it could not be let vary is said with it.
module @fixed_by_its_numbers {
  train.dataset @data {global_batch = 64 : i64}
  // expected-error @+1 {{input 'input' of @step has a batch dimension of 2, but a rank takes 64 samples of @data; export the model with a symbolic batch}}
  func.func @step(%x: tensor<2x4xf32> {train.input = #train.input<"input", @data>}) {
    %c = onnx.Constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
    // expected-note @below {{the batch of 2 cannot vary: 'onnx.Add' cannot take [?, 4] and [2, 4], where ? is the batch}}
    %y = onnx.Add %x, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return
  }
}
