// RUN: dist-opt %s --lower-outline-loops --verify-diagnostics

func.func @dynamic(%a: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{cannot become loops: 'memref<?xf32>' is not a buffer of static shape and layout}}
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  return
}
