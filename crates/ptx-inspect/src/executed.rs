//! The work of an execution: what each instruction does, as often as threads executed it.

use ptx_diag::Span;
use ptx_ir::{Function, FunctionKind, Module};
use ptx_isa::StateSpace;
use serde::Serialize;

use crate::code::Code;
use crate::divergence::Divergence;
use crate::roofline::{Work, operations, traffic};
use crate::ssa::Ssa;
use crate::values::Values;
use crate::values::evaluate::Warps;

/// Bytes of a sector of memory.
const SECTOR: f64 = 32.0;

/// How often an instruction was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Executions {
    /// By threads; of a guarded instruction by those whose guard was true.
    pub threads: u64,
    /// Sectors of 32 bytes that its accesses touched.
    pub sectors: u64,
}

/// What a device can do in a second.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Peak {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes of global memory.
    pub bytes: f64,
}

/// What bounds an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The bytes of memory.
    Memory,
    /// The operations.
    Compute,
}

/// The best that a device can do for an execution.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Attainable {
    /// Floating-point operations in a second.
    pub flops: f64,
    /// What bounds them.
    pub bound: Bound,
    /// The least time, in seconds.
    pub seconds: f64,
}

/// The work of all executions of a function, without that of functions that it calls.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ExecutedWork {
    /// Its name; empty for all functions together.
    pub name: String,
    /// Whether it is a kernel.
    pub is_kernel: bool,
    /// The work of all threads.
    pub work: Work,
    /// Operations for each byte that threads access.
    pub intensity: Option<f64>,
    /// Bytes of the sectors that warps touch: of global memory and, where there is some, of local memory.
    pub sector_bytes: f64,
    /// Operations for each byte of the sectors.
    pub sector_intensity: Option<f64>,
    /// The best that a device can do with that intensity.
    pub attainable: Option<Attainable>,
    /// Instructions that were executed and access global memory in a size that is not known; the bytes that threads access are missing.
    pub unknown: u32,
    /// Whether it is too large for its addresses to be followed: then nothing is known.
    pub is_too_large: bool,
}

/// The work of an execution.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ExecutedRoofline {
    /// The functions of which something was executed, in the order of the text.
    pub functions: Vec<ExecutedWork>,
    /// All of it.
    pub total: ExecutedWork,
    /// The device.
    pub peak: Option<Peak>,
}

/// The work that was executed of a module; `executed` gives what was counted of the instruction at a position. Functions that are only declared (`vprintf`) are missing.
pub fn executed_roofline(
    module: &Module,
    executed: &impl Fn(Span) -> Executions,
    peak: Option<Peak>,
) -> ExecutedRoofline {
    let mut roofline = ExecutedRoofline { peak, ..ExecutedRoofline::default() };
    for function in &module.functions {
        let Some(own) = of_function(module, function, executed) else { continue };
        let total = &mut roofline.total;
        total.work.add(&own.work, 1.0);
        total.sector_bytes += own.sector_bytes;
        total.unknown += own.unknown;
        total.is_too_large |= own.is_too_large;
        roofline.functions.push(own);
    }
    roofline.functions.iter_mut().chain([&mut roofline.total]).for_each(|work| work.finish(peak));
    roofline
}

/// The work of a function; `None` if nothing of it was executed.
fn of_function(
    module: &Module,
    function: &Function,
    executed: &impl Fn(Span) -> Executions,
) -> Option<ExecutedWork> {
    let body = function.body.as_ref()?;
    if !body.instructions().any(|(_, inst)| executed(inst.at.0).threads > 0) {
        return None;
    }
    let mut own = ExecutedWork {
        name: module.name(function.name).to_owned(),
        is_kernel: function.kind == FunctionKind::Kernel,
        ..ExecutedWork::default()
    };
    for (_, inst) in body.instructions() {
        let Executions { threads, sectors } = executed(inst.at.0);
        own.work.add(&operations(inst), threads as f64);
        own.sector_bytes += SECTOR * sectors as f64;
    }
    // No lines are needed.
    let code = Code::new(module, function, body, &|spans: &[Span]| vec![0; spans.len()]);
    let Some(ssa) = Ssa::new(&code) else {
        own.is_too_large = true;
        return Some(own);
    };
    let values = Values::new(&code, &ssa, None);
    let warps = Warps::new(None);
    for site in Divergence::new(&values, &warps).sites() {
        let Some((_, inst)) = code.instruction(site.statement) else { continue };
        let threads = executed(inst.at.0).threads;
        if site.space != Some(StateSpace::Global) || threads == 0 {
            continue;
        }
        match site.access.bytes {
            Some(bytes) => own.work.add(&traffic(&site, bytes.into()), threads as f64),
            None => own.unknown += 1,
        }
    }
    Some(own)
}

