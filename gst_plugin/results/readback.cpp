#include "results/readback.h"

#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "detect/detections.h"
#include "gl/objects.h"
#include "gobject/log.h"

#define GST_CAT_DEFAULT sightglass::results_log()

namespace sightglass {

BufferReadback::BufferReadback(const GlApi& gl, GLsizeiptr most_bytes) : gl_(&gl), most_bytes_(most_bytes) {
  for (Slot& slot : slots_) slot.buffer = make_buffer(gl, most_bytes, nullptr, GL_STREAM_READ);
}

BufferReadback::~BufferReadback() {
  forget();
  drop_forgotten();
}

void BufferReadback::request(GLuint buffer, GLintptr offset, GLsizeiptr size, const FrameStamp& frame) {
  const GlApi& gl = *gl_;
  drop_forgotten();
  if (count_ == kSlots) {
    drop_oldest();
    ++dropped_;
  }
  Slot& slot = slots_[(oldest_ + count_) % kSlots];
  slot.size = std::min(size, most_bytes_);
  slot.frame = frame;
  gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  copy_buffer(gl, {buffer, offset, slot.size}, slot.buffer.id());
  slot.fence = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  ++count_;
}

std::optional<BufferReadback::Reading> BufferReadback::poll() { return take(0); }

std::optional<BufferReadback::Reading> BufferReadback::wait() { return take(kPatience); }

std::optional<BufferReadback::Reading> BufferReadback::take(GLuint64 patience_ns) {
  const GlApi& gl = *gl_;
  drop_forgotten();
  if (count_ == 0) return std::nullopt;
  const Slot& slot = slots_[oldest_];
  // The flush ensures that the fence is eventually signaled.
  const GLenum state = gl.ClientWaitSync(slot.fence, GL_SYNC_FLUSH_COMMANDS_BIT, patience_ns);
  if (state == GL_TIMEOUT_EXPIRED) return std::nullopt;
  std::optional<Reading> reading;
  if (state != GL_WAIT_FAILED) {
    const BufferBinding bound(gl, GL_COPY_READ_BUFFER, slot.buffer.id());
    if (const void* data = gl.MapBufferRange(GL_COPY_READ_BUFFER, 0, slot.size, GL_MAP_READ_BIT)) {
      reading = Reading{slot.frame, std::vector<std::byte>(static_cast<size_t>(slot.size))};
      std::memcpy(reading->bytes.data(), data, reading->bytes.size());
      gl.UnmapBuffer(GL_COPY_READ_BUFFER);
    }
  }
  drop_oldest();
  if (!reading) ++dropped_;
  return reading;
}

void BufferReadback::drop_oldest() {
  Slot& slot = slots_[oldest_];
  gl_->DeleteSync(slot.fence);
  slot.fence = nullptr;
  oldest_ = (oldest_ + 1) % kSlots;
  --count_;
}

void BufferReadback::drop_forgotten() {
  while (forgotten_ && count_ > 0) drop_oldest();
  forgotten_ = false;
}

FrameStamp ResultsReadback::stamp(const GstBuffer* input, uint64_t number, int32_t width, int32_t height) const {
  return frame_stamp(input, GST_BASE_TRANSFORM(element_)->segment, number, width, height);
}

bool ResultsReadback::request(const FrameStamp& frame, const BufferRange& found, ResultsMode mode) {
  if (mode == ResultsMode::kNone) {
    readback_.reset();  // pending results would be too old for the next request
    return false;
  }
  GST_LOG_OBJECT(element_, "reading back %" G_GSSIZE_FORMAT " bytes of frame %" G_GUINT64_FORMAT,
                 static_cast<gssize>(found.size), frame.number);
  if (!readback_) readback_ = std::make_unique<BufferReadback>(group_->gl(), found.size);
  readback_->request(found.buffer, found.offset, found.size, frame);
  return true;
}

std::vector<SharedResults> ResultsReadback::collect() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  while (const auto reading = readback_->poll()) arrived.push_back(results_of(*reading));
  return arrived;
}

std::vector<SharedResults> ResultsReadback::wait() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  if (const auto reading = readback_->wait()) arrived.push_back(results_of(*reading));
  for (SharedResults& results : collect()) arrived.push_back(std::move(results));
  return arrived;
}

