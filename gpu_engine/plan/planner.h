// The stages of planning, in order: kernels, CPU segments, the schedule of steps, and the layout of the arena.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernel/emitter.h"
#include "plan/plan_data.h"
#include "sightglass/model.h"
#include "sightglass/status.h"

namespace sightglass {

// Kernel choice per node, and the blockers of nodes that no kernel can run.
struct KernelChoice {
  std::vector<const Kernel*> kernels;  // by node; null for unsupported nodes and for nodes on the CPU
  std::vector<std::string> reasons;    // by node: reason for running on the CPU; empty for others
  std::vector<Obstacle> obstacles;
  bool changed = false;  // a node moved to the CPU
  bool on_cpu(NodeId id) const { return !reasons[static_cast<size_t>(id)].empty(); }
  // Called if the kernel of a node cannot run it: moves the node to the CPU, or adds an obstacle.
  void give_up(const PlanContext& context, NodeId id, const std::string& reason);
};

// Checks inputs, outputs and all nodes, even after the first obstacle.
KernelChoice choose_kernels(const PlanContext& context);

// Ok without obstacles; otherwise one error that names them all.
Status refuse(const Graph& graph, const std::vector<Obstacle>& obstacles);

// Plans that run partly on the CPU, with the reference kernels.

// Keeps values that are quantized at run time with all their readers: their GPU tensor contains quantization steps that
// are meaningless elsewhere.
void keep_quanta_together(const Graph& graph, KernelChoice& choice);

// Consecutive nodes that run in one place.
struct Stretch {
  bool on_cpu = false;
  std::vector<NodeId> nodes;
};
// All nodes, in an order with few changes of place (a greedy search).
std::vector<Stretch> divide(const Graph& graph, const KernelChoice& choice);

// Appends to `data` a step that runs the nodes on the CPU; the emitter emits into `data` too. Their inputs are read
// back unless an earlier CPU step has them. Outputs with readers on the GPU are uploaded.
Status emit_on_cpu(Emitter& emitter, PlanData& data, const KernelChoice& choice, const std::vector<NodeId>& nodes);

// Order and parallelism of steps.

// Assigns every step the earliest level at which all its inputs are ready, sorts the steps by level (stable), and
// determines the levels during which each tensor is live. Steps of one level do not depend on each other, so barriers
// are needed only between levels.
void schedule(PlanData& plan);

// The layout of the arena, and the parts of it that a step binds.

// The layout of the arena.

// Places every tensor in the arena. Tensors that are live at the same level never overlap. Barriers separate levels, so
// reusing memory adds no dependency. Fills in the memory report.
Status plan_memory(PlanData& plan);

// The parts of the arena that a step binds, for arenas that are larger than a storage block.

// Gives every step a window of the arena per storage block that covers the tensors that the step uses through it. Call
// it after plan_memory(), for a plan without buffer textures. Fails if a window exceeds a storage block of the device.
Status plan_windows(PlanData& plan);

// The block of the arena from which a step counts the offset of one of its tensors.
int64_t window_base(const Step& step, int tensor);

// Properties of a step that are known before it runs.

// Divides the multiply-adds and the work of a node among its steps: equal parts for the first step with weights (the
// last step, if none has weights) and for the steps with the same program.
void share_work(std::span<Step> steps, int64_t multiply_adds, double work);

StepInfo step_info(const PlanData& plan, const Step& step);

// Whether a plan keeps to PlanOptions::resources.

// Of a session, in bytes; with the weights, which sessions of one group share.
int64_t memory_of(const PlanData& plan);

Status check_memory(const PlanData& plan);

// Divides a long run into parts (Step::ends_part).
Status check_time(PlanData& plan);

}  // namespace sightglass
