// What error feedback cannot do.
// RUN: dist-opt %s --split-input-file --verify-diagnostics --collective-compress="error-feedback=true"

#w = #train.variable<"w", trainable>
module attributes {train.program} {
  collective.group @world
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32> {train.variable = #w}) {
    // expected-error @below {{error-feedback needs the number of ranks: run specialize-world first, or let --distribute="compress=... error-feedback=true" put it off until launch}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<4xf32>, tensor<f32>
    return %w1 : tensor<4xf32>
  }
}

// -----

collective.group @world {size = 2 : i64}
func.func @no_program(%g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{error-feedback needs a variable of a training program that the gradient updates}}
  %r = collective.all_reduce mean %g on @world : tensor<4xf32>
  %m = train.mark_gradient %r : tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

#w = #train.variable<"w", trainable>
#s = #train.variable<"loss_scale", state>
#t = #train.variable<"loss_scale.growth_tracker", state>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}, tensor<i64> {train.variable = #t}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %s = arith.constant dense<1.0> : tensor<f32>
    %t = arith.constant dense<0> : tensor<i64>
    return %w, %s, %t : tensor<4xf32>, tensor<f32>, tensor<i64>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %s: tensor<f32> {train.variable = #s}, %t: tensor<i64> {train.variable = #t},
                  %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32> {train.variable = #w}, tensor<f32> {train.variable = #s}, tensor<i64> {train.variable = #t}) {
    // expected-error @below {{error-feedback conflicts with loss-scale=dynamic: what is left of a gradient at one scale cannot be added to one at another; choose a fixed loss scale}}
    %r = collective.all_reduce mean %g on @world : tensor<4xf32>
    %u = train.unscale %r by %s : tensor<4xf32>
    %f = train.all_finite %u : tensor<4xf32>
    %w1 = train.sgd %w gradient %u rate %lr : tensor<4xf32>, tensor<f32>
    %w2 = train.select %f, %w1, %w : tensor<4xf32>
    // expected-note @below {{the scale changes here}}
    %s1, %t1 = train.update_loss_scale %s tracker %t finite %f
    return %w2, %s1, %t1 : tensor<4xf32>, tensor<f32>, tensor<i64>
  }
}
