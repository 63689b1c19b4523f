//! Matrix instructions (manual 9.7.14).

use ptx_ir::Operand;
use ptx_isa::{Field, MatrixSem, Mod, OperandKey, PACKED_KINDS, ScalarType, Sem};

use super::arithmetic::rounding;
use super::body::{BodyDecoder, Context, Decode, unary};
use super::collective::emit;
use super::wgmma::{groups_left, warpgroup};
use super::{Decoded, finding};
use crate::error::codes;
use crate::memory::Space;
use crate::program::{
    Address, AddressWidth, Base, Cell, CollectiveKind, Dst, Element, Factor, Fragment, Held, Indices, Join,
    Major, MatrixOperand, Overflow, Participants, Product, Scales, Size, Sparse, Spread, Src, Tiles, Unary,
    WarpgroupAction,
};
use crate::scalar::narrow::Narrow;

/// The space and offset of instructions that do not access memory.
pub(super) const NOWHERE: (Space, i64) = (Space::Generic, 0);

/// Why the type of moved matrices is not queried.
const SHAPED: &str = "each shape has elements of one size";

/// The element type of a matrix; `wmma.mma` does not specify it for halves.
pub(super) fn element(cx: &Context<'_>, field: Field) -> Decoded<Element> {
    Ok(match cx.m.get(field) {
        None | Some(Mod::F16) => Element::F16,
        Some(Mod::Bf16) => Element::Bf16,
        Some(Mod::Tf32) => Element::Tf32,
        Some(Mod::F32) => Element::F32,
        Some(Mod::F64) => Element::F64,
        Some(Mod::E4m3) => Element::Narrow(Narrow::E4m3),
        Some(Mod::E5m2) => Element::Narrow(Narrow::E5m2),
        Some(Mod::E3m2) => Element::Narrow(Narrow::E3m2),
        Some(Mod::E2m3) => Element::Narrow(Narrow::E2m3),
        Some(Mod::E2m1) if PACKED_KINDS.iter().any(|kind| cx.m.has(*kind)) => Element::E2m1,
        Some(Mod::E2m1) => Element::Narrow(Narrow::E2m1),
        Some(Mod::U8) => Element::U8,
        Some(Mod::S8) => Element::S8,
        Some(Mod::U4) => Element::U4,
        Some(Mod::S4) => Element::S4,
        Some(Mod::B1) => Element::B1,
        Some(Mod::S32) => Element::S32,
        Some(_) => return cx.unsupported("its types are not known here"),
    })
}

/// The shape of a product.
pub(super) fn size(cx: &Context<'_>) -> Decoded<Size> {
    match cx.m.get(Field::Shape).and_then(Mod::matrix_shape) {
        Some(shape) => Ok(shape.into()),
        None => cx.unsupported("its shape is not supported"),
    }
}

/// `.row` or `.col`; forms without a choice have A in row-major and B in column-major order.
fn major(cx: &Context<'_>, field: Field) -> Decoded<Major> {
    match (cx.m.get(field), field) {
        (Some(Mod::Col), _) => Ok(Major::Column),
        (Some(Mod::Row), _) => Ok(Major::Row),
        (None, Field::BLayout) => {
            cx.m.ignore_words(&[Mod::Col], "the row has no other layout");
            Ok(Major::Column)
        }
        (None, _) => {
            cx.m.ignore_words(&[Mod::Row], "the row has no other layout");
            Ok(Major::Row)
        }
        (Some(_), _) => cx.unsupported("its layout is not supported"),
    }
}

fn product(cx: &Context<'_>) -> Decoded<Product> {
    cx.m.ignore_words(&[Mod::KindF8f6f4, Mod::KindMxf8f6f4], "the types determine it");
    let size = size(cx)?;
    let factor = |ty, layout| -> Decoded<Factor> {
        Ok(Factor { element: element(cx, ty)?, major: major(cx, layout)? })
    };
    let (a, b) = (factor(Field::AType, Field::ALayout)?, factor(Field::BType, Field::BLayout)?);
    let held = match (cx.m.sem(), size) {
        (Sem::Matrix(MatrixSem::Wmma), _) => Held::Fragments,
        (_, Size { m: 8, n: 8, k: 4 }) if a.element == Element::F16 => Held::Quads,
        _ => Held::Groups,
    };
    Ok(Product {
        size,
        held,
        a,
        b,
        sparse: sparse(cx, OperandKey::F, size, a.element)?,
        scales: scales(cx)?,
        c: element(cx, Field::CType)?,
        d: element(cx, Field::DType)?,
        join: match cx.m.get(Field::Op) {
            Some(Mod::Xor) if cx.m.has(Mod::Popc) => Join::Xor,
            Some(Mod::And) if cx.m.has(Mod::Popc) => Join::And,
            None => Join::Multiply,
            Some(_) => return cx.unsupported("its operation is not supported"),
        },
        overflow: if cx.m.has(Mod::Satfinite) { Overflow::Finite } else { Overflow::Plain },
        rounding: rounding(cx)?,
    })
}

