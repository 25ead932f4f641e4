// Tells other kinds of files by the bytes that they begin with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ForeignFiles.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tutti::frontend;
using llvm::StringLiteral;
using llvm::StringRef;

/// As much of a file is looked at, at either end.
static constexpr size_t lookedAt = size_t(64) << 10;

static constexpr StringLiteral exportIt =
    "; export the module itself with torch.onnx.export (docs/from-pytorch.md)";
static constexpr StringLiteral giveModelToo =
    ", which has no graph; give the model as the program, and this file to --variables or --load";
static constexpr StringLiteral unpackIt = "; unpack it, and give the model in it";

namespace {
/// A kind of file that begins with `magic`, at byte `at`.
struct Kind {
  size_t at;
  StringLiteral magic, text;
};
} // namespace

static constexpr Kind kinds[] = {
    {4, "ORTM",
     "a model in ONNX Runtime's own format (.ort); give the .onnx file that it was made from"},
    {4, "ODTC",
     "a checkpoint of ONNX Runtime; give training_model.onnx of the same artifacts, and this file "
     "to --checkpoint"},
    {4, "TFL3", "a model of TensorFlow Lite; convert the model that it was made from with tf2onnx"},
    {0, "\x89HDF",
     "an HDF5 file, as Keras saves models; convert it with tf2onnx (python -m tf2onnx.convert)"},
    {0, "\x93NUMPY",
     "an array of NumPy (.npy); give the model as the program, and data to "
     "--dataset"},
    {0, "GGUF",
     "a GGUF file of weights for inference; export the model from its framework as ONNX"},
    {0, "ptrt", "an engine of TensorRT; give the ONNX model that it was built from"},
    {0, "ftrt", "an engine of TensorRT; give the ONNX model that it was built from"},
    {0, "BC\xC0\xDE", "LLVM bitcode; give the program in MLIR or ONNX that it was compiled from"},
    {0,
     "\x7f"
     "ELF",
     "machine code (ELF); give the model that it is to train"},
    {0, "\x1f\x8b", "compressed with gzip; unpack it first (gunzip)"},
    {0, "\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first (unzstd)"},
    {0,
     "\xfd"
     "7zXZ",
     "compressed with xz; unpack it first (unxz)"},
    {0, "BZh", "compressed with bzip2; unpack it first (bunzip2)"},
    {0, "7z\xbc\xaf", "a 7z archive; unpack it, and give the model in it"},
    {257, "ustar", "a tar archive; unpack it (tar -xf), and give the model in it"},
    {0, "\x89PNG", "a picture (PNG); give the model as the program, and data to --dataset"},
    {0, "\xff\xd8\xff", "a picture (JPEG); give the model as the program, and data to --dataset"},
    {0, "%PDF", "a PDF document; give a model"},
};

/// A zip says in its end what is in it, and has the first file in its beginning.
static std::string nameZip(StringRef content) {
  StringRef begin = content.take_front(lookedAt), end = content.take_back(lookedAt);
  auto holds = [&](StringRef name) { return begin.contains(name) || end.contains(name); };
  if (holds("constants.pkl"))
    return ("a program of TorchScript" + exportIt).str();
  if (holds("data.pkl"))
    return ("what torch.save writes (.pt, .pth)" + exportIt).str();
  if (holds("model.weights.h5") || holds("metadata.json"))
    return "a model of Keras (.keras); convert it with tf2onnx (python -m tf2onnx.convert)";
  if (holds(".npy"))
    return "arrays of NumPy (.npz); give the model as the program, and data to --dataset";
  return ("a zip archive" + unpackIt).str();
}

/// A length, and a header in JSON of that length.
static bool isSafetensors(StringRef content) {
  if (content.size() < 10)
    return false;
  uint64_t length = llvm::support::endian::read64le(content.data());
  return length >= 2 && length <= content.size() - 8 && content[8] == '{' &&
         content.substr(8, length).rtrim().ends_with("}");
}

