(comment) @comment
(line_marker) @preproc
(dwarf_line) @comment
(string) @string
(number) @number

(opcode) @keyword
(type) @type
(vector_type) @type
(mnemonic (modifier) @attribute)
(component (modifier) @property)

[
  ".version" ".target" ".address_size" ".file" ".loc" ".section" ".pragma" ".alias" ".entry" ".func" ".branchtargets" ".calltargets"
  ".callprototype" ".attribute" ".align"
] @keyword.directive
(space) @keyword.directive
(linkage) @keyword.directive
(pointer) @keyword.directive
(function_directive) @keyword.directive

(function name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(declarator name: (identifier) @variable)
(label name: (identifier) @label)
(guard predicate: (identifier) @variable)

((identifier) @variable.builtin
  (#match? @variable.builtin "^%(n?tid|n?ctaid|laneid|warpid|nwarpid|n?smid|gridid|lanemask_[a-z]+|clock.*|globaltimer.*|(n)?clusterid|cluster_.*|is_explicit_cluster|.*_smem_.*|current_graph_exec|pm[0-7](_64)?|envreg[0-9]+)$"))
(identifier) @variable

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
