// Every dataset gets the shard that was asked for; one that has it already is left alone.
// RUN: dist-opt %s --distribute-shard-datasets | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: dist-opt %s --distribute-shard-datasets --distribute-shard-datasets | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: dist-opt %s --distribute-shard-datasets="shard=contiguous batch-policy=weighted" | FileCheck %s --check-prefixes=CHECK,BLOCK
// RUN: dist-opt %s --distribute-shard-datasets="batch-policy=drop" | FileCheck %s --check-prefixes=CHECK,DROP
// RUN: dist-opt %s --distribute-shard-datasets="batch-policy=pad" | FileCheck %s --check-prefixes=CHECK,PAD
// RUN: dist-opt %s --distribute-shard-datasets --distribute-shard-datasets --remarks-filter=distribute-.* --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-2: dataset is sharded in this way already

module attributes {train.program} {
  // CHECK: collective.group @world
  // DEFAULT: train.dataset @images {global_batch = 64 : i64, shard = #train.shard<strided, error, @world>}
  // BLOCK: train.dataset @images {global_batch = 64 : i64, shard = #train.shard<contiguous, weighted, @world>}
  // DROP: train.dataset @images {global_batch = 64 : i64, shard = #train.shard<strided, drop, @world>}
  // PAD: train.dataset @images {global_batch = 64 : i64, shard = #train.shard<strided, pad, @world>}
  train.dataset @images {global_batch = 64 : i64}
  // DEFAULT: train.dataset @more {shard = #train.shard<strided, error, @world>}
  train.dataset @more
  func.func @initialize() {
    return
  }
  func.func @step() {
    return
  }
}
