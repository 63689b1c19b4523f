//! Files of the host that a program opens: the streams of C's `stdio.h`.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// What `stdio.h` calls `EOF`, as it is sent to the program.
const EOF: u64 = u64::MAX;

/// A handle has one of these in its lowest bits if it is a standard stream, and zero if it is one of [`Streams`].
const STDIN: u64 = 1;
const STDOUT: u64 = 2;
const STDERR: u64 = 3;

/// Where something is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    Stdout,
    Stderr,
    /// The stream with this handle.
    Stream(u64),
}

#[derive(Default)]
struct Stream {
    /// No element is a standard stream.
    file: Option<File>,
    /// Characters that `ungetc` pushed back, the last one first.
    put_back: Vec<u8>,
    is_at_end: bool,
    has_failed: bool,
}

/// All open streams.
pub struct Streams {
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    /// Those that the program opened; closed ones are `None`.
    opened: Vec<Option<Stream>>,
}

impl Stream {
    fn read_some(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.file {
            Some(file) => file.read(to),
            None => std::io::stdin().lock().read(to),
        }
    }

    /// Reads as many bytes as there are, at most `size`, or up to and with a byte.
    fn read(&mut self, size: u64, last: Option<u8>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        while (bytes.len() as u64) < size && (last.is_none() || bytes.last().copied() != last) {
            if let Some(byte) = self.put_back.pop() {
                bytes.push(byte);
                continue;
            }
            let rest = (size - bytes.len() as u64).min(if last.is_some() { 1 } else { buffer.len() as u64 });
            match self.read_some(&mut buffer[..rest as usize]) {
                Ok(0) => {
                    self.is_at_end = true;
                    break;
                }
                Ok(count) => bytes.extend(&buffer[..count]),
                Err(_) => {
                    self.has_failed = true;
                    break;
                }
            }
        }
        bytes
    }

    /// How many bytes were written.
    fn write(&mut self, bytes: &[u8]) -> u64 {
        let Some(file) = &mut self.file else { return 0 };
        let done = file.write_all(bytes);
        self.has_failed |= done.is_err();
        if done.is_ok() { bytes.len() as u64 } else { 0 }
    }

    fn seek(&mut self, offset: i64, from: i32) -> u64 {
        let from = match from {
            0 => u64::try_from(offset).map(SeekFrom::Start).ok(),
            1 => Some(SeekFrom::Current(offset - self.put_back.len() as i64)),
            2 => Some(SeekFrom::End(offset)),
            _ => None,
        };
        let done = self.file.as_mut().zip(from).is_some_and(|(file, from)| file.seek(from).is_ok());
        if done {
            self.put_back.clear();
            self.is_at_end = false;
        }
        if done { 0 } else { EOF }
    }

    fn position(&mut self) -> u64 {
        let position = self.file.as_mut().and_then(|file| file.stream_position().ok());
        position.map_or(EOF, |position| position.saturating_sub(self.put_back.len() as u64))
    }
}

impl Streams {
    /// The standard streams.
    pub fn new() -> Self {
        let [stdin, stdout, stderr] = std::array::from_fn(|_| Stream::default());
        Self { stdin, stdout, stderr, opened: Vec::new() }
    }

    /// Opens a file (`fopen`); the handle, or zero.
    pub fn open(&mut self, path: &[u8], mode: &[u8]) -> u64 {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        let both = mode.contains(&b'+');
        let mut options = OpenOptions::new();
        match mode.first() {
            Some(b'r') => options.read(true).write(both),
            Some(b'w') => {
                options.write(true).read(both).truncate(true);
                if mode.contains(&b'x') { options.create_new(true) } else { options.create(true) }
            }
            Some(b'a') => options.append(true).read(both).create(true),
            _ => return 0,
        };
        let Ok(file) = options.open(path) else { return 0 };
        self.opened.push(Some(Stream { file: Some(file), ..Stream::default() }));
        // The lowest bits are zero.
        self.opened.len() as u64 * 4
    }

    fn stream(&mut self, handle: u64) -> Option<&mut Stream> {
        match handle & 3 {
            STDIN => Some(&mut self.stdin),
            STDOUT => Some(&mut self.stdout),
            STDERR => Some(&mut self.stderr),
            _ => self.opened.get_mut(usize::try_from(handle / 4).ok()?.checked_sub(1)?)?.as_mut(),
        }
    }

    /// Closes a stream (`fclose`).
    pub fn close(&mut self, handle: u64) -> u64 {
        if handle & 3 != 0 {
            return 0;
        }
        let index = usize::try_from(handle / 4).ok().and_then(|number| number.checked_sub(1));
        let stream = index.and_then(|index| self.opened.get_mut(index)).and_then(Option::take);
        if stream.is_some() { 0 } else { EOF }
    }

