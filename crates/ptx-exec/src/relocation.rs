//! The buffers of a launch, and the addresses and tensor maps in its arguments.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_program::memory::{ALLOCATION_SHIFT, AddressSize};
use ptx_program::tensormap::BYTES;

use crate::error::codes;
use crate::inputs::base_of;
use crate::launch::{Argument, Content, Launch, Relocation};

impl Launch {
    /// The contents of a buffer by its index: an argument, or an additional buffer.
    pub(crate) fn buffer(&self, number: usize) -> Option<&[u8]> {
        match self.arguments.get(number) {
            Some(Argument::Buffer(bytes) | Argument::Tensor(_, bytes)) => Some(bytes),
            Some(Argument::Bytes(_) | Argument::Multimem(_) | Argument::Handle(_)) => None,
            None => self.buffers.get(number - self.arguments.len()).map(|(_, bytes)| bytes.as_slice()),
        }
    }

    /// Number of arguments and buffers: one more than the largest index.
    pub(crate) fn numbers(&self) -> usize {
        self.arguments.len() + self.buffers.len()
    }

    /// The name of an argument or buffer in messages.
    pub(crate) fn call(&self, number: usize) -> String {
        match number.checked_sub(self.arguments.len()) {
            None => format!("argument {number}"),
            Some(further) => match self.buffers.get(further) {
                Some((name, _)) => format!("buffer `{name}`"),
                None => format!("buffer {further}"),
            },
        }
    }

    /// Size of an object that can contain relocations.
    fn bytes_of(&self, number: usize) -> Option<usize> {
        match self.arguments.get(number) {
            Some(Argument::Bytes(bytes)) => Some(bytes.len()),
            _ => self.buffer(number).map(<[u8]>::len),
        }
    }

    /// Refuses relocations outside their containing object or that refer to something other than a buffer, and additional
    /// buffers that are too large.
    pub(crate) fn check_relocations(&self, size: AddressSize) -> Result<(), Diagnostics> {
        let mut findings = Diagnostics::new();
        let mut report =
            |text: String| findings.push(Diagnostic::error_without_place(codes::ARGUMENTS, text));
        for (name, buffer) in &self.buffers {
            if buffer.len() as u64 > 1 << ALLOCATION_SHIFT {
                report(format!("buffer `{name}` has {} bytes, which is too large", buffer.len()));
            }
        }
        for Relocation { inside, offset, content } in &self.relocations {
            let (what, bytes, buffer) = match content {
                Content::Address { buffer, .. } => ("an address", size.bytes() as usize, *buffer),
                Content::Tensor { buffer, .. } => ("a tensor map", BYTES, *buffer),
            };
            let name = self.call(*inside);
            match self.bytes_of(*inside) {
                None => report(format!("{name} is to have {what} in it, and is neither bytes nor a buffer")),
                Some(there) if offset.checked_add(bytes).is_none_or(|end| end > there) => {
                    report(format!(
                        "{name} has {there} bytes, and is to have {what} of {bytes} bytes at byte {offset}"
                    ));
                }
                Some(_) => {}
            }
            if self.buffer(buffer).is_none() {
                let other = self.call(buffer);
                report(format!("{name} is to have {what} of {other} in it, which is not a buffer"));
            }
        }
        if findings.has_errors() { Err(findings) } else { Ok(()) }
    }

    /// Writes the address-dependent contents into the bytes of an argument or buffer. The relocations have been checked.
    pub(crate) fn apply_relocations(
        &self,
        number: usize,
        bytes: &mut [u8],
        bases: &[Option<u64>],
        size: AddressSize,
    ) {
        let base = |buffer: usize| base_of(bases, buffer);
        for Relocation { offset, content, .. } in
            self.relocations.iter().filter(|relocation| relocation.inside == number)
        {
            let content = match content {
                Content::Address { buffer, offset } => {
                    let address = base(*buffer).wrapping_add(*offset).to_le_bytes();
                    address[..size.bytes() as usize].to_vec()
                }
                Content::Tensor { map, buffer } => map.moved_by(base(*buffer)).to_bytes().to_vec(),
            };
            if let Some(target) = bytes.get_mut(*offset..).and_then(|rest| rest.get_mut(..content.len())) {
                target.copy_from_slice(&content);
            }
        }
    }
}
