// Communication that nobody awaits would use its buffers for ever.
// RUN: dist-opt %s --lower-futures --verify-diagnostics

collective.group @world
func.func @never_awaited(%m: memref<4xf32>) {
  // expected-error @below {{is never awaited}}
  %f = collective.async {
    collective.all_reduce sum %m into %m on @world : memref<4xf32>
  } : !collective.future
  return
}
