//! What memory of a function's own holds before the program writes it.
//!
//! In PTX that is an arbitrary value; to LLVM a load of an `alloca` that nothing was stored to is `undef`, a branch on which is undefined
//! behaviour that takes the whole path to it along. So what may be read before it is written is written first:
//!
//! - the places of a variable that LLVM can keep in registers, with numbers left open, one each:
//!   `%n = freeze i32 poison`, `store i32 %n, ptr %x`;
//! - the same places where nothing but the function's result is loaded from them, with what inline assembly without a text gives,
//!   `%n = call i32 asm "", "=r"()`: of a frozen `poison` InstCombine makes zero, which the function then had to return;
//! - any other variable as a whole, by inline assembly without a text, of which LLVM knows only that it may write there:
//!   `call void asm "", "l,~{memory}"(ptr writeonly captures(none) %x) memory(argmem: write)`. (LLVM takes
//!   assembly without this clobber for one that touches no memory on this target, regardless of its attributes.)
//!
//! None is an instruction in PTX: all store what the memory may hold as it is. A variable of which every part is written on every
//! way to where it is read, or to where its address goes out of sight, needs nothing.

use std::collections::{HashMap, HashSet};

use inkwell::values::AsValueRef;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use llvm_sys::{LLVMInlineAsmDialect, LLVMTypeKind};

use crate::module::Module;
use crate::raw;

/// So many bytes of a variable are stored to at most; beyond that it is taken as a whole.
const MOST_STORED: u64 = 256;
/// So many blocks are looked at for all variables of a function; what is not known then counts as not written.
const MOST_STEPS: usize = 1 << 22;
/// Of a result of more values the places are not taken apart.
const MOST_BOUNDS: usize = 1 << 10;
/// The attribute `memory` of [assembly](OPAQUE_WRITE) that writes a variable: LLVM's number for `memory(argmem: write)`.
pub const WRITES_ARGUMENTS: u64 = 0b10;
/// The constraints of inline assembly without a text that may write a variable: its address, and that memory is touched.
pub const OPAQUE_WRITE: &str = "l,~{memory}";

/// Gives what functions may read of their own memory before they write it some contents.
pub fn leave_contents_open(module: &mut Module<'_>) {
    // SAFETY: the module is alive, and nothing else changes its functions meanwhile.
    unsafe {
        let layout = LLVMGetModuleDataLayout(module.raw());
        let builder = LLVMCreateBuilderInContext(module.context().raw());
        for function in module.inkwell().get_functions() {
            let entry = LLVMGetFirstBasicBlock(function.as_value_ref());
            let mut variables = if entry.is_null() { Vec::new() } else { raw::instructions(entry) };
            variables.retain(|instruction| !LLVMIsAAllocaInst(*instruction).is_null());
            if variables.is_empty() {
                continue;
            }
            let mut flow = Flow::new(function.as_value_ref());
            for variable in variables {
                let size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable));
                let uses = Uses::of(variable, size, layout);
                let open = uses.unwritten(&mut flow);
                if open.is_empty() {
                    continue;
                }
                LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(variable));
                let bytes: u64 = open.iter().map(|range| range.1 - range.0).sum();
                if uses.is_plain && bytes <= MOST_STORED {
                    let (returned, other): (Vec<Range>, Vec<Range>) =
                        open.into_iter().partition(|part| uses.is_only_returned(*part));
                    store_open(builder, module.context().raw(), variable, &returned, Number::Opaque);
                    store_open(builder, module.context().raw(), variable, &other, Number::Frozen);
                } else {
                    write_opaquely(builder, module.context().raw(), variable);
                }
            }
        }
        LLVMDisposeBuilder(builder);
    }
}

/// From a byte up to, but without, another.
type Range = (u64, u64);

/// What is done with a variable.
struct Uses {
    /// Where bytes of it are read, or may be read from then on.
    reads: Vec<(LLVMValueRef, Range)>,
    /// Where they are written.
    writes: Vec<(LLVMValueRef, Range)>,
    /// The loads among the reads that are the function's result and nothing else.
    returned: HashSet<LLVMValueRef>,
    /// Where the values begin and end that the result consists of.
    bounds: Vec<u64>,
    /// It is only loaded and stored, at known places: LLVM can keep it in registers.
    is_plain: bool,
}

