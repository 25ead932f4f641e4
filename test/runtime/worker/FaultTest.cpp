// Ranks that a signal of their own doing ends: what is said of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Launch.h"
#include "runtime/host/worker/Threads.h"
#include "runtime/support/system/NamedMemory.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#else
constexpr bool has_sanitizer = false;
#endif

class Faults : public testing::Test {
protected:
  Faults() {
    folder.write("x.npy", npy("<f4", "(70, 2)", std::string(560, 0)));
    folder.write("y.npy", npy("<f4", "(70,)", std::string(280, 0)));
  }
  ~Faults() override {
    unsetenv("TUTTI_FAULT");
    unsetenv("TUTTI_FAULT_FILE");
  }
  void SetUp() override {
    if (has_sanitizer)
      GTEST_SKIP() << "the sanitizer reports such signals itself";
  }

  /// The result of a run of four ranks in which `fault` happens.
  LaunchResult run(const char *fault, const std::string &program = LINEAR_4) const {
    setenv("TUTTI_FAULT", fault, 1);
    RunConfig run;
    run.worker = DIST_WORKER;
    run.programs = {program};
    run.ranks = 4;
    run.datasets = {folder.path("x.npy"), folder.path("y.npy")};
    run.steps = 20;
    run.threads = 1;
    run.progress = "none";
    return launch(run);
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(Faults, a_division_by_zero_names_rank_step_and_program) {
  LaunchResult result = run("divide:2:3");
  EXPECT_EQ(result.status, TUTTI_RANK_DIED);
  EXPECT_EQ(result.ranks[2].signal, SIGFPE);
  EXPECT_THAT(result.message, HasSubstr("rank 2 failed: SIGFPE at step 3 in the code of the "
                                        "compiled program '" LINEAR_4 "': a division of whole "
                                        "numbers, by zero"));
}

TEST_F(Faults, a_kernel_names_its_node) {
  LaunchResult result = run("address:1:4");
  EXPECT_EQ(result.ranks[1].signal, SIGSEGV);
  EXPECT_THAT(result.message,
              HasSubstr("rank 1 failed: SIGSEGV at step 4 in tutti_matmul of node 'fc1': an access "
                        "to memory that is not there"));
}

TEST_F(Faults, a_full_stack_is_told_on_another) {
  LaunchResult result = run("stack:0:0");
  EXPECT_THAT(result.message, HasSubstr("rank 0 failed: SIGSEGV at step 0"));
  EXPECT_THAT(result.message, HasSubstr("the stack is full"));
}

TEST_F(Faults, a_dataset_that_shrinks_is_named) {
  setenv("TUTTI_FAULT_FILE", folder.path("x.npy").c_str(), 1);
  LaunchResult result = run("shrink:3:2");
  EXPECT_EQ(result.status, TUTTI_RANK_DIED);
  EXPECT_THAT(result.message, testing::ContainsRegex("SIGBUS at step [23]:"));
  EXPECT_THAT(result.message,
              HasSubstr("'" + folder.path("x.npy") + "' became shorter while it was in use"));
}

TEST_F(Faults, a_program_that_shrinks_is_named) {
  std::string program = folder.write("program.so", TemporaryFolder::read(LINEAR_4));
  setenv("TUTTI_FAULT_FILE", program.c_str(), 1);
  LaunchResult result = run("shrink:1:2", program);
  EXPECT_EQ(result.status, TUTTI_RANK_DIED);
  EXPECT_THAT(result.message, HasSubstr("SIGBUS at step 2"));
  EXPECT_THAT(result.message, HasSubstr("the compiled program '" + program +
                                        "' became shorter while it was in use"));
}

TEST_F(Faults, a_signal_that_somebody_sends_is_not_explained_away) {
  LaunchResult result = run("signal:1:2");
  EXPECT_EQ(result.ranks[1].signal, SIGSEGV);
  EXPECT_THAT(result.message, HasSubstr("rank 1 failed: SIGSEGV at step 2"));
  EXPECT_THAT(result.message,
              HasSubstr(": process " + std::to_string(result.ranks[1].process) + " sent it"));
}

TEST(NamedMemory, is_found_by_its_addresses_while_it_lives) {
  char memory[100] = {};
  EXPECT_EQ(memory_name(memory), nullptr);
  {
    NamedMemory named(memory + 10, 20, "'a'");
    EXPECT_EQ(memory_name(memory + 9), nullptr);
    EXPECT_STREQ(memory_name(memory + 10), "'a'");
    EXPECT_STREQ(memory_name(memory + 29), "'a'");
    EXPECT_EQ(memory_name(memory + 30), nullptr);
  }
  EXPECT_EQ(memory_name(memory + 10), nullptr);
}

TEST(NamedMemory, may_run_out_and_cuts_long_names) {
  char memory[1000];
  std::vector<std::unique_ptr<NamedMemory>> all;
  for (int i = 0; i < 1000; ++i)
    all.push_back(std::make_unique<NamedMemory>(memory + i, 1, std::string(2000, 'x')));
  EXPECT_EQ(std::string(memory_name(memory)), std::string(511, 'x'));
  EXPECT_EQ(memory_name(memory + 999), nullptr);
  all.clear();
  NamedMemory again(memory, 1000, "'b'");
  EXPECT_STREQ(memory_name(memory + 999), "'b'");
}

TEST(Threads, are_tried) {
  EXPECT_FALSE(try_threads(1));
  EXPECT_FALSE(try_threads(8));
}
