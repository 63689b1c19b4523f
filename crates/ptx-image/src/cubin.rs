//! Cubins: machine code, in which assemblers keep the PTX that it was made from if they are asked for line numbers or debug information.
//!
//! `ptxas -lineinfo` and `-g` write a section `.nv_debug_ptx_txt` with the whole text, with zeros in place of line feeds and without `.file`,
//! `.loc` and the sections of DWARF, whose lines are empty. `nvlink` keeps those of all its inputs, as sections with a number after the name.
//! `tileiras`, the assembler of CUDA Tile, appends the source of its kernels to the text, in a block that is no PTX.

use object::LittleEndian;
use object::elf::{EM_CUDA, FileHeader64, SectionHeader64};
use object::read::elf::{FileHeader, SectionHeader};

use crate::files::{Files, ImageError};

/// Bytes of the header, by which the size of the [tables] of a cubin is known.
pub const HEADER: usize = size_of::<FileHeader64<LittleEndian>>();

/// Bytes of the largest cubin that is read.
const LARGEST: u64 = 1 << 30;

const SECTION: &[u8] = b".nv_debug_ptx_txt";

/// The beginning of the block that `tileiras` appends.
const SOURCE: &[u8] = b".nv_intermediate_source_section";

const HOST: &str = "the image is machine code of the host (an ELF file)";

const WITHOUT_PTX: &str = "the image is machine code (a cubin) without PTX; `-lineinfo` keeps the PTX in it";

fn invalid(error: object::Error) -> ImageError {
    ImageError::Invalid(format!("the cubin is invalid: {error}"))
}

fn header(bytes: &[u8]) -> Result<&FileHeader64<LittleEndian>, ImageError> {
    let header = FileHeader64::<LittleEndian>::parse(bytes).map_err(invalid)?;
    header.endian().map_err(invalid)?;
    if header.e_machine.get(LittleEndian) == EM_CUDA {
        Ok(header)
    } else {
        Err(ImageError::MachineCode(HOST))
    }
}

fn limited(end: Option<u64>) -> Result<usize, ImageError> {
    let end = end.filter(|&end| end <= LARGEST);
    end.map(|end| end as usize)
        .ok_or_else(|| ImageError::Invalid("the cubin is invalid: its size".to_owned()))
}

/// How many bytes from the start of a cubin with this header its tables take, up to the end of the last one.
///
/// # Errors
/// [`ImageError::MachineCode`] if it is another ELF file, [`ImageError::Invalid`] if it is larger than a cubin may be.
pub fn tables(bytes: &[u8; HEADER]) -> Result<usize, ImageError> {
    let header = header(bytes)?;
    let end = |start: u64, size: u16, count: u16| start.checked_add(u64::from(size) * u64::from(count));
    let sections =
        end(header.e_shoff(LittleEndian), header.e_shentsize(LittleEndian), header.e_shnum(LittleEndian));
    let segments =
        end(header.e_phoff(LittleEndian), header.e_phentsize(LittleEndian), header.e_phnum(LittleEndian));
    limited(sections.zip(segments).map(|(sections, segments)| sections.max(segments).max(HEADER as u64)))
}

fn sections(bytes: &[u8]) -> Result<&[SectionHeader64<LittleEndian>], ImageError> {
    header(bytes)?.section_headers(LittleEndian, bytes).map_err(invalid)
}

/// The bytes of a cubin that begins with these bytes, which have its [tables].
///
/// # Errors
/// See [`tables`].
pub fn size(bytes: &[u8]) -> Result<usize, ImageError> {
    let ends = sections(bytes)?.iter().filter_map(|section| section.file_range(LittleEndian));
    let end = ends
        .map(|(start, size)| start.checked_add(size))
        .try_fold(bytes.len() as u64, |most, end| end.map(|end| most.max(end)));
    limited(end)
}

