#include "infer/blendshapes.h"

#include <algorithm>
#include <utility>

#include "element/model_picture.h"
#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "infer/shaders.h"

namespace sightglass {

const std::array<const char*, kBlendshapes> kBlendshapeNames{
    "_neutral",         "browDownLeft",      "browDownRight",      "browInnerUp",
    "browOuterUpLeft",  "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
    "cheekSquintRight", "eyeBlinkLeft",      "eyeBlinkRight",      "eyeLookDownLeft",
    "eyeLookDownRight", "eyeLookInLeft",     "eyeLookInRight",     "eyeLookOutLeft",
    "eyeLookOutRight",  "eyeLookUpLeft",     "eyeLookUpRight",     "eyeSquintLeft",
    "eyeSquintRight",   "eyeWideLeft",       "eyeWideRight",       "jawForward",
    "jawLeft",          "jawOpen",           "jawRight",           "mouthClose",
    "mouthDimpleLeft",  "mouthDimpleRight",  "mouthFrownLeft",     "mouthFrownRight",
    "mouthFunnel",      "mouthLeft",         "mouthLowerDownLeft", "mouthLowerDownRight",
    "mouthPressLeft",   "mouthPressRight",   "mouthPucker",        "mouthRight",
    "mouthRollLower",   "mouthRollUpper",    "mouthShrugLower",    "mouthShrugUpper",
    "mouthSmileLeft",   "mouthSmileRight",   "mouthStretchLeft",   "mouthStretchRight",
    "mouthUpperUpLeft", "mouthUpperUpRight", "noseSneerLeft",      "noseSneerRight"};

const std::array<int32_t, kBlendshapePoints> kBlendshapeLandmarks{
    0,   1,   4,   5,   6,   7,   8,   10,  13,  14,  17,  21,  33,  37,  39,  40,  46,  52,  53,  54,  55,
    58,  61,  63,  65,  66,  67,  70,  78,  80,  81,  82,  84,  87,  88,  91,  93,  95,  103, 105, 107, 109,
    127, 132, 133, 136, 144, 145, 146, 148, 149, 150, 152, 153, 154, 155, 157, 158, 159, 160, 161, 162, 163,
    168, 172, 173, 176, 178, 181, 185, 191, 195, 197, 234, 246, 249, 251, 263, 267, 269, 270, 276, 282, 283,
    284, 285, 288, 291, 293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332, 334,
    336, 338, 356, 361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386, 387, 388, 389,
    390, 397, 398, 400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477};

Result<BlendshapeModel> describe_blendshape_model(std::shared_ptr<const Model> model) {
  const auto& inputs = model->inputs();
  const auto& outputs = model->outputs();
  if (inputs.size() != 1 || inputs[0].shape.elements() != int64_t{2} * kBlendshapePoints || outputs.empty() ||
      outputs[0].shape.elements() != kBlendshapes) {
    return unsupported(model->name() + ": this is not a blendshape model: expected an input of " +
                       std::to_string(kBlendshapePoints) + " points and an output of " + std::to_string(kBlendshapes) +
                       " values, but the inputs are " + list(inputs) + " and the outputs are " + list(outputs));
  }
  BlendshapeModel result;
  result.plan_options.inputs.resize(1);
  result.plan_options.inputs[0].source = InputSpec::Source::kBuffer;
  result.plan_options.outputs.resize(outputs.size());
  for (OutputSpec& output : result.plan_options.outputs) output.target = OutputSpec::Target::kNone;
  result.plan_options.outputs[0].target = OutputSpec::Target::kBuffer;
  result.model = std::move(model);
  return result;
}

Result<std::unique_ptr<Blendshapes>> Blendshapes::create(std::shared_ptr<ShareGroup> group,
                                                         std::shared_ptr<const Plan> plan) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                              Session::create(group, std::move(plan), {.gated = true}));
  const std::array<ProgramKey, 2> keys{ProgramKey{kGatherLandmarksShader}, ProgramKey{kStoreBlendshapesShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::unique_ptr<Blendshapes>(new Blendshapes(std::move(group), std::move(session), std::move(programs)));
}

Blendshapes::Blendshapes(std::shared_ptr<ShareGroup> group, std::unique_ptr<Session> session,
                         std::vector<SharedProgram> programs)
    : group_(std::move(group)),
      session_(std::move(session)),
      programs_(std::move(programs)),
      block_(group_->gl()),
      flag_(make_storage(group_->gl(), kFlagBytes)) {
  std::ranges::copy(kBlendshapeLandmarks, content_.points.begin());
}

Result<ModelStage> Blendshapes::begin(const BufferRange& found, const BufferRange& state, int32_t width,
                                      int32_t height) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange points, session_->input_buffer(0));
  const BufferRange flag{flag_.id(), 0, kFlagBytes};
  content_.size = {static_cast<float>(width), static_cast<float>(height), 0, 0};
  Pass pass(group_->gl());
  pass.uniforms(kParamsBinding, block_, content_);
  pass.storage({found, state, points, flag});
  pass.dispatch(programs_[0]->id());
  return ModelStage{session_.get(), flag, 2};
}

Status Blendshapes::end(const BufferRange& found, const BufferRange& state) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange coefficients, session_->output_buffer(0));
  Pass pass(group_->gl());
  pass.storage({found, state, coefficients});
  pass.dispatch(programs_[1]->id());
  return {};
}

}  // namespace sightglass
