// Dropout and random tensors: what they depend on, and what they must not depend on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Sharding.h"
#include "runtime/support/Philox.h"
#include "test/runtime/unit/kernels/KernelHost.h"

#include <cstring>
#include <gmock/gmock.h>

using namespace tutti::runtime;

namespace {

constexpr int64_t row = 7; // not a multiple of the generator's four words

struct Masked {
  Floats values;
  std::vector<uint8_t> mask;
};

Masked dropout(tutti_context *context, Floats in, float ratio, int64_t node, int64_t blocks = 1) {
  Masked out = {Floats(in.size(), 99), std::vector<uint8_t>(in.size(), 99)};
  Parameters p = {int64_t(in.size()), node, blocks, /*parts=*/1};
  void *buffers[] = {in.data(), &ratio, out.values.data(), out.mask.data()};
  tutti_dropout(context, buffers, p.data());
  return out;
}

/// The same for micro-batch `part` of `parts`.
Masked dropout_of_part(tutti_context *context, Floats in, int64_t part, int64_t parts,
                       int64_t blocks = 1) {
  Masked out = {Floats(in.size(), 99), std::vector<uint8_t>(in.size(), 99)};
  Parameters p = {int64_t(in.size()), /*node=*/1, blocks, parts};
  float ratio = 0.5f;
  void *buffers[] = {in.data(), &ratio, &part, out.values.data(), out.mask.data()};
  tutti_dropout(context, buffers, p.data());
  return out;
}

/// The masks of all ranks, put together by global sample, of `blocks` of all samples. A context of
/// rank r needs no peers for this.
std::vector<uint8_t> mask_over(int32_t mode, int64_t ranks, int64_t samples, int64_t blocks = 1) {
  std::vector<uint8_t> whole(blocks * samples * row);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    KernelHost host;
    tutti_context_set_seed(host.context, 5);
    tutti_context_set_step(host.context, 3);
    host.context->rank = int32_t(rank);
    host.context->size = int32_t(ranks);
    Shard shard = {mode, rank, ranks, samples};
    tutti_context_set_samples(host.context, mode, samples, shard.local_samples());
    int64_t own = shard.local_samples();
    Masked local = dropout(host.context, Floats(blocks * own * row, 1), 0.5f, 1, blocks);
    EXPECT_EQ(host.message(), "");
    for (int64_t b = 0; b < blocks; ++b)
      for (int64_t s = 0; s < own; ++s)
        std::copy_n(&local.mask[(b * own + s) * row], row,
                    &whole[(b * samples + shard.global_sample(s)) * row]);
  }
  return whole;
}

Floats random(KernelHost &host, Parameters p) {
  p.insert(p.end(), {/*blocks=*/-1, /*parts=*/1});
  Floats out(p[0], 99);
  void *buffers[] = {out.data()};
  tutti_random(host.context, buffers, p.data());
  return out;
}

int64_t bits(double value) {
  int64_t out;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

/// Noise for the samples of all ranks and micro-batches, put together by global sample.
Floats noise_over(int32_t mode, int64_t ranks, int64_t samples, int64_t parts) {
  Floats whole(samples * row);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    KernelHost host;
    tutti_context_set_seed(host.context, 5);
    host.context->rank = int32_t(rank);
    host.context->size = int32_t(ranks);
    Shard shard = {mode, rank, ranks, samples};
    tutti_context_set_samples(host.context, mode, samples, shard.local_samples());
    int64_t own = shard.local_samples() / parts;
    for (int64_t part = 0; part < parts; ++part) {
      Floats local(own * row, 99);
      Parameters p = {own * row,    TUTTI_F32, /*normal=*/0, bits(0), bits(1), 0, 0, /*node=*/1,
                      /*blocks=*/1, parts};
      void *buffers[] = {&part, local.data()};
      tutti_random(host.context, parts > 1 ? buffers : buffers + 1, p.data());
      EXPECT_EQ(host.message(), "");
      for (int64_t s = 0; s < own; ++s)
        std::copy_n(&local[s * row], row, &whole[shard.global_sample(part * own + s) * row]);
    }
  }
  return whole;
}

} // namespace

