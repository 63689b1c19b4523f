//! Every row of the instruction table, with each of its modifiers, is either executed or refused by name.

use std::time::Duration;

use ptx_diag::SourceFile;
use ptx_exec::{Argument, ExecError, Launch, codes, run};
use ptx_isa::{
    Form, Mnemonic, Mod, MoveSem, OperandKind, PtxVersion, Role, ScalarType, Sem, Slot, Sm, StateSpace,
    VectorLength, all_forms, candidates,
};

/// The version of the programs here.
const NEWEST: PtxVersion = PtxVersion::new(9, 1);

/// How an instruction is refused: by the operation, or by what it has.
const REFUSALS: &[&str] = &[
    "the interpreter has no such operation",
    "is not supported",
    "there is no other device",
    "machine code of `.x8` loads one matrix",
];

/// A row's modifiers: the first of every needed slot, and then, one slot at a time, each other choice.
fn choices(form: &Form) -> Vec<Vec<Mod>> {
    let base: Vec<Option<Mod>> = form
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Lit(modifier) => Some(*modifier),
            Slot::One(_, set) => set.first().copied(),
            Slot::Opt(..) => None,
        })
        .collect();
    let mut all = vec![base.clone()];
    for (at, slot) in form.slots.iter().enumerate() {
        if let Slot::One(_, set) | Slot::Opt(_, set) = slot {
            for &modifier in *set {
                let mut changed = base.clone();
                changed[at] = Some(modifier);
                all.push(changed);
            }
        }
    }
    all.into_iter().map(|chosen| chosen.into_iter().flatten().collect()).collect()
}

/// Registers of a type: the name's class and its declaration.
fn class(ty: ScalarType) -> (&'static str, &'static str) {
    match (ty, ty.bits()) {
        (ScalarType::Pred, _) => ("%p", "pred"),
        (ScalarType::F32, _) => ("%f", "f32"),
        (ScalarType::F64, _) => ("%fd", "f64"),
        (_, 8) => ("%b", "b8"),
        (_, 16) => ("%h", "b16"),
        (_, 32) => ("%r", "b32"),
        (_, 64) => ("%rd", "b64"),
        _ => ("%rq", "b128"),
    }
}

const CLASSES: [ScalarType; 8] = [
    ScalarType::Pred,
    ScalarType::F32,
    ScalarType::F64,
    ScalarType::B8,
    ScalarType::B16,
    ScalarType::B32,
    ScalarType::B64,
    ScalarType::B128,
];

fn operand(m: &Mnemonic, kind: OperandKind, next: &mut usize) -> Option<String> {
    let mut register = |ty: ScalarType| {
        *next += 1;
        format!("{}{next}", class(ty).0)
    };
    let mut vector = |rule, length: VectorLength, braces_for_one: bool| {
        let ty = m.resolve(rule)?;
        let count = m.vector_length(length);
        let names: Vec<String> = (0..count).map(|_| register(ty)).collect();
        Some(if count > 1 || braces_for_one { format!("{{{}}}", names.join(", ")) } else { names.concat() })
    };
    Some(match kind {
        OperandKind::Value(rule)
        | OperandKind::Register(rule)
        | OperandKind::Wide(rule)
        | OperandKind::Untyped(rule)
        | OperandKind::Move(rule) => register(m.resolve(rule)?),
        OperandKind::WideVector(rule, length)
        | OperandKind::Elements(rule, length)
        | OperandKind::Registers(rule, length) => vector(rule, length, false)?,
        OperandKind::Vector(rule, length) => vector(rule, length, true)?,
        OperandKind::Predicate => register(ScalarType::Pred),
        OperandKind::Immediate(low, _) => low.to_string(),
        OperandKind::CachePolicy => register(ScalarType::B64),
        OperandKind::Address => match m.space() {
            Some(StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster) => "[s]".to_owned(),
            Some(StateSpace::Local) => "[l]".to_owned(),
            Some(StateSpace::Const) => "[c]".to_owned(),
            Some(StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc) => "[p]".to_owned(),
            _ => "[%rd0]".to_owned(),
        },
        OperandKind::AddressIn(StateSpace::Global) => "[%rd0]".to_owned(),
        OperandKind::AddressIn(_) => "[s]".to_owned(),
        OperandKind::LooseAddress => "[s]".to_owned(),
        OperandKind::Braced(rule, length) => vector(rule, length, true)?,
        // A tensor map, texture or surface.
        OperandKind::Reference => "%rd0".to_owned(),
        OperandKind::Bracketed(parts) => {
            let given = parts.iter().filter(|part| !part.role.is_optional() || m.asks_for(part));
            let texts: Option<Vec<String>> = given.map(|part| operand(m, part.kind, next)).collect();
            format!("[{}]", texts?.join(", "))
        }
        OperandKind::Coordinates(rule) => {
            let ty = m.resolve(rule)?;
            let has = |all: &[Mod]| all.iter().any(|&modifier| m.has(modifier));
            let index = has(&[Mod::A1d, Mod::A2d, Mod::Acube, Mod::A2dms]).then_some(ScalarType::B32);
            let count = match () {
                () if has(&[Mod::D1]) => 1,
                () if has(&[Mod::D2, Mod::A1d]) => 2,
                () => 4,
            };
            let types = index.into_iter().chain(std::iter::repeat(ty)).take(count);
            format!("{{{}}}", types.map(register).collect::<Vec<_>>().join(", "))
        }
        // What has these the interpreter does not execute.
        OperandKind::TensorAddress | OperandKind::Selected(..) | OperandKind::Signed(..) => return None,
        OperandKind::Label => "AFTER".to_owned(),
        OperandKind::BranchTargets => "TARGETS".to_owned(),
        OperandKind::Callee | OperandKind::Results | OperandKind::Arguments | OperandKind::CallTargets => {
            return None;
        }
    })
}

