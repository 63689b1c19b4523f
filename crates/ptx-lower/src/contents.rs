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

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Asm, AsmEffects};
use ptx_llvm_core::edit::{
    Attribute, AttributeIndex, Block, Builder, Editor, Function, GepFlags, Inst, Layout, Opcode, Type,
    TypeKind, Value, edit,
};
use ptx_llvm_core::marks::{OPAQUE_WRITE, WRITES_ARGUMENTS};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many bytes of a variable are stored to at most; beyond that it is taken as a whole.
const MOST_STORED: u64 = 256;
/// So many blocks are looked at for all variables of a function; what is not known then counts as not written.
const MOST_STEPS: usize = 1 << 22;
/// Of a result of more values the places are not taken apart.
const MOST_BOUNDS: usize = 1 << 10;

/// Gives what functions may read of their own memory before they write it some contents.
///
/// # Errors
///
/// What the editor refuses, which a valid module does not lead to.
pub(crate) fn leave_contents_open(module: &mut ptx_llvm_core::Module<'_>) -> Result<(), LlvmError> {
    edit(module, |editor| {
        let layout = editor.layout();
        editor.functions().try_for_each(|function| open_function(editor, &layout, function))
    })
}

fn open_function<'e>(
    editor: &Editor<'e>,
    layout: &Layout<'e>,
    function: Function<'e>,
) -> Result<(), LlvmError> {
    let Some(entry) = function.entry() else { return Ok(()) };
    let mut variables = entry.instructions();
    variables.retain(|inst| inst.opcode() == Opcode::Alloca);
    if variables.is_empty() {
        return Ok(());
    }
    let mut flow = Flow::new(function, entry);
    for variable in variables {
        // Lowering makes variables of types that have a size, and a terminator after them.
        let size = variable.allocated_type().and_then(|ty| layout.abi_size(ty));
        let (Some(size), Some(next)) = (size, variable.next()) else { continue };
        let uses = Uses::of(variable, size, layout);
        let open = uses.unwritten(&mut flow);
        if open.is_empty() {
            continue;
        }
        let builder = editor.before(next)?;
        let bytes: u64 = open.iter().map(|range| range.1 - range.0).sum();
        if uses.is_plain && bytes <= MOST_STORED {
            let (returned, other): (Vec<Range>, Vec<Range>) =
                open.into_iter().partition(|part| uses.is_only_returned(*part));
            store_open(editor, builder, variable, &returned, Number::Opaque)?;
            store_open(editor, builder, variable, &other, Number::Frozen)?;
        } else {
            write_opaquely(editor, builder, variable)?;
        }
    }
    Ok(())
}

/// From a byte up to, but without, another.
type Range = (u64, u64);

