// What cannot be asked for, and how it is said.
// RUN: not dist-opt %s --collective-fuse="percent=60,30" 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not dist-opt %s --collective-fuse="percent=110,-10" 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not dist-opt %s --collective-fuse="percent=10,10,10,10,10,10,10,10,20" 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// RUN: not dist-opt %s --collective-fuse="indices=1,1" 2>&1 | FileCheck %s --check-prefix=ASCENDING
// RUN: not dist-opt %s --collective-fuse="indices=-2" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not dist-opt %s --collective-fuse="indices=0,2" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not dist-opt %s --collective-fuse="indices=0,1,2,3,4,5,6,7,8" 2>&1 | FileCheck %s --check-prefix=INDICES
// RUN: not dist-opt %s --collective-fuse="count=0" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not dist-opt %s --collective-fuse="bucket-bytes=-5" 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not dist-opt %s --collective-fuse="count=2 bucket-bytes=1024" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not dist-opt %s --collective-fuse="percent=50,50 indices=1" 2>&1 | FileCheck %s --check-prefix=SHARES
// RUN: not dist-opt %s --collective-fuse="mode=auto first-bucket-bytes=4" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not dist-opt %s --collective-fuse="by=id count=2" 2>&1 | FileCheck %s --check-prefix=ID
// RUN: not dist-opt %s --collective-fuse="by=name" 2>&1 | FileCheck %s --check-prefix=BY
// RUN: not dist-opt %s --collective-fuse="mode=best" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dist-opt %s --collective-fuse="mode=auto" 2>&1 | FileCheck %s --check-prefix=AUTO

// SUM: error: collective-fuse: percent: the shares of all buckets make 100, not 90.00
// SHARE: error: collective-fuse: percent: each share is more than 0, not -10.00
// SEGMENTS: error: collective-fuse: percent: at most 8 buckets, not 9
// ASCENDING: error: collective-fuse: indices: each is the last of its bucket, from 0 on and ascending, but 1 comes after 1
// NEGATIVE: error: collective-fuse: indices: each is the last of its bucket, from 0 on and ascending, but -2 comes after -1
// RANGE: error: collective-fuse: indices: 2 is out of range: there are 2 collectives that may be fused, 0 to 1
// INDICES: error: collective-fuse: indices: at most 8 buckets, not 9
// COUNT: error: collective-fuse: count: a bucket holds at least 1 collective, not 0
// BYTES: error: collective-fuse: bucket-bytes and first-bucket-bytes: expected 0 (no limit) or more
// BOTH: error: collective-fuse: bucket-bytes and count both say where buckets end: give one of them
// SHARES: error: collective-fuse: indices and percent both say where buckets end
// MODE: error: collective-fuse: mode=auto and first-bucket-bytes both say where buckets end
// ID: error: collective-fuse: by=id and count both say where buckets end
// BY: error: collective-fuse: by: expected id, not name
// UNKNOWN: error: collective-fuse: mode: expected fixed, auto or none, not best
// AUTO: error: collective-fuse: mode=auto needs a cost model of the cluster, which this pass has not: run collective-choose{cluster=FILE} in its place, or give --distribute="buckets=auto cluster=FILE", with FILE as of dist-run --calibrate FILE; or say with bucket-bytes

collective.group @world
func.func @step(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
  %y = arith.negf %x : tensor<10xf32>
  %0 = collective.all_reduce sum %x on @world : tensor<10xf32>
  %1 = collective.all_reduce sum %y on @world : tensor<10xf32>
  return %0, %1 : tensor<10xf32>, tensor<10xf32>
}