/// The sparsity of A; `None` for dense products. `key` is the operand with the selector.
pub(super) fn sparse(
    cx: &Context<'_>,
    key: OperandKey,
    size: Size,
    element: Element,
) -> Decoded<Option<Sparse>> {
    let Some((at, operand)) = cx.given(key) else { return Ok(None) };
    let selector = match operand {
        Operand::Immediate(value) => value.as_integer().and_then(|value| usize::try_from(value).ok()),
        _ => None,
    };
    // `ptxas` accepts 2 and 3 where pairs of threads provide the metadata, which the manual leaves undefined.
    match selector {
        Some(selector) if selector < Sparse::selectors(size, element) => {
            let indices = match (cx.m.has(Mod::Sp), cx.m.has(Mod::SpOrderedMetadata)) {
                (true, false) => Indices::AnyOrder,
                (false, true) => Indices::Increasing,
                _ => return cx.unsupported("the order of its positions is not supported"),
            };
            Ok(Some(Sparse { selector, indices }))
        }
        _ => finding(
            codes::OPERAND,
            cx.span(at),
            format!(
                "the sparsity selector of `{}` must be less than {}",
                cx.m,
                Sparse::selectors(size, element)
            ),
        ),
    }
}

/// The matrices moved by `ldmatrix` or `stmatrix`.
fn tiles(cx: &Context<'_>) -> Decoded<Tiles> {
    cx.m.ignore(&[Field::Type, Field::DstFmt], SHAPED);
    let (lines, cell, spread) = match (cx.m.get(Field::Shape), cx.m.has(Mod::Trans)) {
        (Some(Mod::M8n8), false) => (8, Cell::Half, Spread::Along),
        (Some(Mod::M8n8), true) => (8, Cell::Half, Spread::Across),
        (Some(Mod::M8n16), false) => (8, bytes(cx)?, Spread::Along),
        (Some(Mod::M16n16), true) => (16, bytes(cx)?, Spread::Across),
        (Some(Mod::M16n8), true) => (8, Cell::Byte, Spread::Sums),
        _ => return cx.unsupported("its shape is not supported"),
    };
    let count = match cx.m.get(Field::Num) {
        // `ptxas` accepts `.x8`, which is not in the manual, and generates the machine instruction for one matrix.
        Some(Mod::X1 | Mod::X8) => 1,
        Some(Mod::X2) => 2,
        Some(Mod::X4) => 4,
        _ => return cx.unsupported("the manual has 1, 2 or 4 matrices"),
    };
    Ok(Tiles { count, lines, cell, spread })
}

/// The in-memory format of the elements of a matrix of bytes.
fn bytes(cx: &Context<'_>) -> Decoded<Cell> {
    match cx.m.get(Field::SrcFmt) {
        None => Ok(Cell::Byte),
        Some(Mod::B6x16P32) => Ok(Cell::Six),
        Some(Mod::B4x16P64) => Ok(Cell::Four),
        Some(_) => cx.unsupported("its format in memory is not supported"),
    }
}

/// The block scales of both factors; `None` for products without.
fn scales(cx: &Context<'_>) -> Decoded<Option<Scales>> {
    if cx.m.sem() != Sem::Matrix(MatrixSem::MmaScaled) {
        return Ok(None);
    }
    let blocks = match cx.m.get(Field::ScaleVec) {
        Some(Mod::ScaleVec4X) => 4,
        Some(Mod::ScaleVec2X) => 2,
        Some(Mod::ScaleVec1X) => 1,
        None if cx.m.has(Mod::KindMxf4) => 2,
        None if cx.m.has(Mod::KindMxf8f6f4) => 1,
        _ => return cx.unsupported("the size of its blocks is not supported"),
    };
    let format = match cx.m.get(Field::SType) {
        Some(Mod::Ue4m3) => Narrow::E4m3,
        Some(Mod::Ue8m0) => Narrow::Ue8m0,
        _ => return cx.unsupported("the type of its scales is not supported"),
    };
    Ok(Some(Scales { blocks, format }))
}

