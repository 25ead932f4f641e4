// What launchers tell a process, and which backend fits to whom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/LaunchEnvironment.h"
#include "runtime/host/launch/RankTable.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// The environment of one test: none of the variables of launchers but those that it sets.
class LaunchEnvironmentTest : public testing::Test {
protected:
  LaunchEnvironmentTest() {
    for (const char *name : {"OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "PMI_FD",
                             "PMI_ID",
                             "PMI_PORT",
                             "RANK",
                             "WORLD_SIZE",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_ID",
                             "SLURM_JOB_ID",
                             "TORCHELASTIC_RUN_ID",
                             "TORCHELASTIC_RESTART_COUNT",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "RANK_TABLE_FILE",
                             "RANK_ID",
                             "RANK_SIZE",
                             "DEVICE_ID",
                             "HCCL_IF_BASE_PORT",
                             "PMIX_NAMESPACE",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "MPI_LOCALNRANKS",
                             "LOCAL_WORLD_SIZE",
                             "PMIX_RANK",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_STEP_TASKS_PER_NODE",
                             "SLURM_NODEID"})
      unsetenv(name);
  }
  void set(const char *name, const char *value) { setenv(name, value, 1); }
  LaunchEnvironment launched() {
    auto found = launch_environment();
    EXPECT_TRUE(found && *found) << found.error().message;
    return found && *found ? **found : LaunchEnvironment();
  }
};

RunConfig run_with(const std::string &backend, const std::string &rendezvous = "") {
  RunConfig config;
  config.ranks = 4;
  config.backend = backend;
  config.rendezvous = rendezvous;
  return config;
}

LaunchEnvironment by(const std::string &backend) {
  LaunchEnvironment launched;
  launched.launcher = "the launcher";
  launched.ranks = 4;
  launched.backend = backend;
  launched.run = "run-7";
  return launched;
}

} // namespace

