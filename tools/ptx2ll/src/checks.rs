//! Options that have no meaning together.

use ptx_cli::Failure;

use crate::arguments::{AnalysisChoice, AnalyzeFormat, Arguments, Emit, Lines};
use crate::failures::no_meaning;

/// Rejects options that do not apply to the target.
pub(crate) fn check_target(arguments: &Arguments) -> Result<(), Failure> {
    let target = &arguments.target;
    let product = arguments.product();
    let message = if target.is_processor() {
        let leaves_out =
            arguments.optimize.is_wanted() || arguments.no_hints || !arguments.link_bitcode.is_empty();
        match product {
            _ if arguments.analyzes() => "--analyze is for a GPU",
            _ if arguments.specializes() => {
                "--assume and --assume-launch are for a GPU; a kernel for a CPU is compiled for the blocks of --block"
            }
            Emit::Ptx | Emit::None => "--emit for a CPU target must be ll, bc, asm or obj",
            _ if arguments.instrument.is_some() => {
                "--instrument is for a GPU; a kernel for a CPU is counted by `ptxrun --profile`"
            }
            _ if arguments.lines == Lines::Ptx => {
                "--lines=ptx is for LLVM IR of a GPU; code for a CPU has the lines of the PTX already"
            }
            _ if leaves_out => {
                "-O, --passes, --link-bitcode and --no-hints are for LLVM IR of a GPU; to optimize that first: \
                 `ptx2ll -O2 k.ptx | ll2ptx | ptx2ll --target=host`"
            }
            _ => return Ok(()),
        }
    } else {
        let is_given = target.cpu.is_some()
            || target.header.is_some()
            || !target.block.is_empty() && !arguments.analyzes()
            || !target.entry.is_empty();
        match product {
            Emit::Asm | Emit::Obj => "--emit=asm and --emit=obj require --target=host, x86_64 or aarch64",
            _ if target.block.len() > 1 => "--analyze takes one --block",
            _ if is_given => "--cpu, --block, --entry and --header require --target=host, x86_64 or aarch64",
            _ => return Ok(()),
        }
    };
    Err(no_meaning(arguments, message.to_owned()))
}

/// Rejects `--no-hints` for output that is not text, and optimization of output that is produced without LLVM, which would be ignored silently.
pub(crate) fn check_combination(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.no_hints && arguments.product() == Emit::Bc {
        let message = "--no-hints requires text output and cannot be used for bitcode".to_owned();
        return Err(no_meaning(arguments, message));
    }
    if arguments.specializes() && arguments.product() == Emit::None {
        return Err(no_meaning(
            arguments,
            "--assume and --assume-launch have no effect with --emit=none".to_owned(),
        ));
    }
    if arguments.instrument.is_some() && arguments.product() == Emit::None {
        return Err(no_meaning(arguments, "--instrument has no effect with --emit=none".to_owned()));
    }
    if arguments.lines == Lines::Ptx && arguments.product() == Emit::None {
        let with = if arguments.analyzes() { "--analyze" } else { "--emit=none" };
        return Err(no_meaning(arguments, format!("--lines has no effect with {with}")));
    }
    let is_graph =
        |choice: &AnalysisChoice| matches!(choice, AnalysisChoice::Callgraph | AnalysisChoice::Cfg);
    if arguments.analyze_format == AnalyzeFormat::Dot && !arguments.analyze.iter().all(is_graph) {
        let message = "--analyze-format=dot is for --analyze=callgraph and --analyze=cfg".to_owned();
        return Err(no_meaning(arguments, message));
    }
    if arguments.profile.is_some() && !arguments.analyze.contains(&AnalysisChoice::Roofline) {
        return Err(no_meaning(arguments, "--profile is for --analyze=roofline".to_owned()));
    }
    let through_llvm = matches!(arguments.product(), Emit::Ll | Emit::Bc) || arguments.view.is_some();
    let optimizes = arguments.optimize.is_wanted();
    let links = !arguments.link_bitcode.is_empty();
    if through_llvm || !(optimizes || links || arguments.no_hints) {
        return Ok(());
    }
    let what = match (links, optimizes) {
        (true, _) => "--link-bitcode has",
        (false, true) => "-O and --passes have",
        (false, false) => "--no-hints has",
    };
    let with =
        if arguments.analyzes() { "--analyze, which does" } else { "--emit=ptx and --emit=none, which do" };
    let message = format!("{what} no effect with {with} not use LLVM");
    Err(no_meaning(arguments, message))
}
