//! Executing what came of a module: the PTX of each way, and LLVM IR on the host.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use ptx_diag::SourceFile;
use ptx_exec::Launch;
use ptx_ir::FunctionKind;
use ptx_llvm_core::view::{Function, View};
use ptx_verify::Verified;

use super::harness::{Plan, plan};
use super::{Carried, Execution, Host};
use crate::host::{self, ROUND_TO_BFLOAT};
use crate::judge::output_within;
use crate::oracle::{LIMIT, Oracles};
use crate::stage;

/// Steps of one launch.
const STEPS: u64 = 1 << 20;
/// Bytes of dynamic shared memory.
const DYNAMIC: u32 = 4096;
/// How long the host may take for the functions of one module.
const HOST_LIMIT: Duration = Duration::from_secs(10);

/// What a launch leaves, or how it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Left {
    Memory(Vec<Vec<u8>>),
    /// The code of the finding that stopped it.
    Stopped(String),
    Refused(String),
}

/// The plans of a module's functions, and why others have none.
pub(super) fn plans(view: &View) -> (Vec<Plan>, Vec<(String, String)>) {
    let (mut plans, mut left) = (Vec::new(), Vec::new());
    let defined = |function: &&Function| !function.is_declaration();
    for (number, function) in view.functions.iter().filter(defined).enumerate() {
        match plan(view, number, function) {
            Ok(plan) => plans.push(plan),
            Err(why) => left.push((function.name.clone(), why)),
        }
    }
    (plans, left)
}

/// The module with a kernel for each function of the device.
pub(super) fn with_callers(text: &str, plans: &[Plan]) -> String {
    let mut text = text.to_owned();
    for plan in plans.iter().filter(|plan| plan.kind == FunctionKind::Device) {
        text.push('\n');
        text += &plan.caller;
    }
    text
}

/// Executes every plan in all the PTX, and on the host where that can be.
pub(super) fn execute(
    module: &str,
    carried: &Carried,
    plans: &[Plan],
    lli: Option<(&Path, &Oracles)>,
) -> Result<Vec<(String, Execution)>> {
    let launched = |ptx: &str| -> Result<Vec<Left>> {
        let source = SourceFile::new("executed.ptx", ptx);
        let module = stage::read(&source)?;
        let verified = stage::verify(&module, &source)?;
        Ok(plans.iter().map(|plan| launch(verified, plan)).collect())
    };
    let first = launched(&carried.first)?;
    let (again, optimized) = (launched(&carried.again)?, launched(&carried.optimized)?);
    let ways = first.iter().zip(again.iter().zip(&optimized));
    let verdicts = ways.map(|(first, (again, optimized))| verdict(first, [again, optimized]));
    let mut executions: Vec<_> = plans.iter().map(|plan| plan.name.clone()).zip(verdicts).collect();
    if let Some((lli, oracles)) = lli {
        ask_host(module, plans, &first, &mut executions, lli, oracles);
    }
    Ok(executions)
}

fn verdict(first: &Left, rest: [&Left; 2]) -> Execution {
    const WAYS: [&str; 2] = ["raised again", "optimized and raised again"];
    if let Left::Refused(why) = first {
        return Execution::Left(why.clone());
    }
    for (other, way) in rest.into_iter().zip(WAYS) {
        if other != first {
            return Execution::Differs(format!("{way}: {}", difference(first, other)));
        }
    }
    match first {
        Left::Memory(_) => Execution::Same(Host::NotAsked),
        Left::Stopped(code) => {
            Execution::Left(format!("its arguments make it end with {code}, on every way"))
        }
        Left::Refused(why) => Execution::Left(why.clone()),
    }
}

fn difference(first: &Left, other: &Left) -> String {
    match (first, other) {
        (Left::Memory(first), Left::Memory(other)) => {
            for (number, (first, other)) in first.iter().zip(other).enumerate() {
                if let Some(at) = first.iter().zip(other).position(|(a, b)| a != b) {
                    let show = |bytes: &[u8]| format!("{:02x?}", bytes.get(at..bytes.len().min(at + 8)));
                    return format!(
                        "byte {at} of buffer {number}: {} instead of {}",
                        show(other),
                        show(first)
                    );
                }
            }
            "other buffers".to_owned()
        }
        (_, Left::Stopped(code)) => format!("ends with {code}"),
        (_, Left::Refused(why)) => format!("refused: {why}"),
        (Left::Stopped(code), Left::Memory(_)) => format!("does not end with {code}"),
        (Left::Refused(_), Left::Memory(_)) => "is not refused".to_owned(),
    }
}

