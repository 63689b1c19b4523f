//! Functions of CUDA's device runtime (`libcudadevrt`), which compilers declare and programs get from a library of machine code. Those that PTX
//! can express are here; the others are refused by name.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{Module, Symbol};
use ptx_isa::{PtxVersion, Sm};

use crate::code;
use crate::unresolved::unresolved;

/// The file of these functions in errors.
pub const FILE_NAME: &str = "cudadevrt.ptx";

/// The handle of the grid, which is the address of the workspace of a cooperative launch; 0 for other groups, and in other launches.
const GET_INTRINSIC_HANDLE: &str = "
.visible .func (.param .b64 r) NAME(.param .b32 scope)
{
    .reg .pred %p; .reg .b32 %s, %lo, %hi; .reg .b64 %h;
    ld.param.u32 %s, [scope];
    mov.u32 %lo, %envreg2; mov.u32 %hi, %envreg1;
    mov.b64 %h, {%lo, %hi};
    setp.eq.u32 %p, %s, 1;
    selp.b64 %h, %h, 0, %p;
    st.param.b64 [r], %h;
    ret;
}
";

/// Waits for all blocks of the grid. Each adds to the 32 bits at offset 4 of the workspace, the first block what the others lack to 2^31, so that
/// the highest bit changes when all have come.
const SYNCHRONIZE: &str = "
.visible .func (.param .b32 r) NAME(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p; .reg .b32 %t<6>; .reg .b64 %h;
    ld.param.u64 %h, [handle];
    setp.eq.u64 %p, %h, 0;
    @%p trap; // the launch is not cooperative
    BARRIER 0;
    mov.u32 %t0, %tid.x; mov.u32 %t1, %tid.y; or.b32 %t0, %t0, %t1; mov.u32 %t1, %tid.z; or.b32 %t0, %t0, %t1;
    setp.ne.u32 %p, %t0, 0;
    @%p bra DONE;
    mov.u32 %t0, %nctaid.x; mov.u32 %t1, %nctaid.y; mul.lo.u32 %t0, %t0, %t1; mov.u32 %t1, %nctaid.z; mul.lo.u32 %t0, %t0, %t1;
    mov.u32 %t1, %ctaid.x; mov.u32 %t2, %ctaid.y; or.b32 %t1, %t1, %t2; mov.u32 %t2, %ctaid.z; or.b32 %t1, %t1, %t2;
    setp.eq.u32 %p, %t1, 0;
    sub.u32 %t3, 0x80000001, %t0;
    selp.b32 %t3, %t3, 1, %p;
    membar.gl;
    atom.global.add.u32 %t4, [%h + 4], %t3;
WAIT:
    ld.volatile.global.u32 %t5, [%h + 4];
    xor.b32 %t5, %t5, %t4;
    setp.ge.s32 %p, %t5, 0;
    @%p bra WAIT;
    membar.gl;
DONE:
    BARRIER 0;
    st.param.b32 [r], 0;
    ret;
}
";

/// No call of the device runtime fails without saying so.
const NO_ERROR: &str = "
.visible .func (.param .b32 r) NAME()
{
    st.param.b32 [r], 0;
    ret;
}
";

/// `cudaMalloc`: 2, `cudaErrorMemoryAllocation`, if the heap has no room.
const MALLOC: &str = "
.extern .func (.param .b64 r) malloc(.param .b64 n);
.visible .func (.param .b32 r) NAME(.param .b64 to, .param .b64 bytes)
{
    .reg .pred %p; .reg .b32 %e; .reg .b64 %to, %n, %a;
    ld.param.u64 %to, [to]; ld.param.u64 %n, [bytes];
    {
        .param .b64 n; .param .b64 a;
        st.param.b64 [n], %n;
        call.uni (a), malloc, (n);
        ld.param.b64 %a, [a];
    }
    st.u64 [%to], %a;
    setp.eq.u64 %p, %a, 0;
    selp.b32 %e, 2, 0, %p;
    setp.eq.u64 %p, %n, 0;
    selp.b32 %e, 0, %e, %p;
    st.param.b32 [r], %e;
    ret;
}
";

const FREE: &str = "
.extern .func free(.param .b64 p);
.visible .func (.param .b32 r) NAME(.param .b64 address)
{
    .reg .b64 %a;
    ld.param.u64 %a, [address];
    {
        .param .b64 p;
        st.param.b64 [p], %a;
        call.uni free, (p);
    }
    st.param.b32 [r], 0;
    ret;
}
";