TEST(Philox, gives_the_published_words) { // known answers of the Random123 distribution
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Dropout, masks_do_not_depend_on_the_ranks) {
  for (int64_t samples : {8, 10}) {
    std::vector<uint8_t> alone = mask_over(TUTTI_SHARD_NONE, 1, samples);
    for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS})
      for (int64_t ranks : {1, 2, 4})
        EXPECT_EQ(mask_over(mode, ranks, samples), alone) << mode << " over " << ranks;
  }
}

TEST(Dropout, masks_do_not_depend_on_the_micro_batches) {
  for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS}) {
    KernelHost host;
    host.context->rank = 1;
    host.context->size = 2;
    tutti_context_set_samples(host.context, mode, 24, 12);
    std::vector<uint8_t> whole = dropout(host.context, Floats(12 * row, 1), 0.5f, 1).mask;
    for (int64_t parts : {2, 3, 4, 12}) {
      std::vector<uint8_t> joined;
      for (int64_t part = 0; part < parts; ++part) {
        Masked out = dropout_of_part(host.context, Floats(12 / parts * row, 1), part, parts);
        joined.insert(joined.end(), out.mask.begin(), out.mask.end());
      }
      EXPECT_EQ(joined, whole) << mode << ", " << parts << " parts";
    }
  }
}

TEST(Dropout, finds_samples_after_other_dimensions) {
  constexpr int64_t samples = 10, blocks = 3;
  KernelHost host; // one device, for which the elements are in one row
  tutti_context_set_seed(host.context, 5);
  tutti_context_set_step(host.context, 3);
  tutti_context_set_samples(host.context, TUTTI_SHARD_NONE, samples, samples);
  std::vector<uint8_t> alone =
      dropout(host.context, Floats(blocks * samples * row, 1), 0.5f, 1).mask;
  for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS})
    for (int64_t ranks : {1, 2, 4})
      EXPECT_EQ(mask_over(mode, ranks, samples, blocks), alone) << mode << " over " << ranks;
  std::vector<uint8_t> joined(alone.size());
  for (int64_t part : {0, 1}) {
    Masked out = dropout_of_part(host.context, Floats(blocks * 5 * row, 1), part, 2, blocks);
    for (int64_t b = 0; b < blocks; ++b)
      std::copy_n(&out.mask[b * 5 * row], 5 * row, &joined[(b * samples + part * 5) * row]);
  }
  EXPECT_EQ(joined, alone) << "micro-batches";
}

TEST(Dropout, is_the_same_everywhere_of_what_has_no_samples) {
  std::vector<uint8_t> alone;
  for (int64_t rank : {0, 1}) {
    KernelHost host;
    host.context->rank = int32_t(rank);
    host.context->size = 2;
    tutti_context_set_samples(host.context, TUTTI_SHARD_STRIDED, 8, 4);
    std::vector<uint8_t> mask = dropout(host.context, Floats(4 * row, 1), 0.5f, 1, -1).mask;
    EXPECT_NE(mask, dropout(host.context, Floats(4 * row, 1), 0.5f, 1).mask) << "4 of 8 samples";
    EXPECT_EQ(dropout_of_part(host.context, Floats(4 * row, 1), 1, 2, -1).mask, mask);
    EXPECT_TRUE(rank == 0 || mask == alone);
    alone = mask;
  }
}

TEST(Dropout, refuses_a_micro_batch_that_is_not_there) {
  KernelHost host;
  dropout_of_part(host.context, Floats(8, 1), 4, 4);
  EXPECT_THAT(host.message(), testing::HasSubstr("tutti_dropout: there is no micro-batch 4 of 4"));
}

TEST(Dropout, drops_about_the_ratio_and_scales_the_rest) {
  KernelHost host;
  Masked out = dropout(host.context, Floats(10000, 3), 0.25f, 1);
  int64_t kept = 0;
  for (size_t i = 0; i < out.mask.size(); ++i) {
    kept += out.mask[i];
    EXPECT_EQ(out.values[i], out.mask[i] ? 4.0f : 0.0f);
  }
  EXPECT_NEAR(double(kept) / 10000, 0.75, 0.02);
}