    /// Writes bytes (`fwrite`); how many were written.
    pub fn write(&mut self, output: Output, bytes: &[u8]) -> u64 {
        let done = match output {
            Output::Stdout => std::io::stdout().lock().write_all(bytes),
            Output::Stderr => std::io::stderr().lock().write_all(bytes),
            Output::Stream(handle) => match handle & 3 {
                STDOUT => return self.write(Output::Stdout, bytes),
                STDERR => return self.write(Output::Stderr, bytes),
                _ => {
                    // Nothing is written to an invalid handle.
                    let Some(stream) = self.stream(handle) else { return 0 };
                    return stream.write(bytes);
                }
            },
        };
        if done.is_ok() { bytes.len() as u64 } else { 0 }
    }

    /// Reads at most `size` bytes (`fread`).
    pub fn read(&mut self, handle: u64, size: u64) -> Vec<u8> {
        self.stream(handle).map(|stream| stream.read(size, None)).into_iter().flatten().collect()
    }

    /// Reads a line of at most `size` bytes with the zero at its end (`fgets`); nothing at the end of the file.
    pub fn read_line(&mut self, handle: u64, size: u64) -> Vec<u8> {
        let line = self.stream(handle).map(|stream| stream.read(size.saturating_sub(1), Some(b'\n')));
        let mut line: Vec<u8> = line.into_iter().flatten().collect();
        if !line.is_empty() {
            line.push(0);
        }
        line
    }

    /// `feof`: not zero at the end.
    pub fn is_at_end(&mut self, handle: u64) -> u64 {
        let Some(stream) = self.stream(handle) else { return 0 };
        u64::from(stream.is_at_end)
    }

    /// `ferror`: not zero after an error; a handle of no stream is one.
    pub fn has_failed(&mut self, handle: u64) -> u64 {
        let Some(stream) = self.stream(handle) else { return 1 };
        u64::from(stream.has_failed)
    }

    /// `clearerr`.
    pub fn clear_error(&mut self, handle: u64) {
        if let Some(stream) = self.stream(handle) {
            (stream.is_at_end, stream.has_failed) = (false, false);
        }
    }

    /// `fseek`.
    pub fn seek(&mut self, handle: u64, offset: i64, from: i32) -> u64 {
        self.stream(handle).map_or(EOF, |stream| stream.seek(offset, from))
    }

    /// `ftell`.
    pub fn position(&mut self, handle: u64) -> u64 {
        self.stream(handle).map_or(EOF, Stream::position)
    }

    /// `fflush`: files are not buffered here.
    pub fn flush(&mut self, handle: u64) -> u64 {
        let is_known = handle == 0 || self.stream(handle).is_some();
        if is_known && std::io::stdout().flush().is_ok() { 0 } else { EOF }
    }

    /// `ungetc`.
    pub fn put_back(&mut self, handle: u64, character: u64) -> u64 {
        match self.stream(handle) {
            Some(stream) if character as i32 >= 0 => {
                stream.put_back.push(character as u8);
                stream.is_at_end = false;
                character & 0xff
            }
            _ => EOF,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_and_read_as_c_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let name = path.as_os_str().as_bytes();
        let mut streams = Streams::new();
        assert_eq!(streams.open(name, b"r"), 0);
        let to = streams.open(name, b"w");
        assert_eq!(streams.write(Output::Stream(to), b"one\ntwo"), 7);
        assert_eq!((streams.close(to), streams.close(to)), (0, EOF));
        assert_eq!(streams.write(Output::Stream(to), b"late"), 0);
        assert_eq!(streams.open(name, b"wx"), 0);
        let from = streams.open(name, b"rb");
        assert_eq!(streams.read_line(from, 100), b"one\n\0");
        assert_eq!((streams.position(from), streams.is_at_end(from)), (4, 0));
        assert_eq!(streams.put_back(from, u64::from(b'x')), u64::from(b'x'));
        assert_eq!((streams.position(from), streams.read_line(from, 3)), (3, b"xt\0".to_vec()));
        assert_eq!(streams.read(from, 10), b"wo");
        assert_eq!((streams.is_at_end(from), streams.has_failed(from)), (1, 0));
        assert_eq!(streams.read_line(from, 10), b"");
        assert_eq!((streams.seek(from, -2, 2), streams.is_at_end(from)), (0, 0));
        assert_eq!((streams.read(from, 1), streams.seek(from, -1, 0)), (b"w".to_vec(), EOF));
        // It is not open for writing.
        assert_eq!((streams.write(Output::Stream(from), b"x"), streams.has_failed(from)), (0, 1));
        streams.clear_error(from);
        assert_eq!((streams.has_failed(from), streams.has_failed(400)), (0, 1));
        let more = streams.open(name, b"a+");
        assert_eq!(
            (streams.write(Output::Stream(more), b"!"), std::fs::read(&path).unwrap()),
            (1, b"one\ntwo!".to_vec())
        );
    }
}
