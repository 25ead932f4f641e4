// The losses of recipes by their words, and their keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/LossKeys.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::gradient;
using tutti::options::Complain;
using tutti::options::KeyTable;

using LossName = std::pair<const char *, Recipe::Loss>;

static constexpr LossName lossNames[] = {
    {"softmax-cross-entropy", Recipe::Loss::SoftmaxCrossEntropy},
    {"nll", Recipe::Loss::NegativeLogLikelihood},
    {"bce-with-logits", Recipe::Loss::BinaryCrossEntropy},
    {"mse", Recipe::Loss::MeanSquaredError},
    {"l1", Recipe::Loss::MeanAbsoluteError},
    {"huber", Recipe::Loss::Huber},
    {"kl-div", Recipe::Loss::Divergence},
    {"hinge", Recipe::Loss::Hinge},
    {"cosine", Recipe::Loss::Cosine},
    {"triplet-margin", Recipe::Loss::TripletMargin},
    {"output", Recipe::Loss::Output}};

StringRef Recipe::nameOf(Loss loss) {
  return llvm::find_if(lossNames, [&](const LossName &name) { return name.second == loss; })->first;
}

/// One of the names, or output:NAME.
static std::optional<std::string> assignLoss(StringRef text, Recipe &recipe) {
  auto [word, output] = text.split(':');
  SmallVector<StringRef> words;
  for (const auto &[name, loss] : lossNames) {
    words.push_back(name);
    if (word != name || (!output.empty() && loss != Recipe::Loss::Output))
      continue;
    recipe.loss = loss;
    recipe.lossOutput = output.str();
    return std::nullopt;
  }
  return tutti::options::joinWords(words) + tutti::options::didYouMean(word, words);
}

static std::string spellLoss(const Recipe &recipe) {
  return Recipe::nameOf(recipe.loss).str() +
         (recipe.lossOutput.empty() ? "" : ":" + recipe.lossOutput);
}

/// An integer, of whatever sign.
static std::optional<std::string> assignIgnoredLabel(StringRef text, Recipe &recipe) {
  int64_t label;
  if (text.getAsInteger(10, label))
    return std::string("an integer");
  recipe.ignoredLabel = label;
  return std::nullopt;
}

void tutti::gradient::addLossKey(KeyTable &keys, Recipe &recipe) {
  keys.add(
      {"loss",
       "softmax-cross-entropy|nll|bce-with-logits|mse|l1|huber|kl-div|hinge|cosine|"
       "triplet-margin|output|output:NAME",
       "softmax-cross-entropy",
       "The loss to minimize. Of the graph's output and of a new input `label`: the cross "
       "entropy of scores of shape [batch, classes, ...], as pictures have them, or the "
       "negated value at the label of logarithms of "
       "probabilities of that shape; the cross entropy of logits and of the probabilities in "
       "`label`; the mean of the squares, or of the absolute values, of the differences from "
       "`label`, or of squares of small ones and absolute values of large ones; the divergence "
       "of probabilities in `label` from logarithms of probabilities; how far scores fall "
       "short of `margin` on the side of -1 or 1 that `label` says; 1 - the cosine of the angle "
       "to `label`. Of three outputs: how far the first is not nearer to the second than to the "
       "third by `margin`. Or the graph's scalar output itself, by its name where there are "
       "several",
       [&recipe](StringRef text) { return assignLoss(text, recipe); }, spellLoss(recipe)});
}

void tutti::gradient::addKeysOfLosses(KeyTable &keys, Recipe &recipe) {
  keys.addChoice("class-axis", recipe.areClassesLast, {{"1", false}, {"last", true}},
                 "Which dimension of scores the classes are: the one after the batch, or the last "
                 "one, as for language models");
  keys.addList("class-weights", recipe.classWeights,
               "How much labels of each class count, with softmax-cross-entropy")
      .type = "NUMBER,NUMBER,...";
  keys.add({"ignore-index", "N", "",
            "A label that counts for nothing, with softmax-cross-entropy; PyTorch's is -100",
            [&recipe](StringRef text) { return assignIgnoredLabel(text, recipe); },
            recipe.ignoredLabel ? std::to_string(*recipe.ignoredLabel) : ""});
  keys.addNumber("delta", recipe.delta, positive,
                 "huber: from which difference on the loss grows in a straight line");
  keys.addNumber("margin", recipe.margin, notNegative, "hinge and triplet-margin");
}

/// Keys that only some losses have.
LogicalResult tutti::gradient::checkLossKeys(const Recipe &recipe, const KeyTable &keys,
                                             Complain complain) {
  using Loss = Recipe::Loss;
  struct Use {
    StringRef key;
    SmallVector<Loss> losses;
  };
  const Use uses[] = {{"class-axis", {Loss::SoftmaxCrossEntropy, Loss::NegativeLogLikelihood}},
                      {"class-weights", {Loss::SoftmaxCrossEntropy}},
                      {"ignore-index", {Loss::SoftmaxCrossEntropy}},
                      {"delta", {Loss::Huber}},
                      {"margin", {Loss::Hinge, Loss::TripletMargin}}};
  for (const Use &use : uses)
    if (keys.isGiven(use.key) && !llvm::is_contained(use.losses, recipe.loss)) {
      std::string known = llvm::join(llvm::map_range(use.losses, Recipe::nameOf), " or loss=");
      return complain(use.key + " needs loss=" + known +
                      ", got loss=" + Recipe::nameOf(recipe.loss));
    }
  if (recipe.labelSmoothing != 0 && (!recipe.classWeights.empty() || recipe.ignoredLabel))
    return complain("label-smoothing is not supported together with class-weights or "
                    "ignore-index; leave one of them out, or put the loss into the graph");
  if (llvm::any_of(recipe.classWeights, [](double weight) { return !notNegative.holds(weight); }))
    return complain("class-weights must be numbers of at least 0");
  return success();
}
