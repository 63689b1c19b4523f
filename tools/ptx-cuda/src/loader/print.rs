//! `printf` of a program, formatted by the host.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;

use ptx_device::printf::{ArgumentSource, format_c};

/// How the arguments of a call follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Each is aligned to its size.
    Aligned,
    /// There is nothing between them.
    Packed,
}

/// The arguments of a call.
struct Arguments<'a> {
    packing: Packing,
    bytes: &'a [u8],
    /// The offset of the next one.
    at: usize,
    /// The texts of the program that are known, by their addresses.
    texts: &'a HashMap<u64, Vec<u8>>,
    /// The addresses of texts that were asked for.
    addresses: RefCell<Vec<u64>>,
}

impl<'a> Arguments<'a> {
    fn new(packing: Packing, bytes: &'a [u8], texts: &'a HashMap<u64, Vec<u8>>) -> Self {
        Self { packing, bytes, at: 0, texts, addresses: RefCell::default() }
    }
}

impl ArgumentSource for Arguments<'_> {
    type Error = Infallible;

    fn word(&self) -> u32 {
        8
    }

    fn next(&mut self, size: u32) -> Result<u64, Infallible> {
        let size = size as usize;
        if self.packing == Packing::Aligned {
            self.at = self.at.next_multiple_of(size);
        }
        let mut value = [0; 8];
        // An argument that was not passed is zero.
        for (to, &from) in value[..size].iter_mut().zip(self.bytes.iter().skip(self.at)) {
            *to = from;
        }
        self.at += size;
        Ok(u64::from_le_bytes(value))
    }

    fn text(&self, address: u64) -> Result<Vec<u8>, Infallible> {
        if address == 0 {
            return Ok(b"(null)".to_vec());
        }
        self.addresses.borrow_mut().push(address);
        Ok(self.texts.get(&address).into_iter().flatten().copied().collect())
    }
}

/// Bytes of the arguments that a format takes.
pub fn bytes_of_arguments(format: &[u8], packing: Packing) -> u64 {
    let none = HashMap::new();
    let mut arguments = Arguments::new(packing, &[], &none);
    let Ok(_) = format_c(format, &mut arguments);
    arguments.at as u64
}

/// The addresses of the texts that are printed.
pub fn texts(format: &[u8], packing: Packing, arguments: &[u8]) -> Vec<u64> {
    let none = HashMap::new();
    let mut arguments = Arguments::new(packing, arguments, &none);
    let Ok(_) = format_c(format, &mut arguments);
    arguments.addresses.into_inner()
}

/// The formatted text.
pub fn print(format: &[u8], packing: Packing, arguments: &[u8], texts: &HashMap<u64, Vec<u8>>) -> Vec<u8> {
    let Ok((text, _)) = format_c(format, &mut Arguments::new(packing, arguments, texts));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_aligned_or_packed() {
        let format = b"%d %s %.1f|%c";
        assert_eq!(bytes_of_arguments(format, Packing::Aligned), 28);
        assert_eq!(bytes_of_arguments(format, Packing::Packed), 24);
        let mut bytes = 7u32.to_le_bytes().to_vec();
        bytes.extend(0x40u64.to_le_bytes());
        bytes.extend(2.5f64.to_le_bytes());
        bytes.extend(u32::from(b'x').to_le_bytes());
        let mut aligned = bytes.clone();
        aligned.splice(4..4, [0; 4]);
        let known = HashMap::from([(0x40, b"text".to_vec())]);
        for (packing, bytes) in [(Packing::Packed, bytes), (Packing::Aligned, aligned)] {
            assert_eq!(texts(format, packing, &bytes), [0x40]);
            assert_eq!(print(format, packing, &bytes, &known), b"7 text 2.5|x");
        }
        assert_eq!(print(b"%s", Packing::Aligned, &[0; 8], &known), b"(null)");
    }
}
