//! Indices of elements in place of distances in bytes.
//!
//! PTX computes addresses in bytes, and so does the lowered IR: `getelementptr i8` of a product. Who reads it looks for the elements.

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMTargetDataRef};
use llvm_sys::{LLVMGEPFlagInBounds, LLVMGEPFlagNUSW, LLVMGEPFlagNUW, LLVMOpcode, LLVMTypeKind};

use crate::marks;
use crate::module::Module;
use crate::pass::is_optimized;
use crate::raw;

/// Indices have this width. Narrower products wrap before LLVM extends them, which elements would not.
const INDEX_BITS: u32 = 64;

/// Gives addresses the type of what is accessed there, where their index is a product with its size:
///
/// ```text
///   %d = shl i64 %i, 2
///   %a = getelementptr i8, ptr %p, i64 %d          %a = getelementptr float, ptr %p, i64 %i
///   %x = load float, ptr %a                        %x = load float, ptr %a
/// ```
///
/// The product may be narrower and extended, if it does not wrap. All uses have to be such addresses, for it goes; functions that are
/// `optnone` stay as they are. Without `nusw` and `nuw` both forms wrap alike; with them the address keeps its form unless the product has
/// the same.
pub fn index_elements(module: &mut Module<'_>) {
    // SAFETY: the layout belongs to the module.
    let layout = unsafe { LLVMGetModuleDataLayout(module.raw()) };
    for function in module.inkwell().get_functions().filter(|function| is_optimized(*function)) {
        let mut products = Vec::new();
        for block in function.get_basic_block_iter() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile.
            unsafe {
                for instruction in raw::instructions(block.as_mut_ptr()) {
                    products.extend(Product::of(instruction));
                }
            }
        }
        for product in products {
            // SAFETY: what is erased is the product, which is looked at once, and addresses, which are none.
            unsafe { product.take_in(layout) };
        }
    }
}

/// A product with a constant that may be a size, of 64 bits or extended to them.
struct Product {
    /// The product, or its extension.
    instruction: LLVMValueRef,
    /// The factor that is not a constant.
    index: LLVMValueRef,
    size: u64,
    /// How the factor is extended where the product was.
    extension: Option<Extension>,
    /// Whether the product is known not to wrap as a signed number, and as an unsigned one.
    signed: bool,
    unsigned: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Extension {
    Sign,
    Zero,
}

impl Product {
    /// The instruction as a product, where no metadata keeps it.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn of(instruction: LLVMValueRef) -> Option<Self> {
        // SAFETY: operands are asked of casts.
        unsafe {
            if width(instruction)? != INDEX_BITS || is_marked(instruction) {
                return None;
            }
            let extension = match LLVMGetInstructionOpcode(instruction) {
                LLVMOpcode::LLVMSExt => Extension::Sign,
                LLVMOpcode::LLVMZExt => Extension::Zero,
                _ => return Self::plain(instruction),
            };
            let narrow = LLVMGetOperand(instruction, 0);
            if LLVMIsAInstruction(narrow).is_null() || is_marked(narrow) {
                return None;
            }
            let product = Self::plain(narrow)?;
            let holds = if extension == Extension::Sign { product.signed } else { product.unsigned };
            // The extended product is too small to wrap, as a signed number too.
            let unsigned = extension == Extension::Zero;
            holds.then_some(Product {
                instruction,
                extension: Some(extension),
                signed: true,
                unsigned,
                ..product
            })
        }
    }

