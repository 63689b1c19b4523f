//! Performs copies and stores of single threads.

use ptx_program::Order;

use crate::machine::memory::View;
use crate::machine::work::{CopyWork, WriteWork};
use crate::memory::Fault;

pub(super) fn perform_copy(view: &mut View<'_>, copy: &CopyWork) -> Result<(), Fault> {
    let ((to_space, to), (from_space, from)) = (copy.to, copy.from);
    let unit = if copy.copied.is_multiple_of(4) { 4 } else { 1 };
    for byte in (0..u64::from(copy.size)).step_by(unit as usize) {
        let value = if byte < u64::from(copy.copied) {
            view.read(0, from_space, from.wrapping_add(byte), unit, Order::Relaxed)?
        } else {
            0
        };
        view.write(0, to_space, to.wrapping_add(byte), unit, value, Order::Relaxed)?;
    }
    view.block.show_written(copy.to, copy.size.into());
    Ok(())
}

pub(super) fn perform_write(view: &mut View<'_>, work: &WriteWork) -> Result<(), Fault> {
    let (space, to) = work.to;
    for (n, &value) in work.values.iter().enumerate() {
        let at = to.wrapping_add(n as u64 * u64::from(work.size));
        match work.combine {
            None => view.write(0, space, at, work.size, value, Order::Strong)?,
            Some(combine) => {
                view.update(space, at, work.size, |space, old| combine.of(space, old, value, value))?;
            }
        }
    }
    view.block.show_written(work.to, work.values.len() as u64 * u64::from(work.size));
    Ok(())
}