/// The PTX in a cubin: a file for each that was linked.
///
/// # Errors
/// [`ImageError::MachineCode`] if there is none, [`ImageError::Invalid`] if the cubin is damaged.
pub fn ptx(bytes: &[u8]) -> Result<Files, ImageError> {
    let header = header(bytes)?;
    let table = header.sections(LittleEndian, bytes).map_err(invalid)?;
    let mut files = Files::default();
    for section in table.iter() {
        let name = table.section_name(LittleEndian, section).map_err(invalid)?;
        let is_ptx = name.strip_prefix(SECTION).is_some_and(|rest| matches!(rest, [] | [b'.', ..]));
        if is_ptx {
            let name = format!("cubin{}.ptx", String::from_utf8_lossy(&name[SECTION.len()..]));
            let data = section.data(LittleEndian, bytes).map_err(invalid)?;
            files.list.push((name, text(data)));
        }
    }
    if files.list.is_empty() { Err(ImageError::MachineCode(WITHOUT_PTX)) } else { Ok(files) }
}

/// The text of a section.
fn text(data: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> =
        data.split(|&byte| byte == 0).take_while(|line| !line.starts_with(SOURCE)).collect();
    lines.join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file of a machine with these sections, and a table of their names, after the header; the table of sections is last.
    fn elf(machine: u16, sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0".to_vec();
        bytes.extend(2u16.to_le_bytes());
        bytes.extend(machine.to_le_bytes());
        bytes.resize(HEADER, 0);
        let mut names = vec![0];
        let mut table = vec![[0u64; 8]];
        for (name, data) in sections {
            let at = names.len() as u64;
            names.extend(name.bytes().chain([0]));
            // PROGBITS
            table.push([at | 1 << 32, 0, 0, bytes.len() as u64, data.len() as u64, 0, 1, 0]);
            bytes.extend_from_slice(data);
        }
        // STRTAB
        table.push([3 << 32, 0, 0, bytes.len() as u64, names.len() as u64, 0, 1, 0]);
        bytes.extend(names);
        let start = bytes.len() as u64;
        bytes[40..48].copy_from_slice(&start.to_le_bytes());
        bytes[58..60].copy_from_slice(&64u16.to_le_bytes());
        bytes[60..62].copy_from_slice(&(table.len() as u16).to_le_bytes());
        bytes[62..64].copy_from_slice(&(table.len() as u16 - 1).to_le_bytes());
        bytes.extend(table.iter().flatten().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    #[test]
    fn each_text_is_a_file_with_its_lines() {
        let cubin = elf(
            EM_CUDA,
            &[
                (".text.k", b"\x01\x02"),
                (".nv_debug_ptx_txt", b"\0\0.version 9.0\0.target sm_90\0"),
                (".nv_debug_ptx_txt.17", b".version 8.0\0\0.nv_intermediate_source_section {\0tile\0}\0"),
                (".nv_debug_ptx_txts", b"other"),
            ],
        );
        let files = ptx(&cubin).unwrap();
        let expected: [(&str, &[u8]); 2] =
            [("cubin.ptx", b"\n\n.version 9.0\n.target sm_90\n"), ("cubin.17.ptx", b".version 8.0\n")];
        assert_eq!(files.list, expected.map(|(name, text)| (name.to_owned(), text.to_vec())));
        let tables = tables(cubin.first_chunk().unwrap()).unwrap();
        assert_eq!(size(&cubin[..tables]).unwrap(), cubin.len());
    }

    #[test]
    fn other_files_are_machine_code() {
        let without = elf(EM_CUDA, &[(".text.k", b"\x01")]);
        assert_eq!(ptx(&without), Err(ImageError::MachineCode(WITHOUT_PTX)));
        let host = elf(62, &[(".nv_debug_ptx_txt", b".version 9.0")]);
        assert_eq!(ptx(&host), Err(ImageError::MachineCode(HOST)));
        assert_eq!(tables(host.first_chunk().unwrap()), Err(ImageError::MachineCode(HOST)));
    }

    #[test]
    fn damaged_files_are_errors() {
        let good = elf(EM_CUDA, &[(".text.k", b"\x01\x02"), (".nv_debug_ptx_txt", b".version 9.0\0")]);
        let mut random = fastrand::Rng::with_seed(1);
        let mut damaged = 0;
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(4..bad.len());
                bad[at] = random.u8(..);
            }
            bad.truncate(random.usize(HEADER..=bad.len()));
            damaged += u32::from(ptx(&bad).is_err());
            // They must return.
            if let Ok(tables) = tables(bad.first_chunk().unwrap()) {
                let _ = size(&bad[..tables.min(bad.len())]);
            }
        }
        assert!(damaged > 10_000);
    }
}
