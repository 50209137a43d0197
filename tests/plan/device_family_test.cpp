// GPU families by device name, and the choices of the planner for each.
#include "gpu_engine/device_family.h"

#include <gtest/gtest.h>

#include "gpu_engine/internals.h"
#include "harness/value_of.h"
#include "ops/op_case.h"
#include "plan/plan_data.h"
#include "sightglass/plan.h"

namespace sightglass::test {
namespace {

struct Spelling {
  const char *vendor, *renderer, *family;
};

// As drivers report themselves.
constexpr Spelling kSpellings[] = {
    {"Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"},
    {"VMware, Inc.", "llvmpipe (LLVM 12.0.0, 128 bits)", "llvmpipe"},
    {"Collabora Ltd", "zink (llvmpipe (LLVM 15.0.6, 256 bits))", "llvmpipe"},
    {"Mesa", "zink Vulkan 1.4(llvmpipe (LLVM 19.1.7, 256 bits) (MESA_LLVMPIPE))", "llvmpipe"},
    {"Mesa/X.org", "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))", "llvmpipe"},
    {"Mesa/X.org", "softpipe", "software"},
    {"Mesa/X.org", "Software Rasterizer", "software"},
    {"VMware, Inc.", "SWR (LLVM 11.0, 256 bits)", "software"},
    {"Google Inc.", "Google SwiftShader", "software"},
    {"Google Inc. (Google)", "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)",
     "software"},
    {"Microsoft Corporation", "D3D12 (Microsoft Basic Render Driver)", "software"},
    {"Apple Inc.", "Apple Software Renderer", "software"},
    {"ARM", "Mali-G52", "Mali"},
    {"ARM", "Mali-G615 MC2", "Mali"},
    {"ARM", "Mali-T880", "Mali"},
    {"ARM", "Immortalis-G715", "Mali"},
    {"ARM", "Mali-G715-Immortalis MC11", "Mali"},
    {"Panfrost", "Mali-G31 (Panfrost)", "Mali"},
    {"Panfrost", "Mali T860 (Panfrost)", "Mali"},
    {"Mesa", "Mali-G52 r1 (Panfrost)", "Mali"},
    {"Mesa", "Mali-G610 MC4 (Panfrost)", "Mali"},
    {"lima", "Mali450", "Mali"},
    {"Mesa", "zink Vulkan 1.3(Mali-G610 MC2 (ARM_PROPRIETARY))", "Mali"},
    {"Google Inc. (ARM)", "ANGLE (ARM, Vulkan 1.1.177 (Mali-G78 (0x92020010)), Mali G78-38.0.0)", "Mali"},
    {"Qualcomm", "Adreno (TM) 630", "Adreno"},
    {"Mesa", "zink Vulkan 1.3(Adreno (TM) 750 (QUALCOMM_PROPRIETARY))", "Adreno"},
    {"freedreno", "FD630", "freedreno"},
    {"freedreno", "FD740", "freedreno"},
    {"freedreno", "Adreno (TM) 840", "freedreno"},
    {"Mesa", "FD618", "freedreno"},
    {"Collabora Ltd", "zink (Turnip Adreno (TM) 650)", "freedreno"},
    {"Mesa", "zink Vulkan 1.4(Adreno (TM) 830 (MESA_TURNIP))", "freedreno"},
    {"Broadcom", "V3D 4.2", "VideoCore"},
    {"Broadcom", "V3D 7.1.7.0", "VideoCore"},
    {"Broadcom", "VC4 V3D 2.1", "VideoCore"},
    {"Broadcom", "VideoCore IV HW", "VideoCore"},
    {"Collabora Ltd", "zink (V3D 4.2)", "VideoCore"},
    {"Imagination Technologies", "PowerVR Rogue GE8320", "PowerVR"},
    {"Imagination Technologies", "PowerVR B-Series BXM-4-64", "PowerVR"},
    {"Mesa", "zink Vulkan 1.3(PowerVR B-Series BXM-4-64 MC1 (IMAGINATION_OPEN_SOURCE_MESA))", "PowerVR"},
    {"Intel", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "Intel"},
    {"Intel Open Source Technology Center", "Mesa DRI Intel(R) HD Graphics 4000 (IVB GT2)", "Intel"},
    {"Mesa", "virgl (Mesa Intel(R) Iris(R) Xe Graphics (RPL-P))", "Intel"},
    {"AMD", "AMD Radeon Graphics (radeonsi, renoir, LLVM 15.0.6, DRM 3.49, 6.1.0-9-amd64)", "AMD"},
    {"X.Org", "AMD RENOIR (DRM 3.40.0, 5.10.0-8-amd64, LLVM 11.0.1)", "AMD"},
    {"Mesa", "virgl (AMD Ryzen 7 9700X 8-Core Processor (radeonsi, raphael_mendocino", "AMD"},
    {"ATI Technologies Inc.", "Radeon RX 580 Series", "AMD"},
    {"ATI Technologies Inc.", "AMD Radeon Pro 5300M OpenGL Engine", "AMD"},
    {"NVIDIA Corporation", "NVIDIA GeForce RTX 3070/PCIe/SSE2", "NVIDIA"},
    {"NVIDIA Corporation", "NVIDIA Tegra Xavier (nvgpu)/integrated", "NVIDIA"},
    {"NVIDIA Corporation", "Quadro P2000/PCIe/SSE2", "NVIDIA"},
    {"NVIDIA Corporation", "NVIDIA H100 80GB HBM3/PCIe/SSE2", "NVIDIA"},
    {"NVIDIA Corporation", "NVIDIA H100 PCIe/PCIe/SSE2", "NVIDIA"},
    {"NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2", "NVIDIA"},
    {"NVIDIA Corporation", "Tesla T4/PCIe/SSE2", "NVIDIA"},
    {"nouveau", "NV136", "NVIDIA"},
    {"Mesa", "NV168", "NVIDIA"},
    {"Mesa", "NVE7", "NVIDIA"},
    {"Mesa", "zink Vulkan 1.3(NVIDIA GeForce RTX 3060 (NVK GA106))", "NVIDIA"},
    {"Microsoft Corporation", "D3D12 (NVIDIA GeForce RTX 4060 Laptop GPU)", "NVIDIA"},
    {"Apple", "Apple M1", "Apple"},
    {"Asahi", "Apple M1 (G13G B1)", "Apple"},
    {"Mesa", "Apple M1 Pro (G13S C0)", "Apple"},
    {"Mesa", "zink Vulkan 1.3(Virtio-GPU Venus (Apple M1 Max) (MESA_KOSMICKRISP))", "Apple"},
    {"etnaviv", "Vivante GC7000 rev 6214", "unknown"},
    {"Red Hat", "virgl", "unknown"},
    {"VMware, Inc.", "SVGA3D; build: RELEASE;  LLVM;", "unknown"},
    // Names inside other words are not recognized.
    {"Charm", "Somali 52", "unknown"},
    {"", "", "unknown"},
};

TEST(DeviceFamily, IsRecognizedByRendererNames) {
  for (const Spelling& s : kSpellings) {
    const DeviceFamily& family = device_family(s.vendor, s.renderer);
    EXPECT_STREQ(family.name, s.family) << s.vendor << " | " << s.renderer;
    const std::string_view name = s.family;
    EXPECT_EQ(family.software, name == "llvmpipe" || name == "software") << s.vendor << " | " << s.renderer;
  }
  std::printf("%zu spellings\n", std::size(kSpellings));
}

// It has one compiler, whatever layer is on top of it.
TEST(DeviceFamily, LlvmpipeLoopsAreBounded) {
  EXPECT_EQ(device_family("Mesa/X.org", "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))").max_loop_iterations, 65535);
  EXPECT_EQ(device_family("Mesa/X.org", "softpipe").max_loop_iterations, 0);
}

TEST(DeviceFamily, VirglReadsNoBufferTextures) {
  EXPECT_FALSE(has_sound_buffer_textures("virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))"));
  EXPECT_FALSE(has_sound_buffer_textures("virgl"));
  EXPECT_TRUE(has_sound_buffer_textures("llvmpipe (LLVM 15.0.6, 256 bits)"));
}

// A 3x3 convolution, a pointwise one, and a fused depthwise pair, all large enough for any device.
OpCase network() {
  CaseBuilder builder(5);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  ValueId x = builder.input({1, 64, 64, 16});
  x = builder.node(OpType::kConv2d, Conv2dAttr{same}, {x, builder.constant({16, 3, 3, 16})}, Activation::kRelu);
  x = builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({16, 1, 1, 16})}, Activation::kRelu);
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same}, {x, builder.constant({1, 3, 3, 16})});
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({4, 1, 1, 16})});
  return builder.build("network");
}

