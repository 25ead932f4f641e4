// Collectives become functions that exchange messages: one for each kind, element type and group.
// RUN: dist-opt %s --convert-collective-to-mpi --canonicalize --cse --split-input-file | FileCheck %s

// Each rank adds up its part, in rank order, and gives it to the others. Of two ranks the lower sends first.
collective.group @world {size = 4 : i64}

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: memref<2x3xf32>, %[[S:.*]]: memref<f32>)
func.func @sum(%x: memref<2x3xf32>, %s: memref<f32>) {
  // CHECK: %[[ROW:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1]] : memref<2x3xf32> into memref<6xf32>
  // CHECK: %[[FLAT:.*]] = memref.cast %[[ROW]] : memref<6xf32> to memref<?xf32, strided<[1], offset: ?>>
  // CHECK: call @mpi_all_reduce_mean_f32_on_world(%[[FLAT]], %[[FLAT]])
  // CHECK: memref.expand_shape %[[S]] [] output_shape [1] : memref<f32> into memref<1xf32>
  // CHECK: call @mpi_all_reduce_mean_f32_on_world(
  collective.all_reduce mean %x, %s into %x, %s on @world : memref<2x3xf32>, memref<f32>
  return
}
// CHECK-LABEL: func.func private @mpi_all_reduce_mean_f32_on_world(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[RANKS:.*]] = arith.constant 4 : index
// CHECK: %[[WORLD:.*]] = mpi.comm_world : !mpi.comm
// CHECK: %[[RANK:.*]] = mpi.comm_rank(%[[WORLD]]) : i32
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[RANK]] : i32 to index
// CHECK: scf.for %[[OTHER:.*]] = %{{.*}} to %[[RANKS]]
// CHECK: arith.cmpi eq, %[[OTHER]], %[[PLACE]] : index
// CHECK: %[[LOWER:.*]] = arith.cmpi slt, %[[OTHER]], %[[PLACE]] : index
// CHECK-NEXT: scf.if %[[LOWER]] {
// CHECK: mpi.recv(%{{.*}}, %[[ZERO]], %[[PEER:.*]], %[[WORLD]])
// CHECK: mpi.send(%{{.*}}, %[[ZERO]], %[[PEER]], %[[WORLD]])
// CHECK: } else {
// CHECK: mpi.send
// CHECK: mpi.recv
// CHECK: iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK: arith.addf %[[SUM]], %{{.*}} : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: mpi.send
// CHECK-NOT: mpi.allreduce

// -----

// What MPI's dialect has no type for travels as its bits; 16-bit floats are added up in f32.
collective.group @world {size = 2 : i64}

func.func @halves(%x: memref<4xbf16>, %y: memref<8xbf16>, %m: memref<4xi1>) {
  collective.reduce_scatter sum %y into %x along 0 on @world : memref<8xbf16> -> memref<4xbf16>
  collective.broadcast %m into %m from 1 on @world : memref<4xi1>
  return
}
// CHECK-LABEL: func.func private @mpi_reduce_scatter_sum_bf16_on_world(
// CHECK: mpi.recv(%{{.*}}) : memref<?xi16>, i32, i32
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CHECK: arith.bitcast %{{.*}} : bf16 to i16
// CHECK: mpi.send(%{{.*}}) : memref<?xi16>, i32, i32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-LABEL: func.func private @mpi_broadcast_from_1_i1_on_world(
// CHECK: mpi.recv(%{{.*}}) : memref<?xi8>, i32, i32
// CHECK: arith.trunci %{{.*}} : i8 to i1
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: mpi.send(%{{.*}}) : memref<?xi8>, i32, i32

// -----

