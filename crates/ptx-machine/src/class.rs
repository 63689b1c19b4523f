//! What kind of work a machine instruction is.

use std::fmt;

use crate::listing::Instruction;

/// A class of machine instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Arithmetic of 64-bit integers: wide products, and the upper halves of sums.
    Wide,
    /// Copies between registers, and of special registers and constants to registers.
    Move,
    /// Selects.
    Select,
    /// Branches, exits, and what brings warps together again.
    Control,
    /// A load or a store: the space, and the bits that a thread accesses.
    Memory(Space, u16),
    /// Atomic operations and reductions in memory.
    Atomic,
    /// Fences and waits for memory.
    Fence,
    /// Barriers.
    Barrier,
    /// The unit for approximated functions.
    Special,
    /// Conversions.
    Conversion,
    /// Calls of the subroutines that ptxas adds for divisions and square roots.
    SlowPath,
    /// Calls of functions, and of subroutines for divisions of 64-bit integers.
    Call,
    /// Arithmetic in floating point, matrices included.
    Float,
    /// Everything else: integers, conditions, logic.
    Other,
}

/// Where a load or a store accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Space {
    /// Through a generic address.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory.
    Local,
    /// Textures and surfaces.
    Texture,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Memory(space, bits) => {
                let space = match space {
                    Space::Generic => "generic",
                    Space::Global => "global",
                    Space::Shared => "shared",
                    Space::Local => "local",
                    Space::Texture => "texture",
                };
                return write!(f, "{space}.{bits}");
            }
            Self::Wide => "64-bit",
            Self::Move => "moves",
            Self::Select => "select",
            Self::Control => "control",
            Self::Atomic => "atomics",
            Self::Fence => "fences",
            Self::Barrier => "barriers",
            Self::Special => "MUFU",
            Self::Conversion => "conversions",
            Self::SlowPath => "slow-path calls",
            Self::Call => "calls",
            Self::Float => "floating point",
            Self::Other => "other",
        };
        f.write_str(name)
    }
}

impl Class {
    /// The class of an instruction of sm_80 to sm_120.
    pub fn of(instruction: &Instruction) -> Self {
        let base = instruction.base();
        let memory = |space| Self::Memory(space, bits(instruction));
        match base {
            "LD" | "ST" => memory(Space::Generic),
            "LDG" | "STG" | "LDGSTS" => memory(Space::Global),
            "LDS" | "STS" | "LDSM" | "STSM" => memory(Space::Shared),
            "LDL" | "STL" => memory(Space::Local),
            "TEX" | "TLD" | "TLD4" | "SULD" | "SUST" => memory(Space::Texture),
            "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" | "REDAS" | "SUATOM" | "SURED" => Self::Atomic,
            "MEMBAR" | "ERRBAR" | "FENCE" | "CCTL" | "CCTLL" | "DEPBAR" | "LDGDEPBAR" | "ARRIVES" => {
                Self::Fence
            }
            "BAR" | "UCGABAR_ARV" | "UCGABAR_WAIT" | "SYNCS" | "WARPSYNC" => Self::Barrier,
            "MUFU" => Self::Special,
            "F2F" | "F2I" | "I2F" | "F2FP" | "I2FP" | "I2I" | "FRND" | "I2IP" | "F2IP" => Self::Conversion,
            "CALL" if instruction.calls_slow_path() => Self::SlowPath,
            "CALL" => Self::Call,
            "BRA" | "EXIT" | "BSSY" | "BSYNC" | "RET" | "BREAK" | "BMOV" | "BRX" | "BRXU" | "YIELD"
            | "JMP" | "JMX" | "KILL" | "NANOSLEEP" | "BPT" => Self::Control,
            "SEL" | "FSEL" | "USEL" => Self::Select,
            "MOV" | "UMOV" | "CS2R" | "S2R" | "R2UR" | "S2UR" | "LDC" | "ULDC" | "LDCU" | "MOV32I" => {
                Self::Move
            }
            // Copies that ptxas gives to another unit: `IMAD.MOV.U32`, `HFMA2.MMA R1, -RZ, RZ, 0, 0`.
            "IMAD" if instruction.has("MOV") => Self::Move,
            "HFMA2" if instruction.operands.contains("-RZ, RZ,") => Self::Move,
            _ if is_wide(instruction) => Self::Wide,
            "FFMA" | "FMUL" | "FADD" | "FFMA2" | "FMUL2" | "FADD2" | "DFMA" | "DMUL" | "DADD" | "HFMA2"
            | "HADD2" | "HMUL2" | "HMMA" | "IMMA" | "DMMA" | "QMMA" | "HGMMA" | "IGMMA" | "QGMMA"
            | "FMNMX" | "FSETP" | "DSETP" | "FSET" | "FCHK" | "HMNMX2" | "HSETP2" | "HSET2" | "FFMA32I"
            | "FMUL32I" | "FADD32I" | "FMNMX3" => Self::Float,
            _ => Self::Other,
        }
    }
}

/// Products of 64 bits, and the upper halves of additions, which take a carry.
fn is_wide(instruction: &Instruction) -> bool {
    instruction.has("WIDE")
        || instruction.has("X")
        || instruction.has("64")
        || instruction.base().ends_with("64")
}

/// The bits that a thread accesses.
fn bits(instruction: &Instruction) -> u16 {
    let widths = [("128", 128), ("64", 64), ("U8", 8), ("S8", 8), ("U16", 16), ("S16", 16), ("256", 256)];
    match widths.into_iter().find(|(name, _)| instruction.has(name)) {
        Some((_, bits)) => bits,
        // What names no width accesses a register.
        None => 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> String {
        let (opcode, operands) = text.split_once(' ').unwrap();
        let (opcode, operands) = (opcode.to_owned(), operands.to_owned());
        Class::of(&Instruction { address: 0, guard: None, opcode, operands, line: None }).to_string()
    }

    #[test]
    fn opcodes_of_a_listing_have_classes() {
        assert_eq!(class("LDG.E.128.CONSTANT R12, desc[UR6][R12.64]"), "global.128");
        assert_eq!(class("LDS R12, [R1]"), "shared.32");
        assert_eq!(class("IMAD.WIDE.U32 R4, R7, 0x10, R4"), "64-bit");
        assert_eq!(class("LEA.HI.X R13, R3, UR5, R2, 0x4, P0"), "64-bit");
        assert_eq!(class("HFMA2.MMA R10, -RZ, RZ, 0, 0"), "moves");
        assert_eq!(class("IMAD.MOV.U32 R1, RZ, RZ, R2"), "moves");
        assert_eq!(
            class("CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath)"),
            "slow-path calls"
        );
        assert_eq!(class("CALL.REL.NOINC `($__internal_1_$__cuda_sm20_div_u64)"), "calls");
        assert_eq!(class("IMAD R1, R2, R3, R4"), "other");
        assert_eq!(class("PRMT R1, R2, 0x5410, R3"), "other");
    }
}
