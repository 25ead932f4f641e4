// What train-apply-recipe says of keys and values that cannot be.
// DEFINE: %{recipe} =
// DEFINE: %{prefix} =
// DEFINE: %{check} = not dist-opt %s --train="%{recipe}" 2>&1 | FileCheck %s --check-prefix=%{prefix}

// REDEFINE: %{recipe} = loss=poisson
// REDEFINE: %{prefix} = LOSS
// RUN: %{check}
// LOSS: error: recipe: loss=poisson must be softmax-cross-entropy, nll, bce-with-logits, mse, l1, huber, kl-div, hinge, cosine, triplet-margin or output

// REDEFINE: %{recipe} = optimizer=adadelta
// REDEFINE: %{prefix} = OPTIMIZER
// RUN: %{check}
// OPTIMIZER: error: recipe: optimizer=adadelta must be sgd, momentum, adagrad, rowwise-adagrad, rmsprop, adam, adamw, nadam, lamb or lion

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
// NEAR: error: recipe: optimizer=adm must be sgd, momentum, adagrad, rowwise-adagrad, rmsprop, adam, adamw, nadam, lamb or lion; did you mean adam?

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
// VALUE: error: recipe: optimizer needs a value: optimizer=sgd|momentum|adagrad|rowwise-adagrad|rmsprop|adam|adamw|nadam|lamb|lion

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
// STEP: error: recipe: optimizer cannot be set: the program has @step already, which says its loss and optimizer; it can be given global-batch, learning-rate, clip-norm, gradient-norm, ema, loss-scale, loss-scale-growth-interval

// REDEFINE: %{recipe} = learning-rate=0.1
// REDEFINE: %{prefix} = RATE
// RUN: %{check}
// RATE: error: recipe: learning-rate cannot be set: no optimizer of @step takes a hyperparameter as its learning rate

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

// REDEFINE: %{recipe} = loss=mse:total
// REDEFINE: %{prefix} = LOSS-NAME
// RUN: %{check}
// LOSS-NAME: error: recipe: loss=mse:total must be softmax-cross-entropy, nll, bce-with-logits, mse, l1, huber, kl-div, hinge, cosine, triplet-margin or output

// REDEFINE: %{recipe} = loss=mse label-smoothing=0.1
// REDEFINE: %{prefix} = SMOOTHING
// RUN: %{check}
// SMOOTHING: error: recipe: label-smoothing needs loss=softmax-cross-entropy, got loss=mse

// REDEFINE: %{recipe} = loss=mse ignore-index=-100
// REDEFINE: %{prefix} = IGNORED
// RUN: %{check}
// IGNORED: error: recipe: ignore-index needs loss=softmax-cross-entropy, got loss=mse

// REDEFINE: %{recipe} = loss=mse class-axis=last
// REDEFINE: %{prefix} = AXIS
// RUN: %{check}
// AXIS: error: recipe: class-axis needs loss=softmax-cross-entropy or loss=nll, got loss=mse

// REDEFINE: %{recipe} = loss=huber margin=2
// REDEFINE: %{prefix} = MARGIN
// RUN: %{check}
// MARGIN: error: recipe: margin needs loss=hinge or loss=triplet-margin, got loss=huber

// REDEFINE: %{recipe} = class-weights=1,-1
// REDEFINE: %{prefix} = CLASS-WEIGHTS
// RUN: %{check}
// CLASS-WEIGHTS: error: recipe: class-weights must be numbers of at least 0

// REDEFINE: %{recipe} = class-weights=1,2 label-smoothing=0.1
// REDEFINE: %{prefix} = SMOOTH-WEIGHTS
// RUN: %{check}
// SMOOTH-WEIGHTS: error: recipe: label-smoothing is not supported together with class-weights or ignore-index

// REDEFINE: %{recipe} = ignore-index=none
// REDEFINE: %{prefix} = IGNORE-WHAT
// RUN: %{check}
// IGNORE-WHAT: error: recipe: ignore-index=none must be an integer

