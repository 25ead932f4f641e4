// A secret that processes of one run share, and how they prove to each other that they have it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_SECRET_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_SECRET_H

#include "runtime/support/Error.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace tutti::runtime {

/// The first line of a file that belongs to this user or to root, and that nobody else may read or
/// write; at least 16 letters. The error says what is wrong with it, and what to do.
Result<std::string> read_token(const std::string &path);

/// Bytes of a challenge.
constexpr size_t nonce_bytes = 32;
/// So many random bytes; empty if the system has none.
std::string make_nonce();

/// Letters of a code.
constexpr size_t code_letters = 64;
/// HMAC-SHA256 (RFC 2104) of `parts` under `token`, in hexadecimal digits. Parts are told apart by
/// their lengths.
std::string code_of(const std::string &token, std::initializer_list<std::string_view> parts);
/// Takes as long whatever differs.
bool are_equal_secrets(std::string_view one, std::string_view other);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_SECRET_H
