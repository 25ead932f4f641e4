// Labels that are no class, and what compiled code reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/KernelHost.h"

#include <cstring>
#include <gmock/gmock.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Appends the words of a text as abi.def has the names of nodes.
void append(Parameters &parameters, const std::string &text) {
  parameters.push_back(int64_t(text.size()));
  size_t first = parameters.size();
  parameters.resize(first + (text.size() + 7) / 8);
  std::memcpy(&parameters[first], text.data(), text.size());
}

template <typename Label>
std::vector<Label> check(KernelHost &host, std::vector<Label> labels, int64_t classes,
                         int64_t each = 1, bool has_ignored = false, int64_t ignored = 0) {
  std::vector<Label> out(labels.size(), Label(99));
  Parameters p = {int64_t(labels.size()), sizeof(Label), classes, each, has_ignored, ignored};
  append(p, "the loss");
  void *buffers[] = {labels.data(), out.data()};
  tutti_check_labels(host.context, buffers, p.data());
  return out;
}

} // namespace

TEST(CheckLabels, hands_classes_on) {
  KernelHost host;
  EXPECT_THAT((check<int64_t>(host, {0, 9, 3}, 10)), ElementsAre(0, 9, 3));
  EXPECT_THAT((check<int32_t>(host, {0, -100, 3}, 10, 1, true, -100)), ElementsAre(0, -100, 3));
  EXPECT_EQ(host.message(), "");
}

TEST(CheckLabels, names_node_sample_label_and_classes) {
  KernelHost host;
  check<int64_t>(host, {0, 10, 12}, 10);
  EXPECT_EQ(tutti_context_status(host.context), TUTTI_KERNEL_FAILED);
  EXPECT_THAT(host.message(),
              HasSubstr("node 'the loss': sample 1 of this rank's batch has label 10, "
                        "but the 10 classes are numbered from 0 to 9"));
}

TEST(CheckLabels, knows_negative_and_huge_labels_and_several_of_a_sample) {
  KernelHost negative, huge, several;
  check<int32_t>(negative, {0, -1}, 10);
  EXPECT_THAT(negative.message(), HasSubstr("sample 1 of this rank's batch has label -1"));
  check<int64_t>(huge, {int64_t(1) << 40}, 10);
  EXPECT_THAT(huge.message(), HasSubstr("has label 1099511627776"));
  check<int64_t>(several, {0, 1, 2, 3, 4, 5}, 5, 3);
  EXPECT_THAT(several.message(),
              HasSubstr("sample 1 of this rank's batch (label 2 of the sample) has label 5"));
}

TEST(CheckLabels, refuses_labels_of_an_impossible_size) {
  KernelHost host;
  Parameters p = {1, 2, 10, 1, 0, 0};
  append(p, "");
  int64_t label = 0, out = 0;
  void *buffers[] = {&label, &out};
  tutti_check_labels(host.context, buffers, p.data());
  EXPECT_THAT(host.message(), HasSubstr("a label is neither 4 nor 8 bytes long"));
}

TEST(Report, fails_with_node_and_message) {
  KernelHost host;
  Parameters p;
  append(p, "div_1");
  append(p, "an integer is divided by 0");
  tutti_report(host.context, nullptr, p.data());
  EXPECT_EQ(tutti_context_status(host.context), TUTTI_KERNEL_FAILED);
  EXPECT_THAT(host.message(), HasSubstr("node 'div_1': an integer is divided by 0"));
}