/// The functions without the prefix of their names.
const DEFINED: [(&str, &str); 7] = [
    ("CGGetIntrinsicHandle", GET_INTRINSIC_HANDLE),
    ("CGSynchronize", SYNCHRONIZE),
    ("CGSynchronizeGrid", SYNCHRONIZE),
    ("GetLastError", NO_ERROR),
    ("PeekAtLastError", NO_ERROR),
    ("Malloc", MALLOC),
    ("Free", FREE),
];

/// The name of a function of the device runtime without its prefix, which is another one in code that CUDA 12 and later compile; `None` for
/// other functions.
fn without_prefix(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda"))?;
    rest.starts_with(|first: char| first.is_ascii_uppercase()).then_some(rest)
}

/// The names of functions that modules use and none of them defines.
fn missing<'m>(modules: &[&'m Module]) -> impl Iterator<Item = (usize, &'m str, ptx_diag::Span)> {
    let defined = |name: &str| {
        modules.iter().any(|module| {
            module
                .function_ids()
                .map(|id| module.function(id))
                .any(|function| function.body.is_some() && module.name(function.name) == name)
        })
    };
    let mut found = Vec::new();
    for (number, &module) in modules.iter().enumerate() {
        for reference in unresolved(module) {
            let Symbol::Function(id) = reference.symbol else { continue };
            let name = module.name(module.function(id).name);
            if without_prefix(name).is_some() && !defined(name) {
                found.push((number, name, reference.used));
            }
        }
    }
    found.into_iter()
}

/// The functions of the device runtime that verified modules use and none of them defines, as the text of another module to link with them, with their
/// version and target; `None` if they use none.
///
/// # Errors
/// Functions that PTX cannot express, each with the number of its module.
pub fn device_runtime(modules: &[&Module]) -> Result<Option<String>, Vec<(usize, Diagnostic)>> {
    let (mut texts, mut names, mut refused) = (String::new(), Vec::new(), Vec::new());
    for (number, name, at) in missing(modules) {
        let short = without_prefix(name);
        match DEFINED.iter().find(|(known, _)| short == Some(known)) {
            Some(_) if names.contains(&name) => {}
            Some((_, text)) => {
                texts.push_str(&text.replace("NAME", name));
                names.push(name);
            }
            None => {
                let text = format!("`{name}` is a function of CUDA's device runtime that is not supported");
                let finding = Diagnostic::error(code::DEVICE_RUNTIME, at, text);
                refused.push((number, finding.with_help(WHAT_IS_SUPPORTED)));
            }
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    Ok((!names.is_empty()).then(|| format!("{}{texts}", head(modules)).replace("BARRIER", barrier(modules))))
}

const WHAT_IS_SUPPORTED: &str = "the device runtime has `cudaCGGetIntrinsicHandle`, `cudaCGSynchronize`, `cudaCGSynchronizeGrid`, `cudaMalloc`, `cudaFree`, \
     `cudaGetLastError` and `cudaPeekAtLastError` here; kernels do not launch kernels";

/// The instruction of a block barrier, for threads that need not come together where there is one.
fn barrier(modules: &[&Module]) -> &'static str {
    let has = |module: &&Module| {
        module.version() >= Some(PtxVersion::new(6, 0))
            && module.target().and_then(|target| target.sm) >= Some(Sm::new(30))
    };
    if modules.first().is_some_and(has) { "barrier.sync" } else { "bar.sync" }
}

/// The directives of the first module.
fn head(modules: &[&Module]) -> String {
    let Some(module) = modules.first() else { return String::new() };
    let mut head = String::new();
    if let Some(version) = module.version() {
        head.push_str(&format!(".version {version}\n"));
    }
    if let Some(target) = module.target() {
        let names = target.names.iter().map(|&name| module.name(name)).filter(|&name| name != "debug");
        head.push_str(&format!(".target {}\n", names.collect::<Vec<_>>().join(", ")));
    }
    head + &format!(".address_size {}\n", module.address_size())
}

/// All errors of [`device_runtime`] about one module.
pub fn of_module(refused: &[(usize, Diagnostic)], number: usize) -> Diagnostics {
    let mut findings = Diagnostics::new();
    refused.iter().filter(|(of, _)| *of == number).for_each(|(_, finding)| findings.push(finding.clone()));
    findings
}
