//! The kernels around an instruction.

use std::fmt::Write as _;

use ptx_gen::Home;
use ptx_isa::ScalarType;

use super::case::{Case, Register};
use super::operand::Tuple;

/// The bytes that each register has in memory.
pub(crate) const SLOT: usize = 16;
/// The most threads of a block.
const BLOCK: usize = 256;

/// Where the registers get their values from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feed {
    /// From memory; each thread has its own.
    Memory,
    /// From the text of the kernel; one thread executes the instruction with each of them.
    Constants,
}

impl Feed {
    /// All of them.
    pub(super) const ALL: [Feed; 2] = [Feed::Memory, Feed::Constants];

    const fn letter(self) -> char {
        match self {
            Feed::Memory => 'm',
            Feed::Constants => 'c',
        }
    }

    /// The blocks and threads of a launch for so many tuples.
    pub(super) fn shape(self, tuples: usize) -> (u32, u32) {
        match self {
            Feed::Memory if tuples > BLOCK => (tuples.div_ceil(BLOCK) as u32, BLOCK as u32),
            Feed::Memory => (1, tuples as u32),
            Feed::Constants => (1, 1),
        }
    }
}

/// The name of the kernel of a case.
pub(super) fn name(feed: Feed, at: usize) -> String {
    format!("{}{at}", feed.letter())
}

/// The lines before the kernels.
pub(crate) fn head(home: Home) -> String {
    format!(".version {}\n.target {}\n.address_size 64\n", home.version, home.sm)
}

/// A kernel `(in, out)` that executes the instruction of a case.
pub(super) fn kernel(feed: Feed, at: usize, case: &Case, tuples: &[Tuple]) -> String {
    let mut text = format!(".visible .entry {}(.param .u64 in, .param .u64 out)\n{{\n", name(feed, at));
    text += ".reg .b64 %in, %out, %at, %low, %high;\n.reg .b32 %i, %n, %bit;\n.reg .b16 %half;\n";
    text += "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n";
    // Writing to a string cannot fail.
    match feed {
        Feed::Memory => {
            text += "mov.u32 %i, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmul.lo.s32 %i, %i, %n;\n";
            text += "mov.u32 %n, %tid.x;\nadd.s32 %i, %i, %n;\n";
            let _ = writeln!(text, "mul.wide.u32 %at, %i, {};", case.registers.len() * SLOT);
            text += "add.s64 %in, %in, %at;\nadd.s64 %out, %out, %at;\n";
            let load = |at: usize, one: &Register| load(one, at * SLOT);
            block(&mut text, case, load, 0);
        }
        Feed::Constants => {
            for (number, tuple) in tuples.iter().enumerate() {
                let set = |at: usize, one: &Register| set(one, tuple.get(at).copied().unwrap_or(0));
                block(&mut text, case, set, number * case.registers.len() * SLOT);
            }
        }
    }
    text + "ret;\n}\n"
}

/// A kernel `(in, out)` that one thread executes: the registers of a case are in slots from `in` on.
pub(crate) fn plain_kernel(at: usize, case: &Case) -> String {
    let mut text = format!(".visible .entry {}(.param .u64 in, .param .u64 out)\n{{\n", plain_name(at));
    text += ".reg .b64 %in, %out;\n.reg .b32 %bit;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n";
    block(&mut text, case, |at, one| load(one, at * SLOT), 0);
    text + "ret;\n}\n"
}

/// The name of such a kernel.
pub(crate) fn plain_name(at: usize) -> String {
    format!("p{at}")
}

/// The instruction in a block of its own, its registers given values before and stored after it.
fn block(text: &mut String, case: &Case, give: impl Fn(usize, &Register) -> String, offset: usize) {
    text.push_str("{\n");
    for one in &case.registers {
        let _ = writeln!(text, ".reg .{} {};", one.declared.as_str(), one.name);
    }
    for (at, one) in case.registers.iter().enumerate() {
        text.push_str(&give(at, one));
    }
    let _ = writeln!(text, "{}", case.text);
    for (at, one) in case.registers.iter().enumerate() {
        text.push_str(&store(one, offset + at * SLOT));
    }
    text.push_str("}\n");
}

/// The type that memory of a register is accessed as; predicates have none.
fn access(ty: ScalarType) -> &'static str {
    match ty.bits() {
        1 => "u32",
        8 => "b8",
        16 => "b16",
        32 => "b32",
        64 => "b64",
        _ => "b128",
    }
}

fn load(one: &Register, offset: usize) -> String {
    let (name, access) = (&one.name, access(one.declared));
    if one.declared == ScalarType::Pred {
        return format!("ld.global.u32 %bit, [%in+{offset}];\nsetp.ne.u32 {name}, %bit, 0;\n");
    }
    format!("ld.global.{access} {name}, [%in+{offset}];\n")
}

fn set(one: &Register, value: u128) -> String {
    let (name, low) = (&one.name, value as u64);
    match one.declared.bits() {
        1 => format!("setp.ne.u32 {name}, {low}, 0;\n"),
        8 => format!(
            "mov.b16 %half, {low};\ncvt.{}.u16 {name}, %half;\n",
            one.declared.as_str().replace('b', "u")
        ),
        128 => {
            let high = value >> 64;
            format!(
                "mov.b64 %low, {low:#x}U;\nmov.b64 %high, {high:#x}U;\nmov.b128 {name}, {{%low, %high}};\n"
            )
        }
        bits => format!("mov.b{bits} {name}, {low:#x}U;\n"),
    }
}

fn store(one: &Register, offset: usize) -> String {
    let (name, access) = (&one.name, access(one.declared));
    if one.declared == ScalarType::Pred {
        return format!("selp.u32 %bit, 1, 0, {name};\nst.global.u32 [%out+{offset}], %bit;\n");
    }
    format!("st.global.{access} [%out+{offset}], {name};\n")
}
