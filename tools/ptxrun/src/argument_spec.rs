//! One argument of a launch, as it was written: bytes, a buffer, or a tensor map, texture or structure that refers to buffers.
//!
//! These types contain each other. They are parsed in `spec`, `tensor`, `texture` and `composed`, and converted to the arguments for the
//! device in `contents`.

use std::fmt;
use std::path::{Path, PathBuf};

use ptx_exec::tensormap::{PixelBox, Tensor, WideMode};
use ptx_exec::texture::{Image, Sampler, Surface, Texture};

use crate::filled::{FilledSpec, Filling};
use crate::value_type::ValueType;

/// One kernel argument (`--arg SPEC`).
#[derive(Clone, PartialEq, Debug)]
pub enum ArgumentSpec {
    /// `hex=0011..`: the parameter's bytes.
    Bytes(Vec<u8>),
    /// `i32=-5`, `f32=1.5`: a number of a type, with its bytes, little endian.
    Number(ValueType, Vec<u8>),
    /// `in=FILE`: a buffer with the file's content.
    In(PathBuf),
    /// `out=BYTES:FILE`: a zeroed buffer, written to the file after the launch.
    Out(u64, PathBuf),
    /// `inout=FILE:FILE`: a buffer with the first file's content, written to the second after the launch.
    InOut(PathBuf, PathBuf),
    /// `zero=BYTES`: a zeroed buffer.
    Zero(u64),
    /// `buffer=iota,type=f32,dims=256`: a buffer with a type.
    Filled(Box<FilledSpec>),
    /// `tensormap=BUFFER,type=..,dims=..,box=..`: a tensor map over its own buffer, or over that of another argument.
    TensorMap(Box<TensorMapSpec>),
    /// `texture=BUFFER,type=..,dims=..`, `surface=..`: the handle of a texture or surface.
    Texture(Box<TextureSpec>),
    /// `sampler=filter=..`: the handle of a sampler.
    Sampler(Box<Sampler>),
    /// `address=BUFFER`, and the structures and lists of launch files: bytes with addresses and handles in them.
    Composed(Box<Composed>),
    /// A buffer with such contents.
    ComposedBuffer(Box<Composed>),
}

impl ArgumentSpec {
    /// Whether it is a buffer whose address is the parameter.
    pub fn is_plain_buffer(&self) -> bool {
        match self {
            Self::In(_)
            | Self::Out(..)
            | Self::InOut(..)
            | Self::Zero(_)
            | Self::Filled(_)
            | Self::ComposedBuffer(_) => true,
            Self::Bytes(_)
            | Self::Number(..)
            | Self::TensorMap(_)
            | Self::Texture(_)
            | Self::Sampler(_)
            | Self::Composed(_) => false,
        }
    }

    /// The buffer in global memory that it is or contains.
    pub fn global_buffer(&self) -> Option<&Self> {
        self.buffer().filter(|_| !matches!(self, Self::Texture(_)))
    }

    /// The buffer or the texels that it is or contains.
    pub fn buffer(&self) -> Option<&Self> {
        match self {
            Self::TensorMap(spec) => spec.source.own(),
            Self::Texture(spec) => spec.source.own(),
            other => other.is_plain_buffer().then_some(other),
        }
    }

    /// Where the buffer is written after the launch.
    pub fn output(&self) -> Option<&Path> {
        match self.buffer() {
            Some(Self::Out(_, path) | Self::InOut(_, path)) => Some(path),
            Some(Self::Filled(spec)) => spec.output.as_deref(),
            _ => None,
        }
    }
}

/// The buffer that a tensor is in.
#[derive(Clone, PartialEq, Debug)]
pub enum BufferSource {
    /// That of another argument, from 0.
    Argument(usize),
    /// One of the launch file's `buffers`, by its name.
    Buffer(String),
    /// Its own buffer, in the syntax of a buffer argument.
    Own(ArgumentSpec),
}

impl BufferSource {
    /// Its own buffer, if it has one.
    pub fn own(&self) -> Option<&ArgumentSpec> {
        match self {
            BufferSource::Own(own) => Some(own),
            BufferSource::Argument(_) | BufferSource::Buffer(_) => None,
        }
    }

    /// Parses the index of another argument, or the name of a buffer.
    ///
    /// # Errors
    /// The message for a text that is neither.
    pub fn other(text: &str) -> Result<Self, String> {
        if let Ok(index) = text.parse() {
            return Ok(BufferSource::Argument(index));
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if text.starts_with(|c: char| is_part(c) && !c.is_ascii_digit()) && text.chars().all(is_part) {
            return Ok(BufferSource::Buffer(text.to_owned()));
        }
        Err(format!("`{text}` is not an argument's index, and not the name of a buffer"))
    }
}

impl fmt::Display for BufferSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferSource::Argument(index) => write!(f, "{index}"),
            BufferSource::Buffer(name) => f.write_str(name),
            BufferSource::Own(_) => f.write_str("a buffer of its own"),
        }
    }
}

