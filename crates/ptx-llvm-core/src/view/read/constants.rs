//! Constants.

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};

use super::reader::Reader;
use super::text::print_value;
use crate::error::LlvmError;
use crate::view::constant::{ConstExpr, Constant, Entry, Symbol};
use crate::view::id::{BlockId, ConstId};
use crate::view::inst::{BinaryOp, CastOp};

/// Integers wider than this have no use on a machine with 64-bit registers, and their decimal form takes quadratic time.
const MAX_INT_BITS: u32 = 4096;

impl Reader {
    /// The id of a constant; what it holds is read later.
    pub(super) fn constant(&mut self, raw: LLVMValueRef) -> Result<ConstId, LlvmError> {
        if let Some(&id) = self.constants.get(&raw) {
            return Ok(id);
        }
        // SAFETY: `raw` is a constant of the module's context.
        let ty = self.ty(unsafe { LLVMTypeOf(raw) })?;
        let id = ConstId::new(self.view.constants.len());
        self.view.constants.push(Entry { ty, constant: Constant::Undef });
        self.constants.insert(raw, id);
        self.constant_work.push((raw, id));
        Ok(id)
    }

    /// What a constant is; its parts become ids.
    pub(super) fn read_constant(&mut self, raw: LLVMValueRef) -> Result<Constant, LlvmError> {
        // SAFETY: `raw` is a constant, alive with the module.
        Ok(match unsafe { LLVMGetValueKind(raw) } {
            LLVMValueKind::LLVMFunctionValueKind
            | LLVMValueKind::LLVMGlobalAliasValueKind
            | LLVMValueKind::LLVMGlobalVariableValueKind => self.symbol(raw),
            LLVMValueKind::LLVMGlobalIFuncValueKind => Constant::Other("ifunc"),
            LLVMValueKind::LLVMBlockAddressValueKind => self.block_address(raw),
            LLVMValueKind::LLVMConstantExprValueKind => self.expression(raw)?,
            LLVMValueKind::LLVMConstantArrayValueKind
            | LLVMValueKind::LLVMConstantStructValueKind
            | LLVMValueKind::LLVMConstantVectorValueKind => Constant::Aggregate(
                operands(raw).into_iter().map(|part| self.constant(part)).collect::<Result<_, _>>()?,
            ),
            LLVMValueKind::LLVMUndefValueValueKind => Constant::Undef,
            LLVMValueKind::LLVMPoisonValueKind => Constant::Poison,
            LLVMValueKind::LLVMConstantAggregateZeroValueKind => Constant::Zero,
            LLVMValueKind::LLVMConstantDataArrayValueKind
            | LLVMValueKind::LLVMConstantDataVectorValueKind => data(raw),
            LLVMValueKind::LLVMConstantIntValueKind => integer(raw),
            LLVMValueKind::LLVMConstantFPValueKind => self.float(raw),
            LLVMValueKind::LLVMConstantPointerNullValueKind => Constant::Null,
            LLVMValueKind::LLVMConstantTokenNoneValueKind => Constant::Other("token none"),
            LLVMValueKind::LLVMConstantTargetNoneValueKind => {
                Constant::Other("target extension type constant")
            }
            LLVMValueKind::LLVMConstantPtrAuthValueKind => Constant::Other("ptrauth"),
            LLVMValueKind::LLVMArgumentValueKind
            | LLVMValueKind::LLVMBasicBlockValueKind
            | LLVMValueKind::LLVMMemoryUseValueKind
            | LLVMValueKind::LLVMMemoryDefValueKind
            | LLVMValueKind::LLVMMemoryPhiValueKind
            | LLVMValueKind::LLVMMetadataAsValueValueKind
            | LLVMValueKind::LLVMInlineAsmValueKind => Constant::Other("value that is not a constant"),
            // What the C API has no name for: `no_cfi` and `dso_local_equivalent`, which stand for a function.
            LLVMValueKind::LLVMInstructionValueKind => match operands(raw).as_slice() {
                [function] => self.symbol(*function),
                _ => Constant::Other("value that is not a constant"),
            },
        })
    }

    fn symbol(&self, raw: LLVMValueRef) -> Constant {
        let symbol: Option<&Symbol> = self.symbols.get(&raw);
        symbol.map_or(Constant::Other("symbol of another module"), |&symbol| Constant::Symbol(symbol))
    }

    fn block_address(&self, raw: LLVMValueRef) -> Constant {
        // SAFETY: `raw` is the address of a block of a function of the module; the iteration starts at the function's
        // first block and ends in null or at that block.
        unsafe {
            let function = LLVMGetBlockAddressFunction(raw);
            let wanted = LLVMGetBlockAddressBasicBlock(raw);
            let mut number = 0;
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() && block != wanted {
                number += 1;
                block = LLVMGetNextBasicBlock(block);
            }
            match self.symbols.get(&function) {
                Some(&Symbol::Function(function)) if !block.is_null() => {
                    Constant::BlockAddress(function, BlockId::new(number))
                }
                _ => Constant::Other("address of a block of another module"),
            }
        }
    }

