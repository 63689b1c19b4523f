//! Programs outside the project that judge its output: ptxas, nvdisasm, llc, opt, and the SMT solver z3.
//!
//! They are looked for and used when they are there; a check without its oracle is counted as skipped. ptxas is the only
//! judge of what PTX is valid; llc and opt tell whether LLVM's own programs take our IR.

mod ptxas;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use ptx_gen::Home;
use ptx_isa::{PtxVersion, Sm};

use crate::judge::output_within;

/// How long a tool of LLVM's or of NVIDIA's may take: minutes more than any input of the suite needs.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// How long llc may take, which never ends on some modules (`llvm.coro.subfn.addr`).
const LLC_LIMIT: Duration = Duration::from_secs(120);

/// Where the oracle programs are.
#[derive(Clone, Debug, Default)]
pub struct Oracles {
    /// NVIDIA's assembler.
    pub ptxas: Option<PathBuf>,
    /// NVIDIA's disassembler.
    pub nvdisasm: Option<PathBuf>,
    /// LLVM 22's code generator.
    pub llc: Option<PathBuf>,
    /// LLVM 22's optimizer.
    pub opt: Option<PathBuf>,
    /// An SMT solver.
    pub z3: Option<PathBuf>,
}

/// The folder of NVIDIA's programs: what `PTX_ORACLE` names, from the workspace on, else `.oracle` there.
pub fn nvidia_folder() -> PathBuf {
    named_folder("PTX_ORACLE", ".oracle")
}

/// Where LLVM is installed: what `LLVM_SYS_221_PREFIX` names, else where Debian puts it.
pub fn llvm_folder() -> PathBuf {
    named_folder("LLVM_SYS_221_PREFIX", "/usr/lib/llvm-22")
}

fn named_folder(variable: &str, otherwise: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    workspace.join(std::env::var_os(variable).map_or(PathBuf::from(otherwise), PathBuf::from))
}

impl Oracles {
    /// Looks in the folder `nvidia` (or its `bin`) and in LLVM's installation prefix `llvm`.
    pub fn find(nvidia: &Path, llvm: &Path) -> Self {
        let in_nvidia =
            |name: &str| [nvidia.join(name), nvidia.join("bin").join(name)].into_iter().find(|p| p.is_file());
        Self {
            ptxas: in_nvidia("ptxas"),
            nvdisasm: in_nvidia("nvdisasm"),
            llc: Some(llvm.join("bin/llc")).filter(|p| p.is_file()),
            opt: Some(llvm.join("bin/opt")).filter(|p| p.is_file()),
            z3: in_nvidia("z3"),
        }
    }

