#include <algorithm>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "infer/decoder.h"
#include "infer/landmarks.h"
#include "infer/shaders.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

constexpr float kUp = -std::numbers::pi_v<float> / 2;

constexpr int32_t bits_of(std::initializer_list<int32_t> landmarks) {
  int32_t bits = 0;
  for (const int32_t landmark : landmarks) bits |= 1 << landmark;
  return bits;
}

}  // namespace

RegionRule first_region_rule(InferModel::Subject subject) {
  switch (subject) {
    case InferModel::Subject::kHand:
      // The wrist is below the first joint of the middle finger. The fingers are outside the palm box, above it.
      return {.from = 0, .to = 2, .direction = kUp, .scale = 2.6F, .shift = -0.5F};
    case InferModel::Subject::kEye:
      // The left eye; the right one is to its left. The width of an eye is about half their distance.
      return {.from = 1, .to = 0, .direction = std::numbers::pi_v<float>, .around_point = true, .scale = 1.1F};
    default:
      return {.from = 0, .to = 1, .direction = 0, .scale = 1.5F};  // the eyes are level
  }
}

NextRegionRule next_region_rule(InferModel::Subject subject) {
  switch (subject) {
    case InferModel::Subject::kHand:
      // Without the fingertips, so that the square does not shrink when the hand closes.
      return {{.from = 0, .to = 9, .direction = kUp, .scale = 2, .shift = -0.1F},
              bits_of({0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18})};
    case InferModel::Subject::kEye:
      return {{.from = 0, .to = 8, .direction = 0, .scale = 2.3F}, bits_of({0, 8})};
    case InferModel::Subject::kFace:
      return {{.from = 33, .to = 263, .direction = 0, .scale = 1.5F}};
    default:
      return {{.from = 0, .to = 0, .direction = 0, .scale = 1.5F}};
  }
}

// How they are drawn.

namespace {

struct Chain {
  LandmarkPart part;
  std::vector<int32_t> landmarks;  // each connected to the next one
};

std::vector<ContourLine> lines_of(const std::vector<Chain>& chains) {
  std::vector<ContourLine> lines;
  for (const Chain& chain : chains) {
    for (size_t i = 1; i < chain.landmarks.size(); ++i) {
      lines.push_back({chain.landmarks[i - 1], chain.landmarks[i], chain.part});
    }
  }
  return lines;
}

// Landmark indices are those of MediaPipe's canonical face model.
const std::vector<Chain>& face_chains() {
  using enum LandmarkPart;
  static const std::vector<Chain> all{
      {kOval, {10,  338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152,
               148, 176, 149, 150, 136, 172, 58,  132, 93,  234, 127, 162, 21,  54,  103, 67,  109, 10}},
      {kLips, {61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291}},
      {kLips, {61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291}},
      {kLips, {78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308}},
      {kLips, {78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308}},
      {kLeftEye, {263, 249, 390, 373, 374, 380, 381, 382, 362}},
      {kLeftEye, {263, 466, 388, 387, 386, 385, 384, 398, 362}},
      {kLeftEyebrow, {276, 283, 282, 295, 285}},
      {kLeftEyebrow, {300, 293, 334, 296, 336}},
      {kRightEye, {33, 7, 163, 144, 145, 153, 154, 155, 133}},
      {kRightEye, {33, 246, 161, 160, 159, 158, 157, 173, 133}},
      {kRightEyebrow, {46, 53, 52, 65, 55}},
      {kRightEyebrow, {70, 63, 105, 66, 107}},
      {kLeftIris, {474, 475, 476, 477, 474}},
      {kRightIris, {469, 470, 471, 472, 469}},
  };
  return all;
}

}  // namespace

std::vector<ContourLine> face_contours(int32_t landmarks) {
  std::vector<Chain> known = face_chains();
  std::erase_if(known, [&](const Chain& chain) { return *std::ranges::max_element(chain.landmarks) >= landmarks; });
  return lines_of(known);
}

