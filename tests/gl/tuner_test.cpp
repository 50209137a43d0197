// The tuner and its files. Every choice gives bit-identical results.
#include "sightglass/tuner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "gl/real_gl.h"
#include "gpu_engine/device_family.h"
#include "gpu_engine/internals.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

// Convolutions of every kind with variants, with odd sizes.
OpCase network_with_variants() {
  CaseBuilder builder(71);
  ValueId x = builder.input({1, 37, 29, 5});
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  x = builder.node(OpType::kConv2d, Conv2dAttr{same, 2, 2},
                   {x, builder.constant({13, 3, 3, 5}), builder.constant({13})}, Activation::kRelu6);
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same}, {x, builder.constant({1, 3, 3, 13})});
  x = builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({13, 1, 1, 13}), builder.constant({13})});
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same}, {x, builder.constant({1, 3, 3, 13})});
  x = builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({32, 1, 1, 13}), builder.constant({32})});
  // With an activation between them that makes no pair.
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same, 2, 2}, {x, builder.constant({1, 5, 5, 32})},
                   Activation::kHardSwish);
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({17, 1, 1, 32})}, Activation::kHardSwish);
  return builder.build("tuned network");
}

constexpr size_t kKinds = 5;  // of steps with variants in the network

class TunerTest : public GlTest {
 protected:
  TunerTest() : model_(model_from_graph(case_.graph).value()) {
    folder_ = scratch_folder() / "tuning";
    shipped_ = scratch_folder() / "shipped tuning";
    fs::remove_all(folder_);
    fs::remove_all(shipped_);
  }
  ~TunerTest() override {
    fs::remove_all(folder_);
    fs::remove_all(shipped_);
  }

  std::vector<std::byte> outputs(const ForcedPlanOptions& options) {
    const auto plan = value_of(build_plan(model_, device().limits, options));
    const auto session = value_of(Session::create(gl(), plan));
    EXPECT_TRUE(session->write_input(0, case_.inputs[0].data).ok());
    EXPECT_TRUE(session->run().ok());
    const TensorInfo& info = model_->outputs()[0];
    HostTensor output(info.type, info.shape);
    EXPECT_TRUE(session->read_output(0, output.data).ok());
    return output.data;
  }

  Result<std::shared_ptr<const Tuning>> prepare(TuningMode mode, std::string* note = nullptr) {
    return prepare_tuning(ShareGroup::create(gl()), model_, device(), {}, mode, {folder_, shipped_}, options_, note);
  }
  std::string file() { return tuning_path(folder_, device()); }
  std::string shipped_file() { return shipped_tuning_path(shipped_, device()); }
  void write(const std::string& text) { write(file(), text); }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  OpCase case_ = network_with_variants();
  std::shared_ptr<const Model> model_;
  fs::path folder_, shipped_;
  TunerOptions options_{.budget = std::chrono::minutes(5), .passes = 1};
};

TEST_F(TunerTest, EveryVariantGivesTheSameBits) {
  const std::vector<std::byte> usual = outputs({});
  std::set<std::string> kernels;
  for (int variant = 0; variant < 10; ++variant) {
    ForcedPlanOptions options;
    options.variant = variant;
    EXPECT_EQ(outputs(options), usual) << "variant " << variant;
    const auto plan = build_plan(model_, device().limits, options);
    for (const StepInfo& step : (*plan)->steps()) kernels.insert(step.kernel);
  }
  std::printf("%zu kernels\n", kernels.size());
  EXPECT_GE(kernels.size(), 20u);
}

TEST_F(TunerTest, TunesEveryStepThatHasVariants) {
  const auto report = value_of(tune(ShareGroup::create(gl()), model_, device(), {}, options_));
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.tuning.device(), device_name(device()));
  EXPECT_EQ(report.tuning.size(), kKinds) << report.tuning.to_text();
  EXPECT_GE(report.sets, 4);
  EXPECT_LE(report.tuned_ms, report.usual_ms);
  std::printf("%d sets; %.3f ms usual, %.3f ms tuned\n%s", report.sets, report.usual_ms, report.tuned_ms,
              report.tuning.to_text().c_str());

  ForcedPlanOptions tuned;
  tuned.tuning = std::make_shared<const Tuning>(report.tuning);
  EXPECT_EQ(outputs(tuned), outputs({}));
  const auto plan = build_plan(model_, device().limits, tuned);
  for (const Step& step : data_of(**plan).steps) {
    if (step.variant.step.empty()) continue;
    EXPECT_EQ(report.tuning.choice(step.variant.step), step.variant.name) << step.variant.step;
  }
}