fn launch(verified: Verified<'_>, plan: &Plan) -> Left {
    let mut launch = Launch::new(plan.entry.as_str());
    launch.block = plan.block;
    launch.dynamic_shared = DYNAMIC;
    launch.threads = Some(NonZeroUsize::MIN);
    launch.limits.steps = Some(STEPS);
    launch.limits.timeout = Some(Duration::from_secs(20));
    launch.arguments.clone_from(&plan.arguments);
    match ptx_exec::run(verified, &launch) {
        Ok(outcome) => Left::Memory(outcome.buffers.into_iter().flatten().collect()),
        Err(error) => {
            let stopped = matches!(error, ptx_exec::ExecError::Trap(_));
            let findings = error.into_diagnostics();
            let first = findings.iter().next();
            match first {
                Some(finding) if stopped => Left::Stopped(finding.code.0.to_owned()),
                Some(finding) => Left::Refused(finding.message.clone()),
                None => Left::Refused(String::new()),
            }
        }
    }
}

/// Executes on the host what can be executed there and ended well in PTX.
fn ask_host(
    module: &str,
    plans: &[Plan],
    left: &[Left],
    executions: &mut [(String, Execution)],
    lli: &Path,
    oracles: &Oracles,
) {
    let mut asked = Vec::new();
    for ((plan, left), (_, execution)) in plans.iter().zip(left).zip(executions) {
        if let (Left::Memory(found), Execution::Same(host), true) = (left, execution, plan.on_host) {
            asked.push((plan, found, host));
        }
    }
    let all: Vec<&Plan> = asked.iter().map(|(plan, ..)| *plan).collect();
    let results = both_on_host(module, &all, lli, oracles);
    for ((plan, found, host), result) in asked.into_iter().zip(results) {
        *host = match result {
            Ok((plain, optimized)) => host_verdict(plan, found, plain, &optimized),
            Err(why) => Host::Unsure(why),
        };
    }
}

/// What functions leave on the host, as they are and optimized. One that brings the host down is found by halving: the depth is
/// the logarithm of their number.
fn both_on_host(
    module: &str,
    plans: &[&Plan],
    lli: &Path,
    oracles: &Oracles,
) -> Vec<Result<(Buffers, Buffers), String>> {
    if plans.is_empty() {
        return Vec::new();
    }
    let plain = on_host(module, plans, lli, None);
    match plain.and_then(|plain| Ok((plain, on_host(module, plans, lli, Some(oracles))?))) {
        Ok((plain, optimized)) => plain.into_iter().zip(optimized).map(Ok).collect(),
        Err(error) if plans.len() == 1 => vec![Err(format!("{error:#}"))],
        Err(_) => {
            let (one, other) = plans.split_at(plans.len() / 2);
            let mut results = both_on_host(module, one, lli, oracles);
            results.extend(both_on_host(module, other, lli, oracles));
            results
        }
    }
}

/// What buffers hold.
type Buffers = Vec<Vec<u8>>;

fn host_verdict(plan: &Plan, found: &[Vec<u8>], plain: Buffers, optimized: &Buffers) -> Host {
    // The buffers of the caller that the launch has too.
    let wanted = match plan.kind {
        FunctionKind::Device => 0,
        FunctionKind::Kernel => 2,
    };
    if plain != *optimized {
        return Host::Unsure("as it is and optimized it leaves two results".to_owned());
    }
    let plain: Buffers = plain.into_iter().skip(wanted).collect();
    if plain == found {
        return Host::Same;
    }
    Host::Differs(difference(&Left::Memory(plain), &Left::Memory(found.to_vec())))
}