TEST_F(LaunchEnvironmentTest, without_a_launcher_there_is_none) {
  auto found = launch_environment();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  set("RANK", "1"); // alone it says nothing
  found = launch_environment();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(LaunchEnvironmentTest, each_launcher_is_known) {
  set("SLURM_PROCID", "1");
  set("SLURM_NTASKS", "2");
  EXPECT_FALSE(*launch_environment()) << "a batch script is no rank";
  set("SLURM_STEP_ID", "0");
  set("SLURM_JOB_ID", "77");
  EXPECT_EQ(launched().rank, 1);
  EXPECT_EQ(launched().backend, "gloo");
  EXPECT_EQ(launched().run, "run-77-0");
  set("PMIX_RANK", "0"); // srun --mpi=pmix
  set("PMIX_NAMESPACE", "slurm.pmix.77.0");
  EXPECT_EQ(launched().rank, 0);
  EXPECT_EQ(launched().ranks, 2);
  EXPECT_EQ(launched().backend, "openmpi");
  EXPECT_EQ(launched().launcher, "srun of Slurm with PMIx");
  EXPECT_EQ(launched().run, "run-77-0");
  set("RANK", "2");
  set("WORLD_SIZE", "3");
  set("TORCHELASTIC_RUN_ID", "a/b;c");
  EXPECT_EQ(launched().rank, 2);
  EXPECT_EQ(launched().run, "run-a_b_c");
  set("PMI_RANK", "3");
  set("PMI_SIZE", "4");
  EXPECT_EQ(launched().backend, "mpich");
  set("OMPI_COMM_WORLD_RANK", "4");
  set("OMPI_COMM_WORLD_SIZE", "5");
  EXPECT_EQ(launched().backend, "openmpi");
  EXPECT_EQ(launched().ranks, 5);
  EXPECT_EQ(launched().size, "OMPI_COMM_WORLD_SIZE=5");
}

TEST_F(LaunchEnvironmentTest, torchrun_says_where_ranks_meet) {
  set("RANK", "1");
  set("WORLD_SIZE", "2");
  EXPECT_EQ(launched().meeting, "");
  set("MASTER_ADDR", "host");
  set("MASTER_PORT", "29500");
  EXPECT_EQ(launched().meeting, "host:29500");
  set("TORCHELASTIC_USE_AGENT_STORE", "True"); // which has the port
  EXPECT_EQ(launched().meeting, "host:29501");
  set("MASTER_ADDR", "fe80::1");
  EXPECT_EQ(launched().meeting, "[fe80::1]:29501");
  set("MASTER_PORT", "many");
  RunConfig config = run_with("gloo"), elsewhere = run_with("gloo", "/shared");
  LaunchEnvironment found = launched();
  EXPECT_THAT(choose_backend(config, &found).message, HasSubstr("MASTER_PORT=many"));
  EXPECT_FALSE(choose_backend(elsewhere, &found)) << "nobody needs it";
}

TEST_F(LaunchEnvironmentTest, ranks_of_a_launcher_of_mpi_meet_by_it) {
  set("PMI_RANK", "1");
  set("PMI_SIZE", "4");
  EXPECT_EQ(launched().store, "") << "no connection with the launcher";
  set("PMI_FD", "9");
  LaunchEnvironment found = launched();
  RunConfig config = run_with("gloo"), mpi = run_with("auto");
  ASSERT_FALSE(choose_backend(config, &found));
  EXPECT_EQ(config.launcher_store, "pmi");
  EXPECT_EQ(config.rendezvous, "");
  ASSERT_FALSE(choose_backend(mpi, &found));
  EXPECT_EQ(mpi.launcher_store, "") << "the library needs it";

  set("OMPI_COMM_WORLD_RANK", "1");
  set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(launched().store, "") << "that of another launcher";
  set("PMIX_NAMESPACE", "7");
  EXPECT_EQ(launched().store, "pmix");
}

TEST_F(LaunchEnvironmentTest, what_somebody_has_chosen_counts_more_than_the_launcher) {
  set("PMI_RANK", "1");
  set("PMI_SIZE", "4");
  set("PMI_FD", "9");
  RunConfig config = run_with("gloo", "/shared");
  LaunchEnvironment found = launched();
  ASSERT_FALSE(choose_backend(config, &found));
  EXPECT_EQ(config.rendezvous, "/shared");
  EXPECT_EQ(config.launcher_store, "");

  set("MASTER_ADDR", "host");
  found = launched();
  config = run_with("gloo");
  EXPECT_THAT(choose_backend(config, &found).message,
              HasSubstr("of MASTER_ADDR and MASTER_PORT, where ranks meet, the environment has one "
                        "alone; set both, or none: then ranks meet by mpiexec of MPICH"));
  config = run_with("auto");
  EXPECT_FALSE(choose_backend(config, &found)) << "MPI does without";
  set("MASTER_PORT", "29500");
  found = launched();
  config = run_with("gloo");
  ASSERT_FALSE(choose_backend(config, &found));
  EXPECT_EQ(config.rendezvous, "host:29500");
  EXPECT_EQ(config.launcher_store, "");
}

TEST_F(LaunchEnvironmentTest, one_of_many_does_not_train_alone) {
  set("PMI_PORT", "host:4711"); // mpiexec -pmi-port
  set("PMI_ID", "1");
  EXPECT_THAT(launch_environment().error().message,
              HasSubstr("PMI_ID=1, but not how many ranks there are; start the ranks without "
                        "-pmi-port"));
  set("PMI_RANK", "1");
  set("PMI_SIZE", "2");
  EXPECT_EQ(launched().ranks, 2);
}

constexpr const char *table = R"({"version": "1.0", "server_count": "2", "status": "completed",
  "server_list": [
    {"server_id": "10.0.0.2", "device": [{"device_id": "1", "device_ip": "192.0.2.3", "rank_id": "2"}]},
    {"server_id": "10.0.0.1", "device": [{"device_id": "0", "device_ip": "192.0.2.1", "rank_id": "0"},
                                         {"device_id": 4, "device_ip": "192.0.2.2", "rank_id": 1}]}]})";

TEST_F(LaunchEnvironmentTest, a_rank_table_is_read) {
  std::string path = testing::TempDir() + "/rank_table.json";
  std::ofstream(path) << table;
  set("RANK_TABLE_FILE", path.c_str());
  EXPECT_FALSE(*launch_environment()) << "of which rank?";
  set("RANK_ID", "1");
  EXPECT_EQ(launched().rank, 1);
  EXPECT_EQ(launched().ranks, 3);
  EXPECT_EQ(launched().local_ranks, 2);
  EXPECT_EQ(launched().meeting, "10.0.0.1:60000");
  set("HCCL_IF_BASE_PORT", "61000");
  EXPECT_EQ(launched().meeting, "10.0.0.1:61000");
  set("RANK_SIZE", "3");
  set("DEVICE_ID", "4");
  EXPECT_EQ(launched().backend, "gloo");
  struct Contradiction {
    const char *variable, *wrong, *right, *message;
  };
  for (const Contradiction &each :
       {Contradiction{"RANK_SIZE", "8", "3", "RANK_SIZE=8, but RANK_TABLE_FILE="},
        {"DEVICE_ID", "5", "4", "gives rank 1 the device 4"},
        {"RANK_ID", "3", "1", "RANK_ID=3, but RANK_TABLE_FILE="},
        {"RANK_ID", "one", "1", "RANK_ID=one"}}) {
    set(each.variable, each.wrong);
    EXPECT_THAT(launch_environment().error().message, HasSubstr(each.message));
    set(each.variable, each.right);
  }
  set("RANK_TABLE_FILE", "/nowhere");
  EXPECT_THAT(launch_environment().error().message, HasSubstr("RANK_TABLE_FILE: "));
}

