// Pulls and pushes beside collectives: no order of them keeps a worker waiting for ever, as long as each step comes to each once.
// RUN: dist-opt %s --collective-verify-order --split-input-file --verify-diagnostics -o /dev/null

// Accepted: a push before a collective, a pull after it, a pull in a loop that all run equally often, and in @evaluate.
collective.group @world
ps.table @t : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
ps.table @s : tensor<9x2xf32> {initial = dense<0.5> : tensor<9x2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @initialize() { return }
func.func @step(%i: tensor<4xi64>, %g: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
  ps.push_rows @t at %i, %w : tensor<4xi64>, tensor<4x2xf32>
  %r = collective.all_reduce mean %g on @world : tensor<4x2xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %v = scf.for %k = %zero to %three step %one iter_args(%before = %r) -> (tensor<4x2xf32>) {
    %next = ps.pull_rows @s at %i : tensor<4xi64> -> tensor<4x2xf32>
    scf.yield %next : tensor<4x2xf32>
  }
  ps.push_rows @s at %i, %r : tensor<4xi64>, tensor<4x2xf32>
  return %w, %v : tensor<4x2xf32>, tensor<4x2xf32>
}
func.func @evaluate(%i: tensor<4xi64>) -> tensor<4x2xf32> {
  %w = ps.pull_rows @t at %i : tensor<4xi64> -> tensor<4x2xf32>
  return %w : tensor<4x2xf32>
}

// -----
// One rank would push before a collective, the others after it: they could wait for each other.
collective.group @world
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @step() -> tensor<2xf32> {
  %w = ps.pull @t : tensor<2xf32>
  %rank = collective.rank on @world : index
  %zero = arith.constant 0 : index
  %is_first = arith.cmpi eq, %rank, %zero : index
  scf.if %is_first {
    // expected-error @below {{a push to @t stands in 'scf.if', but servers wait for one push of each worker in a step}}
    ps.push @t, %w : tensor<2xf32>
  }
  %r = collective.all_reduce mean %w on @world : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----
// Both places are named.
collective.group @world
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @step(%g: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{it varies because the result of 'collective.rank' is different on each rank by its meaning}}
  %rank = collective.rank on @world : index
  %zero = arith.constant 0 : index
  // expected-note @below {{and so does}}
  %is_first = arith.cmpi eq, %rank, %zero : index
  // expected-note @below {{workers decide 'scf.if' differently}}
  %v = scf.if %is_first -> tensor<2xf32> {
    // expected-error @below {{not all workers pull from @t equally often}}
    %w = ps.pull @t : tensor<2xf32>
    scf.yield %w : tensor<2xf32>
  } else {
    scf.yield %g : tensor<2xf32>
  }
  ps.push @t, %g : tensor<2xf32>
  return %v : tensor<2xf32>
}

// -----
// A block that not every step comes to.
collective.group @world
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @step(%yes: i1) {
  %w = ps.pull @t : tensor<2xf32>
  cf.cond_br %yes, ^pushes, ^ends
^pushes:
  // expected-error @below {{a push to @t stands in a block that not every step comes to once}}
  ps.push @t, %w : tensor<2xf32>
  cf.br ^ends
^ends:
  return
}

// -----
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @evaluate(%g: tensor<2xf32>) {
  // expected-error @below {{a push to @t stands in @evaluate, but servers wait for one push of each worker in a step, by @step itself}}
  ps.push @t, %g : tensor<2xf32>
  return
}

// -----
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @initialize() -> tensor<2xf32> {
  // expected-error @below {{@initialize pulls from @t, but servers have no rows to give before the first step}}
  %w = ps.pull @t : tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----
// Nobody knows in which order.
ps.table @t whole : tensor<2xf32> {initial = dense<0.5> : tensor<2xf32>, update = @u}
func.func private @u(%w: tensor<?x2xf32>, %g: tensor<?x2xf32>) -> tensor<?x2xf32> { return %w : tensor<?x2xf32> }
func.func @step(%g: tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the region is here}}
  scf.parallel (%k) = (%zero) to (%one) step (%one) {
    // expected-error @below {{a pull from @t stands in a region that 'scf.parallel' runs in an order, or a number of times, that is not defined}}
    %w = ps.pull @t : tensor<2xf32>
    scf.reduce
  }
  ps.push @t, %g : tensor<2xf32>
  return
}
