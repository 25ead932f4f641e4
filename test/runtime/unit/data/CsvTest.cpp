// Files of comma- and tab-separated values: rows and fields, types, words and what is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/data/Dataset.h"
#include "runtime/host/data/Vocabulary.h"
#include "runtime/host/data/tables/CsvTable.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Texts = std::vector<std::string>;

class Csv : public testing::Test {
protected:
  Result<Dataset> open(const std::string &content, const std::string &name = "t.csv") {
    Opening opening;
    options.training = folder.write(name, content);
    opening.options = options;
    return Dataset::open({options.training}, {}, opening);
  }

  /// The elements of an input, all rows one after the other.
  template <typename Element>
  std::vector<Element> read(const std::string &content, const InputSpec &input) {
    Result<Dataset> dataset = open(content);
    if (!dataset)
      return ADD_FAILURE() << dataset.error().message, std::vector<Element>();
    Result<std::vector<BoundArray>> bound = dataset->bind({input});
    if (!bound)
      return ADD_FAILURE() << bound.error().message, std::vector<Element>();
    RowGatherer rows(*bound);
    std::vector<Element> elements(size_t(rows.rows()) * size_t(sample_elements((*bound)[0].array)));
    std::vector<int64_t> all(size_t(rows.rows()));
    std::iota(all.begin(), all.end(), 0);
    void *buffers[] = {elements.data()};
    if (Error error = rows.gather(0, all, buffers))
      ADD_FAILURE() << error.message;
    return elements;
  }

  std::string complaint(const std::string &content, const InputSpec &input) {
    Result<Dataset> dataset = open(content);
    return dataset ? dataset->bind({input}).error().message : dataset.error().message;
  }

  std::vector<Texts> rows_of(const std::string &content) {
    auto table = CsvTable::open(folder.write("rows.csv", content), ',', /*has_header=*/false);
    if (!table)
      return {{table.error().message}};
    std::vector<Texts> rows;
    CsvCursor cursor;
    CsvFields fields;
    for (int64_t i = 0; i < (*table)->rows(); ++i) {
      if (Error error = (*table)->read(i, cursor, fields))
        return {{error.message}};
      rows.emplace_back(fields.texts.begin(), fields.texts.end());
    }
    return rows;
  }

  TemporaryFolder folder;
  ReadOptions options;
};

const InputSpec x{"x", TUTTI_F32, {2}};
const InputSpec ids{"x", TUTTI_I64, {2}};

} // namespace

TEST_F(Csv, takes_fields_apart_as_rfc_4180_says) {
  EXPECT_THAT(rows_of("a,b\r\nc,d\r\n"), ElementsAre(Texts{"a", "b"}, Texts{"c", "d"}));
  EXPECT_THAT(rows_of("\xef\xbb\xbf"
                      "a,b\nc,d"),
              ElementsAre(Texts{"a", "b"}, Texts{"c", "d"}));
  EXPECT_THAT(rows_of("\"a\",\"b\nb\"\r\n\"c\"\"c,\",\"\"\r\n"),
              ElementsAre(Texts{"a", "b\nb"}, Texts{"c\"c,", ""}));
  EXPECT_THAT(rows_of("a,b\"b\n,\n"), ElementsAre(Texts{"a", "b\"b"}, Texts{"", ""}));
  EXPECT_THAT(rows_of("a\r,\r\nb,\"\"\"\""), ElementsAre(Texts{"a\r", ""}, Texts{"b", "\""}));
  EXPECT_THAT(rows_of("\"\n\"\n1"), ElementsAre(Texts{"\n"}, Texts{"1"}));
}

TEST_F(Csv, refuses_fields_that_are_none) {
  EXPECT_THAT(rows_of("a,b\n\"c\",\"d\ne,f\n")[0][0], HasSubstr("line 2: a quote is not closed"));
  EXPECT_THAT(rows_of("\"")[0][0], HasSubstr("line 1: a quote is not closed"));
  EXPECT_THAT(rows_of("a,b\n\"c\"c,d\n")[0][0],
              HasSubstr("line 2: text follows the end of a quote"));
  EXPECT_THAT(rows_of("a,b\n\"c\nc\",d\ne\n")[0][0],
              HasSubstr("line 4 has 1 fields; the first line has 2"));
  EXPECT_THAT(rows_of("\n\n")[0][0], HasSubstr("it is empty"));
  EXPECT_THAT(rows_of("\x1f\x8b\x08")[0][0],
              HasSubstr("compressed with gzip, and damaged or cut off at byte 3"));
  EXPECT_THAT(rows_of("\xff\xfe,")[0][0], HasSubstr("UTF-16"));
}

