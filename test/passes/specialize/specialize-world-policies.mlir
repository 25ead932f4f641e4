// Each policy but `error` takes a batch that the ranks do not divide. A batch that they divide needs none.
// RUN: sed 's/POLICY/drop/' %s | dist-opt --specialize-world="ranks=3" | FileCheck %s -DPOLICY=drop -DRANKS=3
// RUN: sed 's/POLICY/pad/' %s | dist-opt --specialize-world="ranks=3" | FileCheck %s -DPOLICY=pad -DRANKS=3
// RUN: sed 's/POLICY/weighted/' %s | dist-opt --specialize-world="ranks=3" | FileCheck %s -DPOLICY=weighted -DRANKS=3
// RUN: sed 's/POLICY/error/' %s | dist-opt --specialize-world="ranks=8" | FileCheck %s -DPOLICY=error -DRANKS=8
// RUN: sed 's/POLICY/pad/' %s | dist-opt --specialize-world="ranks=100" | FileCheck %s -DPOLICY=pad -DRANKS=100

module attributes {train.program} {
  collective.group @world
  // CHECK: shard = #train.shard<contiguous, [[POLICY]], @world, ranks = [[RANKS]]>
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<contiguous, POLICY, @world>}
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