impl<'a> BodyDecoder<'a> {
    /// The decoder of matrix products and matrix moves.
    pub(super) fn matrix_decoder(sem: MatrixSem) -> Decode<'a> {
        use MatrixSem as S;
        match sem {
            S::Mma | S::MmaSparse | S::MmaScaled | S::Wmma => Self::multiply,
            S::WmmaLoad => Self::load_fragment,
            S::WmmaStore => Self::store_fragment,
            S::Ldmatrix => Self::load_matrices,
            S::Stmatrix => Self::store_matrices,
            S::Movmatrix => Self::transpose,
            S::Wgmma | S::WgmmaSparse => |decoder, cx| {
                let product = decoder.warpgroup_product(cx)?;
                warpgroup(cx, WarpgroupAction::Multiply(product))
            },
            S::WgmmaFence => |_, cx| warpgroup(cx, WarpgroupAction::Fence),
            S::WgmmaCommit => |_, cx| warpgroup(cx, WarpgroupAction::Commit),
            S::WgmmaWait => |_, cx| {
                let most = groups_left(cx)?;
                warpgroup(cx, WarpgroupAction::Wait(most))
            },
            S::TensorMemory => Self::tensor_memory,
            S::Tcgen05Mma => Self::tensor_multiply,
        }
    }
}

