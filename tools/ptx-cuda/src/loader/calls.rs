//! The operations for which programs call the host: those of `libc/shared/rpc_opcodes.h`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;

use super::channel::{Ended, LANES, Packets, Port, Texts};
use super::heap::Heap;
use super::print::{self, Packing};
use super::streams::{Output, Streams};

/// The operations of libc have this in their highest byte.
const LIBC: u32 = (b'c' as u32) << 24;
/// Those that its tests of the channel use.
const TEST: u32 = 1 << 15;

const TO_STDOUT: u32 = 2;
const TO_STDERR: u32 = 3;
const TO_STREAM: u32 = 4;
const LINE_TO_STDOUT: u32 = 5;

/// The null pointer of a program.
const NULL: u64 = 0;

/// The result of functions of C that failed: -1.
const FAILED: u64 = u64::MAX;

/// The outcome of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// The program goes on.
    GoOn,
    /// It ends with this status.
    Exit(i32),
    /// It ends as by `abort`.
    Abort,
    /// It cannot be answered.
    Unknown(String),
}

/// Answers calls.
pub struct Host {
    pub heap: Heap,
    pub streams: Streams,
}

impl Host {
    /// Answers a call.
    ///
    /// # Errors
    /// [`Ended`] if the kernel ended within it.
    pub fn answer(&mut self, port: &mut Port) -> Result<Next, Ended> {
        let opcode = port.opcode;
        let number = if opcode & 0xff00_0000 == LIBC { opcode & 0x00ff_ffff } else { opcode };
        let is_of_libc = opcode & 0xff00_0000 == LIBC || number & TEST != 0;
        if !is_of_libc {
            return Ok(unknown(opcode));
        }
        match number {
            0 | TEST => port.receive().map(drop)?,
            1 => return exit(port),
            TO_STDOUT | TO_STDERR | TO_STREAM | LINE_TO_STDOUT => self.write(port, number)?,
            6 => self.read(port)?,
            7 => {
                let wanted = port.receive()?;
                let line =
                    |(lane, packet): (usize, [u64; 8])| (lane, self.streams.read_line(packet[1], packet[0]));
                port.send_texts(&wanted.into_iter().map(line).collect::<Texts>())?;
            }
            8 => self.open(port)?,
            9 => port.reply(|packet| self.streams.close(packet[0]))?,
            10 => port.reply(|packet| self.heap.allocate(packet[0]).unwrap_or(NULL))?,
            11 => return self.free(port),
            13 => {
                port.reply(|packet| packet[0])?;
                port.receive()?;
                return Ok(Next::Abort);
            }
            14 => port.reply(|packet| self.streams.is_at_end(packet[0]))?,
            15 => port.reply(|packet| self.streams.has_failed(packet[0]))?,
            16 => port.reply(|packet| {
                self.streams.clear_error(packet[0]);
                0
            })?,
            17 => {
                port.reply(|packet| self.streams.seek(packet[0], packet[1] as i64, packet[2] as i32))?;
            }
            18 => port.reply(|packet| self.streams.position(packet[0]))?,
            19 => port.reply(|packet| self.streams.flush(packet[0]))?,
            20 => port.reply(|packet| self.streams.put_back(packet[1], packet[0]))?,
            21..=23 => self.print(port, number - 21 + TO_STDOUT, Packing::Aligned)?,
            24..=26 => self.print(port, number - 24 + TO_STDOUT, Packing::Packed)?,
            27 => {
                let names = port.receive_texts()?;
                port.answer(names.iter().map(|(lane, name)| (*lane, failed(remove(path(name))))))?;
            }
            28 => {
                let (from, to) = (port.receive_texts()?, port.receive_texts()?);
                let renamed = from
                    .iter()
                    .zip(&to)
                    .map(|((lane, from), (_, to))| (*lane, failed(std::fs::rename(path(from), path(to)))));
                port.answer(renamed.collect::<Vec<_>>())?;
            }
            29 => {
                let commands = port.receive_texts()?;
                port.answer(commands.iter().map(|(lane, command)| (*lane, system(command))))?;
            }
            _ => return test(port, number.wrapping_sub(TEST)),
        }
        Ok(Next::GoOn)
    }

    fn write(&mut self, port: &mut Port, number: u32) -> Result<(), Ended> {
        let outputs = outputs(port, number)?;
        let texts = port.receive_texts()?;
        let mut write = |lane: usize, text: &[u8]| {
            let written = self.streams.write(outputs[lane], text);
            let is_line = number == LINE_TO_STDOUT && written == text.len() as u64;
            written + if is_line { self.streams.write(outputs[lane], b"\n") } else { 0 }
        };
        let written: Vec<_> = texts.iter().map(|(lane, text)| (*lane, write(*lane, text))).collect();
        port.answer(written)
    }

    fn read(&mut self, port: &mut Port) -> Result<(), Ended> {
        let wanted = port.receive()?;
        let texts: Texts = wanted
            .into_iter()
            .map(|(lane, packet)| (lane, self.streams.read(packet[1], packet[0])))
            .collect();
        port.send_texts(&texts)?;
        port.answer(texts.iter().map(|(lane, text)| (*lane, text.len() as u64)))
    }

