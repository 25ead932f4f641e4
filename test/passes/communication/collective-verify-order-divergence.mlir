// Collectives that not all ranks reach: the branch, what decides it, and where that begins to differ.
// RUN: dist-opt %s --collective-verify-order --split-input-file --verify-diagnostics

collective.group @world
func.func @branch(%v: tensor<4xf32>) {
  // expected-note @+1 {{it varies because the result of 'collective.rank' is different on each rank by its meaning}}
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{and so does the result of 'arith.cmpi'}}
  %first = arith.cmpi eq, %rank, %c0 : index
  // expected-note @+1 {{ranks decide 'scf.if' differently}}
  scf.if %first {
    // expected-error @+1 {{not all ranks reach 'collective.all_reduce' equally often: those that do would wait for the others for ever}}
    %0 = collective.all_reduce sum %v on @world : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
// expected-note @+1 {{it varies because argument 1 of @loop has no role, so that nothing is known of it}}
func.func @loop(%v: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{ranks decide 'scf.for' differently, so that they run its body different numbers of times}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{not all ranks reach 'collective.barrier' equally often}}
    collective.barrier on @world
  }
  return
}

// -----

collective.group @world
func.func private @communicates(%v: tensor<4xf32>) {
  // expected-error @+1 {{not all ranks reach 'collective.all_reduce' equally often}}
  %0 = collective.all_reduce sum %v on @world : tensor<4xf32>
  return
}
// expected-note @+1 {{it varies because argument 1 of @caller}}
func.func @caller(%v: tensor<4xf32>, %flag: i1) {
  // expected-note @+1 {{ranks decide 'scf.if' differently}}
  scf.if %flag {
    // expected-note @+1 {{it is called from here}}
    func.call @communicates(%v) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

collective.group @world
// expected-note @+1 {{it varies because argument 1 of @early_exit}}
func.func @early_exit(%v: tensor<4xf32>, %flag: i1) {
  // expected-note @+1 {{ranks decide 'cf.cond_br' differently}}
  cf.cond_br %flag, ^out, ^on
^on:
  // expected-error @+1 {{not all ranks reach 'collective.all_reduce' equally often}}
  %0 = collective.all_reduce sum %v on @world : tensor<4xf32>
  cf.br ^out
^out:
  return
}

// -----

collective.group @world
func.func @no_order(%v: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the region is here}}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{'collective.barrier' stands in a region that 'scf.parallel' runs in an order, or a number of times, that is not defined}}
    collective.barrier on @world
  }
  return
}

// -----

collective.group @world
func.func @forgotten(%v: tensor<4xf32>) {
  // expected-error @+1 {{the future is never awaited, so that nobody knows when its communication is complete; add collective.await}}
  %f = collective.async {
    %r = collective.all_reduce sum %v on @world : tensor<4xf32>
    collective.yield %r : tensor<4xf32>
  } : !collective.future<tensor<4xf32>>
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @too_early() {
  // expected-error @+1 {{@later does not exist here: it is used only after collective.create_group and before collective.destroy_group}}
  collective.barrier on @later
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @twice() {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{it is made here}}
  collective.create_group @later of %c0 : index
  // expected-error @+1 {{@later exists already; destroy it first}}
  collective.create_group @later of %c0 : index
  return
}

// -----

collective.group @world
collective.group @later members(#collective.at_run_time)
func.func @on_one_way() {
  %c0 = arith.constant 0 : index
  %size = collective.size on @world : index
  %flag = arith.cmpi eq, %size, %c0 : index
  // expected-error @+1 {{@later exists after this operation on some ways and not on others; make and destroy it on the same ones}}
  scf.if %flag {
    // expected-note @+1 {{it is made here}}
    collective.create_group @later of %c0 : index
  }
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @left_over() {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{@later still exists when @left_over ends; destroy it with collective.destroy_group}}
  collective.create_group @later of %c0 : index
  return
}

// -----

collective.group @world
func.func @unknown_world(%v: tensor<4xf32>, %p: index) {
  // expected-warning @+1 {{messages are not checked, because the number of ranks is not known: give a group its size (specialize-world) or the pass the option ranks}}
  collective.send %v to %p tag 0 on @world : tensor<4xf32>
  return
}
