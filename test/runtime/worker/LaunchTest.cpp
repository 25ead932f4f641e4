// Whole runs of a hand-made program through the launcher: the same numbers on any number of ranks,
// and clean ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Launch.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"
#include "tutti/status.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// Sets the fault of the fixture for one test.
struct Fault {
  explicit Fault(const char *order) { setenv("TUTTI_FAULT", order, 1); }
  ~Fault() { unsetenv("TUTTI_FAULT"); }
};

class Launch : public testing::Test {
protected:
  /// y = 3 a - 2 b for 70 samples.
  Launch() {
    std::vector<float> x, y;
    for (int i = 0; i < 70; ++i) {
      float a = float(i % 7) / 7, b = float(i % 5) / 5;
      x.insert(x.end(), {a, b});
      y.push_back(3 * a - 2 * b);
    }
    folder.write("x.npy", npy("<f4", "(70, 2)", bytes_of(x)));
    folder.write("y.npy", npy("<f4", "(70,)", bytes_of(y)));
  }

  RunConfig config(int64_t ranks, std::vector<std::string> programs, int64_t steps = 200) const {
    RunConfig run;
    run.worker = DIST_WORKER;
    run.programs = std::move(programs);
    run.ranks = ranks;
    run.datasets = {folder.path("x.npy"), folder.path("y.npy")};
    run.steps = steps;
    run.threads = 1;
    run.progress = "none";
    return run;
  }

  /// The saved weights after a run that must succeed.
  std::vector<float> weights(RunConfig run) const {
    run.save = folder.path("w.safetensors");
    LaunchResult result = launch(run);
    EXPECT_EQ(result.status, TUTTI_OK) << result.message;
    std::string bytes = TemporaryFolder::read(run.save);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    std::vector<float> w(2);
    if (bytes.size() >= 8 + header + 8)
      std::memcpy(w.data(), bytes.data() + 8 + header, 8);
    return w;
  }

  TemporaryFolder folder;
};

void expect_no_rank_left(const LaunchResult &result) {
  for (const RankResult &rank : result.ranks)
    EXPECT_EQ(kill(rank.process, 0), -1) << "rank with process " << rank.process << " still runs";
}

} // namespace

TEST_F(Launch, trains_alone) {
  std::vector<float> w = weights(config(1, {LINEAR_1}, 1000));
  EXPECT_NEAR(w[0], 3, 0.05);
  EXPECT_NEAR(w[1], -2, 0.05);
}

TEST_F(Launch, several_ranks_give_the_numbers_of_one) {
  std::vector<float> alone = weights(config(1, {LINEAR_1}));
  for (auto [ranks, programs] :
       {std::pair<int64_t, std::vector<std::string>>{4, {LINEAR_4}},
        std::pair<int64_t, std::vector<std::string>>{3, {LINEAR_3_CEIL, LINEAR_3_FLOOR}}}) {
    std::vector<float> together = weights(config(ranks, programs));
    EXPECT_NEAR(together[0], alone[0], 1e-5) << ranks;
    EXPECT_NEAR(together[1], alone[1], 1e-5) << ranks;
    EXPECT_EQ(weights(config(ranks, programs)), together) << "not the same bits twice";
  }
}