fn program(m: &Mnemonic) -> Option<String> {
    let mut line = m.to_string();
    let mut next = 0;
    let mut first = true;
    for place in m.form().operands {
        if place.role.is_optional() && !m.asks_for(place) {
            continue;
        }
        let text = operand(m, place.kind, &mut next)?;
        line += match (place.role, first) {
            (Role::DefPair, _) => "|",
            (_, true) => " ",
            (_, false) => ", ",
        };
        line += &text;
        first = false;
    }
    let declared: String =
        CLASSES.iter().map(|&ty| format!(".reg .{} {}<40>;\n", class(ty).1, class(ty).0)).collect();
    let text = format!(
        ".version 9.1\n.target sm_100\n.address_size 64\n.const .align 16 .b8 c[64];\n\
         .visible .entry k(.param .align 16 .b8 p[64], .param .u64 g) {{\n{declared}\
         .shared .align 16 .b8 s[64];\n.local .align 16 .b8 l[64];\n\
         TARGETS: .branchtargets AFTER;\nld.param.u64 %rd0, [g];\n{line};\nAFTER:\nret;\n}}\n"
    );
    // Generic addresses of 32 bits are in modules that have no others.
    let is_narrow = m.sem() == Sem::Move(MoveSem::Cvta) && m.scalar_type() == Some(ScalarType::U32);
    Some(if is_narrow {
        text.replace(".address_size 64", ".address_size 32").replace("u64", "u32").replace("%rd0", "%r0")
    } else {
        text
    })
}

#[test]
fn every_row_is_executed_or_refused_by_name() {
    let (mut executed, mut unverified) = (0, 0);
    for form in all_forms() {
        for modifiers in choices(form) {
            let words: Vec<&str> = modifiers.iter().map(|modifier| modifier.as_str()).collect();
            let text = [&[form.opcode.as_str()], words.as_slice()].concat().join(".");
            let found = candidates(&text).unwrap_or_default();
            let Some(m) = found.into_iter().find(|m| std::ptr::eq(m.form(), form)) else { continue };
            if m.since().ptx > NEWEST || !m.since().admits(Sm::new(100)) {
                continue;
            }
            let Some(text) = program(&m) else { continue };
            let source = SourceFile::new("row.ptx", text.clone());
            let (module, findings) = ptx_syntax::parse(&source);
            let verified = if findings.has_errors() { None } else { ptx_verify::verify(&module).ok() };
            let Some((verified, _)) = verified else {
                unverified += 1;
                continue;
            };
            let mut launch = Launch { block: [32, 1, 1], ..Launch::new("k") };
            launch.arguments = vec![Argument::Bytes(vec![0; 64]), Argument::Buffer(vec![0; 64])];
            launch.limits.timeout = Some(Duration::from_secs(120));
            match run(verified, &launch) {
                Ok(_) | Err(ExecError::Trap(_)) => executed += 1,
                Err(ExecError::Refused(findings)) => {
                    let finding = findings.iter().next().unwrap();
                    assert_eq!(finding.code, codes::UNSUPPORTED, "{}\n{text}", finding.message);
                    let named = REFUSALS.iter().any(|why| finding.message.contains(why));
                    assert!(named, "{}\n{text}", finding.message);
                }
            }
        }
    }
    // Some modifiers need others beside them, which is the verifier's matter; the rest must not shrink unnoticed.
    assert!(executed > 5 * unverified, "{executed} executed, {unverified} not verified");
}
