// The file formats of datasets. Each reader takes bytes that may be hostile, checks every size
// against what is there before it uses it, and says in errors what is wrong; the caller adds which
// file it was.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_READERS_H
#define TUTTI_RUNTIME_HOST_DATA_READERS_H

#include "runtime/host/data/Array.h"
#include "runtime/support/system/SealedMemory.h"

#include <string_view>

namespace tutti::runtime::data {

/// NumPy's .npy, versions 1 to 3. The array points into `bytes`, which `owner` keeps; one in
/// Fortran order is copied into C order.
Result<Array> read_npy(std::string name, std::string_view bytes, std::shared_ptr<const void> owner);

/// Bytes of the whole .npy file (header and data) that starts with `beginning`, which must hold its
/// header.
Result<int64_t> npy_file_bytes(std::string_view beginning);

/// The names of the arrays of NumPy's .npz, a zip of .npy, in their order; none of them is read.
Result<std::vector<std::string>> list_npz(const std::string &path);

/// Array number `index` of a .npz, stored or deflated, read into memory.
Result<Array> read_npz(const std::string &path, int64_t index);

/// The same, as the .npy that it is, read into memory that other processes can map.
Result<SealedMemory> seal_npz(const std::string &path, int64_t index);

/// A serialised ONNX TensorProto. Raw data is used where it lies in `bytes`, which `owner` keeps.
/// The name is the proto's own, or `name` if it has none.
Result<Array> read_tensor_proto(std::string name, std::string_view bytes,
                                std::shared_ptr<const void> owner);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_READERS_H