TEST_F(Launch, reports_what_happened) {
  RunConfig run = config(4, {LINEAR_4}, 0);
  run.epochs = 2;
  run.metrics = folder.path("m.jsonl");
  run.evaluation_datasets = run.datasets;
  LaunchResult result = launch(run);
  ASSERT_EQ(result.status, TUTTI_OK) << result.message;
  ASSERT_EQ(result.ranks.size(), 4u);
  for (const RankResult &rank : result.ranks) {
    const RankSummary &s = rank.summary;
    EXPECT_EQ(s.is_complete, 1);
    EXPECT_EQ(s.steps, 8);
    EXPECT_EQ(s.steps_per_epoch, 4);
    EXPECT_EQ(s.samples_per_step, 16);
    EXPECT_EQ(s.dropped_per_epoch, 6);
    EXPECT_EQ(s.repeated_per_step, 0);
    EXPECT_EQ(s.bytes_moved, 8 * 12);
    EXPECT_EQ(s.collectives, 8);
    EXPECT_GT(s.peak_bytes, 0);
    EXPECT_GE(s.planned_bytes, 4096);
    EXPECT_LT(s.last_loss, s.first_loss);
    EXPECT_EQ(s.evaluated_samples, 70);
  }
  ASSERT_EQ(result.evaluation.size(), 1u);
  EXPECT_EQ(result.evaluation[0].first, "error");
  EXPECT_GT(result.evaluation[0].second, 0);
  std::ifstream metrics(run.metrics);
  int64_t lines = 0;
  for (std::string line; std::getline(metrics, line); ++lines) {
    auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object["step"], lines + 1);
    EXPECT_EQ(object["epoch"], lines / 4 + 1);
    EXPECT_TRUE(object["loss"].is_number());
    EXPECT_GT(object["samples_per_second"], 0);
  }
  EXPECT_EQ(lines, 8);
}

TEST_F(Launch, evaluation_does_not_depend_on_the_ranks) {
  auto error_of = [&](int64_t ranks, const char *program) {
    RunConfig run = config(ranks, {program}, 1);
    run.hyperparameters = {{"learning_rate", 0}};
    run.evaluation_datasets = run.datasets;
    LaunchResult result = launch(run);
    EXPECT_EQ(result.status, TUTTI_OK) << result.message;
    return result.evaluation.empty() ? -1 : result.evaluation[0].second;
  };
  EXPECT_NEAR(error_of(1, LINEAR_1), error_of(4, LINEAR_4), 1e-9);
}

TEST_F(Launch, continues_from_a_checkpoint) {
  std::vector<float> trained = weights(config(1, {LINEAR_1}));
  RunConfig more = config(4, {LINEAR_4}, 1);
  more.load = folder.path("w.safetensors");
  more.hyperparameters = {{"learning_rate", 0}};
  EXPECT_EQ(weights(more), trained);
}

TEST_F(Launch, a_killed_rank_ends_the_run_with_its_name) {
  Fault fault("kill:2:5");
  LaunchResult result = launch(config(4, {LINEAR_4}));
  EXPECT_EQ(result.status, TUTTI_RANK_DIED);
  EXPECT_THAT(result.message, HasSubstr("rank 2 (process "));
  EXPECT_THAT(result.message, HasSubstr("was killed by signal 9 (Killed) at step 5"));
  ASSERT_EQ(result.ranks.size(), 4u);
  EXPECT_EQ(result.ranks[2].signal, SIGKILL);
  for (int rank : {0, 1, 3})
    EXPECT_EQ(result.ranks[rank].exit_status, 1) << rank;
  expect_no_rank_left(result);
}

TEST_F(Launch, a_rank_that_exits_early_is_noticed) {
  Fault fault("exit:1:3");
  LaunchResult result = launch(config(4, {LINEAR_4}));
  EXPECT_EQ(result.status, TUTTI_RANK_DIED);
  EXPECT_THAT(result.message, HasSubstr("rank 1 "));
  EXPECT_THAT(result.message, HasSubstr("ended early with exit status 7 at step 3"));
  expect_no_rank_left(result);
}

TEST_F(Launch, a_rank_that_fails_is_quoted) {
  Fault fault("fail:3:4");
  LaunchResult result = launch(config(4, {LINEAR_4}));
  EXPECT_EQ(result.status, TUTTI_KERNEL_FAILED);
  EXPECT_EQ(result.message, "rank 3 failed: the fixture was told to fail");
  expect_no_rank_left(result);
}

