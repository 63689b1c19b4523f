//! What ptxas makes of a PTX text, function by function: the machine code, its length, its registers and spills, how far its loops are unrolled.
//!
//! ptxas unrolls loops, so that a length alone proves little: code whose loops it leaves alone is short and slow. A text with loops is assembled a
//! second time under `.pragma "nounroll"` for the whole module, and what the first time has more is copies of loops. Where this project unrolls loops itself, the second text is the one that it makes under the pragma.
//!
//! Results are kept in a folder by a number that the text decides, for most of what a measurement assembles it has assembled before.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use anyhow::Result;
use ptx_machine::{Usage, usage};

use crate::oracle::{Linking, Oracles};
use crate::sass::functions;

/// One function in machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Equal for equal machine code, names of labels aside.
    pub number: u64,
    /// Instructions, without what pads the end.
    pub instructions: usize,
    /// Registers a thread needs; nothing where ptxas does not say (functions that are called).
    pub registers: Option<usize>,
    /// Bytes stored to and loaded from memory for want of registers.
    pub spilled: usize,
    /// Bytes of local memory that a call takes: what is spilled, and variables.
    pub frame: usize,
    /// Instructions when ptxas unrolls no loop.
    pub rolled: usize,
    /// Those of them that are inside of loops.
    pub looped: usize,
}

impl Code {
    /// Instructions that unrolling adds.
    pub fn added(&self) -> usize {
        self.instructions.saturating_sub(self.rolled)
    }

    /// How many times the code of the loops is there on average: 1 where none is unrolled; `None` without loops.
    pub fn copies(&self) -> Option<f64> {
        (self.looped > 0).then(|| 1.0 + self.added() as f64 / self.looped as f64)
    }
}

/// Assembles a text and takes its functions apart; `rolled` is the text in which this project has not unrolled loops either, if that is another one, and `kept` the folder with earlier results.
///
/// # Errors
/// When ptxas refuses the text, or a program cannot be run.
pub fn machine_code(
    oracles: &Oracles,
    ptx: &str,
    rolled: Option<&str>,
    kept: &Path,
) -> Result<BTreeMap<String, Code>> {
    let mut hasher = DefaultHasher::new();
    (ptx, rolled).hash(&mut hasher);
    let file = kept.join(format!("{:016x}", hasher.finish()));
    if let Some(code) = std::fs::read_to_string(&file).ok().and_then(|text| read(&text)) {
        return Ok(code);
    }
    let (listing, usage) = taken_apart(oracles, ptx)?;
    // What refuses the pragma is older than PTX 2.0.
    let rolled = rolled.map(str::to_owned).or_else(|| without_unrolling(ptx));
    let rolled = rolled.and_then(|ptx| taken_apart(oracles, &ptx).ok());
    let mut code = BTreeMap::new();
    for (name, lines) in listing {
        let mut hasher = DefaultHasher::new();
        lines.hash(&mut hasher);
        let Usage { registers, spilled, frame, .. } = usage.get(&name).copied().unwrap_or_default();
        let own = rolled.as_ref().and_then(|(rolled, _)| rolled.get(&name)).unwrap_or(&lines);
        let found = Code {
            number: hasher.finish(),
            instructions: length(&lines),
            registers,
            spilled,
            frame,
            rolled: length(own),
            looped: looped(own),
        };
        code.insert(name, found);
    }
    std::fs::create_dir_all(kept)?;
    let text: String = code.iter().map(|(name, code)| write(name, *code)).collect();
    let unfinished = tempfile::NamedTempFile::new_in(kept)?;
    std::fs::write(unfinished.path(), text + END)?;
    unfinished.persist(file)?;
    Ok(code)
}

/// Something for each function, by its name.
type ByFunction<T> = BTreeMap<String, T>;