std::vector<SharedResults> ResultsReadback::finish() {
  std::vector<SharedResults> arrived;
  if (!readback_) return arrived;
  while (const auto reading = readback_->wait()) arrived.push_back(results_of(*reading));
  if (readback_->pending() > 0) {
    GST_WARNING_OBJECT(element_, "dropping the results of %" G_GSIZE_FORMAT " frames: the GPU took more than %d s",
                       readback_->pending(), static_cast<int>(BufferReadback::kPatience / GST_SECOND));
    readback_->forget();
  }
  return arrived;
}

SharedResults ResultsReadback::results_of(const BufferReadback::Reading& reading) const {
  InferenceResults results = decode_(reading.bytes, reading.frame);
  results.frame = reading.frame;
  GST_LOG_OBJECT(element_, "frame %" G_GUINT64_FORMAT ": %" G_GSIZE_FORMAT " objects, %" G_GSIZE_FORMAT " classes",
                 results.frame.number, results.objects.size(), results.classifications.size());
  return std::make_shared<const InferenceResults>(std::move(results));
}

namespace {

// The structure in the buffer; missing bytes are zero.
template <typename Content>
Content content_of(std::span<const std::byte> bytes) {
  Content content;
  std::ranges::copy(bytes.first(std::min(bytes.size(), sizeof content)),
                    std::as_writable_bytes(std::span(&content, 1)).begin());
  return content;
}

size_t valid_count(int32_t count, size_t most) { return std::min(static_cast<size_t>(std::max(count, 0)), most); }

}  // namespace

std::vector<ResultObject> persons_of(std::span<const std::byte> bytes, const Skeleton& skeleton) {
  const auto persons = content_of<Persons>(bytes);
  std::vector<ResultObject> objects;
  for (size_t i = 0; i < valid_count(persons.count, persons.persons.size()); ++i) {
    const Person& person = persons.persons[i];
    const size_t points = valid_count(person.points_count, person.points.size());
    if (points == 0) continue;
    const auto begin = person.points.begin();
    objects.push_back({"person",
                       0,
                       person.score,
                       person.box,
                       person.rotation,
                       person.id,
                       {begin, begin + static_cast<ptrdiff_t>(points)},
                       &skeleton});
  }
  return objects;
}

namespace {

// Replaces the box that encloses the corners by one with a rotation.
void rotate_box(ResultObject& object, const Detection& detection, const FrameStamp& frame) {
  const auto& corners = detection.points;
  const auto width = static_cast<float>(std::max(frame.width, 1)),
             height = static_cast<float>(std::max(frame.height, 1));
  const auto side = [&](size_t to) {
    return std::array{(corners[to][0] - corners[0][0]) * width, (corners[to][1] - corners[0][1]) * height};
  };
  const auto [across_x, across_y] = side(1);
  const auto [down_x, down_y] = side(3);
  const float half_width = std::hypot(across_x, across_y) / 2 / width;
  const float half_height = std::hypot(down_x, down_y) / 2 / height;
  const float x = (corners[0][0] + corners[2][0]) / 2, y = (corners[0][1] + corners[2][1]) / 2;
  object.bounds = object.box;
  object.box = {x - half_width, y - half_height, x + half_width, y + half_height};
  object.rotation = std::atan2(across_y, across_x);
}

}  // namespace

std::vector<ResultObject> detections_of(std::span<const std::byte> bytes, std::span<const std::string> labels,
                                        const FrameStamp& frame) {
  const auto detections = content_of<Detections>(bytes);
  std::vector<ResultObject> objects;
  for (size_t i = 0; i < valid_count(detections.count, detections.detections.size()); ++i) {
    const Detection& detection = detections.detections[i];
    ResultObject object;
    object.class_id = detection.class_id;
    const auto number = static_cast<size_t>(detection.class_id);
    if (detection.class_id >= 0 && number < labels.size()) object.label = labels[number];
    object.score = detection.score;
    object.box = detection.box;
    object.id = detection.id;
    if (detection.corners_count > 0) rotate_box(object, detection, frame);
    for (size_t k = 0; k < valid_count(detection.points_count, detection.points.size()); ++k) {
      KeyPoint point;
      point.x = detection.points[k][0];
      point.y = detection.points[k][1];
      point.visibility = point.presence = detection.score;
      object.points.push_back(point);
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace sightglass
