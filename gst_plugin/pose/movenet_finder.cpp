#include "pose/movenet_finder.h"

#include <array>
#include <utility>
#include <vector>

#include "detect/regions.h"
#include "meta/persons.h"
#include "pose/log.h"
#include "pose/shaders.h"

#define GST_CAT_DEFAULT sightglass::pose_log()

namespace sightglass {

namespace {

class MoveNetFinder : public PersonFinder {
 public:
  MoveNetFinder(const std::shared_ptr<ShareGroup>& group, const PoseModel& model, std::unique_ptr<Session> session,
                Regions regions, std::vector<SharedProgram> programs)
      : group_(group),
        model_(model),
        session_(std::move(session)),
        programs_(std::move(programs)),
        regions_(std::move(regions)) {}

  Result<ModelStage> begin_stage(size_t /*stage*/, const UprightFrame& frame) override {
    GST_TRACE_OBJECT(log_object(), "pass: cropping around the previous keypoints");
    params_ = region_params(frame, region_options(options()), model_.width, model_.height);
    regions_.run(programs_[kBegin]->id(), params_, {regions_.state()});
    SIGHTGLASS_RETURN_IF_ERROR(regions_.next(frame, params_, *session_));
    return ModelStage{session_.get(), {}};
  }
  Status end_stage(size_t /*stage*/) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, session_->output_buffer(model_.outputs[PoseModel::kPoints]));
    GST_TRACE_OBJECT(log_object(), "pass: decoding one person with a score of at least %g",
                     static_cast<double>(options().person_score));
    regions_.run(programs_[kDecode]->id(), params_, {numbers, regions_.state()});
    return {};
  }
  BufferRange found() const override { return regions_.results(); }

  enum Program : size_t { kBegin, kDecode };

 private:
  const std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  const PoseModel model_;
  std::unique_ptr<Session> session_;
  std::vector<SharedProgram> programs_;
  Regions regions_;
  RegionParams params_;  // of the current run
};

}  // namespace

Result<std::unique_ptr<PersonFinder>> make_movenet_finder(const std::shared_ptr<ShareGroup>& group,
                                                          const PoseModel& model, std::shared_ptr<const Plan> plan) {
  const std::array<ProgramKey, 2> keys{{{kMoveNetBeginShader}, {kMoveNetShader}}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::create(group, std::move(plan)));
  clear_gl_errors(group->gl());
  SIGHTGLASS_ASSIGN_OR_RETURN(Regions regions,
                              Regions::create(group, Regions::Source::kLandmarksOnly, sizeof(Persons)));
  std::unique_ptr<PersonFinder> finder =
      std::make_unique<MoveNetFinder>(group, model, std::move(session), std::move(regions), std::move(programs));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating person detector buffers"));
  GST_DEBUG_OBJECT(log_object(), "finder: keypoints of one person, in a crop that follows the person");
  return finder;
}

}  // namespace sightglass
