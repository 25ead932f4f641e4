// Steps whose roles are not certain.
// RUN: dist-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --stablehlo-import-roles

// expected-error @+1 {{has no function @main with a body of one block; name the step with the option entry}}
module @no_step {
  func.func public @other(%w: tensor<4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @no_state {
  // expected-error @+1 {{no argument is marked as state: donate it when exporting (jax.jit with donate_argnums), or say variables=ARGUMENT:RESULT}}
  func.func public @main(%w: tensor<4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @no_batch {
  // expected-error @+1 {{no argument holds the batch: all are state, scalars or keys}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %k: tensor<2xui32>, %r: tensor<f32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @other_type {
  // expected-error @+1 {{tf.aliasing_output makes argument 0 of type 'tensor<4xf32>' result 0 of type 'tensor<f32>'}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

module @no_result {
  // expected-error @+1 {{tf.aliasing_output names argument 0 and result 1, but @main has 1 and 1}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @two_batches {
  // expected-error @+1 {{argument 2 of type 'tensor<6x4xf32>' is no state, and neither is 1, which has 8 samples along dimension 0; say which arguments hold the batch with inputs}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8xf32>, %y: tensor<6x4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @which_donor {
  // expected-error @+1 {{argument 0 is donated, and 2 of the 2 results of its type 'tensor<4xf32>' are updates of it; say which with variables=0:RESULT}}
  func.func public @main(%w: tensor<4xf32> {jax.buffer_donor = true}, %x: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.negate"(%w) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %w : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{mhlo.num_replicas is 2; expected a step for one device}}
module @two_replicas attributes {mhlo.num_replicas = 2 : i32} {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @unknown_shape {
  // expected-error @+1 {{argument 1 has type 'tensor<?x4xf32>'; expected a tensor of a shape that is known}}
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<?x4xf32>) -> tensor<4xf32> {
    return %w : tensor<4xf32>
  }
}

// -----

module @calls_itself {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> tensor<4xf32> {
    %0 = call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // expected-error @+1 {{@f calls itself; a step must be a finite program}}
  func.func private @f(%w: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @no_body {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{calls @f, which has no body of one block here}}
    %0 = call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @f(%w: tensor<4xf32>) -> tensor<4xf32>
}
