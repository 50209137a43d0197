// Compares random graphs on the GPU with the reference: fuzz_graphs [--seconds S] [--first SEED] [--count N].
// Prints the seed and the graph of every mismatch, and exits with 1 if there was one.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>

#include "common/headless_gl.h"
#include "fuzz/graph_check.h"

namespace sightglass::test {

namespace {

constexpr int kMostFindings = 20;

struct Tally {
  int equal = 0, declined = 0, unfit = 0, wrong = 0;
  std::map<std::string, int> reasons;  // of declined graphs, without tensor names

  void count(uint64_t seed, const FuzzCase& fuzz, const Verdict& verdict) {
    switch (verdict.kind) {
      case Verdict::Kind::kEqual:
        ++equal;
        break;
      case Verdict::Kind::kDeclined:
        ++declined;
        ++reasons[reason_of(verdict.text)];
        break;
      case Verdict::Kind::kUnfit:
        ++unfit;
        break;
      case Verdict::Kind::kWrong:
        ++wrong;
        std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), verdict.text.c_str(),
                    dump_text(fuzz.op.graph).c_str());
        std::fflush(stdout);
    }
  }

  // "CONCATENATION #3 (output 'value12'): concat: …" without the numbers.
  static std::string reason_of(const std::string& text) {
    const size_t line = text.rfind('\n');
    std::string reason = line == std::string::npos ? text : text.substr(line + 1);
    std::erase_if(reason, [](char c) { return c >= '0' && c <= '9'; });
    return reason;
  }
};

int run(double seconds, uint64_t first, uint64_t most) {
  const Result<std::unique_ptr<HeadlessGl>> headless = HeadlessGl::create();
  if (!headless.ok()) {
    std::fprintf(stderr, "fuzz_graphs: %s\n", headless.status().message().c_str());
    return 1;
  }
  for (const OpType op : operators_without_recipe()) std::printf("no recipe for %s\n", to_string(op));
  Tally tally;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t seed = first;
  for (; seed - first < most && std::chrono::steady_clock::now() < end && tally.wrong < kMostFindings; ++seed) {
    const FuzzCase fuzz = generate_graph(seed);
    tally.count(seed, fuzz, check_graph((*headless)->gl(), (*headless)->device().limits, fuzz));
  }
  for (const auto& [reason, count] : tally.reasons) std::printf("declined %d times: %s\n", count, reason.c_str());
  std::printf("seeds %llu to %llu: %d equal, %d declined, %d beyond comparison, %d wrong\n",
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed) - 1, tally.equal,
              tally.declined, tally.unfit, tally.wrong);
  return tally.wrong == 0 ? 0 : 1;
}

}  // namespace

}  // namespace sightglass::test

int main(int argc, char** argv) {
  CLI::App app{"Random graphs on the GPU against the reference"};
  double seconds = 60;
  uint64_t first = 1, count = UINT64_MAX;
  app.add_option("--seconds", seconds, "when to stop");
  app.add_option("--first", first, "the first seed");
  app.add_option("--count", count, "how many seeds to try at most");
  CLI11_PARSE(app, argc, argv);
  return sightglass::test::run(seconds, first, count);
}
