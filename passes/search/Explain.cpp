// The choice in words and in a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace tutti;
using namespace tutti::search;

std::string search::shownKeys(llvm::StringRef keys) {
  return keys.empty() ? "(the defaults)" : "\"" + keys.str() + "\"";
}

/// To the nanosecond, so that what is printed can be added up.
static std::string spellTime(int64_t nanoseconds) {
  std::string digits = std::to_string(nanoseconds % 1000000);
  return std::to_string(nanoseconds / 1000000) + "." + std::string(6 - digits.size(), '0') + digits;
}

static std::string milliseconds(double seconds) {
  return llvm::formatv("{0:f3}", seconds * 1e3).str();
}

static std::string spellBytes(int64_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double number = double(bytes);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(units); ++unit)
    number /= 1024;
  return unit == 0 ? std::to_string(bytes) + " B"
                   : llvm::formatv("{0:f1} {1}", number, units[unit]).str();
}

/// "all_reduce mean on world", and the seconds that a step has of it.
static std::map<std::string, double> secondsByKind(const Candidate &candidate) {
  std::map<std::string, double> seconds;
  for (const program::PlanEntry &entry : candidate.plan)
    if (entry.function == "step" && entry.predicted_seconds)
      seconds[entry.operation + (entry.reduction.empty() ? "" : " " + entry.reduction) + " on " +
              entry.group] += *entry.predicted_seconds * double(std::max<int64_t>(entry.times, 1));
  return seconds;
}

/// "waits 1.2 ms longer".
static std::string compare(llvm::StringRef verb, double difference) {
  if (std::abs(difference) < 5e-7)
    return (verb + "s as long").str();
  return llvm::formatv("{0}s {1} ms {2}", verb, milliseconds(std::abs(difference)),
                       difference > 0 ? "longer" : "less")
      .str();
}

std::string search::explainDifference(const Candidate &best, const Candidate &other) {
  std::string text = "it " + compare("compute", other.time->compute - best.time->compute) +
                     " and " + compare("wait", other.time->exposed - best.time->exposed) +
                     " for communication";
  std::map<std::string, double> own = secondsByKind(best), others = secondsByKind(other);
  for (const auto &[kind, seconds] : own)
    others.insert({kind, 0});
  for (const auto &[kind, seconds] : others)
    own.insert({kind, 0});
  std::vector<std::pair<double, std::string>> kinds;
  for (const auto &[kind, seconds] : others)
    if (double difference = std::abs(seconds - own[kind]); difference >= 5e-7)
      kinds.push_back({-difference, kind});
  llvm::stable_sort(kinds, [](const auto &a, const auto &b) { return a.first < b.first; });
  if (kinds.empty())
    return text + "; its collectives take the same";
  constexpr size_t enough = 2;
  for (size_t i = 0; i < std::min(kinds.size(), enough); ++i)
    text += std::string(i == 0 ? "; " : ", ") + kinds[i].second + " takes " +
            milliseconds(others[kinds[i].second]) + " instead of " +
            milliseconds(own[kinds[i].second]) + " ms";
  return text;
}

/// ", with 12 operations that run again, which take 1.5 ms of the time"; "" if nothing keeps to the
/// memory.
static std::string spellMeasures(const planning::MemoryNeed &need) {
  std::vector<std::string> measures;
  if (need.repeated > 0)
    measures.push_back(llvm::formatv("{0} operations that run again", need.repeated));
  if (need.inFile > 0)
    measures.push_back(spellBytes(need.inFile) + " of states in a file");
  if (measures.empty())
    return "";
  std::string text = ", with " + llvm::join(measures, " and ");
  return need.longer > 0 ? text + ", which take " + spellTime(std::llround(need.longer * 1e9)) +
                               " ms of the time"
                         : text;
}

static std::string describe(const Candidate &candidate, int64_t limit) {
  std::string text = llvm::formatv(
      "{0}: {1} ms a step, computing {2} ms, communicating {3} ms of which {4} ms show; {5} of a "
      "rank a step",
      shownKeys(candidate.keys), spellTime(candidate.nanoseconds()),
      milliseconds(candidate.time->compute), milliseconds(candidate.time->communication),
      milliseconds(candidate.time->exposed),
      candidate.bytes ? spellBytes(*candidate.bytes) : "an unknown number of bytes");
  if (candidate.memory) {
    text += "; " + spellBytes(candidate.memory->bytes) + " of memory";
    text += spellMeasures(*candidate.memory);
    if (limit > 0 && candidate.memory->bytes > limit)
      text += ", more than the " + spellBytes(limit) + " that there are";
  } else if (!candidate.problem.empty()) {
    text += "; its memory is not known: " + candidate.problem;
  }
  return text;
}