TEST(RankTable, says_which_field_is_wrong) {
  for (auto [text, message] :
       {std::pair("[]", "not a JSON object"),
        {"{}", "no list 'server_list'"},
        {R"({"server_list": [], "status": "initializing"})", "its 'status' is \"initializing\""},
        {R"({"server_list": []})", "it lists no device"},
        {R"({"server_list": [{"server_id": 1}]})", "has no text 'server_id'"},
        {R"({"server_list": [{"server_id": "a", "device": [{"rank_id": "0"}]}]})",
         "server 'a': a device has no 'device_id'"},
        {R"({"server_list": [{"server_id": "a", "device": [{"rank_id": "-1", "device_id": 0}]}]})",
         "'rank_id' is \"-1\""},
        {R"({"server_list": [{"server_id": "a", "device": [{"rank_id": 1, "device_id": 0}]}]})",
         "but rank 0 is missing"},
        {R"({"server_list": [{"server_id": "a", "device": [{"rank_id": 0, "device_id": 0},
                                                         {"rank_id": 0, "device_id": 1}]}]})",
         "but rank 0 is there twice"}})
    EXPECT_THAT(RankTable::parse(text).error().message, HasSubstr(message)) << text;
}

TEST_F(LaunchEnvironmentTest, the_ranks_of_a_node_are_known_where_the_launcher_tells) {
  set("RANK", "2");
  set("WORLD_SIZE", "4");
  EXPECT_EQ(launched().local_ranks, 0);
  set("LOCAL_WORLD_SIZE", "2");
  EXPECT_EQ(launched().local_ranks, 2);
  set("LOCAL_WORLD_SIZE", "2(x2)");
  EXPECT_EQ(launched().local_ranks, 0);
  set("OMPI_COMM_WORLD_RANK", "1");
  set("OMPI_COMM_WORLD_SIZE", "6");
  set("OMPI_COMM_WORLD_LOCAL_SIZE", "3");
  EXPECT_EQ(launched().local_ranks, 3);
}

TEST_F(LaunchEnvironmentTest, a_step_of_slurm_has_its_own_number_of_ranks) {
  set("SLURM_NTASKS", "8"); // of the whole job
  set("SLURM_STEP_NUM_TASKS", "3");
  set("SLURM_STEP_ID", "1");
  set("SLURM_PROCID", "2");
  EXPECT_EQ(launched().ranks, 3);
  EXPECT_EQ(launched().size, "SLURM_STEP_NUM_TASKS=3");
}

TEST_F(LaunchEnvironmentTest, a_step_of_slurm_with_one_task_is_a_shell) {
  set("SLURM_NTASKS", "4");
  set("SLURM_STEP_NUM_TASKS", "1");
  set("SLURM_STEP_ID", "4294967290");
  set("SLURM_PROCID", "0");
  auto found = launch_environment();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(LaunchEnvironmentTest, a_shell_of_slurm_with_pmi_2_is_a_shell) {
  set("PMI_RANK", "0");
  set("PMI_SIZE", "1");
  EXPECT_EQ(launched().launcher, "mpiexec of MPICH") << "its only rank";
  set("SLURM_STEP_ID", "0");
  set("SLURM_STEP_NUM_TASKS", "1");
  set("SLURM_PROCID", "0");
  auto found = launch_environment();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  set("PMI_SIZE", "2"); // mpiexec in that shell
  EXPECT_EQ(launched().ranks, 2);
}

TEST_F(LaunchEnvironmentTest, slurm_lists_the_ranks_of_nodes) {
  set("SLURM_NTASKS", "8");
  set("SLURM_STEP_ID", "1");
  set("SLURM_PROCID", "2");
  EXPECT_EQ(launched().local_ranks, 0);
  set("SLURM_STEP_TASKS_PER_NODE", "2(x3),1,7(x2)");
  const char *const expected[] = {"2", "2", "2", "1", "7", "7", "0"};
  for (int node = 0; node < 7; ++node) {
    set("SLURM_NODEID", text(node).c_str());
    EXPECT_EQ(text(launched().local_ranks), expected[node]) << node;
  }
  for (const char *broken : {"", "x", "2(x", "2(x3", "(x2)", ","}) {
    set("SLURM_STEP_TASKS_PER_NODE", broken);
    set("SLURM_NODEID", "5");
    EXPECT_EQ(launched().local_ranks, 0) << broken;
  }
}

TEST_F(LaunchEnvironmentTest,
       a_rank_of_pmix_that_does_not_know_how_many_there_are_is_no_single_one) {
  set("PMIX_RANK", "3");
  set("PMIX_NAMESPACE", "prte.1");
  auto found = launch_environment();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("PMIX_RANK=3, but not how many ranks"));
}

