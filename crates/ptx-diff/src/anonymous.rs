//! A module as it is compared: names that have no meaning are one and the same, and constants have one form.

use ptx_ir::{
    Body, Function, FunctionId, Immediate, Initializer, Integers, Literal, Module, Stmt, StrId, Symbol,
    VarId, VarType, Variable, print_signature, print_statement, print_variable,
};
use ptx_isa::ScalarType;

/// A module without names of parameters, local variables, registers and labels; it has no statements.
#[derive(Debug)]
pub(crate) struct Anonymous {
    module: Module,
    /// What takes the place of names. No name in PTX is a single underscore.
    nameless: StrId,
}

impl Anonymous {
    /// `is_global` tells which variables have a name with a meaning.
    pub(crate) fn new(module: &Module, is_global: impl Fn(VarId) -> bool) -> Self {
        let mut strings = module.strings.clone();
        let nameless = strings.intern("_");
        let variable = |(at, variable): (usize, &Variable)| {
            let mut variable = variable.clone();
            let bits = bits(variable.ty);
            let is_single = variable.ty == VarType::Scalar(ScalarType::F32);
            if let Some(init) = &mut variable.init {
                plain(module, init, bits, is_single);
            }
            if !is_global(VarId(at as u32)) {
                variable.name = nameless;
            }
            variable
        };
        let variables = module.variables.iter().enumerate().map(variable).collect();
        let functions =
            module.functions.iter().map(|function| without_statements(function, nameless)).collect();
        let module = Module { strings, items: Vec::new(), variables, functions, registers: Vec::new() };
        Self { module, nameless }
    }

    /// The text of a variable's declaration.
    pub(crate) fn declaration(&self, id: VarId) -> String {
        print_variable(&self.module, self.module.variable(id))
    }

    /// The text of a statement of a function that is a directive.
    pub(crate) fn directive(&self, function: FunctionId, statement: &Stmt) -> String {
        match &self.module.function(function).reg_params {
            Some(body) => print_statement(&self.module, body, statement),
            // A function without a body has no statements.
            None => String::new(),
        }
    }

    /// What a function has before its body, without its own name.
    pub(crate) fn signature(&self, id: FunctionId) -> String {
        let function = Function { name: self.nameless, ..self.module.function(id).clone() };
        print_signature(&self.module, &function)
    }
}

/// A function whose registers and labels have no names; what its body declares is kept as that of a declaration.
fn without_statements(function: &Function, nameless: StrId) -> Function {
    let declarations = function.body.as_ref().or(function.reg_params.as_deref()).map(|body| {
        let mut declared = Body::default();
        (declared.reg_decls, declared.labels) = (body.reg_decls.clone(), body.labels.clone());
        declared.reg_decls.iter_mut().for_each(|decl| decl.name = nameless);
        declared.labels.iter_mut().for_each(|label| label.name = nameless);
        Box::new(declared)
    });
    Function {
        name: function.name,
        kind: function.kind,
        linkage: function.linkage,
        results: function.results.clone(),
        params: function.params.clone(),
        directives: function.directives.clone(),
        body: None,
        reg_params: declarations,
        at: function.at,
    }
}

/// The bits of an element of a variable; none of references to textures.
fn bits(ty: VarType) -> Option<u32> {
    match ty {
        VarType::Scalar(ty) => Some(8 * ty.bytes()),
        VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => None,
    }
}

/// Gives the constants of an initial value one form: of integers the low bits, of numbers the bits that the variable has.
fn plain(module: &Module, init: &mut Initializer, bits: Option<u32>, is_single: bool) {
    match init {
        Initializer::List(values) => {
            values.iter_mut().for_each(|value| plain(module, value, bits, is_single));
        }
        Initializer::Integers(integers) => {
            let mut packed = Integers::with_capacity(integers.len());
            for value in integers.iter() {
                packed.push(low(value as u64, bits) as i64);
            }
            *integers = packed;
        }
        Initializer::Value(value) => *value = plain_constant(module, *value, bits, is_single),
        Initializer::Fields(_) | Initializer::Address { .. } | Initializer::Masked { .. } => {}
    }
}

/// The low bits of an integer.
fn low(value: u64, bits: Option<u32>) -> u64 {
    match bits {
        Some(bits) if bits < 64 => value & ((1 << bits) - 1),
        _ => value,
    }
}

fn plain_constant(module: &Module, value: Immediate, bits: Option<u32>, is_single: bool) -> Immediate {
    match value {
        Immediate::S64(_, literal) | Immediate::U64(_, literal) if is_warp_size(module, literal) => value,
        Immediate::S64(value, _) => Immediate::S64(low(value as u64, bits) as i64, Literal::Plain),
        Immediate::U64(value, _) => Immediate::S64(low(value, bits) as i64, Literal::Plain),
        Immediate::F64(bits, _) if is_single => Immediate::F32(single(bits), Literal::Plain),
        Immediate::F64(bits, _) => Immediate::F64(bits, Literal::Plain),
        Immediate::F32(bits, _) => Immediate::F32(bits, Literal::Plain),
    }
}

/// Whether a constant is `WARP_SZ`: its name is what the program means by it.
pub(crate) fn is_warp_size(module: &Module, literal: Literal) -> bool {
    matches!(literal, Literal::Text(text) if module.name(text).contains("WARP_SZ"))
}

/// The bits of a double as a number of single precision, as `ptxas` rounds constants.
pub(crate) fn single(bits: u64) -> u32 {
    (f64::from_bits(bits) as f32).to_bits()
}

/// Adds the variables that an initial value refers to, in the order of its text.
pub(crate) fn variables_of(init: &Initializer, found: &mut Vec<VarId>) {
    match init {
        Initializer::List(values) => values.iter().for_each(|value| variables_of(value, found)),
        Initializer::Address { symbol: Symbol::Variable(id), .. }
        | Initializer::Masked { symbol: Symbol::Variable(id), .. } => found.push(*id),
        Initializer::Address { .. }
        | Initializer::Masked { .. }
        | Initializer::Integers(_)
        | Initializer::Value(_)
        | Initializer::Fields(_) => {}
    }
}