TEST_F(Launch, a_stalled_rank_is_killed_after_the_limit) {
  Fault fault("sleep:1:2");
  RunConfig run = config(4, {LINEAR_4});
  run.stall_warning = 0.1;
  run.stall_error = 0.5;
  LaunchResult result = launch(run);
  EXPECT_EQ(result.status, TUTTI_STALLED);
  EXPECT_THAT(result.message, HasSubstr("s for rank 1 (process "));
  EXPECT_THAT(result.message, HasSubstr("plan entry 1 (all_reduce sum of w and 1 more)"));
  EXPECT_EQ(result.ranks[1].signal, SIGKILL);
  expect_no_rank_left(result);
}

TEST_F(Launch, a_loss_that_is_not_finite_is_noted) {
  Fault fault("nan:0:3");
  LaunchResult result = launch(config(1, {LINEAR_1}, 6));
  EXPECT_EQ(result.status, TUTTI_OK) << result.message;
  EXPECT_EQ(result.ranks[0].summary.first_bad_step, 4);
}

/// Returns once the ranks of a run have taken steps, which `metrics` tells; for a minute at most.
static void wait_for_steps(const std::string &metrics) {
  struct stat file = {};
  for (int i = 0; i < 6000 && (stat(metrics.c_str(), &file) != 0 || file.st_size == 0); ++i)
    usleep(10000);
}

TEST_F(Launch, a_signal_ends_all_ranks_after_one_step) {
  RunConfig run = config(4, {LINEAR_4}, 1000000000);
  run.save = folder.path("w.safetensors");
  run.metrics = folder.path("m.jsonl");
  for (int signal : {SIGINT, SIGTERM, SIGUSR2, SIGXCPU}) {
    pid_t launcher = fork();
    if (launcher == 0) { // the launcher in a process of its own, which the signal goes to
      std::signal(SIGXCPU, [](int) {}); // one that comes after the run
      LaunchResult result = launch(run);
      bool is_clean = result.status == TUTTI_OK && result.interrupted_by == signal;
      for (const RankResult &rank : result.ranks)
        is_clean &= kill(rank.process, 0) == -1 && rank.summary.is_complete &&
                    rank.summary.steps > 0 && rank.summary.steps < run.steps &&
                    rank.summary.steps == result.ranks[0].summary.steps;
      _exit(is_clean && result.ranks.size() == 4 && result.ranks[0].summary.is_saved ? 0 : 1);
    }
    wait_for_steps(run.metrics);
    kill(launcher, signal);
    for (int again = 0; signal == SIGXCPU && again < 3;
         ++again) { // as the system does, each second
      usleep(5000);
      kill(launcher, signal);
    }
    int status = -1;
    waitpid(launcher, &status, 0);
    EXPECT_EQ(status, 0) << signal;
    EXPECT_EQ(TemporaryFolder::read(run.save).empty(), false);
    unlink(run.save.c_str());
    unlink(run.metrics.c_str());
  }
}

