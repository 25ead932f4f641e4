// Steps, played by hand: what communication hides behind, and what it does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Timeline.h"
#include "test/lib/cost/SmallCluster.h"

#include "dialects/collective/Collective.h"
#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tutti::cost;
using tutti::test::smallCluster;

namespace {

class Timeline : public testing::Test {
protected:
  Timeline() {
    context.loadDialect<tutti::collective::CollectiveDialect, tutti::kernel::KernelDialect,
                        mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect>();
  }

  /// A matrix product of 1 ms (and 48 bytes of operands) is written as "MATMUL", an all_reduce
  /// of 2.002 ms in memory as
  /// "%r = REDUCE", one beside it as "%r = START".
  StepTime play(std::string body, const Cluster &cluster, int64_t ranks = 4) {
    replace(body, "MATMUL",
            "kernel.matmul(%a, %a) into(%a) {k = 10, m = 5, n = 10} "
            ": (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>");
    replace(body, "REDUCE", "collective.all_reduce sum %g on @world : tensor<250000xf32>");
    replace(body, "START",
            "collective.all_reduce sum %g on @world {collective.future = 0} : tensor<250000xf32>");
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "collective.group @world\nfunc.func @step(%a: tensor<4xf32>, %g: tensor<250000xf32>) {" +
            body + "return }",
        &context);
    EXPECT_TRUE(module);
    return module ? timeOfStep(*module, cluster, ranks) : StepTime();
  }

  static void replace(std::string &text, const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  }

  static constexpr double kReduce = 2.002e-3, kMatmul = 1e-3 + 48e-9;
  mlir::MLIRContext context;
};

TEST_F(Timeline, WhatIsNotAsynchronousShows) {
  StepTime time = play("%0 = MATMUL %1 = REDUCE %2 = MATMUL", smallCluster());
  EXPECT_DOUBLE_EQ(time.step, 2 * kMatmul + kReduce);
  EXPECT_DOUBLE_EQ(time.compute, 2 * kMatmul);
  EXPECT_DOUBLE_EQ(time.communication, kReduce);
  EXPECT_DOUBLE_EQ(time.exposed, kReduce);
}

/// Channels are computed in blocks, but the few of a picture, and those of groups.
TEST_F(Timeline, ConvolutionsComputeBlocksOfChannels) {
  auto secondsOf = [&](int64_t taken, int64_t made, int64_t group = 1) {
    auto image = [](int64_t channels) {
      return "tensor<1x" + std::to_string(channels) + "x8x8xf32>";
    };
    std::string x = image(taken), y = image(made),
                weight = "tensor<" + std::to_string(made) + "x" + std::to_string(taken / group) +
                         "x1x1xf32>";
    Cluster cluster = smallCluster();
    cluster.compute.convolution = 1e6;
    cluster.compute.memory = 1e15;
    return play("%x = tensor.empty() : " + x + " %w = tensor.empty() : " + weight +
                    " %y = tensor.empty() : " + y +
                    " %0 = kernel.convolution(%x, %w) into(%y) {dilations = array<i64: 1, 1>, "
                    "group = " +
                    std::to_string(group) +
                    " : i64, kernel = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = "
                    "array<i64: 0, 0>, strides = "
                    "array<i64: 1, 1>} : (" +
                    x + ", " + weight + ") -> " + y,
                cluster, 1)
        .step;
  };
  double block = secondsOf(16, 16);
  EXPECT_NEAR(block, 2 * 64 * 16 * 16 / 1e6, 1e-6);
  EXPECT_NEAR(secondsOf(8, 8), block, 1e-6);
  EXPECT_NEAR(secondsOf(32, 17), 4 * block, 1e-6);
  EXPECT_NEAR(secondsOf(4, 16), block / 4, 1e-6);
  EXPECT_NEAR(secondsOf(8, 8, 8), 2 * 64 * 8 / 1e6, 1e-6);
}

/// Products of few rows take longer than their operations: the whole matrix has to be read.
TEST_F(Timeline, ProductsReadWhatNoCacheHolds) {
  constexpr double operations = 1e-3, far = 2 * (1 << 20);
  constexpr const char *product =
      "%e = tensor.empty() : tensor<262144xf32> "
      "%0 = kernel.matmul(%e, %e) into(%e) {k = 10, m = 5, n = 10} "
      ": (tensor<262144xf32>, tensor<262144xf32>) -> tensor<262144xf32>";
  Cluster cluster = smallCluster();
  cluster.compute.matmulMemory = 1e8;
  EXPECT_DOUBLE_EQ(play(product, cluster, 1).step, operations + far / 1e8);
  EXPECT_DOUBLE_EQ(play("%0 = MATMUL", cluster, 1).step, operations);
  cluster.compute.sharing.memory = 3;
  EXPECT_DOUBLE_EQ(play(product, cluster, 4).step, operations + 3 * far / 1e8);
  // As loops do, where the file does not say.
  cluster.compute.matmulMemory = 0;
  EXPECT_DOUBLE_EQ(play(product, cluster, 4).step, operations + 3 * far * 1.5 / 1e9);
}

TEST_F(Timeline, WhatIsAsynchronousHides) {
  constexpr const char *body = "%1 = START %2 = MATMUL %3 = collective.complete 0 of %1 : "
                               "tensor<250000xf32> %4 = MATMUL";
  StepTime time = play(body, smallCluster());
  EXPECT_DOUBLE_EQ(time.step, kReduce + kMatmul);
  EXPECT_DOUBLE_EQ(time.communication, kReduce);
  EXPECT_DOUBLE_EQ(time.exposed, kReduce - kMatmul);
}