struct Kernels {
  std::string pointwise, window, fused;  // variants, as named by the tuner
};

Kernels kernels_of(const DeviceFamily& family, Precision precision, int variant = 0) {
  DeviceLimits limits = DeviceLimits::typical();
  limits.kernels = family.kernels;
  limits.max_buffer_texels = 1 << 27;
  ForcedPlanOptions options;
  options.precision = precision;
  options.variant = variant;
  const auto plan = value_of(build_plan(model_from_graph(network().graph).value(), limits, options));
  Kernels found;
  for (const Step& step : data_of(*plan).steps) {
    std::string& kernel = step.kernel.starts_with("depthwise_pointwise")      ? found.fused
                          : step.kernel.find("POINTWISE") == step.kernel.npos ? found.window
                                                                              : found.pointwise;
    kernel = step.variant.name;
  }
  return found;
}

TEST(DeviceFamily, ChoosesTilesRowsAndReadPath) {
  struct Expected {
    const char *vendor, *renderer;
    Precision precision;
    const char *pointwise, *window, *rows, *reads;
    int group = 64;
  };
  constexpr const char *kBlocks = "reads=blocks", *kTextures = "reads=textures";
  constexpr auto k32 = Precision::kFp32, k16 = Precision::kFp16;
  const Expected table[] = {
      {"ARM", "Mali-G52", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"ARM", "Mali-G52", k16, "PIXELS=4 SLICES=1", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"Broadcom", "V3D 4.2", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=1", "ROWS=1", kBlocks},
      {"Broadcom", "V3D 7.1.7.0", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=1", "ROWS=1", kBlocks},
      {"freedreno", "FD630", k32, "PIXELS=4 SLICES=2", "PIXELS=4 SLICES=1", "ROWS=1", kTextures},
      {"freedreno", "FD630", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kTextures},
      {"Qualcomm", "Adreno (TM) 630", k32, "PIXELS=4 SLICES=2", "PIXELS=4 SLICES=1", "ROWS=1", kTextures},
      {"Qualcomm", "Adreno (TM) 630", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kTextures},
      {"Intel", "Mesa Intel(R) UHD", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"Intel", "Mesa Intel(R) UHD", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"AMD", "AMD Radeon", k16, "PIXELS=2 SLICES=4", "PIXELS=2 SLICES=2", "ROWS=2", kBlocks},
      {"NVIDIA Corporation", "NVIDIA", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"Apple", "Apple M1", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"Imagination", "PowerVR", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"", "", k32, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"", "", k16, "PIXELS=2 SLICES=2", "PIXELS=2 SLICES=2", "ROWS=1", kBlocks},
      {"Mesa/X.org", "llvmpipe", k32, "PIXELS=8 SLICES=2", "PIXELS=8 SLICES=2", "ROWS=4", kTextures, 8},
      {"Mesa/X.org", "llvmpipe", k16, "PIXELS=8 SLICES=2", "PIXELS=8 SLICES=2", "ROWS=4", kTextures, 8},
      {"Mesa/X.org", "softpipe", k32, "PIXELS=4 SLICES=4", "PIXELS=4 SLICES=4", "ROWS=4", kBlocks},
  };
  for (const Expected& e : table) {
    const Kernels kernels = kernels_of(device_family(e.vendor, e.renderer), e.precision);
    const std::string group = " LOCAL_X=" + std::to_string(e.group) + " LOCAL_Z=1 " + e.reads;
    EXPECT_EQ(kernels.pointwise, e.pointwise + group) << e.renderer;
    EXPECT_EQ(kernels.window, e.window + group) << e.renderer;
    EXPECT_EQ(kernels.fused, std::string(e.rows) + " " + e.reads) << e.renderer;
  }
}

TEST(DeviceFamily, TilesOfDepthwiseConvolutions) {
  struct Case {
    const char* renderer;
    int32_t kernel, stride_h, stride_w, dilation_w;
    const char* tile;
  };
  const Case cases[] = {
      {"llvmpipe", 3, 1, 1, 1, "ROWS=4 COLUMNS=2 reads=textures"},
      {"llvmpipe", 3, 2, 2, 1, "ROWS=4 COLUMNS=2 reads=textures"},
      {"llvmpipe", 3, 1, 1, 3, "ROWS=4 COLUMNS=2 reads=textures"},
      {"llvmpipe", 3, 1, 2, 1, "ROWS=4 reads=textures"},  // unequal strides
      {"llvmpipe", 5, 1, 1, 1, "ROWS=4 reads=textures"},  // no gain was measured
      {"Mali-G52", 3, 1, 1, 1, "ROWS=1 reads=blocks"},
      {"AMD", 3, 1, 1, 1, "ROWS=4 reads=blocks"},
  };
  for (const Case& c : cases) {
    CaseBuilder builder(7);
    const DepthwiseConv2dAttr attr{{PaddingMode::kSame}, c.stride_h, c.stride_w, 1, c.dilation_w, 1};
    builder.node(OpType::kDepthwiseConv2d, attr,
                 {builder.input({1, 64, 64, 64}), builder.constant({1, c.kernel, c.kernel, 64})}, Activation::kNone);
    const auto model = model_from_graph(builder.build("depthwise").graph).value();
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", c.renderer).kernels;
    limits.max_buffer_texels = 1 << 27;
    const auto plan = value_of(build_plan(model, limits, ForcedPlanOptions()));
    std::string tile;
    for (const Step& step : data_of(*plan).steps) {
      if (step.kernel.find("depthwise_rows") != step.kernel.npos) tile = step.variant.name;
    }
    EXPECT_EQ(tile, c.tile) << c.renderer << ", kernel " << c.kernel << ", strides " << c.stride_h << ", "
                            << c.stride_w;
  }
}

// Of 16 output channels. Four pixels spill hundreds of registers on Mali. Beside what samples the frame, Mali and
// VideoCore have none for four slices, and sample it into a tensor first: 0. So does llvmpipe, as it is faster.
TEST(DeviceFamily, TilesOfTheCameraTextureFitIntoRegisters) {
  CaseBuilder builder(6);
  const ValueId x = builder.input({1, 64, 64, 3});
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({16, 3, 3, 3})}, Activation::kRelu);
  const auto model = model_from_graph(builder.build("camera").graph).value();
  ForcedPlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kTexture;
  for (const auto& [renderer, pixels] :
       {std::pair{"llvmpipe", 0}, {"Mali-G52", 0}, {"V3D 4.2", 0}, {"FD630", 2}, {"Intel", 2}, {"AMD", 2}, {"", 1}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", renderer).kernels;
    const auto plan = value_of(build_plan(model, limits, options));
    const std::string kernel =
        pixels == 0 ? "load_texture.comp" : "conv2d_texture.comp PIXELS=" + std::to_string(pixels) + " SLICES=4";
    EXPECT_TRUE(data_of(*plan).steps.front().kernel.starts_with(kernel))
        << renderer << ": " << data_of(*plan).steps.front().kernel;
  }
}

// The steps of a depthwise convolution of `kernel` and a 1x1 convolution that reads it.
size_t steps_of_pair(const char* renderer, int32_t side, int32_t channels, int32_t outputs, int32_t kernel = 3) {
  CaseBuilder builder(7);
  const Padding2d same{PaddingMode::kSame, 0, 0, 0, 0};
  ValueId x = builder.input({1, side, side, channels});
  x = builder.node(OpType::kDepthwiseConv2d, DepthwiseConv2dAttr{same},
                   {x, builder.constant({1, kernel, kernel, channels})});
  builder.node(OpType::kConv2d, Conv2dAttr{}, {x, builder.constant({outputs, 1, 1, channels})});
  DeviceLimits limits = DeviceLimits::typical();
  limits.kernels = device_family("", renderer).kernels;
  const auto model = model_from_graph(builder.build("pair").graph).value();
  return data_of(*value_of(build_plan(model, limits, ForcedPlanOptions()))).steps.size();
}

// GPUs need many invocations. With more than 16 outputs, each weight serves few pixels.
TEST(DeviceFamily, PairsOfGpusAreOneStepWhereThatPays) {
  const size_t one = steps_of_pair("FD630", 32, 16, 16);
  EXPECT_EQ(steps_of_pair("FD630", 16, 16, 16), one) << "256 pixels";
  EXPECT_EQ(steps_of_pair("FD630", 15, 16, 16), one + 1) << "225 pixels";
  EXPECT_EQ(steps_of_pair("FD630", 32, 256, 16), one);
  EXPECT_EQ(steps_of_pair("FD630", 32, 257, 16), one + 1) << "too many channels";
  EXPECT_EQ(steps_of_pair("FD630", 54, 17, 17), one);
  EXPECT_EQ(steps_of_pair("FD630", 55, 17, 17), one + 1) << "3,025 pixels";
  EXPECT_EQ(steps_of_pair("FD630", 32, 18, 17), one + 1) << "more channels than outputs";
  EXPECT_EQ(steps_of_pair("FD630", 32, 32, 32), one);
  EXPECT_EQ(steps_of_pair("FD630", 32, 33, 33), one + 1) << "too many outputs";
  EXPECT_EQ(steps_of_pair("FD630", 32, 16, 16, 5), one + 1) << "5x5";
  EXPECT_EQ(steps_of_pair("llvmpipe", 15, 16, 16), one) << "a processor";
}

// Two slices of sums, beside the rows of a depthwise convolution, spill on VideoCore; three on Mali.
TEST(DeviceFamily, PairsFitIntoRegisters) {
  const size_t one = steps_of_pair("V3D 7.1", 32, 16, 4);
  EXPECT_EQ(steps_of_pair("V3D 7.1", 32, 16, 8), one + 1);
  EXPECT_EQ(steps_of_pair("Mali-G52", 32, 16, 8), one);
  EXPECT_EQ(steps_of_pair("Mali-G52", 32, 16, 12), one + 1);
  EXPECT_EQ(steps_of_pair("FD630", 32, 32, 32), one);
}

// Of an 8-bit model. Integer sums need more registers than a tile of VideoCore for floats leaves.
TEST(DeviceFamily, TilesOfIntegersFitIntoRegisters) {
  CaseBuilder builder(7);
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0};
  builder.node(OpType::kConv2d, Conv2dAttr{},
               {builder.input({1, 64, 64, 16}, data), builder.constant({16, 3, 3, 16}, weights), builder.bias(16)},
               Quantized{DataType::kInt8, {0.47f}, 11});
  const auto model = model_from_graph(builder.build("integers").graph).value();
  for (const auto& [renderer, tile] : {std::pair{"llvmpipe", "PIXELS=8 SLICES=4"},
                                       {"Mali-G52", "PIXELS=2 SLICES=1"},
                                       {"V3D 4.2", "PIXELS=1 SLICES=2"},
                                       {"Intel", "PIXELS=2 SLICES=2"},
                                       {"", "PIXELS=2 SLICES=2"}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", renderer).kernels;
    const auto plan = value_of(build_plan(model, limits, ForcedPlanOptions()));
    std::string kernels;
    for (const auto& step : data_of(*plan).steps) kernels += step.kernel + "\n";
    EXPECT_NE(kernels.find(std::string(tile) + " REQUANTIZE="), std::string::npos) << renderer << ":\n" << kernels;
  }
}

// A work group of llvmpipe is one vector: 36 pixels fill one of 8 pixels each, but would need two of 4 each.
TEST(DeviceFamily, SmallImagesFillOneVector) {
  CaseBuilder builder(10);
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0};
  builder.node(OpType::kConv2d, Conv2dAttr{},
               {builder.input({1, 6, 6, 128}, data), builder.constant({128, 1, 1, 128}, weights), builder.bias(128)},
               Quantized{DataType::kInt8, {0.47f}, 11});
  const auto model = model_from_graph(builder.build("6x6").graph).value();
  DeviceLimits limits = DeviceLimits::typical();
  limits.kernels = device_family("", "llvmpipe").kernels;
  const auto plan = value_of(build_plan(model, limits, ForcedPlanOptions()));
  const std::string& kernel = data_of(*plan).steps.back().kernel;
  EXPECT_NE(kernel.find("PIXELS=8 SLICES=4"), std::string::npos) << kernel;
}

