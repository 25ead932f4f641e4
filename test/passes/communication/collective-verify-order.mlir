// Programs that are proved: nothing is changed, nothing is said.
// RUN: dist-opt %s --collective-verify-order --verify-diagnostics | FileCheck %s
// CHECK: collective.group @world {size = 4 : i64}

collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.ranks<[[0, 1], [2, 3]]>)
collective.group @some members(#collective.ranks<[[1, 2]]>)
collective.group @later members(#collective.at_run_time)

// Loops and branches that all ranks decide alike.
func.func @alike(%w: tensor<4xf32> {train.variable = #train.variable<"w", other>}, %v: tensor<4xf32>) -> tensor<4xf32> {
  %size = collective.size on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %size step %c1 iter_args(%at = %v) -> tensor<4xf32> {
    %1 = collective.all_reduce sum %at on @world : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %norm = tensor.extract %w[%c0] : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %flag = arith.cmpf ogt, %norm, %zero : f32
  %2 = scf.if %flag -> tensor<4xf32> {
    %3 = collective.broadcast %0 from 0 on @world : tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// Only members of a set communicate in it.
func.func @members(%v: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @some : index
  %c0 = arith.constant 0 : index
  %member = arith.cmpi sge, %rank, %c0 : index
  %0 = scf.if %member -> tensor<4xf32> {
    %1 = collective.all_reduce sum %v on @some : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Around a ring, one after the other, the first sends before it receives.
func.func @ring(%v: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %up = arith.addi %rank, %c1 : index
  %next = arith.remui %up, %size : index
  %down = arith.addi %rank, %size : index
  %less = arith.subi %down, %c1 : index
  %previous = arith.remui %less, %size : index
  %first = arith.cmpi eq, %rank, %c0 : index
  %0 = scf.if %first -> tensor<4xf32> {
    collective.send %v to %next tag 1 on @world : tensor<4xf32>
    %1 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
    collective.send %v to %next tag 1 on @world : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Beside the program, and while it goes on the other way round; the sides of a message are of one kind.
func.func @exchange(%v: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %peer = arith.subi %c1, %rank : index
  %first = arith.cmpi eq, %rank, %c0 : index
  %0 = scf.if %first -> tensor<4xf32> {
    %f = collective.async {
      collective.send %v to %peer tag 2 on @pairs : tensor<4xf32>
      collective.yield
    } : !collective.future
    %1 = collective.recv from %peer tag 2 on @pairs : tensor<4xf32>
    collective.await %f : !collective.future
    scf.yield %1 : tensor<4xf32>
  } else {
    %g = collective.async {
      %r = collective.recv from %peer tag 2 on @pairs : tensor<4xf32>
      collective.yield %r : tensor<4xf32>
    } : !collective.future<tensor<4xf32>>
    collective.send %v to %peer tag 2 on @pairs : tensor<4xf32>
    %1 = collective.await %g : !collective.future<tensor<4xf32>>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Through unstructured control, a loop of known length and calls.
func.func private @pass_on(%v: tensor<4xf32>, %rank: index, %round: index) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %odd = arith.remui %rank, %c2 : index
  %is_odd = arith.cmpi eq, %odd, %c1 : index
  cf.cond_br %is_odd, ^receive, ^send
^send:
  %to = arith.addi %rank, %c1 : index
  collective.send %v to %to tag 3 on @world : tensor<4xf32>
  return %v : tensor<4xf32>
^receive:
  %from = arith.subi %rank, %c1 : index
  %0 = collective.recv from %from tag 3 on @world : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @rounds(%v: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%at = %v) -> tensor<4xf32> {
    %1 = func.call @pass_on(%at, %rank, %i) : (tensor<4xf32>, index, index) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// A group of the upper half, while it exists.
func.func @made(%v: tensor<4xf32>) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  collective.create_group @later of %c2, %c3 : index, index
  %rank = collective.rank on @world : index
  %upper = arith.cmpi sge, %rank, %c2 : index
  %0 = scf.if %upper -> tensor<4xf32> {
    %1 = collective.all_reduce sum %v on @later : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %v : tensor<4xf32>
  }
  collective.destroy_group @later
  return %0 : tensor<4xf32>
}
