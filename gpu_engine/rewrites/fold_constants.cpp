#include "ref/fold.h"
#include "rewrites/common.h"

namespace sightglass {

RewriteOutcome fold_constants(Graph& graph, NodeId id) {
  bool folded = false;
  const Status status = fold_if_constant(graph, id, &folded);
  if (!status.ok()) return RewriteOutcome::declined(status.message());
  return folded ? RewriteOutcome::applied() : RewriteOutcome::not_matched();
}

}  // namespace sightglass
