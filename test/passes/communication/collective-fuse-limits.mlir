// The ways to say where a bucket ends; one of several buckets stands where it can begin, though it is alone, and what fills a bucket does not end that of smaller ones around it. Eight reductions of 40, 40, 80, 40, 40, 40, 80, 40 bytes: 400 in all.
// RUN: dist-opt %s --collective-fuse | FileCheck %s --check-prefixes=ALL,ONE
// RUN: dist-opt %s --collective-fuse="bucket-bytes=0 first-bucket-bytes=0" | FileCheck %s --check-prefixes=ALL,ONE
// RUN: dist-opt %s --collective-fuse="bucket-bytes=120" | FileCheck %s --check-prefixes=ALL,BYTES
// RUN: dist-opt %s --collective-fuse="bucket-bytes=80" | FileCheck %s --check-prefixes=ALL,AROUND
// RUN: dist-opt %s --collective-fuse="bucket-bytes=160 first-bucket-bytes=50" | FileCheck %s --check-prefixes=ALL,FIRST
// RUN: dist-opt %s --collective-fuse="bucket-bytes=0 first-bucket-bytes=50" | FileCheck %s --check-prefixes=ALL,REST
// RUN: dist-opt %s --collective-fuse="bucket-bytes=1" | FileCheck %s --check-prefixes=ALL,ALONE
// RUN: dist-opt %s --collective-fuse="mode=none" | FileCheck %s --check-prefixes=ALL,ALONE
// RUN: dist-opt %s --collective-fuse="count=3" | FileCheck %s --check-prefixes=ALL,COUNT
// RUN: dist-opt %s --collective-fuse="indices=1,6,7" | FileCheck %s --check-prefixes=ALL,INDICES
// RUN: dist-opt %s --collective-fuse="indices=1,6" | FileCheck %s --check-prefixes=ALL,INDICES
// RUN: dist-opt %s --collective-fuse="percent=60,40" | FileCheck %s --check-prefixes=ALL,PERCENT
// RUN: dist-opt %s --collective-fuse="percent=96.54,3.46" | FileCheck %s --check-prefixes=ALL,ONE
// RUN: dist-opt %s --collective-fuse="by=id" | FileCheck %s --check-prefixes=ALL,ID

collective.group @world

// ALL-LABEL: func.func @step
// ONE: %{{.*}}:8 = collective.all_reduce
// BYTES: %{{.*}}:2 = collective.all_reduce
// BYTES: %{{.*}}:2 = collective.all_reduce
// BYTES: %{{.*}}:2 = collective.all_reduce
// BYTES: %{{.*}}:2 = collective.all_reduce
// AROUND: %{{.*}}:2 = collective.all_reduce
// AROUND: %{{.*}} = collective.all_reduce sum %[[C:[a-z0-9]*]] on
// AROUND: %{{.*}}:2 = collective.all_reduce
// AROUND: %[[F:.*]] = arith.negf
// AROUND: %[[G:.*]] = arith.negf
// AROUND: %{{.*}} = collective.all_reduce sum %[[G]] on
// AROUND: %[[H:.*]] = arith.negf %[[F]]
// AROUND: %{{.*}}:2 = collective.all_reduce sum %[[F]], %[[H]] on
// FIRST: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// FIRST: %{{.*}}:3 = collective.all_reduce
// FIRST: %{{.*}}:3 = collective.all_reduce
// FIRST: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// REST: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// REST: %{{.*}}:7 = collective.all_reduce
// ALONE-COUNT-8: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// COUNT: %{{.*}}:3 = collective.all_reduce
// COUNT: %{{.*}}:3 = collective.all_reduce
// COUNT: %{{.*}}:2 = collective.all_reduce
// INDICES: %{{.*}}:2 = collective.all_reduce
// INDICES: %{{.*}}:5 = collective.all_reduce
// INDICES: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// PERCENT: %{{.*}}:5 = collective.all_reduce
// PERCENT: %{{.*}}:3 = collective.all_reduce
// ID: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on @world {collective.bucket = 5 : i64}
// ID: %{{.*}}:2 = collective.all_reduce sum %[[H:.*]], %[[A:.*]] on @world {collective.bucket = 4 : i64}
// ID-COUNT-5: %{{.*}} = collective.all_reduce sum %{{[a-z0-9]*}} on
// ALL-NOT: collective.all
func.func @step(%x: tensor<10xf32>, %y: tensor<20xf32>) -> (tensor<10xf32>, tensor<10xf32>, tensor<20xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<20xf32>, tensor<10xf32>) {
  %a = arith.negf %x : tensor<10xf32>
  %b = arith.negf %a : tensor<10xf32>
  %c = arith.negf %y : tensor<20xf32>
  %d = arith.negf %b : tensor<10xf32>
  %e = arith.negf %d : tensor<10xf32>
  %f = arith.negf %e : tensor<10xf32>
  %g = arith.negf %c : tensor<20xf32>
  %h = arith.negf %f : tensor<10xf32>
  %0 = collective.all_reduce sum %a on @world {collective.bucket = 4 : i64} : tensor<10xf32>
  %1 = collective.all_reduce sum %b on @world : tensor<10xf32>
  %2 = collective.all_reduce sum %c on @world {collective.bucket = 5 : i64} : tensor<20xf32>
  %3 = collective.all_reduce sum %d on @world : tensor<10xf32>
  %4 = collective.all_reduce sum %e on @world : tensor<10xf32>
  %5 = collective.all_reduce sum %f on @world : tensor<10xf32>
  %6 = collective.all_reduce sum %g on @world : tensor<20xf32>
  %7 = collective.all_reduce sum %h on @world {collective.bucket = 4 : i64} : tensor<10xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<10xf32>, tensor<10xf32>, tensor<20xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<20xf32>, tensor<10xf32>
}
