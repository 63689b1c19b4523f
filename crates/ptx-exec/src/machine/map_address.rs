//! Addresses of other blocks of a cluster: `mapa` (manual 9.7.9.23).

use super::stop::Stop;
use crate::error::TrapKind;
use crate::memory::{AddressSize, Space, address_in};
use crate::program::{MapAddress, Mask, Row, lanes};

/// The rank of no block, since clusters have at most 16 blocks.
const NO_RANK: u32 = 0xff;

/// [`NO_RANK`] for 32-bit generic addresses: the resulting address is in no space.
const LOW_NO_RANK: u32 = 0x3f;

/// `mapa`: the addresses that correspond to shared ones in the blocks of given ranks. Whether such a block exists is only checked by the
/// access: CUTLASS maps addresses in all lanes, and accesses only those of existing blocks.
pub(super) fn map_addresses(
    rows: &mut [Row],
    (constants, size): (&[Row], AddressSize),
    map: &MapAddress,
    active: Mask,
    pc: u32,
) -> Result<(), Stop> {
    let misuse = |text: String, lane| Stop::at(TrapKind::Misuse(text), pc, lane);
    for lane in lanes(active) {
        let (address, rank) = (map.a.of(rows, constants)[lane], map.rank.of(rows, constants)[lane] as u32);
        let rank = rank.min(NO_RANK);
        let is_shared = map.window.is_none()
            || matches!(Space::of_generic(address, size), Some((Space::SharedCluster, _)));
        if !is_shared {
            return Err(misuse(format!("the address {address:#x} is not one in shared memory"), lane));
        }
        // Default: addresses in the shared window itself are offsets from 0.
        let window = map.window.unwrap_or(0);
        // In the 32-bit address space other windows follow the last block of a cluster.
        let is_low = map.window.is_some() && size == AddressSize::Bits32;
        let rank = if is_low && rank >= 16 { LOW_NO_RANK } else { rank };
        rows[map.d as usize][lane] = window + address_in(rank, address.wrapping_sub(window));
    }
    Ok(())
}