// Groups are tables. Ranks in none do nothing; messages of groups have tags of their own.
// CHECK-DAG: memref.global "private" constant @mpi_sets_some : memref<4xi32> = dense<[0, -1, 0, 1]>
// CHECK-DAG: memref.global "private" constant @mpi_places_some : memref<4xi32> = dense<[1, -1, 0, 0]>
// CHECK-DAG: memref.global "private" constant @mpi_sizes_some : memref<2xi32> = dense<[2, 1]>
// CHECK-DAG: memref.global "private" constant @mpi_members_some : memref<2x2xi32> = dense<{{\[\[}}2, 0], [3, -1]]>
// CHECK-NOT: collective.group
collective.group @world {size = 4 : i64}
collective.group @some members(#collective.ranks<[[2, 0], [3]]>)

// CHECK-LABEL: func.func @groups(
func.func @groups(%x: memref<4xi32>, %to: index) -> (index, index, index) {
  // CHECK: call @mpi_all_reduce_max_i32_on_some(
  collective.all_reduce max %x into %x on @some : memref<4xi32>
  // CHECK: call @mpi_send_tag_3_i32_on_some(
  collective.send %x to %to tag 3 on @some : memref<4xi32>
  // CHECK: call @mpi_barrier_i8_on_world() : () -> ()
  collective.barrier on @world
  // CHECK: memref.get_global @mpi_places_some
  %rank = collective.rank on @some : index
  // CHECK: memref.get_global @mpi_sizes_some
  %size = collective.size on @some : index
  // CHECK: memref.get_global @mpi_members_some
  %there = collective.translate_rank %to from @some to @world : index
  return %rank, %size, %there : index, index, index
}
// CHECK-LABEL: func.func private @mpi_all_reduce_max_i32_on_some(
// CHECK: %[[TAG:.*]] = arith.constant 1 : i32
// CHECK: memref.get_global @mpi_sets_some
// CHECK: %[[MEMBER:.*]] = arith.cmpi sge
// CHECK: scf.if %[[MEMBER]] {
// CHECK: memref.get_global @mpi_members_some
// CHECK: mpi.recv(%{{.*}}, %[[TAG]], %{{.*}})
// CHECK-LABEL: func.func private @mpi_send_tag_3_i32_on_some(
// 4 times 2 groups, plus that of this one.
// CHECK: %[[TAG:.*]] = arith.constant 9 : i32
// CHECK: mpi.send(%{{.*}}, %[[TAG]], %{{.*}})

// -----

// A group made at run time writes its tables.
// CHECK-DAG: memref.global "private" @mpi_sets_later : memref<3xi32> = dense<-1>
// CHECK-DAG: memref.global "private" @mpi_members_later : memref<1x3xi32> = dense<-1>
collective.group @world {size = 3 : i64}
collective.group @later members(#collective.at_run_time)

// CHECK-LABEL: func.func @made(
// CHECK-SAME: %[[A:.*]]: index, %[[B:.*]]: index
func.func @made(%a: index, %b: index, %x: memref<4xf64>) {
  // CHECK: scf.for
  // CHECK: }
  // CHECK: %[[SETS:.*]] = memref.get_global @mpi_sets_later
  // CHECK: memref.store %{{.*}}, %[[SETS]][%[[A]]]
  // CHECK: memref.store %{{.*}}, %[[SETS]][%[[B]]]
  collective.create_group @later of %a, %b : index, index
  // CHECK: call @mpi_broadcast_from_0_f64_on_later
  collective.broadcast %x into %x from 0 on @later : memref<4xf64>
  // CHECK: scf.for
  // CHECK: memref.store %{{.*}}, %{{.*}} : memref<3xi32>
  collective.destroy_group @later
  return
}

// -----

// Communication beside computation runs where it is started; elements with gaps travel as a copy.
collective.group @world {size = 2 : i64}

// CHECK-LABEL: func.func @beside(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[COLUMN:.*]]: memref<4xf32, strided<[2]>>)
func.func @beside(%x: memref<4xf32>, %column: memref<4xf32, strided<[2]>>) {
  // CHECK: call @mpi_all_reduce_sum_f32_on_world
  // CHECK-NOT: collective
  %future = collective.async {
    collective.all_reduce sum %x into %x on @world : memref<4xf32>
    collective.yield
  } : !collective.future
  collective.await %future : !collective.future
  // CHECK: %[[COPY:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: linalg.copy ins(%[[COLUMN]] {{.*}}) outs(%[[COPY]]
  // CHECK: call @mpi_recv_tag_0_f32_on_world
  // CHECK: linalg.copy ins(%[[COPY]] {{.*}}) outs(%[[COLUMN]]
  // CHECK: memref.dealloc %[[COPY]]
  %c0 = arith.constant 0 : index
  collective.recv into %column from %c0 tag 0 on @world : memref<4xf32, strided<[2]>>
  return
}
