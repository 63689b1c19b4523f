//! The object of a faulty access, for reports of any engine.

use ptx_program::Object;
use ptx_program::memory::{Space, rank_and_offset};

use crate::error::{Trap, TrapKind};
use crate::machine::Setup;
use crate::memory::Fault;
use crate::object::nearest;

impl Setup {
    /// Sets in the trap the object of a faulty access, in memory as the launch saw it: the one that contains the address, or else that of the pointer
    /// from which the address was computed, or else the nearest one.
    pub(crate) fn explain(&self, trap: &mut Trap) {
        let TrapKind::Fault(fault) = &trap.kind else { return };
        let fault = &fault.resolved(self.program().address_size);
        let object = match fault.space {
            Space::Local => return,
            Space::Global | Space::Generic => {
                let pointers = trap.pointers.iter().filter_map(|pointer| pointer.value(&self.spec.params));
                self.global.describe(fault.address, pointers)
            }
            _ => nearest(&in_block(*fault), &self.objects()),
        };
        trap.object = Some(object.unwrap_or_else(|| nothing_at(fault)));
    }

    /// The variables; dynamic shared memory has its actual size.
    fn objects(&self) -> Vec<Object> {
        let sized = |(object, is_dynamic): &(Object, bool)| {
            let bytes = if *is_dynamic { self.geometry.dynamic_shared.into() } else { object.bytes };
            Object { bytes, ..object.clone() }
        };
        self.variables.iter().map(sized).collect()
    }
}

/// Describes an address that is near no object.
fn nothing_at(fault: &Fault) -> String {
    /// Offsets below it are taken for field offsets from a null pointer.
    const PAGE: u64 = 4096;
    match (fault.space, fault.address) {
        (Space::Global | Space::Generic, 0) => "it is a null pointer".to_owned(),
        (Space::Global | Space::Generic, offset @ 1..PAGE) => {
            format!("it is {offset} bytes after a null pointer")
        }
        _ => "there is no argument or variable at this address".to_owned(),
    }
}

/// A fault in shared memory translated to the owning block, where variables have their offsets as addresses.
fn in_block(fault: Fault) -> Fault {
    match fault.space {
        Space::Shared | Space::SharedCluster => {
            Fault { space: Space::Shared, address: rank_and_offset(fault.address).1, ..fault }
        }
        Space::Generic | Space::Global | Space::Local | Space::Const | Space::Param => fault,
    }
}
