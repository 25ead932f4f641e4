// The pieces of shared memory below calls: rings, signatures, doorbells, mappings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Ring.h"
#include "runtime/engine/backends/shm/segment/Mapping.h"
#include "runtime/waiting/Doorbell.h"
#include "tutti/types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::shm;
using testing::HasSubstr;

namespace {

std::vector<char> numbered(int64_t bytes, int64_t seed) {
  std::vector<char> all(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < bytes; ++i)
    all[size_t(i)] = char((i * 31 + seed) % 251);
  return all;
}

/// `memory` in pieces of these sizes, the rest being the last.
MessageBuffers in_pieces(std::vector<char> &memory, const std::vector<int64_t> &sizes) {
  static std::list<std::vector<MessageBuffers::Piece>> lists; // the buffers only point to theirs
  std::vector<MessageBuffers::Piece> &pieces = lists.emplace_back();
  int64_t at = 0;
  for (int64_t size : sizes) {
    pieces.push_back({memory.data() + at, size});
    at += size;
  }
  pieces.push_back({memory.data() + at, int64_t(memory.size()) - at});
  return MessageBuffers(pieces);
}

struct RingTest : testing::Test {
  std::unique_ptr<Channel> channel{new Channel()};
  Doorbell doorbell = {};
  Ring ring{*channel, doorbell};
};

tutti_call call_of(int32_t kind, const std::vector<int64_t> &elements) {
  tutti_call call = {};
  call.kind = kind;
  call.type = TUTTI_F32;
  call.reduction = TUTTI_MAX;
  call.peer = 2;
  call.plan_entry = 9;
  call.count = int64_t(elements.size());
  call.elements = elements.data();
  return call;
}

} // namespace

TEST(MessageBuffers, are_read_and_written_in_any_steps) {
  std::vector<char> from = numbered(100, 1), to(100), line(100);
  for (int64_t step : {1, 7, 33, 100}) {
    MessageBuffers source = in_pieces(from, {0, 13, 0, 50});
    MessageBuffers target = in_pieces(to, {60, 0, 39});
    std::fill(to.begin(), to.end(), 0);
    EXPECT_EQ(source.bytes(), 100);
    for (int64_t at = 0; at < 100; at += step) {
      int64_t count = std::min(step, int64_t(100) - at);
      source.read_to(line.data() + at, count);
      target.write_from(line.data() + at, count);
      EXPECT_EQ(source.left(), 100 - at - count);
      EXPECT_EQ(source.bytes(), 100) << "of the whole message";
    }
    EXPECT_EQ(to, from) << "in steps of " << step;
  }
}

TEST(MessageBuffers, of_one_piece_are_used_where_they_lie) {
  std::vector<char> memory(10);
  EXPECT_EQ(in_pieces(memory, {}).whole(), memory.data());
  EXPECT_EQ(in_pieces(memory, {4}).whole(), nullptr);
  EXPECT_EQ(MessageBuffers().whole(), nullptr);
  EXPECT_EQ(MessageBuffers().left(), 0);
}

TEST_F(RingTest, has_room_for_what_is_not_released_yet) {
  EXPECT_EQ(ring.room(), ring_bytes);
  EXPECT_EQ(ring.available(), 0);
  ring.publish(100); // whole lines
  EXPECT_EQ(ring.room(), ring_bytes - 128);
  EXPECT_EQ(ring.available(), 128);
  ring.release(100);
  EXPECT_EQ(ring.room(), ring_bytes);
  EXPECT_EQ(ring.available(), 0);
}

TEST_F(RingTest, carries_bytes_across_its_end) {
  for (uint64_t begin : {uint64_t(0), uint64_t(ring_bytes - 64), uint64_t(5 * ring_bytes + 192),
                         ~uint64_t(0) / 64 * 64 - 128}) { // the counters wrap too
    channel->written.store(begin);
    channel->read.store(begin);
    for (int64_t bytes : {1, 64, 1000, int(ring_bytes)}) {
      std::vector<char> from = numbered(bytes, int64_t(begin % 251)), to(from.size());
      MessageBuffers source = in_pieces(from, {}), target = in_pieces(to, {});
      int64_t first = bytes / 2; // in two moves, the second after the first
      ring.write(0, source, first);
      ring.write(first, source, bytes - first);
      EXPECT_EQ(ring.available(), 0) << "before it is published";
      ring.publish(bytes);
      ring.read(0, target, first);
      ring.read(first, target, bytes - first);
      ring.release(bytes);
      EXPECT_EQ(to, from) << bytes << " bytes from " << begin;
      EXPECT_EQ(ring.room(), ring_bytes);
    }
  }
}

TEST_F(RingTest, wakes_who_sleeps_and_nobody_else) {
  ring.publish(64);
  EXPECT_EQ(doorbell.wake.load(), 0u) << "nobody sleeps";
  doorbell.sleepers.store(1);
  ring.publish(64);
  EXPECT_EQ(doorbell.wake.load(), 1u);
  ring.release(64);
  EXPECT_EQ(doorbell.wake.load(), 2u);
}