impl ExecutedWork {
    fn finish(&mut self, peak: Option<Peak>) {
        let is_known = !self.is_too_large;
        self.intensity = self.work.intensity().filter(|_| is_known && self.unknown == 0);
        self.sector_intensity = (self.sector_bytes > 0.0).then(|| self.work.float / self.sector_bytes);
        self.attainable = peak.filter(|_| self.work.float > 0.0).and_then(|peak| {
            let by_memory = match self.intensity {
                Some(intensity) => intensity * peak.bytes,
                // Without accesses nothing but the operations bounds it.
                None if is_known && self.unknown == 0 => f64::INFINITY,
                None => return None,
            };
            let (flops, bound) = if by_memory < peak.flops {
                (by_memory, Bound::Memory)
            } else {
                (peak.flops, Bound::Compute)
            };
            Some(Attainable { flops, bound, seconds: self.work.float / flops })
        });
    }
}

#[cfg(test)]
mod tests {
    use ptx_diag::SourceFile;

    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .f32 %f<3>;\n.reg .b64 %rd<3>;\n.reg .pred %q;\n\
        ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.f32 %f1, [%rd2];\nfma.rn.f32 %f2, %f1, %f1, %f1;\n@%q st.global.f32 [%rd2], %f2;\nret;\n}\n\
        .visible .entry other()\n{\nret;\n}\n";

    fn roofline(peak: Option<Peak>, of: fn(&str) -> Executions) -> ExecutedRoofline {
        let (module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", TEXT));
        executed_roofline(&module, &|span| of(&TEXT[span.lo as usize..span.hi as usize]), peak)
    }

    fn counts(text: &str) -> Executions {
        match text.split_whitespace().next() {
            Some("ld.global.f32") => Executions { threads: 64, sectors: 8 },
            Some("@%q") => Executions { threads: 16, sectors: 2 },
            Some("fma.rn.f32") => Executions { threads: 1000, sectors: 0 },
            Some("ret") => Executions { threads: 0, sectors: 0 },
            _ => Executions { threads: 64, sectors: 0 },
        }
    }

    #[test]
    fn each_instruction_counts_as_often_as_it_was_executed() {
        let found = roofline(None, counts);
        let [own] = found.functions.as_slice() else { panic!("{found:?}") };
        assert_eq!((own.name.as_str(), own.is_kernel, own.attainable), ("k", true, None));
        assert_eq!((own.work.float, own.work.read, own.work.written), (2000.0, 256.0, 64.0));
        assert_eq!((own.intensity, own.sector_bytes, own.sector_intensity), (Some(6.25), 320.0, Some(6.25)));
        assert_eq!((found.total.work, found.total.intensity), (own.work, own.intensity));
    }

    #[test]
    fn a_device_is_bound_by_memory_or_by_operations() {
        let attainable = |flops, bytes| roofline(Some(Peak { flops, bytes }), counts).total.attainable;
        let memory = Attainable { flops: 625.0, bound: Bound::Memory, seconds: 3.2 };
        assert_eq!(attainable(1e6, 100.0), Some(memory));
        let compute = Attainable { flops: 500.0, bound: Bound::Compute, seconds: 4.0 };
        assert_eq!(attainable(500.0, 100.0), Some(compute));
    }

    #[test]
    fn nothing_is_told_of_what_was_not_executed() {
        let found = roofline(Some(Peak { flops: 1.0, bytes: 1.0 }), |_| Executions::default());
        assert!(found.functions.is_empty() && found.total.attainable.is_none());
    }
}
