//! Tests that print modules built by hand.

use ptx_isa::{Mnemonic, PtxVersion, ScalarType, Sm, StateSpace, ptx};

use super::print;
use crate::at::At;
use crate::body::{Guard, LabelKind, Stmt};
use crate::module::{
    Function, FunctionDirective, FunctionKind, Initializer, Item, Linkage, Module, Param, TargetSpec,
    VarType, Variable,
};
use crate::operand::{AddressBase, Immediate, Literal, Operand, Symbol};
use crate::{BodyBuilder, VarId};

fn variable(module: &mut Module, name: &str, space: StateSpace, ty: ScalarType) -> VarId {
    let name = module.strings.intern(name);
    module.add_variable(Variable::new(name, space, VarType::Scalar(ty)))
}

#[test]
fn a_kernel_prints_like_a_compiler_writes_it() {
    let mut module = Module::default();
    let sm = module.strings.intern("sm_80");
    let target = TargetSpec { sm: Some(Sm::new(80)), names: vec![sm] };
    module.items.push(Item::Version(PtxVersion::new(8, 7), At::default()));
    module.items.push(Item::Target(target, At::default()));
    module.items.push(Item::AddressSize(64, At::default()));
    let parameter = variable(&mut module, "k_param_0", StateSpace::Param, ScalarType::U64);
    let mut code = BodyBuilder::new();
    let rd = code.new_register(&mut module.strings, ScalarType::B64);
    let r = code.new_register(&mut module.strings, ScalarType::B32);
    let p = code.new_register(&mut module.strings, ScalarType::Pred);
    let from = Operand::Address(AddressBase::Symbol(Symbol::Variable(parameter)), 0);
    let done = module.strings.intern("$L_done");
    let done = code.new_label(done, LabelKind::Code);
    let zero = Operand::Immediate(Immediate::integer(0));
    let lines: [(Option<Guard>, Mnemonic, &[Operand]); 4] = [
        (None, ptx!("ld.param.u64"), &[Operand::Register(rd), from, Operand::Omitted]),
        (
            None,
            ptx!("ld.global.u32"),
            &[Operand::Register(r), Operand::Address(AddressBase::Register(rd), -8), Operand::Omitted],
        ),
        (None, ptx!("setp.eq.s32"), &[Operand::Register(p), Operand::Omitted, Operand::Register(r), zero]),
        (Some(Guard { register: p, negated: true }), ptx!("bra"), &[Operand::Label(done)]),
    ];
    for (guard, mnemonic, operands) in lines {
        code.push_inst(guard, mnemonic, operands);
    }
    code.place(done);
    let note = module.strings.intern("// the end");
    code.push(Stmt::TrailingComment(note));
    // A mark is not printed.
    code.push(Stmt::Mark(1));
    code.push_inst(None, ptx!("ret"), &[]);
    let name = module.strings.intern("k");
    let kernel = Function {
        name,
        kind: FunctionKind::Kernel,
        linkage: Linkage::Visible,
        results: Vec::new(),
        params: vec![Param::Variable(parameter)],
        directives: vec![(FunctionDirective::MaxNtid([Some(128), Some(1), None]), At::default())],
        body: Some(code.finish()),
        reg_params: None,
        at: At::default(),
    };
    let id = module.add_function(kernel);
    module.items.push(Item::Function(id));
    assert_eq!(
        print(&module),
        "\
.version 8.7
.target sm_80
.address_size 64

.visible .entry k(
\t.param .u64 k_param_0
)
.maxntid 128, 1
{
\t.reg .b64 \t%rd<2>;
\t.reg .b32 \t%r<2>;
\t.reg .pred \t%p<2>;
\tld.param.u64 \t%rd1, [k_param_0];
\tld.global.u32 \t%r1, [%rd1+-8];
\tsetp.eq.s32 \t%p1, %r1, 0;
\t@!%p1 bra \t$L_done;

$L_done: // the end
\tret;
}
"
    );
}

#[test]
fn initial_values_keep_their_literal_forms() {
    let mut module = Module::default();
    let other = variable(&mut module, "other", StateSpace::Global, ScalarType::B8);
    let table = variable(&mut module, "table", StateSpace::Const, ScalarType::U64);
    let octal = module.strings.intern("017");
    let values = vec![
        Initializer::Value(Immediate::S64(-1, Literal::Plain)),
        Initializer::Value(Immediate::S64(255, Literal::Hex)),
        Initializer::Value(Immediate::S64(15, Literal::Text(octal))),
        Initializer::Value(Immediate::U64(5, Literal::Plain)),
        Initializer::Value(Immediate::F32(0x3F80_0000, Literal::Plain)),
        Initializer::Address { symbol: Symbol::Variable(other), offset: -4, generic: true },
    ];
    module.variables[table.0 as usize].dims = vec![None];
    module.variables[table.0 as usize].align = Some(16);
    module.variables[table.0 as usize].init = Some(Initializer::List(values));
    module.items.push(Item::Variable(table));
    let expected = ".const .align 16 .u64 table[] = {-1, 0xFF, 017, 5U, 0f3F800000, generic(other)+-4};\n";
    assert_eq!(print(&module), expected);
}