TEST_F(Csv, finds_rows_in_any_order) {
  std::string content;
  for (int i = 0; i < 100; ++i)
    content += text(i, i % 3 ? ",b\n" : ",\"\n\n\"\n");
  auto table = *CsvTable::open(folder.write("t.csv", content), ',', false);
  CsvCursor cursor;
  CsvFields fields;
  for (int64_t row : {99, 0, 1, 17, 16, 15, 50, 52, 98, 99}) {
    ASSERT_FALSE(table->read(row, cursor, fields));
    EXPECT_EQ(fields.texts[0], std::to_string(row));
    EXPECT_EQ(table->line_of(row), 1 + row + (row + 2) / 3 * 2);
  }
}

TEST_F(Csv, parses_fields_into_the_type_of_the_input) {
  EXPECT_THAT(read<float>("x\n0.1\n-2e3\n", x), ElementsAre(0.1f, -2000.f));
  EXPECT_THAT(read<double>("x\n0.1\n\" 16777217\"\n", {"x", TUTTI_F64, {2}}),
              ElementsAre(0.1, 16777217.));
  EXPECT_THAT(read<int64_t>("y,x\n1,9007199254740993\n2,3.0\n", ids),
              ElementsAre(9007199254740993, 3));
  EXPECT_THAT(read<uint8_t>("x\n255\nTrue\n", {"x", TUTTI_U8, {2}}), ElementsAre(255, 1));
  EXPECT_THAT(read<float>("x\n1e-46\n+.5\n", x), ElementsAre(0.f, 0.5f));
}

TEST_F(Csv, makes_an_input_of_several_columns) {
  options.columns = "x:b..d,a;y:e";
  const char *content = "a,b,c,d,e\n1,2,3,4,5\n6,7,8,9,10\n";
  EXPECT_THAT(read<float>(content, {"x", TUTTI_F32, {2, 4}}), ElementsAre(2, 3, 4, 1, 7, 8, 9, 6));
  EXPECT_THAT(read<float>(content, {"x", TUTTI_F32, {2, 1, 2, 2}}),
              ElementsAre(2, 3, 4, 1, 7, 8, 9, 6));
  EXPECT_THAT(read<float>(content, {"y", TUTTI_F32, {2, 1}}), ElementsAre(5, 10));
  EXPECT_THAT(complaint(content, {"x", TUTTI_F32, {2, 3}}),
              HasSubstr("array 'x' is f32 [2, 4], the program expects f32 [samples, 3]"));
}

TEST_F(Csv, names_the_place_of_what_it_cannot_use) {
  EXPECT_THAT(complaint("x,y\n1,2\nabc,2\n", x),
              HasSubstr("t.csv': line 3, column 'x': 'abc' is no finite number, and input 'x' is "
                        "f32; words have numbers by --read=\"categories=x\" or \"hash=x:1000\""));
  EXPECT_THAT(complaint("x\n1\nnan\n", x), HasSubstr("'nan' is no finite number"));
  EXPECT_THAT(complaint("x\n1\n1e39\n", x), HasSubstr("'1e39' is out of range"));
  EXPECT_THAT(complaint("x\n1\n1.5\n", ids), HasSubstr("'1.5' is no whole number"));
  EXPECT_THAT(complaint("x\n1\n256\n", {"x", TUTTI_U8, {2}}), HasSubstr("'256' is out of range"));
  EXPECT_THAT(complaint("x,y\n1,2\n,2\n", x),
              HasSubstr("line 3, column 'x': there is no value; if another may stand in its place: "
                        "--read=\"missing=0\""));
  InputSpec label = ids;
  label.indices = {{0, 3, {}, "loss", true}};
  EXPECT_THAT(complaint("x\n1\n\"5\"\n", label),
              HasSubstr("sample 1 (line 3) is 5, but node 'loss' has the classes 0 to 3"));
  EXPECT_THAT(complaint("label\n1\n", x), HasSubstr("--bind x=label"));
  EXPECT_THAT(complaint("x\n", x), HasSubstr("it has a header, and no rows"));
}

TEST_F(Csv, puts_a_value_in_place_of_none) {
  options.missing = "7";
  EXPECT_THAT(read<float>("y,x\n1,\n2,3\n", x), ElementsAre(7, 3));
}

TEST_F(Csv, reads_files_without_a_header_and_with_other_separators) {
  options.header = false;
  options.columns = "x:2";
  EXPECT_THAT(read<float>("1,2\n3,4\n", x), ElementsAre(2, 4));
  options.separator = "semicolon";
  EXPECT_THAT(read<float>("1;2\n3;4\n", x), ElementsAre(2, 4));
  options = {};
  EXPECT_THAT(open("x\ty,\n1\t2\n", "t.tsv")->names(), ElementsAre("x", "y,"));
}

