//! Textures, samplers and surfaces (manual 9.7.10, 9.7.11).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey, ScalarType, TextureSem};

use super::context::{Context, Decode};
use super::modifiers::{CACHING, Modifiers, NO_CACHES};
use super::operand::{dst_operand, handle, src_given, src_of, src_operand};
use super::output::{Decoded, finding};
use crate::codes;
use crate::program::{
    Beyond, Combine, Coordinates, Dst, Effect, Fetch, Geometry, LevelOf, Opaque, Property, Src,
    SurfaceAccess, SurfaceAction, Texels, TextureQuery, Texturing,
};
use crate::scalar::int::{Int, Signedness};

/// The bracketed operand of a fetch or access.
struct At {
    object: Src,
    /// A second object.
    sampler: Option<Src>,
    layer: Option<Src>,
    sample: Option<Src>,
    coordinates: Box<[Src]>,
}

fn geometry(m: &Modifiers) -> Option<Geometry> {
    let ptx_isa::Geometry { axes, is_array, is_cube, has_samples } = m.get(Field::Geometry)?.geometry()?;
    let count = axes as usize;
    let axes = Geometry::Axes { count, is_array, has_samples };
    Some(if is_cube { Geometry::Cube { is_array } } else { axes })
}

fn beyond(m: &Modifiers) -> Option<Beyond> {
    match m.get(Field::Clamp)? {
        Mod::Trap => Some(Beyond::Trap),
        Mod::Clamp => Some(Beyond::Clamp),
        Mod::Zero => Some(Beyond::Zero),
        _ => None,
    }
}

/// The decoder of an operation on textures, samplers or surfaces.
pub(super) fn texture_decoder(sem: TextureSem) -> Decode {
    use TextureSem as S;
    match sem {
        S::Tex | S::Tld4 => fetch,
        S::Txq | S::SurfaceQuery => texture_query,
        S::Istypep => is_type,
        S::SurfaceLoad => |cx| surface(cx, surface_load),
        S::SurfaceStore => |cx| surface(cx, surface_store),
        S::SurfaceReduce => |cx| surface(cx, surface_reduce),
    }
}

/// Decodes what is done with the values of a surface, of a type, in units of texels or of bytes.
type Action = fn(&mut Context<'_>, ScalarType, bool) -> Decoded<SurfaceAction>;

fn emit(cx: &mut Context<'_>, texturing: Texturing) -> Decoded<()> {
    cx.emit(Effect::Texturing(Box::new(texturing)));
    Ok(())
}

/// `[object, {coordinates}]`, `[object, sampler, {coordinates}]`
fn at(cx: &mut Context<'_>, geometry: Geometry, ty: ScalarType) -> Decoded<At> {
    let (place, operand) = cx.operand(OperandKey::At)?;
    let parts = match operand {
        Operand::Bracket(list) => cx.scope.body.list(list).to_vec(),
        _ => Vec::new(),
    };
    let (object, sampler, coordinates) = match *parts.as_slice() {
        [object, coordinates] => (object, None, coordinates),
        [object, sampler, coordinates] => (object, Some(sampler), coordinates),
        _ => {
            return finding(codes::OPERAND, cx.span(place), "expected an object and coordinates in brackets");
        }
    };
    let object = handle(cx, object, place)?;
    // In the unified mode a texture includes its sampler, and `ptxas` ignores any other that is given.
    let sampler = match sampler {
        Some(sampler) if cx.scope.layout.references.independent => Some(handle(cx, sampler, place)?),
        _ => None,
    };
    let mut elements = cx.scope.elements(coordinates).into_iter();
    let mut next = |cx: &mut Context<'_>, ty| {
        let element = elements.next().unwrap_or(Operand::Omitted);
        src_of(cx, element, ty, cx.span(place))
    };
    let (axes, is_array, has_samples) = match geometry {
        Geometry::Axes { count, is_array, has_samples } => (count, is_array, has_samples),
        Geometry::Cube { is_array } => (3, is_array, false),
    };
    let layer = if is_array { Some(next(cx, ScalarType::U32)?) } else { None };
    let sample = if has_samples { Some(next(cx, ScalarType::U32)?) } else { None };
    let coordinates = (0..axes).map(|_| next(cx, ty)).collect::<Decoded<_>>()?;
    Ok(At { object, sampler, layer, sample, coordinates })
}