    fn float(&mut self, raw: LLVMValueRef) -> Constant {
        // SAFETY: `raw` is a floating-point constant; a bit cast of it to an integer of the same width folds to an
        // integer constant of the context.
        unsafe {
            let bits = match LLVMGetTypeKind(LLVMTypeOf(raw)) {
                LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => 16,
                LLVMTypeKind::LLVMFloatTypeKind => 32,
                LLVMTypeKind::LLVMDoubleTypeKind => 64,
                LLVMTypeKind::LLVMFP128TypeKind => 128,
                _ => return Constant::Other("floating-point constant of a format PTX lacks"),
            };
            let folded = LLVMConstBitCast(raw, LLVMIntTypeInContext(self.context, bits));
            if LLVMIsAConstantInt(folded).is_null() {
                return Constant::Other("floating-point constant that does not fold");
            }
            if bits == 128 {
                return integer(folded);
            }
            Constant::Float(LLVMConstIntGetZExtValue(folded))
        }
    }

    fn expression(&mut self, raw: LLVMValueRef) -> Result<Constant, LlvmError> {
        let parts = operands(raw);
        // SAFETY: `raw` is a constant expression.
        let opcode = unsafe { LLVMGetConstOpcode(raw) };
        let expr = match (opcode, parts.as_slice()) {
            (LLVMOpcode::LLVMGetElementPtr, [base, indices @ ..]) => {
                // SAFETY: `raw` is a `getelementptr` expression.
                let source = self.ty(unsafe { LLVMGetGEPSourceElementType(raw) })?;
                let base = self.constant(*base)?;
                let indices = indices.iter().map(|&index| self.constant(index)).collect::<Result<_, _>>()?;
                ConstExpr::Gep { source, base, indices }
            }
            (opcode, &[lhs, rhs]) if binary(opcode).is_some() => {
                let op = binary(opcode).unwrap_or(BinaryOp::Add);
                ConstExpr::Binary { op, lhs: self.constant(lhs)?, rhs: self.constant(rhs)? }
            }
            (opcode, &[value]) if cast(opcode).is_some() => {
                let op = cast(opcode).unwrap_or(CastOp::BitCast);
                ConstExpr::Cast { op, value: self.constant(value)? }
            }
            (LLVMOpcode::LLVMExtractElement, &[vector, index]) if has_fixed_length(vector) => {
                ConstExpr::Element { vector: self.constant(vector)?, index: self.constant(index)? }
            }
            (LLVMOpcode::LLVMInsertElement, &[vector, element, index]) if has_fixed_length(vector) => {
                let (vector, element) = (self.constant(vector)?, self.constant(element)?);
                ConstExpr::Insert { vector, element, index: self.constant(index)? }
            }
            (opcode, _) => ConstExpr::Other(opcode as u32),
        };
        Ok(Constant::Expr(expr))
    }
}

/// Whether a value is a vector, and not one of a length that is known only when it runs.
fn has_fixed_length(vector: LLVMValueRef) -> bool {
    // SAFETY: callers pass live values.
    unsafe { LLVMGetTypeKind(LLVMTypeOf(vector)) as u32 == LLVMTypeKind::LLVMVectorTypeKind as u32 }
}

/// The operands of a constant or an instruction.
pub(super) fn operands(raw: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: callers pass live users; indices are below the count.
    unsafe { (0..LLVMGetNumOperands(raw).max(0) as u32).map(|at| LLVMGetOperand(raw, at)).collect() }
}

/// The bytes of an array or a vector of plain numbers.
fn data(raw: LLVMValueRef) -> Constant {
    let mut len = 0usize;
    // The binding declares the out parameter as an integer.
    let out = (&raw mut len).expose_provenance();
    // SAFETY: `raw` is sequential data; LLVM writes the length through `out` and gives that many bytes.
    unsafe {
        let start = LLVMGetRawDataValues(raw, out);
        if start.is_null() || len == 0 {
            return Constant::Data(Box::default());
        }
        Constant::Data(std::slice::from_raw_parts(start.cast::<u8>(), len).into())
    }
}

