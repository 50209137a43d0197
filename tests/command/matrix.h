// Rows of a test over several factors, made so that every two levels of different factors meet in few rows.
#pragma once

#include <cstddef>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace sightglass::test {

// `levels` has the number of levels of each factor. Returns rows of levels, at most `most`; the first ones cover the
// most pairs. The same seed gives the same rows.
inline std::vector<std::vector<size_t>> pairwise_rows(const std::vector<size_t>& levels, size_t most, unsigned seed) {
  using Pair = std::tuple<size_t, size_t, size_t, size_t>;  // factor, level, factor, level
  std::mt19937 random(seed);
  std::set<Pair> open;
  for (size_t a = 0; a < levels.size(); ++a) {
    for (size_t b = a + 1; b < levels.size(); ++b) {
      for (size_t i = 0; i < levels[a]; ++i) {
        for (size_t j = 0; j < levels[b]; ++j) open.emplace(a, i, b, j);
      }
    }
  }
  const auto pairs_of = [&](const std::vector<size_t>& row) {
    std::vector<Pair> pairs;
    for (size_t a = 0; a < row.size(); ++a) {
      for (size_t b = a + 1; b < row.size(); ++b) pairs.emplace_back(a, row[a], b, row[b]);
    }
    return pairs;
  };
  std::vector<std::vector<size_t>> rows;
  while (!open.empty() && rows.size() < most) {
    constexpr int kTries = 40;
    std::vector<size_t> best;
    size_t best_count = 0;
    for (int i = 0; i < kTries; ++i) {
      std::vector<size_t> row;
      for (const size_t count : levels) row.push_back(random() % count);
      // Every row covers at least one open pair.
      const auto& [a, level_a, b, level_b] = *open.begin();
      row[a] = level_a;
      row[b] = level_b;
      size_t count = 0;
      for (const Pair& pair : pairs_of(row)) count += open.count(pair);
      if (count > best_count) std::tie(best, best_count) = std::pair(row, count);
    }
    for (const Pair& pair : pairs_of(best)) open.erase(pair);
    rows.push_back(std::move(best));
  }
  return rows;
}

}  // namespace sightglass::test
