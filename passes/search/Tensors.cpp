// Names variables by pattern, and prices the rules that keep them in another form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Tensors.h"

#include "lib/options/SpellKey.h"
#include "lib/program/Program.h"
#include "passes/strategies/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

/// A pattern for `name`, with ? for what means something in rules; "h.*.weight" for "h.11.weight"
/// where `anyNumber`.
static std::string patternOf(StringRef name, bool anyNumber) {
  std::string pattern;
  for (size_t i = 0; i < name.size(); ++i) {
    bool begins = llvm::isDigit(name[i]) && (i == 0 || !llvm::isAlnum(name[i - 1]));
    size_t end = std::min(name.find_if_not(llvm::isDigit, i), name.size());
    bool ends = end == name.size() || !llvm::isAlnum(name[end]);
    if (anyNumber && begins && ends) {
      pattern += '*';
      i = end - 1;
    } else {
      pattern += StringRef("*?[]{}\\;\"' ").contains(name[i]) ? '?' : name[i];
    }
  }
  return pattern;
}

using Variables = SmallVector<std::pair<StringRef, RankedTensorType>>;

static Variables findVariables(ModuleOp program) {
  Variables variables;
  auto step = program.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments()) {
    train::VariableAttr role = program::findHeldVariable(argument);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && type && role.getVariableClass() == train::VariableClass::Trainable)
      variables.push_back({role.getName(), type});
  }
  return variables;
}

/// Whether `pattern` names `members` of `all` and no others, and they are of one type.
static bool isFamily(StringRef pattern, const Variables &members, const Variables &all) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob)
    return llvm::consumeError(glob.takeError()), false;
  auto isNamed = [&](auto &variable) { return glob->match(variable.first); };
  auto isAlike = [&](auto &variable) { return variable.second == members.front().second; };
  return size_t(llvm::count_if(all, isNamed)) == members.size() && llvm::all_of(members, isAlike);
}

/// By pattern, where that makes a family, else each by its name.
static std::vector<TensorFamily> findFamilies(ModuleOp program) {
  Variables all = findVariables(program);
  llvm::MapVector<std::string, Variables, std::map<std::string, unsigned>> byPattern;
  for (auto &variable : all)
    byPattern[patternOf(variable.first, /*anyNumber=*/true)].push_back(variable);
  std::vector<TensorFamily> families;
  for (auto &[pattern, members] : byPattern) {
    bool isExact = StringRef(pattern).find_first_of("*?") == StringRef::npos;
    if (isExact || isFamily(pattern, members, all))
      families.push_back(
          {pattern, int64_t(members.size()), members.front().second, members.front().first.str()});
    else
      for (auto [name, type] : members)
        families.push_back({patternOf(name, /*anyNumber=*/false), 1, type, name.str()});
  }
  return families;
}

TensorSearch::TensorSearch(ModuleOp program, Trials &trials, Answer &answer)
    : trials(trials), answer(answer), keys(answer.best().keys) {
  auto ignore = [](const Twine &) { return failure(); };
  FailureOr<DistributeOptions> options = DistributeOptions::parse(keys, ignore);
  auto isRule = [](const options::GivenKey &key) { return key.name == "tensor"; };
  if (succeeded(options) && strategies::cutsModel(*options) &&
      !llvm::any_of(*options::splitKeys(keys, ignore), isRule))
    families = findFamilies(program);
}

/// All rules but that of the family `butOf`.
std::string TensorSearch::spellRules(StringRef butOf) const {
  std::string all = "auto";
  for (const auto &[pattern, rule] : rules)
    if (pattern != butOf)
      all += ";" + rule;
  return all;
}

std::string TensorSearch::keysWith(const std::string &others) const {
  return rules.empty() ? "" : others + " " + options::spellKey({"tensor", spellRules("")});
}

TensorSearch::Form TensorSearch::formOf(const TensorFamily &family, std::string name,
                                        const std::string &value) const {
  std::string rule = family.pattern + "=" + value, all = spellRules(family.pattern);
  Form form = {family.pattern, std::move(name), rule, {}};
  form.candidate.keys = keys + " " + options::spellKey({"tensor", all + ";" + rule});
  return form;
}

/// Distributes and prices them, but for those that are the best one again.
void TensorSearch::attempt(std::vector<Candidate *> candidates) {
  trials.distribute(candidates);
  llvm::erase_if(candidates, [&](const Candidate *candidate) {
    return !candidate->problem.empty() || trials.areSame(*candidate, answer.best());
  });
  trials.price(candidates);
  answer.priced += llvm::count_if(candidates, [](Candidate *one) { return one->time.has_value(); });
}

