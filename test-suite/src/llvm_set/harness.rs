//! How a function of LLVM IR gets arguments: buffers for pointers, small numbers for the rest.

use std::fmt::Write as _;

use fastrand::Rng;
use ptx_exec::Argument;
use ptx_llvm::address_space;
use ptx_llvm::view::{CallingConvention, FloatKind, Function, Op, Param, Symbol, Type, TypeId, Value, View};

/// Bytes behind a pointer.
const BUFFER: usize = 1024;
/// The most bytes of a result or of an argument.
const PLACE: u64 = 256;
/// Threads of a function that needs a whole warp.
const WARP: u32 = 32;

/// What a function is: started itself, or called by a kernel that is written for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A kernel.
    Kernel,
    /// A function of the device.
    Device,
}

/// One function with its arguments.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The function's name.
    pub(super) name: String,
    /// What is started: the function or the kernel that calls it.
    pub(super) entry: String,
    /// What it is.
    pub(super) kind: Kind,
    /// The arguments of the launch.
    pub(super) arguments: Vec<Argument>,
    /// The name of a kernel that calls the function.
    pub(super) caller_name: String,
    /// That kernel, in LLVM IR.
    pub(super) caller: String,
    /// The arguments of that kernel: what the buffers hold.
    pub(super) buffers: Vec<Vec<u8>>,
    /// Threads of the launch.
    pub(super) threads: u32,
    /// Whether the function does nothing that only a GPU can.
    pub(super) on_host: bool,
}

