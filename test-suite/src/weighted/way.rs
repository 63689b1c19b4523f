//! Ways from PTX through LLVM and back to PTX.

use std::fmt;

use anyhow::{Context as _, Result, bail};
use ptx_diag::SourceFile;
use ptx_exec::Launch;
use ptx_llvm_core::{Context, Gpu, OptLevel};

use crate::assumed::specialized;
use crate::directive::Level;
use crate::oracle::Oracles;
use crate::stage;

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
}

impl Way {
    /// Reads `O0` to `O3`, `llc`, `spec` and `passes=..`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "O0" => Self::Level(Level::O0),
            "O1" => Self::Level(Level::O1),
            "O2" => Self::Level(Level::O2),
            "O3" => Self::Level(Level::O3),
            "llc" => Self::Llc,
            "spec" => Self::Specialized,
            _ => Self::Passes(text.strip_prefix("passes=")?.to_owned()),
        })
    }

    /// Whether what comes out has to be good: a way that users take by its name.
    pub fn is_judged(&self) -> bool {
        match self {
            Self::Level(_) => true,
            Self::Llc | Self::Passes(_) | Self::Specialized => false,
        }
    }

    /// Takes a text the way; gives it with the launch of what came of the kernel, which has another name if it is made for the launch.
    ///
    /// # Errors
    /// The findings of the stage that refuses it, or what llc says.
    pub fn take(
        &self,
        oracles: &Oracles,
        name: &str,
        ptx: &str,
        launch: &Launch,
    ) -> Result<(String, Launch)> {
        let (ir, launch) = self.of_launch(name, ptx, launch)?;
        Ok((self.finish(oracles, name, &ir)?, launch))
    }

    /// The LLVM IR that a text becomes on the way, and the launch of what came of the kernel.
    ///
    /// # Errors
    /// The findings of the stage that refuses it.
    pub fn of_launch(&self, name: &str, ptx: &str, launch: &Launch) -> Result<(String, Launch)> {
        if *self != Self::Specialized {
            return Ok((self.ir(name, ptx)?, launch.clone()));
        }
        let (ir, entry) = specialized(name, ptx, launch)?;
        Ok((ir, Launch { entry, ..launch.clone() }))
    }

    /// The LLVM IR that a text becomes on the way, optimized.
    ///
    /// # Errors
    /// The findings of the stage that refuses it.
    pub fn ir(&self, name: &str, ptx: &str) -> Result<String> {
        let source = SourceFile::new(name, ptx);
        let module = stage::read(&source)?;
        let context = Context::new()?;
        let level = match self {
            Self::Level(level) => *level,
            Self::Llc => Level::O2,
            Self::Passes(_) => Level::O0,
            Self::Specialized => bail!("a kernel for a launch is made with it"),
        };
        let mut llvm = stage::lower(&module, &source, &context, level)?;
        if let Self::Passes(passes) = self {
            ptx_opt::optimize(&mut llvm, OptLevel::O0, Some(passes), Gpu::default()).context("optimize")?;
        }
        Ok(llvm.to_text())
    }

    /// The PTX that LLVM IR becomes on the way. It is given as text, as the tools are used.
    ///
    /// # Errors
    /// The findings of the stage that refuses it, or what llc says.
    pub fn finish(&self, oracles: &Oracles, name: &str, ir: &str) -> Result<String> {
        match self {
            Self::Llc => oracles.compile_more(ir, &["-O2"]),
            Self::Level(_) | Self::Passes(_) | Self::Specialized => {
                let context = Context::new()?;
                stage::raise(&mut stage::read_llvm(&context, name, ir)?)
            }
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level(level) => f.write_str(level.as_str().trim_start_matches('-')),
            Self::Llc => f.write_str("llc"),
            Self::Passes(passes) => write!(f, "passes={passes}"),
            Self::Specialized => f.write_str("spec"),
        }
    }
}