// If buffer textures are too short for the arena, plans that request them do not use them.
TEST_F(TunerTest, ShortBufferTexturesDoNotEndTuning) {
  CaseBuilder builder(72);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  ValueId x = builder.input({1, 160, 160, 8});
  x = builder.node(OpType::kConv2d, Conv2dAttr{same}, {x, builder.constant({16, 3, 3, 8})}, Activation::kRelu);
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({16, 1, 1, 16})});
  const auto model = model_from_graph(builder.build("large").graph).value();
  DeviceInfo mali = device();
  mali.limits.kernels = device_family("ARM", "Mali-G52").kernels;
  const auto sets = [&](int32_t texels) {
    mali.limits.max_buffer_texels = texels;
    const auto report = value_of(tune(ShareGroup::create(gl()), model, mali, {}, options_));
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(report.tuning.size(), 2u);
    std::printf("%d sets with %d texels\n", report.sets, texels);
    return report.sets;
  };
  const int without = sets(0);
  EXPECT_EQ(without, 9);  // the default, another work group, seven more tiles
  EXPECT_EQ(sets(65536), without);
  EXPECT_EQ(sets(1 << 27), without + 1);
}

TEST_F(TunerTest, KnownStepsAreNotMeasuredAgain) {
  const auto first = value_of(tune(ShareGroup::create(gl()), model_, device(), {}, options_));
  ForcedPlanOptions known;
  known.tuning = std::make_shared<const Tuning>(first.tuning);
  const auto second = value_of(tune(ShareGroup::create(gl()), model_, device(), known, options_));
  EXPECT_EQ(second.sets, 0);
  EXPECT_TRUE(second.tuning.empty());
}

TEST_F(TunerTest, AnEmptyBudgetMeasuresOnlyTheDefaultVariants) {
  options_.budget = std::chrono::milliseconds(0);
  const auto report = value_of(tune(ShareGroup::create(gl()), model_, device(), {}, options_));
  EXPECT_EQ(report.sets, 1);
  EXPECT_FALSE(report.complete);
}

// A driver that takes ten seconds of a fake clock to compile a program whose source has a line that begins with
// slow_line.
std::string slow_line;
bool is_slow = false;
std::chrono::steady_clock::time_point fake_time;
void shader_source(GLuint shader, GLsizei count, const GLchar* const* text, const GLint* lengths) {
  const std::string source = std::string("\n") + text[0];
  is_slow = !slow_line.empty() && source.find("\n" + slow_line) != std::string::npos;
  real_gl->ShaderSource(shader, count, text, lengths);
}
void link_slowly(GLuint program) {
  if (is_slow) fake_time += std::chrono::seconds(10);
  real_gl->LinkProgram(program);
}

class SlowCompilerTest : public TunerTest {
 protected:
  Result<TunerReport> tune_with_slow(const std::string& line) {
    real_gl = &gl();
    GlApi table = gl();
    table.ShaderSource = shader_source;
    table.LinkProgram = link_slowly;
    slow_line = line;
    options_.now = [] { return fake_time; };
    options_.budget = std::chrono::hours(1);
    return tune(ShareGroup::create(table), model_, device(), {}, options_);
  }
};

TEST_F(SlowCompilerTest, LargerVariantsAreNotTried) {
  const auto all = value_of(tune_with_slow(""));
  EXPECT_EQ(all.ended, 0);
  // The usual variants are never given up, so one more set is built.
  const auto none = value_of(tune_with_slow("#version"));
  EXPECT_EQ(none.sets, 2);
  EXPECT_EQ(none.ended, int{kKinds});
  EXPECT_TRUE(none.complete) << "another start would end in the same way";
  EXPECT_EQ(none.tuning.size(), kKinds);
  // Other kinds of steps continue.
  const auto some = value_of(tune_with_slow("#define ROWS "));
  std::printf("%d sets in all, %d with slow programs of ROWS, which end %d kinds of steps\n", all.sets, some.sets,
              some.ended);
  EXPECT_GT(some.ended, 0);
  EXPECT_LT(some.ended, int{kKinds});
  EXPECT_EQ(some.sets, all.sets);
  options_.compile_limit = std::chrono::seconds(20);
  const auto patient = value_of(tune_with_slow("#version"));
  EXPECT_EQ(patient.ended, 0);
}

