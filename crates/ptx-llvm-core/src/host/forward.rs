//! Store-to-load forwarding for loads that are not covered by a single store of the block.
//!
//! A processor forwards to a load from one store that is not in the cache yet, if that covers the whole load. A load of parts of two stores waits until
//! both are in the cache, which takes longer than a few dozen operations: reductions in shared memory have such a load in every step.
//! LLVM itself only forwards from a single store.

use std::collections::BTreeMap;

use crate::build::CastOp;
use crate::edit::{AtomicOrder, Editor, Inst, Layout, Opcode, Type, TypeKind, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;

/// Replaces loads of vectors that the block has stored by shuffles; returns whether it did:
///
/// ```text
///   store <4 x i32> %a, ptr %p                             store <4 x i32> %a, ptr %p
///   %q = getelementptr i8, ptr %p, i64 16                  %q = getelementptr i8, ptr %p, i64 16
///   store <4 x i32> %b, ptr %q                             store <4 x i32> %b, ptr %q
///   %r = getelementptr i8, ptr %p, i64 12                  %c = shufflevector <4 x i32> %a, <4 x i32> %b,
///   %c = load <4 x i32>, ptr %r                                               <4 x i32> <i32 3, i32 4, i32 5, i32 6>
/// ```
///
/// Also handles `llvm.masked.load` with a constant mask.
pub(super) fn forward_stores(module: &mut Module<'_>) -> Result<bool, LlvmError> {
    edit(module, |editor| {
        let layout = editor.layout();
        let mut changed = false;
        for block in editor.functions().flat_map(|function| function.blocks()) {
            let mut memory = Memory { editor, layout: &layout, base: None, elements: BTreeMap::new() };
            for inst in block.instructions() {
                changed |= memory.step(inst)?;
            }
        }
        Ok(changed)
    })
}

/// The known contents of memory in a block: the elements of stored vectors, by their offsets from one pointer. A store through another
/// pointer may alias any of them.
struct Memory<'a, 'e> {
    editor: &'a Editor<'e>,
    layout: &'a Layout<'e>,
    base: Option<Value<'e>>,
    elements: BTreeMap<i64, Element<'e>>,
}

/// An element of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Element<'e> {
    vector: Value<'e>,
    lane: u32,
    bytes: i64,
}

/// A vector access of the lanes in a constant mask.
struct Access<'e> {
    /// The stored value; for a load, the pass-through value of lanes outside the mask, if there are any.
    value: Option<Value<'e>>,
    /// The type of the elements.
    element: Type<'e>,
    ty: Type<'e>,
    place: Value<'e>,
    mask: Vec<bool>,
}

