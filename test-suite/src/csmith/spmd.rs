//! csmith's programs with a copy for each thread of a kernel, whose variables begin with other values: threads of a warp take different branches.
//!
//! A program of csmith's has global variables, and one flow of control. As a C++ struct with the variables and functions as members,
//! each thread has one of its own:
//!
//! ```text
//! static int32_t g_4 = 1L;              struct Program {
//! static int32_t func_1(void) { .. }        int32_t g_4 = 1L;
//! int main (void) { .. }           ->       int32_t func_1(void) { .. }
//!                                           uint32_t sum(uint32_t thread) { if (mixed(thread, 0) & 1) g_4 ^= ..; .. }
//!                                       };
//! ```
//!
//! csmith's programs have no undefined behaviour whatever the values of their variables are: its arithmetic is total, and only counters of its
//! loops are indices. They may not end, which the host finds out first.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use ptx_llvm_core::Context;

use super::{HOST_LIMIT, OUT_OF_BOUNDS, SMALL, Tools, Verdict, output_within, run};
use crate::directive::Level;
use crate::kernel_program::{self, Draw};
use crate::oracle::Oracles;
use crate::stage;

/// Blocks and threads of each: more than a warp, and one that is not full.
const GRID: u32 = 2;
const BLOCK: u32 = 48;
/// How long the kernel may take in an engine.
const LIMIT: Duration = Duration::from_secs(60);
/// Where csmith's comments divide a program.
const TYPES: &str = "/* --- Struct/Union Declarations --- */";
const VARIABLES: &str = "/* --- GLOBAL VARIABLES --- */";
const DECLARATIONS: &str = "/* --- FORWARD DECLARATIONS --- */";
const FUNCTIONS: &str = "/* --- FUNCTIONS --- */";
const MAIN: &str = "int main (void)";
const STATISTICS: &str = "/************************ statistics";
/// How `main` begins and ends.
const BEGIN: &str = "platform_main_begin();";
const END: &str = "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);\n    return 0;";

/// Generates the program of a seed, and compares the sums of all threads on the host with those of the interpreter and of compiled code,
/// for the PTX of LLVM's backend and for ours.
///
/// # Errors
/// When csmith or a compiler fails.
pub fn judge(seed: u64, tools: &Tools, oracles: &Oracles) -> Result<Verdict> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let mut csmith = Command::new(&tools.csmith);
    csmith.current_dir(folder.path()).args(["--seed", &seed.to_string(), "--lang-cpp", "--cpp11"]);
    run(csmith.args(SMALL).arg("-o").arg(path("generated.cpp")), "csmith")?;
    let source = in_threads(&fs::read_to_string(path("generated.cpp"))?)?;
    fs::write(path("program.cpp"), &source)?;
    let mut host = Command::new("c++");
    host.args(["-std=c++17", "-w", "-fpermissive", "-O1", "-fwrapv", "-fno-strict-aliasing"]);
    includes(&mut host, tools);
    run(host.arg(path("program.cpp")).arg("-o").arg(path("program")), "c++")?;
    let host = output_within(&mut Command::new(path("program")), HOST_LIMIT);
    let Ok(host) = host else { return Ok(Verdict::Slow) };
    if !host.status.success() {
        return Ok(Verdict::Slow);
    }
    let sums = sums(&String::from_utf8_lossy(&host.stdout))?;
    // Unoptimized code has calls and keeps every variable in memory.
    let level = ["-O0", "-O1", "-O2"][(seed % 3) as usize];
    let ir = device(&path("program.cpp"), level, tools)?;
    let (mut ways, mut refused) = (Vec::new(), None);
    let texts = [("llc", oracles.compile(&ir)), ("raised at O2", raised(&ir))];
    let mut beyond = false;
    for (name, ptx) in texts {
        match ptx.and_then(|ptx| differences(&ptx, seed, &sums)) {
            Ok(Left::Refused(why)) => refused = Some(why),
            Ok(Left::Others(found))
                if name == "llc" && found.iter().any(|what| what.contains(OUT_OF_BOUNDS)) =>
            {
                beyond = true;
            }
            Ok(Left::Others(found)) => {
                ways.extend(found.iter().map(|what| format!("clang {level}, {name}, {what}")));
            }
            Err(error) => ways.push(format!("clang {level}, {name}: {error:#}")),
        }
    }
    Ok(match (ways.is_empty(), beyond) {
        (false, _) => Verdict::Differs { source, ways },
        (true, true) => Verdict::Beyond,
        (true, false) => refused.map_or(Verdict::Same, Verdict::Refused),
    })
}