    /// The product that the instruction itself is.
    ///
    /// # Safety
    ///
    /// The instruction is alive.
    unsafe fn plain(instruction: LLVMValueRef) -> Option<Self> {
        // SAFETY: operands and flags are asked of operations that have them.
        unsafe {
            let opcode = LLVMGetInstructionOpcode(instruction);
            if !matches!(opcode, LLVMOpcode::LLVMShl | LLVMOpcode::LLVMMul) {
                return None;
            }
            let bits = width(instruction)?;
            let (index, factor) = (LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1));
            if bits > INDEX_BITS || LLVMIsAConstantInt(factor).is_null() || LLVMIsConstant(index) != 0 {
                return None;
            }
            let factor = LLVMConstIntGetZExtValue(factor);
            let size = match opcode {
                LLVMOpcode::LLVMShl => 1u64.checked_shl(u32::try_from(factor).ok()?)?,
                _ => factor,
            };
            // A size that is not a positive number of the product's width would have another sign.
            let is_size = size > 1 && size < 1 << (bits - 1).min(32);
            is_size.then_some(Product {
                instruction,
                index,
                size,
                extension: None,
                signed: LLVMGetNSW(instruction) != 0,
                unsigned: LLVMGetNUW(instruction) != 0,
            })
        }
    }

    /// Indexes by elements what is indexed by the product, when that is all the product is for.
    ///
    /// # Safety
    ///
    /// The product is alive.
    unsafe fn take_in(self, layout: LLVMTargetDataRef) {
        // SAFETY: each address is replaced once, by one with the same base; the product is erased when it has no more uses.
        unsafe {
            let mut addresses = Vec::new();
            for user in users(self.instruction) {
                let Some(element) = self.element_of(layout, user) else { return };
                addresses.push((user, element));
            }
            if addresses.is_empty() {
                return;
            }
            let index = self.index();
            for (address, element) in addresses {
                index_by(address, element, index);
            }
            let narrow = self.extension.map(|_| LLVMGetOperand(self.instruction, 0));
            LLVMInstructionEraseFromParent(self.instruction);
            if let Some(narrow) = narrow
                && LLVMGetFirstUse(narrow).is_null()
            {
                LLVMInstructionEraseFromParent(narrow);
            }
        }
    }

    /// The factor, extended as the product is.
    ///
    /// # Safety
    ///
    /// The product is alive.
    unsafe fn index(&self) -> LLVMValueRef {
        let Some(extension) = self.extension else { return self.index };
        // SAFETY: the builder is positioned at the product's extension, whose type it makes, and disposed once.
        unsafe {
            let ty = LLVMTypeOf(self.instruction);
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(ty));
            LLVMPositionBuilderBefore(builder, self.instruction);
            let extended = match extension {
                Extension::Sign => LLVMBuildSExt(builder, self.index, ty, c"".as_ptr()),
                Extension::Zero => LLVMBuildZExt(builder, self.index, ty, c"".as_ptr()),
            };
            keep_place(self.instruction, extended);
            LLVMDisposeBuilder(builder);
            extended
        }
    }

    /// The type of the product's size that is accessed at an address of bytes whose index is the product.
    ///
    /// # Safety
    ///
    /// The user and the product are alive.
    unsafe fn element_of(&self, layout: LLVMTargetDataRef, user: LLVMValueRef) -> Option<LLVMTypeRef> {
        // SAFETY: operands and flags are asked of an address with one index.
        unsafe {
            if !is_byte_address(user) || LLVMGetOperand(user, 1) != self.instruction || is_marked(user) {
                return None;
            }
            let flags = LLVMGEPGetNoWrapFlags(user);
            let signed = flags & (LLVMGEPFlagInBounds | LLVMGEPFlagNUSW) != 0;
            let unsigned = flags & LLVMGEPFlagNUW != 0;
            if signed && !self.signed || unsigned && !self.unsigned {
                return None;
            }
            let element = accessed(user, true)?;
            (LLVMABISizeOfType(layout, element) == self.size).then_some(element)
        }
    }
}

/// How many bits an integer has.
///
/// # Safety
///
/// The value is alive.
unsafe fn width(value: LLVMValueRef) -> Option<u32> {
    // SAFETY: the width is asked of an integer type.
    unsafe {
        let ty = LLVMTypeOf(value);
        (LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind).then(|| LLVMGetIntTypeWidth(ty))
    }
}