impl<'e> Memory<'_, 'e> {
    /// Replaces the instruction if it is a load of known contents, otherwise records its effect on memory.
    fn step(&mut self, inst: Inst<'e>) -> Result<bool, LlvmError> {
        match (inst.opcode(), inst.access()) {
            (Opcode::Load, Some((place, ty))) if is_simple(inst) => {
                if let Some(load) = Access::of_all(None, ty, place) {
                    return self.replace(inst, &load);
                }
            }
            (Opcode::Load, _) if !is_atomic(inst) => {}
            (Opcode::Store, Some((place, ty))) if is_simple(inst) => {
                self.write(place, ty);
                if let Some(store) = Access::of_all(inst.operand(0), ty, place) {
                    self.note(&store);
                }
            }
            (Opcode::Call, _) => return self.call(inst),
            (opcode, _) => {
                if may_write(opcode) {
                    self.elements.clear();
                }
            }
        }
        Ok(false)
    }

    /// As [`Memory::step`], for a call.
    fn call(&mut self, call: Inst<'e>) -> Result<bool, LlvmError> {
        if call.calls("llvm.masked.load.") {
            return match Access::of_masked_load(call) {
                Some(load) => self.replace(call, &load),
                None => Ok(false),
            };
        }
        if call.calls("llvm.masked.store.") {
            match (Access::of_masked_store(call), call.two_operands()) {
                (Some(store), _) => self.note(&store),
                (None, Some([value, place])) => self.write(place, value.ty()),
                (None, None) => self.elements.clear(),
            }
        } else if !call.calls("llvm.prefetch.") && !writes_nothing(call) {
            self.elements.clear();
        }
        Ok(false)
    }

    /// Forgets what a store of a type may change.
    fn write(&mut self, place: Value<'e>, ty: Type<'e>) {
        let (base, offset) = place_of(place);
        match self.bytes(ty) {
            Some(bytes) => self.forget(base, offset, bytes),
            None => self.elements.clear(),
        }
    }

    /// The bytes that a store of a type writes.
    fn bytes(&self, ty: Type<'e>) -> Option<i64> {
        i64::try_from(self.layout.store_size(ty)?).ok()
    }

    /// Forgets what a store to these bytes may change.
    fn forget(&mut self, base: Value<'e>, offset: i64, bytes: i64) {
        if self.base != Some(base) {
            self.elements.clear();
            self.base = Some(base);
        }
        /// The most bytes of an element.
        const MOST: i64 = 16;
        let overlaps = |(&at, element): (&i64, &Element<'e>)| {
            (at + element.bytes > offset && at < offset.saturating_add(bytes)).then_some(at)
        };
        let near = self.elements.range(offset.saturating_sub(MOST)..offset.saturating_add(bytes));
        for at in near.filter_map(overlaps).collect::<Vec<_>>() {
            self.elements.remove(&at);
        }
    }

    /// Records the stored lanes.
    fn note(&mut self, store: &Access<'e>) {
        let (Some(vector), Some(bytes)) = (store.value, self.bytes(store.element)) else { return };
        let (base, offset) = place_of(store.place);
        let lanes = store.mask.iter().enumerate().filter(|(_, is_stored)| **is_stored);
        for (lane, _) in lanes {
            let at = offset.saturating_add(lane as i64 * bytes);
            self.forget(base, at, bytes);
            self.elements.insert(at, Element { vector, lane: lane as u32, bytes });
        }
    }

    /// Replaces a load whose contents are known, if they come from at most two vectors as long as the load itself.
    fn replace(&mut self, inst: Inst<'e>, load: &Access<'e>) -> Result<bool, LlvmError> {
        let Some((vectors, lanes)) = self.contents(load) else { return Ok(false) };
        let (Some(first), Some(second)) = (vectors.first(), vectors.last()) else { return Ok(false) };
        let builder = self.editor.before(inst)?;
        // Stored vectors are of the same block and precede the load.
        let first = builder.cast(CastOp::BitCast, *first, load.ty)?;
        let second = builder.cast(CastOp::BitCast, *second, load.ty)?;
        let shuffle = builder.shuffle(first, second, &lanes)?;
        inst.replace_all_uses(shuffle)?;
        self.editor.erase(inst)?;
        Ok(true)
    }

    /// The vectors that the contents of a load come from, and which of their elements, counted through, each lane is.
    fn contents(&self, load: &Access<'e>) -> Option<(Vec<Value<'e>>, Vec<Option<u32>>)> {
        let bytes = self.bytes(load.element)?;
        let (base, offset) = place_of(load.place);
        if self.base != Some(base) {
            return None;
        }
        let count = load.mask.len();
        let mut vectors: Vec<Value<'e>> = Vec::new();
        let mut lanes = Vec::new();
        for (lane, &is_loaded) in load.mask.iter().enumerate() {
            let element = match (is_loaded, load.value) {
                (true, _) => self.elements.get(&(offset.saturating_add(lane as i64 * bytes))).copied(),
                (false, Some(vector)) => Some(Element { vector, lane: lane as u32, bytes }),
                (false, None) => None,
            };
            let element = element.filter(|element| element.bytes == bytes)?;
            let known = vectors.iter().position(|vector| *vector == element.vector);
            // Default: a vector that is not among them becomes the last.
            let at = known.unwrap_or(vectors.len());
            if at == vectors.len() {
                let length = vector_parts(element.vector.ty()).map(|(_, length)| length as usize);
                if vectors.len() == 2 || length != Some(count) {
                    return None;
                }
                vectors.push(element.vector);
            }
            lanes.push(Some(at as u32 * count as u32 + element.lane));
        }
        Some((vectors, lanes))
    }
}