    /// The programs that were not found.
    pub fn missing(&self) -> Vec<&'static str> {
        let all = [
            ("ptxas", &self.ptxas),
            ("nvdisasm", &self.nvdisasm),
            ("llc", &self.llc),
            ("opt", &self.opt),
            ("z3", &self.z3),
        ];
        all.into_iter().filter(|(_, path)| path.is_none()).map(|(name, _)| name).collect()
    }

    /// Lets ptxas assemble `ptx`; the error is its complaint. Returns the machine code file's bytes.
    ///
    /// # Errors
    /// When ptxas refuses, or cannot be run. Fails without ptxas: ask for it first.
    pub fn assemble(&self, ptx: &str) -> Result<Vec<u8>> {
        self.assemble_as(ptx, Linking::Relocatable).map(|(cubin, _)| cubin)
    }

    /// Lets ptxas judge `ptx`: assemble it, or where it has 32-bit addresses, for which ptxas 13.5 makes no machine code, read and check it
    /// for a virtual architecture.
    ///
    /// # Errors
    /// As [`Oracles::assemble`].
    pub fn accept(&self, ptx: &str) -> Result<()> {
        if !has_32_bit_addresses(ptx) {
            return self.assemble(ptx).map(drop);
        }
        let virtual_target = architecture(ptx).replace("sm_", "compute_");
        self.run_ptxas(&[&format!("-arch={virtual_target}")], ptx)?;
        Ok(())
    }

    /// As [`Oracles::assemble`], with what ptxas says about the resources of each function (`-v`).
    ///
    /// # Errors
    /// As [`Oracles::assemble`].
    pub fn assemble_as(&self, ptx: &str, linking: Linking) -> Result<(Vec<u8>, String)> {
        let relocatable = linking == Linking::Relocatable && is_relocatable(ptx);
        let architecture = format!("-arch={}", architecture(ptx));
        let options: &[&str] =
            if relocatable { &["-c", "-v", &architecture] } else { &["-v", &architecture] };
        let run = self.run_ptxas(options, ptx)?;
        ensure!(!run.cubin.is_empty(), "ptxas wrote no machine code");
        Ok((run.cubin, run.complaint))
    }

    /// As [`Oracles::assemble_as`] of a whole program, for an architecture, with the PTX line of each machine instruction (`-lineinfo`), which changes
    /// no instruction.
    ///
    /// # Errors
    /// As [`Oracles::assemble`].
    pub fn assemble_with_lines(&self, ptx: &str, architecture: &str) -> Result<(Vec<u8>, String)> {
        let run = self.run_ptxas(&["-lineinfo", "-v", &format!("-arch={architecture}")], ptx)?;
        ensure!(!run.cubin.is_empty(), "ptxas wrote no machine code");
        Ok((run.cubin, run.complaint))
    }

    /// A run of ptxas that ends well; else the error is its complaint.
    fn run_ptxas(&self, options: &[&str], ptx: &str) -> Result<ptxas::Run> {
        let program = self.ptxas.as_ref().context("no ptxas")?;
        let run = ptxas::run(program, options, ptx, LIMIT)?;
        if let Some(ending) = &run.ending {
            let complaint = first_lines(&run.complaint, 6);
            bail!("ptxas: {}", if complaint.is_empty() { ending } else { &complaint });
        }
        Ok(run)
    }

    /// Lets ptxas read and check `ptx` for the architecture of `home` without generating code.
    ///
    /// # Errors
    /// When ptxas cannot be run. Fails without ptxas: ask for it first.
    pub fn check(&self, ptx: &str, home: Home) -> Result<Verdict> {
        self.check_within(ptx, home, LIMIT)
    }

    /// As [`Oracles::check`], for texts on which ptxas may not end: after `limit` it is killed, which counts as a refusal.
    ///
    /// # Errors
    /// As [`Oracles::check`].
    pub fn check_within(&self, ptx: &str, home: Home, limit: Duration) -> Result<Verdict> {
        let program = self.ptxas.as_ref().context("no ptxas")?;
        let sm = if home.sm.number < 75 { Sm::new(75) } else { home.sm };
        let arch = sm.to_string().replace("sm_", "-arch=compute_");
        let ended = ptxas::run(program, &[&arch, "-w"], ptx, limit)?;
        let lines = ended.said.lines().chain(ended.complaint.lines());
        let mut findings: Vec<_> = lines.filter_map(finding).collect();
        if let Some(ending) = ended.ending.as_ref().filter(|_| findings.is_empty()) {
            findings.push((None, ending.clone()));
        }
        Ok(Verdict { accepted: ended.ending.is_none(), findings })
    }

    /// Lets llc compile `ir` and returns its PTX; the error is its complaint.
    ///
    /// # Errors
    /// When llc refuses, or cannot be run. Fails without llc: ask for it first.
    pub fn compile(&self, ir: &str) -> Result<String> {
        self.compile_more(ir, &[])
    }

    /// As [`Oracles::compile`], with more options.
    ///
    /// # Errors
    /// As [`Oracles::compile`].
    pub fn compile_more(&self, ir: &str, more: &[&str]) -> Result<String> {
        // llc selects for one GPU per module and takes it from its options, not from the functions' attributes.
        let cpu = attribute(ir, "target-cpu").map(|cpu| format!("-mcpu={cpu}"));
        let features = attribute(ir, "target-features").map(|features| format!("-mattr={features}"));
        let target = [&cpu, &features].into_iter().flatten().map(String::as_str);
        let options: Vec<&str> = target.chain(more.iter().copied()).collect();
        self.compile_with(ir, &options)
    }

    /// As [`Oracles::compile`], with options of llc's instead of what the functions' attributes say.
    ///
    /// # Errors
    /// As [`Oracles::compile`].
    pub fn compile_with(&self, ir: &str, options: &[&str]) -> Result<String> {
        let llc = self.llc.as_ref().context("no llc")?;
        let folder = tempfile::tempdir()?;
        let (input, output) = (folder.path().join("a.ll"), folder.path().join("a.ptx"));
        std::fs::write(&input, ir)?;
        let mut command = Command::new(llc);
        let is_narrow = ir.lines().any(|line| line.starts_with("target triple = \"nvptx-"));
        let triple = if is_narrow { "nvptx-nvidia-cuda" } else { "nvptx64-nvidia-cuda" };
        command.arg(format!("-mtriple={triple}")).arg("-o").arg(&output).args(options).arg(&input);
        let run = output_within(&mut command, LLC_LIMIT)?;
        let complaint = String::from_utf8_lossy(&run.stderr).replace(&*input.to_string_lossy(), "input");
        ensure!(run.status.success(), "llc: {}", first_lines(&complaint, 6));
        Ok(std::fs::read_to_string(output)?)
    }

    /// Lets the stock opt optimize `ir` at -O3, verifying it before and after; the error is its complaint.
    ///
    /// # Errors
    /// When opt refuses, or cannot be run. Fails without opt: ask for it first.
    pub fn optimize(&self, ir: &str) -> Result<String> {
        let opt = self.opt.as_ref().context("no opt")?;
        let folder = tempfile::tempdir()?;
        let (input, output) = (folder.path().join("a.ll"), folder.path().join("o.ll"));
        std::fs::write(&input, ir)?;
        let mut command = Command::new(opt);
        let run = output_within(command.args(["-O3", "-S", "-o"]).arg(&output).arg(&input), LIMIT)?;
        let complaint = String::from_utf8_lossy(&run.stderr).replace(&*input.to_string_lossy(), "input");
        ensure!(run.status.success(), "opt: {}", first_lines(&complaint, 6));
        Ok(std::fs::read_to_string(output)?)
    }

    /// What the stock opt's analysis of scalar evolution says of `ir`: expressions, and the trip counts of loops.
    ///
    /// # Errors
    /// When opt refuses, or cannot be run. Fails without opt: ask for it first.
    pub fn scalar_evolution(&self, ir: &str) -> Result<String> {
        let opt = self.opt.as_ref().context("no opt")?;
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), ir)?;
        let mut command = Command::new(opt);
        command.args(["-passes=loop-simplify,print<scalar-evolution>", "-disable-output"]).arg(file.path());
        let run = output_within(&mut command, LIMIT)?;
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        ensure!(run.status.success(), "opt: {}", first_lines(&said, 6));
        Ok(said)
    }

    /// The machine code of `cubin` as text.
    ///
    /// # Errors
    /// When nvdisasm refuses, or cannot be run. Fails without nvdisasm: ask for it first.
    pub fn disassemble(&self, cubin: &[u8]) -> Result<String> {
        self.disassemble_with(cubin, &["-c"])
    }

    /// As [`Oracles::disassemble`], with the PTX line of each instruction.
    ///
    /// # Errors
    /// As [`Oracles::disassemble`].
    pub fn disassemble_with_lines(&self, cubin: &[u8]) -> Result<String> {
        self.disassemble_with(cubin, &["-gp", "-c"])
    }

    fn disassemble_with(&self, cubin: &[u8], options: &[&str]) -> Result<String> {
        let nvdisasm = self.nvdisasm.as_ref().context("no nvdisasm")?;
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), cubin)?;
        let run = output_within(Command::new(nvdisasm).args(options).arg(file.path()), LIMIT)?;
        ensure!(run.status.success(), "nvdisasm: {}", first_lines(&String::from_utf8_lossy(&run.stderr), 6));
        Ok(String::from_utf8_lossy(&run.stdout).into_owned())
    }
}