/// The values of a vector operand.
fn values(cx: &mut Context<'_>, key: OperandKey, ty: ScalarType) -> Decoded<Box<[Src]>> {
    let (at, operand) = cx.operand(key)?;
    let elements = cx.scope.elements(operand);
    elements.into_iter().map(|element| src_of(cx, element, ty, cx.span(at))).collect()
}

fn destinations(cx: &Context<'_>) -> Decoded<Box<[Dst]>> {
    let (at, operand) = cx.operand(OperandKey::D)?;
    cx.scope.elements(operand).into_iter().map(|element| cx.scope.dst_of(element, cx.span(at))).collect()
}

/// `tex`, `tld4`.
fn fetch(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(geometry) = geometry(&cx.m) else { return cx.unsupported("it has no geometry") };
    // `ptxas` generates the same instruction for gradient fetches with `.s32` and with `.f32`, which interprets the
    // bits of the coordinates as single precision.
    let is_gradient = cx.m.has(Mod::Grad);
    let ty = match cx.m.type_of(Field::CType) {
        Some(ty @ (ScalarType::S32 | ScalarType::F32)) => ty,
        _ => return cx.unsupported("its coordinates have no such type"),
    };
    let is_whole = ty == ScalarType::S32 && !is_gradient;
    let At { object: texture, sampler, layer, sample, coordinates } = at(cx, geometry, ty)?;
    let level = if is_gradient {
        let dx = values(cx, OperandKey::DPdx, ScalarType::F32)?;
        LevelOf::Gradient { dx, dy: values(cx, OperandKey::DPdy, ScalarType::F32)? }
    } else if cx.m.has(Mod::Level) {
        LevelOf::Given(src_operand(cx, OperandKey::Lod)?)
    } else {
        // Omitting `.base` has the same meaning.
        match cx.m.get(Field::Mipmap) {
            None | Some(Mod::Base) => LevelOf::Base,
            Some(_) => return cx.unsupported("its choice of levels is not supported"),
        }
    };
    let gather = match cx.m.get(Field::Component) {
        None => None,
        Some(Mod::R) => Some(0),
        Some(Mod::G) => Some(1),
        Some(Mod::B) => Some(2),
        Some(Mod::A) => Some(3),
        Some(_) => return cx.unsupported("its component is not supported"),
    };
    let texels = match cx.m.get(Field::DType) {
        Some(Mod::U32 | Mod::S32 | Mod::F32) => Texels::Words,
        Some(Mod::F16) => Texels::Halves,
        Some(Mod::F16x2) => Texels::HalfPairs,
        _ => return cx.unsupported("its results have no such type"),
    };
    // The type also implies the number of registers.
    cx.m.ignore_words(&[Mod::V2, Mod::V4], "the type of the results specifies it too");
    let resident = match cx.given(OperandKey::P) {
        Some((at, operand)) => Some(cx.scope.dst_of(operand, cx.span(at))?),
        None => None,
    };
    let fetch = Fetch {
        texture,
        sampler,
        geometry,
        layer,
        sample,
        at: if is_whole { Coordinates::Whole(coordinates) } else { Coordinates::Point(coordinates) },
        level,
        offsets: match cx.given(OperandKey::E) {
            Some(_) => values(cx, OperandKey::E, ScalarType::S32)?,
            None => Box::default(),
        },
        depth: src_given(cx, OperandKey::F)?,
        gather,
        texels,
        dsts: destinations(cx)?,
        resident,
    };
    emit(cx, Texturing::Fetch(fetch))
}

