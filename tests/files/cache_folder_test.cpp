#include "sightglass/cache_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/scratch_folder.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

class CacheFolder : public testing::Test {
 protected:
  ~CacheFolder() override { fs::remove_all(root_); }
  void expect_refused(const std::string& folder, const std::string& reason) const {
    for (const Status& status : {check_private_folder(folder), make_private_folder(folder)}) {
      EXPECT_NE(status.message().find(folder), std::string::npos) << status.message();
      EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
    }
  }
  const fs::path root_ = scratch_folder() / "caches";
  const std::string folder_ = root_ / "a" / "b";
};

TEST_F(CacheFolder, AMissingFolderIsCreatedOnlyForItsOwner) {
  EXPECT_TRUE(check_cache_folder(folder_).ok());
  const mode_t before = umask(0);
  const Status made = make_private_folder(folder_);
  umask(before);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(root_ / "a").permissions(), fs::perms::owner_all);
  EXPECT_TRUE(make_private_folder(folder_).ok()) << "once more";
}

TEST_F(CacheFolder, FoldersThatOthersMayWriteToAreRejected) {
  ASSERT_TRUE(make_private_folder(folder_).ok());
  for (const mode_t mode : {0777, 01777, 0775, 0722}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    expect_refused(folder_, "chmod go-w");
  }
  for (const mode_t mode : {0700, 0755, 0750}) {
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
    EXPECT_TRUE(check_private_folder(folder_).ok()) << mode;
  }
}

TEST_F(CacheFolder, FoldersOfOtherUsersAreRejected) {
  ASSERT_TRUE(make_private_folder(folder_).ok());
  if (chown(folder_.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can change the owner of a directory";
  expect_refused(folder_, "belongs to user 12345");
}

TEST_F(CacheFolder, TheProgramFolderIsCheckedToo) {
  ASSERT_TRUE(make_private_folder(program_folder(folder_)).ok());
  EXPECT_TRUE(check_cache_folder(folder_).ok());
  ASSERT_EQ(chmod(program_folder(folder_).c_str(), 0777), 0);
  EXPECT_NE(check_cache_folder(folder_).message().find(program_folder(folder_)), std::string::npos);
}

TEST_F(CacheFolder, ImpossiblePathsAreRejected) {
  for (const std::string& folder : {std::string("/proc/sightglass"), std::string("/dev/null/x"), std::string(),
                                    std::string("/dev/null"), std::string(5000, 'a')}) {
    EXPECT_FALSE(make_private_folder(folder).ok()) << folder;
  }
}

}  // namespace
}  // namespace sightglass::test
