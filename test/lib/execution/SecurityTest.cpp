// Who proves what to whom, and what is not even sent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Rows.pb.h"
#include "runtime/servers/rpc/RpcChannel.h"
#include "test/lib/execution/Secrets.h"

#include <gmock/gmock.h>

using namespace tutti::runtime::servers;
using testing::HasSubstr;

/// What somebody hears who holds the address of a server does not show him the secret, and what he
/// answers does not pass.
TEST(Security, AServerProvesThatItHasTheToken) {
  Security worker =
      *Security::read({writeSecret("token", "a secret of many letters\n"), "", "", ""});
  Security server = *Security::read({testing::TempDir() + "/token", "", "", ""});
  Security thief =
      *Security::read({writeSecret("other", "a secret of other letter\n"), "", "", ""});
  tutti::rows::MeetRequest asked = worker.challenge(), later = worker.challenge();
  EXPECT_NE(asked.challenge(), later.challenge());
  tutti::rows::MeetReply answer = server.answer(asked, "host:1");
  EXPECT_THAT(worker.check("host:1", asked, thief.answer(asked, "host:1")).message,
              HasSubstr("does not prove that it is our server"));
  EXPECT_TRUE(worker.check("host:2", asked, answer)) << "a relay at another address";
  EXPECT_TRUE(worker.check("host:1", later, answer)) << "an old answer";
  EXPECT_TRUE(worker.check("host:1", asked, Security().answer(asked, "host:1"))) << "no token";
  EXPECT_FALSE(worker.has_met("host:1"));
  EXPECT_FALSE(worker.check("host:1", asked, answer));
  EXPECT_TRUE(worker.has_met("host:1"));
  EXPECT_EQ(answer.SerializeAsString().find("a secret"), std::string::npos);
}

TEST(Security, SaysWhatIsWrongWithItsFiles) {
  std::string path = writeSecret("short", "secret\n");
  std::string open = writeSecret("open", "a secret of many letters\n");
  std::filesystem::permissions(open, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(Security::read({open, "", "", ""}).error().message,
              HasSubstr("may be read or written by others (mode 0604): chmod 600 it"));
  EXPECT_THAT(Security::read({path, "", "", ""}).error().message,
              HasSubstr("has 6 letters; 16 are the least"));
  EXPECT_THAT(Security::read({"/nowhere", "", "", ""}).error().message,
              HasSubstr("cannot read the token '/nowhere'"));
  EXPECT_THAT(Security::read({"", path, "", path}).error().message,
              HasSubstr("go together, one is missing"));
  EXPECT_THAT(Security::read({"", path, path, ""}).error().message,
              HasSubstr("checked against an authority, which is missing"));
}

/// What no message takes is said before it is made.
TEST(RpcChannel, AMessageThatIsTooLargeIsNotSent) {
  RunOfServers run = {"fingerprint", /*workers=*/1, /*servers=*/1, /*seconds=*/1};
  auto channel = RpcChannel::make(run, /*worker=*/0, /*number=*/3, "unix:/nowhere/server");
  std::vector<int64_t> rows = {1, 2, 3}, positions = {0, 1, 2};
  constexpr int64_t large = int64_t(1) << 30;
  RowRequest message;
  message.parts.emplace_back();
  message.parts[0].indices = indices_of(rows);
  message.parts[0].row_bytes = large;
  EXPECT_THAT(channel->start_pull(message).message,
              HasSubstr("a pull of 3 rows has 3221225472 bytes, and a message to server 3 takes up "
                        "to 2146435072; take more servers, or a smaller global batch"));
  EXPECT_THAT(channel->prefetch(message).message, HasSubstr("a pull of 3"));
  EXPECT_THAT(channel->add_push(1, message.parts[0], {positions, large, nullptr}).message,
              HasSubstr("a push of 3 rows has 3221225496 bytes"));
}