TEST_F(Launch, a_second_signal_ends_all_ranks_at_once) {
  pid_t launcher = fork();
  if (launcher == 0) {
    setenv("TUTTI_FAULT", "sleep:0:3", 1); // a step that does not end
    LaunchResult result = launch(config(4, {LINEAR_4}, 1000000));
    bool is_clean = result.status == TUTTI_INTERRUPTED && result.interrupted_by == SIGINT;
    for (const RankResult &rank : result.ranks)
      is_clean &= kill(rank.process, 0) == -1;
    _exit(is_clean && result.ranks.size() == 4 ? 0 : 1);
  }
  usleep(500000);
  kill(launcher, SIGINT);
  usleep(500000);
  kill(launcher, SIGINT);
  int status = -1;
  waitpid(launcher, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Launch, an_output_that_cannot_be_written_loses_nothing) {
  RunConfig run = config(4, {LINEAR_4}, 10);
  run.metrics = "/dev/full";
  run.save = folder.path("w.safetensors");
  LaunchResult result = launch(run);
  EXPECT_EQ(result.status, TUTTI_OK) << result.message;
  EXPECT_EQ(result.untold, "metrics: cannot write '/dev/full': No space left on device");
  EXPECT_EQ(result.ranks[0].summary.is_saved, 1);
  EXPECT_GT(TemporaryFolder::read(run.save).size(), 0u);
}

TEST_F(Launch, an_empty_evaluation_is_refused_before_training) {
  std::filesystem::create_directory(folder.path("empty"));
  folder.write("empty/x.npy", npy("<f4", "(0, 2)", ""));
  folder.write("empty/y.npy", npy("<f4", "(0,)", ""));
  RunConfig run = config(1, {LINEAR_1}, 10);
  run.evaluation_datasets = {folder.path("empty")};
  EXPECT_THAT(launch(run).message, HasSubstr("no samples"));
}

TEST_F(Launch, ranks_die_with_their_launcher) {
  int ends[2]; // open in every rank until it ends, so that its end can be waited for
  ASSERT_EQ(pipe(ends), 0);
  pid_t launcher = fork();
  if (launcher == 0) {
    close(ends[0]);
    setenv("TUTTI_FAULT", "sleep:0:3", 1);
    launch(config(4, {LINEAR_4}, 1000000));
    _exit(1);
  }
  close(ends[1]);
  usleep(500000);
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  char nothing;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0) << "end of file: every copy of the pipe is closed";
  close(ends[0]);
}

TEST_F(Launch, refuses_runs_that_cannot_be) {
  auto complaint = [](const RunConfig &run) { return launch(run).message; };
  EXPECT_THAT(complaint(config(2, {LINEAR_1})),
              HasSubstr("is compiled for 1 ranks, this run has 2"));
  EXPECT_THAT(complaint(config(1, {"/absent.so"})), HasSubstr("cannot read '/absent.so'"));
  EXPECT_THAT(complaint(config(1, {LINEAR_1}, 0)), HasSubstr("needs a number of steps or epochs"));
  RunConfig run = config(1, {LINEAR_1});
  run.worker = "/absent/worker";
  EXPECT_THAT(complaint(run), HasSubstr("cannot run the worker '/absent/worker'"));
}

TEST_F(Launch, a_rank_says_what_is_wrong_with_its_files) {
  auto complaint = [](const RunConfig &run) { return launch(run).message; };
  RunConfig run = config(4, {LINEAR_4});
  run.datasets = {folder.path("x.npy")};
  EXPECT_THAT(complaint(run), HasSubstr("has no array 'y'"));
  run = config(4, {LINEAR_4});
  run.load = folder.path("absent.safetensors");
  EXPECT_THAT(complaint(run), HasSubstr("absent.safetensors': No such file"));
  run = config(1, {LINEAR_1}, 1);
  run.save = folder.path("no/folder");
  EXPECT_THAT(complaint(run), HasSubstr("the checkpoint: cannot write '"));
  run = config(1, {LINEAR_1}, 1);
  run.metrics = folder.path("no/folder");
  EXPECT_THAT(complaint(run), HasSubstr("metrics: cannot write '"));
  run = config(1, {LINEAR_1}, 1);
  run.hyperparameters = {{"momentum", 1}};
  EXPECT_THAT(complaint(run), HasSubstr("the program has no hyperparameter 'momentum'"));
}

TEST_F(Launch, programs_of_the_wrong_share_are_refused) {
  EXPECT_THAT(launch(config(3, {LINEAR_3_CEIL})).message,
              HasSubstr("has a local batch of 6, but rank"));
}

TEST(Worker, explains_itself) {
  auto run = [](const std::string &arguments) {
    int status = std::system((std::string(DIST_WORKER) + arguments + " >/dev/null 2>&1").c_str());
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(run(" --help"), 0);
  EXPECT_EQ(run(""), 2);
  EXPECT_EQ(run(" /absent.json"), 1);
}
