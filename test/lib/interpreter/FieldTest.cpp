// Arithmetic in the prime field, and which numbers stand for floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Field.h"

#include <gtest/gtest.h>

#include <limits>

namespace field = tutti::interpreter::field;
using llvm::APFloat;

namespace {

field::Number fraction(int64_t above, int64_t below) {
  return field::divide(field::fromInteger(above), field::fromInteger(below));
}

TEST(Field, QuotientsAreInverses) {
  for (int64_t divisor : {2, 3, 7, 1000003})
    EXPECT_EQ(field::mul(fraction(5, divisor), field::fromInteger(divisor)), 5u);
  EXPECT_EQ(field::add(fraction(1, 3), field::add(fraction(1, 3), fraction(1, 3))), 1u);
}

TEST(Field, ReducesTheLargestProduct) {
  field::Number largest = field::kPrime - 1; // -1
  EXPECT_EQ(field::mul(largest, largest), 1u);
  EXPECT_EQ(field::reduce(((unsigned __int128)(field::kPrime) << 64)), 0u);
}

TEST(Field, WhatIsNoNumberSpreads) {
  EXPECT_EQ(field::add(field::kNone, 1), field::kNone);
  EXPECT_EQ(field::mul(0, field::kNone), field::kNone);
  EXPECT_EQ(field::divide(1, 0), field::kNone);
  EXPECT_EQ(field::hash(7, field::kNone), field::kNone);
  EXPECT_FALSE(field::isLess(field::kNone, 1));
  EXPECT_FALSE(field::isLess(1, field::kNone));
}

TEST(Field, FloatsAreTheSimplestFractionsNearThem) {
  EXPECT_EQ(field::fromFloat(APFloat(0.1f)), fraction(1, 10));
  EXPECT_EQ(field::fromFloat(APFloat(-1.0f / 3)), fraction(-1, 3));
  EXPECT_EQ(field::fromFloat(APFloat(6.0 / 5)), fraction(6, 5)); // 2 * 3 / 5 as f64
  EXPECT_EQ(field::fromFloat(APFloat(double(0.999f))), fraction(999, 1000));
  EXPECT_EQ(field::fromFloat(APFloat(1e-5f)), fraction(1, 100000));
  EXPECT_EQ(field::fromFloat(APFloat(1 / (2.0f / 7))), fraction(7, 2)); // 3.49999976
  EXPECT_EQ(field::fromFloat(APFloat(65536.0f)), 65536u);
  EXPECT_EQ(field::fromFloat(APFloat(0.0f)), 0u);
}

TEST(Field, InfinitiesAreTheEndsOfTheOrder) {
  field::Number most = field::fromFloat(APFloat(std::numeric_limits<float>::infinity()));
  field::Number least = field::fromFloat(APFloat(-std::numeric_limits<double>::infinity()));
  for (field::Number number : {field::Number(0), field::fromInteger(-5), field::Number(1) << 59}) {
    EXPECT_TRUE(field::isLess(number, most));
    EXPECT_TRUE(field::isLess(least, number));
  }
}

TEST(Field, InfinitiesFollowIEEE754) {
  using namespace field;
  EXPECT_EQ(add(kMinusInfinity, fromInteger(-5)), kMinusInfinity);
  EXPECT_EQ(sub(7, kMinusInfinity), kInfinity);
  EXPECT_EQ(add(kMinusInfinity, kMinusInfinity), kMinusInfinity);
  EXPECT_EQ(sub(kInfinity, kInfinity), kNone);
  EXPECT_EQ(add(kNone, kInfinity), kNone);
  EXPECT_EQ(mul(fromInteger(-2), kInfinity), kMinusInfinity);
  EXPECT_EQ(mul(kMinusInfinity, kMinusInfinity), kInfinity);
  EXPECT_EQ(mul(0, kInfinity), kNone);
  EXPECT_EQ(mul(kNone, kInfinity), kNone);
  EXPECT_EQ(divide(3, kMinusInfinity), 0u);
  EXPECT_EQ(divide(kInfinity, fromInteger(-3)), kMinusInfinity);
  EXPECT_EQ(divide(kInfinity, kInfinity), kNone);
  EXPECT_EQ(power(kMinusInfinity, 3), kMinusInfinity);
}

TEST(Field, NoFractionIsAnInfinity) {
  // Modulo the prime, 1/2 is the number in the middle, where the order starts again.
  for (double half : {0.5, -0.5, 1.5, -1.5}) {
    field::Number number = field::fromFloat(APFloat(half));
    EXPECT_TRUE(field::isFinite(number)) << half;
    EXPECT_EQ(field::add(number, number), field::fromInteger(int64_t(2 * half)));
    EXPECT_FALSE(field::isLess(number, field::kMinusInfinity));
    EXPECT_TRUE(field::isLess(number, field::kInfinity));
  }
}

TEST(Field, BoundsOfATypeBoundWhatIsBetween) {
  for (field::Number number : {field::Number(1000), field::Number(2)}) {
    EXPECT_TRUE(field::isLess(number, field::fromFloat(APFloat(3.40282347e38f))));
    EXPECT_TRUE(field::isLess(field::fromFloat(APFloat(1.17549435e-38f)), number));
    EXPECT_TRUE(field::isLess(field::fromFloat(APFloat(-3.40282347e38f)), number));
  }
}

TEST(Field, OrdersIntegersAsTheyAre) {
  EXPECT_TRUE(field::isLess(field::fromInteger(-2), field::fromInteger(-1)));
  EXPECT_TRUE(field::isLess(field::fromInteger(-1), field::fromInteger(3)));
  EXPECT_FALSE(field::isLess(field::fromInteger(3), field::fromInteger(3)));
}

TEST(Field, SpellsFractionsOfSmallNumbersAlone) {
  EXPECT_EQ(field::spellFraction(fraction(4, 1)), "4");
  EXPECT_EQ(field::spellFraction(fraction(-1, 4)), "-1/4");
  EXPECT_EQ(field::spellFraction(field::hash(1, 2)), std::nullopt);
}

} // namespace
