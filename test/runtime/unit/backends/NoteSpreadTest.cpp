// Notes reach every rank, at a cost per rank that grows with the logarithm of their number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/plugin/NoteSpread.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tutti::runtime::plugin;

namespace {

int64_t log2_of(int64_t ranks) {
  int64_t log = 0;
  while ((int64_t(1) << log) < ranks)
    ++log;
  return log;
}

Note failure(const char *why, int32_t status = TUTTI_BAD_DATA) {
  Note note;
  note.status = status;
  note.set_text(why);
  return note;
}

/// Ranks that move their messages in rounds; a stopped one neither reads nor writes.
struct Ranks {
  explicit Ranks(int32_t count, int32_t stopped = -1) : stopped(stopped), sent(size_t(count)) {
    for (int32_t rank = 0; rank < count; ++rank)
      all.emplace_back(rank, count);
  }

  /// Moves messages until there are none; the number of rounds.
  int64_t settle() {
    for (int64_t rounds = 0;; ++rounds) {
      struct Message {
        int32_t from, to;
        std::vector<NoteSpread::Entry> entries;
      };
      std::vector<Message> round;
      for (int32_t from = 0; from < int32_t(all.size()); ++from)
        for (int32_t to : all[size_t(from)].neighbours())
          if (from != stopped)
            if (auto news = all[size_t(from)].news_for(to); !news.empty())
              round.push_back({from, to, news}), ++sent[size_t(from)];
      if (round.empty())
        return rounds;
      for (const Message &message : round)
        if (message.to != stopped)
          all[size_t(message.to)].receive(message.from, message.entries.data(),
                                          message.entries.size());
    }
  }
  int64_t most_sent() const { return *std::max_element(sent.begin(), sent.end()); }
  int64_t count_that_know(int32_t about) const {
    return std::count_if(all.begin(), all.end(), [&](const NoteSpread &rank) {
      return rank.notes()[size_t(about)].is_failure();
    });
  }

  int32_t stopped;
  std::vector<NoteSpread> all;
  std::vector<int64_t> sent; ///< messages of each rank
};

} // namespace

TEST(NoteSpread, a_failure_costs_each_rank_a_logarithm_of_messages) {
  for (int32_t count : {1, 2, 3, 4, 5, 8, 13, 64, 100, 256, 1024}) {
    for (int32_t culprit : {0, count / 2, count - 1}) {
      Ranks ranks(count);
      ranks.all[size_t(culprit)].post(failure("sand in the disk"));
      EXPECT_LE(ranks.settle(), std::max<int64_t>(1, log2_of(count) + 1)) << count;
      EXPECT_LE(ranks.most_sent(), 2 * log2_of(count)) << count;
      EXPECT_EQ(ranks.count_that_know(culprit), count);
    }
  }
}

TEST(NoteSpread, those_who_fail_because_of_another_say_nothing_more) {
  Ranks ranks(64);
  ranks.all[5].post(failure("the cause"));
  ranks.settle();
  std::vector<int64_t> before = ranks.sent;
  for (int32_t rank = 0; rank < 64; ++rank)
    if (rank != 5)
      ranks.all[size_t(rank)].post(failure("rank 5 failed", TUTTI_PEER_FAILED));
  EXPECT_EQ(ranks.settle(), 0);
  EXPECT_EQ(ranks.sent, before);
}

TEST(NoteSpread, a_stopped_rank_keeps_nobody_from_hearing) {
  for (int32_t count : {3, 4, 8, 33, 100})
    for (int32_t stopped = 0; stopped < count; ++stopped) {
      Ranks ranks(count, stopped);
      int32_t culprit = (stopped + 1) % count;
      ranks.all[size_t(culprit)].post(failure("sand in the disk"));
      ranks.settle();
      EXPECT_EQ(ranks.count_that_know(culprit), count - 1) << count << " " << stopped;
    }
}

TEST(NoteSpread, all_notes_at_once_travel_together) {
  Ranks ranks(64);
  for (NoteSpread &rank : ranks.all) {
    Note note;
    note.group = 1;
    note.set_text("waits");
    rank.post(note);
  }
  ranks.settle();
  for (const NoteSpread &rank : ranks.all)
    for (const Note &note : rank.notes())
      EXPECT_EQ(note.group, 1);
  // Alone each would cost 64 messages a rank and neighbour.
  EXPECT_LE(ranks.most_sent(), 64 / 7 * 2 * 6 + 64);
}

TEST(NoteSpread, a_failure_is_the_last_word_and_newer_notes_win) {
  Ranks ranks(4);
  Note first, second;
  first.set_text("first");
  second.set_text("second");
  ranks.all[1].post(first);
  ranks.settle();
  ranks.all[1].post(second);
  ranks.settle();
  EXPECT_STREQ(ranks.all[3].notes()[1].text, "second");
  ranks.all[1].post(failure("the end"));
  ranks.all[1].post(first);
  ranks.settle();
  EXPECT_STREQ(ranks.all[3].notes()[1].text, "the end");
}

TEST(NoteSpread, entries_that_make_no_sense_are_dropped) {
  NoteSpread rank(0, 4);
  NoteSpread::Entry entries[] = {{-1, 1, failure("a")}, {4, 1, failure("b")}, {0, 9, failure("c")}};
  rank.receive(1, entries, 3);
  rank.receive(77, entries, 3);
  for (const Note &note : rank.notes())
    EXPECT_FALSE(note.is_failure());
  NoteSpread::Entry endless = {2, 1, {}};
  endless.note.status = TUTTI_BAD_DATA;
  std::fill(std::begin(endless.note.text), std::end(endless.note.text), 'x');
  rank.receive(1, &endless, 1);
  EXPECT_EQ(std::string(rank.notes()[2].text).size(), sizeof(Note::text) - 1);
}