/// `txq`, `suq`.
fn texture_query(cx: &mut Context<'_>) -> Decoded<()> {
    let query = cx.m.get(Field::Query).and_then(Property::of);
    let Some(property) = query else { return cx.unsupported("its query is not supported") };
    let dst = dst_operand(cx, OperandKey::D)?;
    let (at, operand) = cx.operand(OperandKey::A)?;
    let handle = handle(cx, operand, at)?;
    let level = if cx.m.has(Mod::Level) { Some(src_operand(cx, OperandKey::Lod)?) } else { None };
    emit(cx, Texturing::Query(TextureQuery { handle, property, level, dst }))
}

/// `istypep`.
fn is_type(cx: &mut Context<'_>) -> Decoded<()> {
    let opaque = match cx.m.get(Field::Type) {
        Some(Mod::Texref) => Opaque::Texture,
        Some(Mod::Samplerref) => Opaque::Sampler,
        Some(Mod::Surfref) => Opaque::Surface,
        _ => return cx.unsupported("its type is not supported"),
    };
    let dst = dst_operand(cx, OperandKey::P)?;
    let handle = src_operand(cx, OperandKey::A)?;
    emit(cx, Texturing::IsType { handle, opaque, dst })
}

/// `suld`, `sust`, `sured`.
fn surface(cx: &mut Context<'_>, action: Action) -> Decoded<()> {
    let (Some(geometry), Some(beyond)) = (geometry(&cx.m), beyond(&cx.m)) else {
        return cx.unsupported("it has no geometry, or nothing to do beyond the edge");
    };
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    cx.m.ignore(CACHING, NO_CACHES);
    let At { object, layer, coordinates, .. } = at(cx, geometry, ScalarType::S32)?;
    let by_texels = cx.m.has(Mod::P) || !cx.m.has(Mod::B);
    match cx.m.get(Field::Vec) {
        // The number of registers is that of the operand.
        None | Some(Mod::V2 | Mod::V4) => {}
        Some(_) => return cx.unsupported("a texel has at most four channels"),
    }
    let action = action(cx, ty, by_texels)?;
    let at = coordinates;
    emit(cx, Texturing::Surface(SurfaceAccess { surface: object, geometry, layer, at, beyond, action }))
}

fn surface_load(cx: &mut Context<'_>, ty: ScalarType, _: bool) -> Decoded<SurfaceAction> {
    Ok(SurfaceAction::Load { size: ty.bytes(), dsts: destinations(cx)? })
}

fn surface_store(cx: &mut Context<'_>, ty: ScalarType, by_texels: bool) -> Decoded<SurfaceAction> {
    let srcs = values(cx, OperandKey::C, ty)?;
    Ok(if by_texels {
        SurfaceAction::StoreTexel { srcs }
    } else {
        SurfaceAction::Store { size: ty.bytes(), srcs }
    })
}

fn surface_reduce(cx: &mut Context<'_>, ty: ScalarType, by_texels: bool) -> Decoded<SurfaceAction> {
    let Some(op) = cx.m.get(Field::Op) else { return cx.unsupported("it has no operation") };
    let combine = |sign| {
        let int = Int::new(ty.bits(), sign)?;
        match op {
            Mod::Add => Some(Combine::IntAdd(int)),
            Mod::Min => Some(Combine::IntMin(int)),
            Mod::Max => Some(Combine::IntMax(int)),
            Mod::And => Some(Combine::And),
            Mod::Or => Some(Combine::Or),
            _ => None,
        }
    };
    let (Some(unsigned), Some(signed)) = (combine(Signedness::Unsigned), combine(Signedness::Signed)) else {
        return cx.unsupported("its operation is not supported");
    };
    let src = src_operand(cx, OperandKey::C)?;
    let size = ty.bytes();
    Ok(if by_texels {
        SurfaceAction::ReduceTexel { size, unsigned, signed, src }
    } else {
        let combine = if ty.is_signed() { signed } else { unsigned };
        SurfaceAction::Reduce { size, combine, src }
    })
}
