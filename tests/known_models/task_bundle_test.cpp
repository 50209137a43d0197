// .task bundles: their members, and every way in which an archive can be wrong.
#include "task_bundle.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "model_store.h"
#include "zip_builder.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

using Archive = std::vector<std::byte>;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string text_of(const FileContents& file) { return text_of(file.bytes); }
std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string write(const std::string& name, const Archive& archive) {
  const fs::path path = scratch_folder() / name;
  std::ofstream(path, std::ios::binary) << text_of(archive);
  return path.string();
}

void expect_refused(const Archive& archive, const std::string& reason) {
  const auto bundle = TaskBundle::open(archive, "b.task");
  ASSERT_FALSE(bundle.ok()) << "expected: " << reason;
  const std::string& message = bundle.status().message();
  EXPECT_TRUE(message.starts_with("b.task: cannot open the bundle: ")) << message;
  expect_words(message, {reason, "; download it again"});
}
void expect_member_refused(const Attached& member, const std::string& reason) { expect_refused(zip({member}), reason); }

// The bundle opens, but the member cannot be read.
void expect_damaged(const Archive& archive, const std::string& reason) {
  const auto bundle = value_of(TaskBundle::open(archive, "b.task"));
  const auto contents = bundle.read("a.tflite");
  ASSERT_FALSE(contents.ok()) << "expected: " << reason;
  expect_words(contents.status().message(), {"b.task: the member 'a.tflite' " + reason});
}

// The number of `size` bytes at `offset` after the last `signature`.
void change(Archive& archive, const std::string& signature, size_t offset, uint64_t number, size_t size) {
  const size_t at = text_of(archive).rfind(signature);
  ASSERT_NE(at, std::string::npos);
  for (size_t i = 0; i < size; ++i) archive[at + offset + i] = static_cast<std::byte>(number >> (8 * i));
}
const std::string kHeader = "PK\x03\x04", kEntry = "PK\x01\x02", kEnd = "PK\x05\x06";

TEST(TaskBundle, MembersAreReadStoredAndCompressed) {
  const std::string text(100'000, 'x');
  const auto bundle = value_of(TaskBundle::open(zip({{.name = "a.tflite", .contents = text, .deflates = true},
                                                     {.name = "b.binarypb", .contents = "other"},
                                                     {.name = "empty", .contents = "", .deflates = true},
                                                     {.name = "folder/", .contents = ""}}),
                                                "b.task"));
  ASSERT_EQ(bundle.members().size(), 3U);
  EXPECT_EQ(bundle.members()[0].bytes, text.size());
  EXPECT_EQ(bundle.models().size(), 1U);
  EXPECT_EQ(bundle.list_models(), "a.tflite");
  EXPECT_EQ(text_of(*bundle.read("a.tflite")), text);
  EXPECT_EQ(text_of(*bundle.read("b.binarypb")), "other");
  EXPECT_TRUE(bundle.read("empty")->bytes.empty());
  const auto missing = bundle.read("c.tflite");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().message(), "b.task: the bundle has no member 'c.tflite'; it has a.tflite");
}

TEST(TaskBundle, BundlesInsideAreOpenedOneLevelDeep) {
  const std::string innermost = text_of(zip({{.name = "x.tflite", .contents = "x"}}));
  const std::string hands = text_of(zip({{.name = "hand_detector.tflite", .contents = "palm"},
                                         {.name = "hand_landmarks_detector.tflite", .contents = "hand"},
                                         {.name = "deep.task", .contents = innermost}}));
  for (const bool deflates : {false, true}) {
    const auto bundle = value_of(TaskBundle::open(
        zip({{.name = "hands.task", .contents = hands, .deflates = deflates}, {.name = "c.tflite", .contents = "c"}}),
        "b.task"));
    EXPECT_EQ(bundle.list_models(),
              "hands.task/hand_detector.tflite, hands.task/hand_landmarks_detector.tflite, c.tflite");
    EXPECT_EQ(text_of(*bundle.read("hands.task/hand_detector.tflite")), "palm");
    EXPECT_EQ(text_of(*bundle.read("hands.task/deep.task")), innermost);
    ASSERT_EQ(bundle.tasks().size(), 1U);
    EXPECT_EQ(bundle.tasks()[0].subject, "hand");
    EXPECT_EQ(bundle.tasks()[0].detector, "hands.task/hand_detector.tflite");
    EXPECT_STREQ(bundle.tasks()[0].element(), "glinfer");
  }
  expect_failure(TaskBundle::open(zip({{.name = "hands.task", .contents = "no archive"}}), "b.task"),
                 {"b.task: hands.task: cannot open the bundle: it is not a ZIP"});
}

