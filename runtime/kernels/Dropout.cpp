// Dropout whose mask does not depend on how a batch is dealt to ranks: element e of the global
// batch uses word e % 4 of block e / 4 of the node's random stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/Philox.h"
#include "runtime/kernels/PrimitiveStore.h"
#include "tutti/kernels.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t parameter_count = 3;

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

/// Runs `dropout` over the local elements, sample by sample. A tensor that has no row for each
/// sample is the same on every rank, and so are its indices.
void run_samples(const tutti_context &context, const Dropout &dropout, int64_t elements,
                 const float *in, float *out, uint8_t *mask) {
  bool has_samples = elements % context.local_batch == 0;
  int64_t rows = has_samples ? context.local_batch : 1;
  int64_t row = elements / rows;
  for (int64_t s = 0; s < rows; ++s) {
    int64_t global = has_samples ? context.shard.global_sample(s) : 0;
    dropout.run(global * row, row, in + s * row, out + s * row, mask + s * row);
  }
}

} // namespace

void tutti_dropout(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_dropout", parameters, parameter_count, [&] {
    auto [elements, node, is_training] =
        std::array<int64_t, 3>{parameters[0], parameters[1], parameters[2]};
    const float *in = static_cast<const float *>(buffers[0]);
    float *out = static_cast<float *>(buffers[2]);
    uint8_t *mask = static_cast<uint8_t *>(buffers[3]);
    if (is_training) {
      Dropout dropout({context->seed, context->step, node}, *static_cast<float *>(buffers[1]));
      return run_samples(*context, dropout, elements, in, out, mask);
    }
    if (out != in)
      std::memcpy(out, in, elements * sizeof(float));
    std::memset(mask, 1, elements);
  });
}