/// What code is assembled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linking {
    /// The module is the whole program.
    Whole,
    /// A linker adds the functions that are only declared (`-c`).
    Relocatable,
}

/// What ptxas says about a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Whether it accepts the whole text.
    pub accepted: bool,
    /// Its complaints: the line, counted from 1 (nothing where it names none), and the sentence.
    pub findings: Vec<(Option<u32>, String)>,
}

/// Reads `ptxas a.ptx, line 7; error   : sentence` and `ptxas fatal   : sentence`.
fn finding(line: &str) -> Option<(Option<u32>, String)> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, sentence) = rest.split_once(" : ")?;
    let (_, number) = place.split_once(", line ").unwrap_or_default();
    let number = number.split(';').next().and_then(|digits| digits.parse().ok());
    let is_no_error = sentence.contains("aborted due to errors") || sentence.contains("Advisory:");
    (!is_no_error).then(|| (number, sentence.trim().to_owned()))
}

/// The architecture ptxas is asked for: the module's own target, or the oldest that ptxas still knows.
fn architecture(ptx: &str) -> String {
    let target = ptx.lines().find_map(|l| l.trim_start().strip_prefix(".target")).unwrap_or_default();
    let target = target.split([',', ' ', '\t', '/']).find(|w| !w.is_empty()).unwrap_or_default();
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(number) if number >= 75 => target.to_owned(),
        _ => "sm_75".to_owned(),
    }
}

/// The architecture that machine code is measured on: the module's own target where that is not older than `least` (or has code for itself alone).
pub(crate) fn architecture_at_least(ptx: &str, least: u32) -> String {
    let own = architecture(ptx);
    let digits: String = own.chars().filter(char::is_ascii_digit).collect();
    let is_own = own.ends_with(['a', 'f']) || digits.parse::<u32>().is_ok_and(|number| number >= least);
    if is_own { own } else { format!("sm_{least}") }
}

/// Whether the module has `.address_size 32`.
pub(crate) fn has_32_bit_addresses(ptx: &str) -> bool {
    let mut words = ptx.lines().filter_map(|line| line.trim_start().strip_prefix(".address_size"));
    words.next().is_some_and(|rest| rest.split_whitespace().next() == Some("32"))
}

/// Whether code of the module's version can be linked: ptxas takes `-c` from PTX 3.1 on.
fn is_relocatable(ptx: &str) -> bool {
    let version = ptx.lines().find_map(|l| l.trim_start().strip_prefix(".version")).unwrap_or_default();
    let version = version.split([' ', '\t', '/']).find_map(PtxVersion::from_text);
    version.is_none_or(|version| version >= PtxVersion::new(3, 1))
}

/// The value of the first string attribute of this name in LLVM IR text.
fn attribute<'a>(ir: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = ir.split_once(&format!("\"{name}\"=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn first_lines(text: &str, count: usize) -> String {
    text.trim().lines().take(count).collect::<Vec<_>>().join("\n")
}