TEST(TaskBundle, UnusableNamesAreRefused) {
  for (const auto& [name, reason] : {std::pair<std::string, const char*>{"", "is empty"},
                                     {"../a.tflite", "is not a plain path"},
                                     {"a/../../b", "is not a plain path"},
                                     {"a/./b", "is not a plain path"},
                                     {"a//b", "is not a plain path"},
                                     {"/etc/passwd", "is not a relative path"},
                                     {"a\\b", "is not a relative path"},
                                     {"a\nb", "has control characters"},
                                     {std::string("a\0b", 3), "has control characters"},
                                     {"a\xff", "is not UTF-8"},
                                     {std::string(256, 'a'), "is too long"}}) {
    expect_member_refused({.name = name, .contents = "x"}, std::string("has an unusable name, which ") + reason);
  }
  expect_refused(zip({{"a.tflite", "1"}, {"a.tflite", "2"}}), "'a.tflite' exists twice");
}

TEST(TaskBundle, WrongSizesAreRefused) {
  const std::string text(1000, 'x');
  expect_member_refused({.name = "a.tflite", .contents = text, .stated_bytes = 999},
                        "states 999 bytes, but is stored in 1000");
  expect_member_refused({.name = "a.tflite", .contents = text, .deflates = true, .stated_bytes = 400'000'000},
                        "compressed bytes can contain");
  expect_member_refused({.name = "a.tflite", .contents = text, .deflates = true, .stated_bytes = 1'000'000'000},
                        "the maximum of a compressed one");
  Archive whole = zip({{"a.tflite", text}});
  Archive changed = whole;
  change(changed, kEntry, 20, 2000, 4);
  change(changed, kEntry, 24, 2000, 4);
  expect_refused(changed, "contradicts the directory");
  change(changed, kHeader, 18, 2000, 4);
  change(changed, kHeader, 22, 2000, 4);
  expect_refused(changed, "is outside the file");
  changed = whole;
  change(changed, kEntry, 42, 1, 4);
  expect_refused(changed, "is not at its offset");
  changed = whole;
  change(changed, kEntry, 42, 1'000'000, 4);
  expect_refused(changed, "is outside the file");
  changed = whole;
  change(changed, kHeader, 30, 'b', 1);
  expect_refused(changed, "contradicts the directory");
  changed = whole;
  change(changed, kEnd, 10, 2, 2);
  expect_refused(changed, "only 1 of 2 entries are valid");
}

// Deflate streams that are longer or shorter than stated, or are none.
TEST(TaskBundle, WrongContentsAreRefusedWhenRead) {
  const std::string text(1000, 'x');
  expect_damaged(zip({{.name = "a.tflite", .contents = text, .crc32 = 1}}), "is damaged: its checksum differs");
  expect_damaged(zip({{.name = "a.tflite", .contents = text, .deflates = true, .crc32 = 1}}),
                 "is damaged: its checksum differs");
  expect_damaged(zip({{.name = "a.tflite", .contents = text, .deflates = true, .stated_bytes = 999}}),
                 "is damaged: it decompresses to more than the stated 999 bytes");
  expect_damaged(zip({{.name = "a.tflite", .contents = text, .deflates = true, .stated_bytes = 1001}}),
                 "is damaged: it decompresses to 1000 bytes, not the stated 1001");
  expect_damaged(zip({{.name = "a.tflite", .contents = "\xff\xff\xff", .method = 8}}),
                 "is damaged: its compressed data are invalid");
}

TEST(TaskBundle, OtherFormsAreRefused) {
  expect_member_refused({.name = "a.tflite", .contents = "x", .flags = 1}, "is encrypted");
  expect_member_refused({.name = "a.tflite", .contents = "x", .method = 12}, "is compressed by method 12");
  expect_refused(Archive(), "is not a ZIP archive, or it is truncated");
  std::vector<Attached> many(TaskBundle::kMostMembers + 1);
  for (size_t i = 0; i < many.size(); ++i) many[i].name = std::to_string(i);
  expect_refused(zip(many), "more than 100 members");
  // Both entries name the first member.
  Archive overlapping = zip({{"a.tflite", "same"}, {"b.tflite", "same"}});
  change(overlapping, kEntry, 42, 0, 4);
  change(overlapping, kEntry, 46, 'a', 1);
  expect_refused(overlapping, "its members overlap");
}

// Zeros compress a thousandfold, and a bundle inside another one twice.
TEST(TaskBundle, AllCompressedMembersTogetherAreBounded) {
  const std::string zeros(20 << 20, '\0');
  const Attached member{.name = "a.tflite", .contents = zeros, .deflates = true};
  std::vector<Attached> members(4, member);
  for (size_t i = 0; i < members.size(); ++i) members[i].name = std::to_string(i) + ".tflite";
  expect_refused(zip(members), "'3.tflite' is too large: the maximum of all compressed members of this bundle is");
  members.pop_back();
  EXPECT_TRUE(TaskBundle::open(zip(members), "b.task").ok());
  const std::string inside = text_of(zip({member, {.name = "b.tflite", .contents = zeros, .deflates = true}}));
  expect_failure(TaskBundle::open(zip({{.name = "1.task", .contents = inside, .deflates = true},
                                       {.name = "2.task", .contents = inside, .deflates = true}}),
                                  "b.task"),
                 {"'2.task/b.tflite' is too large"});
}

TEST(TaskBundle, OutlivesItsFile) {
  const std::string path = write("overwritten.task", zip({{"a.tflite", std::string(100'000, 'x')}}));
  const auto bundle = value_of(TaskBundle::open(path));
  fs::resize_file(path, 0);
  EXPECT_TRUE(bundle.read("a.tflite").ok());
}

TEST(TaskBundle, EveryTruncationIsRefused) {
  const Archive whole = zip({{.name = "a.tflite", .contents = std::string(300, 'x'), .deflates = true}, {"b", "text"}});
  ASSERT_TRUE(TaskBundle::open(whole, "b.task").ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(TaskBundle::open(std::span(whole).first(size), "b.task").ok()) << size;
  }
}

TEST(TaskBundle, SpecialFilesAreRefused) {
  for (const std::string& path :
       {std::string("/dev/zero"), std::string("/nowhere/b.task"), scratch_folder().string()}) {
    EXPECT_FALSE(TaskBundle::is_bundle(path)) << path;
    const auto bundle = TaskBundle::open(path);
    ASSERT_FALSE(bundle.ok()) << path;
    EXPECT_NE(bundle.status().message().find(path), std::string::npos) << bundle.status().message();
  }
}

TEST(StoredModel, IsAFileOrAMember) {
  const fs::path figure = real_model("figure");
  const std::string contents = file_text(figure);
  const std::string one = write("one.task", zip({{.name = "model.tflite", .contents = contents, .deflates = true}}));
  const std::string two = write("two.task", zip({{.name = "a.tflite", .contents = contents},
                                                 {.name = "hand_landmarks_detector.tflite", .contents = contents}}));
  const std::string colon = write("with:colon.tflite", std::vector<std::byte>());
  EXPECT_TRUE(TaskBundle::is_bundle(one));
  EXPECT_FALSE(TaskBundle::is_bundle(figure.string()));
  EXPECT_EQ(split_model_path(colon).file, colon);
  EXPECT_EQ(split_model_path(one + ":model.tflite").member, "model.tflite");
  EXPECT_EQ(model_title(one + ":folder/model.tflite"), "model");

  // A bundle of one model is this model.
  for (const std::string& path : {figure.string(), one, one + ":model.tflite", two + ":a.tflite"}) {
    const auto stored = value_of(load_stored_model(*ModelStore().resolve(path), {}));
    EXPECT_EQ(stored.bytes, static_cast<int64_t>(contents.size()));
    ASSERT_TRUE(stored.known) << path << " is not recognized by its checksum";
    EXPECT_EQ(stored.known->task, Task::kSegmentation);
  }
  const auto ambiguous = load_stored_model(two, {});
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_EQ(ambiguous.status().message(),
            two +
                ": cannot load the bundle as one model: it has a.tflite, hand_landmarks_detector.tflite; select one, "
                "such as " +
                two + ":a.tflite, or use glinfer, which takes the bundle");
  EXPECT_EQ(models_at(two)->size(), 2U);
  EXPECT_EQ(*models_at(figure.string()), std::vector{figure.string()});
  const auto other = load_stored_model(write("text.task", zip({{"tokenizer", "words"}})), {});
  ASSERT_FALSE(other.ok());
  expect_words(other.status().message(), {"it has tokenizer; use a bundle of .tflite models"});
  EXPECT_FALSE(ModelStore().resolve("nowhere.task:a.tflite").ok());
}

TEST(StoredModel, PublishedBundleIsVerified) {
  const std::string path = shared_dir() ? (*shared_dir() / "second/models/face_landmarker.task").string() : "";
  if (!fs::exists(path)) GTEST_SKIP() << "no face_landmarker.task in ../shared";
  const auto known = recognize_model(path);
  ASSERT_TRUE(known);
  EXPECT_STREQ(known->published.name, "face-landmarker");
  EXPECT_EQ(known->published.bytes, static_cast<int64_t>(fs::file_size(path)));
  EXPECT_EQ(address_of(*known),
            "https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/float16/1/"
            "face_landmarker.task");
  const auto bundle = value_of(TaskBundle::open(path));
  ASSERT_EQ(bundle.tasks().size(), 1U);
  EXPECT_EQ(bundle.tasks()[0].blendshapes, "face_blendshapes.tflite");
  for (const TaskBundle::Member& member : bundle.members()) {
    const auto contents = value_of(bundle.read(member.name));
    EXPECT_EQ(contents.bytes.size(), member.bytes);
    EXPECT_EQ(recognize_model(contents.bytes).has_value(), member.is_model()) << member.name;
  }
  // One changed byte of a model is noticed.
  std::string changed = file_text(path);
  changed[1'000'000] = static_cast<char>(changed[1'000'000] ^ 1);
  const auto damaged = value_of(TaskBundle::open(std::as_bytes(std::span(changed)), "face.task"));
  EXPECT_TRUE(damaged.read("face_detector.tflite").ok());
  EXPECT_FALSE(damaged.read("face_landmarks_detector.tflite").ok());
}

}  // namespace
}  // namespace sightglass::test
