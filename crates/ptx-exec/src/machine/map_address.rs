//! Addresses of other blocks of a cluster: `mapa` (manual 9.7.9.23).

use ptx_program::memory::{AddressSize, Space, address_in};
use ptx_program::{MapAddress, lanes};

use super::Stop;
use super::at::At;
use crate::error::TrapKind;

/// The rank of no block, since clusters have at most 16 blocks.
const NO_RANK: u32 = 0xff;

/// [`NO_RANK`] for 32-bit generic addresses: the resulting address is in no space.
const LOW_NO_RANK: u32 = 0x3f;

/// `mapa`: the addresses that correspond to shared ones in the blocks of given ranks. Whether such a block exists is only checked by the
/// access: CUTLASS maps addresses in all lanes, and accesses only those of existing blocks.
pub(super) fn map_addresses(at: &mut At<'_>, map: &MapAddress) -> Result<(), Stop> {
    let At { grid, operands, place, .. } = at;
    let size = grid.addresses;
    for lane in lanes(place.active) {
        let (address, rank) = (operands.value(map.a, lane), operands.value(map.rank, lane) as u32);
        let rank = rank.min(NO_RANK);
        let is_shared = map.window.is_none()
            || matches!(Space::of_generic(address, size), Some((Space::SharedCluster, _)));
        if !is_shared {
            let text = format!("the address {address:#x} is not one in shared memory");
            return Err(place.stop(TrapKind::Misuse(text), lane));
        }
        // In the 32-bit address space other windows follow the last block of a cluster. Shared addresses are offsets from 0.
        let (window, is_low) = match map.window {
            Some(window) => (window, size == AddressSize::Bits32),
            None => (0, false),
        };
        let rank = if is_low && rank >= 16 { LOW_NO_RANK } else { rank };
        operands.set(map.d, lane, window + address_in(rank, address.wrapping_sub(window)));
    }
    Ok(())
}