/// A tensor map over a buffer of the launch.
#[derive(Clone, PartialEq, Debug)]
pub struct TensorMapSpec {
    /// The buffer.
    pub source: BufferSource,
    /// Where the tensor starts in it, in bytes.
    pub offset: u64,
    /// The tensor, at address 0.
    pub tensor: Tensor,
    pub bounding_box: BoxSpec,
}

/// The part of the tensor that is copied.
#[derive(Clone, PartialEq, Debug)]
pub enum BoxSpec {
    /// `box=`
    Box(Vec<u32>),
    /// `lower=`, `upper=`, `channels=`, `pixels=`
    Pixels(PixelBox),
    /// The same with `wide=`, only along W.
    Wide(WideBox),
}

/// A box of pixels along W.
#[derive(Clone, PartialEq, Debug)]
pub struct WideBox {
    /// The first and the last corner.
    pub corners: (i32, i32),
    pub channels: u32,
    pub pixels: u32,
    pub mode: WideMode,
}

/// The object to which the handle refers.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// A texture; the index of its image is set later.
    Texture(Texture),
    /// A surface, likewise.
    Surface(Surface),
}

/// A texture or surface of its own image, of an image in another argument's buffer, or of the image of another texture or
/// surface.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureSpec {
    /// Where the texels are.
    pub source: BufferSource,
    /// The image without its texels; `None` if it is that of another argument.
    pub image: Option<Image>,
    /// The texture or surface.
    pub shown: Shown,
}

/// Bytes with parts that are only known when the launch begins.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Composed {
    /// The bytes; those of the parts are zeros.
    pub bytes: Vec<u8>,
    /// The parts, with the first byte of each.
    pub parts: Vec<(usize, DeferredPart)>,
}

/// A value that is only known when the launch begins.
#[derive(Clone, PartialEq, Debug)]
pub enum DeferredPart {
    /// The address of a byte of a buffer.
    Address(BufferSource, u64),
    /// A tensor map of another argument's buffer, or the handle of a texture, surface or sampler.
    Argument(ArgumentSpec),
}

/// Bytes of an address or a handle.
const WORD: usize = 8;

impl DeferredPart {
    /// Its size in bytes.
    fn size(&self) -> usize {
        match self {
            DeferredPart::Argument(ArgumentSpec::TensorMap(_)) => ptx_exec::tensormap::BYTES,
            DeferredPart::Address(..) | DeferredPart::Argument(_) => WORD,
        }
    }
}

impl Composed {
    /// A single part.
    pub fn of(part: DeferredPart) -> Self {
        Self { bytes: vec![0; part.size()], parts: vec![(0, part)] }
    }
}

/// Resolves relative paths against a folder.
pub fn beside(spec: ArgumentSpec, folder: &Path) -> ArgumentSpec {
    let place = |path: PathBuf| folder.join(path);
    match spec {
        ArgumentSpec::In(path) => ArgumentSpec::In(place(path)),
        ArgumentSpec::Out(bytes, path) => ArgumentSpec::Out(bytes, place(path)),
        ArgumentSpec::InOut(from, to) => ArgumentSpec::InOut(place(from), place(to)),
        ArgumentSpec::Filled(mut spec) => {
            if let Filling::File(path) = spec.filling {
                spec.filling = Filling::File(place(path));
            }
            spec.output = spec.output.map(place);
            spec.expected = spec.expected.map(|(path, tolerance)| (place(path), tolerance));
            ArgumentSpec::Filled(spec)
        }
        ArgumentSpec::TensorMap(mut map) => {
            if let BufferSource::Own(own) = map.source {
                map.source = BufferSource::Own(beside(own, folder));
            }
            ArgumentSpec::TensorMap(map)
        }
        ArgumentSpec::Texture(mut texture) => {
            if let BufferSource::Own(own) = texture.source {
                texture.source = BufferSource::Own(beside(own, folder));
            }
            ArgumentSpec::Texture(texture)
        }
        ArgumentSpec::Composed(mut composed) => {
            for (_, part) in &mut composed.parts {
                if let DeferredPart::Argument(inner) = part {
                    *inner = beside(inner.clone(), folder);
                }
            }
            ArgumentSpec::Composed(composed)
        }
        // The paths of these were resolved when the launch file was parsed.
        ArgumentSpec::ComposedBuffer(_)
        | ArgumentSpec::Bytes(_)
        | ArgumentSpec::Number(..)
        | ArgumentSpec::Zero(_)
        | ArgumentSpec::Sampler(_) => spec,
    }
}