TEST_F(TunerTest, ReportsProgress) {
  std::vector<std::pair<int, int>> calls;
  options_.progress = [&](int done, int total) { calls.emplace_back(done, total); };
  const auto report = value_of(tune(ShareGroup::create(gl()), model_, device(), {}, options_));
  ASSERT_EQ(calls.size(), static_cast<size_t>(report.sets) + 1);
  EXPECT_EQ(calls.front().first, 0);
  for (size_t i = 0; i + 1 < calls.size(); ++i) EXPECT_LT(calls[i].first, calls[i].second);
  EXPECT_EQ(calls.back(), std::pair(report.sets, report.sets));
}

TEST_F(TunerTest, ResultsAreKept) {
  const auto measured = value_of(prepare(TuningMode::kOn));
  EXPECT_TRUE(fs::exists(file()));
  std::string note;
  const auto cached = value_of(prepare(TuningMode::kCached, &note));
  EXPECT_EQ(*cached, *measured);
  EXPECT_EQ(note, "");
  const auto off = value_of(prepare(TuningMode::kOff));
  EXPECT_EQ(off, nullptr);
}

TEST_F(TunerTest, WithoutAFileThereAreNoResults) {
  std::string note;
  const auto cached = value_of(prepare(TuningMode::kCached, &note));
  EXPECT_TRUE(cached->empty());
  EXPECT_EQ(note, "");
}

TEST_F(TunerTest, ShippedChoicesAreForStepsThatWereNotMeasured) {
  DeviceInfo mali;
  mali.vendor = "ARM";
  mali.renderer = "Mali-G57 MC2";
  EXPECT_EQ(shipped_tuning_path("share", mali), "share/mali.txt");
  const auto measured = value_of(prepare(TuningMode::kOn));
  // Of another device of the family: a step that was measured here, and one that was not.
  const std::string own = measured->to_text();
  const size_t begin = own.find('\n', own.find("\ndevice ") + 1) + 1;
  const std::string step = own.substr(begin, own.find(": ", begin) - begin);
  write(shipped_file(), "sightglass-tuning 1\ndevice another | one | 1\n" + step + ": shipped\nother step: shipped\n");

  std::string note;
  auto cached = prepare(TuningMode::kCached, &note);
  ASSERT_TRUE(cached.ok());
  EXPECT_EQ(note, "");
  EXPECT_EQ((*cached)->choice("other step"), "shipped");
  EXPECT_EQ((*cached)->choice(step), measured->choice(step));
  EXPECT_EQ((*cached)->device(), device_name(device()));
  EXPECT_EQ(prepare(TuningMode::kOff).value(), nullptr);

  // They do not keep steps from being measured, and are not written to the user's file.
  fs::remove_all(folder_);
  cached = prepare(TuningMode::kCached);
  ASSERT_TRUE(cached.ok());
  EXPECT_EQ((*cached)->choice(step), "shipped");
  const auto again = value_of(prepare(TuningMode::kOn));
  EXPECT_NE(again->choice(step), "shipped");
  fs::remove_all(shipped_);
  EXPECT_EQ((*prepare(TuningMode::kCached))->choice("other step"), std::nullopt);
}

TEST_F(TunerTest, TheShippedFilesAreThoseOfTheirFamilies) {
  for (const fs::directory_entry& entry : fs::directory_iterator(source_folder() / "tuning")) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const auto tuning = Tuning::parse(std::string((std::istreambuf_iterator<char>(in)), {}));
    ASSERT_TRUE(tuning.ok()) << entry.path() << ": " << tuning.status().message();
    EXPECT_FALSE(tuning->empty()) << entry.path();
    DeviceInfo device;
    device.renderer = tuning->device();  // the names of vendor, renderer and driver
    EXPECT_EQ(shipped_tuning_path(entry.path().parent_path(), device), entry.path());
  }
}

TEST_F(TunerTest, ADamagedShippedFileIsHarmless) {
  write(shipped_file(), "not this kind of file");
  std::string note;
  const auto cached = value_of(prepare(TuningMode::kCached, &note));
  EXPECT_TRUE(cached->empty());
  EXPECT_NE(note.find(shipped_file()), std::string::npos) << note;
}

