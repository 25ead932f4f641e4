// rowwise-adagrad keeps one number of each row of tables that are looked up, and is adagrad for all others.
// RUN: dist-opt %models/clicks.onnx --train="loss=softmax-cross-entropy optimizer=rowwise-adagrad learning-rate=0.1 epsilon=1e-6" | FileCheck %s
// RUN: not dist-opt %models/clicks.onnx --train="loss=softmax-cross-entropy optimizer=rowwise-adagrad learning-rate-decay=0.1" 2>&1 | FileCheck %s --check-prefix=DECAY

// CHECK: func.func @initialize() -> ({{.*}}tensor<1000xf32> {train.variable = #train.variable<"user.weight.sum", state>}
// CHECK: train.rowwise_adagrad %{{.*}} gradient %{{.*}} accumulator %{{.*}} rate %{{.*}} {epsilon = 9.99999997E-7 : f32} : tensor<1000x16xf32>, tensor<1000xf32>, tensor<f32>
// CHECK: train.adagrad %{{.*}} gradient
// DECAY: learning-rate-decay