std::string tutti::frontend::nameForeignBytes(StringRef content) {
  if (content.starts_with("PK\x03\x04") || content.starts_with("PK\x05\x06"))
    return nameZip(content);
  if (isSafetensors(content))
    return ("a safetensors file: values of tensors" + giveModelToo).str();
  bool isPickle = content.size() > 2 && content[0] == '\x80' && content[1] >= 2 && content[1] <= 5;
  if (isPickle)
    return ("a pickle of Python, as older PyTorch saves models (.pt, .pth, .pkl)" + exportIt).str();
  for (const Kind &kind : kinds)
    if (content.substr(std::min(kind.at, content.size())).starts_with(kind.magic))
      return kind.text.str();
  return "";
}

/// The text after white space and comments of MLIR.
static StringRef skipComments(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.drop_front(std::min(text.find('\n'), text.size()));
  return text;
}

/// Whether an operation, an alias or metadata of MLIR may begin like this.
static bool mayBeMlir(StringRef text) {
  text = skipComments(text);
  if (text.empty() || StringRef("\"%^").contains(text.front()) || text.starts_with("{-#"))
    return true;
  if (text.front() == '#' || text.front() == '!')
    return text.size() > 1 && (llvm::isAlpha(text[1]) || text[1] == '_');
  StringRef word = text.take_while(
      [](char letter) { return llvm::isAlnum(letter) || letter == '_' || letter == '.'; });
  StringRef after = text.drop_front(word.size()).ltrim(" \t");
  bool isOperation = word.contains('.') && !word.ends_with(".") && !word.starts_with(".");
  return word == "module" || word == "func" || (isOperation && !after.starts_with(":"));
}

std::string tutti::frontend::nameForeignText(StringRef content) {
  StringRef text = content.starts_with("\xef\xbb\xbf") ? content.drop_front(3) : content;
  text = text.ltrim();
  if (text.starts_with("version https://git-lfs.github.com/spec/"))
    return "a pointer of Git LFS, which stands for the model; fetch the model itself with git lfs "
           "pull";
  if (text.starts_with_insensitive("<!doctype html") || text.starts_with_insensitive("<html"))
    return "a page of HTML, as servers send instead of a file; download the model again from the "
           "address of the file itself";
  if (text.starts_with("<?xml"))
    return "XML; give the model in ONNX that it belongs to, or export it from its framework as "
           "ONNX";
  if (text.starts_with("ir_version") || text.starts_with("<ir_version") ||
      text.starts_with("< ir_version"))
    return "an ONNX model written as text; read it with onnx.parser or "
           "google.protobuf.text_format, and store it with onnx.save";
  if (!text.starts_with("{-#") && (text.starts_with("{") || text.starts_with("[")))
    return "JSON; give the model itself, a file of ONNX or MLIR";
  if (mayBeMlir(text))
    return "";
  std::string begin;
  for (char letter : text.take_until([](char end) { return end == '\n'; }).take_front(32).rtrim())
    begin += llvm::isPrint(letter) ? letter : '?';
  return "text, but not MLIR: it begins with '" + begin +
         "'; give an ONNX model, MLIR text or MLIR bytecode";
}

std::string tutti::frontend::nameFolder(StringRef path) {
  llvm::SmallVector<std::string> models;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(path, code), end; entry != end && !code;
       entry.increment(code)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    if (name == "saved_model.pb")
      return "it is a SavedModel of TensorFlow; convert it with tf2onnx (python -m "
             "tf2onnx.convert)";
    if (name.ends_with(".onnx") || name.ends_with(".mlir") || name.ends_with(".mlirbc"))
      models.push_back(name.str());
  }
  llvm::sort(models);
  if (models.empty())
    return "it is a folder; give a file in it";
  return "it is a folder; give the file in it: " + llvm::join(models, " or ");
}