TEST(Doorbell, does_not_sleep_on_what_is_met) {
  Doorbell doorbell = {};
  int asked = 0;
  sleep_on(doorbell, [&] { return ++asked > 0; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(doorbell.sleepers.load(), 0u);
}

TEST(Doorbell, is_heard_by_a_sleeper) {
  prepare_to_sleep();
  Doorbell doorbell = {};
  std::atomic<int64_t> word{0};
  for (int64_t turn = 1; turn <= 200; ++turn) {
    std::thread sleeper([&] {
      while (word.load() < turn)
        sleep_on(doorbell, [&] { return word.load() >= turn; });
    });
    notify(word, turn, doorbell);
    sleeper.join();
  }
  EXPECT_EQ(doorbell.sleepers.load(), 0u);
  // A sleeper looks up by itself too: nobody rings here.
  int64_t asked = 0;
  while (asked < 2)
    sleep_on(doorbell, [&] { return ++asked > 2; });
  EXPECT_EQ(asked, 2);
}

TEST(CallSignature, tells_calls_apart) {
  std::vector<int64_t> two = {3, 4}, turned = {4, 3}, one = {7}, other = {8};
  tutti_call call = call_of(TUTTI_ALL_REDUCE, two);
  CallSignature own = signature_of(call);
  EXPECT_TRUE(own == signature_of(call));
  auto differs = [&](auto change) {
    tutti_call changed = call;
    change(changed);
    return !(own == signature_of(changed));
  };
  EXPECT_TRUE(differs([](tutti_call &c) { c.kind = TUTTI_REDUCE; }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.type = TUTTI_F64; }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.reduction = TUTTI_MIN; }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.peer = 3; }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.plan_entry = 8; }));
  EXPECT_TRUE(differs([&](tutti_call &c) { c.elements = turned.data(); }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.count = 1; }));
  EXPECT_TRUE(differs([](tutti_call &c) { c.count = 0; }));
  EXPECT_FALSE(signature_of(call_of(TUTTI_ALL_REDUCE, one)) ==
               signature_of(call_of(TUTTI_ALL_REDUCE, other)));
}

TEST(CallSignature, is_told_in_words) {
  auto words = [](int32_t kind, const std::vector<int64_t> &elements) {
    return text_of(signature_of(call_of(kind, elements)));
  };
  EXPECT_EQ(words(TUTTI_ALL_REDUCE, {7}), "all_reduce max of 7 f32");
  EXPECT_EQ(words(TUTTI_REDUCE_SCATTER, {7, 0}), "reduce_scatter max of a bucket of f32");
  EXPECT_EQ(words(TUTTI_REDUCE, {0}), "reduce max with root 2 of 0 f32");
  EXPECT_EQ(words(TUTTI_GATHER, {7}), "gather with root 2 of 7 f32");
  EXPECT_EQ(words(TUTTI_SCATTER, {7}), "scatter with root 2 of 7 f32");
  EXPECT_EQ(words(TUTTI_BROADCAST, {}), "broadcast with root 2 of a bucket of f32");
  EXPECT_EQ(words(TUTTI_ALL_TO_ALL, {7}), "all_to_all of 7 f32");
  EXPECT_EQ(words(TUTTI_ALL_TO_ALL_V, {7}), "all_to_all_v of f32");
  EXPECT_EQ(words(TUTTI_BARRIER, {}), "barrier");
}

TEST(Mapping, of_a_file_is_one_as_long_as_it_is_used) {
  int file = memfd_create("mapped", MFD_CLOEXEC), same = dup(file);
  int other = memfd_create("mapped", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 8192) + ftruncate(other, 8192), 0);
  auto first = Mapping::of(file, 8192), second = Mapping::of(same, 1),
       apart = Mapping::of(other, 1);
  ASSERT_TRUE(first && second && apart);
  EXPECT_EQ((*first)->begin(), (*second)->begin());
  EXPECT_NE((*first)->begin(), (*apart)->begin());
  EXPECT_EQ((*second)->bytes(), 8192) << "the whole file";
  (*first)->begin()[8191] = 7;
  first->reset();
  EXPECT_EQ((*second)->begin()[8191], 7) << "another still uses it";
  second->reset();
  ASSERT_EQ(ftruncate(file, 16384), 0);
  auto again = Mapping::of(file, 16384); // not the old one, which was shorter
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->bytes(), 16384);
  EXPECT_EQ((*again)->begin()[8191], 7);
  for (int descriptor : {file, same, other})
    close(descriptor);
}

TEST(Mapping, is_refused_where_there_is_too_little) {
  int file = memfd_create("short", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  EXPECT_THAT(Mapping::of(file, 4097).error().message, HasSubstr("it has 4096 bytes"));
  EXPECT_TRUE(Mapping::of(file, 4096));
  close(file);
  EXPECT_EQ(Mapping::of(file, 1).error().status, TUTTI_SYSTEM_ERROR);
}
