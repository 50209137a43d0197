// The opaque types of the C API.
#pragma once

#include <memory>
#include <string>

#include "gpu_engine/device.h"
#include "gpu_engine/model.h"
#include "gpu_engine/plan.h"
#include "gpu_engine/session.h"
#include "gpu_engine/share_group.h"

struct SightglassDevice {
  sightglass::DeviceInfo info;
  std::string name;
  std::shared_ptr<sightglass::ShareGroup> group;
};

struct SightglassModel {
  std::shared_ptr<const sightglass::Model> model;
};

struct SightglassPlan {
  std::shared_ptr<const sightglass::Plan> plan;
};

struct SightglassSession {
  std::unique_ptr<sightglass::Session> session;
};
