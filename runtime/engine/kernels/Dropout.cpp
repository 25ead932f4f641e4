// Dropout whose mask does not depend on how a batch is dealt to ranks: element e of the tensor that
// has the global batch uses word e % 4 of block e / 4 of the node's random stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/SampleDraws.h"
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

} // namespace

void door::tutti_dropout(tutti_context *context, void *const *buffers, const int64_t *parameters) {
  run_kernel(context, "tutti_dropout", parameters, parameter_count, [&] {
    // No blocks: nothing is dropped.
    int64_t elements = parameters[0], node = parameters[1], blocks = parameters[2];
    Part part = Part::read(buffers[2], parameters[3]);
    const float *in = static_cast<const float *>(buffers[0]);
    void *const *outputs = buffers + (part.parts > 1 ? 3 : 2);
    float *out = static_cast<float *>(outputs[0]);
    uint8_t *mask = static_cast<uint8_t *>(outputs[1]);
    if (blocks != 0) {
      Dropout dropout({context->seed, context->step, node}, *static_cast<float *>(buffers[1]));
      return for_each_run(*context, elements, blocks, part,
                          [&](int64_t index, int64_t begin, int64_t count) {
                            dropout.run(index, count, in + begin, out + begin, mask + begin);
                          });
    }
    if (out != in)
      std::memcpy(out, in, elements * sizeof(float));
    std::memset(mask, 1, elements);
  });
}
