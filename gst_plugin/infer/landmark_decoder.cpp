// Landmarks of a face, or of another object that fills the model input.
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "infer/contours.h"
#include "infer/decoder.h"
#include "infer/landmarks.h"
#include "infer/log.h"
#include "infer/shaders.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

// Input of draw_landmarks.comp: contours, or a disc per landmark.
std::vector<std::array<int32_t, 4>> lines_of(const InferModel::PointsLayout& points) {
  std::vector<std::array<int32_t, 4>> lines;
  if (points.face) {
    for (const ContourLine& line : face_contours(points.count)) {
      lines.push_back({line.from, line.to, static_cast<int32_t>(line.part), 0});
    }
  } else {
    for (int32_t i = 0; i < points.count; ++i) lines.push_back({i, i, static_cast<int32_t>(FacePart::kLeftEye), 0});
  }
  return lines;
}

class PlacedLandmarks final : public Decoder {
 public:
  PlacedLandmarks(std::shared_ptr<ShareGroup> group, const InferModel& model, std::vector<SharedProgram> programs)
      : group_(std::move(group)),
        output_(model.output),
        points_(model.points),
        size_{static_cast<float>(model.width), static_cast<float>(model.height), 0, 0},
        programs_(std::move(programs)),
        place_block_(group_->gl()),
        draw_block_(group_->gl()),
        line_count_(static_cast<int32_t>(lines_of(points_).size())),
        primitives_(group_->gl(), line_count_) {
    const GlApi& gl = group_->gl();
    const Landmarks none;
    const auto lines = lines_of(points_);
    landmarks_ = make_storage(gl, sizeof(none), &none);
    lines_ = make_storage(gl, static_cast<GLsizeiptr>(lines.size() * sizeof(lines[0])), lines.data());
  }

  Status decode(const Session& session, const InputTransform& to_upright, const InferLook& /*look*/) override {
    SG_ASSIGN_OR_RETURN(const BufferRange places, session.output_buffer(output_));
    SG_ASSIGN_OR_RETURN(const BufferRange presence, session.output_buffer(points_.presence.value_or(output_)));
    PlaceBlock block;
    block.counts = {points_.count, points_.values, points_.presence ? 1 : 0, points_.presence_is_logit ? 1 : 0};
    block.size = size_;
    block.place = place_rows(to_upright);
    place_block_.bind(kParamsBinding, block);
    const GlApi& gl = group_->gl();
    if (region_.buffer != 0) {
      dispatch(gl, programs_[0]->id(), {places, presence, results(), region_}, groups_of(points_.count));
    } else {
      dispatch(gl, programs_[0]->id(), {places, presence, results()}, groups_of(points_.count));
    }
    return {};
  }
  void set_region(const BufferRange& rows) override { region_ = rows; }
  BufferRange results() const override { return {landmarks_.id(), 0, sizeof(Landmarks)}; }

  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    DrawBlock block;
    const float radius = (points_.face ? 0.5f : 1.5f) * line_width_in(height, look);
    block.picture = {static_cast<float>(width), static_cast<float>(height), radius, look.threshold};
    block.counts = {line_count_, 0, 0, 0};
    for (size_t i = 0; i < kFaceParts; ++i) block.colors[i] = color_of(static_cast<FacePart>(i));
    draw_block_.bind(kParamsBinding, block);
    const auto whole = [](GLuint buffer, GLsizeiptr bytes) { return BufferRange{buffer, 0, bytes}; };
    dispatch(group_->gl(), programs_[1]->id(),
             {results(), whole(lines_.id(), GLsizeiptr{16} * line_count_),
              whole(primitives_.id(), static_cast<GLsizeiptr>(sizeof(Primitive)) * line_count_)},
             groups_of(line_count_));
    return primitives_.range();
  }

 private:
  struct PlaceBlock {  // Params of place_landmarks.comp
    std::array<int32_t, 4> counts{};
    std::array<float, 4> size{};
    std::array<float, 8> place{};
    bool operator==(const PlaceBlock&) const = default;
  };
  struct DrawBlock {  // Params of draw_landmarks.comp
    std::array<float, 4> picture{};
    std::array<int32_t, 4> counts{};
    std::array<std::array<float, 4>, kFaceParts> colors{};
    bool operator==(const DrawBlock&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  InferModel::PointsLayout points_;
  std::array<float, 4> size_;
  std::vector<SharedProgram> programs_;  // places, drawing
  UniformBlock<PlaceBlock> place_block_;
  UniformBlock<DrawBlock> draw_block_;
  int32_t line_count_;
  PrimitiveBuffer primitives_;
  GlBuffer landmarks_, lines_;
  BufferRange region_;  // no buffer: the model runs on the whole frame
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_landmark_decoder(const std::shared_ptr<ShareGroup>& group,
                                                       const InferModel& model) {
  GST_DEBUG_OBJECT(log_object(), "decoder: %d landmarks of output %" G_GSIZE_FORMAT "%s, %s a presence",
                   model.points.count, model.output, model.points.face ? " of a face" : "",
                   model.points.presence ? "with" : "without");
  const std::array<ProgramKey, 2> keys{ProgramKey{place_landmarks_shader(model.in_region)},
                                       ProgramKey{kDrawLandmarksShader}};
  SG_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::unique_ptr<Decoder>(std::make_unique<PlacedLandmarks>(group, model, std::move(programs)));
}

}  // namespace sightglass
