//! How a function of LLVM IR gets arguments: buffers for pointers, small numbers for the rest.

use std::fmt::Write as _;

use fastrand::Rng;
use ptx_exec::Argument;
use ptx_ir::FunctionKind;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{CallingConvention, FloatKind, Function, Op, Symbol, Type, TypeId, Value, View};

use super::uses::{Use, Uses};

/// Bytes after a pointer.
const BUFFER: usize = 1024;
/// Bytes after a pointer to a matrix: 32 rows or columns of words as far apart as strides are, and what tests add to the address.
const MATRIX: usize = 32 * 32 * 4 + 256;
/// Metadata of two chunks of a sparse matrix that keep the first two of four places, in order.
const KEPT: u8 = 0x44;
/// What a barrier waits for: more arrivals than a test has at once.
const ARRIVALS: u32 = 64;
/// Bytes of a bulk copy.
const BULK: u8 = 64;
/// The most bytes of a result or of an argument.
const PLACE: u64 = 256;
/// Threads of a function that needs a whole warp.
const WARP: u32 = 32;

/// One function with its arguments.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The function's name.
    pub(super) name: String,
    /// What is started: the function or the kernel that calls it.
    pub(super) entry: String,
    /// Whether it is started itself, or called by a kernel that is written for it.
    pub(super) kind: FunctionKind,
    /// The arguments of the launch.
    pub(super) arguments: Vec<Argument>,
    /// The name of a kernel that calls the function.
    pub(super) caller_name: String,
    /// That kernel, in LLVM IR.
    pub(super) caller: String,
    /// The arguments of that kernel: what the buffers hold.
    pub(super) buffers: Vec<Vec<u8>>,
    /// Threads of a block.
    pub(super) block: [u32; 3],
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
    let uses = Uses::of(view, function);
    let passed = (0..function.params.len()).map(|at| passed(view, function, at, &uses, &mut rng));
    let passed = passed.collect::<Result<Vec<_>, _>>()?;
    let kind = match function.convention {
        CallingConvention::PtxKernel => FunctionKind::Kernel,
        CallingConvention::PtxDevice | CallingConvention::C | CallingConvention::Other(_) => {
            FunctionKind::Device
        }
    };
    let caller_name = format!("executes_{number}");
    let mut buffers = Vec::new();
    let called = Called { view, function, kind, uses: &uses, name: &caller_name };
    let caller = called.caller(&passed, &mut buffers, &mut rng)?;
    let arguments = match kind {
        FunctionKind::Device => buffers.iter().cloned().map(Argument::Buffer).collect(),
        FunctionKind::Kernel => {
            // The caller's buffers after the first two are the pointers', in order.
            let mut pointers = buffers.iter().skip(2);
            let argument = |(at, passed): (usize, &Passed)| match passed {
                Passed::Pointer(_) if called.is_shared(at) => {
                    Err("a kernel's pointer to shared memory".into())
                }
                Passed::Bytes(bytes) | Passed::Copy(_, _, bytes) => Ok(Argument::Bytes(bytes.clone())),
                Passed::Pointer(address_space::GENERIC | address_space::GLOBAL) => {
                    Ok(Argument::Buffer(pointers.next().cloned().unwrap_or_default()))
                }
                Passed::Pointer(space) => Err(format!("a kernel's pointer to address space {space}")),
            };
            passed.iter().enumerate().map(argument).collect::<Result<_, _>>()?
        }
    };
    let required = function.attributes.string("nvvm.reqntid").map(dimensions);
    let gpu = needs_gpu(view, function) || required.is_some();
    let threads = if gpu && !uses.any(Use::Barrier) { uses.lanes.unwrap_or(WARP) } else { 1 };
    let entry = match kind {
        FunctionKind::Kernel => function.name.clone(),
        FunctionKind::Device => caller_name.clone(),
    };
    Ok(Plan {
        name: function.name.clone(),
        entry,
        kind,
        arguments,
        caller_name,
        caller,
        buffers,
        block: required.unwrap_or([threads, 1, 1]),
        on_host: !gpu,
    })
}

