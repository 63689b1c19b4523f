//! Operations: the work that streams queue and that the nodes of graphs perform.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::copy::Copy;
use crate::driver::{Gpu, lock};
use crate::error::Answer;
use crate::fill::Fill;
use crate::graph_memory::GraphMemory;
use crate::host_call::HostCall;
use crate::launch::Launch;
use crate::memory;

/// Work that is performed once.
pub type Once = Box<dyn FnOnce() -> Answer + Send>;

/// An operation on a word of memory.
#[derive(Clone, Copy, Debug)]
pub enum WordOperation {
    Wait { address: u64, value: u64, bytes: u32, condition: Condition },
    Write { address: u64, value: u64, bytes: u32 },
}

/// The condition for which a word is waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Greater or equal in cyclic order: the signed difference is not negative.
    GreaterOrEqual,
    Equal,
    /// The two have a bit in common.
    And,
    /// There is a bit that is set in neither.
    Nor,
}

/// An operation.
#[derive(Clone)]
pub enum Operation {
    Launch(Arc<Launch>),
    Copy(Arc<Copy>),
    Fill(Fill),
    Host(HostCall),
    Task(Arc<Mutex<Option<Once>>>),
    Record(ptx_device::Event),
    Wait(ptx_device::Event),
    Words(Arc<[WordOperation]>),
    Free(u64),
    /// Nothing is done: memory of graphs that earlier operations use remains accessible until here.
    Hold(Arc<GraphMemory>),
    Child(Arc<Program>),
    Empty,
}

/// Operations that are performed one after the other.
#[derive(Debug)]
pub struct Program {
    pub operations: Vec<Operation>,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Launch(_) => "kernel",
            Operation::Copy(_) => "copy",
            Operation::Fill(_) => "fill",
            Operation::Host(_) => "host function",
            Operation::Task(_) => "task",
            Operation::Record(_) => "event record",
            Operation::Wait(_) => "event wait",
            Operation::Words(_) => "memory operations",
            Operation::Free(_) => "free",
            Operation::Hold(memory) => return write!(f, "end of memory at {:#x}", memory.address),
            Operation::Child(_) => "graph",
            Operation::Empty => "empty",
        })
    }
}

impl Operation {
    /// Queues it.
    pub fn queue(&self, gpu: &'static Gpu, queue: &ptx_device::Stream) -> Answer {
        match self {
            Operation::Record(event) => queue.record(event),
            Operation::Wait(event) => queue.wait(event)?,
            Operation::Child(program) => {
                return program.operations.iter().try_for_each(|operation| operation.queue(gpu, queue));
            }
            Operation::Empty => {}
            Operation::Launch(_)
            | Operation::Copy(_)
            | Operation::Fill(_)
            | Operation::Host(_)
            | Operation::Task(_)
            | Operation::Words(_)
            | Operation::Free(_)
            | Operation::Hold(_) => {
                let operation = self.clone();
                queue.call(move || {
                    if let Err(failure) = operation.run(gpu) {
                        gpu.keep(failure);
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Performs it on the calling thread.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        match self {
            Operation::Launch(launch) => launch.run(gpu),
            Operation::Copy(copy) => copy.run(gpu),
            Operation::Fill(fill) => fill.run(gpu),
            Operation::Host(call) => {
                // Like the real driver's, it is not called after an error.
                if gpu.device.stopped().is_none() {
                    call.run();
                }
                Ok(())
            }
            Operation::Task(task) => {
                let task = lock(task).take();
                task.map_or(Ok(()), |task| task())
            }
            Operation::Words(words) => words.iter().try_for_each(|word| word.run(gpu)),
            Operation::Free(address) => memory::free_now(*address),
            Operation::Child(program) => {
                program.operations.iter().try_for_each(|operation| operation.run(gpu))
            }
            Operation::Record(_) | Operation::Wait(_) | Operation::Hold(_) | Operation::Empty => Ok(()),
        }
    }
}

impl WordOperation {
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        let read = |address, bytes: u32| -> Answer<u64> {
            let mut word = [0; 8];
            memory::read(address, &mut word[..bytes as usize])?;
            Ok(u64::from_le_bytes(word))
        };
        match *self {
            WordOperation::Write { address, value, bytes } => {
                memory::write(address, &value.to_le_bytes()[..bytes as usize])
            }
            WordOperation::Wait { address, value, bytes, condition } => {
                let mut pause = std::time::Duration::from_micros(1);
                while !condition.holds(read(address, bytes)?, value, bytes) {
                    if let Some(error) = gpu.device.stopped() {
                        return Err(gpu.failure(error));
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(std::time::Duration::from_millis(1));
                }
                Ok(())
            }
        }
    }
}

impl Condition {
    pub fn holds(self, found: u64, value: u64, bytes: u32) -> bool {
        let mask = u64::MAX >> (64 - 8 * bytes);
        match self {
            // The difference as a signed number of the word's size.
            Condition::GreaterOrEqual => found.wrapping_sub(value) & mask <= mask >> 1,
            Condition::Equal => (found ^ value) & mask == 0,
            Condition::And => found & value & mask != 0,
            Condition::Nor => !(found | value) & mask != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_words() {
        let holds = |condition: Condition, found, value| condition.holds(found, value, 4);
        assert!(holds(Condition::GreaterOrEqual, 5, 5) && holds(Condition::GreaterOrEqual, 6, 5));
        assert!(!holds(Condition::GreaterOrEqual, 4, 5));
        assert!(holds(Condition::GreaterOrEqual, 1, 0xffff_ffff));
        assert!(holds(Condition::Equal, 7, 7) && !holds(Condition::Equal, 7, 6));
        assert!(holds(Condition::And, 6, 2) && !holds(Condition::And, 4, 2));
        assert!(holds(Condition::Nor, 0xffff_fff0, 0x7) && !holds(Condition::Nor, 0xffff_fff0, 0xf));
    }
}
