// What a run of the bundle has recorded so far: one line of JSON for each finished step, and the logs of its test
// programs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace sightglass::bench {

// `steps` has lines {"part", "step", "status", "seconds", "result"}. An incomplete last line is ignored, as is
// everything else that a run that was killed did not finish. `logs` has tests/STEP.log, and tests/STEP.json from
// --gtest_output=json. A step is a program, or a program and the number of a shard: ops_test.2.
//
// The results have the members of a report: machine, models, tuned, operators, frames, compared, training, checks; also
// "stopped", the steps that ran into the end of their time, and "failed", those that measured nothing.
nlohmann::json read_run_record(const std::filesystem::path& steps, const std::filesystem::path& logs);

}  // namespace sightglass::bench
