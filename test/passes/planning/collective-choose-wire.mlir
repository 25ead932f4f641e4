// What is chosen is chosen for what travels: with a 16-bit wire alternatives are costed, and nodes taken into account, on f16.
// RUN: dist-opt %models/digits_mlp.onnx --train="loss=softmax-cross-entropy optimizer=sgd global-batch=64" --distribute="compress=f16 hierarchy=auto cluster=%S/Inputs/cluster.json" -o %t.distributed.mlir
// RUN: dist-opt %t.distributed.mlir --specialize-world=ranks=8 --remarks=text --remarks-filter=collective-choose --plan=%t.narrow.json --cluster=%S/Inputs/cluster.json -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.mlir
// REMARK: step: chose {{.*}}hierarchy of 4 ranks a node for 8 ranks, {{.*}}flat: {{[0-9.]+}} ms

// CHECK-LABEL: func.func @step
// CHECK: arith.truncf %{{.*}} {collective.wire} : tensor<{{.*}}xf32> to tensor<{{.*}}xf16>
// CHECK: %[[S:.*]]:6 = collective.reduce_scatter sum {{.*}} along 0 on @node : tensor<{{[0-9]+}}xf16>, {{.*}}xf16>
// CHECK-NEXT: %[[R:.*]]:6 = collective.all_reduce sum %[[S]]#0, {{.*}} on @across_nodes : tensor<{{[0-9]+}}xf16>
// CHECK-NEXT: %[[G:.*]]:6 = collective.all_gather %[[R]]#0, {{.*}} along 0 on @node : tensor<{{[0-9]+}}xf16>
// CHECK: arith.extf %{{.*}} {collective.wire} : tensor<{{.*}}xf16> to tensor<{{.*}}xf32>

// Half the bytes, and less time.
// RUN: dist-opt %models/digits_mlp.onnx --train="loss=softmax-cross-entropy optimizer=sgd global-batch=64" --distribute="hierarchy=auto cluster=%S/Inputs/cluster.json" --specialize-world=ranks=8 --plan=%t.wide.json --cluster=%S/Inputs/cluster.json -o %t.wide.mlir
// RUN: %python -c "import json; narrow, wide = (json.load(open(f'%t.{name}.json')) for name in ('narrow', 'wide')); print(narrow['step']['bytes'] < 0.51 * wide['step']['bytes'], narrow['prediction']['communication_seconds'] < 0.7 * wide['prediction']['communication_seconds'])" | FileCheck %s --check-prefix=LESS
// LESS: True True
