//! The listing of `nvdisasm -gp -c` taken apart: the instructions of each function with their PTX lines, and the labels between them.

use std::collections::BTreeMap;

/// One machine instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its offset from the start of the section.
    pub address: u64,
    /// The guard with its `@`.
    pub guard: Option<String>,
    /// Opcode and modifiers: `LDG.E.128.CONSTANT`.
    pub opcode: String,
    /// The operands as they are listed.
    pub operands: String,
    /// The line of the PTX text that it was made of, from 1; `None` before the first line mark.
    pub line: Option<u32>,
}

impl Instruction {
    /// The opcode without modifiers.
    pub fn base(&self) -> &str {
        // Default: text without a full stop is the opcode itself.
        self.opcode.split('.').next().unwrap_or(&self.opcode)
    }

    /// Whether the opcode has this modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|part| part == modifier)
    }

    /// Whether it does nothing: padding.
    pub fn is_padding(&self) -> bool {
        self.base() == "NOP"
    }

    /// The function or label that it calls, if it is a call that names it: `CALL.REL.NOINC R2 `(k)` adds a register to a place.
    pub fn callee(&self) -> Option<&str> {
        (self.base() == "CALL" && self.operands.starts_with('`')).then(|| self.target()).flatten()
    }

    /// Whether it calls a subroutine of ptxas for operands out of the ordinary.
    pub fn calls_slow_path(&self) -> bool {
        self.callee().is_some_and(is_slow_path)
    }

    /// The label among the operands.
    pub fn target(&self) -> Option<&str> {
        let (_, rest) = self.operands.split_once("`(")?;
        rest.split_once(')').map(|(label, _)| label)
    }
}

/// The beginning of the names of subroutines that ptxas adds.
pub(crate) const INTERNAL: &str = "$__internal";

/// Whether a name is that of a subroutine for operands out of the ordinary (`$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath`). Divisions of 64-bit integers are whole subroutines,
/// which are executed for all operands (`$__internal_1_$__cuda_sm20_div_u64`).
pub(crate) fn is_slow_path(name: &str) -> bool {
    let integers = ["_u16", "_s16", "_u32", "_s32", "_u64", "_s64"];
    name.starts_with(INTERNAL) && !integers.iter().any(|ty| name.ends_with(ty))
}

/// A part of a function's section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A label; names of functions and of subroutines that ptxas adds (`$__internal_0_$__cuda_sm3x_div_rn`) are labels, too.
    Label(String),
    /// An instruction.
    Instruction(Instruction),
}

/// The functions of a listing: for each section `.text.NAME` what it holds, in order.
pub fn functions(listing: &str) -> BTreeMap<String, Vec<Item>> {
    let mut functions: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut current: Option<String> = None;
    let mut line = None;
    for text in listing.lines() {
        let words = text.trim();
        if let Some(rest) = words.strip_prefix("//--") {
            current = rest.trim_matches('-').trim().strip_prefix(".text.").map(|name| name.trim().to_owned());
            line = None;
            continue;
        }
        let Some(name) = &current else { continue };
        if let Some(number) = line_mark(words) {
            line = Some(number);
            continue;
        }
        let item = label(words).map(Item::Label).or_else(|| instruction(words, line).map(Item::Instruction));
        functions.entry(name.clone()).or_default().extend(item);
    }
    functions
}

/// The number in `//## File ".nv_debug_ptx_txt", line 33`; marks of other files are source lines of the PTX.
fn line_mark(text: &str) -> Option<u32> {
    let (_, rest) = text.strip_prefix("//##")?.split_once("\".nv_debug_ptx_txt")?;
    let (_, number) = rest.split_once("line ")?;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn label(text: &str) -> Option<String> {
    let name = text.strip_suffix(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    (!name.is_empty() && name.chars().all(is_part)).then(|| name.to_owned())
}

/// Reads `/*00a0*/  @!P0 BRA `(.L_x_0) ;`.
fn instruction(text: &str, line: Option<u32>) -> Option<Instruction> {
    let (address, rest) = text.strip_prefix("/*")?.split_once("*/")?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (rest, _) = rest.rsplit_once(';')?;
    let mut rest = rest.trim();
    // Instructions that issue together are in braces in listings of old architectures.
    rest = rest.trim_start_matches('{').trim_start();
    let guard = rest.starts_with('@').then(|| rest.split_whitespace().next()).flatten();
    if let Some(guard) = guard {
        rest = rest[guard.len()..].trim_start();
    }
    let (opcode, operands) = rest.split_once(char::is_whitespace).map_or((rest, ""), |(a, b)| (a, b.trim()));
    (!opcode.is_empty()).then(|| Instruction {
        address,
        guard: guard.map(str::to_owned),
        opcode: opcode.to_owned(),
        operands: operands.to_owned(),
        line,
    })
}

/// The instructions of a function and of the subroutines that ptxas adds to it, without what pads its end: the branch to itself, and `NOP`s.
pub fn length(items: &[Item]) -> usize {
    let code: Vec<&Instruction> = items
        .iter()
        .filter_map(|item| match item {
            Item::Instruction(one) => Some(one),
            Item::Label(_) => None,
        })
        .collect();
    let pads = code.iter().rev().take_while(|one| one.is_padding() || one.base() == "BRA").count();
    code.len() - pads
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From what nvdisasm 13.5 prints.
    const LISTING: &str = "\t.target\tsm_90

//--------------------- .text.k               --------------------------
\t.section\t.text.k,\"ax\",@progbits
k:
.text.k:
\t//## File \".nv_debug_ptx_txt\", line 16
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File \"/a/k.cu\", line 7
\t//## File \".nv_debug_ptx_txt\", line 38
        /*00a0*/              @!P0 BRA `(.L_x_0) ;
.L_x_0:
        /*00b0*/                   BRX R2 -0x230 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*) ;
        /*00c0*/                   EXIT ;
//--------------------- .nv.shared.k          --------------------------
        /*0000*/                   .byte 0x00
";

    #[test]
    fn instructions_have_their_lines_guards_and_operands() {
        let functions = functions(LISTING);
        assert_eq!(functions.keys().collect::<Vec<_>>(), ["k"]);
        let items = &functions["k"];
        let labels: Vec<&str> = items
            .iter()
            .filter_map(|i| if let Item::Label(name) = i { Some(name.as_str()) } else { None })
            .collect();
        assert_eq!(labels, ["k", ".text.k", ".L_x_0"]);
        let code: Vec<&Instruction> =
            items.iter().filter_map(|i| if let Item::Instruction(i) = i { Some(i) } else { None }).collect();
        assert_eq!(code.len(), 4);
        assert_eq!((code[0].line, code[0].base(), code[0].address), (Some(16), "LDC", 0));
        assert_eq!(
            (code[1].guard.as_deref(), code[1].target(), code[1].line),
            (Some("@!P0"), Some(".L_x_0"), Some(38))
        );
        assert!(code[2].operands.contains("BRANCH_TARGETS"));
        assert_eq!((code[3].opcode.as_str(), code[3].operands.as_str()), ("EXIT", ""));
    }
}
