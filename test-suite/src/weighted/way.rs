//! Ways from PTX through LLVM and back to PTX.

use std::fmt;

use anyhow::{Context as _, Result, anyhow, bail};
use ptx_diag::SourceFile;
use ptx_driver::{Atomics, TargetChoice, Unoptimized};
use ptx_exec::Launch;
use ptx_llvm_core::{Context, Gpu, OptLevel};

use crate::assumed::specialized;
use crate::directive::Level;
use crate::oracle::Oracles;
use crate::stage;
use crate::weighted::compiled::{ClangLevel, clang_ir, debug_ptx};
use crate::weighted::sets::Kernel;

/// How PTX is taken through LLVM.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// `ptx2ll -ON | ll2ptx`.
    Level(Level),
    /// `ptx2ll -O2`, then LLVM's own backend (`llc -O2`).
    Llc,
    /// `ptx2ll --passes=.. | ll2ptx`.
    Passes(String),
    /// `ptx2ll -O3 --assume .. | ll2ptx`, with all that the launch says assumed: a kernel for each launch.
    Specialized,
    /// The kernel's CUDA source compiled by `nvcc -G`, `ptx2ll -O3 --unoptimized=yes | ll2ptx`.
    Debug,
    /// The source's LLVM IR by `clang -O3`, `ll2ptx -O2`.
    Clang,
    /// The source's LLVM IR by `clang -O0`, `ll2ptx -O3 --unoptimized=yes`.
    ClangUnoptimized,
    /// The source's LLVM IR by `clang -O3`, `opt -O3 | llc -O2`: what [`Way::Clang`] and [`Way::ClangUnoptimized`] are compared with.
    ClangLlc,
    /// The source's LLVM IR by `clang -O3`, `ll2ptx --passes=..`.
    ClangPasses(String),
}

/// The ways with a name of their own.
const NAMED: [(&str, Way); 6] = [
    ("llc", Way::Llc),
    ("spec", Way::Specialized),
    ("nvcc-G", Way::Debug),
    ("clang", Way::Clang),
    ("clang-O0", Way::ClangUnoptimized),
    ("clang-llc", Way::ClangLlc),
];

/// What [`Way::parse`] reads.
pub const WAYS: &str =
    "O0, O1, O2, O3, llc, spec, nvcc-G, clang, clang-O0, clang-llc, passes=.., clang-passes=..";

