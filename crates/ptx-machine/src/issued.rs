//! How often the instructions of a module's machine code are issued by the launches of a profile.

use std::collections::BTreeMap;

use crate::estimate::estimate;
use crate::not_measured::NotMeasured;
use crate::source::Source;
use crate::toolchain::MachineCode;
use crate::weighted::Weighted;

/// The estimates of the kernels that were launched.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Issued {
    kernels: BTreeMap<String, Result<Weighted, NotMeasured>>,
    /// Warps of each instruction, by the function and the address.
    warps: BTreeMap<String, BTreeMap<u64, f64>>,
}

impl Issued {
    /// Estimates what each kernel issues; `launched` are the kernels with the threads of all their launches.
    pub fn new(code: &MachineCode, source: &Source, launched: &BTreeMap<String, u64>) -> Self {
        let mut issued = Self::default();
        for (kernel, threads) in launched {
            let weighted = issued.add(code, source, launched, (kernel, *threads));
            issued.kernels.insert(kernel.clone(), weighted);
        }
        issued
    }

    /// The estimate of a kernel with all that it calls, or why it is not known; `None` if it is not a kernel that was launched.
    pub fn of_kernel(&self, name: &str) -> Option<Result<&Weighted, &NotMeasured>> {
        self.kernels.get(name).map(Result::as_ref)
    }

    /// How often warps issue the instruction of a function at an address; `None` where that is not known.
    pub fn warps(&self, function: &str, address: u64) -> Option<f64> {
        self.warps.get(function)?.get(&address).copied()
    }

    fn add(
        &mut self,
        code: &MachineCode,
        source: &Source,
        launched: &BTreeMap<String, u64>,
        (kernel, threads): (&str, u64),
    ) -> Result<Weighted, NotMeasured> {
        if !code.functions.contains_key(kernel) {
            return Err(NotMeasured::NoCode);
        }
        // The counts of a function are those of all kernels that call it.
        if launched.len() > 1
            && let Some((name, _)) = source
                .entries
                .iter()
                .find(|(name, block)| !launched.contains_key(*name) && source.blocks[**block].warps > 0)
        {
            return Err(NotMeasured::SeveralKernels { function: name.clone() });
        }
        // Where the first block tells how many threads there are: the grid of some kernels consists of clusters.
        let first = source.entries.get(kernel).and_then(|block| source.blocks[*block].threads);
        // Default: a kernel that begins with a guarded branch does not tell.
        let estimate = estimate(&code.functions, kernel, source, first.unwrap_or(threads))?;
        for block in &estimate.blocks {
            let function = self.warps.entry(block.function.clone()).or_default();
            for instruction in &block.instructions {
                *function.entry(instruction.address).or_default() += block.warps();
            }
        }
        Ok(Weighted::of(&estimate))
    }
}
