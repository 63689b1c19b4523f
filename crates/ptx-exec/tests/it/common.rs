//! What tests share: launches, the bits of small numbers in every type of an element, and the registers of a warp as bytes.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use executed_rows::run;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, ExecError, Launch, Outcome};
use ptx_isa::{Form, Mnemonic, Mod, Opcode, Sem, Slot, all_forms, candidates};

/// Launches a kernel of a text, which has to be valid.
pub fn execute(text: &str, launch: &Launch) -> Result<Outcome, ExecError> {
    let source = SourceFile::new("test.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}\n{text}"));
    run(verified, launch)
}

/// All combinations of a row's modifiers that its rules allow.
pub fn mnemonics(form: &Form) -> Vec<Mnemonic> {
    let mut all: Vec<Vec<Mod>> = vec![Vec::new()];
    for slot in form.slots {
        let choices: Vec<Option<Mod>> = match slot {
            Slot::Lit(modifier) => vec![Some(*modifier)],
            Slot::One(_, set) => set.iter().copied().map(Some).collect(),
            Slot::Opt(_, set) => std::iter::once(None).chain(set.iter().copied().map(Some)).collect(),
        };
        all = all
            .iter()
            .flat_map(|before| choices.iter().map(|choice| before.iter().copied().chain(*choice).collect()))
            .collect();
    }
    let mnemonic = |modifiers: &Vec<Mod>| {
        let words = modifiers.iter().map(|modifier| modifier.as_str());
        let text: Vec<&str> = std::iter::once(form.opcode.as_str()).chain(words).collect();
        candidates(&text.join(".")).ok()?.into_iter().find(|m| std::ptr::eq(m.form(), form))
    };
    all.iter().filter_map(mnemonic).collect()
}

/// The texts of all mnemonics that the rows of an operation have, in the order of their modifiers.
pub fn texts_of(opcode: Opcode, sem: Sem) -> BTreeSet<String> {
    let forms = all_forms().iter().filter(|form| form.opcode == opcode && form.sem == sem);
    forms.flat_map(mnemonics).map(|mnemonic| mnemonic.to_string()).collect()
}

/// The mnemonics that a test executed.
#[derive(Default)]
pub struct Ran(Mutex<BTreeSet<String>>);

impl Ran {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeSet::new()))
    }

    pub fn note(&self, mnemonic: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(mnemonic.to_owned());
    }

    /// Those executed are all that the table has.
    pub fn expect_all(&self, table: &BTreeSet<String>) {
        assert!(!table.is_empty(), "the table has no such operation");
        let ran = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&String> = table.difference(&ran).collect();
        assert!(missing.is_empty(), "{} of {} are not executed: {missing:#?}", missing.len(), table.len());
        let unknown: Vec<&String> = ran.difference(table).collect();
        assert!(unknown.is_empty(), "not in the table: {unknown:#?}");
    }
}

/// The 32-bit words of a buffer.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Executes kernel `k` of a text on one warp; gives what the buffers hold afterwards.
pub fn launch_warp(
    version: &str,
    target: &str,
    text: &str,
    arguments: Vec<Argument>,
) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    let text = format!(".version {version}\n.target {target}\n.address_size 64\n{text}");
    execute(&text, &Launch { block: [32, 1, 1], arguments, ..Launch::new("k") }).map(|done| done.buffers)
}

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Type {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    /// In the lower six bits of a byte.
    E3m2,
    E2m3,
    /// In the middle of a byte.
    E2m1,
    U8,
    S8,
    U4,
    S4,
    B1,
    S32,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Type::F16 => "f16",
            Type::Bf16 => "bf16",
            Type::Tf32 => "tf32",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::E4m3 => "e4m3",
            Type::E5m2 => "e5m2",
            Type::E3m2 => "e3m2",
            Type::E2m3 => "e2m3",
            Type::E2m1 => "e2m1",
            Type::U8 => "u8",
            Type::S8 => "s8",
            Type::U4 => "u4",
            Type::S4 => "s4",
            Type::B1 => "b1",
            Type::S32 => "s32",
        }
    }

    /// Bits of an element in a register.
    pub fn bits(self) -> usize {
        match self {
            Type::B1 => 1,
            Type::U4 | Type::S4 => 4,
            Type::U8 | Type::S8 | Type::E4m3 | Type::E5m2 | Type::E3m2 | Type::E2m3 | Type::E2m1 => 8,
            Type::F16 | Type::Bf16 => 16,
            Type::Tf32 | Type::F32 | Type::S32 => 32,
            Type::F64 => 64,
        }
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, Type::U8 | Type::U4 | Type::B1)
    }

    /// The bits of a small integer; those of 0 to 3 in narrow formats are from the manual's 5.2.3.
    pub fn encode(self, value: i64) -> u64 {
        match self {
            Type::F16 => half::f16::from_f64(value as f64).to_bits().into(),
            Type::Bf16 => half::bf16::from_f64(value as f64).to_bits().into(),
            Type::Tf32 | Type::F32 => (value as f32).to_bits().into(),
            Type::F64 => (value as f64).to_bits(),
            Type::E4m3 => narrow(value, [0, 0x38, 0x40, 0x44], 0x80),
            Type::E5m2 => narrow(value, [0, 0x3c, 0x40, 0x42], 0x80),
            Type::E3m2 => narrow(value, [0, 0b01100, 0b10000, 0b10010], 0x20),
            Type::E2m3 => narrow(value, [0, 0b01000, 0b10000, 0b10100], 0x20),
            Type::E2m1 => narrow(value, [0, 0b010, 0b100, 0b101], 0x8) << 2,
            Type::U8 | Type::S8 | Type::U4 | Type::S4 | Type::B1 | Type::S32 => {
                value as u64 & (u64::MAX >> (64 - self.bits()))
            }
        }
    }
}

/// One of the numbers from -3 to 3, from the bits of 0 to 3 and that of the sign.
pub fn narrow(value: i64, magnitudes: [u64; 4], sign: u64) -> u64 {
    magnitudes[value.unsigned_abs() as usize] | if value < 0 { sign } else { 0 }
}

/// The bytes of all lanes' registers, lane after lane, each with `count` elements of so many bits, the first in the lowest.
pub fn spread(bits: usize, count: usize, raw: impl Fn(usize, usize) -> u64) -> Vec<u8> {
    let of_lane = count * bits / 8;
    let mut bytes = vec![0; 32 * of_lane];
    for lane in 0..32 {
        for i in 0..count {
            let raw = raw(lane, i);
            for bit in 0..bits {
                let at = i * bits + bit;
                bytes[lane * of_lane + at / 8] |= ((raw >> bit & 1) as u8) << (at % 8);
            }
        }
    }
    bytes
}