/// A program of csmith's as a struct, of which each thread has one.
fn in_threads(program: &str) -> Result<String> {
    let part = |from: &str, to: &str| -> Result<&str> {
        let start = program.find(from).with_context(|| format!("csmith's program has no {from}"))?;
        let length = program[start..].find(to).with_context(|| format!("csmith's program has no {to}"))?;
        Ok(&program[start..start + length])
    };
    // A program without structs has no part for them.
    let types = if program.contains(TYPES) { part(TYPES, VARIABLES)? } else { "" };
    let variables = part(VARIABLES, DECLARATIONS)?;
    let members = format!("{variables}{}", part(FUNCTIONS, MAIN)?).replace("\nstatic ", "\n");
    let main = part(MAIN, STATISTICS)?.replacen(MAIN, "uint32_t sum(uint32_t thread)", 1);
    ensure!(main.contains(BEGIN) && main.contains(END), "csmith's main is another one");
    let main = main.replacen(BEGIN, &format!("{BEGIN}\n{}", seeds(variables)), 1);
    let main = main.replacen(END, "return crc32_context;", 1);
    Ok(format!(
        "#include \"threads.h\"\n{types}struct Program {{\nMEMBERS_OF_PROGRAM\n{members}{main}}};\nMAIN_OF_PROGRAM({})\n",
        GRID * BLOCK
    ))
}

/// Statements that change the integer variables of a thread, half of them for each thread.
fn seeds(variables: &str) -> String {
    let mut text = String::new();
    for (number, line) in variables.lines().enumerate() {
        let Some(line) = line.strip_prefix("static ") else { continue };
        let line = line.strip_prefix("volatile ").unwrap_or(line);
        let Some((ty, rest)) = line.split_once(' ') else { continue };
        let Some((name, _)) = rest.split_once(" = ") else { continue };
        let is_integer = ty.trim_start_matches('u').starts_with("int") && ty.ends_with("_t");
        if is_integer && name.starts_with("g_") && !name.contains('[') {
            // Small numbers, too: many comparisons are with those.
            let shift = [0, 16, 27][number % 3];
            _ = writeln!(
                text,
                "    if (mixed(thread, {number}) & 1) {name} ^= ({ty})(mixed(thread, {number}) >> {shift});"
            );
        }
    }
    text
}

fn includes(command: &mut Command, tools: &Tools) {
    command.arg("-I").arg(&tools.header).arg("-I").arg(&tools.arithmetic);
}

/// The sums that the host prints.
fn sums(output: &str) -> Result<Vec<u8>> {
    let mut sums = Vec::new();
    for line in output.lines() {
        sums.extend(u32::from_str_radix(line, 16)?.to_le_bytes());
    }
    ensure!(sums.len() == (GRID * BLOCK * 4) as usize, "the host prints {} bytes of sums", sums.len());
    Ok(sums)
}

/// Clang's LLVM IR for a GPU.
fn device(source: &Path, level: &str, tools: &Tools) -> Result<String> {
    let output = source.with_extension("ll");
    let mut clang = Command::new(&tools.clang);
    clang.args([
        "-x",
        "c++",
        "-std=c++17",
        "-fno-exceptions",
        "-Wno-c++11-narrowing",
        "-fno-strict-aliasing",
    ]);
    clang.args(super::FOR_A_GPU).args([level, "-S", "-emit-llvm"]);
    includes(&mut clang, tools);
    run(clang.arg(source).arg("-o").arg(&output), "clang")?;
    Ok(fs::read_to_string(output)?)
}

fn raised(ir: &str) -> Result<String> {
    let context = Context::new()?;
    let mut llvm = stage::read_llvm(&context, "program", ir)?;
    stage::optimize(&mut llvm, Level::O2)?;
    stage::raise(&mut llvm)
}

/// Each thread has a word.
fn thread(at: usize) -> String {
    format!("thread {at}")
}

/// What executions leave.
enum Left {
    /// The ways whose sums are others, and what these leave; none, if there are no such ways.
    Others(Vec<String>),
    /// The same in the interpreter; there is no code.
    Refused(&'static str),
}

/// Executes a text in all ways.
fn differences(ptx: &str, seed: u64, sums: &[u8]) -> Result<Left> {
    let source = SourceFile::new("program.ptx", ptx);
    let mut launch = Launch::new("kernel");
    (launch.grid, launch.block) = ([GRID, 1, 1], [BLOCK, 1, 1]);
    launch.limits.timeout = Some(LIMIT);
    launch.arguments = vec![Argument::Buffer(vec![0; sums.len()])];
    let left = kernel_program::interpreted(&source, &launch)?;
    if left.as_deref() != Ok(sums) {
        let what = kernel_program::describe(&left, sums, thread);
        return Ok(Left::Others(vec![format!("interpreted: {what}")]));
    }
    let draw = Draw { seed, is_long: false, on_all: false, place: thread };
    Ok(match kernel_program::as_code(&source, &launch, &draw, sums)? {
        kernel_program::Verdict::Same => Left::Others(Vec::new()),
        kernel_program::Verdict::Refused(why) => Left::Refused(why),
        kernel_program::Verdict::Different(found) => {
            Left::Others(found.iter().map(|one| format!("{}: {}", one.way, one.what)).collect())
        }
    })
}
