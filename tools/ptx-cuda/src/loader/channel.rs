//! The memory through which programs of LLVM's libc call the host (`libc/shared/rpc.h` of LLVM 20 and later).
//!
//! The memory has a number of ports. A port has two mailboxes, a header and a packet for each thread of a warp:
//!
//! ```text
//! u32 to_device[ports]; u32 to_host[ports]; struct { u64 mask; u32 opcode; } header[ports]; u64 packet[ports][32][8];
//! ```
//!
//! The device owns the packets while the mailboxes of their port are equal, and otherwise the host does. Each side changes its own mailbox to pass
//! the ownership on. A call begins with what the device sends; from then on both sides know who sends next.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ptx_device::Words;

/// Threads of a warp, each of which has a packet.
pub const LANES: usize = 32;
/// The most ports of a program: it has a lock for each.
pub const MOST_PORTS: u32 = 4096;
/// Bytes of the program's own data (`rpc::Client`): the number of ports, four addresses, and the locks.
pub const CLIENT_BYTES: u64 = 8 + 4 * 8 + MOST_PORTS as u64 / 8;

const PACKET_WORDS: usize = 8;
/// Bytes of the first packet of a text, after its size.
const FIRST: usize = PACKET_WORDS * 8 - 8;

/// The words that a thread sends or receives at a time.
pub type Packet = [u64; PACKET_WORDS];

/// The threads of a call, each with its packet.
pub type Packets = Vec<(usize, Packet)>;

/// The threads of a call, each with its text.
pub type Texts = Vec<(usize, Vec<u8>)>;

/// The kernel ended before it sent or received what belongs to the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended;

/// Where the parts of the memory are, for a number of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub ports: u32,
}

impl Layout {
    /// As many ports as there are warps at once, in pairs, so that headers are aligned.
    pub fn for_warps(warps: u64) -> Self {
        Self { ports: (warps.clamp(1, u64::from(MOST_PORTS)) as u32).next_multiple_of(2) }
    }

    fn to_host(self) -> u64 {
        4 * u64::from(self.ports)
    }

    fn headers(self) -> u64 {
        2 * self.to_host()
    }

    fn packets(self) -> u64 {
        self.headers() + 16 * u64::from(self.ports)
    }

    /// Bytes of all parts.
    pub fn bytes(self) -> u64 {
        self.packets() + u64::from(self.ports) * (LANES * PACKET_WORDS * 8) as u64
    }

    /// The program's own data for a channel at an address: the device receives where the host sends.
    pub fn client(self, address: u64) -> Vec<u8> {
        let addresses = [0, self.to_host(), self.headers(), self.packets()].map(|offset| address + offset);
        let mut bytes = u64::from(self.ports).to_le_bytes().to_vec();
        bytes.extend(addresses.iter().flat_map(|address| address.to_le_bytes()));
        bytes.resize(CLIENT_BYTES as usize, 0);
        bytes
    }
}

/// The host's side.
pub struct Channel<'a> {
    words: Words,
    layout: Layout,
    /// Whether no kernel runs that could answer.
    ended: &'a AtomicBool,
}

impl<'a> Channel<'a> {
    /// A channel in this memory, which is zero and has the [bytes](Layout::bytes) of the layout.
    pub fn new(words: Words, layout: Layout, ended: &'a AtomicBool) -> Self {
        Self { words, layout, ended }
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        &self.words[(offset / 8) as usize]
    }

    fn mailbox(&self, offset: u64) -> u32 {
        (self.word(offset).load(Ordering::Acquire) >> (8 * (offset & 4))) as u32
    }

    /// The next port from `start` on with a call.
    pub fn next_call(&self, start: u32) -> Option<Port<'_, 'a>> {
        let ports = self.layout.ports;
        let index = (0..ports).map(|at| (start + at) % ports).find(|&index| {
            let offset = 4 * u64::from(index);
            self.mailbox(self.layout.to_host() + offset) != self.mailbox(offset)
        })?;
        let header = self.layout.headers() + 16 * u64::from(index);
        let mask = self.word(header).load(Ordering::Relaxed) as u32;
        let opcode = self.word(header + 8).load(Ordering::Relaxed) as u32;
        Some(Port { channel: self, index, mask, opcode, has_received: false, is_owner: true })
    }
}

/// A call that is being answered.
pub struct Port<'c, 'a> {
    channel: &'c Channel<'a>,
    /// The index of its port.
    pub index: u32,
    /// The threads that call.
    mask: u32,
    /// The operation.
    pub opcode: u32,
    has_received: bool,
    is_owner: bool,
}

