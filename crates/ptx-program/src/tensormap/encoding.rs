//! The 128-byte encoding of a tensor map.
//!
//! | bytes | what, little-endian |
//! |---|---|
//! | 0..8 | a magic number |
//! | 8..12 | a checksum of the bytes that follow, except for bit 21, which is zero |
//! | 12 | the mode: 0 tiled, 1 `.im2col`, 2 `.im2col::w`, 3 `.im2col::w::128` |
//! | 13 | the element type, numbered as for `tensormap.replace`, and likewise the next ones |
//! | 14 | rank minus one |
//! | 15, 16, 17, 18 | interleave, swizzle mode, swizzle atomicity, fill of out-of-bounds elements |
//! | 19 | L2 promotion |
//! | 20..24 | channels per pixel, pixels per column: 16 bits each |
//! | 24..32 | the address |
//! | 32..72 | sizes: five of 64 bits |
//! | 72..104 | strides in bytes: four of 64 bits |
//! | 104..116 | the box: five 16-bit sizes; for pixels the lower and then the upper corner, three of 16 bits each |
//! | 116..121 | element strides, one byte each |
//! | 121..128 | zeros |
//!
//! 128 zero bytes are the initial state for a program that builds a map with `tensormap.replace` alone: a tiled map with no field set.

use super::{
    BYTES, BoundingBox, ElementType, Interleave, MOST_DIMENSIONS, OutOfBounds, Pixels, Promotion, TensorMap,
    TensorMapError, WideMode,
};

const MARK: [u8; 8] = *b"ptx-tmap";
/// Start of the fields covered by the checksum.
const FIELDS: usize = 12;

/// A field of a map that `tensormap.replace` modifies (manual 9.7.9.28); numbers in it are dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Field {
    /// `.global_address`
    Address,
    /// `.rank`
    Rank,
    /// `.box_dim`
    BoxDim(usize),
    /// `.global_dim`
    GlobalDim(usize),
    /// `.global_stride`
    GlobalStride(usize),
    /// `.element_stride`
    ElementStride(usize),
    /// `.elemtype`
    ElementType,
    /// `.interleave_layout`
    Interleave,
    /// `.swizzle_mode`
    SwizzleMode,
    /// `.swizzle_atomicity`
    SwizzleAtomicity,
    /// `.fill_mode`
    Fill,
}

/// Bit 21 of the second 64-bit word of a map, which programs clear in maps of CUDA's driver up to version 13.1, as Triton does.
const CLEARED: u32 = 1 << 21;

/// Fowler–Noll–Vo hash, without a bit.
fn checksum(bytes: &[u8]) -> u32 {
    let add = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, add) & !CLEARED
}

/// A sequential reader of bytes.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((first, rest)) = self.0.split_first_chunk() else {
            debug_assert!(false, "{N} bytes of {}", self.0.len());
            return [0; N];
        };
        self.0 = rest;
        *first
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

fn broken<T>(what: &str) -> Result<T, TensorMapError> {
    Err(TensorMapError(format!("these 128 bytes are not a tensor map: {what}")))
}

