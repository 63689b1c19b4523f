//! The types of numbers on the command line and in launch files.

use half::{bf16, f16};

/// The scalar types that arguments and views are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ValueType {
    /// All types.
    pub const ALL: [ValueType; 12] = [
        ValueType::I8,
        ValueType::U8,
        ValueType::I16,
        ValueType::U16,
        ValueType::I32,
        ValueType::U32,
        ValueType::I64,
        ValueType::U64,
        ValueType::F16,
        ValueType::Bf16,
        ValueType::F32,
        ValueType::F64,
    ];

    /// The type with a name.
    ///
    /// # Errors
    /// The message for an unknown name.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::from_name(name)
            .ok_or_else(|| format!("`{name}` is not a type; there are i8 .. u64, f16 .. f64"))
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, ValueType::F16 | ValueType::Bf16 | ValueType::F32 | ValueType::F64)
    }

    /// The type with a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::I8 => "i8",
            ValueType::U8 => "u8",
            ValueType::I16 => "i16",
            ValueType::U16 => "u16",
            ValueType::I32 => "i32",
            ValueType::U32 => "u32",
            ValueType::I64 => "i64",
            ValueType::U64 => "u64",
            ValueType::F16 => "f16",
            ValueType::Bf16 => "bf16",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            ValueType::I8 | ValueType::U8 => 1,
            ValueType::I16 | ValueType::U16 | ValueType::F16 | ValueType::Bf16 => 2,
            ValueType::I32 | ValueType::U32 | ValueType::F32 => 4,
            ValueType::I64 | ValueType::U64 | ValueType::F64 => 8,
        }
    }

    /// The little-endian bytes of a number written in decimal, or in hexadecimal after `0x` for integers.
    pub fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        Ok(match self {
            ValueType::I8 => integer::<i8>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U8 => integer::<u8>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I16 => integer::<i16>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U16 => integer::<u16>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I32 => integer::<i32>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U32 => integer::<u32>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I64 => integer::<i64>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U64 => integer::<u64>(text, self)?.to_le_bytes().to_vec(),
            ValueType::F16 => in_range(f16::from_f64(float(text, self)?), f16::is_infinite, text, self)?
                .to_le_bytes()
                .to_vec(),
            ValueType::Bf16 => in_range(bf16::from_f64(float(text, self)?), bf16::is_infinite, text, self)?
                .to_le_bytes()
                .to_vec(),
            // Parsed as f32 directly: through f64 it would be rounded twice.
            ValueType::F32 => {
                let value = text.parse::<f32>().map_err(|_| not_a_number(text, self))?;
                in_range(value, f32::is_infinite, text, self)?.to_le_bytes().to_vec()
            }
            ValueType::F64 => {
                in_range(float(text, self)?, f64::is_infinite, text, self)?.to_le_bytes().to_vec()
            }
        })
    }

    /// Formats a value for people; a floating-point number as the shortest decimal that is parsed to the same bits.
    ///
    /// `bytes` are those of one element; fewer bytes than an element are shown as `?`.
    pub fn show(self, bytes: &[u8]) -> String {
        fn exactly<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.try_into().ok()
        }
        let text = match self {
            ValueType::I8 => exactly(bytes).map(|b| i8::from_le_bytes(b).to_string()),
            ValueType::U8 => exactly(bytes).map(|b| u8::from_le_bytes(b).to_string()),
            ValueType::I16 => exactly(bytes).map(|b| i16::from_le_bytes(b).to_string()),
            ValueType::U16 => exactly(bytes).map(|b| u16::from_le_bytes(b).to_string()),
            ValueType::I32 => exactly(bytes).map(|b| i32::from_le_bytes(b).to_string()),
            ValueType::U32 => exactly(bytes).map(|b| u32::from_le_bytes(b).to_string()),
            ValueType::I64 => exactly(bytes).map(|b| i64::from_le_bytes(b).to_string()),
            ValueType::U64 => exactly(bytes).map(|b| u64::from_le_bytes(b).to_string()),
            ValueType::F16 => exactly(bytes).map(|b| format!("{:?}", f16::from_le_bytes(b))),
            ValueType::Bf16 => exactly(bytes).map(|b| format!("{:?}", bf16::from_le_bytes(b))),
            ValueType::F32 => exactly(bytes).map(|b| format!("{:?}", f32::from_le_bytes(b))),
            ValueType::F64 => exactly(bytes).map(|b| format!("{:?}", f64::from_le_bytes(b))),
        };
        match text {
            Some(text) => text,
            None => "?".to_owned(),
        }
    }
}

/// An integer type that a launch argument can have.
trait Integer: TryFrom<i128> {}
impl<T: TryFrom<i128>> Integer for T {}

fn integer<T: Integer>(text: &str, ty: ValueType) -> Result<T, String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(rest) => (16, rest),
        None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(not_a_number(text, ty));
    }
    let magnitude = i128::from_str_radix(digits, radix).map_err(|_| out_of_range(text, ty))?;
    T::try_from(sign * magnitude).map_err(|_| out_of_range(text, ty))
}

fn float(text: &str, ty: ValueType) -> Result<f64, String> {
    text.parse().map_err(|_| not_a_number(text, ty))
}

/// Rejects a finite number that was rounded to infinity.
fn in_range<T: Copy>(value: T, infinite: fn(T) -> bool, text: &str, ty: ValueType) -> Result<T, String> {
    let meant_infinite = text.to_ascii_lowercase().contains("inf");
    if infinite(value) && !meant_infinite { Err(out_of_range(text, ty)) } else { Ok(value) }
}

fn not_a_number(text: &str, ty: ValueType) -> String {
    format!("`{text}` is not a number of type {}", ty.name())
}

fn out_of_range(text: &str, ty: ValueType) -> String {
    format!("`{text}` does not fit {}", ty.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_show_as_people_read_them() {
        assert_eq!(ValueType::F32.show(&0.1f32.to_le_bytes()), "0.1");
        assert_eq!(ValueType::F32.show(&1e30f32.to_le_bytes()), "1e30");
        assert_eq!(ValueType::F64.show(&f64::NAN.to_le_bytes()), "NaN");
        assert_eq!(ValueType::I8.show(&[0xff]), "-1");
        assert_eq!(ValueType::F16.show(&[0, 0x3c]), "1.0");
        assert_eq!(ValueType::U32.show(&[1, 2]), "?");
    }
}
