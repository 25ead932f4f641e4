// Every row of the table of elementwise operators, read and written.
// RUN: dist-opt %s | dist-opt | FileCheck %s

// CHECK-LABEL: func.func @of_one
func.func @of_one(%x: tensor<?x10xf32>, %n: tensor<4xi64>, %b: tensor<4xi1>) {
  // CHECK: onnx.Neg %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %0 = onnx.Neg %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Abs %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %1 = onnx.Abs %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sign %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %2 = onnx.Sign %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Reciprocal %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %3 = onnx.Reciprocal %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Floor %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %4 = onnx.Floor %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Ceil %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %5 = onnx.Ceil %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Round %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %6 = onnx.Round %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sqrt %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %7 = onnx.Sqrt %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Exp %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %8 = onnx.Exp %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Log %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %9 = onnx.Log %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Erf %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %10 = onnx.Erf %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sin %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %11 = onnx.Sin %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Cos %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %12 = onnx.Cos %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Tan %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %13 = onnx.Tan %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Atan %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %14 = onnx.Atan %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Asin %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle0 = onnx.Asin %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Acos %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle1 = onnx.Acos %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sinh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle2 = onnx.Sinh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Cosh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle3 = onnx.Cosh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Asinh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle4 = onnx.Asinh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Acosh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle5 = onnx.Acosh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Atanh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %angle6 = onnx.Atanh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Shrink %{{[a-z0-9]+}} {lambd = 2.000000e+00 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %shrunk = onnx.Shrink %x {lambd = 2.0 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Relu %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %15 = onnx.Relu %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sigmoid %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %16 = onnx.Sigmoid %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Tanh %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %17 = onnx.Tanh %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Softplus %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %18 = onnx.Softplus %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Softsign %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %19 = onnx.Softsign %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.LeakyRelu %{{[a-z0-9]+}} {alpha = 3.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %20 = onnx.LeakyRelu %x {alpha = 3.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Elu %{{[a-z0-9]+}} {alpha = 5.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %21 = onnx.Elu %x {alpha = 5.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Selu %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %22 = onnx.Selu %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Celu %{{[a-z0-9]+}} {alpha = 2.000000e+00 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %23 = onnx.Celu %x {alpha = 2.000000e+00 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.HardSigmoid %{{[a-z0-9]+}} {alpha = 2.500000e-01 : f32, beta = 4.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %24 = onnx.HardSigmoid %x {alpha = 2.500000e-01 : f32, beta = 4.000000e-01 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.HardSwish %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %25 = onnx.HardSwish %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.ThresholdedRelu %{{[a-z0-9]+}} {alpha = 2.000000e+00 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %26 = onnx.ThresholdedRelu %x {alpha = 2.000000e+00 : f32} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Gelu %{{[a-z0-9]+}} {approximate = "tanh"} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %27 = onnx.Gelu %x {approximate = "tanh"} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Neg %{{[a-z0-9]+}} : (tensor<4xi64>) -> tensor<4xi64>
  %28 = onnx.Neg %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: onnx.Abs %{{[a-z0-9]+}} : (tensor<4xi64>) -> tensor<4xi64>
  %29 = onnx.Abs %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: onnx.Sign %{{[a-z0-9]+}} : (tensor<4xi64>) -> tensor<4xi64>
  %30 = onnx.Sign %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: onnx.Not %{{[a-z0-9]+}} : (tensor<4xi1>) -> tensor<4xi1>
  %31 = onnx.Not %b : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: onnx.IsNaN %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xi1>
  %32 = onnx.IsNaN %x : (tensor<?x10xf32>) -> tensor<?x10xi1>
  // CHECK: onnx.IsInf %{{[a-z0-9]+}} {detect_negative = 0 : i64} : (tensor<?x10xf32>) -> tensor<?x10xi1>
  %33 = onnx.IsInf %x {detect_negative = 0 : i64} : (tensor<?x10xf32>) -> tensor<?x10xi1>
  return
}

// CHECK-LABEL: func.func @of_several
func.func @of_several(%a: tensor<?x10xf32>, %b: tensor<10xf32>, %s: tensor<f32>, %m: tensor<?x4xi64>, %n: tensor<4xi64>, %p: tensor<?x4xi1>, %q: tensor<4xi1>) {
  // CHECK: onnx.Add %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %0 = onnx.Add %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Sub %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %1 = onnx.Sub %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Mul %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %2 = onnx.Mul %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Div %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %3 = onnx.Div %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Mod %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {fmod = 1 : i64} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi64>
  %4 = onnx.Mod %m, %n {fmod = 1 : i64} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi64>
  // CHECK: onnx.Sum %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %5 = onnx.Sum %a, %b, %s : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Mean %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %6 = onnx.Mean %a, %b, %s : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Max %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %7 = onnx.Max %a, %b, %s : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Min %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %8 = onnx.Min %a, %b, %s : (tensor<?x10xf32>, tensor<10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Max %{{[a-z0-9]+}} : (tensor<?x4xi64>) -> tensor<?x4xi64>
  %9 = onnx.Max %m : (tensor<?x4xi64>) -> tensor<?x4xi64>
  // CHECK: onnx.Clip %{{[a-z0-9]+}} min %{{[a-z0-9]+}} max %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<f32>, tensor<f32>) -> tensor<?x10xf32>
  %10 = onnx.Clip %a min %s max %s : (tensor<?x10xf32>, tensor<f32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Clip %{{[a-z0-9]+}} max %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %11 = onnx.Clip %a max %s : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: onnx.Clip %{{[a-z0-9]+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %12 = onnx.Clip %a : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.PRelu %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %13 = onnx.PRelu %a, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  // CHECK: onnx.Equal %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  %14 = onnx.Equal %m, %n : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  // CHECK: onnx.Less %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  %15 = onnx.Less %m, %n : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  // CHECK: onnx.LessOrEqual %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  %16 = onnx.LessOrEqual %m, %n : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  // CHECK: onnx.Greater %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  %17 = onnx.Greater %m, %n : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  // CHECK: onnx.GreaterOrEqual %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  %18 = onnx.GreaterOrEqual %m, %n : (tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi1>
  // CHECK: onnx.Equal %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  %19 = onnx.Equal %p, %q : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  // CHECK: onnx.And %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  %20 = onnx.And %p, %q : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  // CHECK: onnx.Or %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  %21 = onnx.Or %p, %q : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  // CHECK: onnx.Xor %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  %22 = onnx.Xor %p, %q : (tensor<?x4xi1>, tensor<4xi1>) -> tensor<?x4xi1>
  // CHECK: onnx.Where %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (tensor<4xi1>, tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi64>
  %23 = onnx.Where %q, %m, %n : (tensor<4xi1>, tensor<?x4xi64>, tensor<4xi64>) -> tensor<?x4xi64>
  return
}
