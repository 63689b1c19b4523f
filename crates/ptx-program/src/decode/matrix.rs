//! Matrix instructions (manual 9.7.14).

use ptx_isa::{Field, MatrixSem, Mod, OperandKey, Sem};

use super::arithmetic::rounding;
use super::collective::emit;
use super::context::{Context, Decode};
use super::fragments::{NOWHERE, element, expect_registers, matrix_address, size, sparse};
use super::operand::{dst, src, vector_dsts, vector_srcs};
use super::output::Decoded;
use super::tcgen05::{tensor_memory, tensor_multiply};
use super::wgmma::{groups_left, warpgroup, warpgroup_product};
use crate::memory::Space;
use crate::program::{
    Cell, CollectiveKind, Element, Factor, Fragment, Held, Join, Major, MatrixOperand, Overflow,
    Participants, Product, Scales, Size, Spread, Src, Tiles, WarpgroupAction,
};
use crate::scalar::narrow::Narrow;

/// Why the type of moved matrices is not queried.
const SHAPED: &str = "each shape has elements of one size";

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

/// The decoder of matrix products and matrix moves.
pub(super) fn matrix_decoder(sem: MatrixSem) -> Decode {
    use MatrixSem as S;
    match sem {
        S::Mma | S::MmaSparse | S::MmaScaled | S::Wmma => multiply,
        S::WmmaLoad => load_fragment,
        S::WmmaStore => store_fragment,
        S::Ldmatrix => load_matrices,
        S::Stmatrix => store_matrices,
        S::Movmatrix => transpose,
        S::Wgmma | S::WgmmaSparse => |cx| {
            let product = warpgroup_product(cx)?;
            warpgroup(cx, WarpgroupAction::Multiply(product))
        },
        S::WgmmaFence => |cx| warpgroup(cx, WarpgroupAction::Fence),
        S::WgmmaCommit => |cx| warpgroup(cx, WarpgroupAction::Commit),
        S::WgmmaWait => |cx| {
            let most = groups_left(cx)?;
            warpgroup(cx, WarpgroupAction::Wait(most))
        },
        S::TensorMemory => tensor_memory,
        S::Tcgen05Mma => tensor_multiply,
    }
}

/// `movmatrix`.
fn transpose(cx: &mut Context<'_>) -> Decoded<()> {
    if cx.m.get(Field::Shape) != Some(Mod::M8n8) {
        return cx.unsupported("its shape is not supported");
    }
    cx.m.ignore(&[Field::Type], SHAPED);
    cx.m.ignore_words(&[Mod::Trans], "there is no other way of moving it");
    let (d, a) = (dst(cx, 0)?, src(cx, 1)?);
    emit(cx, CollectiveKind::TransposeMatrix, Participants::Warp, vec![a], vec![d], NOWHERE);
    Ok(())
}

/// `ldmatrix`.
fn load_matrices(cx: &mut Context<'_>) -> Decoded<()> {
    let tiles = tiles(cx)?;
    let dsts = vector_dsts(cx, 0)?;
    let count = tiles.count * tiles.registers();
    if cx.m.has(Mod::X8) && dsts.len() != count {
        let why = "machine code of `.x8` loads one matrix, and what other registers hold is open";
        return cx.unsupported(why);
    }
    expect_registers(cx, dsts.len(), count as u32)?;
    let (address, addressing) = matrix_address(cx, 1)?;
    let kind = CollectiveKind::LoadMatrix(tiles);
    emit(cx, kind, Participants::Warp, vec![address], dsts, addressing);
    Ok(())
}

/// `stmatrix`.
fn store_matrices(cx: &mut Context<'_>) -> Decoded<()> {
    let tiles = tiles(cx)?;
    let (address, addressing) = matrix_address(cx, 0)?;
    let mut registers = vector_srcs(cx, 1)?;
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

/// `mma`, `wmma.mma`.
fn multiply(cx: &mut Context<'_>) -> Decoded<()> {
    let product = product(cx)?;
    let [a, b, c, d] = product.registers();
    let dsts = vector_dsts(cx, 0)?;
    expect_registers(cx, dsts.len(), d)?;
    let mut srcs = Vec::new();
    for (at, expected) in (1..).zip([a, b, c]) {
        let part = vector_srcs(cx, at)?;
        expect_registers(cx, part.len(), expected)?;
        srcs.extend(part);
    }
    if product.sparse.is_some() {
        let (at, _) = cx.operand(OperandKey::E)?;
        let metadata = vector_srcs(cx, at)?;
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
            let part = vector_srcs(cx, at)?;
            expect_registers(cx, part.len(), expected)?;
            srcs.extend(part);
        }
    }
    emit(cx, CollectiveKind::Multiply(product), Participants::Warp, srcs, dsts, NOWHERE);
    Ok(())
}

/// The fragment that is moved, and the sources that determine its address.
fn moved(cx: &mut Context<'_>) -> Decoded<(Fragment, Vec<Src>, (Space, i64))> {
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
    let (address, addressing) = matrix_address(cx, at)?;
    let stride = match cx.given(OperandKey::Stride) {
        Some((at, _)) => src(cx, at)?,
        None => cx.constants.of(fragment.leading().0.into()),
    };
    Ok((fragment, vec![address, stride], addressing))
}

/// `wmma.load`.
fn load_fragment(cx: &mut Context<'_>) -> Decoded<()> {
    let (fragment, srcs, addressing) = moved(cx)?;
    let (at, _) = cx.operand(OperandKey::R)?;
    let dsts = vector_dsts(cx, at)?;
    expect_registers(cx, dsts.len(), fragment.registers())?;
    emit(cx, CollectiveKind::LoadFragment(fragment), Participants::Warp, srcs, dsts, addressing);
    Ok(())
}

/// `wmma.store`.
fn store_fragment(cx: &mut Context<'_>) -> Decoded<()> {
    let (fragment, mut srcs, addressing) = moved(cx)?;
    let (at, _) = cx.operand(OperandKey::R)?;
    let registers = vector_srcs(cx, at)?;
    expect_registers(cx, registers.len(), fragment.registers())?;
    srcs.extend(registers);
    emit(cx, CollectiveKind::StoreFragment(fragment), Participants::Warp, srcs, Vec::new(), addressing);
    Ok(())
}