/// Plans the memory of `forms`, which have been priced, within the limit. A form that does not fit
/// loses its time.
void TensorSearch::keepToMemory(std::vector<Form *> forms) {
  llvm::erase_if(forms, [](const Form *form) { return !form->candidate.time; });
  auto candidates = llvm::map_to_vector(forms, [](Form *form) { return &form->candidate; });
  trials.planMemory(answer.memory, candidates);
  for (Candidate *candidate : candidates) {
    if (candidate->memory && candidate->memory->bytes <= answer.memory)
      continue;
    candidate->time.reset();
    if (candidate->memory)
      candidate->problem = "a rank would need " + std::to_string(candidate->memory->bytes) +
                           " bytes, and has " + std::to_string(answer.memory);
  }
}

/// The fastest of `forms` whose variables are proved to stay replicated; null if there is none.
const TensorSearch::Form *TensorSearch::findFastest(std::vector<const Form *> forms) {
  llvm::erase_if(forms, [](const Form *form) { return !form->candidate.time; });
  llvm::stable_sort(forms, [](const Form *a, const Form *b) {
    return a->candidate.nanoseconds() < b->candidate.nanoseconds();
  });
  for (const Form *form : forms)
    if (trials.isProved(form->candidate))
      return form;
  return nullptr;
}

/// In parts along each dimension.
void TensorSearch::addParts(const TensorFamily &family, std::deque<Form> &forms) const {
  for (int64_t dimension = 0; dimension < family.type.getRank(); ++dimension)
    forms.push_back(
        formOf(family, "along " + std::to_string(dimension), std::to_string(dimension)));
}

template <typename Form>
static std::vector<Candidate *> candidatesOf(std::deque<Form> &forms, size_t from = 0) {
  std::vector<Candidate *> candidates;
  for (Form &form : llvm::drop_begin(forms, from))
    candidates.push_back(&form.candidate);
  return candidates;
}

/// Of each matrix without a rule: whole, and in parts if it is whole.
std::deque<TensorSearch::Form> TensorSearch::attemptMatrices() {
  std::deque<Form> forms;
  std::vector<const TensorFamily *> matrices;
  for (const TensorFamily &family : families)
    if (family.type.getRank() > 1 && !rules.count(family.pattern))
      matrices.push_back(&family);
  for (const TensorFamily *family : matrices)
    forms.push_back(formOf(*family, "whole", "whole"));
  attempt(candidatesOf(forms));
  for (auto [place, family] : llvm::enumerate(matrices))
    if (trials.areSame(forms[place].candidate, answer.best()))
      addParts(*family, forms);
  attempt(candidatesOf(forms, matrices.size()));
  return forms;
}

std::optional<Candidate> TensorSearch::findBetter(double alike) {
  std::deque<Form> forms = attemptMatrices();
  auto all = llvm::to_vector_of<const Form *>(llvm::make_pointer_range(forms));
  llvm::erase_if(all, [&](const Form *form) {
    return double(form->candidate.nanoseconds()) * alike >= double(answer.best().nanoseconds());
  });
  const Form *best = findFastest({all.begin(), all.end()});
  if (!best)
    return std::nullopt;
  latest = best->pattern;
  rules[latest] = best->rule;
  return best->candidate;
}

void TensorSearch::explain() {
  std::vector<std::deque<Form>> forms;
  std::vector<Candidate *> candidates;
  for (const TensorFamily &family : families) {
    std::deque<Form> &those = forms.emplace_back();
    those.push_back(formOf(family, "whole", "whole"));
    addParts(family, those);
    llvm::append_range(candidates, candidatesOf(those));
  }
  attempt(candidates);
  for (auto [family, those] : llvm::zip_equal(families, forms)) {
    TensorChoice choice;
    choice.pattern = family.pattern;
    choice.count = family.count;
    if (int64_t ranges = trials.rangesOf(answer.best(), family.first); ranges > 1)
      choice.form = "each of its " + std::to_string(ranges) + " ranges in parts";
    std::vector<Form *> others;
    for (Form &form : those)
      if (trials.areSame(form.candidate, answer.best()))
        choice.form = form.name;
      else
        others.push_back(&form);
    if (answer.memory > 0)
      keepToMemory(others);
    if (const Form *second = findFastest({others.begin(), others.end()})) {
      choice.otherForm = second->name;
      choice.second = second->candidate;
    } else if (!others.empty()) {
      choice.problem = others.front()->candidate.problem;
    }
    answer.tensors.push_back(std::move(choice));
  }
}
