// Recipes as structs become the keys that would have been written, and nothing is lost on the way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/Recipe.h"

#include <gtest/gtest.h>

using tutti::gradient::LossScale;
using tutti::gradient::Recipe;
using tutti::gradient::Schedule;

namespace {

/// The keys of `recipe`, "a=1 b=2", or the complaint about it, after "error: ".
std::string spell(const Recipe &recipe) {
  std::string text;
  auto complain = [&](const llvm::Twine &problem) -> llvm::LogicalResult {
    text = "error: " + problem.str();
    return llvm::failure();
  };
  auto keys = recipe.spell(complain);
  if (failed(keys))
    return text;
  for (const auto &key : *keys)
    text += (text.empty() ? "" : " ") + key.name + "=" + key.value.value_or("");
  return text;
}

} // namespace

TEST(RecipeSpell, DefaultsAreNoKeys) {
  EXPECT_EQ(spell(Recipe()), "");
  EXPECT_EQ(spell(Recipe::of(Recipe::Optimizer::AdamW)), "optimizer=adamw");
}

TEST(RecipeSpell, WhatAStructSaysCounts) {
  Recipe recipe;
  recipe.optimizer = Recipe::Optimizer::Momentum; // whose default momentum is 0.9
  EXPECT_EQ(spell(recipe), "optimizer=momentum momentum=0");
  recipe = Recipe::of(Recipe::Optimizer::Adam);
  recipe.learningRate = 0.1;
  recipe.clipNorm = 1.5;
  recipe.loss = Recipe::Loss::Output;
  recipe.lossOutput = "cost";
  recipe.rateScaleGlobs = {"bias*"};
  recipe.rateScales = {2};
  EXPECT_EQ(spell(recipe), "loss=output:cost optimizer=adam learning-rate=0.10000000000000001 "
                           "learning-rate-scale=bias*:2 clip-norm=1.5");
  recipe = Recipe();
  recipe.lossScale = LossScale{/*isDynamic=*/true, 65536, 100};
  EXPECT_EQ(spell(recipe), "loss-scale=dynamic loss-scale-growth-interval=100");
}

TEST(RecipeSpell, WhatWasGivenStaysGiven) {
  auto complain = [](const llvm::Twine &) -> llvm::LogicalResult { return llvm::failure(); };
  auto recipe = Recipe::parse("learning-rate=0.001 optimizer=sgd", complain);
  ASSERT_TRUE(succeeded(recipe));
  EXPECT_EQ(spell(*recipe), "optimizer=sgd learning-rate=0.001");
}

TEST(RecipeSpell, WhatNoKeyCanSayIsAnError) {
  Recipe recipe;
  recipe.trainable = {"a,b"};
  EXPECT_EQ(spell(recipe), "error: 'a,b' cannot be one of several names: a comma separates them");
  recipe = Recipe();
  recipe.schedule.table = {{0, 0.1}};
  EXPECT_EQ(spell(recipe), "error: a table of rates is read from a file: schedule=file:PATH");
  recipe = Recipe();
  recipe.beta1 = 2;
  EXPECT_EQ(spell(recipe), "error: beta1=2 must be a number of at least 0 and less than 1");
  recipe = Recipe();
  recipe.schedule.kind = Schedule::Kind::Cosine;
  EXPECT_EQ(spell(recipe),
            "error: schedule=linear and schedule=cosine need total-steps=N, when they end");
}