/// What is done with a variable.
struct Uses<'e> {
    /// Where bytes of it are read, or may be read from then on.
    reads: Vec<(Inst<'e>, Range)>,
    /// Where they are written.
    writes: Vec<(Inst<'e>, Range)>,
    /// The loads among the reads that are the function's result and nothing else.
    returned: FxHashSet<Inst<'e>>,
    /// Where the values begin and end that the result consists of.
    bounds: Vec<u64>,
    /// It is only loaded and stored, at known places: LLVM can keep it in registers.
    is_plain: bool,
}

impl<'e> Uses<'e> {
    fn of(variable: Inst<'e>, size: u64, layout: &Layout<'e>) -> Self {
        let mut uses = Uses {
            reads: Vec::new(),
            writes: Vec::new(),
            returned: FxHashSet::default(),
            bounds: Vec::new(),
            is_plain: true,
        };
        let mut pointers = vec![(variable, 0_u64)];
        while let Some((pointer, offset)) = pointers.pop() {
            for user in pointer.users() {
                if let Some(further) = uses.take(user, pointer.value(), offset, size, layout) {
                    pointers.push((user, further));
                }
            }
        }
        uses
    }

    /// Adds what an instruction does with an address in the variable; gives the offset of the address that it computes.
    fn take(
        &mut self,
        user: Inst<'e>,
        pointer: Value<'e>,
        offset: u64,
        size: u64,
        layout: &Layout<'e>,
    ) -> Option<u64> {
        let access = |ty: Type<'e>| {
            let range = (offset, offset.checked_add(layout.store_size(ty)?)?);
            Some(range).filter(|range| range.1 <= size)
        };
        match user.opcode() {
            Opcode::AddrSpaceCast | Opcode::BitCast => return Some(offset),
            Opcode::GetElementPtr => {
                let further = constant_offset(user, pointer, layout)
                    .and_then(|by| offset.checked_add_signed(by))
                    .filter(|further| *further <= size);
                if further.is_some() {
                    return further;
                }
            }
            Opcode::Load => {
                if let Some(range) = access(user.ty()) {
                    self.is_plain &= !user.is_volatile();
                    self.reads.push((user, range));
                    // The loads of all returns are of one type.
                    if is_returned(user) && self.returned.insert(user) && self.returned.len() == 1 {
                        self.bounds = bounds_of(user.ty(), offset, layout);
                    }
                    return None;
                }
            }
            Opcode::Store => {
                let stored = user.operand(0).filter(|value| *value != pointer);
                if let Some(range) = stored.and_then(|value| access(value.ty())) {
                    self.is_plain &= !user.is_volatile();
                    self.writes.push((user, range));
                    return None;
                }
            }
            Opcode::Call if starts_arguments(user) => {
                self.is_plain = false;
                self.writes.push((user, (0, size)));
                return None;
            }
            _ => {}
        }
        // Any other user of the address may read everything.
        self.is_plain = false;
        self.reads.push((user, (0, size)));
        None
    }

    /// The parts of the variable that are read and not written on some way there.
    fn unwritten(&self, flow: &mut Flow<'e>) -> Vec<Range> {
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
        parts.filter(|part| self.may_be_read_first(*part, flow)).collect()
    }

    /// Whether a part is read as a part of the function's result alone.
    fn is_only_returned(&self, part: Range) -> bool {
        let others = self.reads.iter().filter(|(read, _)| !self.returned.contains(read));
        let reads = |range: &Range| range.0 < part.1 && part.0 < range.1;
        !self.returned.is_empty() && !others.map(|(_, range)| range).any(reads)
    }

    /// Whether a part, which every access takes whole or not at all, may be read before it is written.
    fn may_be_read_first(&self, part: Range, flow: &mut Flow<'e>) -> bool {
        // For each block its first write of the part. A walk stops at a block with a write, since control leaves that with the part written; in the
        // block of a read only a write before it counts.
        let covers = |range: &Range| range.0 <= part.0 && part.1 <= range.1;
        let mut written: FxHashMap<Block<'e>, usize> = FxHashMap::default();
        for (write, _) in self.writes.iter().filter(|(_, range)| covers(range)) {
            let Some(&(block, at)) = flow.places.get(write) else { continue };
            let first = written.entry(block).or_insert(at);
            *first = at.min(*first);
        }
        // Blocks that a walk back from a read reaches without passing a write.
        let mut seen = FxHashSet::default();
        let mut open: Vec<Block<'e>> = Vec::new();
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
fn constant_offset<'e>(gep: Inst<'e>, pointer: Value<'e>, layout: &Layout<'e>) -> Option<i64> {
    let [base, index] = gep.two_operands()?;
    if base != pointer || gep.operand(2).is_some() {
        return None;
    }
    let scale = i64::try_from(layout.abi_size(gep.value().gep_source()?)?).ok()?;
    index.as_signed()?.checked_mul(scale)
}

/// Whether a call is `llvm.va_start`, which writes what it is given.
fn starts_arguments(call: Inst<'_>) -> bool {
    call.called_function()
        .is_some_and(|callee| callee.is_intrinsic() && callee.name().starts_with(b"llvm.va_start"))
}

/// Whether a function returns what a load gives, alone or as a part of a structure, and does nothing else with it.
fn is_returned(load: Inst<'_>) -> bool {
    let mut value = load;
    loop {
        let mut users = value.users();
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        match user.opcode() {
            Opcode::Ret => return true,
            Opcode::InsertValue => value = user,
            _ => return false,
        }
    }
}

/// Where the values begin and end that a type consists of, unless they are too many.
fn bounds_of<'e>(ty: Type<'e>, offset: u64, layout: &Layout<'e>) -> Vec<u64> {
    let mut bounds = Vec::new();
    let mut rest = vec![(ty, offset)];
    while let Some((ty, offset)) = rest.pop() {
        if bounds.len() + rest.len() > MOST_BOUNDS {
            return Vec::new();
        }
        match ty.kind() {
            TypeKind::Struct(count) => {
                let field = |at| Some((ty.field(at)?, offset + layout.field_offset(ty, at)?));
                rest.extend((0..count).filter_map(field));
            }
            TypeKind::Array { element, length } => {
                let elements = 0..length.min(MOST_BOUNDS as u64 + 1);
                let at_stride = |at| Some((element, offset + at * layout.abi_size(element)?));
                rest.extend(elements.filter_map(at_stride));
            }
            _ => bounds.extend(layout.store_size(ty).into_iter().flat_map(|size| [offset, offset + size])),
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
fn store_open<'e>(
    editor: &Editor<'e>,
    builder: Builder<'_, 'e>,
    variable: Inst<'e>,
    open: &[Range],
    number: Number,
) -> Result<(), LlvmError> {
    let pieces: Vec<Range> = open.iter().flat_map(|range| pieces(*range)).collect();
    let bits: Vec<u32> = pieces.iter().map(|(from, to)| ((to - from) * 8) as u32).collect();
    let opaque = match number {
        Number::Frozen => Vec::new(),
        Number::Opaque => opaque_numbers(editor, builder, &bits)?,
    };
    for (at, ((from, to), bits)) in pieces.into_iter().zip(bits).enumerate() {
        let number = match opaque.get(at) {
            Some(number) => *number,
            None => builder.freeze(editor.integer(bits).poison()?)?,
        };
        let mut place = variable.value();
        if from > 0 {
            let index = editor.integer(64).number(from as i64)?;
            place = builder.gep(editor.integer(8), place, &[index], GepFlags::default())?;
        }
        let own = (to - from) as u32;
        builder.store(number, place, variable.alignment().map_or(own, |align| align.min(own)))?;
    }
    Ok(())
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
fn opaque_numbers<'e>(
    editor: &Editor<'e>,
    builder: Builder<'_, 'e>,
    bits: &[u32],
) -> Result<Vec<Value<'e>>, LlvmError> {
    let types: Vec<Type<'e>> = bits.iter().map(|bits| editor.integer(*bits)).collect();
    let result = match types.as_slice() {
        [] => return Ok(Vec::new()),
        [one] => *one,
        _ => editor.structure(&types)?,
    };
    let letters = bits.iter().map(|bits| match bits {
        64 => "=l",
        32 => "=r",
        _ => "=h",
    });
    let constraints = letters.collect::<Vec<_>>().join(",");
    let own = [(AttributeIndex::Function, Attribute::Memory(0))];
    let call = call_without_text(builder, result, &constraints, &[], &own)?;
    match bits.len() {
        1 => Ok(vec![call]),
        count => (0..count as u32).map(|at| builder.extract_value(call, at)).collect(),
    }
}

/// Writes a variable in a way that is opaque to LLVM.
fn write_opaquely<'e>(
    editor: &Editor<'e>,
    builder: Builder<'_, 'e>,
    variable: Inst<'e>,
) -> Result<(), LlvmError> {
    let own = [
        (AttributeIndex::Function, Attribute::Memory(WRITES_ARGUMENTS)),
        (AttributeIndex::Argument(0), Attribute::Captures(0)),
        (AttributeIndex::Argument(0), Attribute::WriteOnly),
    ];
    call_without_text(builder, editor.void(), OPAQUE_WRITE, &[variable.value()], &own).map(|_| ())
}

