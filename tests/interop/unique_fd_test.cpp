#include "sightglass/interop/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace sightglass::interop {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(UniqueFd, ClosesOnce) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(is_open(raw));
  {
    UniqueFd first(raw);
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): empty
    EXPECT_EQ(second.get(), raw);
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int released = -1;
  {
    UniqueFd fd(raw);
    released = fd.release();
    EXPECT_FALSE(fd.valid());
  }
  EXPECT_EQ(released, raw);
  EXPECT_TRUE(is_open(raw));
  ::close(raw);
}

TEST(UniqueFd, MoveAssignmentClosesTheOldDescriptor) {
  const int a = ::open("/dev/null", O_RDONLY | O_CLOEXEC), b = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  UniqueFd fd(a);
  fd = UniqueFd(b);
  EXPECT_FALSE(is_open(a));
  EXPECT_EQ(fd.get(), b);
}

}  // namespace
}  // namespace sightglass::interop
