// The assignment of the people in a frame to tracks. For one work group, with an invocation per person and track.
#include "gl/compute.h"
#include "meta/persons.h"

const int kSets = 1 << kMaxPersons;  // of tracks

// The weight of each match, by person, then track; 0 if it is not possible.
shared float s_weight[kGroupInvocations];
// The best matches of the people so far with each set of tracks, and those of one person fewer: the sum of similarities,
// and four bits per person: the track plus one, or 0.
shared float s_best[2 * kSets];
shared uint s_path[2 * kSets];

// Finds the matches with the largest sum of similarities: person by person, for every set of tracks.
void match(int lane) {
  for (int set = lane; set < 2 * kSets; set += int(kGroupInvocations)) {
    s_best[set] = 0.0;
    s_path[set] = 0u;
  }
  barrier();
  for (int i = 0; i < kMaxPersons; ++i) {
    int to = (i & 1) * kSets, from = kSets - to;
    for (int set = lane; set < kSets; set += int(kGroupInvocations)) {
      float best = s_best[from + set];
      uint path = s_path[from + set];
      for (int t = 0; t < kMaxPersons; ++t) {
        float weight = s_weight[i * kMaxPersons + t];
        if ((set >> t & 1) == 0 || weight <= 0.0) continue;
        float sum = s_best[from + (set ^ 1 << t)] + weight;
        if (sum > best) {
          best = sum;
          path = s_path[from + (set ^ 1 << t)] | uint(t + 1) << uint(4 * i);
        }
      }
      s_best[to + set] = best;
      s_path[to + set] = path;
    }
    barrier();
  }
}