impl Uses {
    unsafe fn of(variable: LLVMValueRef, size: u64, layout: LLVMTargetDataRef) -> Self {
        let mut uses = Uses {
            reads: Vec::new(),
            writes: Vec::new(),
            returned: HashSet::new(),
            bounds: Vec::new(),
            is_plain: true,
        };
        let mut pointers = vec![(variable, 0_u64)];
        // SAFETY: uses of a value that is alive are followed to their end; each is asked for what its kind has.
        unsafe {
            while let Some((pointer, offset)) = pointers.pop() {
                let mut place = LLVMGetFirstUse(pointer);
                while !place.is_null() {
                    let user = LLVMGetUser(place);
                    place = LLVMGetNextUse(place);
                    if let Some(further) = uses.take(user, pointer, offset, size, layout) {
                        pointers.push((user, further));
                    }
                }
            }
        }
        uses
    }

    /// Adds what an instruction does with an address in the variable; gives the offset of the address that it computes.
    unsafe fn take(
        &mut self,
        user: LLVMValueRef,
        pointer: LLVMValueRef,
        offset: u64,
        size: u64,
        layout: LLVMTargetDataRef,
    ) -> Option<u64> {
        let access = |bytes: u64| Some((offset, offset.checked_add(bytes)?)).filter(|range| range.1 <= size);
        // SAFETY: as in `of`.
        unsafe {
            match LLVMGetInstructionOpcode(user) {
                LLVMAddrSpaceCast | LLVMBitCast => return Some(offset),
                LLVMGetElementPtr => {
                    let further = constant_offset(user, pointer, layout)
                        .and_then(|by| offset.checked_add_signed(by))
                        .filter(|further| *further <= size);
                    if further.is_some() {
                        return further;
                    }
                }
                LLVMLoad => {
                    if let Some(range) = access(LLVMStoreSizeOfType(layout, LLVMTypeOf(user))) {
                        self.is_plain &= LLVMGetVolatile(user) == 0;
                        self.reads.push((user, range));
                        if is_returned(user) {
                            // The loads of all returns are of one type.
                            if self.returned.insert(user) && self.returned.len() == 1 {
                                self.bounds = bounds_of(LLVMTypeOf(user), offset, layout);
                            }
                        }
                        return None;
                    }
                }
                LLVMStore if LLVMGetOperand(user, 0) != pointer => {
                    let stored = LLVMTypeOf(LLVMGetOperand(user, 0));
                    if let Some(range) = access(LLVMStoreSizeOfType(layout, stored)) {
                        self.is_plain &= LLVMGetVolatile(user) == 0;
                        self.writes.push((user, range));
                        return None;
                    }
                }
                LLVMCall if starts_arguments(user) => {
                    self.is_plain = false;
                    self.writes.push((user, (0, size)));
                    return None;
                }
                _ => {}
            }
        }
        // Any other user of the address may read everything.
        self.is_plain = false;
        self.reads.push((user, (0, size)));
        None
    }

    /// The parts of the variable that are read and not written on some way there.
    unsafe fn unwritten(&self, flow: &mut Flow) -> Vec<Range> {
        let mut bounds: Vec<u64> =
            self.reads.iter().chain(&self.writes).flat_map(|(_, range)| [range.0, range.1]).collect();
        // Between two neighbouring bounds every access takes all bytes or none, so that each part is asked about as a whole.
        bounds.extend_from_slice(&self.bounds);
        bounds.sort_unstable();
        bounds.dedup();
        let parts = bounds.windows(2).filter_map(|pair| match pair {
            [from, to] => Some((*from, *to)),
            _ => None,
        });
        // SAFETY: the instructions are of the flow's function.
        parts.filter(|part| unsafe { self.may_be_read_first(*part, flow) }).collect()
    }