TEST_F(Csv, gives_words_numbers_in_their_order) {
  options.categories = "x";
  const char *content = "x\nred\nblue\n\"re\"\"d\"\nblue\n";
  EXPECT_THAT(read<int64_t>(content, ids), ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(read<float>(content, x), ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(complaint("x\nred\n\n\nblue\n", ids), HasSubstr("line 3, column 'x': there is no"));
  EXPECT_THAT(complaint("x\nred\n\xff\n", ids), HasSubstr("line 3, column 'x': this is no UTF-8"));
}

TEST_F(Csv, keeps_the_vocabulary_of_the_training_data) {
  options.categories = "x";
  options.vocabulary = folder.path("v.json");
  ASSERT_TRUE(open("x\nred\nblue\n"));
  Result<std::string> kept = vocabulary_to_keep(options);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*kept, "{\n \"columns\": {\n  \"x\": [\n   \"blue\",\n   \"red\"\n  ]\n },\n "
                   "\"tutti-vocabulary\": 1\n}\n");
  folder.write("v.json", *kept);
  EXPECT_EQ(*vocabulary_to_keep(options), "");
  EXPECT_THAT(read<int64_t>("x\nred\n", ids), ElementsAre(1));
  EXPECT_THAT(complaint("x\nblue\ngreen\n", ids),
              HasSubstr("line 3, column 'x': 'green' is not among the 2 words of the vocabulary "));
  folder.write("v.json", "{\"tutti-vocabulary\": 1, \"columns\": {\"x\": [\"a\", \"a\"]}}");
  EXPECT_THAT(complaint("x\nblue\n", ids), HasSubstr("column 'x' is not a list of words"));
}

TEST_F(Csv, evaluates_by_the_words_of_the_training_data) {
  options.categories = "x";
  options.training = folder.write("train.csv", "x\nred\nblue\n");
  Opening opening;
  opening.options = options;
  std::string evaluated = folder.write("test.csv", "x\nred\n");
  auto bound = Dataset::open({evaluated}, {}, opening)->bind({ids});
  ASSERT_TRUE(bound) << bound.error().message;
  int64_t number = -1;
  void *buffers[] = {&number};
  ASSERT_FALSE(RowGatherer(*bound).gather(0, {0}, buffers));
  EXPECT_EQ(number, 1);
  opening.options.training = "";
  EXPECT_THAT(Dataset::open({evaluated}, {}, opening)->bind({ids}).error().message,
              HasSubstr("say where they are kept"));
}

TEST_F(Csv, hashes_text) {
  options.hash = "x:1000"; // 0xaf63dc4c8601ec8c and 0x85944171f73967e8 by FNV-1a
  EXPECT_THAT(read<int64_t>("x\na\nfoobar\n", ids),
              ElementsAre(int64_t(0xaf63dc4c8601ec8c % 1000), int64_t(0x85944171f73967e8 % 1000)));
}

TEST_F(Csv, refuses_keys_that_do_not_fit) {
  auto refuse = [&](std::string ReadOptions::*key, const char *value) {
    options = {};
    options.*key = value;
    return complaint("a,b,b\n1,2,3\n", x);
  };
  EXPECT_THAT(refuse(&ReadOptions::columns, "x:aa"),
              HasSubstr("columns: there is no column 'aa'; did you mean 'a'? The file has: a, b"));
  EXPECT_THAT(refuse(&ReadOptions::columns, "x:b"), HasSubstr("two columns are called 'b'"));
  EXPECT_THAT(refuse(&ReadOptions::columns, "x"), HasSubstr("'x' is not INPUT:COLUMN"));
  EXPECT_THAT(refuse(&ReadOptions::columns, "x:a;x:a"), HasSubstr("'x' is there twice"));
  EXPECT_THAT(refuse(&ReadOptions::hash, "a"), HasSubstr("'a' is not COLUMN:BUCKETS"));
  EXPECT_THAT(refuse(&ReadOptions::hash, "a:0"), HasSubstr("'a:0' is not COLUMN:BUCKETS"));
  EXPECT_THAT(refuse(&ReadOptions::categories, "c"), HasSubstr("there is no column 'c'"));
  EXPECT_THAT(refuse(&ReadOptions::vocabulary, "v"), HasSubstr("there are no words to keep"));
}

TEST_F(Csv, changes_the_fingerprint_with_values_and_words) {
  options.categories = "x";
  auto fingerprint = [&](const char *content) {
    return RowGatherer(*open(content)->bind({ids})).fingerprint();
  };
  EXPECT_EQ(fingerprint("x\na\nb\n"), fingerprint("x\n\"a\"\r\nb"));
  EXPECT_NE(fingerprint("x\na\nb\n"), fingerprint("x\na\na\n"));
  EXPECT_NE(fingerprint("x\na\nb\n"), fingerprint("x\na\nc\n"));
}
