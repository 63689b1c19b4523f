//! Execution of a kernel with one call.

use std::fmt;

use ptx_device::{Argument, Device, Module, Number, Report, Shape};

use crate::Error;

/// An argument of a kernel for [`run`]: a number, a slice that the kernel reads, or a mutable slice that it reads and writes. It is made from
/// these with `into`; slices become memory of the device, whose address the kernel gets.
pub struct RunArgument<'a>(Value<'a>);

enum Value<'a> {
    /// What is passed itself.
    Direct(Argument),
    /// What is copied to the device, and back if it can be changed.
    Memory(Box<dyn Buffer + 'a>),
}

/// A slice.
trait Buffer {
    fn upload(&self, device: &Device) -> Result<u64, Error>;
    fn download(&mut self, device: &Device, address: u64) -> Result<(), Error>;
}

impl<T: Number> Buffer for &[T] {
    fn upload(&self, device: &Device) -> Result<u64, Error> {
        Ok(device.upload(self)?)
    }

    fn download(&mut self, _: &Device, _: u64) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Number> Buffer for &mut [T] {
    fn upload(&self, device: &Device) -> Result<u64, Error> {
        Ok(device.upload(self)?)
    }

    fn download(&mut self, device: &Device, address: u64) -> Result<(), Error> {
        Ok(device.download(address, self)?)
    }
}

impl From<Argument> for RunArgument<'_> {
    fn from(value: Argument) -> Self {
        Self(Value::Direct(value))
    }
}

macro_rules! from_numbers {
    ($($ty:ty)*) => {$(
        impl From<$ty> for RunArgument<'_> {
            fn from(number: $ty) -> Self {
                Self(Value::Direct(number.into()))
            }
        }
    )*};
}

from_numbers!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl<'a, T: Number> From<&'a [T]> for RunArgument<'a> {
    fn from(slice: &'a [T]) -> Self {
        Self(Value::Memory(Box::new(slice)))
    }
}

impl<'a, T: Number> From<&'a mut [T]> for RunArgument<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        Self(Value::Memory(Box::new(slice)))
    }
}

impl<'a, T: Number, const N: usize> From<&'a [T; N]> for RunArgument<'a> {
    fn from(array: &'a [T; N]) -> Self {
        array.as_slice().into()
    }
}

impl<'a, T: Number, const N: usize> From<&'a mut [T; N]> for RunArgument<'a> {
    fn from(array: &'a mut [T; N]) -> Self {
        array.as_mut_slice().into()
    }
}

impl<'a, T: Number> From<&'a Vec<T>> for RunArgument<'a> {
    fn from(vector: &'a Vec<T>) -> Self {
        vector.as_slice().into()
    }
}

impl<'a, T: Number> From<&'a mut Vec<T>> for RunArgument<'a> {
    fn from(vector: &'a mut Vec<T>) -> Self {
        vector.as_mut_slice().into()
    }
}

impl fmt::Debug for RunArgument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::Direct(argument) => f.debug_tuple("Direct").field(argument).finish(),
            Value::Memory(_) => f.write_str("Memory(..)"),
        }
    }
}

/// Loads a program, runs one of its kernels on a new device, and copies what it has written to mutable slices. The program is PTX, or with the
/// feature `llvm` also LLVM IR, text or bitcode, which the contents tell apart.
///
/// Returns what the kernel printed and how many instructions it took. For more than one launch use a [`Device`].
///
/// # Errors
///
/// All errors of the program; arguments or a shape that do not fit the kernel; a kernel that was stopped, such as by an access outside of its
/// slices, with the thread and the line of PTX. Then no slice has changed.
///
/// ```
/// use ptx_llvm::{Shape, run};
///
/// let double = "
/// .version 8.0
/// .target sm_80
/// .address_size 64
/// .visible .entry double(.param .u64 data)
/// {
///     .reg .b32 %i, %x;
///     .reg .b64 %a;
///     ld.param.u64 %a, [data];
///     mov.u32 %i, %tid.x;
///     mad.wide.u32 %a, %i, 4, %a;
///     ld.global.u32 %x, [%a];
///     add.u32 %x, %x, %x;
///     st.global.u32 [%a], %x;
///     ret;
/// }";
/// let mut data = [1u32, 2, 3];
/// run(double, "double", Shape::linear(1, 3), [(&mut data).into()])?;
/// assert_eq!(data, [2, 4, 6]);
///
/// let error = run(double, "double", Shape::linear(1, 4), [(&mut data).into()]).unwrap_err();
/// assert!(error.to_string().contains("thread (3, 0, 0)"), "{error}");
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn run<'a>(
    program: impl Into<Vec<u8>>,
    kernel: &str,
    shape: Shape,
    arguments: impl IntoIterator<Item = RunArgument<'a>>,
) -> Result<Report, Error> {
    let device = Device::new();
    let module = Module::load(&device, "<program>", program)?;
    let kernel = module.kernel(kernel)?;
    let (mut direct, mut buffers) = (Vec::new(), Vec::new());
    for argument in arguments {
        direct.push(match argument.0 {
            Value::Direct(argument) => argument,
            Value::Memory(buffer) => {
                let address = buffer.upload(&device)?;
                buffers.push((buffer, address));
                address.into()
            }
        });
    }
    let report = kernel.launch(&shape, &direct)?;
    for (buffer, address) in &mut buffers {
        buffer.download(&device, *address)?;
    }
    Ok(report)
}
