// The instructions of compiled code, as the command line names them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/Instructions.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using testing::AllOf, testing::HasSubstr, testing::StartsWith;
using tutti::execution::Instructions;

namespace {

/// How the instructions of a name describe themselves, or the error.
std::string describeLevel(llvm::StringRef name) {
  llvm::Expected<Instructions> found = Instructions::find(name);
  return found ? found->describe() : llvm::toString(found.takeError());
}

TEST(Instructions, OfThisProcessor) {
  EXPECT_THAT(describeLevel("native"), StartsWith("native of "));
  EXPECT_EQ(describeLevel("native"), describeLevel("native"));
}

TEST(Instructions, AnotherFeatureIsAnotherText) {
  Instructions one = {"znver3", "+avx2,-sse4a"}, reordered = {"znver3", "-sse4a,+avx2"},
               other = {"znver3", "+avx2,+sse4a"};
  EXPECT_EQ(one.describe(), reordered.describe());
  EXPECT_NE(one.describe(), other.describe());
}

TEST(Instructions, OfALevel) {
  for (std::string level : {"x86-64-v3", "x86-64-v4"})
    EXPECT_THAT(describeLevel(level),
                testing::AnyOf(level, AllOf(HasSubstr("does not have the instructions of " + level),
                                            HasSubstr("it lacks "))));
}

TEST(Instructions, OfNoName) {
  for (llvm::StringRef name : {"", "x86-64", "x86-64-v5", "NATIVE"})
    EXPECT_EQ(describeLevel(name),
              "there are no instructions '" + name.str() + "': native, x86-64-v3 or x86-64-v4");
}

TEST(Instructions, OfKernels) {
  using tutti::execution::kernelSettings;
  EXPECT_THAT(kernelSettings("native"), testing::IsEmpty());
  if (std::getenv("ONEDNN_MAX_CPU_ISA"))
    GTEST_SKIP() << "the environment says which instructions kernels use";
  EXPECT_THAT(kernelSettings("x86-64-v3"), testing::ElementsAre("ONEDNN_MAX_CPU_ISA=AVX2"));
  EXPECT_THAT(kernelSettings("x86-64-v4"), testing::ElementsAre("ONEDNN_MAX_CPU_ISA=AVX512_CORE"));
  setenv("ONEDNN_MAX_CPU_ISA", "SSE41", /*overwrite=*/0);
  EXPECT_THAT(kernelSettings("x86-64-v3"), testing::IsEmpty());
  unsetenv("ONEDNN_MAX_CPU_ISA");
}

} // namespace
