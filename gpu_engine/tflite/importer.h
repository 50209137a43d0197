// One import: reads the tensors and operators of a file (importer.cpp), converts each operator (import_nodes.cpp), and
// replaces operators that run subgraphs by the operators of these (import_calls.cpp).
#pragma once

#include <optional>
#include <set>
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
  Importer(ModelFile file, const ImportOptions& options)
      : file_(std::move(file)),
        options_(options),
        subgraph_(&file_.subgraph()),
        expandable_bytes_(options.max_folded_bytes) {}

  Result<Survey> run(const std::string& name);

 private:
  // An operator of the file being imported.
  struct Step : OperatorName {
    std::vector<FileTensor*> inputs;  // null if absent
    std::vector<FileTensor*> outputs;
    std::vector<const FileTensor*> intermediates;
  };

  // A variable of the file, which operators of any subgraph name.
  struct Variable {
    std::string key = {};                // container and name in the file
    std::optional<FileTensor> now = {};  // its contents at this point of the execution order
    std::optional<size_t> state = {};    // index of the graph state that it is
    bool initial = false;                // `now` is from CALL_ONCE, and no other operator has read or set it
    bool changes = false;                // an operator outside of CALL_ONCE may set it
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
  Status check_counts(const Step& step, const OperatorRule& rule) const;
  Status import_step(const schema::Operator& op, const Step& step);
  Status add_node(const DecodedOp& decoded, const Step& step);
  Status add_parts(const DecodedOp& decoded, const Step& step);
  Status add_svdf(const DecodedOp& decoded, const Step& step);
  Status add_rfft(const DecodedCall& decoded, const Step& step);
  Status add_of_complex(DecodedCall::Kind kind, const Step& step);
  Status reshape_complex(const DecodedOp& decoded, const Step& step);
  Status give_result(ValueId result, const Step& step);
  Result<ValueId> add_part(OpType op, Attributes attributes, std::vector<ValueId> inputs, const Step& step,
                           const char* name);
  Status adopt_result(HostTensor result, const Step& step);
  Status check_tensor(const FileTensor& tensor) const;
  Status check_states(const DecodedOp& decoded, const Step& step) const;
  Status check_types(const DecodedOp& decoded, const Step& step, bool constant) const;
  Status fold(Node node, const DecodedOp& decoded, const Step& step, const std::vector<FileTensor*>& data);
  Status adopt_shape(FileTensor& tensor, const Shape& inferred) const;

  void find_changing_variables();
  Result<std::vector<FileTensor>> pristine_tensors(uint32_t subgraph);
  Status run_call(const DecodedCall& decoded, const Step& step);
  Result<std::vector<FileTensor>> call(int64_t subgraph, std::vector<FileTensor>& arguments);
  Status run_while(const DecodedCall& loop, const Step& step);
  static Result<std::optional<bool>> condition(const FileTensor& tensor);
  Status return_results(std::vector<FileTensor>& results, const Step& step);
  Status bind(FileTensor& to, FileTensor& from);
  Result<Variable*> variable_of(const Step& step);
  int32_t variable_named(const std::string& key);
  Status read_variable(const Step& step);
  Status assign_variable(const Step& step);
  Status spend(size_t parts);

  Result<FileTensor*> tensor(int32_t index, const char* what);
  ValueId value_of(FileTensor& tensor);
  void read_state(FileTensor& tensor);
  ValueId add_next(const FileTensor& tensor);
  void write_state(FileTensor& tensor, ValueId next);
  static Value make_value(const FileTensor& tensor);

  ModelFile file_;
  ImportOptions options_;
  const schema::SubGraph* subgraph_ = nullptr;  // whose operators are being imported
  std::vector<FileTensor> tensors_;             // its tensors
  std::vector<uint32_t> callees_;               // the subgraphs that are being run by operators, the outermost first
  std::unordered_map<uint32_t, std::vector<FileTensor>> pristine_;  // by subgraph: its tensors before any operator
  std::vector<Variable> variables_;
  std::set<std::string> changing_;  // keys of variables that operators outside of CALL_ONCE set
  bool any_changes_ = false;        // such an operator may set any variable
  std::set<int64_t> initialized_;   // subgraphs that CALL_ONCE has run
  bool initializing_ = false;       // during CALL_ONCE
  size_t spent_ = 0;                // parts of subgraphs imported on behalf of operators
  int64_t expandable_bytes_ = 0;    // left for sparse tensors
  Graph graph_;
  std::unordered_map<int32_t, size_t> state_of_;  // by index of a variable tensor: index of its graph state
  Survey survey_;
  int64_t folded_bytes_ = 0, folded_steps_ = 0;
};

// "CONV_2D #3 (output 'x')": the name of an operator of the file in messages.
std::string where(const std::string& title, const std::vector<FileTensor*>& outputs);

}  // namespace sightglass::tflite
