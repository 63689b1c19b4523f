// A tree-sitter grammar of PTX. The words are those of the instruction table (words.json, which `cargo xtask grammars` writes); the
// productions follow the PTX manual, chapters 4 to 6 and 11, but take any modifiers in any order: what is wrong is the language server's to say.

const words = require('./words.json');

/** One or more, separated by commas. */
const list = (rule) => seq(rule, repeat(seq(',', rule)));
const dotted = (names) => choice(...names.map((name) => '.' + name));

/** Directives that have productions of their own, or are words of these. */
const own = [
  'version', 'target', 'address_size', 'file', 'loc', 'section', 'pragma', 'alias', 'entry', 'func', 'branchtargets', 'calltargets',
  'callprototype', 'attribute', 'extern', 'visible', 'weak', 'common', 'align', 'managed', 'unified', 'ptr', 'v2', 'v4', 'v8', 'reg',
  'const', 'global', 'local', 'param', 'shared', 'tex', 'texref', 'samplerref', 'surfref',
];
const onFunctions = words.directives.filter((word) => !own.includes(word));

module.exports = grammar({
  name: 'ptx',

  word: ($) => $.identifier,

  extras: ($) => [/[\s\u001a\u0000]/, $.comment, $.line_marker],

  conflicts: ($) => [[$._operand, $.parenthesized]],

  rules: {
    module: ($) => repeat($._item),

    _item: ($) =>
      choice(
        $.version, $.target, $.address_size, $.file, $.section, $.pragma, $.alias, $.function, $.variables, $.dwarf_line, $.location, $.label, ';',
      ),

    version: ($) => seq('.version', $.number),
    target: ($) => seq('.target', list($.identifier)),
    address_size: ($) => seq('.address_size', $.number),
    file: ($) => seq('.file', $.number, $.string, optional(seq(',', $.number, optional(seq(',', $.number))))),
    pragma: ($) => seq('.pragma', list($.string), ';'),
    alias: ($) => seq('.alias', $.identifier, ',', $.identifier, ';'),
    dwarf_line: () => token(seq('@@DWARF', /[^\n]*/)),

    location: ($) =>
      seq(
        '.loc', $.number, $.number, $.number,
        optional(
          seq(
            ',', 'function_name', choice($.identifier, $.modifier), optional(seq('+', $.number)),
            ',', 'inlined_at', $.number, $.number, $.number,
          ),
        ),
      ),

    section: ($) =>
      seq('.section', choice($.identifier, $.modifier), '{', repeat(choice($.number, $.identifier, $.type, $.modifier, $.section_label, '+', '-', ',')), '}'),
    section_label: ($) => prec(1, seq($.identifier, ':')),

    linkage: () => choice('.extern', '.visible', '.weak', '.common'),

    function: ($) =>
      prec.right(
        seq(
          optional($.linkage),
          choice('.entry', '.func'),
          repeat($.attribute),
          optional(field('results', $.parameters)),
          field('name', alias($._name, $.identifier)),
          optional(field('parameters', $.parameters)),
          repeat(choice($.function_directive, $.attribute, $.pragma)),
          optional(choice($.block, ';')),
        ),
      ),

    function_directive: ($) => prec.right(seq(dotted(onFunctions), optional(list(choice($.number, $.identifier))))),

    parameters: ($) => seq('(', optional(list($.parameter)), ')'),
    parameter: ($) =>
      seq(
        repeat1(choice($.space, $.type, $.vector_type, $.alignment, $.pointer, $.attribute)),
        field('name', alias($._name, $.identifier)),
        repeat($.dimension),
      ),
    pointer: () => choice('.ptr', '.texref', '.samplerref', '.surfref'),

    attribute: ($) => seq('.attribute', '(', list(choice('.managed', seq('.unified', '(', list($.number), ')'))), ')'),
    alignment: ($) => seq('.align', $.number),
    space: ($) => seq(choice('.reg', '.const', '.global', '.local', '.param', '.shared', '.tex'), optional($.dimension)),
    vector_type: () => choice('.v2', '.v4', '.v8'),
    dimension: ($) => seq('[', optional($._expression), ']'),

    variables: ($) =>
      seq(
        optional($.linkage),
        repeat1(choice($.space, $.type, $.vector_type, $.alignment, $.pointer, $.attribute)),
        list($.declarator),
        ';',
      ),
    declarator: ($) =>
      seq(
        field('name', alias($._name, $.identifier)),
        optional(seq('<', $.number, '>')),
        repeat($.dimension),
        optional(seq('=', $._initializer)),
      ),
    _initializer: ($) => choice($._expression, $.initializer_list),
    initializer_list: ($) => seq('{', optional(list(choice($._initializer, $.field))), '}'),
    field: ($) => seq($.identifier, '=', $._expression),

    block: ($) => seq('{', repeat($._statement), '}'),

    _statement: ($) =>
      choice($.instruction, $.label, $.variables, $.block, $.location, $.pragma, $.branch_targets, $.call_targets, $.call_prototype, ';'),

    label: ($) => prec.right(seq(field('name', alias($._name, $.identifier)), ':')),
    branch_targets: ($) => seq($.label, '.branchtargets', list(seq($.identifier, optional(seq('<', $.number, '>')))), ';'),
    call_targets: ($) => seq($.label, '.calltargets', list($.identifier), ';'),
    call_prototype: ($) =>
      seq($.label, '.callprototype', optional($.parameters), $.identifier, optional($.parameters), repeat($.function_directive), ';'),

    instruction: ($) => seq(optional($.guard), $.mnemonic, optional($._operands), ';'),
    guard: ($) => seq('@', optional('!'), field('predicate', $.identifier)),
    mnemonic: ($) => prec.right(seq($.opcode, repeat(choice($.type, $.vector_type, $._space_modifier, $.modifier)))),
    opcode: () => choice(...words.opcodes),
    // Words that are directives elsewhere.
    _space_modifier: ($) =>
      choice(
        alias(
          choice('.reg', '.const', '.global', '.local', '.param', '.shared', '.tex', '.texref', '.samplerref', '.surfref', '.common', '.weak', '.align', '.unified', '.noreturn'),
          $.modifier,
        ),
        $.bank,
      ),
    // `ld.const[0].u32`, before PTX 2.2
    bank: ($) => seq('.const', token.immediate('['), $.number, ']'),

    _operands: ($) => list(choice($._operand, $.pair)),
    // A predicate after the result of a texture instruction; after a register it is a `binary`.
    pair: ($) => seq($.vector, '|', $._expression),
    _operand: ($) => choice($._expression, $.vector, $.address, $.list),
    vector: ($) => seq('{', optional(list($._operand)), '}'),
    address: ($) => seq('[', list($._operand), ']'),
    list: ($) => seq('(', optional(list($._operand)), ')'),

    _expression: ($) =>
      choice($.identifier, $.component, $.element, $.number, $.call, $.parenthesized, $.cast, $.unary, $.binary, $.conditional),
    component: ($) => prec(9, seq($.identifier, choice($.modifier, alias(choice('.b8', '.b16', '.b32', '.b64'), $.modifier)))),
    element: ($) => prec(9, seq($.identifier, '[', $._expression, ']')),
    call: ($) => prec(9, seq(choice($.identifier, $.number), '(', $._expression, ')')),
    parenthesized: ($) => seq('(', $._expression, ')'),
    cast: ($) => prec(8, seq('(', $.type, ')', $._expression)),
    unary: ($) => prec(8, seq(choice('-', '+', '!', '~'), $._expression)),
    binary: ($) =>
      choice(
        ...[
          ['*', 7], ['/', 7], ['%', 7], ['+', 6], ['-', 6], ['<<', 5], ['>>', 5], ['<', 4], ['>', 4], ['<=', 4], ['>=', 4],
          ['==', 3], ['!=', 3], ['&', 2], ['^', 2], ['|', 2], ['&&', 1], ['||', 1],
        ].map(([operator, rank]) => prec.left(rank, seq($._expression, operator, $._expression))),
      ),
    conditional: ($) => prec.right(0, seq($._expression, '?', $._expression, ':', $._expression)),

    // A name may be an opcode.
    _name: ($) => choice($.identifier, $.opcode),
    identifier: () => /[A-Za-z_][A-Za-z0-9_$]*|[%$][A-Za-z0-9_$]+/,
    type: () => dotted(words.types),
    modifier: () => /\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*(:4)?/,
    number: () =>
      token(
        choice(
          /0[xX][0-9A-Fa-f]+U?/, /0[fFdD][0-9A-Fa-f]+/, /0[bB][01]+U?/, /[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?U?/,
          'WARP_SZ',
        ),
      ),
    string: () => /"[^"\n]*"/,
    comment: () => token(choice(seq('//', /[^\n]*/), seq('/*', /[^*]*\*+([^/*][^*]*\*+)*/, '/'))),
    line_marker: () => token(prec(-1, /#[ \t]*(line[ \t]+)?[0-9]+[ \t]+"[^"\n]*"[0-9 \t]*/)),
  },
});
