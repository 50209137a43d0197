// The catalog, and the resolution of a name to a verified file.
#include "model_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "known_models.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

std::string write(const std::string& name, const std::string& text) {
  const fs::path path = scratch_folder() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

TEST(KnownModels, ChecksumsAreChecksums) {
  std::set<std::string> seen;
  for (const KnownModel& model : known_models()) {
    const std::string sha256 = model.sha256;
    EXPECT_EQ(sha256.size(), 64u) << model.title;
    EXPECT_EQ(sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << model.title;
    EXPECT_TRUE(seen.insert(sha256).second) << model.title << " is listed twice";
  }
}

TEST(KnownModels, PublishedFilesAreRecognized) {
  EXPECT_FALSE(recognize_model("/nowhere/model.tflite"));
  EXPECT_FALSE(recognize_model(write("other.tflite", "something else")));
  const auto figure = recognize_model(real_model("figure").string());
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->task, Task::kSegmentation);
  if (!shared_dir()) GTEST_SKIP() << "no folder ../shared next to the source tree: no published models";
  for (const auto& [file, task] : {std::pair{"segmentation/mediapipe_selfie_segmenter_256", Task::kSegmentation},
                                   {"pose/movenet_singlepose_lightning_int8_v4", Task::kPose},
                                   {"face/face_detection_short_range", Task::kFace},
                                   {"classify_detect/ssd_mobilenet_v2_fpnlite_320_custom", Task::kDetection}}) {
    const auto known = recognize_model(real_model(file).string());
    ASSERT_TRUE(known) << file;
    EXPECT_EQ(known->task, task) << file;
  }
}

TEST(KnownModels, NamesAndAddressesAreUnique) {
  std::set<std::string> names, files, addresses;
  for (const KnownModel& model : known_models()) {
    if (model.published.name == nullptr) continue;
    const std::string name = model.published.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string::npos) << name;
    EXPECT_TRUE(files.insert(model.published.file).second) << name;
    const std::string address = address_of(model), package = package_of(model);
    EXPECT_EQ(address.empty() && package.empty(), is_shipped(model)) << name;
    EXPECT_TRUE(address.empty() || address.starts_with("https://")) << address;
    EXPECT_TRUE(address.empty() || addresses.insert(address).second) << name;
    if (!package.empty()) {
      const PackageMember& member = model.published.package;
      EXPECT_GT(model.published.bytes, 0) << name << ": limits what is read from the package";
      const std::string asset = member.asset == nullptr ? "" : member.asset;
      EXPECT_TRUE(addresses.insert(package + "/" + member.member + ":" + asset).second) << name;
      EXPECT_EQ(asset.empty(), !std::string_view(member.member).ends_with(".data")) << name;
    }
    EXPECT_STRNE(model.published.license, "") << name;
    EXPECT_EQ(find_known_model(name), &model);
  }
  EXPECT_GE(names.size(), 20u);
  EXPECT_EQ(find_known_model("selfie"), nullptr);
  EXPECT_EQ(find_known_model(""), nullptr);
}

TEST(KnownModels, SimilarNames) {
  EXPECT_EQ(similar_names("hair-segmentor"), "hair-segmenter");
  EXPECT_EQ(similar_names("mesh"), "face-mesh, face-mesh-attention");
  EXPECT_EQ(similar_names("deeplab"), "deeplabv3");
  EXPECT_EQ(similar_names("blaze-face"), "blazeface-full, blazeface-full-sparse, blazeface-short");
  EXPECT_EQ(similar_names("palm-detector-full-wob"), "palm-detector-full, palm-detector-lite");
  EXPECT_EQ(similar_names("hand-landmark-full-webb"),
            "hand-landmark-full-web, hand-landmark-full, hand-landmark-lite-web");
  EXPECT_EQ(similar_names("quite-another-thing"), "");
  EXPECT_EQ(similar_names(""), "");
  EXPECT_EQ(similar_names(std::string(1 << 20, 'x')), "");
}

class ModelStoreTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(store_.folder()); }
  std::string refusal(const std::string& text) const {
    const auto path = store_.resolve(text);
    return path.ok() ? "no refusal: " + *path : path.status().message();
  }
  void expect_refusal(const std::string& text, std::initializer_list<std::string> words) const {
    for (const std::string& word : words) EXPECT_NE(refusal(text).find(word), std::string::npos) << refusal(text);
  }
  const ModelStore store_{(scratch_folder() / "store").string(), (scratch_folder() / "shipped").string()};
};