/// Gives an instruction the place in the source of another one.
///
/// # Safety
///
/// Both are alive.
unsafe fn keep_place(from: LLVMValueRef, to: LLVMValueRef) {
    // SAFETY: a place is given to an instruction; a factor that folds to a constant has none.
    unsafe {
        let place = LLVMInstructionGetDebugLoc(from);
        if !place.is_null() && !LLVMIsAInstruction(to).is_null() {
            LLVMInstructionSetDebugLoc(to, place);
        }
    }
}

/// Whether PTX's instruction is kept in metadata.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn is_marked(instruction: LLVMValueRef) -> bool {
    // SAFETY: the instruction is alive, and each name is as long as stated.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(instruction));
        [marks::INST, marks::LITERAL].into_iter().any(|kind| {
            let kind = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            !LLVMGetMetadata(instruction, kind).is_null()
        })
    }
}

/// Whether it is `getelementptr i8` of one pointer and one index.
///
/// # Safety
///
/// The value is alive.
unsafe fn is_byte_address(value: LLVMValueRef) -> bool {
    // SAFETY: types are asked of values that have them.
    unsafe {
        if LLVMIsAGetElementPtrInst(value).is_null()
            || LLVMGetNumOperands(value) != 2
            || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMTypeKind::LLVMPointerTypeKind
        {
            return false;
        }
        let element = LLVMGetGEPSourceElementType(value);
        LLVMGetTypeKind(element) == LLVMTypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8
    }
}

/// The type that all accesses at an address have, or at a constant distance from it where `nearby`.
///
/// # Safety
///
/// The address is alive.
unsafe fn accessed(address: LLVMValueRef, nearby: bool) -> Option<LLVMTypeRef> {
    let mut found = None;
    // SAFETY: operands are asked of instructions that have them.
    unsafe {
        for user in users(address) {
            let ty = match LLVMGetInstructionOpcode(user) {
                LLVMOpcode::LLVMLoad => LLVMTypeOf(user),
                LLVMOpcode::LLVMStore if LLVMGetOperand(user, 1) == address => {
                    LLVMTypeOf(LLVMGetOperand(user, 0))
                }
                LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg
                    if LLVMGetOperand(user, 0) == address =>
                {
                    LLVMTypeOf(LLVMGetOperand(user, 1))
                }
                LLVMOpcode::LLVMGetElementPtr
                    if nearby
                        && is_byte_address(user)
                        && !LLVMIsAConstantInt(LLVMGetOperand(user, 1)).is_null() =>
                {
                    let Some(ty) = accessed(user, false) else { continue };
                    ty
                }
                _ => continue,
            };
            if found.is_some_and(|found| found != ty) {
                return None;
            }
            found = Some(ty);
        }
    }
    found
}

/// The instructions that use a value, once for each use.
///
/// # Safety
///
/// The value is alive.
unsafe fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut found = Vec::new();
    // SAFETY: the use after the last one is null; an instruction is used by instructions alone.
    unsafe {
        let mut place = LLVMGetFirstUse(value);
        while !place.is_null() {
            found.push(LLVMGetUser(place));
            place = LLVMGetNextUse(place);
        }
    }
    found
}

/// Replaces an address by one with elements and their index.
///
/// # Safety
///
/// The address is alive, is one of bytes, and comes after the index.
unsafe fn index_by(address: LLVMValueRef, element: LLVMTypeRef, index: LLVMValueRef) {
    // SAFETY: the builder is positioned at the address and disposed once; the address is erased after its last use.
    unsafe {
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(address)));
        LLVMPositionBuilderBefore(builder, address);
        let flags = LLVMGEPGetNoWrapFlags(address);
        let mut indices = [index];
        let base = LLVMGetOperand(address, 0);
        let new = LLVMBuildGEPWithNoWrapFlags(
            builder,
            element,
            base,
            indices.as_mut_ptr(),
            indices.len() as u32,
            c"".as_ptr(),
            flags,
        );
        keep_place(address, new);
        LLVMDisposeBuilder(builder);
        let name = raw::name(address);
        LLVMReplaceAllUsesWith(address, new);
        LLVMInstructionEraseFromParent(address);
        LLVMSetValueName2(new, name.as_ptr().cast(), name.len());
    }
}