/// What is known of a parameter.
enum Passed {
    /// A number, or an aggregate of numbers: its bytes.
    Bytes(Vec<u8>),
    /// An address in a space.
    Pointer(u32),
    /// The address of a copy of something with these bytes: the attribute's name, its type, its bytes.
    Copy(&'static str, TypeId, Vec<u8>),
}

/// A plan for the function `number` of a module, or why there is none.
///
/// # Errors
/// The reason, in a few words.
pub(super) fn plan(view: &View, number: usize, function: &Function) -> Result<Plan, String> {
    let mut rng = Rng::with_seed(number as u64);
    if function.variadic {
        return Err("variable arguments".into());
    }
    let passed = function.params.iter().map(|param| passed(view, param, &mut rng));
    let passed = passed.collect::<Result<Vec<_>, _>>()?;
    let kind = match function.convention {
        CallingConvention::PtxKernel => Kind::Kernel,
        CallingConvention::PtxDevice | CallingConvention::C | CallingConvention::Other(_) => Kind::Device,
    };
    let caller_name = format!("executes_{number}");
    let mut buffers = Vec::new();
    let caller = caller(view, function, kind, &passed, &caller_name, &mut buffers, &mut rng)?;
    let arguments = match kind {
        Kind::Device => buffers.iter().cloned().map(Argument::Buffer).collect(),
        Kind::Kernel => {
            // The caller's buffers after the first two are the pointers', in order.
            let mut pointers = buffers.iter().skip(2);
            let argument = |passed: &Passed| match passed {
                Passed::Bytes(bytes) | Passed::Copy(_, _, bytes) => Ok(Argument::Bytes(bytes.clone())),
                Passed::Pointer(address_space::GENERIC | address_space::GLOBAL) => {
                    Ok(Argument::Buffer(pointers.next().cloned().unwrap_or_default()))
                }
                Passed::Pointer(space) => Err(format!("a kernel's pointer to address space {space}")),
            };
            passed.iter().map(argument).collect::<Result<_, _>>()?
        }
    };
    let gpu = needs_gpu(view, function);
    let entry = match kind {
        Kind::Kernel => function.name.clone(),
        Kind::Device => caller_name.clone(),
    };
    Ok(Plan {
        name: function.name.clone(),
        entry,
        kind,
        arguments,
        caller_name,
        caller,
        buffers,
        threads: if gpu { WARP } else { 1 },
        on_host: !gpu,
    })
}

fn passed(view: &View, param: &Param, rng: &mut Rng) -> Result<Passed, String> {
    for name in ["byval", "sret"] {
        if let Some(ty) = param.attributes.ty(name) {
            return Ok(Passed::Copy(name, ty, bytes_of(view, ty, rng)?));
        }
    }
    match view.ty(param.ty) {
        Type::Pointer { space } => match *space {
            address_space::GENERIC | address_space::GLOBAL | address_space::SHARED | address_space::LOCAL => {
                Ok(Passed::Pointer(*space))
            }
            other => Err(format!("a pointer to address space {other}")),
        },
        _ => bytes_of(view, param.ty, rng).map(Passed::Bytes),
    }
}

/// A value of a type, as it lies in memory.
fn bytes_of(view: &View, ty: TypeId, rng: &mut Rng) -> Result<Vec<u8>, String> {
    let layout = view.layout(ty).ok_or_else(|| format!("a value of type {}", view.type_text(ty)))?;
    if layout.size > PLACE {
        return Err("a large value".into());
    }
    let mut bytes = vec![0; layout.size as usize];
    fill(view, ty, &mut bytes, rng)?;
    Ok(bytes)
}

/// Recursion is bounded: a view holds no type nested deeper than 256 levels.
fn fill(view: &View, ty: TypeId, bytes: &mut [u8], rng: &mut Rng) -> Result<(), String> {
    let put = |bytes: &mut [u8], value: &[u8]| {
        bytes.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
    };
    let mut all = |element: TypeId, count: u64, bytes: &mut [u8]| {
        let size = view.layout(element).map_or(0, |layout| layout.size);
        for at in 0..count {
            let part = bytes.get_mut((at * size) as usize..).unwrap_or_default();
            fill(view, element, part, rng)?;
        }
        Ok(())
    };
    match view.ty(ty) {
        Type::Int { bits } => {
            let value = if *bits < 4 { 1 } else { rng.u8(1..8) };
            put(bytes, &[value]);
            Ok(())
        }
        Type::Float(kind) => {
            let value = rng.choice(&[0.5, 1.0, 2.0, 3.25]).copied().unwrap_or(1.0);
            match kind {
                FloatKind::Half => put(bytes, &half::f16::from_f64(value).to_le_bytes()),
                FloatKind::BFloat => put(bytes, &half::bf16::from_f64(value).to_le_bytes()),
                FloatKind::Float => put(bytes, &(value as f32).to_le_bytes()),
                FloatKind::Double => put(bytes, &value.to_le_bytes()),
                FloatKind::Other(name) => return Err(format!("a value of type {name}")),
            }
            Ok(())
        }
        Type::Vector { element, len } => match view.ty(*element) {
            Type::Int { bits } if !matches!(bits, 8 | 16 | 32 | 64) => Err("a vector of odd integers".into()),
            _ => all(*element, u64::from(*len), bytes),
        },
        Type::Array { element, len } => all(*element, *len, bytes),
        Type::Struct { fields } => {
            let offsets = view.layout(ty).map(|layout| layout.offsets.clone()).unwrap_or_default();
            for (&field, at) in fields.iter().zip(offsets) {
                fill(view, field, bytes.get_mut(at as usize..).unwrap_or_default(), rng)?;
            }
            Ok(())
        }
        Type::Pointer { .. } => Err("a pointer within a value".into()),
        Type::Void | Type::Function { .. } | Type::Other(_) => {
            Err(format!("a value of type {}", view.type_text(ty)))
        }
    }
}

/// A kernel that calls the function: its first buffer holds the arguments that are no pointers, its second takes the result,
/// the others are what the pointers point at.
fn caller(
    view: &View,
    function: &Function,
    kind: Kind,
    passed: &[Passed],
    name: &str,
    buffers: &mut Vec<Vec<u8>>,
    rng: &mut Rng,
) -> Result<String, String> {
    let (mut before, mut body, mut after) = (String::new(), String::new(), String::new());
    let mut input = Vec::new();
    let mut pointers = Vec::new();
    let mut arguments = Vec::new();
    for (at, (param, passed)) in function.params.iter().zip(passed).enumerate() {
        let ty = spelled(view, param.ty);
        match passed {
            Passed::Bytes(bytes) => {
                let offset = input.len();
                input.extend(bytes);
                input.resize(input.len().next_multiple_of(64), 0);
                let _ = writeln!(body, "  %p{at} = getelementptr i8, ptr addrspace(1) %in, i64 {offset}");
                match view.ty(param.ty) {
                    Type::Int { bits } if !bits.is_multiple_of(8) => {
                        let wide = bits.next_multiple_of(8);
                        let _ = writeln!(
                            body,
                            "  %w{at} = load i{wide}, ptr addrspace(1) %p{at}\n  %a{at} = trunc i{wide} %w{at} to {ty}"
                        );
                    }
                    _ => {
                        let _ = writeln!(body, "  %a{at} = load {ty}, ptr addrspace(1) %p{at}, align 16");
                    }
                }
                arguments.push(format!("{ty} %a{at}"));
            }
            Passed::Copy(attribute, content, bytes) => {
                let (size, content) = (bytes.len().max(1), spelled(view, *content));
                let offset = input.len();
                input.extend(bytes);
                input.resize(input.len().next_multiple_of(64), 0);
                let Type::Pointer { space } = view.ty(param.ty) else { return Err("no pointer".into()) };
                let cast = if *space == 0 {
                    format!("getelementptr i8, ptr %l{at}, i64 0")
                } else {
                    format!("addrspacecast ptr %l{at} to {ty}")
                };
                let align = param.attributes.number("align").unwrap_or(16).max(16);
                let _ = writeln!(
                    body,
                    "  %l{at} = alloca [{size} x i8], align {align}\n  \
                     %p{at} = getelementptr i8, ptr addrspace(1) %in, i64 {offset}\n  \
                     call void @llvm.memcpy.p0.p1.i64(ptr %l{at}, ptr addrspace(1) %p{at}, i64 {size}, i1 false)\n  \
                     %a{at} = {cast}"
                );
                if *attribute == "sret" {
                    let _ = writeln!(
                        after,
                        "  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %out, ptr %l{at}, i64 {size}, i1 false)"
                    );
                }
                arguments.push(format!("{ty} {attribute}({content}) %a{at}"));
            }
            Passed::Pointer(space) => {
                let buffer = format!("%b{}", pointers.len());
                // Small numbers, then bytes that are no NaN in any format.
                let small = |at: usize| at < BUFFER / 2 && !at.is_multiple_of(4);
                pointers.push((0..BUFFER).map(|at| if small(at) { 0 } else { rng.u8(1..62) }).collect());
                match *space {
                    address_space::GLOBAL => arguments.push(format!("{ty} {buffer}")),
                    address_space::GENERIC => {
                        let _ = writeln!(body, "  %a{at} = addrspacecast ptr addrspace(1) {buffer} to ptr");
                        arguments.push(format!("{ty} %a{at}"));
                    }
                    _ => {
                        let own = if *space == address_space::SHARED {
                            let _ = writeln!(
                                before,
                                "@{name}_s{at} = internal addrspace(3) global [{BUFFER} x i8] undef, align 16"
                            );
                            format!("@{name}_s{at}")
                        } else {
                            let _ = writeln!(
                                body,
                                "  %l{at} = alloca [{BUFFER} x i8], align 16\n  %a{at} = addrspacecast ptr %l{at} to {ty}"
                            );
                            format!("%a{at}")
                        };
                        let _ = writeln!(
                            body,
                            "  call void @llvm.memcpy.p{space}.p1.i64({ty} {own}, ptr addrspace(1) {buffer}, i64 {BUFFER}, i1 false)"
                        );
                        let _ = writeln!(
                            after,
                            "  call void @llvm.memcpy.p1.p{space}.i64(ptr addrspace(1) {buffer}, {ty} {own}, i64 {BUFFER}, i1 false)"
                        );
                        arguments.push(format!("{ty} {own}"));
                    }
                }
            }
        }
    }
    let result = spelled(view, function.ret);
    let convention = match kind {
        Kind::Kernel => "ptx_kernel ",
        Kind::Device => "",
    };
    let call = format!("call {convention}{result} @{}({})", quoted(&function.name), arguments.join(", "));
    body += &match view.ty(function.ret) {
        Type::Void => format!("  {call}\n"),
        Type::Int { bits } if !bits.is_multiple_of(8) => {
            let wide = bits.next_multiple_of(8);
            format!(
                "  %r = {call}\n  %rw = zext {result} %r to i{wide}\n  store i{wide} %rw, ptr addrspace(1) %out\n"
            )
        }
        // Addresses are nobody's business.
        Type::Pointer { .. } => format!("  %r = {call}\n"),
        Type::Float(FloatKind::Other(name)) => return Err(format!("a value of type {name}")),
        _ => format!("  %r = {call}\n  store {result} %r, ptr addrspace(1) %out\n"),
    };
    let size = view.layout(function.ret).map_or(0, |layout| layout.size).max(PLACE);
    input.resize(input.len().max(16), 0);
    buffers.push(input);
    buffers.push(vec![0; size as usize]);
    let list: String = (0..pointers.len()).map(|at| format!(", ptr addrspace(1) %b{at}")).collect();
    buffers.extend(pointers);
    Ok(format!(
        "{before}define ptx_kernel void @{name}(ptr addrspace(1) %in, ptr addrspace(1) %out{list}) {{\n{body}{after}  ret void\n}}\n"
    ))
}

/// A type as an operand has it: of a named structure LLVM gives the definition.
fn spelled(view: &View, ty: TypeId) -> &str {
    let text = view.type_text(ty);
    text.split_once(" = type ").map_or(text, |(name, _)| name)
}

/// A name as LLVM IR writes it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// Whether a function, or one that it calls, does what only a GPU can: intrinsics of NVPTX, inline assembly, calls of what is
/// defined elsewhere.
fn needs_gpu(view: &View, function: &Function) -> bool {
    let mut seen = vec![function.name.as_str()];
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        for inst in &function.insts {
            let call = match &inst.op {
                Op::Call(call) => call,
                _ => continue,
            };
            let id = match call.callee {
                Value::Const(id) => id,
                Value::Asm(_) => return true,
                _ => continue,
            };
            let ptx_llvm::view::Constant::Symbol(Symbol::Function(id)) = view.constant(id) else {
                return true;
            };
            let callee = view.function(*id);
            let name = callee.name.as_str();
            if name.starts_with("llvm.nvvm.") || callee.is_declaration() && !name.starts_with("llvm.") {
                return true;
            }
            if !callee.is_declaration() && !seen.contains(&name) {
                seen.push(name);
                work.push(callee);
            }
        }
    }
    false
}
