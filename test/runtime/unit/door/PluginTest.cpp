// What plug-ins refuse before they look for peers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/TemporaryFolder.h"
#include "tutti/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;

namespace {

/// Why a context of two ranks on `backend` cannot be made; "absent" if the plug-in is.
std::string refusal(const char *backend, const std::string &connection, tutti_limits limits = {}) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  char message[1024];
  if (tutti_backend_load(backend, &options.backend, message, sizeof message) != TUTTI_OK)
    return "absent";
  options.connection = connection.c_str();
  options.size = 2;
  options.limits = limits;
  tutti_context *context = nullptr;
  tutti_context_create(&options, &context);
  std::string reason = tutti_context_message(context);
  tutti_context_destroy(context);
  return reason;
}

bool is_absent(const char *backend) { return refusal(backend, "x") == "absent"; }

} // namespace

TEST(Plugin, mpi_refuses_settings_that_it_does_not_know) {
  for (const char *backend : {"openmpi", "mpich"}) {
    if (is_absent(backend))
      GTEST_SKIP() << backend << " is not on this machine";
    EXPECT_THAT(refusal(backend, "store=file:/tmp"),
                HasSubstr("'store=file:/tmp' is not a setting of backend '" + std::string(backend) +
                          "' (it has none)"));
  }
}

TEST(Plugin, gloo_refuses_places_where_ranks_cannot_meet) {
  if (is_absent("gloo"))
    GTEST_SKIP() << "gloo is not on this machine";
  EXPECT_THAT(refusal("gloo", ""), HasSubstr("needs store=file:FOLDER, a folder that all ranks"));
  EXPECT_THAT(refusal("gloo", "store=sql:host:1"), HasSubstr("not 'sql:host:1'"));
  for (const char *variable : {"PMI_RANK", "PMIX_NAMESPACE"})
    unsetenv(variable);
  EXPECT_THAT(refusal("gloo", "store=pmi"), HasSubstr("the launcher's PMI has PMI_RANK= and"));
  EXPECT_THAT(refusal("gloo", "store=pmix"), HasSubstr("PMIX_NAMESPACE is not set"));
  EXPECT_THAT(refusal("gloo", "store=tcp:host"), HasSubstr("meet at HOST:PORT, not at 'host'"));
  EXPECT_THAT(refusal("gloo", "store=tcp:host:1"), HasSubstr("cannot read the token ''"));
  EXPECT_THAT(refusal("gloo", "store=file:/no/such"), HasSubstr("cannot meet in '/no/such'"));
  EXPECT_THAT(refusal("gloo", "store=file:/tmp;prefix=a/b"), HasSubstr("'a/b' cannot be one"));
  EXPECT_THAT(refusal("gloo", "store=file:/tmp;interface=lo;address=localhost"),
              HasSubstr("takes interface=NAME or address=HOST, not both"));
  EXPECT_THAT(refusal("gloo", "store=file:/tmp;interface=nope"),
              HasSubstr("cannot use the network interface 'nope'"));
  EXPECT_THAT(refusal("gloo", "store=file:/tmp;address=no.such.host.invalid"),
              HasSubstr("cannot use the address 'no.such.host.invalid'"));
}

TEST(Plugin, gloo_names_the_rank_that_does_not_come) {
  if (is_absent("gloo"))
    GTEST_SKIP() << "gloo is not on this machine";
  TemporaryFolder folder;
  EXPECT_THAT(refusal("gloo", "store=file:" + folder.path("") + ";interface=lo", {0.1, 0.3, 1}),
              HasSubstr("rank 0 waited 0 s for rank 1 to come to"));
}
