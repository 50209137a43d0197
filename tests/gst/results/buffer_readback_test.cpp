// Results read back from the GPU: no call waits, and each result belongs to its frame.
#include <gtest/gtest.h>

#include <cstring>

#include "gl/counting_gl.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "results/readback.h"

namespace sightglass::test {
namespace {

// A GPU that is behind while `gpu_is_behind` is set: fences are not reached, and waits time out.
bool gpu_is_behind = false;
GLuint64 longest_wait = 0;
const GlApi* real = nullptr;
GLenum client_wait_sync(GLsync fence, GLbitfield flags, GLuint64 patience) {
  longest_wait = std::max(longest_wait, patience);
  if (gpu_is_behind) return GL_TIMEOUT_EXPIRED;
  // Software renderers can also be behind. Here, the GPU is not.
  return real->ClientWaitSync(fence, flags, patience + 10'000'000'000U);
}

class BufferReadbackTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    gpu_is_behind = false;
    longest_wait = 0;
    real = &gl();
    table_ = counting_gl(gl());
    table_.ClientWaitSync = client_wait_sync;
    GLuint id = 0;
    gl().GenBuffers(1, &id);
    source_ = {gl(), id};
  }
  void TearDown() override {
    source_.reset();
    GlTest::TearDown();
  }
  const GlApi& table() const { return table_; }
  GLuint source() const { return source_.id(); }
  // The results of the GPU for a frame: four values from `first` on.
  void found(int32_t first) {
    const int32_t numbers[] = {first, first + 1, first + 2, first + 3};
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, source_.id());
    gl().BufferData(GL_COPY_WRITE_BUFFER, sizeof numbers, numbers, GL_DYNAMIC_COPY);
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  }
  static FrameStamp frame(uint64_t number) {
    FrameStamp stamp;
    stamp.number = number;
    return stamp;
  }
  static std::vector<int32_t> numbers(const BufferReadback::Reading& reading) {
    std::vector<int32_t> all(reading.bytes.size() / sizeof(int32_t));
    std::memcpy(all.data(), reading.bytes.data(), reading.bytes.size());
    return all;
  }

 private:
  GlApi table_;
  GlBuffer source_;
};

TEST_F(BufferReadbackTest, ReadsARangeWithItsFrame) {
  BufferReadback reader(table(), 16);
  EXPECT_FALSE(reader.poll());
  found(10);
  reader.request(source(), 4, 8, frame(7));
  found(20);  // the results of the next frame, in the same buffer
  const auto reading = reader.poll();
  ASSERT_TRUE(reading);
  EXPECT_EQ(numbers(*reading), (std::vector<int32_t>{11, 12}));
  EXPECT_EQ(reading->frame.number, 7U);
  EXPECT_FALSE(reader.poll());
}

TEST_F(BufferReadbackTest, NeverWaits) {
  BufferReadback reader(table(), 16);
  gpu_is_behind = true;
  found(10);
  reader.request(source(), 0, 16, frame(1));
  gl_calls().clear();
  EXPECT_FALSE(reader.poll());
  EXPECT_EQ(gl_calls()["MapBufferRange"], 0);
  EXPECT_EQ(gl_calls()["Finish"], 0);
  EXPECT_EQ(longest_wait, 0U);
  gpu_is_behind = false;
  EXPECT_TRUE(reader.poll());
  EXPECT_EQ(longest_wait, 0U);
}

TEST_F(BufferReadbackTest, DropsTheOldestWhenTheGpuIsFarBehind) {
  constexpr int kFrames = static_cast<int>(BufferReadback::kSlots) + 2;
  BufferReadback reader(table(), 16);
  gpu_is_behind = true;
  for (int i = 0; i < kFrames; ++i) {
    found(100 * i);
    reader.request(source(), 0, 16, frame(static_cast<uint64_t>(i)));
    EXPECT_FALSE(reader.poll());
  }
  EXPECT_EQ(reader.dropped(), 2U);
  gpu_is_behind = false;
  for (int i = 2; i < kFrames; ++i) {
    const auto reading = reader.poll();
    ASSERT_TRUE(reading) << i;
    EXPECT_EQ(reading->frame.number, static_cast<uint64_t>(i));
    EXPECT_EQ(numbers(*reading)[0], 100 * i);
  }
  EXPECT_FALSE(reader.poll());
}

TEST_F(BufferReadbackTest, WaitsAtTheEnd) {
  BufferReadback reader(table(), 16);
  found(10);
  reader.request(source(), 0, 16, frame(1));
  EXPECT_TRUE(reader.wait());
  EXPECT_EQ(longest_wait, BufferReadback::kPatience);
  EXPECT_FALSE(reader.wait());
}

TEST_F(BufferReadbackTest, DropsPendingResults) {
  BufferReadback reader(table(), 16);
  found(10);
  reader.request(source(), 0, 16, frame(1));
  gl_calls().clear();
  reader.forget();
  EXPECT_TRUE(gl_calls().empty()) << "clearing works on threads without a context";
  EXPECT_FALSE(reader.poll());
  EXPECT_EQ(gl_calls()["DeleteSync"], 1);
  EXPECT_EQ(reader.dropped(), 0U);
  reader.request(source(), 0, 16, frame(2));
  const auto reading = reader.poll();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->frame.number, 2U);
}

TEST_F(BufferReadbackTest, LeavesGlStateAsFound) {
  found(10);
  const GlState before = snapshot_gl_state(gl());
  BufferReadback reader(table(), 16);
  reader.request(source(), 0, 16, frame(1));
  ASSERT_TRUE(reader.poll());
  EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "");
}

// Results are truncated to the size of the buffer.
TEST_F(BufferReadbackTest, TruncatesOversizedResults) {
  BufferReadback reader(table(), 8);
  found(10);
  reader.request(source(), 0, 16, frame(1));
  const auto reading = reader.poll();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->bytes.size(), 8U);
}

// The sequence in an element: frame after frame, on a GPU that is one frame behind.
TEST_F(BufferReadbackTest, ResultsArriveAFrameLater) {
  ResultsReadback readback(
      nullptr, ShareGroup::create(table()), [](std::span<const std::byte> bytes, const FrameStamp& stamp) {
        EXPECT_EQ(stamp.number, static_cast<uint64_t>(bytes.empty() ? 0 : std::to_integer<int>(bytes[0]) / 10));
        InferenceResults results;
        int32_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        results.model = std::to_string(number);
        return results;
      });
  for (int i = 0; i < 3; ++i) {
    const std::vector<SharedResults> arrived = readback.collect();
    ASSERT_EQ(arrived.size(), i == 0 ? 0U : 1U);
    if (i > 0) {
      EXPECT_EQ(arrived[0]->model, std::to_string(10 * (i - 1)));
      EXPECT_EQ(arrived[0]->frame.number, static_cast<uint64_t>(i - 1));
    }
    found(10 * i);
    EXPECT_TRUE(readback.request(frame(static_cast<uint64_t>(i)), {source(), 0, 16}, ResultsMode::kMeta));
  }
  const std::vector<SharedResults> last = readback.finish();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0]->frame.number, 2U);
}

}  // namespace
}  // namespace sightglass::test