/// What functions leave in their buffers on the host.
fn on_host(module: &str, plans: &[&Plan], lli: &Path, optimizer: Option<&Oracles>) -> Result<Vec<Buffers>> {
    let folder = tempfile::tempdir()?;
    let (all, file) = (folder.path().join("all.ll"), folder.path().join("host.ll"));
    std::fs::write(&all, host_program(module, plans))?;
    // Other functions may hold what the host has no code for.
    let mut command = Command::new(lli.with_file_name("opt"));
    command
        .args(["-S", "-passes=internalize,globaldce", "-internalize-public-api-list=main,__truncsfbf2", "-o"])
        .args([&file, &all]);
    let kept = output_within(&mut command, LIMIT)?;
    let complaint = String::from_utf8_lossy(&kept.stderr).replace(&*all.to_string_lossy(), "input");
    ensure!(kept.status.success(), "{}", complaint.lines().next().unwrap_or_default());
    if let Some(oracles) = optimizer {
        let optimized = oracles.optimize(&std::fs::read_to_string(&file)?)?;
        std::fs::write(&file, optimized)?;
    }
    let run = host::execute(lli, &file, HOST_LIMIT)?;
    ensure!(run.status.success(), "lli: {}", run.status);
    let mut rest = run.stdout.as_slice();
    let mut results = Vec::new();
    for plan in plans {
        let mut buffers = Vec::new();
        for buffer in &plan.buffers {
            let (one, others) = rest.split_at_checked(buffer.len()).context("lli wrote too little")?;
            buffers.push(one.to_vec());
            rest = others;
        }
        results.push(buffers);
    }
    Ok(results)
}

/// The module with a `main` that executes functions and writes their buffers, one after the other.
fn host_program(module: &str, plans: &[&Plan]) -> String {
    let mut text = for_host(module);
    let (mut globals, mut main) = (String::new(), String::new());
    for (at, plan) in plans.iter().enumerate() {
        text.push('\n');
        text += &for_host(&plan.caller);
        let mut arguments = Vec::new();
        let mut writes = String::new();
        for (number, buffer) in plan.buffers.iter().enumerate() {
            let (name, size) = (format!("@executes_buffer{at}_{number}"), buffer.len());
            let bytes: String = buffer.iter().map(|byte| format!("\\{byte:02X}")).collect();
            let _ = writeln!(
                globals,
                "{name} = internal addrspace(1) global [{size} x i8] c\"{bytes}\", align 16"
            );
            arguments.push(format!("ptr addrspace(1) {name}"));
            let _ = writeln!(
                writes,
                "  call i64 @write(i32 1, ptr addrspacecast (ptr addrspace(1) {name} to ptr), i64 {size})"
            );
        }
        let _ = write!(main, "  call void @{}({})\n{writes}", plan.caller_name, arguments.join(", "));
    }
    let _ = write!(
        text,
        "{ROUND_TO_BFLOAT}declare i64 @write(i32, ptr, i64)\ndefine i32 @main() {{\n{main}  ret i32 0\n}}\n{globals}"
    );
    text
}

/// An instruction without the flags that let quotients and roots be estimated: each host has its own estimates, and the nearest
/// number is right for all of them.
fn without_estimates(line: &str) -> String {
    if !line.starts_with(' ') {
        return line.to_owned();
    }
    line.replace(" fast ", " nnan ninf nsz contract reassoc ").replace(" arcp ", " ").replace(" afn ", " ")
}

/// LLVM IR for NVPTX as IR for any target.
fn for_host(text: &str) -> String {
    let kept = text.lines().filter(|line| {
        !line.starts_with("target ")
            && !line.starts_with("@llvm.used")
            && !line.starts_with("@llvm.compiler.used")
    });
    let mut host = String::with_capacity(text.len());
    for line in kept {
        let line = line.replace("ptx_kernel ", "").replace("ptx_device ", "");
        host += &without_estimates(&without_target(&line));
        host.push('\n');
    }
    host
}

/// A line without the attributes that name a GPU; an attribute is left, for no group of them may be empty.
fn without_target(line: &str) -> String {
    let mut line = line.to_owned();
    for key in ["\"target-cpu\"=\"", "\"target-features\"=\""] {
        while let Some(start) = line.find(key) {
            let value = start + key.len();
            let Some(length) = line.get(value..).and_then(|rest| rest.find('"')) else { break };
            line.replace_range(start..=value + length, "\"executed\"");
        }
    }
    line
}