/// The functions of a text in machine code, and what each uses.
fn taken_apart(oracles: &Oracles, ptx: &str) -> Result<(ByFunction<Vec<String>>, ByFunction<Usage>)> {
    let whole = if ptx.contains(".entry") { Linking::Whole } else { Linking::Relocatable };
    let (cubin, output) = match (oracles.assemble_as(ptx, whole), whole) {
        // What is declared only is for a linker to find.
        (Err(_), Linking::Whole) => oracles.assemble_as(ptx, Linking::Relocatable)?,
        (result, _) => result?,
    };
    Ok((functions(&oracles.disassemble(&cubin)?), usage(&output)))
}

/// The text with a pragma that no loop is to be unrolled, when it has loops: branches to labels before them.
pub(crate) fn without_unrolling(ptx: &str) -> Option<String> {
    let words = || {
        let apart = |c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}');
        ptx.lines().flat_map(move |line| line.split("//").next().unwrap_or_default().split(apart))
    };
    let mut labels = BTreeSet::new();
    let mut branch = false;
    let loops = words().filter(|word| !word.is_empty()).any(|word| {
        labels.extend(word.strip_suffix(':'));
        let back = branch && labels.contains(word);
        branch = word == "bra" || word.starts_with("bra.");
        back
    });
    if !loops {
        return None;
    }
    let line_after = |directive: &str| {
        let mut end = 0;
        ptx.split_inclusive('\n').find_map(|line| {
            end += line.len();
            line.trim_start().starts_with(directive).then_some(end)
        })
    };
    let (before, after) =
        ptx.split_at_checked(line_after(".address_size").or_else(|| line_after(".target"))?)?;
    Some(format!("{before}.pragma \"nounroll\";\n{after}"))
}

/// The instructions between the target of a branch back and the branch.
fn looped(lines: &[String]) -> usize {
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    let mut inside = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label, at);
            continue;
        }
        let target = line.split_once("`(").and_then(|(_, rest)| rest.split(')').next());
        // The branch to itself pads the end.
        if let Some(&start) = target.and_then(|label| labels.get(label))
            && line.contains("BRA")
            && start + 1 < at
        {
            inside[start..=at].fill(true);
        }
    }
    lines.iter().zip(inside).filter(|(line, inside)| *inside && !line.ends_with(':')).count()
}

/// The last line of a result that was written as a whole.
const END: &str = "end\n";

fn write(name: &str, code: Code) -> String {
    let registers = code.registers.map_or("-".to_owned(), |count| count.to_string());
    let Code { number, instructions, spilled, frame, rolled, looped, .. } = code;
    format!("{name}\t{number}\t{instructions}\t{registers}\t{spilled}\t{frame}\t{rolled}\t{looped}\n")
}

fn read(text: &str) -> Option<BTreeMap<String, Code>> {
    let mut all = BTreeMap::new();
    for line in text.strip_suffix(END)?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[name, number, instructions, registers, spilled, frame, rolled, looped] = columns.as_slice()
        else {
            return None;
        };
        let code = Code {
            number: number.parse().ok()?,
            instructions: instructions.parse().ok()?,
            registers: registers.parse().ok(),
            spilled: spilled.parse().ok()?,
            frame: frame.parse().ok()?,
            rolled: rolled.parse().ok()?,
            looped: looped.parse().ok()?,
        };
        all.insert(name.to_owned(), code);
    }
    Some(all)
}

