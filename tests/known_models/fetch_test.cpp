// Downloads from working and failing servers.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "fetch_model.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "http_server.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBytes = 300'000;

std::string random_text(unsigned seed, size_t count = kBytes) {
  std::minstd_rand numbers(seed);
  std::string text(count, '\0');
  std::ranges::generate(text, [&] { return static_cast<char>(numbers() >> 8); });
  return text;
}

class FetchModel : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("no_proxy", "*", 1);
    write(part(), content_);
    sha256_ = sha256_of_file(part());
    fs::remove(part());
    model_.sha256 = sha256_.c_str();
  }
  void TearDown() override { fs::remove_all(scratch_folder() / "data"); }

  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string file() const { return store_.path_of(model_); }
  std::string part() const { return file() + ".part"; }
  Answer whole() const { return {.body = content_}; }

  Result<FetchedModel> fetch(const HttpServer& server, int stall_seconds = 30) const {
    return fetch_model(store_, model_, {.mirror = server.address(), .stall_seconds = stall_seconds, .progress = {}});
  }
  // Only the complete file exists.
  void expect_stored(const Result<FetchedModel>& fetched) const {
    ASSERT_TRUE(fetched.ok()) << fetched.status().message();
    EXPECT_EQ(fetched->path, file());
    EXPECT_TRUE(fetched->downloaded);
    EXPECT_TRUE(read(file()) == content_);
    EXPECT_FALSE(fs::exists(part()));
  }
  // No complete file exists, only a part of that many bytes, or none.
  void expect_refused(const Result<FetchedModel>& fetched, std::initializer_list<std::string> words,
                      int64_t part_bytes = 0) const {
    ASSERT_FALSE(fetched.ok());
    for (const std::string& word : words) {
      EXPECT_NE(fetched.status().message().find(word), std::string::npos)
          << "no '" << word << "' in: " << fetched.status().message();
    }
    EXPECT_FALSE(fs::exists(file()));
    EXPECT_EQ(fs::exists(part()), part_bytes > 0);
    if (part_bytes > 0 && fs::exists(part())) {
      EXPECT_EQ(fs::file_size(part()), static_cast<uintmax_t>(part_bytes));
    }
  }

  const std::string content_ = random_text(1);
  std::string sha256_;
  KnownModel model_{"", "A test's model", Task::kSegmentation, {"test-model", "test_model.tflite", "1"}};
  const ModelStore store_{(scratch_folder() / "data/sightglass/models").string()};
};

TEST_F(FetchModel, StoresAVerifiedDownload) {
  const HttpServer server({whole()});
  expect_stored(fetch(server));
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/test_model.tflite");
  EXPECT_EQ(store_.state_of(model_), StoredState::kVerified);

  const auto again = value_of(fetch(server));
  EXPECT_FALSE(again.downloaded);
  EXPECT_EQ(server.requests().size(), 1u) << "the file existed already";
}

TEST_F(FetchModel, AMirrorMayEndInASlash) {
  const HttpServer server({whole()});
  expect_stored(fetch_model(store_, model_, {.mirror = server.address() + "/below/", .progress = {}}));
  EXPECT_EQ(server.requests()[0].path, "/below/test_model.tflite");
}

TEST_F(FetchModel, ReplacesAChangedFile) {
  write(file(), content_ + "!");
  EXPECT_EQ(store_.state_of(model_), StoredState::kChanged);
  expect_stored(fetch(HttpServer({whole()})));
}

TEST_F(FetchModel, ResumesAPartialDownload) {
  write(part(), content_.substr(0, 100'000));
  const HttpServer server({whole()});
  expect_stored(fetch(server));
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].from, 100'000);
}

TEST_F(FetchModel, ResumesAfterALostConnection) {
  Answer cut = whole();
  cut.cut_after = 100'000;
  const HttpServer server({cut, whole()});
  expect_stored(fetch(server));
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].from, 100'000);
}