impl Port<'_, '_> {
    /// The threads that call.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
    }

    fn packet(&self, lane: usize) -> &[AtomicU64] {
        let offset = self.channel.layout.packets() / 8;
        let first = offset as usize + (self.index as usize * LANES + lane) * PACKET_WORDS;
        &self.channel.words[first..first + PACKET_WORDS]
    }

    /// Waits until the host owns the packets.
    fn own(&mut self) -> Result<(), Ended> {
        let mut turns = 0;
        while !self.is_owner {
            // The kernel may have ended after it has sent.
            let ended = self.channel.ended.load(Ordering::Acquire);
            let offset = 4 * u64::from(self.index);
            let device = self.channel.mailbox(self.channel.layout.to_host() + offset);
            self.is_owner = device != self.channel.mailbox(offset);
            if !self.is_owner {
                if ended {
                    return Err(Ended);
                }
                pause(&mut turns);
            }
        }
        Ok(())
    }

    /// Passes the ownership of the packets to the device.
    fn hand_over(&mut self) {
        let offset = 4 * u64::from(self.index);
        // The other half of the word is a mailbox of the host, too.
        self.channel.word(offset).fetch_xor(1 << (8 * (offset & 4)), Ordering::Release);
        self.is_owner = false;
    }

    /// What the device sends next.
    pub fn receive(&mut self) -> Result<Packets, Ended> {
        if self.has_received {
            self.hand_over();
        }
        self.own()?;
        self.has_received = true;
        let read = |lane| {
            let words = self.packet(lane);
            (lane, std::array::from_fn(|at| words[at].load(Ordering::Relaxed)))
        };
        Ok(self.lanes().map(read).collect())
    }

    /// Sends these packets; threads without one get what they have sent.
    pub fn send(&mut self, packets: &[(usize, Packet)]) -> Result<(), Ended> {
        self.own()?;
        for (lane, packet) in packets {
            for (word, &value) in self.packet(*lane).iter().zip(packet) {
                word.store(value, Ordering::Relaxed);
            }
        }
        self.hand_over();
        self.has_received = false;
        Ok(())
    }

    /// Answers each thread by a number.
    pub fn answer(&mut self, numbers: impl IntoIterator<Item = (usize, u64)>) -> Result<(), Ended> {
        let packets: Packets =
            numbers.into_iter().map(|(lane, number)| (lane, [number, 0, 0, 0, 0, 0, 0, 0])).collect();
        self.send(&packets)
    }

    /// Receives a packet of each thread and answers it by what is made of it.
    pub fn reply(&mut self, mut reply: impl FnMut(Packet) -> u64) -> Result<(), Ended> {
        let packets = self.receive()?;
        self.answer(packets.into_iter().map(|(lane, packet)| (lane, reply(packet))))
    }

    /// Receives a text of each thread, of any size, which comes first.
    pub fn receive_texts(&mut self) -> Result<Texts, Ended> {
        let first = self.receive()?;
        let sizes: Vec<u64> = first.iter().map(|(_, packet)| packet[0]).collect();
        let mut texts: Texts =
            first.iter().map(|(lane, packet)| (*lane, bytes_of(&packet[1..], packet[0]))).collect();
        let mut at = FIRST as u64;
        while sizes.iter().any(|&size| size > at) {
            for ((text, &size), (_, packet)) in texts.iter_mut().zip(&sizes).zip(self.receive()?) {
                text.1.extend(bytes_of(&packet, size.saturating_sub(at)));
            }
            at += PACKET_WORDS as u64 * 8;
        }
        Ok(texts)
    }

    /// Sends a text to each thread, its size first.
    pub fn send_texts(&mut self, texts: &[(usize, Vec<u8>)]) -> Result<(), Ended> {
        let first = texts.iter().map(|(lane, text)| {
            let mut packet = words_of(text.chunks(FIRST).next(), 1);
            packet[0] = text.len() as u64;
            (*lane, packet)
        });
        self.send(&first.collect::<Packets>())?;
        let mut at = FIRST;
        while texts.iter().any(|(_, text)| text.len() > at) {
            let rest = |text: &Vec<u8>| {
                words_of(text.get(at..).and_then(|rest| rest.chunks(PACKET_WORDS * 8).next()), 0)
            };
            self.send(&texts.iter().map(|(lane, text)| (*lane, rest(text))).collect::<Packets>())?;
            at += PACKET_WORDS * 8;
        }
        Ok(())
    }
}

impl Drop for Port<'_, '_> {
    /// The device owns the packets again at the end of a call.
    fn drop(&mut self) {
        if self.is_owner {
            self.hand_over();
        }
    }
}

