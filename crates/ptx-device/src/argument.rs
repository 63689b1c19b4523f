//! Arguments of kernels.

use ptx_exec::texture::Handle;
use ptx_exec::{Parameter, TensorMap};
use ptx_isa::ScalarType;

use crate::DeviceError;

/// A value passed to a kernel. It is created from a number (`From`), where addresses are `u64`, from a [`TensorMap`] of
/// memory of the device, or from [bytes](Argument::bytes).
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    value: Value,
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Integer([u8; 8], usize),
    Float([u8; 8], usize),
    Bytes(Vec<u8>),
}

impl Argument {
    /// The bytes of a parameter of any type: a structure, or a number of a format that Rust lacks.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { value: Value::Bytes(bytes.into()) }
    }

    fn contents(&self) -> &[u8] {
        match &self.value {
            Value::Integer(bytes, len) | Value::Float(bytes, len) => &bytes[..*len],
            Value::Bytes(bytes) => bytes,
        }
    }

    fn kind(&self) -> &'static str {
        match self.value {
            Value::Integer(..) => "an integer",
            Value::Float(..) => "a floating-point number",
            Value::Bytes(_) => "a run",
        }
    }

    fn fits(&self, parameter: &Parameter) -> bool {
        let is_float =
            matches!(parameter.ty, ScalarType::F32 | ScalarType::F64 | ScalarType::F16 | ScalarType::Bf16);
        let is_bits = matches!(
            parameter.ty,
            ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 | ScalarType::B128
        );
        let kind_fits = match self.value {
            Value::Bytes(_) => true,
            Value::Integer(..) => !is_float && !parameter.is_array,
            Value::Float(..) => (is_float || is_bits) && !parameter.is_array,
        };
        kind_fits && self.contents().len() == parameter.bytes as usize
    }
}

impl From<TensorMap> for Argument {
    fn from(map: TensorMap) -> Self {
        Self::bytes(map.to_bytes())
    }
}

macro_rules! from_number {
    ($kind:ident: $($ty:ty)*) => {$(
        impl From<$ty> for Argument {
            fn from(number: $ty) -> Self {
                let given = number.to_le_bytes();
                let mut bytes = [0; 8];
                bytes[..given.len()].copy_from_slice(&given);
                Self { value: Value::$kind(bytes, given.len()) }
            }
        }
    )*};
}

from_number!(Integer: u8 u16 u32 u64 i8 i16 i32 i64);
from_number!(Float: f32 f64);

impl From<Handle> for Argument {
    /// A texture, sampler or surface of the [device](crate::Device::set_textures).
    fn from(handle: Handle) -> Self {
        handle.value().into()
    }
}

/// The parameter space of a kernel.
pub(crate) fn pack(
    kernel: &str,
    parameters: &[Parameter],
    arguments: &[Argument],
    bytes: usize,
) -> Result<Vec<u8>, DeviceError> {
    if parameters.len() != arguments.len() {
        let (takes, given) = (parameters.len(), arguments.len());
        let text = format!("kernel `{kernel}` takes {}, not {given}", ptx_diag::counted(takes, "argument"));
        return Err(DeviceError::Arguments(text));
    }
    let mut space = vec![0; bytes];
    for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        if !argument.fits(parameter) {
            let Parameter { name, bytes, ty, is_array, .. } = parameter;
            let (kind, given) = (argument.kind(), argument.contents().len());
            let array = if *is_array { "an array of " } else { "" };
            return Err(DeviceError::Arguments(format!(
                "argument {index} of kernel `{kernel}` is {kind} of {given} bytes; parameter `{name}` is {array}.{} of {bytes} bytes",
                ty.as_str()
            )));
        }
        let start = parameter.offset as usize;
        if let Some(place) = space.get_mut(start..start + parameter.bytes as usize) {
            place.copy_from_slice(argument.contents());
        }
    }
    Ok(space)
}
