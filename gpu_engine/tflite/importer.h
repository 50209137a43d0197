// One import: reads the tensors and operators of a file (importer.cpp), and converts each operator (import_nodes.cpp).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tflite/import.h"
#include "tflite/model_file.h"
#include "tflite/operator_table.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

// Names of operators in a file.
struct OperatorName {
  schema::BuiltinOperator code = schema::BuiltinOperator::ADD;
  std::string custom_code;
  int32_t version = 1;
  std::string name;   // "CONV_2D", "CUSTOM 'Name'"
  std::string title;  // "CONV_2D #12"
};

// The name of operator `index`. Fails if its operator code does not exist.
Result<OperatorName> name_operator(ModelFile& file, const schema::Operator& op, uint32_t index);

// The names of all operators, in file order, at most `most`.
Result<std::vector<std::string>> list_operators(ModelFile& file, uint32_t most);

class Importer {
 public:
  Importer(ModelFile file, const ImportOptions& options) : file_(std::move(file)), options_(options) {}

  Result<Survey> run(const std::string& name);

 private:
  // An operator of the file being imported.
  struct Step : OperatorName {
    std::vector<FileTensor*> inputs;  // null if absent
    std::vector<FileTensor*> outputs;
    std::vector<const FileTensor*> intermediates;
  };

  Status read_graph_inputs();
  Status read_graph_outputs();
  Status describe_ends(const flatbuffers::Vector<int32_t>* tensors, std::vector<TensorInfo>& infos);
  Status read_operators();
  Status read_all();
  // Records an obstacle. Returns an error if continuing is pointless.
  Status note(const Status& status, const std::string& where = {});
  void expose_ends();
  Result<Step> read_step(const schema::Operator& op, uint32_t index);
  Status import_step(const schema::Operator& op, const Step& step);
  Status add_node(const DecodedOp& decoded, const Step& step);
  Status adopt_result(HostTensor result, const Step& step);
  Status check_tensor(const FileTensor& tensor) const;
  static Status check_states(const DecodedOp& decoded, const Step& step);
  Status check_types(const DecodedOp& decoded, const Step& step, bool constant) const;
  Status fold(Node node, const DecodedOp& decoded, const Step& step, const std::vector<FileTensor*>& data);
  Status adopt_shape(FileTensor& tensor, const Shape& inferred) const;

  Result<FileTensor*> tensor(int32_t index, const char* what);
  ValueId value_of(FileTensor& tensor);
  void read_state(FileTensor& tensor);
  ValueId add_next(const FileTensor& tensor);
  void write_state(FileTensor& tensor, ValueId next);
  static Value make_value(const FileTensor& tensor);

  ModelFile file_;
  ImportOptions options_;
  std::vector<FileTensor> tensors_;
  Graph graph_;
  std::unordered_map<int32_t, size_t> state_of_;  // by index of a variable tensor: index of its graph state
  Survey survey_;
  int64_t folded_bytes_ = 0, folded_steps_ = 0;
};

// "CONV_2D #3 (output 'x')": the name of an operator of the file in messages.
std::string where(const std::string& title, const std::vector<FileTensor*>& outputs);

}  // namespace sightglass::tflite