/// A call of inline assembly without a text, with attributes, each with the place that it is for: it comes back and does no more than they tell.
fn call_without_text<'e>(
    builder: Builder<'_, 'e>,
    result: Type<'e>,
    constraints: &str,
    arguments: &[Value<'e>],
    own: &[(AttributeIndex, Attribute)],
) -> Result<Value<'e>, LlvmError> {
    let call =
        builder.inline_asm(result, Asm { text: "", constraints, effects: AsmEffects::None }, arguments)?;
    let always = [Attribute::NoSync, Attribute::NoUnwind, Attribute::WillReturn];
    let always = always.map(|attribute| (AttributeIndex::Function, attribute));
    for (place, attribute) in always.iter().chain(own) {
        call.add_call_attribute(*place, *attribute)?;
    }
    Ok(call.value())
}

/// The blocks of a function.
struct Flow<'e> {
    entry: Block<'e>,
    /// The block of each instruction, and its number there.
    places: FxHashMap<Inst<'e>, (Block<'e>, usize)>,
    before: FxHashMap<Block<'e>, Vec<Block<'e>>>,
    /// How many blocks were looked at.
    steps: usize,
}

impl<'e> Flow<'e> {
    fn new(function: Function<'e>, entry: Block<'e>) -> Self {
        let mut before: FxHashMap<_, Vec<_>> = FxHashMap::default();
        let mut places = FxHashMap::default();
        for block in function.blocks() {
            for (at, inst) in block.instructions().into_iter().enumerate() {
                places.insert(inst, (block, at));
            }
            for successor in block.successors() {
                before.entry(successor).or_default().push(block);
            }
        }
        Flow { entry, places, before, steps: 0 }
    }
}