impl TensorMap {
    /// The 128 bytes passed to a kernel.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let (kind, channels, pixels) = match &self.bounding_box {
            BoundingBox::Tile(_) => (0, 0, 0),
            BoundingBox::Pixels(Pixels { wide: None, channels, pixels, .. }) => (1, *channels, *pixels),
            BoundingBox::Pixels(Pixels { wide: Some(WideMode::W), channels, pixels, .. }) => {
                (2, *channels, *pixels)
            }
            BoundingBox::Pixels(Pixels { wide: Some(WideMode::W128), channels, pixels, .. }) => {
                (3, *channels, *pixels)
            }
        };
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend(MARK);
        bytes.extend([0; 4]);
        bytes.extend([kind, self.element as u8, self.rank as u8 - 1, self.interleave as u8]);
        bytes.extend([self.swizzle.0, self.swizzle.1, self.out_of_bounds as u8, self.promotion as u8]);
        bytes.extend([channels, pixels].into_iter().flat_map(|count| (count as u16).to_le_bytes()));
        bytes.extend(self.address.to_le_bytes());
        bytes.extend(self.dims.iter().flat_map(|size| size.to_le_bytes()));
        bytes.extend(self.strides.iter().flat_map(|stride| stride.to_le_bytes()));
        match &self.bounding_box {
            BoundingBox::Tile(sizes) => {
                bytes.extend(sizes.iter().flat_map(|&size| (size as u16).to_le_bytes()));
                bytes.extend([0; 2]);
            }
            BoundingBox::Pixels(pixels) => {
                let corners = pixels.lower.iter().chain(&pixels.upper);
                bytes.extend(corners.flat_map(|corner| corner.to_le_bytes()));
            }
        }
        bytes.extend(self.element_strides.iter().map(|&stride| stride as u8));
        bytes.resize(BYTES, 0);
        let mut whole = [0; BYTES];
        whole.copy_from_slice(&bytes);
        let sum = checksum(&whole[FIELDS..]);
        whole[8..FIELDS].copy_from_slice(&sum.to_le_bytes());
        whole
    }

    /// Decodes 128 bytes. The map may violate rules ([`TensorMap::check`]): a program may be about to change it.
    ///
    /// # Errors
    /// If they are not the result of [`TensorMap::to_bytes`] or `tensormap.replace`.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Result<Self, TensorMapError> {
        let mut reader = Reader(bytes);
        if reader.take() != MARK {
            return broken("expected what `ptx_exec::TensorMap` encodes");
        }
        if u32::from_le_bytes(reader.take()) != checksum(&bytes[FIELDS..]) {
            return broken("the checksum does not match; only `tensormap.replace` changes a map");
        }
        let kind = reader.u8();
        let Some(&element) = ElementType::ALL.get(usize::from(reader.u8())) else {
            return broken("the type of elements is unknown");
        };
        let rank = usize::from(reader.u8()) + 1;
        let Some(interleave) = interleave(reader.u8()) else { return broken("the interleave is unknown") };
        let swizzle = (reader.u8(), reader.u8());
        let Some(out_of_bounds) = fill(reader.u8()) else { return broken("the fill mode is unknown") };
        let promotion = match reader.u8() {
            0 => Promotion::None,
            1 => Promotion::Bytes64,
            2 => Promotion::Bytes128,
            3 => Promotion::Bytes256,
            _ => return broken("the promotion is unknown"),
        };
        let [channels, pixels] = [reader.u16(), reader.u16()].map(u32::from);
        let address = reader.u64();
        let dims = std::array::from_fn(|_| reader.u64());
        let strides = std::array::from_fn(|_| reader.u64());
        let words: [u16; 6] = std::array::from_fn(|_| reader.u16());
        let [a, b, c, d, e, f] = words;
        let corners = |wide| {
            let (lower, upper) = ([a, b, c].map(|word| word as i16), [d, e, f].map(|word| word as i16));
            BoundingBox::Pixels(Pixels { lower, upper, channels, pixels, wide })
        };
        let bounding_box = match kind {
            0 => BoundingBox::Tile([a, b, c, d, e].map(u32::from)),
            1 => corners(None),
            2 => corners(Some(WideMode::W)),
            3 => corners(Some(WideMode::W128)),
            _ => return broken("the way it is read is unknown"),
        };
        let element_strides = std::array::from_fn(|_| reader.u8().into());
        if rank > MOST_DIMENSIONS {
            return broken("it has more than 5 dimensions");
        }
        Ok(Self {
            element,
            rank,
            address,
            dims,
            strides,
            element_strides,
            interleave,
            swizzle,
            promotion,
            out_of_bounds,
            bounding_box,
        })
    }

    /// The input of `tensormap.replace`: a map, or zeros, which become an empty one.
    pub fn for_replacement(bytes: &[u8; BYTES]) -> Result<Self, TensorMapError> {
        if bytes.iter().any(|&byte| byte != 0) {
            return Self::from_bytes(bytes);
        }
        Ok(Self {
            element: ElementType::U8,
            rank: 1,
            address: 0,
            dims: [0; MOST_DIMENSIONS],
            strides: [0; MOST_DIMENSIONS - 1],
            element_strides: [0; MOST_DIMENSIONS],
            interleave: Interleave::None,
            swizzle: (0, 0),
            promotion: Promotion::None,
            out_of_bounds: OutOfBounds::Zeros,
            bounding_box: BoundingBox::Tile([0; MOST_DIMENSIONS]),
        })
    }

    /// Replaces a field.
    ///
    /// # Errors
    /// Values that do not fit in the field.
    pub fn replace(&mut self, field: Field, value: u64) -> Result<(), TensorMapError> {
        let BoundingBox::Tile(sizes) = &mut self.bounding_box else {
            return Err(TensorMapError(
                "`.tile` changes maps of boxes, and this one is of pixels".to_owned(),
            ));
        };
        let out_of_range = || TensorMapError(format!("{value} is not a value of the field {field:?}"));
        let number = u8::try_from(value).map_err(|_| out_of_range());
        match field {
            Field::Address => self.address = value,
            Field::Rank => {
                let rank = usize::from(number?) + 1;
                self.rank = if rank <= MOST_DIMENSIONS { rank } else { return Err(out_of_range()) };
            }
            Field::BoxDim(at) => {
                let size = u16::try_from(value).map_err(|_| out_of_range())?;
                *sizes.get_mut(at).ok_or_else(out_of_range)? = size.into();
            }
            Field::GlobalDim(at) => *self.dims.get_mut(at).ok_or_else(out_of_range)? = value,
            Field::GlobalStride(at) => *self.strides.get_mut(at).ok_or_else(out_of_range)? = value,
            Field::ElementStride(at) => {
                *self.element_strides.get_mut(at).ok_or_else(out_of_range)? = number?.into();
            }
            Field::ElementType => {
                let found = ElementType::ALL.get(usize::from(number?));
                self.element = *found.ok_or_else(out_of_range)?;
            }
            Field::Interleave => self.interleave = interleave(number?).ok_or_else(out_of_range)?,
            Field::SwizzleMode => self.swizzle.0 = number?,
            Field::SwizzleAtomicity => self.swizzle.1 = number?,
            Field::Fill => self.out_of_bounds = fill(number?).ok_or_else(out_of_range)?,
        }
        Ok(())
    }
}

fn interleave(number: u8) -> Option<Interleave> {
    [Interleave::None, Interleave::Bytes16, Interleave::Bytes32].into_iter().find(|&one| one as u8 == number)
}

fn fill(number: u8) -> Option<OutOfBounds> {
    [OutOfBounds::Zeros, OutOfBounds::Nan].into_iter().find(|&one| one as u8 == number)
}
