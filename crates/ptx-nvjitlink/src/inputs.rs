//! Inputs of links.

use ptx_image::{Files, ImageError, Kind};

use crate::link::{Failure, NvJitLinkResult};

/// `nvJitLinkInputType`.
const CUBIN: u32 = 1;
const PTX: u32 = 2;
const LTOIR: u32 = 3;
const FATBIN: u32 = 4;
const OBJECT: u32 = 5;
const LIBRARY: u32 = 6;
const INDEX: u32 = 7;
const ANY: u32 = 10;

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Self {
        let result = match error {
            ImageError::Invalid(_) => NvJitLinkResult::INVALID_INPUT,
            ImageError::MachineCode(_) | ImageError::NoPtx(_) | ImageError::IntermediateCode => {
                NvJitLinkResult::UNRECOGNIZED_INPUT
            }
        };
        let way_out = match error {
            ImageError::MachineCode(_) => {
                "; this linker links PTX: let the program pass that on, or compile with `-gencode arch=compute_XX,code=compute_XX`"
            }
            ImageError::Invalid(_) | ImageError::NoPtx(_) | ImageError::IntermediateCode => "",
        };
        Failure::new(result, format!("{error}{way_out}"))
    }
}

/// The files of an input that is said to be of a kind, for an architecture of this number.
///
/// # Errors
/// If it is not of that kind, or has no PTX.
pub fn read(kind: u32, name: &str, bytes: &[u8], newest: u32) -> Result<Files, Failure> {
    let found = Kind::of(bytes);
    let wrong = || {
        let text = format!("`{name}` is not of the type that it is said to be ({kind})");
        Failure::new(NvJitLinkResult::INCORRECT_INPUT_TYPE, text)
    };
    match (kind, found) {
        // The functions of libcudadevrt are part of the linker.
        (LIBRARY | OBJECT | ANY, Kind::Archive) if name.contains("cudadevrt") => return Ok(Files::default()),
        (PTX, Kind::Text | Kind::Container)
        | (CUBIN, Kind::Container | Kind::Elf)
        | (LTOIR, Kind::IntermediateCode)
        | (FATBIN, Kind::FatBinary)
        | (OBJECT, Kind::Elf | Kind::Container)
        | (LIBRARY, Kind::Archive)
        | (ANY, _) => {}
        // An image without a known magic number counts as text, which intermediate code is not.
        (LTOIR, Kind::Text) => return Err(ImageError::IntermediateCode.into()),
        (INDEX, _) => {
            return Err(Failure::new(NvJitLinkResult::UNRECOGNIZED_INPUT, "index files are not linked"));
        }
        (CUBIN | PTX | LTOIR | FATBIN | OBJECT | LIBRARY, _) => return Err(wrong()),
        _ => {
            let text = format!("there is no type {kind} of inputs");
            return Err(Failure::new(NvJitLinkResult::UNRECOGNIZED_INPUT, text));
        }
    }
    let mut files = ptx_image::read(bytes, newest)?;
    if let [(file, _)] = &mut files.list[..]
        && !name.is_empty()
    {
        *file = name.to_owned();
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_what_they_are_said_to_be() {
        let result = |kind, bytes: &[u8]| read(kind, "a", bytes, 80).map_err(|failure| failure.result);
        assert_eq!(
            result(PTX, b".version 8.0\0").unwrap().list,
            [("a".to_owned(), b".version 8.0".to_vec())]
        );
        let packed = ptx_image::container::pack(&Files::of_text("b", ".version 8.0"));
        assert_eq!(result(CUBIN, &packed).unwrap().list.len(), 1);
        assert_eq!(result(ANY, &packed).unwrap().list.len(), 1);
        assert_eq!(result(CUBIN, b".version 8.0"), Err(NvJitLinkResult::INCORRECT_INPUT_TYPE));
        assert_eq!(result(PTX, b"\x7fELF...."), Err(NvJitLinkResult::INCORRECT_INPUT_TYPE));
        assert_eq!(result(CUBIN, b"\x7fELF...."), Err(NvJitLinkResult::INVALID_INPUT));
        // A cubin (190) without PTX.
        let mut cubin = b"\x7fELF\x02\x01\x01".to_vec();
        cubin.resize(64, 0);
        cubin[18] = 190;
        assert_eq!(result(CUBIN, &cubin), Err(NvJitLinkResult::UNRECOGNIZED_INPUT));
        assert_eq!(result(LTOIR, b"\xed\x43\x4e\x7f...."), Err(NvJitLinkResult::UNRECOGNIZED_INPUT));
        assert_eq!(result(LIBRARY, b"!<arch>\n"), Err(NvJitLinkResult::UNRECOGNIZED_INPUT));
        assert_eq!(read(LIBRARY, "libcudadevrt.a", b"!<arch>\n", 80).unwrap(), Files::default());
        assert_eq!(result(8, b"x"), Err(NvJitLinkResult::UNRECOGNIZED_INPUT));
        assert_eq!(result(PTX, b" \n"), Err(NvJitLinkResult::INVALID_INPUT));
    }
}