    /// Whether a part is read as a part of the function's result alone.
    fn is_only_returned(&self, part: Range) -> bool {
        let others = self.reads.iter().filter(|(read, _)| !self.returned.contains(read));
        let reads = |range: &Range| range.0 < part.1 && part.0 < range.1;
        !self.returned.is_empty() && !others.map(|(_, range)| range).any(reads)
    }

    /// Whether a part, which every access takes whole or not at all, may be read before it is written.
    unsafe fn may_be_read_first(&self, part: Range, flow: &mut Flow) -> bool {
        // For each block its first write of the part. A walk stops at a block with a write, since control leaves that with the part written; in the
        // block of a read only a write before it counts.
        let covers = |range: &Range| range.0 <= part.0 && part.1 <= range.1;
        let mut written: HashMap<LLVMBasicBlockRef, usize> = HashMap::new();
        for (write, _) in self.writes.iter().filter(|(_, range)| covers(range)) {
            let Some(&(block, at)) = flow.places.get(write) else { continue };
            let first = written.entry(block).or_insert(at);
            *first = at.min(*first);
        }
        // Blocks that a walk back from a read reaches without passing a write.
        let mut seen = HashSet::new();
        let mut open: Vec<LLVMBasicBlockRef> = Vec::new();
        for (read, _) in self.reads.iter().filter(|(_, range)| covers(range)) {
            let Some(&(block, at)) = flow.places.get(read) else { return true };
            if written.get(&block).is_none_or(|first| *first > at) && seen.insert(block) {
                open.push(block);
            }
        }
        while let Some(block) = open.pop() {
            flow.steps += 1;
            if block == flow.entry || flow.steps > MOST_STEPS {
                return true;
            }
            for before in flow.before.get(&block).into_iter().flatten() {
                if !written.contains_key(before) && seen.insert(*before) {
                    open.push(*before);
                }
            }
        }
        false
    }
}

/// By how many bytes an address computation goes on, where that is known.
unsafe fn constant_offset(
    gep: LLVMValueRef,
    pointer: LLVMValueRef,
    layout: LLVMTargetDataRef,
) -> Option<i64> {
    // SAFETY: an instruction of that kind, and its operands by their count.
    unsafe {
        if LLVMGetNumOperands(gep) != 2 || LLVMGetOperand(gep, 0) != pointer {
            return None;
        }
        let index = LLVMGetOperand(gep, 1);
        if LLVMIsAConstantInt(index).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64 {
            return None;
        }
        let scale = i64::try_from(LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(gep))).ok()?;
        LLVMConstIntGetSExtValue(index).checked_mul(scale)
    }
}

/// Whether a call is `llvm.va_start`, which writes what it is given.
unsafe fn starts_arguments(call: LLVMValueRef) -> bool {
    // SAFETY: a call has a callee.
    unsafe {
        let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
        !callee.is_null()
            && LLVMGetIntrinsicID(callee) != 0
            && raw::name(callee).starts_with(b"llvm.va_start")
    }
}

/// Whether a function returns what a load gives, alone or as a part of a structure, and does nothing else with it.
unsafe fn is_returned(load: LLVMValueRef) -> bool {
    let mut value = load;
    // SAFETY: uses of a value that is alive, and their users.
    unsafe {
        loop {
            let only = LLVMGetFirstUse(value);
            if only.is_null() || !LLVMGetNextUse(only).is_null() {
                return false;
            }
            let user = LLVMGetUser(only);
            match LLVMGetInstructionOpcode(user) {
                LLVMRet => return true,
                LLVMInsertValue => value = user,
                _ => return false,
            }
        }
    }
}