bool Answer::isAsFastOnOneRank() const {
  constexpr double worthRanks = 1.05;
  return oneRank && double(oneRank->nanoseconds()) < double(best().nanoseconds()) * worthRanks;
}

std::string Answer::summary() const {
  std::string text = llvm::formatv("chose {0}; for {1} ranks, {2} candidates, {3} of them priced; ",
                                   describe(best(), memory), ranks, candidates.size(), priced);
  if (second)
    text +=
        llvm::formatv("second best {0}, {1} ms more: {2}", describe(candidates[*second], memory),
                      spellTime(candidates[*second].nanoseconds() - best().nanoseconds()),
                      explainDifference(best(), candidates[*second]));
  else
    text += "there is no second";
  if (isAsFastOnOneRank())
    text += llvm::formatv("; {0} ranks are no faster than one, which takes {1} ms a step", ranks,
                          spellTime(oneRank->nanoseconds()));
  return text;
}

/// "refused: A and 3 others: why", of those that have the same reason but for the values in it.
static void addGroups(llvm::ArrayRef<const Candidate *> group, const char *what,
                      std::string Candidate::*reason, std::vector<std::string> &lines) {
  std::map<std::string, std::vector<const Candidate *>> reasons;
  for (const Candidate *candidate : group) {
    auto [spelled, why] = llvm::StringRef(candidate->*reason).rsplit(": ");
    reasons[(why.empty() ? spelled : why).str()].push_back(candidate);
  }
  for (const auto &[why, those] : reasons) {
    std::string others =
        those.size() == 1 ? "" : llvm::formatv(" and {0} more", those.size() - 1).str();
    lines.push_back(llvm::formatv("{0}: {1}{2}: {3}", what, shownKeys(those.front()->keys), others,
                                  those.front()->*reason));
  }
}

static std::string describe(const TensorChoice &choice, const Candidate &best) {
  std::string text = llvm::formatv(
      "tensor \"{0}\"{1}: {2}; ", choice.pattern,
      choice.count == 1 ? "" : " (" + std::to_string(choice.count) + ")", choice.form);
  if (choice.otherForm.empty())
    return text + "there is no other" + (choice.problem.empty() ? "" : ": " + choice.problem);
  int64_t difference = choice.second.nanoseconds() - best.nanoseconds();
  bool isAlike = double(std::abs(difference)) < double(best.nanoseconds()) * (kAlike - 1);
  return text +
         llvm::formatv("second best {0}, by {1}: {2} ms {3}{4}{5}: {6}", choice.otherForm,
                       llvm::StringRef(choice.second.keys).rsplit(' ').second,
                       spellTime(std::abs(difference)), difference < 0 ? "less" : "more",
                       isAlike ? " (alike)" : "",
                       choice.second.memory ? spellMeasures(*choice.second.memory) : std::string(),
                       explainDifference(best, choice.second))
             .str();
}

std::vector<std::string> Answer::lines() const {
  std::vector<const Candidate *> known, refused, leftOut;
  for (const Candidate &candidate : candidates)
    (candidate.time ? known : candidate.leftOut.empty() ? refused : leftOut).push_back(&candidate);
  llvm::stable_sort(known, [](const Candidate *a, const Candidate *b) {
    return a->nanoseconds() < b->nanoseconds();
  });
  std::vector<std::string> lines;
  for (const Candidate *candidate : known)
    lines.push_back(describe(*candidate, memory));
  addGroups(leftOut, "not tried", &Candidate::leftOut, lines);
  addGroups(refused, "refused", &Candidate::problem, lines);
  for (const TensorChoice &choice : tensors)
    lines.push_back(describe(choice, best()));
  if (oneRank)
    lines.push_back(llvm::formatv(
        "one rank alone: {0} ms a step, {1:f2} times as long{2}", spellTime(oneRank->nanoseconds()),
        double(oneRank->nanoseconds()) / double(best().nanoseconds()),
        oneRank->memory ? spellMeasures(*oneRank->memory) : std::string()));
  return lines;
}

std::string Answer::table() const {
  std::string text = "--distribute=auto " + summary() +
                     llvm::formatv("; the search took {0:f2} s\n", seconds).str();
  for (const std::string &line : lines())
    text += "  " + line + "\n";
  return text;
}