TEST_F(ModelStoreTest, PathsStayPaths) {
  // The reader of a path reports whether it exists.
  for (const std::string path : {"/nowhere/model.tflite", "./hair-segmenter", "folder/model.tflite"}) {
    const auto resolved = value_of(store_.resolve(path));
    EXPECT_EQ(resolved, path);
  }
  const fs::path before = fs::current_path();
  const fs::path folder = fs::path(write("here/model.tflite", "anything")).parent_path();
  write("here/hair-segmenter", "not the published model");
  fs::current_path(folder);
  const auto file = store_.resolve("model.tflite");
  // A known name does not depend on the working directory.
  const auto name = store_.resolve("hair-segmenter");
  fs::current_path(before);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(*file, "model.tflite");
  EXPECT_FALSE(name.ok());
}

TEST_F(ModelStoreTest, TheBundledModelIsFound) {
  const ModelStore store((scratch_folder() / "store").string());
  const auto path = value_of(store.resolve("figure"));
  EXPECT_TRUE(path.ends_with("/share/sightglass/models/figure.tflite")) << path;
  const auto known = recognize_model(path);
  ASSERT_TRUE(known);
  EXPECT_TRUE(is_shipped(*known));
}

TEST_F(ModelStoreTest, TheBundledModelIsNotFetched) {
  expect_refusal("figure", {"bundled model", (scratch_folder() / "shipped/figure.tflite").string(), "install"});
  const std::string changed = write("shipped/figure.tflite", "something else");
  expect_refusal("figure", {changed, sha256_of_file(changed), "install"});
  EXPECT_EQ(refusal("figure").find("fetch"), std::string::npos) << refusal("figure");
  fs::remove_all(scratch_folder() / "shipped");
}

TEST_F(ModelStoreTest, AnUnknownNameIsNeitherFileNorModel) {
  expect_refusal("hair-segmentor", {"'hair-segmentor'", "file", "hair-segmenter", "sightglass models list"});
  expect_refusal("none.tflite", {"'none.tflite'", "file", "sightglass models list"});
}

TEST_F(ModelStoreTest, AnAbsentModelNamesTheCommand) {
  const KnownModel* hair = find_known_model("hair-segmenter");
  EXPECT_EQ(store_.state_of(*hair), StoredState::kAbsent);
  expect_refusal("hair-segmenter", {"`sightglass models fetch hair-segmenter`", store_.path_of(*hair)});
}

TEST_F(ModelStoreTest, AChangedFileIsRejected) {
  const KnownModel* hair = find_known_model("hair-segmenter");
  write("store/hair_segmentation.tflite", "something else");
  EXPECT_EQ(store_.state_of(*hair), StoredState::kChanged);
  expect_refusal("hair-segmenter", {hair->sha256, sha256_of_file(store_.path_of(*hair)), store_.path_of(*hair),
                                    "`sightglass models fetch hair-segmenter`"});
  // A dangling link is not a file, but the path is not free either.
  fs::remove(store_.path_of(*hair));
  fs::create_symlink("/nowhere/model.tflite", store_.path_of(*hair));
  EXPECT_EQ(store_.state_of(*hair), StoredState::kChanged);
  expect_refusal("hair-segmenter", {"cannot be read"});
}

TEST_F(ModelStoreTest, SpecialFilesAreNotWaitedFor) {
  const KnownModel* hair = find_known_model("hair-segmenter");
  for (const auto& [path, kind] : make_special_files(scratch_folder() / "special")) {
    EXPECT_EQ(sha256_of_file(path), "") << path;
    fs::create_directories(store_.folder());
    fs::remove(store_.path_of(*hair));
    fs::create_symlink(path, store_.path_of(*hair));
    EXPECT_EQ(store_.state_of(*hair), StoredState::kChanged) << path;
    expect_refusal("hair-segmenter", {"cannot be read"});
  }
}

TEST_F(ModelStoreTest, AVerifiedFileIsFound) {
  const std::string file_name = "segmentation/mediapipe_hair_segmentation";
  if (real_model(file_name).empty()) GTEST_SKIP() << no_model(file_name);
  const KnownModel* hair = find_known_model("hair-segmenter");
  fs::create_directories(store_.folder());
  fs::copy_file(real_model(file_name), store_.path_of(*hair));
  fs::permissions(store_.path_of(*hair), fs::perms::owner_all);
  EXPECT_EQ(store_.state_of(*hair), StoredState::kVerified);
  const auto path = value_of(store_.resolve("hair-segmenter"));
  EXPECT_EQ(path, store_.path_of(*hair));
  EXPECT_EQ(fs::file_size(path), static_cast<uintmax_t>(hair->published.bytes));

  // One bit differs, and the length is the same.
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4000);
  const auto byte = static_cast<char>(file.peek() ^ 1);
  file.seekp(4000);
  file.put(byte);
  file.close();
  EXPECT_EQ(store_.state_of(*hair), StoredState::kChanged);
  EXPECT_FALSE(store_.resolve("hair-segmenter").ok());
}

}  // namespace
}  // namespace sightglass::test