fn integer(raw: LLVMValueRef) -> Constant {
    // SAFETY: `raw` is an integer constant; its value is asked for only when it has at most 64 bits.
    unsafe {
        let ty = LLVMTypeOf(raw);
        if LLVMGetTypeKind(ty) as u32 != LLVMTypeKind::LLVMIntegerTypeKind as u32 {
            return Constant::Other("splat of an integer");
        }
        let bits = LLVMGetIntTypeWidth(ty);
        if bits <= 64 {
            return Constant::Int(Box::new([LLVMConstIntGetZExtValue(raw)]));
        }
        if bits > MAX_INT_BITS {
            return Constant::Other("integer of more than 4096 bits");
        }
        let text = print_value(raw);
        let digits = text.rsplit_once(' ').map_or(text.as_str(), |(_, digits)| digits);
        match digits {
            "true" | "false" => Constant::Other("boolean"),
            _ => Constant::Int(parse_decimal(digits, bits)),
        }
    }
}

/// Two's complement words, low first, of a decimal number of `bits` bits.
fn parse_decimal(text: &str, bits: u32) -> Box<[u64]> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut words = vec![0u64; bits.div_ceil(64) as usize];
    debug_assert!(digits.bytes().all(|digit| digit.is_ascii_digit()), "`{text}` is not a decimal number");
    for digit in digits.bytes().filter(u8::is_ascii_digit) {
        let mut carry = u128::from(digit - b'0');
        for word in &mut words {
            let product = u128::from(*word) * 10 + carry;
            *word = product as u64;
            carry = product >> 64;
        }
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            let (sum, over) = (!*word).overflowing_add(u64::from(carry));
            *word = sum;
            carry = over;
        }
    }
    if let (Some(last), used @ 1..) = (words.last_mut(), bits % 64) {
        *last &= (1u64 << used) - 1;
    }
    words.into_boxed_slice()
}

/// The arithmetic after an opcode.
pub(super) fn binary(opcode: LLVMOpcode) -> Option<BinaryOp> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => BinaryOp::Add,
        LLVMOpcode::LLVMFAdd => BinaryOp::FAdd,
        LLVMOpcode::LLVMSub => BinaryOp::Sub,
        LLVMOpcode::LLVMFSub => BinaryOp::FSub,
        LLVMOpcode::LLVMMul => BinaryOp::Mul,
        LLVMOpcode::LLVMFMul => BinaryOp::FMul,
        LLVMOpcode::LLVMUDiv => BinaryOp::UDiv,
        LLVMOpcode::LLVMSDiv => BinaryOp::SDiv,
        LLVMOpcode::LLVMFDiv => BinaryOp::FDiv,
        LLVMOpcode::LLVMURem => BinaryOp::URem,
        LLVMOpcode::LLVMSRem => BinaryOp::SRem,
        LLVMOpcode::LLVMFRem => BinaryOp::FRem,
        LLVMOpcode::LLVMShl => BinaryOp::Shl,
        LLVMOpcode::LLVMLShr => BinaryOp::LShr,
        LLVMOpcode::LLVMAShr => BinaryOp::AShr,
        LLVMOpcode::LLVMAnd => BinaryOp::And,
        LLVMOpcode::LLVMOr => BinaryOp::Or,
        LLVMOpcode::LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

/// The cast after an opcode.
pub(super) fn cast(opcode: LLVMOpcode) -> Option<CastOp> {
    Some(match opcode {
        LLVMOpcode::LLVMTrunc => CastOp::Trunc,
        LLVMOpcode::LLVMZExt => CastOp::ZExt,
        LLVMOpcode::LLVMSExt => CastOp::SExt,
        LLVMOpcode::LLVMFPToUI => CastOp::FPToUI,
        LLVMOpcode::LLVMFPToSI => CastOp::FPToSI,
        LLVMOpcode::LLVMUIToFP => CastOp::UIToFP,
        LLVMOpcode::LLVMSIToFP => CastOp::SIToFP,
        LLVMOpcode::LLVMFPTrunc => CastOp::FPTrunc,
        LLVMOpcode::LLVMFPExt => CastOp::FPExt,
        LLVMOpcode::LLVMPtrToInt => CastOp::PtrToInt,
        LLVMOpcode::LLVMPtrToAddr => CastOp::PtrToAddr,
        LLVMOpcode::LLVMIntToPtr => CastOp::IntToPtr,
        LLVMOpcode::LLVMBitCast => CastOp::BitCast,
        LLVMOpcode::LLVMAddrSpaceCast => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::parse_decimal;

    #[test]
    fn decimal_numbers_become_two_s_complement_words() {
        assert_eq!(*parse_decimal("18446744073709551616", 128), [0, 1]);
        assert_eq!(*parse_decimal("-1", 128), [u64::MAX, u64::MAX]);
        assert_eq!(*parse_decimal("-1", 65), [u64::MAX, 1]);
        assert_eq!(*parse_decimal("0", 65), [0, 0]);
    }
}
