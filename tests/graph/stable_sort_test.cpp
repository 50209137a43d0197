#include "graph/stable_sort.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sightglass {
namespace {

struct Named {
  int key;
  std::string name;
  bool operator==(const Named&) const = default;
};

TEST(StableSort, KeepsTheOrderOfEqualElements) {
  std::vector<Named> values{{2, "a"}, {1, "b"}, {2, "c"}, {1, "d"}, {0, "e"}};
  stable_sort_by(values, &Named::key);
  EXPECT_EQ(values, (std::vector<Named>{{0, "e"}, {1, "b"}, {1, "d"}, {2, "a"}, {2, "c"}}));
  stable_sort_by(values, &Named::key, std::greater());
  EXPECT_EQ(values, (std::vector<Named>{{2, "a"}, {2, "c"}, {1, "b"}, {1, "d"}, {0, "e"}}));
}

TEST(StableSort, MovesElementsAndTakesFunctionsAsKeys) {
  std::vector<std::unique_ptr<int>> values;
  for (const int i : {3, 1, 2}) values.push_back(std::make_unique<int>(i));
  stable_sort_by(values, [](const std::unique_ptr<int>& value) { return *value; });
  EXPECT_EQ(*values[0], 1);
  EXPECT_EQ(*values[1], 2);
  EXPECT_EQ(*values[2], 3);
}

TEST(StableSort, OfNothingIsNothing) {
  EXPECT_TRUE(stable_order(0, [](size_t, size_t) { return false; }).empty());
}

}  // namespace
}  // namespace sightglass