impl Way {
    /// Reads `O0` to `O3`, the names of the other ways, and `passes=..`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "O0" => Self::Level(Level::O0),
            "O1" => Self::Level(Level::O1),
            "O2" => Self::Level(Level::O2),
            "O3" => Self::Level(Level::O3),
            _ => match NAMED.iter().find(|(name, _)| *name == text) {
                Some((_, way)) => way.clone(),
                None => match text.strip_prefix("clang-passes=") {
                    Some(passes) => Self::ClangPasses(passes.to_owned()),
                    None => Self::Passes(text.strip_prefix("passes=")?.to_owned()),
                },
            },
        })
    }

    /// Whether what comes out has to be good: a way that users take by its name.
    pub fn is_judged(&self) -> bool {
        match self {
            Self::Level(_) => true,
            Self::Llc
            | Self::Passes(_)
            | Self::Specialized
            | Self::Debug
            | Self::Clang
            | Self::ClangUnoptimized
            | Self::ClangLlc
            | Self::ClangPasses(_) => false,
        }
    }

    /// Whether the way begins at the kernel's source, so that loops need not have the trip counts of the kernel's PTX.
    pub fn is_of_source(&self) -> bool {
        matches!(
            self,
            Self::Debug | Self::Clang | Self::ClangUnoptimized | Self::ClangLlc | Self::ClangPasses(_)
        )
    }

    /// Takes a kernel the way; gives it with the launch of what came of it, which has another name if it is made for the launch.
    ///
    /// # Errors
    /// The findings of the stage that refuses it, or what llc says.
    pub fn take(&self, oracles: &Oracles, kernel: &Kernel) -> Result<(String, Launch)> {
        let (ir, launch) = self.of_launch(oracles, kernel)?;
        Ok((self.finish(oracles, &kernel.name, &ir)?, launch))
    }

    /// The LLVM IR that a kernel becomes on the way, and the launch of what came of it.
    ///
    /// # Errors
    /// The findings of the stage that refuses it.
    pub fn of_launch(&self, oracles: &Oracles, kernel: &Kernel) -> Result<(String, Launch)> {
        if *self != Self::Specialized {
            return Ok((self.ir(oracles, kernel)?, kernel.launch.clone()));
        }
        let (ir, entry) = specialized(&kernel.name, &kernel.ptx, &kernel.launch)?;
        Ok((ir, Launch { entry, ..kernel.launch.clone() }))
    }

    /// The LLVM IR that the module of a kernel becomes on the way, optimized.
    ///
    /// # Errors
    /// The findings of the stage that refuses it, the message of opt or nvcc, or that a way from CUDA has no source.
    pub fn ir(&self, oracles: &Oracles, kernel: &Kernel) -> Result<String> {
        let name = &kernel.name;
        match self {
            Self::Level(level) => lowered(name, &kernel.ptx, *level),
            Self::Llc => lowered(name, &kernel.ptx, Level::O2),
            Self::Passes(passes) => {
                let context = Context::new()?;
                let source = SourceFile::new(name.as_str(), kernel.ptx.as_str());
                let mut llvm = stage::lower(&stage::read(&source)?, &source, &context, Level::O0)?;
                ptx_opt::optimize(&mut llvm, OptLevel::O0, Some(passes), Gpu::default())
                    .context("optimize")?;
                Ok(llvm.to_text())
            }
            Self::Specialized => bail!("a kernel for a launch is made with it"),
            Self::Debug => {
                let ir = lowered(name, &debug_ptx(kernel.source()?)?, Level::O0)?;
                optimized(name, &ir, OptLevel::O3, None, Unoptimized::Yes)
            }
            Self::Clang => {
                let ir = clang_ir(kernel.source()?, ClangLevel::O3)?;
                optimized(name, &ir, OptLevel::O2, None, Unoptimized::Auto)
            }
            Self::ClangPasses(passes) => {
                let ir = clang_ir(kernel.source()?, ClangLevel::O3)?;
                optimized(name, &ir, OptLevel::O0, Some(passes), Unoptimized::Auto)
            }
            Self::ClangUnoptimized => {
                let ir = clang_ir(kernel.source()?, ClangLevel::O0)?;
                optimized(name, &ir, OptLevel::O3, None, Unoptimized::Yes)
            }
            Self::ClangLlc => oracles.optimize(&clang_ir(kernel.source()?, ClangLevel::O3)?),
        }
    }

    /// The PTX that LLVM IR becomes on the way. It is given as text, as the tools are used.
    ///
    /// # Errors
    /// The findings of the stage that refuses it, or what llc says.
    pub fn finish(&self, oracles: &Oracles, name: &str, ir: &str) -> Result<String> {
        match self {
            Self::Llc | Self::ClangLlc => oracles.compile_more(ir, &["-O2"]),
            Self::Level(_)
            | Self::Passes(_)
            | Self::Specialized
            | Self::Debug
            | Self::Clang
            | Self::ClangUnoptimized
            | Self::ClangPasses(_) => {
                let context = Context::new()?;
                stage::raise(&mut stage::read_llvm(&context, name, ir)?)
            }
        }
    }
}

/// `ptx2ll -ON`.
fn lowered(name: &str, ptx: &str, level: Level) -> Result<String> {
    let source = SourceFile::new(name, ptx);
    let context = Context::new()?;
    Ok(stage::lower(&stage::read(&source)?, &source, &context, level)?.to_text())
}

/// What the tools do to LLVM IR before they raise it.
fn optimized(
    name: &str,
    ir: &str,
    level: OptLevel,
    passes: Option<&str>,
    choice: Unoptimized,
) -> Result<String> {
    let source = SourceFile::new(name, ir);
    let context = Context::new()?;
    let failed = |findings| anyhow!("{}", stage::describe(&source, &findings));
    let (mut llvm, _) = ptx_driver::read_llvm(&context, &source).map_err(failed)?;
    ptx_driver::settle_atomics(&mut llvm, Atomics::Auto);
    let (mut llvm, _) = ptx_driver::settle_unoptimized(llvm, choice, level, &source).map_err(failed)?;
    ptx_driver::optimize(&mut llvm, level, passes, TargetChoice::default(), &source).map_err(failed)?;
    Ok(llvm.to_text())
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => f.write_str(level.as_str().trim_start_matches('-')),
            Self::Passes(passes) => write!(f, "passes={passes}"),
            Self::ClangPasses(passes) => write!(f, "clang-passes={passes}"),
            named => match NAMED.iter().find(|(_, way)| way == named) {
                Some((name, _)) => f.write_str(name),
                None => unreachable!("every way without a level or passes has a name"),
            },
        }
    }
}