TEST_F(FetchModel, GivesUpIfConnectionsKeepFailing) {
  Answer cut = whole();
  cut.cut_after = 50'000;
  const HttpServer server({cut});
  expect_refused(fetch(server), {"200000 bytes are kept", server.address()}, 200'000);
  EXPECT_EQ(server.requests().size(), 4u);

  const HttpServer better({whole()});
  expect_stored(fetch(better));
  EXPECT_EQ(better.requests()[0].from, 200'000);
}

TEST_F(FetchModel, ServersWithoutRangeSupport) {
  write(part(), content_.substr(0, 1000));
  Answer no_ranges = whole();
  no_ranges.ranges = false;
  expect_stored(fetch(HttpServer({no_ranges})));
}

TEST_F(FetchModel, ACompletePart) {
  write(part(), content_);
  expect_stored(fetch(HttpServer({whole()})));
}

TEST_F(FetchModel, APartOfAnotherFile) {
  for (const size_t bytes : {size_t{1000}, content_.size(), content_.size() + 1}) {
    write(part(), random_text(2, bytes));
    expect_stored(fetch(HttpServer({whole()})));
    fs::remove(file());
  }
}

TEST_F(FetchModel, AWrongFileIsDeleted) {
  const std::string wrong = random_text(3);
  write(file(), wrong);
  const std::string found = sha256_of_file(file());
  fs::remove(file());
  expect_refused(fetch(HttpServer({{.body = wrong}})), {"test-model", found, sha256_, "300000 bytes"});
}

TEST_F(FetchModel, AFileThatIsTooLongIsDeleted) {
  model_.published.bytes = kBytes;
  expect_refused(fetch(HttpServer({{.body = content_ + "!"}})), {"longer than 300000 bytes", sha256_});
}

TEST_F(FetchModel, AnUnannouncedEarlyEnd) {
  Answer cut = whole();
  cut.says_length = false;
  cut.cut_after = 1000;
  expect_refused(fetch(HttpServer({cut})), {"1000 bytes", sha256_});
  // If the size is known, progress shows it.
  model_.published.bytes = kBytes;
  const HttpServer server({cut, whole()});
  expect_stored(fetch(server));
  EXPECT_EQ(server.requests().back().from, 1000);
}

TEST_F(FetchModel, AnEmptyAnswer) { expect_refused(fetch(HttpServer({Answer{}})), {"0 bytes", sha256_}); }

TEST_F(FetchModel, AStalledServer) {
  Answer stalled = whole();
  stalled.stall_after = 500;
  const auto begin = std::chrono::steady_clock::now();
  expect_refused(fetch(HttpServer({stalled}), 1), {"--stall-timeout", "500 bytes are kept"}, 500);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  const HttpServer better({whole()});
  expect_stored(fetch(better));
  EXPECT_EQ(better.requests()[0].from, 500);
}

TEST_F(FetchModel, ADownloadThatTakesTooLongIsAborted) {
  Answer drips = whole();  // too fast for a stall, but never complete in time
  drips.piece = 4096;
  drips.pause_ms = 200;
  const HttpServer server({drips});
  const auto fetched = fetch_model(
      store_, model_, {.mirror = server.address(), .stall_seconds = 30, .total_seconds = 2, .progress = {}});
  ASSERT_FALSE(fetched.ok());
  expect_words(fetched.status().message(), {"longer than 2 seconds", "--timeout", "bytes are kept"});
  EXPECT_EQ(server.requests().size(), 1u) << "no further attempt";
}

TEST_F(FetchModel, MirrorCredentialsAreSentButNeverShown) {
  const HttpServer refusing({{.body = "who are you?", .status = 401}});
  const auto with_secret = [](const HttpServer& server) {
    return "http://someone:s%65cret@" + server.address().substr(std::string("http://").size());
  };
  const HttpServer away({{.status = 302, .location = "file:///etc/hostname"}});
  const HttpServer wrong({{.body = "somebody else's file"}});
  std::string gone;
  {
    const HttpServer server({whole()});
    gone = with_secret(server);
  }
  for (const std::string& mirror :
       {with_secret(refusing), with_secret(away), with_secret(wrong), gone, std::string("ftp://someone:secret@host"),
        std::string("http://someone:s%65cret@host:port"), std::string("http://someone:secret@host/?token=secret"),
        std::string("someone:secret@host"), std::string("http//someone:secret@host")}) {
    const auto fetched = fetch_model(store_, model_, {.mirror = mirror, .progress = {}});
    ASSERT_FALSE(fetched.ok()) << mirror;
    const std::string& message = fetched.status().message();
    std::printf("%s\n", message.c_str());
    for (const std::string word : {"someone", "secret", "s%65cret"}) {
      EXPECT_EQ(message.find(word), std::string::npos) << mirror << ": " << message;
    }
  }
  ASSERT_EQ(refusing.requests().size(), 1u);
  EXPECT_EQ(refusing.requests()[0].authorization, "Basic c29tZW9uZTpzZWNyZXQ=") << "someone:secret";

  const HttpServer server({whole()});
  expect_stored(fetch_model(store_, model_, {.mirror = with_secret(server), .progress = {}}));
}

TEST_F(FetchModel, ProgressIsShownForASlowServer) {
  Answer slow = whole();
  slow.piece = 10'000;
  slow.pause_ms = 50;
  const HttpServer server({slow});
  std::vector<int64_t> steps;
  const auto note = [&](const std::string& what, int64_t done, int64_t total) {
    EXPECT_EQ(what, "test-model");
    EXPECT_TRUE(total == 0 || total == kBytes) << total;
    if (steps.empty() || steps.back() != done) steps.push_back(done);
  };
  expect_stored(fetch_model(store_, model_, {.mirror = server.address(), .stall_seconds = 1, .progress = note}));
  EXPECT_GE(steps.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(steps));
  EXPECT_EQ(steps.back(), kBytes);
}

TEST_F(FetchModel, FollowsRedirectsOnlyToWebServers) {
  const HttpServer server({whole()});
  expect_stored(fetch(HttpServer({{.status = 302, .location = server.address() + "/elsewhere"}})));
  EXPECT_EQ(server.requests()[0].path, "/elsewhere");
  fs::remove(file());
  const auto to_file = fetch(HttpServer({{.status = 302, .location = "file:///etc/hostname"}}));
  expect_refused(to_file, {"file", "only redirects to http and https are followed"});
  EXPECT_EQ(to_file.status().message().find("from an https URL"), std::string::npos) << to_file.status().message();
  expect_refused(fetch(HttpServer({{.status = 302, .location = "/again"}})), {"redirects"});
}

TEST_F(FetchModel, AnErrorOfTheServer) {
  const HttpServer server({{.body = "there is no such file", .status = 404}});
  expect_refused(fetch(server), {"404", server.address() + "/test_model.tflite"});
}

TEST_F(FetchModel, NoServer) {
  std::string address;
  {
    const HttpServer gone({whole()});
    address = gone.address();
  }
  expect_refused(fetch_model(store_, model_, {.mirror = address, .progress = {}}),
                 {address, "SIGHTGLASS_MODEL_MIRROR"});
  expect_refused(fetch_model(store_, model_, {.mirror = "ftp://127.0.0.1", .progress = {}}),
                 {"ftp://127.0.0.1", "SIGHTGLASS_MODEL_MIRROR"});
}

TEST_F(FetchModel, OneOfManyProcessesDownloads) {
  Answer slow = whole();
  slow.piece = 30'000;
  slow.pause_ms = 20;
  const HttpServer server({slow});
  constexpr size_t kCallers = 6;
  std::vector<Result<FetchedModel>> results(kCallers, internal_error("did not run"));
  std::vector<std::thread> callers;
  callers.reserve(results.size());
  for (size_t i = 0; i < kCallers; ++i) callers.emplace_back([&, i] { results[i] = fetch(server); });
  for (std::thread& caller : callers) caller.join();
  size_t downloaded = 0;
  for (const auto& result : results) {
    ASSERT_TRUE(result.ok()) << result.status().message();
    if (result->downloaded) ++downloaded;
  }
  EXPECT_EQ(downloaded, 1u);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_TRUE(read(file()) == content_);
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(FetchModel, TheNextProcessTriesIfTheFirstFails) {
  Answer wrong{.body = random_text(3), .piece = 30'000, .pause_ms = 20};
  const HttpServer server({wrong, whole()});
  std::vector<Result<FetchedModel>> results(2, internal_error("did not run"));
  std::vector<std::thread> callers;
  callers.reserve(results.size());
  for (auto& result : results) callers.emplace_back([&] { result = fetch(server); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_NE(results[0].ok(), results[1].ok());
  EXPECT_TRUE(read(file()) == content_);
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(FetchModel, UnwritablePathsAreErrors) {
  const HttpServer server({whole()});
  const std::string blocked = (scratch_folder() / "data/blocked").string();
  write(blocked, "a file, where a folder should be");
  expect_failure(fetch_model(ModelStore(blocked + "/models"), model_, {.mirror = server.address(), .progress = {}}),
                 {blocked, "XDG_DATA_HOME"});

  fs::create_directories(part());
  expect_failure(fetch(server), {"cannot write " + part()});
  fs::remove(part());

  ASSERT_EQ(mkfifo(part().c_str(), 0600), 0);
  expect_failure(fetch(server), {"not a regular file"});
  fs::remove(part());

  fs::create_directories(file() + "/something");
  expect_failure(fetch(server), {"cannot rename"});
}

}  // namespace
}  // namespace sightglass::test
