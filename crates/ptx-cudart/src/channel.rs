//! Formats of the channels of textures and arrays: the runtime's by kind and bits, the driver's by number.

use std::ffi::{c_int, c_uint};

use crate::error::{Answer, Error, Failure};
use crate::types::ChannelFormat;

/// `cudaChannelFormatKind`.
const SIGNED: c_uint = 0;
const UNSIGNED: c_uint = 1;
const FLOAT: c_uint = 2;

/// The kinds, sizes of channels and numbers of formats, `CUarray_format`.
const FORMATS: &[(c_uint, c_int, c_uint)] = &[
    (UNSIGNED, 8, 1),
    (UNSIGNED, 16, 2),
    (UNSIGNED, 32, 3),
    (SIGNED, 8, 8),
    (SIGNED, 16, 9),
    (SIGNED, 32, 0xa),
    (FLOAT, 16, 0x10),
    (FLOAT, 32, 0x20),
];

/// Kinds that imply the format: their number, the number of the format, the bits of a channel, and the number of channels. Normalized integers.
const WHOLE: &[(c_uint, c_uint, c_int, usize)] = &[
    (5, 0xc0, 8, 1),
    (6, 0xc1, 8, 2),
    (7, 0xc2, 8, 4),
    (8, 0xc3, 16, 1),
    (9, 0xc4, 16, 2),
    (10, 0xc5, 16, 4),
    (11, 0xc6, 8, 1),
    (12, 0xc7, 8, 2),
    (13, 0xc8, 8, 4),
    (14, 0xc9, 16, 1),
    (15, 0xca, 16, 2),
    (16, 0xcb, 16, 4),
];

/// Whether texels of a format are integers that are not converted.
pub fn is_integer(format: c_uint) -> bool {
    FORMATS.iter().any(|&(kind, _, number)| number == format && kind != FLOAT)
}

/// Bytes of a texel of a format.
pub fn texel_bytes(format: c_uint, channels: c_uint) -> Answer<usize> {
    let plain =
        FORMATS.iter().find(|found| found.2 == format).map(|&(_, bits, _)| bits as usize * channels as usize);
    let whole =
        WHOLE.iter().find(|found| found.1 == format).map(|&(.., bits, channels)| bits as usize * channels);
    let bits = plain
        .or(whole)
        .ok_or_else(|| Failure::because(Error::NOT_SUPPORTED, format!("format {format:#x} of channels")))?;
    Ok(bits / 8)
}

fn wrong(given: &ChannelFormat) -> Failure {
    let reason = format!("channels of {:?} bits of kind {}", given.bits, given.kind);
    Failure::because(Error::INVALID_CHANNEL_DESCRIPTOR, reason)
}

/// The driver's format, and the number of channels.
///
/// # Errors
/// `cudaErrorInvalidChannelDescriptor` for what is no format, `cudaErrorNotSupported` for compressed formats and those of video.
pub fn format(given: &ChannelFormat) -> Answer<(c_uint, c_uint)> {
    if let Some(&(_, format, bits, channels)) = WHOLE.iter().find(|found| found.0 == given.kind) {
        let fits =
            given.bits.iter().enumerate().all(|(index, &own)| own == if index < channels { bits } else { 0 });
        return if fits { Ok((format, channels as c_uint)) } else { Err(wrong(given)) };
    }
    if given.kind > FLOAT {
        let reason = format!("kind {} of channels", given.kind);
        return Err(Failure::because(Error::NOT_SUPPORTED, reason));
    }
    let [bits, ..] = given.bits;
    let channels = given.bits.iter().take_while(|&&own| own == bits).count();
    let rest_is_empty = given.bits[channels..].iter().all(|&own| own == 0);
    let found = FORMATS.iter().find(|&&(kind, own, _)| kind == given.kind && own == bits);
    match found {
        Some(&(.., format)) if matches!(channels, 1 | 2 | 4) && rest_is_empty => {
            Ok((format, channels as c_uint))
        }
        _ => Err(wrong(given)),
    }
}

/// The runtime's form of a format of the driver.
pub fn described(format: c_uint, channels: c_uint) -> ChannelFormat {
    let of = |kind, bits, channels: usize| {
        let mut all = [0; 4];
        all[..channels.min(4)].fill(bits);
        ChannelFormat { bits: all, kind }
    };
    let plain = FORMATS.iter().find(|found| found.2 == format);
    let whole = WHOLE.iter().find(|found| found.1 == format);
    match (plain, whole) {
        (Some(&(kind, bits, _)), _) => of(kind, bits, channels as usize),
        (None, Some(&(kind, _, bits, channels))) => of(kind, bits, channels),
        // `cudaChannelFormatKindNone`: the driver has a format that the runtime cannot name.
        (None, None) => of(3, 0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_driver_and_back() {
        for kind in 0..20 {
            for bits in [8, 16, 32] {
                for channels in 1..=4 {
                    let mut given = ChannelFormat { bits: [0; 4], kind };
                    given.bits[..channels].fill(bits);
                    if let Ok((format, count)) = format(&given) {
                        assert_eq!(count as usize, channels);
                        assert_eq!(texel_bytes(format, count).unwrap(), bits as usize * channels / 8);
                        let back = described(format, count);
                        assert_eq!((back.bits, back.kind), (given.bits, given.kind));
                    }
                }
            }
        }
        let error = |bits, kind| format(&ChannelFormat { bits, kind }).unwrap_err().error;
        assert_eq!(error([32, 32, 32, 0], UNSIGNED), Error::INVALID_CHANNEL_DESCRIPTOR);
        assert_eq!(error([8, 16, 0, 0], UNSIGNED), Error::INVALID_CHANNEL_DESCRIPTOR);
        assert_eq!(error([0; 4], SIGNED), Error::INVALID_CHANNEL_DESCRIPTOR);
        assert_eq!(error([8, 0, 0, 0], 17), Error::NOT_SUPPORTED);
        assert!(is_integer(1) && is_integer(0xa) && !is_integer(0x20) && !is_integer(0xc0));
    }
}