TEST_F(Timeline, WhereNoProcessorIsFreeItTakesThatOfComputation) {
  constexpr const char *body =
      "%1 = START %2 = MATMUL %5 = MATMUL %6 = MATMUL %3 = collective.complete 0 of %1 : "
      "tensor<250000xf32>";
  Cluster cluster = smallCluster();
  EXPECT_DOUBLE_EQ(play(body, cluster).exposed, 0);
  cluster.coresPerNode = 4; // 4 ranks compute: who communicates takes turns with them
  EXPECT_NEAR(play(body, cluster).exposed, 2e-3, 1e-9);
}

TEST_F(Timeline, OneRankCommunicatesForNothing) {
  StepTime time = play("%0 = MATMUL %1 = REDUCE", smallCluster(), 1);
  EXPECT_DOUBLE_EQ(time.step, kMatmul);
  EXPECT_EQ(time.communication, 0);
  EXPECT_EQ(time.exposed, 0);
}

TEST_F(Timeline, LoopsTakeAsLongAsTheirTrips) {
  StepTime time = play("%lo = arith.constant 0 : index %hi = arith.constant 6 : index %by = "
                       "arith.constant 2 : index scf.for %i = %lo to %hi step %by { %0 = MATMUL %1 "
                       "= REDUCE }",
                       smallCluster());
  EXPECT_NEAR(time.compute, 3 * kMatmul, 1e-12);
  EXPECT_NEAR(time.step, 3 * (kMatmul + kReduce), 1e-12);
}

TEST_F(Timeline, RanksThatShareANodeSlowEachOther) {
  Cluster cluster = smallCluster();
  cluster.compute.sharing = {2, 2, 2, 2};
  cluster.compute.step = 0.5;
  EXPECT_DOUBLE_EQ(play("%0 = MATMUL", cluster, 1).step, 0.5 + kMatmul);
  EXPECT_DOUBLE_EQ(play("%0 = MATMUL", cluster, 4).step, 0.5 + 2 * kMatmul);
  EXPECT_DOUBLE_EQ(play("%0 = MATMUL", cluster, 64).step, 0.5 + 2 * kMatmul);
}

TEST_F(Timeline, WorkOfLoopsIsTheSlowerOfOperationsAndBytes) {
  constexpr const char *body = R"(
    %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32):
        %s = arith.addf %x, %x : f32
        linalg.yield %s : f32
    } -> tensor<4xf32>)";
  Cluster cluster = smallCluster();
  EXPECT_DOUBLE_EQ(play(body, cluster).compute, 4e-6); // a microsecond an operation
  cluster.compute.loop = 1e12;
  EXPECT_DOUBLE_EQ(play(body, cluster).compute, 32e-9); // a nanosecond a byte
}

/// Takes `seconds`, and has the link of the node full for as long.
CommunicationTime onNetwork(double seconds) { return {seconds, 0, 0, seconds}; }

TEST_F(Timeline, WhatIsAwaitedHalvesALinkWithTheThread) {
  Cluster cluster = smallCluster();
  StepClock clock(cluster, 8);
  StepClock::Future first = clock.start(onNetwork(1)), second = clock.start(onNetwork(2));
  clock.communicate(onNetwork(1));
  EXPECT_DOUBLE_EQ(clock.time().step, 2) << "as long again as alone";
  clock.await(first);
  EXPECT_DOUBLE_EQ(clock.time().step, 2);
  clock.await(second);
  EXPECT_DOUBLE_EQ(clock.time().step, 4) << "all bytes have gone over the link";
  clock.await(first);
  EXPECT_DOUBLE_EQ(clock.time().step, 4);
}

TEST_F(Timeline, WhatTakesLongerThanTheThreadHasTheLinkAfterIt) {
  Cluster cluster = smallCluster();
  StepClock clock(cluster, 8);
  StepClock::Future future = clock.start(onNetwork(1));
  clock.communicate(onNetwork(3));
  EXPECT_DOUBLE_EQ(clock.time().step, 4);
  clock.await(future);
  EXPECT_DOUBLE_EQ(clock.time().step, 4);
}

TEST_F(Timeline, OtherLinksAndOtherTimesAreNotShared) {
  Cluster cluster = smallCluster();
  StepClock clock(cluster, 8);
  StepClock::Future early = clock.start(onNetwork(1));
  clock.communicate({1, 0, 1, 0}); // within a node
  EXPECT_DOUBLE_EQ(clock.time().step, 1);
  clock.compute(1);
  StepClock::Future late = clock.start(onNetwork(2));
  clock.communicate({1, 0, 0, 0.5}); // half of it is latency
  EXPECT_DOUBLE_EQ(clock.time().step, 3.5);
  clock.await(early);
  EXPECT_DOUBLE_EQ(clock.time().step, 3.5) << "complete before anything was shared";
  clock.await(late);
  EXPECT_DOUBLE_EQ(clock.time().step, 4.5);
}

TEST_F(Timeline, TimesOnALinkAreThoseThatBytesTake) {
  Cluster cluster = smallCluster();
  CommunicationTime across = timeOf("all_gather", 1000, {1, 2, 4}, cluster);
  EXPECT_DOUBLE_EQ(across.network, 4 * 1000 / 1e6) << "four sets of a node share it";
  EXPECT_DOUBLE_EQ(across.seconds, across.network + 1e-3);
  CommunicationTime within = timeOf("all_gather", 1000, {4, 1, 1}, cluster);
  EXPECT_EQ(within.network + within.nodeLink, 0) << "in memory";
}

} // namespace