impl BodyDecoder<'_> {
    /// `movmatrix`.
    fn transpose(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        if cx.m.get(Field::Shape) != Some(Mod::M8n8) {
            return cx.unsupported("its shape is not supported");
        }
        cx.m.ignore(&[Field::Type], SHAPED);
        cx.m.ignore_words(&[Mod::Trans], "there is no other way of moving it");
        let (d, a) = (self.dst(cx, 0)?, self.src(cx, 1)?);
        emit(cx, CollectiveKind::TransposeMatrix, Participants::Warp, vec![a], vec![d], NOWHERE);
        Ok(())
    }

    /// `ldmatrix`.
    fn load_matrices(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let tiles = tiles(cx)?;
        let dsts = self.vector_dsts(cx, 0)?;
        let count = tiles.count * tiles.registers();
        if cx.m.has(Mod::X8) && dsts.len() != count {
            let why = "machine code of `.x8` loads one matrix, and what other registers hold is open";
            return cx.unsupported(why);
        }
        expect_registers(cx, dsts.len(), count as u32)?;
        let (address, addressing) = self.matrix_address(cx, 1)?;
        let kind = CollectiveKind::LoadMatrix(tiles);
        emit(cx, kind, Participants::Warp, vec![address], dsts, addressing);
        Ok(())
    }

    /// `stmatrix`.
    fn store_matrices(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let tiles = tiles(cx)?;
        let (address, addressing) = self.matrix_address(cx, 0)?;
        let mut registers = self.vector_srcs(cx, 1)?;
        if cx.m.has(Mod::X8) {
            // Machine code only stores the first one.
            registers.truncate(tiles.registers());
        }
        expect_registers(cx, registers.len(), (tiles.count * tiles.registers()) as u32)?;
        let mut srcs = vec![address];
        srcs.extend(registers);
        let kind = CollectiveKind::StoreMatrix(tiles);
        emit(cx, kind, Participants::Warp, srcs, Vec::new(), addressing);
        Ok(())
    }

    /// The addresses of a matrix instruction as a row, and their space. The offset is folded into the row, so that
    /// instructions in two places match only if they access the same memory.
    pub(super) fn matrix_address(&mut self, cx: &mut Context<'_>, at: usize) -> Decoded<(Src, (Space, i64))> {
        let space = self.space(cx)?;
        let Address { space, base, offset } = self.address(cx, at, space)?;
        let Base::Row(row, width) = base else {
            return finding(codes::OPERAND, cx.span(at), "matrices do not lie in the memory of one thread");
        };
        if offset == 0 {
            return Ok((row, (space, 0)));
        }
        let mask = match width {
            AddressWidth::Bits32 => 0xffff_ffff,
            AddressWidth::Bits64 => u64::MAX,
        };
        let d = self.temporary();
        cx.prepare(unary(Unary::AddConstant { addend: offset as u64, mask }, d, row));
        Ok((Src::register(d), (space, 0)))
    }

    pub(super) fn vector_dsts(&self, cx: &Context<'_>, at: usize) -> Decoded<Vec<Dst>> {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        self.elements(operand).into_iter().map(|element| self.dst_of(element, cx.span(at))).collect()
    }

    pub(super) fn vector_srcs(&mut self, cx: &mut Context<'_>, at: usize) -> Decoded<Vec<Src>> {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        let ty = cx.m.operand_type(at).unwrap_or(ScalarType::B32);
        let mut srcs = Vec::new();
        for element in self.elements(operand) {
            srcs.push(self.src_of(cx, element, ty, cx.span(at))?);
        }
        Ok(srcs)
    }

    /// `mma`, `wmma.mma`.
    fn multiply(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let product = product(cx)?;
        let [a, b, c, d] = product.registers();
        let dsts = self.vector_dsts(cx, 0)?;
        expect_registers(cx, dsts.len(), d)?;
        let mut srcs = Vec::new();
        for (at, expected) in (1..).zip([a, b, c]) {
            let part = self.vector_srcs(cx, at)?;
            expect_registers(cx, part.len(), expected)?;
            srcs.extend(part);
        }
        if product.sparse.is_some() {
            let (at, _) = cx.operand(OperandKey::E)?;
            let metadata = self.vector_srcs(cx, at)?;
            expect_registers(cx, metadata.len(), 1)?;
            srcs.extend(metadata);
        }
        if product.scales.is_some() {
            for (key, expected) in [
                (OperandKey::ScaleAData, 1),
                (OperandKey::ScaleAIds, 2),
                (OperandKey::ScaleBData, 1),
                (OperandKey::ScaleBIds, 2),
            ] {
                let (at, _) = cx.operand(key)?;
                let part = self.vector_srcs(cx, at)?;
                expect_registers(cx, part.len(), expected)?;
                srcs.extend(part);
            }
        }
        emit(cx, CollectiveKind::Multiply(product), Participants::Warp, srcs, dsts, NOWHERE);
        Ok(())
    }

    /// The fragment that is moved, and the sources that determine its address.
    fn moved(&mut self, cx: &mut Context<'_>) -> Decoded<(Fragment, Vec<Src>, (Space, i64))> {
        let (operand, field) =
            [(Mod::A, MatrixOperand::A, Field::AType), (Mod::B, MatrixOperand::B, Field::BType)]
                .into_iter()
                .find(|(modifier, ..)| cx.m.has(*modifier))
                .map_or(
                    (MatrixOperand::Sum, if cx.m.has(Mod::C) { Field::CType } else { Field::DType }),
                    |(_, operand, field)| (operand, field),
                );
        let factor = Factor { element: element(cx, field)?, major: major(cx, Field::ALayout)? };
        let fragment = Fragment { size: size(cx)?, operand, factor };
        let (at, _) = cx.operand(OperandKey::P)?;
        let (address, addressing) = self.matrix_address(cx, at)?;
        let stride = match cx.given(OperandKey::Stride) {
            Some((at, _)) => self.src(cx, at)?,
            None => cx.constants.of(fragment.leading().0.into()),
        };
        Ok((fragment, vec![address, stride], addressing))
    }

    /// `wmma.load`.
    fn load_fragment(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (fragment, srcs, addressing) = self.moved(cx)?;
        let (at, _) = cx.operand(OperandKey::R)?;
        let dsts = self.vector_dsts(cx, at)?;
        expect_registers(cx, dsts.len(), fragment.registers())?;
        emit(cx, CollectiveKind::LoadFragment(fragment), Participants::Warp, srcs, dsts, addressing);
        Ok(())
    }

    /// `wmma.store`.
    fn store_fragment(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (fragment, mut srcs, addressing) = self.moved(cx)?;
        let (at, _) = cx.operand(OperandKey::R)?;
        let registers = self.vector_srcs(cx, at)?;
        expect_registers(cx, registers.len(), fragment.registers())?;
        srcs.extend(registers);
        emit(cx, CollectiveKind::StoreFragment(fragment), Participants::Warp, srcs, Vec::new(), addressing);
        Ok(())
    }
}

pub(super) fn expect_registers(cx: &Context<'_>, count: usize, expected: u32) -> Decoded<()> {
    if count == expected as usize {
        return Ok(());
    }
    finding(codes::OPERAND, cx.inst.at.0, "the vectors do not have the lengths of the matrices")
}
