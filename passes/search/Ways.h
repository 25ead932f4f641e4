// Tries ways to divide the work and ways to travel, cheap questions first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_WAYS_H
#define TUTTI_PASSES_SEARCH_WAYS_H

#include "passes/search/Candidates.h"
#include "passes/search/Trial.h"

namespace tutti::search {

/// The candidates of a way to divide the work, by ways to travel.
struct Way {
  std::vector<size_t> all;
  std::string mesh;
  std::vector<size_t> hiding; ///< those that let the step wait the least
  std::vector<size_t> tokens; ///< the same, where neighbours exchange tokens
  bool hasLevels = false;

  size_t first() const { return all.front(); }
};

/// Prices candidates of `space`, and says of the others why they were left out: by bounds from what
/// is known of the same division of work.
class Ways {
public:
  /// Adds candidates to `answer`; keeps references.
  Ways(const Space &space, Trials &trials, Answer &answer)
      : space(space), trials(trials), answer(answer) {}

  /// Each way to divide the work, in as many ways to travel as are needed to find the fastest.
  void explore();

  /// Divides the batch of a rank into `parts`, too: each way to divide the work as it is, and with
  /// what hides most.
  void exploreParts(int64_t parts);

  /// All ways to travel of the division of work that `number` has, whatever was left out.
  std::vector<size_t> exploreAllLike(size_t number);

  /// Those that have a time, the fastest first.
  std::vector<size_t> fastestFirst() const;

  /// For sorting: what has no time comes last.
  int64_t rankOf(size_t number) const;

private:
  Way add(const Work &work);
  bool isOpen(size_t number) const;
  std::vector<Candidate *> openOnes(llvm::ArrayRef<size_t> numbers);
  void distribute(llvm::ArrayRef<size_t> numbers);
  void price(llvm::ArrayRef<size_t> numbers);
  void attempt(llvm::ArrayRef<size_t> numbers);
  void tryFirst(llvm::ArrayRef<Way> those);
  void giveOn(const Way &way);
  void tryWhatHides();
  void tryTokens();
  void tryAllOfTheBest();
  void boundByComputation(const Way &way);
  void boundByBytes(const Way &way);
  void leaveOutAll(const Way &way, const char *what, double seconds);
  void leaveOut(size_t number, std::string why);
  std::vector<Way> fastestFirst(std::vector<Way> those) const;
  std::optional<double> secondBestSeconds() const;

  const Space &space;
  Trials &trials;
  Answer &answer;
  std::vector<Way> ways;                      ///< by work
  std::vector<const Candidate *> distributed; ///< of different programs
};

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_WAYS_H
