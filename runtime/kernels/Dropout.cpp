// Dropout whose mask does not depend on how a batch is dealt to ranks: element e of the tensor that
// has the global batch uses word e % 4 of block e / 4 of the node's random stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Door.h"
#include "runtime/kernels/PrimitiveStore.h"
#include "runtime/support/Philox.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 4;

class Dropout {
public:
  Dropout(const RandomStream &stream, float ratio)
      : stream(stream), ratio(ratio), scale(ratio < 1 ? 1 / (1 - ratio) : 0) {
    if (!(ratio >= 0 && ratio <= 1))
      throw std::invalid_argument("the ratio is not between 0 and 1: " + std::to_string(ratio));
  }

  /// Elements whose first has the global index `index`.
  void run(int64_t index, int64_t count, const float *in, float *out, uint8_t *mask) const {
    Words words = stream.block(uint64_t(index) / 4);
    for (int64_t i = 0; i < count; ++i, ++index) {
      if (index % 4 == 0)
        words = stream.block(uint64_t(index) / 4);
      float uniform = float(words[index % 4] >> 8) * 0x1p-24f; // in [0, 1)
      mask[i] = uniform >= ratio;
      out[i] = mask[i] ? in[i] * scale : 0.0f;
    }
  }

private:
  RandomStream stream;
  float ratio, scale;
};

/// Which of how many equal parts of the rank's samples a tensor has rows for.
struct Part {
  int64_t index = 0;
  int64_t parts = 1;

  static Part read(void *const *buffers, int64_t parts) {
    Part part = {parts > 1 ? *static_cast<const int64_t *>(buffers[2]) : 0, parts};
    if (parts < 1 || part.index < 0 || part.index >= parts)
      throw std::invalid_argument("there is no micro-batch " + std::to_string(part.index) + " of " +
                                  std::to_string(parts));
    return part;
  }
};

/// Runs `dropout` over the local elements, which are `blocks` of samples, sample by sample. A
/// tensor that has no row for each sample is the same on every rank and in every micro-batch, and
/// so are its indices.
void run_samples(const tutti_context &context, const Dropout &dropout, int64_t elements,
                 int64_t blocks, Part part, const float *in, float *out, uint8_t *mask) {
  int64_t samples = context.local_batch / part.parts;
  bool has_samples = blocks > 0 && samples > 0 && elements % (blocks * samples) == 0;
  if (!has_samples)
    return dropout.run(0, elements, in, out, mask);
  int64_t row = elements / (blocks * samples);
  for (int64_t block = 0, begin = 0; block < blocks; ++block)
    for (int64_t s = 0; s < samples; ++s, begin += row) {
      int64_t sample = context.shard.global_sample(part.index * samples + s);
      int64_t index = (block * context.shard.samples + sample) * row;
      dropout.run(index, row, in + begin, out + begin, mask + begin);
    }
}

} // namespace

void door::tutti_dropout(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_dropout", parameters, parameter_count, [&] {
    // No blocks: nothing is dropped.
    int64_t elements = parameters[0], node = parameters[1], blocks = parameters[2];
    Part part = Part::read(buffers, parameters[3]);
    const float *in = static_cast<const float *>(buffers[0]);
    void *const *outputs = buffers + (part.parts > 1 ? 3 : 2);
    float *out = static_cast<float *>(outputs[0]);
    uint8_t *mask = static_cast<uint8_t *>(outputs[1]);
    if (blocks != 0) {
      Dropout dropout({context->seed, context->step, node}, *static_cast<float *>(buffers[1]));
      return run_samples(*context, dropout, elements, blocks, part, in, out, mask);
    }
    if (out != in)
      std::memcpy(out, in, elements * sizeof(float));
    std::memset(mask, 1, elements);
  });
}