// Of an 8-bit model: a transposed convolution has four sums per slice.
TEST(DeviceFamily, TransposedTilesOfIntegersFitIntoRegisters) {
  CaseBuilder builder(8);
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0};
  TransposeConvAttr attr;
  attr.stride_h = attr.stride_w = 2;
  attr.out_h = attr.out_w = 16;
  builder.node(OpType::kTransposeConv, attr,
               {builder.input({1, 8, 8, 16}, data), builder.constant({16, 2, 2, 16}, weights)},
               Quantized{DataType::kInt8, {0.47f}, 11});
  const auto model = model_from_graph(builder.build("transposed").graph).value();
  for (const auto& [renderer, slices] : {std::pair{"llvmpipe", "2"}, {"Mali-G52", "1"}, {"V3D 4.2", "2"}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", renderer).kernels;
    const auto plan = value_of(build_plan(model, limits, ForcedPlanOptions()));
    const std::string& kernel = data_of(*plan).steps.back().kernel;
    EXPECT_NE(kernel.find(std::string("transpose_conv_2x2.comp SLICES=") + slices), std::string::npos)
        << renderer << ": " << kernel;
  }
}

// Of an 8-bit model. Where a storage block is too small for wide weights, they stay narrow.
TEST(DeviceFamily, ProcessorsReadWideWeights) {
  struct Case {
    const char* renderer;
    int64_t block_bytes;
    bool narrow;
  };
  constexpr int64_t kWeights = 64 * 64;
  CaseBuilder builder(9);
  const Quantized data{DataType::kInt8, {0.0391f}, -7}, weights{DataType::kInt8, {0.006f}, 0};
  builder.node(OpType::kConv2d, Conv2dAttr{},
               {builder.input({1, 4, 4, 64}, data), builder.constant({64, 1, 1, 64}, weights), builder.bias(64)},
               Quantized{DataType::kInt8, {0.47f}, 11});
  const auto model = model_from_graph(builder.build("weights").graph).value();
  for (const Case& c : {Case{"llvmpipe", 1 << 27, false},
                        {"llvmpipe", 3 * kWeights, true},
                        {"softpipe", 1 << 27, true},
                        {"Mali-G52", 1 << 27, true}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", c.renderer).kernels;
    limits.max_storage_block_bytes = c.block_bytes;
    const auto plan = value_of(build_plan(model, limits, ForcedPlanOptions()));
    const int64_t bytes = plan->memory().weight_bytes;
    EXPECT_EQ(bytes < 2 * kWeights, c.narrow) << c.renderer << ", " << c.block_bytes << ": " << bytes;
  }
}

// It computes nothing for the three others of its slice.
TEST(DeviceFamily, AConvolutionToOneChannelHasAProgramOfItsOwn) {
  for (const int channels : {1, 2, 4, 5}) {
    CaseBuilder builder(10);
    builder.node(OpType::kConv2d, Conv2dAttr{}, {builder.input({1, 64, 64, 8}), builder.constant({channels, 3, 3, 8})});
    const auto plan = value_of(build_plan(model_from_graph(builder.build("mask").graph).value(),
                                          DeviceLimits::typical(), ForcedPlanOptions()));
    const std::string kernel = data_of(*plan).steps.front().kernel;
    EXPECT_EQ(kernel.find(" ONE_CHANNEL=1") != kernel.npos, channels == 1) << kernel;
  }
}

// Adjacent pixels of an image that is enlarged share what they read.
TEST(DeviceFamily, ProcessorsResizeSeveralColumns) {
  struct Case {
    const char* renderer;
    int from;
    const char* tile;
  };
  for (const Case& c : {Case{"llvmpipe", 16, "COLUMNS=4 SOURCES=3"},
                        {"llvmpipe", 32, "COLUMNS=4 SOURCES=4"},
                        {"llvmpipe", 48, "COLUMNS=1 SOURCES=2"},
                        {"llvmpipe", 128, "COLUMNS=1 SOURCES=2"},
                        {"Mali-G52", 16, "COLUMNS=1 SOURCES=2"}}) {
    CaseBuilder builder(11);
    ResizeAttr attr;
    attr.out_h = attr.out_w = 64;
    builder.node(OpType::kResizeBilinear, attr, {builder.input({1, c.from, c.from, 8})});
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", c.renderer).kernels;
    const auto plan =
        value_of(build_plan(model_from_graph(builder.build("resize").graph).value(), limits, ForcedPlanOptions()));
    const std::string kernel = data_of(*plan).steps.front().kernel;
    EXPECT_NE(kernel.find(c.tile), kernel.npos) << c.renderer << ", from " << c.from << ": " << kernel;
  }
}

// Of precision=fp16: programs that read 16-bit floats, and those of them that multiply in 16 bits.
TEST(DeviceFamily, UsesHalvesWhereTheyHelp) {
  struct Expected {
    const char* renderer;
    bool storage, pointwise, window, fused;
  };
  for (const Expected& e : {Expected{"llvmpipe", false, false, false, false},
                            {"softpipe", false, false, false, false},
                            {"Mali-G52", true, true, false, true},
                            {"V3D 7.1", true, true, true, true},
                            {"FD630", true, true, true, true},
                            {"", true, true, true, true}}) {
    DeviceLimits limits = DeviceLimits::typical();
    limits.kernels = device_family("", e.renderer).kernels;
    ForcedPlanOptions options;
    options.precision = Precision::kFp16;
    const auto plan = value_of(build_plan(model_from_graph(network().graph).value(), limits, options));
    int convolutions = 0;
    for (const Step& step : data_of(*plan).steps) {
      const bool fused = step.kernel.starts_with("depthwise_pointwise");
      if (!fused && !step.kernel.starts_with("conv2d")) continue;
      ++convolutions;
      const bool pointwise = step.kernel.find("POINTWISE") != step.kernel.npos;
      EXPECT_EQ(step.kernel.find("A_F16=1") != step.kernel.npos, e.storage) << e.renderer << ": " << step.kernel;
      EXPECT_EQ(step.kernel.find("HALF_PRODUCTS=1") != step.kernel.npos, fused       ? e.fused
                                                                         : pointwise ? e.pointwise
                                                                                     : e.window)
          << e.renderer << ": " << step.kernel;
    }
    EXPECT_EQ(convolutions, 3) << e.renderer;
  }
}

// The compilers of Mali and VideoCore are slow for large tiles, and spill registers.
TEST(DeviceFamily, SmallTilesAreTriedFirstIfRegistersAreScarce) {
  const auto tiles = [](const char* renderer) {
    std::vector<int> areas;
    // After the default variant come the other read path and the smaller work group.
    for (int variant = 3; variant < 8; ++variant) {
      const std::string name = kernels_of(device_family("", renderer), Precision::kFp32, variant).window;
      int pixels = 0, slices = 0;
      EXPECT_EQ(std::sscanf(name.c_str(), "PIXELS=%d SLICES=%d", &pixels, &slices), 2) << name;
      areas.push_back(pixels * slices);
    }
    return areas;
  };
  EXPECT_EQ(tiles("Mali-G52"), (std::vector<int>{2, 2, 4, 4, 8}));
  EXPECT_EQ(tiles("V3D 4.2"), (std::vector<int>{2, 4, 4, 4, 8}));
  EXPECT_EQ(tiles("llvmpipe"), (std::vector<int>{16, 8, 4, 8, 4}));
}

// The default tile of a 1x1 convolution of a square image.
std::string tile_of(const char* renderer, int32_t side, int32_t in_channels, int32_t out_channels,
                    Precision precision = Precision::kFp32) {
  CaseBuilder builder(8);
  builder.node(OpType::kConv2d, Conv2dAttr{},
               {builder.input({1, side, side, in_channels}), builder.constant({out_channels, 1, 1, in_channels})});
  DeviceLimits limits = DeviceLimits::typical();
  limits.kernels = device_family("", renderer).kernels;
  limits.max_buffer_texels = 1 << 27;
  ForcedPlanOptions options;
  options.precision = precision;
  const auto plan = value_of(build_plan(model_from_graph(builder.build("image").graph).value(), limits, options));
  return data_of(*plan).steps.front().variant.name;
}

// Four pixels would leave half of the threads of a Mali.
TEST(DeviceFamily, TilesOfOneChannelFitIntoRegisters) {
  EXPECT_EQ(tile_of("Mali-G52", 64, 32, 1, Precision::kFp16).substr(0, 8), "PIXELS=2");
  EXPECT_EQ(tile_of("FD630", 64, 32, 1).substr(0, 8), "PIXELS=2");
  EXPECT_EQ(tile_of("llvmpipe", 64, 32, 1).substr(0, 8), "PIXELS=8");
}

// Pixels past the end of an image are computed in vain.
TEST(DeviceFamily, TilesOfSmallImagesWasteFewPixels) {
  struct Expected {
    const char* renderer;
    int32_t side;
    const char* tile;
  };
  for (const Expected& e : {Expected{"Mali-G52", 7, "PIXELS=1 SLICES=2 LOCAL_X=64"},
                            {"Mali-G52", 8, "PIXELS=1 SLICES=2 LOCAL_X=64"},
                            {"Mali-G52", 14, "PIXELS=2 SLICES=2 LOCAL_X=64"},
                            {"FD630", 7, "PIXELS=1 SLICES=2 LOCAL_X=64"},
                            {"FD630", 10, "PIXELS=2 SLICES=2 LOCAL_X=64"},
                            {"llvmpipe", 4, "PIXELS=2 SLICES=2 LOCAL_X=8"},
                            {"llvmpipe", 7, "PIXELS=8 SLICES=2 LOCAL_X=8"}}) {
    const std::string tile = tile_of(e.renderer, e.side, 256, 1024);
    EXPECT_TRUE(tile.starts_with(e.tile)) << e.renderer << ", " << e.side << "x" << e.side << ": " << tile;
  }
}

TEST(DeviceFamily, LargeConvolutionsHaveLargerTilesOnLlvmpipe) {
  for (const auto& [out_channels, tile] : {std::pair(216, "PIXELS=8 SLICES=2 "), {224, "PIXELS=16 SLICES=4 "}}) {
    const std::string name = tile_of("llvmpipe", 32, 64, out_channels);
    EXPECT_TRUE(name.starts_with(tile)) << out_channels << " channels: " << name;
  }
  EXPECT_EQ(tile_of("Mali-G52", 32, 64, 216), tile_of("Mali-G52", 32, 64, 224));
}

}  // namespace
}  // namespace sightglass::test
