//! The project's own tasks: `cargo xtask --help`.

mod bench_cases;
mod bench_exec;
mod bench_forms;
mod book;
mod cargo;
mod clients;
mod compile_fuzz;
mod corpus;
mod coverage;
mod csmith;
mod cuda_names;
mod cuda_samples;
mod cudart_names;
mod differential;
mod executed;
mod fidelity;
mod gpu;
mod grammar;
mod instructions;
mod intrinsics;
mod ir_fuzz;
mod kernel_fuzz;
mod langref;
mod lines;
mod link_fuzz;
mod llvm_set;
mod opt_report;
mod producers;
mod prove;
mod ptx_fuzz;
mod python;
mod random;
mod results;
mod roundtrip;
mod stress;
mod table;
mod tests;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The tasks of ptx-llvm
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Execute real kernels of the tests in the interpreter and compiled, and compare processor time
    BenchCases(bench_cases::BenchCasesArguments),
    /// What each special form of compiled code is worth, on the benchmark and on real kernels
    BenchForms(bench_forms::BenchFormsArguments),
    /// Execute the kernels of test-suite/bench natively and in each engine, check the results and compare processor time
    BenchExec(bench_exec::BenchExecArguments),
    /// Build a searchable book of the documents, the instruction table, the diagnostics and the tools' help
    Book(book::BookArguments),
    /// Rewrite the expected outputs of the conformance tests from what the tools do now; review the difference
    Bless,
    /// Run real clients of CUDA without a GPU, with packages from PyPI, and compare what fails with a table
    Clients(clients::ClientsArguments),
    /// Check real PTX in every stage, with tables by producer
    Corpus(corpus::CorpusArguments),
    /// Execute random C programs on the host and on every path, and compare
    Csmith(csmith::CsmithArguments),
    /// Compile and run NVIDIA's cuda-samples with the driver and the runtime of this project
    CudaSamples(cuda_samples::CudaSamplesArguments),
    /// Execute scalar instructions on every path through LLVM and back, and compare
    Differential(differential::DifferentialArguments),
    /// Rewrite docs/isa.md, docs/directives.md, docs/coverage.md, docs/cuda-functions.md and docs/cudart-functions.md from the tables
    Docs,
    /// Record which rows of the instruction table tests execute, in test-suite/executed-rows.tsv
    ExecutedRows(executed::ExecutedArguments),
    /// Compare real PTX before and after the round trip through LLVM IR: mnemonics, order, names, pragmas, lines
    Fidelity(fidelity::FidelityArguments),
    /// Write the launches of the execution tests as JSON for `scripts/gpu-golden`
    GpuCases {
        /// The file; one job on each line
        file: PathBuf,
        /// Write PTX that was lowered to LLVM IR, optimized at this level, and raised: O0 to O3
        #[arg(long, value_name = "LEVEL")]
        through: Option<String>,
    },
    /// Write generated programs as JSON for `scripts/gpu-golden --run`, with their expected results
    GpuPrograms(gpu::ProgramArguments),
    /// Compare a GPU's results of generated programs with the expected ones
    GpuCompare {
        /// The file with the programs
        programs: PathBuf,
        /// The file that `scripts/gpu-golden` wrote
        outputs: PathBuf,
    },
    /// Check a GPU's results of the execution tests, and record them below test-suite/gpu
    GpuRecord {
        /// The file that `scripts/gpu-golden` wrote
        file: PathBuf,
        /// Record nothing, for PTX that was lowered and raised
        #[arg(long)]
        judge_only: bool,
    },
    /// Mutate tokens of valid PTX and compare the verifier's verdict with that of ptxas
    Grammar(grammar::GrammarArguments),
    /// Rewrite the generated files of editors/ from the instruction table
    Grammars,
    /// Raise every intrinsic of LLVM's NVPTX target and assemble the results with ptxas
    Intrinsics(intrinsics::IntrinsicsArguments),
    /// Execute random programs in LLVM IR on the host and as PTX, and compare
    IrFuzz(ir_fuzz::IrFuzzArguments),
    /// Compile random control flow for the host, execute it, and check that time grows as the program does
    CompileFuzz(compile_fuzz::CompileFuzzArguments),
    /// Execute random kernels with communicating threads, in the interpreter and compiled, and compare
    KernelFuzz(kernel_fuzz::KernelFuzzArguments),
    /// Link random modules with debug information with LLVM's programs and check the lines of the result
    LinkFuzz(random::RandomPrograms),
    /// Translate LLVM IR in NVPTX style to PTX and back, and execute it on every path
    LlSet(llvm_set::LlvmSetArguments),
    /// Raise every construct of LLVM's language reference, and try rejected ones with llc
    Langref(langref::LangrefArguments),
    /// Measure time and memory of ptx2ll on very large and unusual inputs
    Stress(stress::StressArguments),
    /// Build all test programs at once and run several at a time
    Test(tests::TestArguments),
    /// Measure where the time of the tests goes
    TestTimes(tests::TimesArguments),
    /// Generate instructions of every row of the instruction table and compare the verifier's verdict with that of ptxas
    Table(table::TableArguments),
    /// Check single instructions in every stage
    Lines(lines::LinesArguments),
    /// Compare the machine code that this project's emitter and LLVM's backend generate from compilers' LLVM IR
    Producers(producers::ProducersArguments),
    /// What ways through LLVM do to machine code, weighted by execution: issued instructions of kernels before and after
    OptReport(opt_report::OptReportArguments),
    /// Execute random programs in PTX on every path, and compare with the expected results
    PtxFuzz(ptx_fuzz::PtxFuzzArguments),
    /// Build the Python package and run its tests
    Python(python::PythonArguments),
    /// Prove with an SMT solver that scalar instructions keep their semantics in the round trip through LLVM, for all inputs
    Prove(prove::ProveArguments),
    /// Measure, and write the tables into docs/results.md with the date and the machine
    Results(results::ResultsArguments),
    /// Compare the machine code of real PTX before and after the round trip through LLVM IR
    Roundtrip(roundtrip::RoundtripArguments),
    /// Write manual pages and completion scripts of the tools into a folder
    Man {
        /// The folder; it is created if it does not exist
        #[arg(default_value = "target/man")]
        folder: PathBuf,
    },
}

