// Windows that slide over the spatial dimensions of a tensor [N, C, spatial].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_WINDOWS_H
#define TUTTI_LIB_INTERPRETER_WINDOWS_H

#include "lib/interpreter/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tutti::interpreter {

/// Which elements of a plane each window covers.
class Windows {
public:
  /// An element that a window covers, and which one of the window it is.
  struct Contact {
    int64_t input, kernel;
  };

  Windows(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> kernel,
          llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> padsBegin,
          llvm::ArrayRef<int64_t> dilations);

  llvm::ArrayRef<Contact> contactsOf(int64_t output) const {
    return llvm::ArrayRef(contacts).slice(first[output], first[output + 1] - first[output]);
  }
  /// The first place of the largest element under a window of the plane; nothing if it has none.
  std::optional<int64_t> findLargest(int64_t output, const uint64_t *plane) const;
  /// What the mean under a window divides by, as a number of the field.
  field::Number divisor(int64_t output, bool countsNoPadding) const {
    return countsNoPadding ? first[output + 1] - first[output] : size;
  }

  int64_t inputs = 1, outputs = 1, size = 1; ///< elements of a plane, windows, elements of a window

private:
  std::vector<Contact> contacts;
  std::vector<int64_t> first;
};

/// The products of a convolution: which element of the result, of the data and of the weights.
class ConvolutionShape {
public:
  ConvolutionShape(llvm::ArrayRef<int64_t> data, llvm::ArrayRef<int64_t> result, int64_t groups,
                   Windows windows)
      : samples(data[0]), channels(data[1]), outputs(result[1]), groups(groups),
        windows(std::move(windows)) {}

  template <typename Visit> void visit(Visit visit) const {
    int64_t perGroup = channels / groups, outPerGroup = outputs / groups;
    for (int64_t n = 0; n < samples; ++n)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t c = 0; c < perGroup; ++c) {
          int64_t plane = n * channels + o / outPerGroup * perGroup + c;
          visitPlane(n * outputs + o, plane, o * perGroup + c, visit);
        }
  }

private:
  template <typename Visit>
  void visitPlane(int64_t to, int64_t from, int64_t weights, Visit visit) const {
    for (int64_t out = 0; out < windows.outputs; ++out)
      for (const Windows::Contact &contact : windows.contactsOf(out))
        visit(to * windows.outputs + out, from * windows.inputs + contact.input,
              weights * windows.size + contact.kernel);
  }

  int64_t samples, channels, outputs, groups;
  Windows windows;
};

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_WINDOWS_H