/// The instructions of a function, without the empty ones and the jump to itself after its end.
fn length(lines: &[String]) -> usize {
    let pads = |line: &&String| line.starts_with("NOP") || line.starts_with("BRA") || line.ends_with(':');
    let padding = lines.iter().rev().take_while(pads).filter(|line| !line.ends_with(':')).count();
    lines.iter().filter(|line| !line.ends_with(':')).count() - padding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_does_not_count() {
        let lines =
            ["<0>:", "MOV R1, R2 ;", "EXIT ;", "<1>:", "BRA `(<1>);", "NOP;", "NOP;"].map(str::to_owned);
        assert_eq!(length(&lines), 2);
    }

    #[test]
    fn a_result_reads_back_only_when_it_is_whole() {
        let code =
            Code { number: 7, instructions: 3, registers: None, spilled: 4, frame: 8, rolled: 2, looped: 1 };
        let text = write("f", code);
        assert_eq!(read(&format!("{text}{END}")).and_then(|all| all.get("f").copied()), Some(code));
        assert_eq!(read(&text), None);
    }

    /// What ptxas 13.5 makes of a sum over an array for sm_90, without unrolling.
    const ROLLED: &str = "
	.section	.text.k,\"ax\",@progbits
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDC R0, c[0x0][0x220] ;
        /*0050*/                   ISETP.GE.AND P0, PT, R0, 0x1, PT ;
        /*0060*/              @!P0 BRA `(.L_x_0) ;
        /*0080*/                   ULDC.64 UR8, c[0x0][0x210] ;
.L_x_1:
        /*0090*/                   MOV R4, UR8 ;
        /*00a0*/                   IMAD.U32 R5, RZ, RZ, UR9 ;
        /*00b0*/                   LDG.E R4, desc[UR6][R4.64] ;
        /*00c0*/                   UIADD3 UR4, UR4, -0x1, URZ ;
        /*00d0*/                   UIADD3 UR8, UP0, UR8, 0x4, URZ ;
        /*00e0*/                   ISETP.NE.AND P0, PT, RZ, UR4, PT ;
        /*00f0*/                   UIADD3.X UR9, URZ, UR9, URZ, UP0, !UPT ;
        /*0100*/                   FFMA R7, R4, R7, R4 ;
        /*0110*/               @P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0120*/                   STG.E desc[UR6][R2.64], R7 ;
.L_x_3:
        /*0130*/                   EXIT ;
.L_x_2:
        /*0140*/                   BRA `(.L_x_2);
        /*0150*/                   NOP;
.L_x_4:
";

    #[test]
    fn loops_are_what_branches_back_enclose() {
        let lines = &functions(ROLLED)["k"];
        assert_eq!((length(lines), looped(lines)), (16, 9));
        // The same without the branch back.
        let straight: Vec<String> =
            lines.iter().filter(|line| !line.starts_with("@P0 BRA")).cloned().collect();
        assert_eq!((length(&straight), looped(&straight)), (15, 0));
    }

    #[test]
    fn nested_loops_count_once() {
        let lines = ["<0>:", "A ;", "<1>:", "B ;", "@P0 BRA `(<1>) ;", "@P1 BRA.U `(<0>) ;", "EXIT ;"];
        assert_eq!(looped(&lines.map(str::to_owned)), 4);
    }

    #[test]
    fn copies_are_what_unrolling_adds_to_the_loops() {
        let code = Code { instructions: 58, rolled: 19, looped: 13, ..Code::default() };
        assert_eq!((code.added(), code.copies()), (39, Some(4.0)));
        assert_eq!(Code { instructions: 58, rolled: 58, ..Code::default() }.copies(), None);
    }

    #[test]
    fn text_with_a_loop_gets_the_pragma() {
        let head = "// .target\n.version 8.0\n.target sm_80\n.address_size 64\n";
        let loops = ".entry k()\n{\nL: // bra M\n@%p bra L;\nM:ret;\n}\n";
        assert_eq!(
            without_unrolling(&format!("{head}{loops}")),
            Some(format!("{head}.pragma \"nounroll\";\n{loops}"))
        );
        let old = ".version 2.0\n.target sm_20\n";
        assert!(
            without_unrolling(&format!("{old}{loops}"))
                .is_some_and(|text| text.starts_with(&format!("{old}.pragma")))
        );
        let uniform = loops.replace("bra L", "bra.uni L");
        assert!(without_unrolling(&format!("{head}{uniform}")).is_some());
        for straight in [loops.replace("bra L", "bra M"), loops.replace("@%p bra L;", "")] {
            assert_eq!(without_unrolling(&format!("{head}{straight}")), None);
        }
    }
}