/// Where the values begin and end that a type consists of, unless they are too many.
unsafe fn bounds_of(ty: LLVMTypeRef, offset: u64, layout: LLVMTargetDataRef) -> Vec<u64> {
    let mut bounds = Vec::new();
    let mut rest = vec![(ty, offset)];
    // SAFETY: types of the module, and fields of them below their count.
    unsafe {
        while let Some((ty, offset)) = rest.pop() {
            if bounds.len() + rest.len() > MOST_BOUNDS {
                return Vec::new();
            }
            match LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMStructTypeKind => {
                    for field in 0..LLVMCountStructElementTypes(ty) {
                        let further = offset + LLVMOffsetOfElement(layout, ty, field);
                        rest.push((LLVMStructGetTypeAtIndex(ty, field), further));
                    }
                }
                LLVMTypeKind::LLVMArrayTypeKind => {
                    let (element, length) = (LLVMGetElementType(ty), LLVMGetArrayLength2(ty));
                    let stride = LLVMABISizeOfType(layout, element);
                    let elements = 0..length.min(MOST_BOUNDS as u64 + 1);
                    rest.extend(elements.map(|at| (element, offset + at * stride)));
                }
                _ => bounds.extend([offset, offset + LLVMStoreSizeOfType(layout, ty)]),
            }
        }
    }
    bounds
}

/// A number that is left open.
#[derive(Clone, Copy)]
enum Number {
    /// A frozen `poison`, for which LLVM takes what suits it.
    Frozen,
    /// What inline assembly without a text gives, for which LLVM takes nothing else.
    Opaque,
}

/// Stores numbers left open, in pieces that registers hold.
unsafe fn store_open(
    builder: LLVMBuilderRef,
    context: LLVMContextRef,
    variable: LLVMValueRef,
    open: &[Range],
    number: Number,
) {
    let pieces: Vec<Range> = open.iter().flat_map(|range| pieces(*range)).collect();
    // SAFETY: the builder is positioned after the variable; the pieces are inside of it.
    unsafe {
        let byte = LLVMInt8TypeInContext(context);
        let integer = |(from, to): &Range| LLVMIntTypeInContext(context, ((to - from) * 8) as u32);
        let types: Vec<LLVMTypeRef> = pieces.iter().map(integer).collect();
        let opaque = match number {
            Number::Frozen => Vec::new(),
            Number::Opaque => opaque_numbers(builder, context, &types),
        };
        for (at, ((from, to), ty)) in pieces.into_iter().zip(types).enumerate() {
            let number = match opaque.get(at) {
                Some(number) => *number,
                None => LLVMBuildFreeze(builder, LLVMGetPoison(ty), c"".as_ptr()),
            };
            let mut place = variable;
            if from > 0 {
                let mut index = LLVMConstInt(LLVMInt64TypeInContext(context), from, 0);
                place = LLVMBuildGEP2(builder, byte, variable, &raw mut index, 1, c"".as_ptr());
            }
            let store = LLVMBuildStore(builder, number, place);
            LLVMSetAlignment(store, LLVMGetAlignment(variable).min((to - from) as u32));
        }
    }
}

/// Takes a range apart into pieces that registers hold, each at a multiple of its size.
fn pieces((mut from, to): Range) -> Vec<Range> {
    let mut found = Vec::new();
    while from < to {
        let aligned = if from == 0 { 8 } else { 1 << from.trailing_zeros().min(3) };
        let room = 1 << (to - from).ilog2().min(3);
        let bytes: u64 = aligned.min(room);
        found.push((from, from + bytes));
        from += bytes;
    }
    found
}

/// Numbers of integer types of 8 to 64 bits about which LLVM knows nothing. One call gives all of them, since LLVM takes two calls of the
/// same assembly for one, and the numbers for equal.
unsafe fn opaque_numbers(
    builder: LLVMBuilderRef,
    context: LLVMContextRef,
    types: &[LLVMTypeRef],
) -> Vec<LLVMValueRef> {
    let mut types = types.to_vec();
    // SAFETY: the builder is positioned; LLVM copies the texts; a structure of these types has them as its fields.
    unsafe {
        let result = match types.as_slice() {
            [] => return Vec::new(),
            [one] => *one,
            _ => LLVMStructTypeInContext(context, types.as_mut_ptr(), types.len() as u32, 0),
        };
        let letters = types.iter().map(|ty| match LLVMGetIntTypeWidth(*ty) {
            64 => "=l",
            32 => "=r",
            _ => "=h",
        });
        let constraints = letters.collect::<Vec<_>>().join(",");
        let ty = LLVMFunctionType(result, std::ptr::null_mut(), 0, 0);
        let call = call_without_text(builder, ty, &constraints, &mut []);
        add_attributes(context, call, &[(llvm_sys::LLVMAttributeFunctionIndex, "memory", 0)]);
        match types.len() {
            1 => vec![call],
            count => {
                (0..count as u32).map(|at| LLVMBuildExtractValue(builder, call, at, c"".as_ptr())).collect()
            }
        }
    }
}

