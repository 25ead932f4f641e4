// The pass of noise-scale=true.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DISTRIBUTION_NOISESCALE
#define TUTTI_DISTRIBUTION_NOISESCALE

include "passes/distribution/PassClasses.td"

def NoiseScalePass : DistributionLaunchPass<"distribute-noise-scale", "Refuses"> {
  let summary = "Measure how noisy gradients are, as a metric of each step";
  let description = [{
    From the gradient of one rank, of b samples, and the mean over N ranks, of B = b N samples, a step can tell the length of the true
    gradient and its variance between samples (McCandlish et al. 2018, An Empirical Model of Large-Batch Training, appendix A.1). With
    `small` the mean over ranks of a rank's squared norm, and `big` the squared norm of the reduced gradient, the step gets the metrics

        noise_scale.variance = (small - big) / (1/b - 1/B)     the trace of the covariance of a sample's gradient
        noise_scale.gradient = (B big - b small) / (B - b)     the squared norm of the true gradient
        noise_scale = noise_scale.variance / noise_scale.gradient

    The first two are without bias in each step, their quotient is not, and is negative where the second is: average the two over steps,
    and divide then. The quotient says in samples from which batch on a larger one helps little. The norms are those of all gradients of the
    step together, before they are clipped, and as if the loss had not been scaled; one scalar is reduced for them. Training is not changed.

    Fails on one rank, where there is one gradient only; where ranks hold unequal parts of the batch or samples twice (`weighted`, `pad`);
    where a gradient is no mean over the ranks, or is exchanged as rows; and when the number of ranks is not known yet.
  }];
  let dependentDialects = ["::tutti::collective::CollectiveDialect", "::tutti::train::TrainDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"measuredGradients", "gradients-measured", "Gradients whose norms are taken">];
}

#endif // TUTTI_DISTRIBUTION_NOISESCALE