impl<'e> Access<'e> {
    /// An access of all lanes; `None` if the type is no vector whose elements are stored without padding.
    fn of_all(value: Option<Value<'e>>, ty: Type<'e>, place: Value<'e>) -> Option<Self> {
        let (element, length) = vector_parts(ty)?;
        let has_whole_bytes = match element.kind() {
            TypeKind::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
            TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double => true,
            _ => false,
        };
        has_whole_bytes.then(|| Self { value, element, ty, place, mask: vec![true; length as usize] })
    }

    /// `<4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %others)`
    fn of_masked_load(call: Inst<'e>) -> Option<Self> {
        let mask = lanes_of(call.operand(1)?)?;
        let access = Self::of_all(call.operand(2), call.ty(), call.operand(0)?)?;
        Some(Self { mask, ..access })
    }

    /// `void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr %p, <4 x i1> %mask)`
    fn of_masked_store(call: Inst<'e>) -> Option<Self> {
        let mask = lanes_of(call.operand(2)?)?;
        let access = Self::of_all(call.operand(0), call.operand(0)?.ty(), call.operand(1)?)?;
        Some(Self { mask, ..access })
    }
}

/// The type and the number of the elements of a vector.
pub(super) fn vector_parts(ty: Type<'_>) -> Option<(Type<'_>, u32)> {
    match ty.kind() {
        TypeKind::Vector { element, length } => Some((element, length)),
        _ => None,
    }
}

/// The lanes of a constant mask.
pub(super) fn lanes_of(mask: Value<'_>) -> Option<Vec<bool>> {
    let (_, length) = vector_parts(mask.ty())?;
    (0..length).map(|at| Some(mask.element(at)?.as_unsigned()? != 0)).collect()
}

/// Decomposes a pointer into a base and a constant number of bytes.
fn place_of(mut pointer: Value<'_>) -> (Value<'_>, i64) {
    let mut offset = 0i64;
    while let Some(gep) = pointer.as_op(Opcode::GetElementPtr).filter(|gep| gep.operand(2).is_none()) {
        let is_byte = pointer.gep_source().is_some_and(|source| source.integer_bits() == Some(8));
        let Some([base, index]) = gep.two_operands().filter(|_| is_byte) else { break };
        let Some(sum) = index.as_signed().and_then(|index| offset.checked_add(index)) else { break };
        offset = sum;
        pointer = base;
    }
    (pointer, offset)
}

fn is_atomic(access: Inst<'_>) -> bool {
    access.memory_order().is_some_and(|(order, _)| order != AtomicOrder::NotAtomic)
}

/// Whether an access is neither volatile nor atomic.
fn is_simple(access: Inst<'_>) -> bool {
    !access.is_volatile() && !is_atomic(access)
}

/// Whether an instruction other than a plain access or a call may write memory, or make another thread's writes visible.
fn may_write(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Load
            | Opcode::Store
            | Opcode::Fence
            | Opcode::AtomicCmpXchg
            | Opcode::AtomicRMW
            | Opcode::Invoke
            | Opcode::CallBr
            | Opcode::VAArg
    )
}

/// Whether a called function is declared to write no memory.
fn writes_nothing(call: Inst<'_>) -> bool {
    /// The write bits of the attribute's value, which has two bits for each kind of memory.
    const WRITES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let memory = call.called_function().and_then(|function| function.attribute("memory"));
    memory.is_some_and(|memory| memory & WRITES == 0)
}

#[cfg(test)]
mod tests;
