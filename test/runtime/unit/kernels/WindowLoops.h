// Naive loops over windows of 1 to 3 spatial dims, for references of convolution and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_UNIT_KERNELS_WINDOWLOOPS_H
#define TUTTI_TEST_RUNTIME_UNIT_KERNELS_WINDOWLOOPS_H

#include "test/runtime/unit/kernels/KernelHost.h"

struct Window {
  Parameters in, kernel, strides, pads_begin, pads_end, dilations, out;

  /// Computes `out` from the rest.
  Window(Parameters in, Parameters kernel, Parameters strides, Parameters pads_begin,
         Parameters pads_end, Parameters dilations)
      : in(in), kernel(kernel), strides(strides), pads_begin(pads_begin), pads_end(pads_end),
        dilations(dilations) {
    for (size_t d = 0; d < in.size(); ++d)
      out.push_back((in[d] + pads_begin[d] + pads_end[d] - (kernel[d] - 1) * dilations[d] - 1) /
                        strides[d] +
                    1);
  }

  static int64_t volume(const Parameters &dims) {
    int64_t product = 1;
    for (int64_t dim : dims)
      product *= dim;
    return product;
  }

  /// The seven lists, as kernels take them.
  void append_to(Parameters &p) const {
    for (const Parameters *list :
         {&in, &kernel, &strides, &pads_begin, &pads_end, &dilations, &out})
      p.insert(p.end(), list->begin(), list->end());
    p.push_back(TUTTI_F32);
  }

  /// The flat input position that output `o` sees at kernel position `k`, or -1 in the padding.
  int64_t input_at(int64_t o, int64_t k) const {
    int64_t flat = 0, scale = 1;
    for (size_t d = in.size(); d-- > 0; o /= out[d], k /= kernel[d]) {
      int64_t at = o % out[d] * strides[d] - pads_begin[d] + k % kernel[d] * dilations[d];
      if (at < 0 || at >= in[d])
        return -1;
      flat += at * scale;
      scale *= in[d];
    }
    return flat;
  }

  /// Calls use(output, kernel position, input) for every pair that is not in the padding.
  template <typename Use> void for_each(Use use) const {
    for (int64_t o = 0; o < volume(out); ++o)
      for (int64_t k = 0; k < volume(kernel); ++k)
        if (int64_t i = input_at(o, k); i >= 0)
          use(o, k, i);
  }
};

#endif // TUTTI_TEST_RUNTIME_UNIT_KERNELS_WINDOWLOOPS_H