/// Writes a variable in a way that is opaque to LLVM.
unsafe fn write_opaquely(builder: LLVMBuilderRef, context: LLVMContextRef, variable: LLVMValueRef) {
    // SAFETY: the builder is positioned after the variable.
    unsafe {
        let mut parameter = LLVMTypeOf(variable);
        let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), &raw mut parameter, 1, 0);
        let call = call_without_text(builder, ty, OPAQUE_WRITE, &mut [variable]);
        let function = llvm_sys::LLVMAttributeFunctionIndex;
        let memory = (function, "memory", WRITES_ARGUMENTS);
        add_attributes(context, call, &[memory, (1, "captures", 0), (1, "writeonly", 0)]);
    }
}

/// A call of inline assembly without a text.
unsafe fn call_without_text(
    builder: LLVMBuilderRef,
    ty: LLVMTypeRef,
    constraints: &str,
    arguments: &mut [LLVMValueRef],
) -> LLVMValueRef {
    // SAFETY: the builder is positioned; LLVM copies the texts, whose lengths it is given; the arguments are those of the type.
    unsafe {
        let (text, dialect) = (c"".as_ptr(), LLVMInlineAsmDialect::LLVMInlineAsmDialectATT);
        let (letters, length) = (constraints.as_ptr().cast(), constraints.len());
        let asm = LLVMGetInlineAsm(ty, text, 0, letters, length, 0, 0, dialect, 0);
        let count = arguments.len() as u32;
        LLVMBuildCall2(builder, ty, asm, arguments.as_mut_ptr(), count, c"".as_ptr())
    }
}

/// Gives a call of assembly without a text its attributes, each with the place that it is for: it comes back and does no more than they tell.
unsafe fn add_attributes(context: LLVMContextRef, call: LLVMValueRef, own: &[(u32, &str, u64)]) {
    let function = llvm_sys::LLVMAttributeFunctionIndex;
    let always = ["nosync", "nounwind", "willreturn"].map(|name| (function, name, 0));
    for &(place, name, value) in always.iter().chain(own) {
        // SAFETY: names of LLVM's attributes with their lengths, on a call that has these places.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMAddCallSiteAttribute(call, place, LLVMCreateEnumAttribute(context, kind, value));
        }
    }
}

/// The blocks of a function.
struct Flow {
    entry: LLVMBasicBlockRef,
    /// The block of each instruction, and its number there.
    places: HashMap<LLVMValueRef, (LLVMBasicBlockRef, usize)>,
    before: HashMap<LLVMBasicBlockRef, Vec<LLVMBasicBlockRef>>,
    /// How many blocks were looked at.
    steps: usize,
}

impl Flow {
    unsafe fn new(function: LLVMValueRef) -> Self {
        let mut before: HashMap<_, Vec<_>> = HashMap::new();
        let mut places = HashMap::new();
        // SAFETY: blocks and instructions of the function; successors are asked for by numbers below their count.
        unsafe {
            for block in raw::blocks(function) {
                for (at, instruction) in raw::instructions(block).into_iter().enumerate() {
                    places.insert(instruction, (block, at));
                }
                let end = LLVMGetBasicBlockTerminator(block);
                if !end.is_null() {
                    for successor in 0..LLVMGetNumSuccessors(end) {
                        before.entry(LLVMGetSuccessor(end, successor)).or_default().push(block);
                    }
                }
            }
            let entry = LLVMGetFirstBasicBlock(function);
            Flow { entry, places, before, steps: 0 }
        }
    }
}