/// The first bytes of words.
fn bytes_of(words: &[u64], size: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(usize::try_from(size).map_or(bytes.len(), |size| size.min(bytes.len())));
    bytes
}

/// A packet with these bytes from a word on.
fn words_of(bytes: Option<&[u8]>, first: usize) -> Packet {
    let mut packet = Packet::default();
    for (word, chunk) in packet[first..].iter_mut().zip(bytes.into_iter().flat_map(|bytes| bytes.chunks(8))) {
        let mut whole = [0; 8];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(whole);
    }
    packet
}

/// Waits for a short time, which grows with the number of tries.
pub fn pause(turns: &mut u32) {
    *turns += 1;
    if *turns < 100 {
        std::thread::yield_now();
    } else {
        std::thread::sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use ptx_device::{Device, MemoryKind};

    use super::*;

    /// The offsets are those of `rpc::Process` with 4 ports, counted by hand.
    #[test]
    fn the_layout_is_that_of_llvm() {
        let layout = Layout::for_warps(3);
        assert_eq!((layout.ports, layout.bytes()), (4, 4 * 4 * 2 + 4 * 16 + 4 * 32 * 64));
        let client = layout.client(0x1000);
        assert_eq!(client.len(), 552);
        let word = |at: usize| u64::from_le_bytes(client[8 * at..8 * at + 8].try_into().unwrap());
        assert_eq!([word(0), word(1), word(2), word(3), word(4)], [4, 0x1000, 0x1010, 0x1020, 0x1060]);
        assert_eq!(Layout::for_warps(1 << 40).ports, MOST_PORTS);
    }

    #[test]
    fn texts_of_all_sizes_are_received_and_sent() {
        let device = Device::new();
        let layout = Layout::for_warps(1);
        let address = device.allocate_in(MemoryKind::Host, layout.bytes()).unwrap();
        let ended = AtomicBool::new(false);
        let channel = Channel::new(device.words(address).unwrap(), layout, &ended);
        assert!(channel.next_call(0).is_none());
        let text: Vec<u8> = (0..200u8).collect();
        let far = device.words(address).unwrap();
        let word = |offset: u64| &far[(offset / 8) as usize];
        // The device's side, in port 1 for lane 5.
        let to_host = layout.to_host() + 4;
        let packet = layout.packets() + ((32 + 5) * 64) as u64;
        word(layout.headers() + 16).store(1 << 5, Ordering::Relaxed);
        word(layout.headers() + 24).store(7, Ordering::Relaxed);
        let turn = || {
            word(to_host).fetch_xor(1 << 32, Ordering::AcqRel);
        };
        let is_mine = || word(to_host).load(Ordering::Acquire) >> 32 == word(4).load(Ordering::Acquire) >> 32;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
                bytes.extend(&text);
                for chunk in bytes.chunks(64) {
                    while !is_mine() {}
                    for (at, part) in chunk.chunks(8).enumerate() {
                        let value = u64::from_le_bytes(part.try_into().unwrap());
                        word(packet + 8 * at as u64).store(value, Ordering::Relaxed);
                    }
                    turn();
                }
                let mut back = Vec::new();
                while back.len() < 208 {
                    while !is_mine() {}
                    for at in 0..8 {
                        back.extend(word(packet + 8 * at).load(Ordering::Relaxed).to_le_bytes());
                    }
                    if back.len() < 208 {
                        turn();
                    }
                }
                assert_eq!(&back[..8], &200u64.to_le_bytes());
                assert_eq!(back[8..208], text);
            });
            let mut port = loop {
                if let Some(port) = channel.next_call(0) {
                    break port;
                }
            };
            assert_eq!((port.opcode, port.index), (7, 1));
            let texts = port.receive_texts().unwrap();
            assert_eq!(texts, [(5, text.clone())]);
            port.send_texts(&texts).unwrap();
        });
        assert!(channel.next_call(0).is_none());
    }

    #[test]
    fn a_kernel_that_ends_in_a_call_is_not_waited_for() {
        let device = Device::new();
        let layout = Layout::for_warps(1);
        let address = device.allocate_in(MemoryKind::Host, layout.bytes()).unwrap();
        let ended = AtomicBool::new(true);
        device.write(address + layout.to_host(), &1u32.to_le_bytes()).unwrap();
        let channel = Channel::new(device.words(address).unwrap(), layout, &ended);
        let mut port = channel.next_call(0).unwrap();
        assert_eq!(port.receive(), Ok(Vec::new()));
        assert_eq!(port.receive(), Err(Ended));
    }
}
