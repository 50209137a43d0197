// The opaque types of the C API.
#pragma once

#include <memory>
#include <string>

#include "sightglass/device.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/share_group.h"

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