/// `x,y,z`, as attributes have them.
fn dimensions(text: &str) -> [u32; 3] {
    let mut parts = text.split(',').map(|part| part.trim().parse().unwrap_or(1));
    [(); 3].map(|()| parts.next().unwrap_or(1))
}

fn passed(view: &View, function: &Function, at: usize, uses: &Uses, rng: &mut Rng) -> Result<Passed, String> {
    let param = &function.params[at];
    for name in ["byval", "sret"] {
        if let Some(ty) = param.attributes.ty(name) {
            return Ok(Passed::Copy(name, ty, bytes_of(view, ty, rng)?));
        }
    }
    match view.ty(param.ty) {
        Type::Pointer { space } => match *space {
            address_space::GENERIC
            | address_space::GLOBAL
            | address_space::SHARED
            | address_space::SHARED_CLUSTER
            | address_space::CONST
            | address_space::LOCAL => Ok(Passed::Pointer(*space)),
            other => Err(format!("a pointer to address space {other}")),
        },
        _ => {
            let mut bytes = bytes_of(view, param.ty, rng)?;
            let whole = [(Use::Members, 0xff), (Use::Rank, 0), (Use::Metadata, KEPT), (Use::ScaleIndex, 0)];
            for (demand, byte) in whole {
                if uses.has(at, demand) {
                    bytes.fill(byte);
                }
            }
            let mut known = [Use::Stride(128), Use::Stride(32), Use::BulkBytes].into_iter();
            if let Some(demand) = known.find(|&demand| uses.has(at, demand)) {
                let value = if let Use::Stride(elements) = demand { elements } else { BULK };
                bytes.iter_mut().take(1).for_each(|byte| *byte = value);
            }
            Ok(Passed::Bytes(bytes))
        }
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

/// A function that a kernel is written for.
struct Called<'v> {
    view: &'v View,
    function: &'v Function,
    kind: FunctionKind,
    uses: &'v Uses,
    /// The name of that kernel.
    name: &'v str,
}

/// The text of a kernel as it grows: what precedes it, its instructions up to the call, those after it.
#[derive(Default)]
struct Text {
    before: String,
    body: String,
    after: String,
}

impl Called<'_> {
    /// A kernel that calls the function: its first buffer holds the arguments that are no pointers, its second takes the result,
    /// the others are what the pointers point at.
    fn caller(&self, passed: &[Passed], buffers: &mut Vec<Vec<u8>>, rng: &mut Rng) -> Result<String, String> {
        let mut text = Text::default();
        let mut input = Vec::new();
        let mut pointers = Vec::new();
        let mut arguments = Vec::new();
        for (at, passed) in passed.iter().enumerate() {
            arguments.push(match passed {
                Passed::Bytes(bytes) => self.value(at, bytes, &mut input, &mut text),
                Passed::Copy(attribute, content, bytes) => {
                    self.copy(at, attribute, *content, bytes, &mut input, &mut text)?
                }
                Passed::Pointer(space) => {
                    let contents = self.contents(at, rng);
                    let buffer = format!("%b{}", pointers.len());
                    let argument = self.pointer(at, *space, &contents, &buffer, &mut text);
                    pointers.push(contents);
                    argument
                }
            });
        }
        self.call(&arguments, &mut text)?;
        let size = self.view.layout(self.function.ret).map_or(0, |layout| layout.size).max(PLACE);
        input.resize(input.len().max(16), 0);
        buffers.push(input);
        buffers.push(vec![0; size as usize]);
        let list: String = (0..pointers.len()).map(|at| format!(", ptr addrspace(1) %b{at}")).collect();
        buffers.extend(pointers);
        let Text { before, body, after } = text;
        let name = self.name;
        Ok(format!(
            "{before}define ptx_kernel void @{name}(ptr addrspace(1) %in, ptr addrspace(1) %out{list}) {{\n{body}{after}  ret void\n}}\n"
        ))
    }

    /// A number, or an aggregate of numbers, from the input buffer.
    fn value(&self, at: usize, bytes: &[u8], input: &mut Vec<u8>, text: &mut Text) -> String {
        let ty = self.function.params[at].ty;
        let spelled = spelled(self.view, ty);
        let offset = append(input, bytes);
        let body = &mut text.body;
        let _ = writeln!(body, "  %p{at} = getelementptr i8, ptr addrspace(1) %in, i64 {offset}");
        match self.view.ty(ty) {
            Type::Int { bits } if !bits.is_multiple_of(8) => {
                let wide = bits.next_multiple_of(8);
                let _ = writeln!(
                    body,
                    "  %w{at} = load i{wide}, ptr addrspace(1) %p{at}\n  %a{at} = trunc i{wide} %w{at} to {spelled}"
                );
            }
            _ => {
                let _ = writeln!(body, "  %a{at} = load {spelled}, ptr addrspace(1) %p{at}, align 16");
            }
        }
        format!("{spelled} %a{at}")
    }

    /// The address of a copy of something from the input buffer.
    fn copy(
        &self,
        at: usize,
        attribute: &str,
        content: TypeId,
        bytes: &[u8],
        input: &mut Vec<u8>,
        text: &mut Text,
    ) -> Result<String, String> {
        let param = &self.function.params[at];
        let ty = spelled(self.view, param.ty);
        let (size, content) = (bytes.len().max(1), spelled(self.view, content));
        let offset = append(input, bytes);
        let Type::Pointer { space } = self.view.ty(param.ty) else { return Err("no pointer".into()) };
        let cast = if *space == 0 {
            format!("getelementptr i8, ptr %l{at}, i64 0")
        } else {
            format!("addrspacecast ptr %l{at} to {ty}")
        };
        let align = param.attributes.number("align").unwrap_or(16).max(16);
        let _ = writeln!(
            text.body,
            "  %l{at} = alloca [{size} x i8], align {align}\n  \
             %p{at} = getelementptr i8, ptr addrspace(1) %in, i64 {offset}\n  \
             call void @llvm.memcpy.p0.p1.i64(ptr %l{at}, ptr addrspace(1) %p{at}, i64 {size}, i1 false)\n  \
             %a{at} = {cast}"
        );
        if attribute == "sret" {
            let _ = writeln!(
                text.after,
                "  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %out, ptr %l{at}, i64 {size}, i1 false)"
            );
        }
        let align = param.attributes.number("align").map_or(String::new(), |align| format!("align {align} "));
        Ok(format!("{ty} {attribute}({content}) {align}%a{at}"))
    }

    /// What a pointer points at: small numbers, then bytes that are no NaN in any format.
    fn contents(&self, at: usize, rng: &mut Rng) -> Vec<u8> {
        let size = if self.uses.any(Use::Matrix) { MATRIX } else { BUFFER };
        let is_odd = self.uses.has(at, Use::OddIntegers);
        let byte = |at: usize| match at < BUFFER / 2 && !at.is_multiple_of(4) {
            true => 0,
            false if is_odd => rng.u8(0..2),
            false => rng.u8(1..62),
        };
        (0..size).map(byte).collect()
    }

    /// Whether a pointer must point to shared memory.
    fn is_shared(&self, at: usize) -> bool {
        self.uses.has(at, Use::Shared) || self.uses.has(at, Use::Barrier)
    }

    /// A pointer to a buffer of the launch, or to memory in another space that is copied from there and back.
    fn pointer(&self, at: usize, space: u32, contents: &[u8], buffer: &str, text: &mut Text) -> String {
        let ty = spelled(self.view, self.function.params[at].ty);
        let size = contents.len();
        let space =
            if self.is_shared(at) && space == address_space::GENERIC { address_space::SHARED } else { space };
        match space {
            address_space::GLOBAL => format!("{ty} {buffer}"),
            address_space::GENERIC => {
                let _ = writeln!(text.body, "  %a{at} = addrspacecast ptr addrspace(1) {buffer} to ptr");
                format!("{ty} %a{at}")
            }
            address_space::CONST => {
                let name = format!("@{}_c{at}", self.name);
                let bytes: String = contents.iter().map(|byte| format!("\\{byte:02X}")).collect();
                let _ = writeln!(
                    text.before,
                    "{name} = internal addrspace(4) constant [{size} x i8] c\"{bytes}\", align 16"
                );
                format!("{ty} {name}")
            }
            address_space::LOCAL => {
                let _ = writeln!(
                    text.body,
                    "  %l{at} = alloca [{size} x i8], align 16\n  %a{at} = addrspacecast ptr %l{at} to {ty}"
                );
                copied(text, (ty, &format!("%a{at}")), address_space::LOCAL, buffer, size);
                format!("{ty} %a{at}")
            }
            _ => self.shared(at, size, buffer, text),
        }
    }

    /// A pointer to shared memory, which holds a barrier where it must.
    fn shared(&self, at: usize, size: usize, buffer: &str, text: &mut Text) -> String {
        let ty = spelled(self.view, self.function.params[at].ty);
        let own = format!("@{}_s{at}", self.name);
        let _ = writeln!(text.before, "{own} = internal addrspace(3) global [{size} x i8] undef, align 128");
        copied(text, ("ptr addrspace(3)", &own), address_space::SHARED, buffer, size);
        if self.uses.has(at, Use::Barrier) {
            let _ = writeln!(
                text.body,
                "  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) {own}, i32 {ARRIVALS})"
            );
        }
        if ty == "ptr addrspace(3)" {
            return format!("{ty} {own}");
        }
        let _ = writeln!(text.body, "  %a{at} = addrspacecast ptr addrspace(3) {own} to {ty}");
        format!("{ty} %a{at}")
    }

    fn call(&self, arguments: &[String], text: &mut Text) -> Result<(), String> {
        let result = spelled(self.view, self.function.ret);
        let convention = match self.kind {
            FunctionKind::Kernel => "ptx_kernel ",
            FunctionKind::Device => "",
        };
        let name = quoted(&self.function.name);
        let call = format!("call {convention}{result} @{name}({})", arguments.join(", "));
        text.body += &match self.view.ty(self.function.ret) {
            Type::Void => format!("  {call}\n"),
            Type::Int { bits } if !bits.is_multiple_of(8) => {
                let wide = bits.next_multiple_of(8);
                format!(
                    "  %r = {call}\n  %rw = zext {result} %r to i{wide}\n  store i{wide} %rw, ptr addrspace(1) %out\n"
                )
            }
            // Addresses are no one's business.
            Type::Pointer { .. } => format!("  %r = {call}\n"),
            Type::Float(FloatKind::Other(name)) => return Err(format!("a value of type {name}")),
            _ => format!("  %r = {call}\n  store {result} %r, ptr addrspace(1) %out\n"),
        };
        Ok(())
    }
}

