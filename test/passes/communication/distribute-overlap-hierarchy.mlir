// Both wait until the number of ranks is known, in this order; on one rank nothing is left of them.
// RUN: dist-opt %S/../../models/digits_mlp.onnx --train="loss=softmax-cross-entropy optimizer=sgd learning-rate=0.1 global-batch=64" -o %t.plain.mlir
// RUN: dist-opt %t.plain.mlir --distribute="buckets=none hierarchy=2 overlap=true" -o %t.any.mlir
// RUN: FileCheck %s < %t.any.mlir
// RUN: dist-opt %t.any.mlir --specialize-world="ranks=4" | FileCheck %s --check-prefix=FOUR
// RUN: dist-opt %t.any.mlir --specialize-world="ranks=1" -o %t.one.mlir
// RUN: cmp %t.plain.mlir %t.one.mlir
// RUN: dist-opt %t.plain.mlir --distribute="hierarchy=auto" | FileCheck %s --check-prefix=AUTO
// RUN: not dist-opt %t.plain.mlir --distribute="hierarchy=some" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not dist-opt %t.any.mlir --specialize-world="ranks=5" 2>&1 | FileCheck %s --check-prefix=FIVE
// CHECK: train.at_launch = [{{.*}}"collective-hierarchy{ranks-per-node=2}", "collective-overlap"{{.*}}]
// FOUR-NOT: train.at_launch
// FOUR: collective.async
// FOUR: collective.reduce_scatter sum
// AUTO: train.at_launch = [{{.*}}"collective-hierarchy"{{.*}}]
// ERROR: error: {{.*}}some
// FIVE: error: {{.*}}5