std::vector<ContourLine> eye_contours() {
  using enum LandmarkPart;
  return lines_of({{kLeftEye, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
                   {kLeftEye, {0, 9, 10, 11, 12, 13, 14, 8}},
                   {kLeftIris, {72, 73, 74, 75, 72}},
                   {kLeftIris, {71, 71}}});
}

std::vector<ContourLine> hand_bones() {
  using enum LandmarkPart;
  std::vector<ContourLine> lines = lines_of({{kPalm, {0, 5, 9, 13, 17, 0}},
                                             {kThumb, {0, 1, 2, 3, 4}},
                                             {kIndexFinger, {5, 6, 7, 8}},
                                             {kMiddleFinger, {9, 10, 11, 12}},
                                             {kRingFinger, {13, 14, 15, 16}},
                                             {kPinky, {17, 18, 19, 20}}});
  lines.push_back({0, 0, kPalm});
  for (int32_t finger = 0; finger < 5; ++finger) {
    const auto part = static_cast<LandmarkPart>(static_cast<int32_t>(kThumb) + finger);
    for (int32_t joint = 1; joint <= 4; ++joint) lines.push_back({4 * finger + joint, 4 * finger + joint, part});
  }
  return lines;
}

std::vector<ContourLine> discs(int32_t landmarks) {
  std::vector<ContourLine> lines;
  for (int32_t i = 0; i < landmarks; ++i) lines.push_back({i, i, LandmarkPart::kLeftEye});
  return lines;
}

std::array<float, 4> color_of(LandmarkPart part) {
  using enum LandmarkPart;
  switch (part) {
    case kOval:
    case kPalm:
      return {0.88f, 0.88f, 0.88f, 1};
    case kLips:
    case kPinky:
      return {1, 0.35f, 0.4f, 1};
    case kLeftEye:
    case kLeftEyebrow:
    case kMiddleFinger:
      return {0.2f, 1, 0.3f, 1};
    case kRightEye:
    case kRightEyebrow:
    case kThumb:
      return {1, 0.6f, 0.1f, 1};
    case kLeftIris:
    case kRightIris:
    case kRingFinger:
      return {0.3f, 0.8f, 1, 1};
    case kIndexFinger:
      return {1, 0.95f, 0.2f, 1};
  }
  return {1, 1, 1, 1};
}

// Landmarks of faces, hands or eyes, in regions of the frame or in the whole frame.

namespace {

using Subject = InferModel::Subject;

static_assert(kMaxLandmarkObjects == kMaxRegions);

const char* of_subject(Subject subject) {
  switch (subject) {
    case Subject::kFace:
      return " of a face";
    case Subject::kHand:
      return " of a hand";
    case Subject::kEye:
      return " of an eye";
    case Subject::kUnknown:
      break;
  }
  return "";
}

// Input of draw_landmarks.comp.
std::vector<std::array<int32_t, 4>> lines_of(const InferModel::PointsLayout& points) {
  std::vector<ContourLine> contours;
  switch (points.subject) {
    case Subject::kFace:
      contours = face_contours(points.count);
      break;
    case Subject::kHand:
      contours = hand_bones();
      break;
    case Subject::kEye:
      contours = eye_contours();
      break;
    case Subject::kUnknown:
      contours = discs(points.count);
      break;
  }
  std::vector<std::array<int32_t, 4>> lines;
  for (const ContourLine& line : contours) lines.push_back({line.from, line.to, static_cast<int32_t>(line.part), 0});
  return lines;
}

class PlacedLandmarks final : public Decoder {
 public:
  PlacedLandmarks(std::shared_ptr<ShareGroup> group, const InferModel& model, std::vector<SharedProgram> programs)
      : group_(std::move(group)),
        output_(model.output),
        points_(model.points),
        rule_(next_region_rule(points_.subject)),
        width_(static_cast<float>(model.width)),
        height_(static_cast<float>(model.height)),
        most_objects_(model.in_region ? kMaxLandmarkObjects : 1),
        images_(model.images),
        programs_(std::move(programs)),
        place_blocks_(make_blocks<PlaceBlock>(group_->gl(), images_)),
        draw_block_(group_->gl()),
        line_count_(static_cast<int32_t>(lines_of(points_).size())),
        primitives_(group_->gl(), line_count_ * most_objects_) {
    const GlApi& gl = group_->gl();
    const LandmarkObjects none;
    const auto lines = lines_of(points_);
    placed_ = make_storage(gl, sizeof(none), &none);
    if (model.in_region) results_ = make_storage(gl, sizeof(none), &none);
    lines_ = make_storage(gl, static_cast<GLsizeiptr>(lines.size() * sizeof(lines[0])), lines.data());
  }

  Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) override {
    BufferRange outputs;  // all are in one buffer
    PlaceBlock block;
    SIGHTGLASS_ASSIGN_OR_RETURN(block.at[0], place_of(session, output_, outputs));
    SIGHTGLASS_ASSIGN_OR_RETURN(block.at[1], place_of(session, points_.further, outputs));
    SIGHTGLASS_ASSIGN_OR_RETURN(block.at[2], place_of(session, points_.presence, outputs));
    SIGHTGLASS_ASSIGN_OR_RETURN(block.at[3], place_of(session, points_.handedness, outputs));
    block.counts = {points_.count, points_.count_of_output, points_.values, 0};
    block.logits = {points_.presence_is_logit ? 1 : 0, points_.handedness_is_logit ? 1 : 0, 0, 0};
    block.size = {width_, height_, region_.width, region_.height};
    block.points = {rule_.square.from, rule_.square.to, rule_.landmarks, region_.most};
    block.rule = {rule_.square.scale, rule_.square.shift, rule_.square.direction, rule_.square.same};
    block.score = {look.threshold, 0, 0, 0};
    block.place = place_rows(to_upright);
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, place_blocks_[static_cast<size_t>(image_)], block);
    pass.storage({outputs, placed()});
    if (region_.state.buffer != 0) pass.storage(2, region_.state);
    pass.dispatch(programs_[0]->id());
    return {};
  }
  void set_image(int32_t image) override { image_ = image; }
  void set_region(const RegionView& region) override { region_ = region; }
  BufferRange unfinished_results() const override { return placed(); }
  void finish_regions() override {
    const GlApi& gl = group_->gl();
    gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    copy_buffer(gl, placed(), results_.id());
  }
  BufferRange results() const override { return {results_ ? results_.id() : placed_.id(), 0, sizeof(LandmarkObjects)}; }

  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    DrawBlock block;
    const float unit = line_width_in(height, look);
    const int32_t objects = std::clamp(look.max_results, 1, most_objects_);
    block.picture = {static_cast<float>(width), static_cast<float>(height),
                     (points_.subject == Subject::kHand ? 0.75f : 0.5f) * unit, 1.5f * unit};
    block.score = {look.threshold, 0, 0, 0};
    block.counts = {line_count_, objects, 0, 0};
    for (size_t i = 0; i < block.colors.size(); ++i) block.colors[i] = color_of(static_cast<LandmarkPart>(i));
    PrimitiveRange range = primitives_.range();
    range.count = line_count_ * objects;
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, draw_block_, block);
    pass.storage({results(), {lines_.id(), 0, GLsizeiptr{16} * line_count_}, primitives_.storage(range.count)});
    pass.dispatch(programs_[1]->id(), groups_of(range.count));
    return range;
  }

 private:
  struct PlaceBlock {  // Params of place_landmarks.comp
    std::array<int32_t, 4> at{}, counts{}, logits{};
    std::array<float, 4> size{};
    std::array<int32_t, 4> points{};
    std::array<float, 4> rule{}, score{};
    std::array<float, 8> place{};
    bool operator==(const PlaceBlock&) const = default;
  };
  struct DrawBlock {  // Params of draw_landmarks.comp
    std::array<float, 4> picture{}, score{};
    std::array<int32_t, 4> counts{};
    std::array<std::array<float, 4>, kLandmarkParts> colors{};
    bool operator==(const DrawBlock&) const = default;
  };
  BufferRange placed() const { return {placed_.id(), 0, sizeof(LandmarkObjects)}; }
  // Extends `all` to contain the output. Returns the offset of the image there in floats; -1 without an output.
  Result<int32_t> place_of(const Session& session, std::optional<size_t> output, BufferRange& all) const {
    if (!output) return -1;
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange range, session.output_buffer(*output));
    all = {range.buffer, 0, std::max<GLsizeiptr>(all.size, range.offset + range.size)};
    const GLintptr of_image = range.size / images_;
    return static_cast<int32_t>((range.offset + image_ * of_image) / GLintptr{sizeof(float)});
  }

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  InferModel::PointsLayout points_;
  NextRegionRule rule_;
  float width_, height_;  // of the model input
  int32_t most_objects_;
  int32_t images_;                                      // of a run
  int32_t image_ = 0;                                   // to decode
  std::vector<SharedProgram> programs_;                 // places, drawing
  std::vector<UniformBlock<PlaceBlock>> place_blocks_;  // one per image: their content stays
  UniformBlock<DrawBlock> draw_block_;
  int32_t line_count_;
  PrimitiveBuffer primitives_;
  GlBuffer placed_;   // with regions: of the current run
  GlBuffer results_;  // of the last run, only with regions
  GlBuffer lines_;
  RegionView region_;  // no buffer: the model runs on the whole frame
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_landmark_decoder(const std::shared_ptr<ShareGroup>& group,
                                                       const InferModel& model) {
  GST_DEBUG_OBJECT(log_object(), "decoder: %d landmarks of output %" G_GSIZE_FORMAT "%s, %s a presence",
                   model.points.count, model.output, of_subject(model.points.subject),
                   model.points.presence ? "with" : "without");
  const std::array<ProgramKey, 2> keys{ProgramKey{place_landmarks_shader(model.in_region)},
                                       ProgramKey{kDrawLandmarksShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<PlacedLandmarks>(group, model, std::move(programs));
}

}  // namespace sightglass
