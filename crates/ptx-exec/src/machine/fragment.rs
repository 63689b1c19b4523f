//! Loads and stores of `wmma` matrices (manual 9.7.14.4.2 to 9.7.14.4.4).

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{ElementPosition, FULL, Fragment, Held, Major, Order, Row, WARP};

use super::memory::View;
use super::rows::same_value;
use crate::error::TrapKind;
use crate::memory::{Fault, FaultKind};

/// The trap of a lane, and the lane.
type Stopped = (TrapKind, usize);

/// A matrix in memory.
struct Matrix {
    fragment: Fragment,
    space: Space,
    start: u64,
    /// Elements between consecutive rows or columns.
    stride: u64,
}

impl Matrix {
    /// From the addresses and strides of all lanes, which must be uniform.
    fn new(
        fragment: Fragment,
        (space, bits): (Space, AddressSize),
        addresses: &Row,
        strides: &Row,
    ) -> Result<Self, Stopped> {
        let misuse = |text: String| Err((TrapKind::Misuse(text), 0));
        for (row, what) in [(addresses, "addresses"), (strides, "strides")] {
            if same_value(row, FULL, 0) != FULL {
                return misuse(format!("the threads of the warp give different {what}"));
            }
        }
        let (start, stride) = (addresses[0], strides[0]);
        let (length, _) = fragment.leading();
        if stride < u64::from(length) {
            return misuse(format!(
                "the stride {stride} is less than the {length} elements that lie in one piece"
            ));
        }
        let (space, start) = match space {
            Space::Generic => Space::of_generic(start, bits).unwrap_or((space, start)),
            space => (space, start),
        };
        if matches!(space, Space::Local | Space::Const | Space::Param) {
            return misuse(format!("a matrix lies in global or shared memory, not in {}", space.as_str()));
        }
        let matrix = Self { fragment, space, start, stride };
        let align = fragment.alignment();
        let pieces = [start, matrix.bits(1, 0) / 8];
        if let Some(address) = pieces.into_iter().find(|address| !address.is_multiple_of(align)) {
            let fault = Fault { kind: FaultKind::Misaligned, space, address, size: align as u32 };
            return Err((TrapKind::Fault(fault), 0));
        }
        Ok(matrix)
    }

    /// Bit offset of an element, given by its row or column and the position in it.
    fn bits(&self, piece: usize, at: usize) -> u64 {
        let elements = (piece as u64).wrapping_mul(self.stride).wrapping_add(at as u64);
        elements.wrapping_mul(self.fragment.factor.element.bits().into())
    }

    /// The address of the memory unit that contains an element, its size, and the element's lowest bit in it.
    fn unit(&self, position: ElementPosition) -> (u64, u32, u32) {
        let bits = match self.fragment.factor.major {
            Major::Row => self.bits(position.row, position.column),
            Major::Column => self.bits(position.column, position.row),
        };
        let size = (self.fragment.factor.element.bits() / 8).max(1);
        (self.start.wrapping_add(bits / 8), size, (bits % 8) as u32)
    }

    /// The positions of the elements of a lane's register, with their lowest bits in it.
    fn positions(&self, lane: usize, register: usize) -> impl Iterator<Item = (ElementPosition, u32)> {
        let Fragment { size, operand, factor } = self.fragment;
        let each = factor.element.per_register() as usize;
        (0..each).map(move |sub| {
            let position = Held::Fragments.position(size, operand, factor, lane, register * each + sub);
            (position, factor.element.bits() * sub as u32)
        })
    }
}

/// `wmma.load`: the inputs are addresses and strides.
pub(super) fn load(
    fragment: Fragment,
    view: &View<'_>,
    space: Space,
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), Stopped> {
    let [addresses, strides] = inputs else { return Ok(()) };
    let matrix = Matrix::new(fragment, (space, view.grid.addresses), addresses, strides)?;
    let mask = u64::MAX >> (64 - fragment.factor.element.bits());
    for (register, out) in outputs.iter_mut().enumerate() {
        for (lane, out) in out.iter_mut().enumerate() {
            let mut word = 0;
            for (position, low) in matrix.positions(lane, register) {
                let (address, size, shift) = matrix.unit(position);
                let unit = view
                    .read(lane, matrix.space, address, size, Order::Relaxed)
                    .map_err(|fault| (TrapKind::Fault(fault), lane))?;
                word |= (unit >> shift & mask) << low;
            }
            *out = word;
        }
    }
    Ok(())
}

/// `wmma.store`: the inputs are addresses, strides and the fragment, whose elements all have at least 16 bits.
pub(super) fn store(
    fragment: Fragment,
    mut view: View<'_>,
    space: Space,
    inputs: &[Row],
) -> Result<(), Stopped> {
    let [addresses, strides, registers @ ..] = inputs else { return Ok(()) };
    let matrix = Matrix::new(fragment, (space, view.grid.addresses), addresses, strides)?;
    let mask = u64::MAX >> (64 - fragment.factor.element.bits());
    for (register, row) in registers.iter().enumerate() {
        for (lane, word) in row.iter().enumerate() {
            for (position, low) in matrix.positions(lane, register) {
                let (address, size, _) = matrix.unit(position);
                view.write(lane, matrix.space, address, size, word >> low & mask, Order::Relaxed)
                    .map_err(|fault| (TrapKind::Fault(fault), lane))?;
            }
        }
    }
    Ok(())
}

/// Checks whether `wmma.load` or `wmma.store` can access the elements of its matrix; `probe` checks one element, given its space, address and size.
///
/// # Errors
/// The trap that stops a lane.
pub(super) fn probe(
    fragment: Fragment,
    (space, registers): (Space, usize),
    [addresses, strides]: [&Row; 2],
    probe: impl Fn(Space, u64, u32) -> Result<(), Fault>,
) -> Result<(), Stopped> {
    let matrix = Matrix::new(fragment, (space, AddressSize::Bits64), addresses, strides)?;
    for register in 0..registers {
        for lane in 0..WARP {
            for (position, _) in matrix.positions(lane, register) {
                let (address, size, _) = matrix.unit(position);
                probe(matrix.space, address, size).map_err(|fault| (TrapKind::Fault(fault), lane))?;
            }
        }
    }
    Ok(())
}
