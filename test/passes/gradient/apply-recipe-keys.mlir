// What train-apply-recipe says of keys and values that cannot be.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = not dist-opt %s --train="%{recipe}" 2>&1 | FileCheck %s --check-prefix=%{prefix}

// REDEFINE: %{recipe} = loss=hinge
// REDEFINE: %{prefix} = LOSS
// RUN: %{check}
// LOSS: error: recipe: loss=hinge must be softmax-cross-entropy, mse or output

// REDEFINE: %{recipe} = optimizer=lion
// REDEFINE: %{prefix} = OPTIMIZER
// RUN: %{check}
// OPTIMIZER: error: recipe: optimizer=lion must be sgd, momentum, adagrad, adam or adamw

// REDEFINE: %{recipe} = optimizer=sgd beta1=0.5
// REDEFINE: %{prefix} = KEY
// RUN: %{check}
// KEY: error: recipe: optimizer=sgd has no beta1; it has momentum, dampening, nesterov

// REDEFINE: %{recipe} = learning-rate=fast
// REDEFINE: %{prefix} = NUMBER
// RUN: %{check}
// NUMBER: error: recipe: learning-rate=fast must be a number of at least 0, and of f32

// REDEFINE: %{recipe} = learning-rate=-1
// REDEFINE: %{prefix} = RANGE
// RUN: %{check}
// RANGE: error: recipe: learning-rate=-1 must be a number of at least 0

// REDEFINE: %{recipe} = learning-rate=1e39
// REDEFINE: %{prefix} = INFINITE
// RUN: %{check}
// INFINITE: error: recipe: learning-rate=1e39 must be a number of at least 0, and of f32

// REDEFINE: %{recipe} = optimizer=adm
// REDEFINE: %{prefix} = NEAR
// RUN: %{check}
// NEAR: error: recipe: optimizer=adm must be sgd, momentum, adagrad, adam or adamw; did you mean adam?

// REDEFINE: %{recipe} = loss=output loss=output
// REDEFINE: %{prefix} = TWICE
// RUN: %{check}
// TWICE: error: recipe: --train: loss is given twice

// REDEFINE: %{recipe} = learning-rate = 0.1
// REDEFINE: %{prefix} = SPACES
// RUN: %{check}
// SPACES: error: recipe: '=' has no key: write KEY=VALUE, without spaces around =

// REDEFINE: %{recipe} = optimizer
// REDEFINE: %{prefix} = VALUE
// RUN: %{check}
// VALUE: error: recipe: optimizer needs a value: optimizer=sgd|momentum|adagrad|adam|adamw

// REDEFINE: %{recipe} = freeze={a
// REDEFINE: %{prefix} = BRACE
// RUN: %{check}
// BRACE: error: recipe: a quote or brace is not closed in 'freeze={a'

// REDEFINE: %{recipe} = learning-rate=nan
// REDEFINE: %{prefix} = NAN
// RUN: %{check}
// NAN: error: recipe: learning-rate=nan must be a number of at least 0

// REDEFINE: %{recipe} = optimizer=adam beta2=1
// REDEFINE: %{prefix} = FRACTION
// RUN: %{check}
// FRACTION: error: recipe: beta2=1 must be a number of at least 0 and less than 1

// REDEFINE: %{recipe} = global-batch=0
// REDEFINE: %{prefix} = BATCH
// RUN: %{check}
// BATCH: error: recipe: global-batch=0 must be a whole number of at least 1

// REDEFINE: %{recipe} = momentum=0.9 nesterov=yes
// REDEFINE: %{prefix} = BOOL
// RUN: %{check}
// BOOL: error: recipe: nesterov=yes must be true or false

// REDEFINE: %{recipe} = nesterov=true
// REDEFINE: %{prefix} = NESTEROV
// RUN: %{check}
// NESTEROV: error: recipe: nesterov=true needs a momentum above 0 and no dampening

// REDEFINE: %{recipe} = dampening=0.5
// REDEFINE: %{prefix} = DAMPENING
// RUN: %{check}
// DAMPENING: error: recipe: dampening needs a momentum above 0

// REDEFINE: %{recipe} = loss-scale=large
// REDEFINE: %{prefix} = SCALE
// RUN: %{check}
// SCALE: error: recipe: loss-scale=large must be dynamic, or a number above 0, and of f32

// REDEFINE: %{recipe} = loss-scale=0
// REDEFINE: %{prefix} = NOSCALE
// RUN: %{check}
// NOSCALE: error: recipe: loss-scale=0 must be dynamic, or a number above 0, and of f32

// REDEFINE: %{recipe} = loss-scale=2 loss-scale-growth-interval=10
// REDEFINE: %{prefix} = GROWTH
// RUN: %{check}
// GROWTH: error: recipe: loss-scale-growth-interval needs loss-scale=dynamic

// REDEFINE: %{recipe} = loss-scale=dynamic loss-scale-growth-interval=never
// REDEFINE: %{prefix} = INTERVAL
// RUN: %{check}
// INTERVAL: error: recipe: loss-scale-growth-interval=never must be a whole number of at least 1

// REDEFINE: %{recipe} = clip-norm=-1
// REDEFINE: %{prefix} = CLIP
// RUN: %{check}
// CLIP: error: recipe: clip-norm=-1 must be a number above 0, and of f32

// REDEFINE: %{recipe} = learnign-rate=1
// REDEFINE: %{prefix} = UNKNOWN
// RUN: %{check}
// UNKNOWN: error: recipe: --train has no key 'learnign-rate'; did you mean learning-rate? (keys: loss, optimizer,

// REDEFINE: %{recipe} = optimizer=adam
// REDEFINE: %{prefix} = STEP
// RUN: %{check}
// STEP: error: recipe: optimizer cannot be set: the program has @step already, which says its loss and optimizer; it can be given global-batch, clip-norm, loss-scale, loss-scale-growth-interval

// REDEFINE: %{recipe} = freeze=w
// REDEFINE: %{prefix} = FREEZE
// RUN: %{check}
// FREEZE: error: recipe: freeze cannot be set: the program has @step already

// REDEFINE: %{recipe} = global-batch=4
// REDEFINE: %{prefix} = DATASET
// RUN: %{check}
// DATASET: error: recipe: global-batch cannot be set: the program has no train.dataset
module attributes {train.program} {
  func.func @step() {
    return
  }
}
