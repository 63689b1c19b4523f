//! Human-readable dumps of a kernel after each stage of compilation.

use std::fmt::Write as _;

use ptx_llvm_core::OptLevel;
use ptx_llvm_core::host::{Cpu, HostMachine};
use ptx_program::{Program, Src};

use crate::analysis::{Analysis, Launched, Shape, Stride};
use crate::error::CompileError;
use crate::inline::{Inlined, inline};
use crate::join::{Joined, analyze};
use crate::kernel;
use crate::options::Options;
use crate::remarks::Remark;
use crate::source::Source;
use crate::strategy::lanes;

/// A stage of compiling a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The analysis results for the registers that instructions write.
    Rows,
    /// The blocks in scheduling order, and where other lanes wait meanwhile.
    Schedule,
    /// LLVM IR before LLVM's optimizations.
    Code,
    /// LLVM IR after them.
    Optimized,
}

/// Dumps a kernel after a stage. `place` formats the location of an instruction, as in `k.ptx:7:5`.
///
/// # Errors
/// Why the kernel was not compiled.
pub fn print_after(
    stage: Stage,
    program: &Program,
    launched: &Launched,
    cpu: &Cpu,
    options: &Options,
    place: &dyn Fn(u32) -> String,
) -> Result<String, CompileError> {
    match stage {
        Stage::Rows | Stage::Schedule => {}
        Stage::Code => return kernel::unoptimized_ir(program, launched, cpu, options),
        Stage::Optimized => return kernel::host_ir(program, launched, cpu, options).map(|[_, after]| after),
    }
    let inlined = inline(program, options.disabled)?;
    let analyzed = inlined.as_ref().map_or(program, |inlined| &inlined.program);
    let machine = HostMachine::new(cpu, OptLevel::O2)?;
    let analysis = analyze(analyzed, launched, lanes(&machine), &options.limits);
    let (analysis, joined) = analysis
        .map_err(|refusal| CompileError::refused(original(inlined.as_ref(), refusal.pc), refusal.why))?;
    let (analysis, inlined, joined) = (&analysis, inlined.as_ref(), joined.as_ref());
    let text = Text { program, analysis, inlined, joined, launched, place };
    Ok(if stage == Stage::Rows { text.rows() } else { text.schedule() })
}

/// Why the code of a kernel is as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// How its warps are executed, in words.
    pub strategy: String,
    /// The accesses and branches that are not a scalar or a plain vector, in the order of instructions.
    pub remarks: Vec<Remark>,
}

/// Explains the code of a kernel.
///
/// # Errors
/// Why the kernel was not compiled.
pub fn explain(
    program: &Program,
    launched: &Launched,
    cpu: &Cpu,
    options: &Options,
) -> Result<Explanation, CompileError> {
    let options = Options { notes: true, ..options.clone() };
    kernel::with_ir(Source::new(program, launched, &options), cpu, |_, inlined, made| {
        let mut remarks = made.remarks;
        for remark in &mut remarks {
            remark.pc = original(inlined, remark.pc);
            remark.related.iter_mut().for_each(|(pc, _)| *pc = original(inlined, *pc));
        }
        Ok(Explanation { strategy: made.strategy.to_string(), remarks })
    })
}

fn original(inlined: Option<&Inlined>, pc: u32) -> u32 {
    inlined.map_or(pc, |inlined| inlined.place(pc))
}

struct Text<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    inlined: Option<&'a Inlined>,
    joined: Option<&'a Joined>,
    launched: &'a Launched,
    place: &'a dyn Fn(u32) -> String,
}

impl Text<'_> {
    /// An instruction and its location.
    fn instruction(&self, pc: u32) -> String {
        let pc = original(self.inlined, self.joined.map_or(pc, |joined| joined.place(pc)));
        format!("{}: {}", (self.place)(pc), self.program.mnemonic(pc))
    }

    /// For each instruction, the rows that it writes: numbers, widths, shapes, bounds.
    fn rows(&self) -> String {
        let mut text = String::new();
        for block in self.analysis.graph.blocks() {
            for pc in block.first..block.end {
                let _ = writeln!(text, "{}", self.instruction(pc));
                for &row in &self.analysis.graph.access(pc).writes {
                    let _ = writeln!(text, "    {}", self.row(row));
                }
            }
        }
        text
    }

    fn row(&self, row: u32) -> String {
        let (shapes, src) = (&self.analysis.shapes, Src::register(row));
        let mut text = format!("row {row}: i{}, {}", self.analysis.widths.row(row), shape(shapes.claim(src)));
        let facts = shapes.facts(src);
        let most = u64::MAX >> (64 - self.analysis.widths.row(row).clamp(1, 64));
        if facts.most < most && !matches!(shapes.claim(src), Shape::Constant(_)) {
            let _ = write!(text, ", from {} to {}", facts.least, facts.most);
        }
        text
    }

    /// For each block its instructions, the lanes that execute it, where others wait meanwhile, and its successors.
    fn schedule(&self) -> String {
        let mut text = String::new();
        let list = |blocks: &mut dyn Iterator<Item = usize>| {
            blocks.map(|id| id.to_string()).collect::<Vec<_>>().join(", ")
        };
        if self.analysis.hands_over {
            let _ = writeln!(text, "lanes that ask in vain keep others of their warp waiting");
        }
        // Default: none in a kernel that is one function.
        let segments = self.analysis.segments.as_ref().map_or(&[][..], |segments| segments.ranges());
        for (id, block) in self.analysis.graph.blocks().iter().enumerate() {
            if let Ok(number) = segments.binary_search_by_key(&id, |range| range.start) {
                let _ = writeln!(text, "segment {number}, a function of its own:");
            }
            let _ = writeln!(text, "block {id}:");
            let who = if self.analysis.is_whole(id, self.launched) {
                "all 32 lanes of a warp".to_owned()
            } else if self.analysis.schedule.is_together(id) {
                "all lanes that have not exited".to_owned()
            } else {
                let waiting = self.analysis.schedule.waiting(id);
                format!("some lanes, while others may wait at {}", list(&mut waiting.iter().copied()))
            };
            let _ = writeln!(text, "    run by {who}");
            for pc in block.first..block.end {
                let _ = writeln!(text, "    {}", self.instruction(pc));
            }
            let targets = block.terminator.targets();
            let parts = if self.analysis.shapes.parts_lanes(block) { ", where lanes diverge" } else { "" };
            let to = if targets.is_empty() { "the end".to_owned() } else { list(&mut targets.into_iter()) };
            let _ = writeln!(text, "    goes to {to}{parts}");
        }
        text
    }
}

/// Describes a shape in words.
fn shape(shape: Shape) -> String {
    let stride = |Stride { within, across }: Stride| match across {
        Some(across) => format!("{within} from lane to lane, {across} from vector to vector"),
        None => format!("{within} from lane to lane, each vector with a value of its own"),
    };
    match shape {
        Shape::Unwritten => "not written".to_owned(),
        Shape::Constant(value) => format!("the constant {value:#x}"),
        Shape::Uniform => "one value in a warp".to_owned(),
        Shape::Strided(Stride { within: 0, across: None }) => "one value in each vector".to_owned(),
        Shape::Strided(own) => format!("a stride: {}", stride(own)),
        Shape::Indexed(indexed) => {
            let sign = if indexed.is_signed { "signed" } else { "unsigned" };
            let index = stride(indexed.index);
            format!("{} times a {sign} index of {} bits with a stride: {index}", indexed.scale, indexed.bits)
        }
        Shape::Varying => "any values".to_owned(),
    }
}