TEST(Dropout, changes_with_seed_step_and_node) {
  KernelHost host;
  auto mask = [&](uint64_t seed, int64_t step, int64_t node) {
    tutti_context_set_seed(host.context, seed);
    tutti_context_set_step(host.context, step);
    return dropout(host.context, Floats(256, 1), 0.5f, node).mask;
  };
  EXPECT_EQ(mask(1, 2, 3), mask(1, 2, 3));
  EXPECT_NE(mask(1, 2, 3), mask(9, 2, 3));
  EXPECT_NE(mask(1, 2, 3), mask(1, 9, 3));
  EXPECT_NE(mask(1, 2, 3), mask(1, 2, 9));
}

TEST(Dropout, has_its_limits) {
  KernelHost host;
  EXPECT_EQ(dropout(host.context, numbers(9, 1), 0, 1).values, numbers(9, 1));
  EXPECT_EQ(dropout(host.context, numbers(9, 1), 1, 1).values, Floats(9, 0));
  Masked inference = dropout(host.context, numbers(9, 1), 0.5f, 1, 0);
  EXPECT_EQ(inference.values, numbers(9, 1));
  EXPECT_EQ(inference.mask, std::vector<uint8_t>(9, 1));
  dropout(host.context, numbers(9, 1), 1.5f, 1);
  EXPECT_THAT(host.message(),
              testing::HasSubstr("tutti_dropout: the ratio is not between 0 and 1"));
}

TEST(Random, normal_has_its_mean_and_deviation) {
  KernelHost host;
  Floats out = random(host, {20001, TUTTI_F32, 0, bits(3), bits(2), 0, 0, 1});
  double mean = 0, square = 0;
  for (float value : out)
    mean += value / double(out.size());
  for (float value : out)
    square += (value - mean) * (value - mean) / double(out.size());
  EXPECT_NEAR(mean, 3, 0.06);
  EXPECT_NEAR(std::sqrt(square), 2, 0.05);
}

TEST(Random, uniform_stays_in_its_range) {
  KernelHost host;
  Floats out = random(host, {20001, TUTTI_F32, 1, bits(-1), bits(2), 0, 0, 1});
  double mean = 0;
  for (float value : out) {
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 2);
    mean += value / double(out.size());
  }
  EXPECT_NEAR(mean, 0.5, 0.03);
}

TEST(Random, a_seed_of_its_own_beats_the_contexts) {
  KernelHost host;
  Parameters own = {64, TUTTI_F32, 0, bits(0), bits(1), 1, 42, 1};
  Parameters shared = {64, TUTTI_F32, 0, bits(0), bits(1), 0, 0, 1};
  Floats own_before = random(host, own), shared_before = random(host, shared);
  tutti_context_set_seed(host.context, 77);
  tutti_context_set_step(host.context, 7);
  EXPECT_EQ(random(host, own), own_before);
  EXPECT_NE(random(host, shared), shared_before);
}

TEST(Random, refuses_other_types_and_kinds) {
  KernelHost host;
  random(host, {4, TUTTI_I32, 0, 0, 0, 0, 0, 1});
  EXPECT_THAT(host.message(), testing::HasSubstr("the element type is neither f32 nor f64"));
  KernelHost other;
  random(other, {4, TUTTI_F32, 5, 0, 0, 0, 0, 1});
  EXPECT_THAT(other.message(), testing::HasSubstr("the kind is neither 0 (normal) nor 1"));
}

TEST(Random, noise_does_not_depend_on_ranks_and_micro_batches) {
  Floats alone = noise_over(TUTTI_SHARD_NONE, 1, 12, 1);
  EXPECT_NE(alone[0], alone[row]);
  for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS})
    for (int64_t ranks : {1, 2, 4})
      for (int64_t parts : {1, 3})
        EXPECT_EQ(noise_over(mode, ranks, 12, parts), alone) << ranks << " ranks, " << parts;
}
