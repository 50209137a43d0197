// Dispatches with more work groups along z than the device allows.
#include "harness/compare.h"
#include "ops/op_run.h"
#include "ops/op_test.h"
#include "ref/ref_ops.h"

namespace sightglass::test {
namespace {

class FoldedLayersTest : public OpTest {
 protected:
  // Runs the case on a device that allows three groups along z. At least one step must need more.
  void check_folded(const OpCase& op, double tolerance = 1e-9) {
    const Result<std::vector<HostTensor>> expected = ref::run(op.graph, op.inputs);
    ASSERT_TRUE(expected.ok()) << op.name << ": " << expected.status().message();
    DeviceLimits limits = device().limits;
    limits.workgroup_count[2] = 3;
    const Result<OpRun> run = run_on_gpu(gl(), limits, op, kSettings[0], {});
    ASSERT_TRUE(run.ok()) << op.name << ": " << run.status().message();
    EXPECT_NE(run->kernels.find("FOLDED_LAYERS"), std::string::npos) << op.name << ": " << run->kernels;
    for (size_t i = 0; i < expected->size(); ++i) {
      const Comparison figures = compare((*expected)[i], run->outputs[i]);
      EXPECT_LE(figures.nmse, tolerance) << op.name << " with " << run->kernels << ": " << to_string(figures);
    }
  }

  // Eleven images of two slices: 22 layers, in eight rows of three.
  static constexpr int32_t kBatch = 11;
  const Shape shape_{kBatch, 4, 3, 5};
};

TEST_F(FoldedLayersTest, FunctionsOfElements) {
  CaseBuilder one(1);
  one.node(OpType::kTanh, {}, {one.input(shape_)});
  check_folded(one.build("TANH"));
  CaseBuilder two(2);
  const ValueId a = two.input(shape_), b = two.input({5});
  two.node(OpType::kMul, {}, {a, b});
  check_folded(two.build("MUL"));
  CaseBuilder integers(3);
  integers.node(OpType::kNeg, {}, {integers.input(shape_, Fill::kLarge, DataType::kInt32)});
  check_folded(integers.build("NEG of integers"), kExact);
  CaseBuilder quantized(4);
  const Quantized data{DataType::kInt8, {0.05f}, 3};
  const ValueId x = quantized.input(shape_, data), y = quantized.input(shape_, data);
  quantized.node(OpType::kAdd, {}, {x, y}, data);
  check_folded(quantized.build("ADD of bytes"), kExact);
  CaseBuilder table(5);
  table.node(OpType::kLogistic, {}, {table.input(shape_, data)}, Quantized{DataType::kInt8, {1.0f / 256}, -128});
  check_folded(table.build("LOGISTIC of bytes"), kExact);
  CaseBuilder select(6);
  const ValueId c = select.input(shape_, Fill::kUniform, DataType::kBool);
  const ValueId yes = select.input(shape_), no = select.input(shape_);
  select.node(OpType::kSelect, SelectAttr{}, {c, yes, no});
  check_folded(select.build("SELECT"), kExact);
}

TEST_F(FoldedLayersTest, Layout) {
  const auto check_layout = [&](OpType op, const Attributes& attributes, const Shape& shape) {
    CaseBuilder builder(20);
    builder.node(op, attributes, {builder.input(shape)});
    check_folded(builder.build(to_string(op)), kExact);
  };
  check_layout(OpType::kReshape, ReshapeAttr{Shape{kBatch * 4 * 3 * 5}}, shape_);
  check_layout(OpType::kPad, PadAttr{{0, 1, 1, 2}, {0, 0, 1, 1}, 3.0f}, shape_);
  check_layout(OpType::kTranspose, TransposeAttr{{0, 3, 1, 2}}, shape_);
  check_layout(OpType::kResizeNearest, ResizeAttr{7, 5}, shape_);
  CaseBuilder concat(21);  // channels of both in one slice
  const ValueId a = concat.input(shape_), b = concat.input(shape_);
  concat.node(OpType::kConcat, ConcatAttr{3}, {a, b});
  check_folded(concat.build("CONCATENATION"), kExact);
}

TEST_F(FoldedLayersTest, Windows) {
  CaseBuilder pool(40);
  Pool2dAttr window;
  window.filter_h = window.filter_w = 2;
  pool.node(OpType::kAveragePool2d, window, {pool.input(shape_)});
  check_folded(pool.build("AVERAGE_POOL_2D"));
  CaseBuilder mean(41);
  mean.node(OpType::kMean, ReduceAttr{{1, 2}, true}, {mean.input(shape_)});
  check_folded(mean.build("MEAN"));
  CaseBuilder resize(42);
  resize.node(OpType::kResizeBilinear, ResizeAttr{7, 5, false, true}, {resize.input(shape_)});
  check_folded(resize.build("RESIZE_BILINEAR"));
  CaseBuilder conv(43);
  const ValueId pixels = conv.input(shape_);
  conv.node(OpType::kConv2d, Conv2dAttr{}, {pixels, conv.constant({9, 1, 1, 5})});
  check_folded(conv.build("CONV_2D"));
  CaseBuilder depthwise(44);
  const ValueId image = depthwise.input(shape_);
  DepthwiseConv2dAttr attr;
  attr.padding.mode = PaddingMode::kSame;
  depthwise.node(OpType::kDepthwiseConv2d, attr, {image, depthwise.constant({1, 3, 3, 5})});
  check_folded(depthwise.build("DEPTHWISE_CONV_2D"));
  CaseBuilder softmax(45);
  softmax.node(OpType::kSoftmax, SoftmaxAttr{}, {softmax.input(shape_)});
  check_folded(softmax.build("SOFTMAX"));
}

}  // namespace
}  // namespace sightglass::test