TEST_F(LaunchEnvironmentTest, numbers_that_are_no_rank_are_refused_with_their_variables) {
  for (auto [rank, size] : {std::pair("4", "4"), {"-1", "4"}, {"x", "4"}, {"0", ""}, {"0", "0"}}) {
    set("PMI_RANK", rank);
    set("PMI_SIZE", size);
    auto found = launch_environment();
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr(text("PMI_RANK=", rank, " and PMI_SIZE=", size,
                                                      ", which is not one rank")));
  }
}

TEST(ChooseBackend, auto_is_the_launchers_own) {
  for (const char *own : {"openmpi", "mpich"}) {
    LaunchEnvironment launched = by(own);
    for (const char *wanted : {"auto", "mpi", own}) {
      RunConfig config = run_with(wanted);
      ASSERT_FALSE(choose_backend(config, &launched));
      EXPECT_EQ(config.backend, own);
      EXPECT_EQ(config.one_backend, std::string(wanted) != "auto");
    }
  }
  LaunchEnvironment launched = by("gloo");
  RunConfig config = run_with("auto", "/folder");
  ASSERT_FALSE(choose_backend(config, &launched));
  EXPECT_EQ(config.backend, "gloo");
  EXPECT_EQ(config.run_name, "run-7");
}

TEST(ChooseBackend, ranks_that_start_here_share_memory_or_use_gloo) {
  for (const char *backend : {"auto", "shm", "gloo"}) {
    RunConfig config = run_with(backend);
    ASSERT_FALSE(choose_backend(config, nullptr));
    EXPECT_EQ(config.backend, backend);
  }
  RunConfig config = run_with("mpi");
  EXPECT_THAT(choose_backend(config, nullptr).message,
              HasSubstr("ranks that a launcher of MPI starts: mpirun -n 4 dist-run"));
}

TEST(ChooseBackend, what_cannot_connect_these_ranks_is_refused) {
  auto refusal = [](const char *wanted, const char *own) {
    RunConfig config = run_with(wanted);
    LaunchEnvironment launched = by(own);
    return choose_backend(config, &launched).message;
  };
  EXPECT_THAT(refusal("shm", "openmpi"), HasSubstr("so use --backend mpi"));
  EXPECT_THAT(refusal("shm", "gloo"), HasSubstr("so use --backend gloo"));
  EXPECT_THAT(refusal("mpich", "openmpi"), HasSubstr("'mpich' cannot connect ranks started by"));
  EXPECT_THAT(refusal("mpi", "gloo"), HasSubstr("'mpi' cannot connect ranks started by"));
  EXPECT_THAT(refusal("auto", "gloo"), HasSubstr("give --rendezvous HOST:PORT"));
}

TEST(RunConfig, the_new_fields_travel_and_are_checked) {
  WorkerConfig config;
  config.run = run_with("gloo", "/folder");
  config.run.programs = {"p.so"};
  config.run.steps = 1;
  config.run.one_backend = true;
  config.run.reductions = "native";
  config.run.interface = "eth0";
  config.run.run_name = "seven";
  auto back = worker_config_from_json(to_json(config));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), to_json(config));
  auto complaint = [&](auto change) {
    RunConfig changed = config.run;
    change(changed);
    return check(changed).message;
  };
  EXPECT_THAT(complaint([](RunConfig &run) { run.backend = "nccl"; }), HasSubstr("not 'nccl'"));
  EXPECT_THAT(complaint([](RunConfig &run) { run.reductions = "fast"; }), HasSubstr("not 'fast'"));
  EXPECT_THAT(complaint([](RunConfig &run) { run.backend = "shm"; }),
              HasSubstr("are for backend gloo"));
}
