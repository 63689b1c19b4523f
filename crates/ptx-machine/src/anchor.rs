//! Which machine instructions tell how often a PTX line is executed: what ptxas neither merges with others nor splits.

/// The machine code of an anchor, and how much it counts where counts contradict each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Anchor {
    /// The opcodes, without modifiers.
    pub opcodes: &'static [&'static str],
    /// The cost of an execution too many or too few.
    pub weight: f64,
}

/// From this weight on an anchor that does not fit is part of the residual: what has an effect, and arithmetic in floating point.
pub const FIRM: f64 = 30.0;

const fn anchor(opcodes: &'static [&'static str], weight: f64) -> Option<Anchor> {
    Some(Anchor { opcodes, weight })
}

const SINGLE: &[&str] = &["FFMA", "FMUL", "FADD", "FFMA32I", "FMUL32I", "FADD32I"];
const DOUBLE: &[&str] = &["DFMA", "DMUL", "DADD"];
const HALF: &[&str] = &["HFMA2", "HMUL2", "HADD2", "HFMA2_BF16", "HFMA2_MMA"];
const LOADS: &[&str] = &["LDG", "LD", "LDS", "LDL"];
const STORES: &[&str] = &["STG", "ST", "STS", "STL"];
const ATOMICS: &[&str] = &["ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDAS"];

/// The anchor that a PTX instruction is, if it is one.
pub fn anchor_of(mnemonic: &str) -> Option<Anchor> {
    let mut words = mnemonic.split('.');
    let opcode = words.next()?;
    let words: Vec<&str> = words.collect();
    let has = |word: &str| words.contains(&word);
    // `shared::cta` and `param::func` are spaces, too.
    let is_space = |space: &str| words.iter().any(|word| word.split("::").next() == Some(space));
    let ty = words.last().copied();
    match opcode {
        "ld" | "ldu" if is_space("global") => anchor(&["LDG", "LD"], 100.0),
        "ld" if is_space("shared") => anchor(&["LDS", "LD"], 100.0),
        "st" if is_space("global") => anchor(&["STG", "ST"], 100.0),
        "st" if is_space("shared") => anchor(&["STS", "ST"], 100.0),
        // Parameters and constants are operands, and what is local may become a register.
        "ld" | "st" if ["local", "param", "const"].into_iter().any(is_space) => None,
        "ld" => anchor(LOADS, 60.0),
        "st" if !has("async") => anchor(STORES, 60.0),
        "ldmatrix" => anchor(&["LDSM"], 100.0),
        "cp" if has("async") && (has("ca") || has("cg")) => anchor(&["LDGSTS"], 100.0),
        "bar" | "barrier" if !has("cluster") && (has("sync") || has("red") || has("arrive")) => {
            anchor(&["BAR"], 60.0)
        }
        "shfl" => anchor(&["SHFL"], 100.0),
        "atom" | "red" if !has("async") => anchor(ATOMICS, 60.0),
        "fma" | "mad" | "mul" | "add" | "sub" => arithmetic(&words, ty),
        "min" | "max" if ty == Some("f32") => anchor(&["FMNMX"], 15.0),
        "ex2" | "lg2" | "rcp" | "rsqrt" | "sin" | "cos" | "tanh" | "sqrt" if has("approx") => {
            anchor(&["MUFU"], 20.0)
        }
        "popc" if ty == Some("b32") => anchor(&["POPC", "UPOPC"], 15.0),
        "tex" | "tld4" => anchor(&["TEX", "TLD", "TLD4"], 60.0),
        "vote" | "activemask" => anchor(&["VOTE", "UVOTE"], 15.0),
        _ => None,
    }
}

fn arithmetic(words: &[&str], ty: Option<&str>) -> Option<Anchor> {
    let rounded = ["rn", "rz", "rm", "rp", "ftz", "sat"];
    let is_plain = words.iter().rev().skip(1).all(|word| rounded.contains(word));
    match ty {
        Some("f32") if is_plain => anchor(SINGLE, 30.0),
        Some("f64") if is_plain => anchor(DOUBLE, 30.0),
        Some("f16" | "f16x2" | "bf16" | "bf16x2") => anchor(HALF, 10.0),
        _ => None,
    }
}

/// PTX instructions that ptxas merges with others or keeps once for several blocks (counters, addresses, conditions): they tell little.
pub fn is_easily_merged(mnemonic: &str) -> bool {
    let opcode = mnemonic.split('.').next();
    matches!(
        opcode,
        Some(
            "add"
                | "sub"
                | "mov"
                | "setp"
                | "bra"
                | "cvt"
                | "cvta"
                | "ret"
                | "exit"
                | "selp"
                | "mad"
                | "shl"
                | "not"
                | "and"
                | "or"
                | "call"
        )
    ) || ["mul.wide", "mul.lo", "ld.param", "st.param"].into_iter().any(|start| mnemonic.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_an_effect_weighs_most() {
        let weight = |mnemonic| anchor_of(mnemonic).map(|anchor| anchor.weight);
        assert_eq!(weight("ld.global.nc.v4.f32"), Some(100.0));
        assert_eq!(weight("st.shared::cta.u32"), Some(100.0));
        assert_eq!(weight("ld.param.u64"), None);
        assert_eq!(weight("fma.rn.ftz.f32"), Some(30.0));
        assert_eq!(weight("add.u64"), None);
        assert_eq!(weight("barrier.cluster.arrive"), None);
        assert_eq!(weight("bar.sync"), Some(60.0));
        assert!(is_easily_merged("mul.wide.s32") && !is_easily_merged("mul.hi.u32"));
    }
}
