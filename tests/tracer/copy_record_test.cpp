// The record of the tracer and its table, without GStreamer.
#include "tracer/copy_record.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tracer/scope.h"

namespace sightglass::zerocopy {
namespace {

TEST(CopyRecord, TableHasARowForEachElementKindAndThread) {
  CopyRecord record;
  Worker* sink = record.worker("sink", true);
  Worker* source = record.worker("bin/source", true);
  source->push(4);
  sink->receive(4);
  EXPECT_TRUE(record.count(sink, Copy::kDownload, "gl", 1000));
  EXPECT_TRUE(record.count(sink, Copy::kDownload, "gl", 1000));
  EXPECT_TRUE(record.count(sink, Copy::kGlMap, "queue:src", 10));
  EXPECT_EQ(record.table(true),
            "zerocopy: copies between CPU and GPU, and CPU maps of GL and DMABUF memory\n"
            "element  what                  thread     frames  calls  calls/frame  bytes  bytes/frame\n"
            "sink     CPU map of GL memory  queue:src       4      1         0.25     10            2\n"
            "sink     download              gl              4      2         0.50   2000          500\n"
            "nothing copied by: bin/source (4 frames)\n"
            "zerocopy: 1 x CPU map of GL memory (10 bytes), 2 x download (2000 bytes)\n");
}

TEST(CopyRecord, ElementsAreInTheOrderOfTheirFirstBuffers) {
  CopyRecord record;
  Worker* sink = record.worker("sink", true);
  Worker* source = record.worker("source", true);
  source->push(1);
  sink->receive(1);
  EXPECT_NE(record.table(true).find("nothing copied by: source (1 frames), sink (1 frames)"), std::string::npos);
}

TEST(CopyRecord, NothingCopied) {
  CopyRecord record;
  EXPECT_TRUE(record.is_empty());
  record.worker("source", true);
  EXPECT_FALSE(record.is_empty());
  EXPECT_FALSE(record.has_copies());
  EXPECT_NE(record.table(true).find("\nzerocopy: nothing was copied\n"), std::string::npos);
  EXPECT_NE(record.table(false).find("\nzerocopy: nothing was copied; GL calls were not watched\n"), std::string::npos);
}

TEST(CopyRecord, WaitingIsShownButNotCountedAsACopy) {
  CopyRecord record;
  record.count(record.worker("sink", true), Copy::kFinish, "gl", 0);
  EXPECT_FALSE(record.has_copies());
  EXPECT_NE(record.table(true).find("1 x glFinish\n"), std::string::npos);
  record.count(record.worker("sink", true), Copy::kBufferMap, "gl", 0);
  EXPECT_TRUE(record.has_copies());
}

TEST(CopyRecord, ThreadsOfOneNameAreOneRow) {
  CopyRecord record;
  EXPECT_EQ(record.worker("a", true), record.worker("a", true));
  EXPECT_NE(record.worker("a", true), record.worker("a", false));
}

TEST(CopyRecord, FirstFramesCanBeSkipped) {
  CopyRecord record;
  record.skip(2);
  Worker* filter = record.worker("filter", true);
  Worker* source = record.worker("source", true);
  const auto counts = [&](Worker* worker) { return record.count(worker, Copy::kUpload, "t", 1); };
  EXPECT_FALSE(counts(filter));  // before the first frame
  EXPECT_FALSE(counts(source));
  filter->receive(2);
  EXPECT_FALSE(counts(filter));  // in the second
  source->push(1);
  EXPECT_FALSE(counts(source));  // makes the second
  filter->receive(1);
  source->push(1);
  EXPECT_TRUE(counts(filter));
  EXPECT_TRUE(counts(source));
  EXPECT_TRUE(counts(record.worker("(no element)", false)));
}

TEST(CopyRecord, ManyThreadsCountEverything) {
  CopyRecord record;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&record] {
      for (int j = 0; j < 1000; ++j) {
        Worker* worker = record.worker("element", true);
        worker->receive(1);
        record.count(worker, Copy::kUpload, "t", 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(record.worker("element", true)->frames(), 4000u);
  EXPECT_NE(record.table(true).find("4000 x upload (8000 bytes)"), std::string::npos);
}

TEST(Scope, IsTheInnermostElementOfTheThread) {
  CopyRecord record;
  Worker *a = record.worker("a", true), *b = record.worker("b", true);
  EXPECT_EQ(present_errand().worker, nullptr);
  EXPECT_TRUE(at_top());
  settle(a);
  EXPECT_EQ(present_errand().worker, a);
  enter(b);
  EXPECT_FALSE(at_top());
  EXPECT_EQ(present_errand().worker, b);
  std::thread([] { EXPECT_EQ(present_errand().worker, nullptr); }).join();
  leave();
  EXPECT_EQ(present_errand().worker, a);
  leave();  // one too many
  EXPECT_EQ(present_errand().worker, a);
  settle(nullptr);
}

TEST(Scope, ElementsFollowWorkToOtherThreads) {
  CopyRecord record;
  Worker* a = record.worker("a", true);
  const Errand errand{a, true};
  std::thread([&] {
    {
      const ErrandScope scope(errand);
      EXPECT_EQ(present_errand().worker, a);
      EXPECT_TRUE(present_errand().mapping);
    }
    EXPECT_EQ(present_errand().worker, nullptr);
    EXPECT_FALSE(present_errand().mapping);
  }).join();
}

TEST(Scope, DepthIsNotBounded) {
  CopyRecord record;
  Worker *a = record.worker("a", true), *b = record.worker("b", true);
  enter(a);
  for (int i = 0; i < 1000; ++i) enter(b);
  EXPECT_EQ(present_errand().worker, b);
  for (int i = 0; i < 1000; ++i) leave();
  EXPECT_EQ(present_errand().worker, a);
  leave();
  EXPECT_EQ(present_errand().worker, nullptr);
}

}  // namespace
}  // namespace sightglass::zerocopy