// REDEFINE: %{recipe} = label-smoothing=1
// REDEFINE: %{prefix} = SMOOTH
// RUN: %{check}
// SMOOTH: error: recipe: label-smoothing=1 must be a number of at least 0 and less than 1

// REDEFINE: %{recipe} = optimizer=adam no-decay=*.bias
// REDEFINE: %{prefix} = DECAY
// RUN: %{check}
// DECAY: error: recipe: no-decay needs a weight-decay above 0

// REDEFINE: %{recipe} = learning-rate-scale=head*
// REDEFINE: %{prefix} = RATE-SCALE
// RUN: %{check}
// RATE-SCALE: error: recipe: learning-rate-scale=head* must be GLOB:NUMBER,GLOB:NUMBER,..., with numbers of at least 0

// REDEFINE: %{recipe} = schedule=exponential
// REDEFINE: %{prefix} = SCHEDULE
// RUN: %{check}
// SCHEDULE: error: recipe: schedule=exponential must be constant, linear, cosine, step or file:PATH

// REDEFINE: %{recipe} = schedule=cosine
// REDEFINE: %{prefix} = TOTAL
// RUN: %{check}
// TOTAL: error: recipe: schedule=linear and schedule=cosine need total-steps=N, when they end

// REDEFINE: %{recipe} = schedule=linear warmup-steps=10 total-steps=10
// REDEFINE: %{prefix} = WARMUP
// RUN: %{check}
// WARMUP: error: recipe: total-steps=10 must be more than warmup-steps=10

// REDEFINE: %{recipe} = total-steps=10
// REDEFINE: %{prefix} = IDLE-TOTAL
// RUN: %{check}
// IDLE-TOTAL: error: recipe: total-steps needs schedule=linear or schedule=cosine

// REDEFINE: %{recipe} = schedule=step
// REDEFINE: %{prefix} = SIZE
// RUN: %{check}
// SIZE: error: recipe: schedule=step needs step-size=N

// REDEFINE: %{recipe} = gamma=0.5
// REDEFINE: %{prefix} = GAMMA
// RUN: %{check}
// GAMMA: error: recipe: gamma needs schedule=step

// RUN: rm -rf %t && mkdir %t
// REDEFINE: %{recipe} = schedule=file:%t/none
// REDEFINE: %{prefix} = NO-FILE
// RUN: %{check}
// NO-FILE: error: recipe: schedule=file:{{.*}}none cannot be read: No such file or directory

// RUN: echo "# nothing" > %t/empty
// REDEFINE: %{recipe} = schedule=file:%t/empty
// REDEFINE: %{prefix} = EMPTY-FILE
// RUN: %{check}
// EMPTY-FILE: error: recipe: schedule=file:{{.*}}empty has no line; each has a step and the rate that holds from it on

// RUN: printf '0 0.1\n# more\n\n5 fast\n' > %t/words
// REDEFINE: %{recipe} = schedule=file:%t/words
// REDEFINE: %{prefix} = WORDS
// RUN: %{check}
// WORDS: error: recipe: schedule=file:{{.*}}words: line 4 has '5 fast', expected a step and a rate

// RUN: printf '1 0.1\n' > %t/late
// REDEFINE: %{recipe} = schedule=file:%t/late
// REDEFINE: %{prefix} = LATE
// RUN: %{check}
// LATE: error: recipe: schedule=file:{{.*}}late: line 1 begins with step 1, expected 0

// RUN: printf '0 0.1\n7,0.2\n7,0.3\n' > %t/order
// REDEFINE: %{recipe} = schedule=file:%t/order
// REDEFINE: %{prefix} = ORDER
// RUN: %{check}
// ORDER: error: recipe: schedule=file:{{.*}}order: line 3 has step 7 after step 7, expected ascending steps

// RUN: echo "0 -1" > %t/negative
// REDEFINE: %{recipe} = schedule=file:%t/negative
// REDEFINE: %{prefix} = NEGATIVE
// RUN: %{check}
// NEGATIVE: error: recipe: schedule=file:{{.*}}negative: line 1 has the rate -1, expected a number of at least 0