/// Appends bytes to the input buffer, and gives their place.
fn append(input: &mut Vec<u8>, bytes: &[u8]) -> usize {
    let offset = input.len();
    input.extend(bytes);
    input.resize(input.len().next_multiple_of(64), 0);
    offset
}

/// Lets memory in a space be copied from a buffer before the call, and back after it.
fn copied(text: &mut Text, (ty, own): (&str, &str), space: u32, buffer: &str, size: usize) {
    let (own, buffer) = (format!("{ty} align 16 {own}"), format!("ptr addrspace(1) align 16 {buffer}"));
    let _ = writeln!(
        text.body,
        "  call void @llvm.memcpy.p{space}.p1.i64({own}, {buffer}, i64 {size}, i1 false)"
    );
    let _ = writeln!(
        text.after,
        "  call void @llvm.memcpy.p1.p{space}.i64({buffer}, {own}, i64 {size}, i1 false)"
    );
}

/// A type as an operand has it: of a named structure LLVM gives the definition.
pub(super) fn spelled(view: &View, ty: TypeId) -> &str {
    let text = view.type_text(ty);
    text.split_once(" = type ").map_or(text, |(name, _)| name)
}

/// A name as LLVM IR writes it.
pub(super) fn quoted(name: &str) -> String {
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
            let ptx_llvm_core::view::Constant::Symbol(Symbol::Function(id)) = view.constant(id) else {
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