fn main() -> Result<()> {
    if let Some(path) = std::env::var_os(test_suite::corpus::JUDGE) {
        let stages = std::env::var(test_suite::corpus::STAGES).ok();
        let mut out = std::io::stdout();
        return test_suite::corpus::judge_aloud(
            Path::new(&path),
            stages.as_deref(),
            &corpus::oracles(),
            &mut out,
        );
    }
    if let Some(path) = std::env::var_os(test_suite::roundtrip::JUDGE) {
        let ways = std::env::var(test_suite::roundtrip::WAYS)?;
        return roundtrip::judge(Path::new(&path), &ways);
    }
    if let Some(path) = std::env::var_os(test_suite::llvm_set::JUDGE) {
        return llvm_set::judge(Path::new(&path));
    }
    match Arguments::parse().task {
        Task::BenchCases(arguments) => bench_cases::measure(&arguments),
        Task::BenchForms(arguments) => bench_forms::measure(&arguments),
        Task::BenchExec(arguments) => bench_exec::measure(&arguments),
        Task::Book(arguments) => book::build(&arguments),
        Task::Bless => cargo::bless(),
        Task::Clients(arguments) => clients::run(&arguments),
        Task::Corpus(arguments) => corpus::measure(&arguments),
        Task::Csmith(arguments) => csmith::compare(&arguments),
        Task::CudaSamples(arguments) => cuda_samples::measure(&arguments),
        Task::Differential(arguments) => differential::compare(&arguments),
        Task::ExecutedRows(arguments) => executed::record(&arguments),
        Task::Fidelity(arguments) => fidelity::measure(&arguments),
        Task::GpuCases { file, through } => gpu::write_cases(&file, through.as_deref()),
        Task::GpuPrograms(arguments) => gpu::write_programs(&arguments),
        Task::GpuCompare { programs, outputs } => gpu::compare_outputs(&programs, &outputs),
        Task::GpuRecord { file, judge_only } => gpu::record_outputs(&file, judge_only),
        Task::Grammar(arguments) => grammar::compare(&arguments),
        Task::Grammars => instructions::write_grammars(),
        Task::Intrinsics(arguments) => intrinsics::measure(&arguments),
        Task::IrFuzz(arguments) => ir_fuzz::fuzz(&arguments),
        Task::CompileFuzz(arguments) => compile_fuzz::fuzz(&arguments),
        Task::KernelFuzz(arguments) => kernel_fuzz::fuzz(&arguments),
        Task::LinkFuzz(arguments) => link_fuzz::fuzz(&arguments),
        Task::LlSet(arguments) => llvm_set::measure(&arguments),
        Task::Langref(arguments) => langref::measure(&arguments),
        Task::Stress(arguments) => stress::measure(&arguments),
        Task::Docs => {
            instructions::write()?;
            coverage::write()?;
            cuda_names::write()?;
            cudart_names::write()
        }
        Task::Test(arguments) => tests::run(&arguments),
        Task::TestTimes(arguments) => tests::times(&arguments),
        Task::Table(arguments) => table::compare(&arguments),
        Task::Lines(arguments) => lines::measure(&arguments),
        Task::Producers(arguments) => producers::measure(&arguments),
        Task::PtxFuzz(arguments) => ptx_fuzz::fuzz(&arguments),
        Task::Python(arguments) => python::test(&arguments),
        Task::Prove(arguments) => prove::prove(&arguments),
        Task::Results(arguments) => results::measure(&arguments),
        Task::OptReport(arguments) => opt_report::measure(&arguments),
        Task::Roundtrip(arguments) => roundtrip::measure(&arguments),
        Task::Man { folder } => cargo::write_manuals(&folder),
    }
}
