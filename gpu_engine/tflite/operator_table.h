// Supported operators of the format, and their decoders, which convert an operator of a file to a node of the graph.
// graph/operators.h lists both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tflite/operator_view.h"

namespace sightglass::tflite {

// An input that keeps its contents from run to run, and the node output that becomes its next contents.
struct DecodedState {
  size_t input = 0, output = 0;
};

inline constexpr size_t kNoOutput = SIZE_MAX;

// An operator that becomes several nodes (import_nodes.cpp), runs other subgraphs, or handles a variable: the importer
// replaces it by their nodes (import_calls.cpp).
struct DecodedCall {
  enum class Kind : uint8_t {
    kCall,
    kCallOnce,
    kIf,
    kWhile,
    kVarHandle,
    kReadVariable,
    kAssignVariable,
    kSvdf,
    kRfft,
    kComplexAbs,
    kReal,
    kImag,
  };
  Kind kind = Kind::kCall;
  // Subgraphs: of kIf, if true and if false; of kWhile, condition and body. Of kSvdf, its rank; of kRfft, rows and
  // columns.
  int64_t first = 0, second = 0;
  std::string variable = {};  // key of kVarHandle
  bool asymmetric = false;    // of kSvdf, with 8-bit weights
};

// Result of a decoder.
struct DecodedOp {
  OpType op = OpType::kReshape;
  Attributes attributes;
  Activation activation = Activation::kNone;
  std::vector<size_t> data;          // inputs that the node reads; without parameter tensors
  std::vector<size_t> outputs{0};    // by node output, the output of the operator; kNoOutput: only a state
  std::vector<DecodedState> states;  // with the inputs of the operator
  std::optional<HostTensor> result;  // the result, if already known: no node is needed
  std::optional<DecodedCall> call;   // likewise
};

// Fails with kUnsupported for valid but unsupported operators, with kInvalidModel for inconsistent ones. The caller
// prepends the name of the operator to the message.
using Decoder = Status(const OperatorView& view, DecodedOp& node);

Result<PaddingMode> decode_padding(schema::Padding padding);
// Dimensions from a file. Fails if one is out of range or there are too many.
Result<Shape> narrow_shape(std::span<const int64_t> dims);
// A dimension counted from the front or, if negative, from the back.
Result<int> resolve_axis(int64_t axis, int rank);
Result<Activation> decode_activation(schema::ActivationFunctionType activation);

#define BUILTIN(op, name, decoder, ...) Decoder decode_##decoder;
#define CUSTOM(op, name, decoder, ...) Decoder decode_##decoder;
#include "graph/operators.h"

inline constexpr size_t kAnyNumber = SIZE_MAX;

struct InputCount {
  size_t least = 1, most = least;
};
// Inputs that may be absent: the last of InputCount::most; or any, as the decoder or shape inference checks which.
enum class OptionalInputs : uint8_t { kNone, kLastInput, kAnyInput };

struct OperatorRule {
  OpType op;
  Decoder& decode;  // starts from `op` and all inputs as data
  InputCount inputs = {};
  size_t max_outputs = 1, min_outputs = 1;
  OptionalInputs optional = OptionalInputs::kNone;
  // Never a node: decode() computes the result, all inputs must be constant, or it is a DecodedCall.
  bool while_loading = false;
  const char* limits = "";  // limits of decode() on valid files, for documentation
};

// All rules by name, as in OperatorName: built-in ones in format order, then custom ones.
struct NamedRule {
  std::string name;
  const OperatorRule* rule;
};
std::vector<NamedRule> all_rules();
// Built-in operators of the format without a rule, with the reason.
struct RefusedOperator {
  std::string name, reason;
};
std::vector<RefusedOperator> refused_operators();

// Null if the operator is unknown; unsupported_reason() then has the reason and a fix.
const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code);
std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code);

}  // namespace sightglass::tflite