// Any changed byte and any truncation of a file: no crash, and the same results.
TEST_F(TunerTest, DamagedFilesAreHarmless) {
  ASSERT_TRUE(prepare(TuningMode::kOn).ok());
  std::ifstream in(file(), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::vector<std::byte> usual = outputs({});
  for (size_t i = 0; i < text.size(); i += 7) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    for (const std::string& bytes : {damaged, text.substr(0, i)}) {
      write(bytes);
      const auto cached = value_of(prepare(TuningMode::kCached));
      ForcedPlanOptions options;
      options.tuning = cached;
      ASSERT_TRUE(build_plan(model_, device().limits, options).ok()) << i;
      if (i % 70 != 0) continue;
      ASSERT_EQ(outputs(options), usual) << i;
    }
  }
}

TEST_F(TunerTest, AnotherDevicesFileIsNotUsed) {
  write("sightglass-tuning 1\ndevice another | one | 1\nconv2d: x\n");
  std::string note;
  const auto cached = value_of(prepare(TuningMode::kCached, &note));
  EXPECT_TRUE(cached->empty());
  EXPECT_NE(note.find("another | one"), std::string::npos) << note;
}

TEST_F(TunerTest, AnUnwritableFolderIsHarmless) {
  std::ofstream(folder_) << "a file where the folder should be";
  std::string note;
  const auto measured = value_of(prepare(TuningMode::kOn, &note));
  EXPECT_EQ(measured->size(), kKinds);
  EXPECT_NE(note.find("cannot use this cache directory"), std::string::npos) << note;
}

TEST_F(TunerTest, LinksAreNotFollowedWhenResultsAreWritten) {
  fs::create_directories(folder_);
  const fs::path target = folder_ / "target";
  std::ofstream(target) << "another's";
  fs::create_symlink(target, file());
  // At the path that this process would probably write to first.
  fs::create_symlink(target, file() + "." + std::to_string(getpid()));
  std::string note;
  ASSERT_TRUE(prepare(TuningMode::kOn, &note).ok());
  std::ifstream unchanged(target);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(unchanged), {}), "another's");
  EXPECT_FALSE(fs::is_symlink(file())) << note;
  EXPECT_FALSE((*prepare(TuningMode::kCached))->empty());
}

TEST_F(TunerTest, AFolderThatOthersMayWriteToIsNotUsed) {
  ASSERT_TRUE(prepare(TuningMode::kOn).ok());
  fs::permissions(folder_, fs::perms::all);
  const auto time = fs::last_write_time(file());
  for (const TuningMode mode : {TuningMode::kCached, TuningMode::kOn}) {
    std::string note;
    const auto tuning = value_of(prepare(mode, &note));
    EXPECT_EQ(tuning->empty(), mode == TuningMode::kCached);
    expect_words(note, {"chmod go-w", folder_.string()});
  }
  EXPECT_EQ(fs::last_write_time(file()), time);
}

TEST_F(TunerTest, APipeInPlaceOfAFileIsNotWaitedFor) {
  fs::create_directories(folder_);
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  std::string note;
  const auto cached = value_of(prepare(TuningMode::kCached, &note));
  EXPECT_TRUE(cached->empty());
  EXPECT_NE(note.find("a pipe"), std::string::npos) << note;
}

TEST(TuningTest, RoundTripsThroughText) {
  Tuning tuning("vendor | renderer | version");
  tuning.choose("conv2d 1x2x3x4 to 1x2x3x8", "PIXELS=4 reads=blocks");
  tuning.choose("depthwise", "ROWS=2");
  const auto parsed = value_of(Tuning::parse(tuning.to_text()));
  EXPECT_EQ(parsed, tuning);
  EXPECT_EQ(parsed.choice("depthwise"), "ROWS=2");
  EXPECT_EQ(parsed.choice("pool"), std::nullopt);
}

TEST(TuningTest, CommentsAndEmptyLinesAreSkipped) {
  const auto parsed = value_of(Tuning::parse("sightglass-tuning 1\ndevice \n\n# by hand\nconv2d: a\n"));
  EXPECT_EQ(parsed.size(), 1u);
}

TEST(TuningTest, InvalidTextIsRejectedWithItsLine) {
  EXPECT_NE(Tuning::parse("").status().message().find("line 1"), std::string::npos);
  EXPECT_NE(Tuning::parse("sightglass-tuning 2\n").status().message().find("line 1"), std::string::npos);
  EXPECT_NE(Tuning::parse("sightglass-tuning 1\nconv: x\n").status().message().find("line 2"), std::string::npos);
  EXPECT_NE(Tuning::parse("sightglass-tuning 1\ndevice x\nconv\n").status().message().find("line 3"),
            std::string::npos);
}

}  // namespace
}  // namespace sightglass::test
