//! Validity rules of tensor maps: those of the CUDA driver for encoding them, and those of the manual for their types (9.7.9.25.5.1).

use super::{
    BoundingBox, ElementType, Interleave, MOST_DIMENSIONS, OutOfBounds, Pixels, Swizzle, TensorMap,
    TensorMapError, WideMode,
};

/// Limits of the fields.
const LARGEST_DIMENSION: u64 = 1 << 32;
const STRIDE_LIMIT: u64 = 1 << 40;
const LARGEST_BOX: u32 = 256;
const LARGEST_ELEMENT_STRIDE: u32 = 8;
const MOST_CHANNELS: u32 = 256;
const MOST_PIXELS: u32 = 1024;
/// Elements per row of a box whose type is padded in shared memory.
const PADDED_ROW: u64 = 128;

fn error<T>(text: String) -> Result<T, TensorMapError> {
    Err(TensorMapError(text))
}

fn ensure(holds: bool, text: impl FnOnce() -> String) -> Result<(), TensorMapError> {
    if holds { Ok(()) } else { error(text()) }
}

impl TensorMap {
    /// Checks whether a tensor copy can use it.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check(&self) -> Result<(), TensorMapError> {
        let interleaved = self.interleave != Interleave::None;
        let pixels = matches!(self.bounding_box, BoundingBox::Pixels(_));
        let least = if interleaved || pixels { 3 } else { 1 };
        ensure((least..=MOST_DIMENSIONS).contains(&self.rank), || {
            format!("expected {least} to {MOST_DIMENSIONS} dimensions, found {}", self.rank)
        })?;
        self.check_place()?;
        self.check_steps()?;
        self.check_types()?;
        match &self.bounding_box {
            BoundingBox::Tile(sizes) => self.check_box(sizes)?,
            BoundingBox::Pixels(pixels) => self.check_pixels(pixels)?,
        }
        self.check_swizzle()
    }

    /// Checks address and strides.
    fn check_place(&self) -> Result<(), TensorMapError> {
        let wide = self.interleave == Interleave::Bytes32 || self.element.is_padded();
        let unit = if wide { 32 } else { 16 };
        ensure(self.address.is_multiple_of(unit), || {
            format!("the address {:#x} of the tensor is not a multiple of {unit}", self.address)
        })?;
        for (dimension, &stride) in self.strides.iter().take(self.rank - 1).enumerate() {
            let at = dimension + 1;
            ensure(stride.is_multiple_of(unit) && stride < STRIDE_LIMIT, || {
                format!("the stride {stride} of dimension {at} is not a multiple of {unit} below 2^40")
            })?;
        }
        Ok(())
    }

    /// Checks sizes and element strides.
    fn check_steps(&self) -> Result<(), TensorMapError> {
        for (dimension, &size) in self.dims.iter().take(self.rank).enumerate() {
            ensure((1..=LARGEST_DIMENSION).contains(&size), || {
                format!("the size {size} of dimension {dimension} is not between 1 and 2^32")
            })?;
        }
        for (dimension, &stride) in self.element_strides.iter().take(self.rank).enumerate() {
            ensure((1..=LARGEST_ELEMENT_STRIDE).contains(&stride), || {
                format!("the element stride {stride} of dimension {dimension} is not between 1 and 8")
            })?;
        }
        Ok(())
    }

    /// Checks type-specific requirements.
    fn check_types(&self) -> Result<(), TensorMapError> {
        let element = self.element;
        let multiple = match element {
            ElementType::B4x16 => 2,
            _ if element.is_padded() => PADDED_ROW,
            _ => 1,
        };
        let size = self.dims[0];
        ensure(size.is_multiple_of(multiple), || {
            format!("the size {size} of dimension 0 is not a multiple of {multiple}, as {element:?} has it")
        })?;
        ensure(!element.is_packed() || self.interleave == Interleave::None, || {
            format!("elements of type {element:?} are not interleaved")
        })?;
        ensure(self.out_of_bounds == OutOfBounds::Zeros || element.is_float(), || {
            format!("there is no NaN of type {element:?} to fill with")
        })
    }

    fn check_box(&self, sizes: &[u32; MOST_DIMENSIONS]) -> Result<(), TensorMapError> {
        for (dimension, &size) in sizes.iter().take(self.rank).enumerate() {
            ensure((1..=LARGEST_BOX).contains(&size), || {
                format!("the size {size} of the box along dimension {dimension} is not between 1 and 256")
            })?;
        }
        self.check_row(sizes[0].into())
    }

    /// Checks the length of a row in shared memory.
    fn check_row(&self, elements: u64) -> Result<(), TensorMapError> {
        ensure(!self.element.is_padded() || elements == PADDED_ROW, || {
            format!("a row of {elements} elements of type {:?}; expected {PADDED_ROW}", self.element)
        })?;
        let bits = elements * self.element.bits();
        ensure(self.interleave != Interleave::None || bits.is_multiple_of(128), || {
            format!(
                "a row of {elements} elements of {} bits is not a multiple of 16 bytes",
                self.element.bits()
            )
        })
    }

    fn check_pixels(&self, pixels: &Pixels) -> Result<(), TensorMapError> {
        let spatial = if pixels.wide.is_some() { 1 } else { self.rank - 2 };
        let bits: u32 = match (pixels.wide, self.rank) {
            (Some(_), _) | (None, 3) => 16,
            (None, 4) => 8,
            (None, _) => 5,
        };
        let limit = 1 << (bits - 1);
        for (dimension, (&lower, &upper)) in pixels.lower.iter().zip(&pixels.upper).take(spatial).enumerate()
        {
            let fits = |corner: i16| (-limit..limit).contains(&i32::from(corner));
            ensure(fits(lower) && fits(upper), || {
                format!("the corners {lower} and {upper} of the pixels have more than {bits} bits")
            })?;
            let size = self.dims[dimension + 1];
            ensure(size as i128 + i128::from(upper) > i128::from(lower), || {
                format!("no pixel of {size} lies between the corners {lower} and {upper}")
            })?;
        }
        ensure((1..=MOST_CHANNELS).contains(&pixels.channels), || {
            format!("{} channels of a pixel; expected 1 to 256", pixels.channels)
        })?;
        let counts = pixels.wide != Some(WideMode::W128);
        ensure(!counts || (1..=MOST_PIXELS).contains(&pixels.pixels), || {
            format!("{} pixels in a column; expected 1 to 1024", pixels.pixels)
        })?;
        if pixels.wide.is_some() {
            ensure(self.interleave == Interleave::None, || "rows of pixels are not interleaved".to_owned())?;
            let swizzle = self.swizzle()?;
            let fits = matches!(swizzle, Swizzle::Bytes64 | Swizzle::Bytes128 | Swizzle::Bytes128Atom32);
            ensure(fits, || {
                "rows of pixels are swizzled within 64 bytes, or within 128 in chunks of 16 or 32".to_owned()
            })?;
        }
        self.check_row(pixels.channels.into())
    }

    fn check_swizzle(&self) -> Result<(), TensorMapError> {
        let swizzle = self.swizzle()?;
        let elements = match &self.bounding_box {
            BoundingBox::Tile(sizes) => sizes[0],
            BoundingBox::Pixels(pixels) => pixels.channels,
        };
        let row = self.element.shared_bytes(elements.into());
        if let (Some(span), Interleave::None) = (swizzle.span(), self.interleave) {
            ensure(row <= span, || {
                format!("a row of {row} bytes is longer than the {span} bytes of the swizzle")
            })?;
        }
        ensure(self.interleave != Interleave::Bytes32 || swizzle == Swizzle::Bytes32, || {
            "an interleave of 32 bytes goes with a swizzle of 32 bytes".to_owned()
        })?;
        ensure(self.interleave == Interleave::None || swizzle != Swizzle::Bytes96, || {
            "a swizzle of 96 bytes cannot be combined with an interleave".to_owned()
        })?;
        let wide = matches!(
            swizzle,
            Swizzle::None | Swizzle::Bytes128 | Swizzle::Bytes128Atom32 | Swizzle::Bytes128Atom64
        );
        ensure(wide || !self.element.is_padded(), || {
            format!(
                "elements of type {:?} are swizzled within 128 bytes, without a flip, or not",
                self.element
            )
        })
    }
}