    fn open(&mut self, port: &mut Port) -> Result<(), Ended> {
        let names = port.receive_texts()?;
        let modes = port.receive()?;
        let mut handles = Vec::new();
        for ((lane, name), (_, mode)) in names.iter().zip(&modes) {
            let mode: Vec<u8> = mode.iter().flat_map(|word| word.to_le_bytes()).collect();
            handles.push((*lane, self.streams.open(until_zero(name), until_zero(&mode))));
        }
        port.answer(handles)
    }

    fn free(&mut self, port: &mut Port) -> Result<Next, Ended> {
        let addresses = port.receive()?.into_iter().map(|(_, packet)| packet[0]);
        let wrong = addresses.filter(|&address| address != 0).find(|&address| !self.heap.free(address));
        Ok(match wrong {
            Some(address) => Next::Unknown(format!(
                "the program frees {address:#x}, which it has not allocated or has freed"
            )),
            None => Next::GoOn,
        })
    }

    fn print(&mut self, port: &mut Port, number: u32, packing: Packing) -> Result<(), Ended> {
        let outputs = outputs(port, number)?;
        let formats = port.receive_texts()?;
        let formats: Texts =
            formats.into_iter().map(|(lane, text)| (lane, until_zero(&text).to_vec())).collect();
        let sizes = formats.iter().map(|(lane, text)| (*lane, print::bytes_of_arguments(text, packing)));
        port.answer(sizes.collect::<Vec<_>>())?;
        let arguments = port.receive_texts()?;
        let both = || formats.iter().zip(&arguments);
        let mut missing: Vec<Vec<u64>> =
            both().map(|((_, format), (_, arguments))| print::texts(format, packing, arguments)).collect();
        let mut texts: Vec<HashMap<u64, Vec<u8>>> = vec![HashMap::new(); missing.len()];
        while missing.iter().any(|addresses| !addresses.is_empty()) {
            // A null address asks for nothing.
            let next = |addresses: &mut Vec<u64>| addresses.pop().unwrap_or(NULL);
            let asked: Vec<u64> = missing.iter_mut().map(next).collect();
            let packet =
                |((lane, _), &address): (&(usize, Vec<u8>), &u64)| (*lane, [0, address, 0, 0, 0, 0, 0, 0]);
            port.send(&formats.iter().zip(&asked).map(packet).collect::<Packets>())?;
            for ((texts, address), (_, text)) in texts.iter_mut().zip(asked).zip(port.receive_texts()?) {
                texts.insert(address, until_zero(&text).to_vec());
            }
        }
        let printed: Vec<_> = both()
            .zip(&texts)
            .map(|(((lane, format), (_, arguments)), texts)| {
                let text = print::print(format, packing, arguments, texts);
                (*lane, self.streams.write(outputs[*lane], &text))
            })
            .collect();
        // A null address of a text ends the call.
        port.answer(printed)
    }
}

fn unknown(opcode: u32) -> Next {
    Next::Unknown(format!("the program calls the host for operation {opcode:#x}, which is not known here"))
}

fn exit(port: &mut Port) -> Result<Next, Ended> {
    port.reply(|packet| packet[0])?;
    let status = port.receive()?;
    // Threads that exit at once have one status.
    Ok(status.first().map_or(Next::GoOn, |(_, packet)| Next::Exit(packet[0] as i32)))
}

/// Where each thread writes to.
fn outputs(port: &mut Port, number: u32) -> Result<[Output; LANES], Ended> {
    let mut outputs = [if number == TO_STDERR { Output::Stderr } else { Output::Stdout }; LANES];
    if number == TO_STREAM {
        for (lane, packet) in port.receive()? {
            outputs[lane] = Output::Stream(packet[0]);
        }
    }
    Ok(outputs)
}

/// The operations of the tests of the channel, in the order in which they send and receive.
fn test(port: &mut Port, number: u32) -> Result<Next, Ended> {
    match number {
        1 => port.reply(|packet| packet[0] + 1)?,
        2 => {
            let ends_with_receive = port.receive()?.first().is_some_and(|(_, packet)| packet[0] & 0xff != 0);
            let lanes: Vec<usize> = port.lanes().collect();
            let mut count = 0;
            let mut step = |port: &mut Port, is_sent: bool| {
                if is_sent {
                    count += 1;
                    return port.answer(lanes.iter().map(|&lane| (lane, count)));
                }
                let packets = port.receive()?;
                count = packets.first().map_or(count, |(_, packet)| packet[0]);
                Ok(())
            };
            for is_sent in [false, true, false, true, false, false, true, true, !ends_with_receive] {
                step(port, is_sent)?;
            }
        }
        3 => {
            let texts = port.receive_texts()?;
            port.send_texts(&texts)?;
        }
        _ => return Ok(unknown(port.opcode)),
    }
    Ok(Next::GoOn)
}

fn until_zero(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == 0);
    end.map_or(text, |end| &text[..end])
}

fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(until_zero(name)))
}

/// `remove` of C: a file, or an empty folder.
fn remove(path: &Path) -> std::io::Result<()> {
    if path.is_dir() { std::fs::remove_dir(path) } else { std::fs::remove_file(path) }
}

/// The result of a function of C.
fn failed(done: std::io::Result<()>) -> u64 {
    if done.is_ok() { 0 } else { FAILED }
}

/// `system` of C: the status in the encoding of `wait`.
fn system(command: &[u8]) -> u64 {
    use std::os::unix::process::ExitStatusExt as _;

    let status = Command::new("sh").arg("-c").arg(OsStr::from_bytes(until_zero(command))).status();
    status.map_or(FAILED, |status| status.into_raw() as u64)
}
