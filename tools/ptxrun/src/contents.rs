//! The launch of a plan: the contents of its arguments and buffers before and after it.

use std::path::Path;

use ptx_cli::{ExitStatus, Failure, ReadError, code, read_at_most};
use ptx_diag::counted;
use ptx_exec::texture::{Handle, Image, Start, Storage, Surface, Texture, Textures};
use ptx_exec::{Argument, Content, Launch, Limits, Relocation};

use crate::argument_spec::{
    ArgumentSpec, BufferSource, Composed, DeferredPart, Shown, TensorMapSpec, TextureSpec,
};
use crate::expected::ExpectSpec;
use crate::filled::{self, FilledSpec, Filling};
use crate::npy::{Array, is_npy};
use crate::plan::{Plan, about, unreadable, usage};
use crate::spec::PrintSpec;
use crate::value_type::ValueType;

/// The maximum total size of the buffers of a launch in bytes.
const MAX_BUFFER_BYTES: u64 = 16 << 30;

/// The parts of a launch that have been read so far.
struct Contents<'p> {
    plan: &'p Plan,
    /// The number of bytes left for further buffers.
    left: u64,
    textures: Textures,
    relocations: Vec<Relocation>,
    /// The number of the image of each argument and reference, if it has one.
    images: Vec<Option<usize>>,
    /// The type and the shape of the buffer that was read last, if they are known.
    array: Option<Array>,
}

/// A launch, and what is known of its buffers.
pub struct Planned {
    /// The launch.
    pub launch: Launch,
    /// The type and the shape of each of [`Plan::all`] that is a buffer of which they are known.
    pub arrays: Vec<Option<Array>>,
}

impl Plan {
    /// The launch of the kernel `entry` of the module, with the initial contents of buffers read from their files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or buffers too large for this machine.
    pub fn launch(&self, entry: String) -> Result<Planned, Failure> {
        let mut contents = Contents {
            plan: self,
            left: MAX_BUFFER_BYTES,
            textures: Textures::default(),
            relocations: Vec::new(),
            images: Vec::new(),
            array: None,
        };
        let (mut arguments, mut arrays) = (Vec::new(), Vec::new());
        for (number, argument) in self.args.iter().enumerate() {
            arguments.push(contents.written(number, argument)?);
            arrays.push(contents.array.take());
        }
        for reference in &self.references {
            if let Argument::Handle(handle) = contents.written(usize::MAX, &reference.shown)? {
                contents.textures.references.push((reference.name.clone(), handle));
            }
            arrays.push(contents.array.take());
        }
        let mut buffers = Vec::new();
        for (further, (name, buffer)) in self.buffers.iter().enumerate() {
            if let Argument::Buffer(bytes) = contents.argument(self.args.len() + further, buffer)? {
                buffers.push((name.clone(), bytes));
            }
            arrays.push(contents.array.take());
        }
        self.print.iter().try_for_each(|view| self.check_count(view, &arguments, &buffers))?;
        let launch = Launch {
            entry,
            grid: self.grid.0,
            block: self.block.0,
            cluster: self.cluster.map(|dimensions| dimensions.0),
            dynamic_shared: self.shared,
            cooperative: self.cooperative,
            arguments,
            buffers,
            relocations: contents.relocations,
            textures: contents.textures,
            threads: self.threads,
            completion: self.completion,
            reconvergence: self.reconvergence,
            limits: Limits { timeout: self.timeout, ..Limits::default() },
        };
        Ok(Planned { launch, arrays })
    }

    /// Each expectation, with the contents of its file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn expectations(&self) -> Result<Vec<(&ExpectSpec, Vec<u8>)>, Failure> {
        let mut all = Vec::new();
        for spec in &self.expect {
            all.push((spec, read(&spec.file, MAX_BUFFER_BYTES)?));
        }
        Ok(all)
    }

    /// The contents of each of [`Plan::all`] after a launch, from its buffers and images.
    pub fn contents(
        &self,
        mut buffers: Vec<Option<Vec<u8>>>,
        images: &[Option<Vec<u8>>],
    ) -> Vec<Option<Vec<u8>>> {
        let further = buffers.split_off(self.args.len().min(buffers.len()));
        buffers.resize(self.args.len() + self.references.len(), None);
        buffers.extend(further);
        let mut rest = images;
        for (argument, content) in self.all().zip(&mut buffers) {
            let (own, after) = rest.split_at(images_of(argument).min(rest.len()));
            rest = after;
            if let (ArgumentSpec::Texture(_), Some(texels)) = (argument, own.first()) {
                content.clone_from(texels);
            }
        }
        buffers
    }

    /// Rejects a view of more elements than the buffer has.
    fn check_count(
        &self,
        view: &PrintSpec,
        arguments: &[Argument],
        buffers: &[(String, Vec<u8>)],
    ) -> Result<(), Failure> {
        let bytes = match &view.buffer {
            BufferSource::Argument(index) => match arguments.get(*index) {
                Some(Argument::Buffer(bytes) | Argument::Tensor(_, bytes)) => Some(bytes),
                _ => None,
            },
            BufferSource::Buffer(name) => {
                buffers.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes)
            }
            BufferSource::Own(_) => None,
        };
        let (Some(bytes), Some(count)) = (bytes, view.count) else { return Ok(()) };
        let there = bytes.len() / view.ty.size();
        if count <= there as u64 {
            return Ok(());
        }
        let (buffer, ty) = (&view.buffer, view.ty.name());
        let what = match buffer {
            BufferSource::Argument(index) => format!("the buffer of argument {index}"),
            other => format!("buffer `{other}`"),
        };
        Err(usage(format!(
            "--print {buffer}:{ty}:{count}: {what} has {}, which are {there} of {ty}",
            counted(bytes.len(), "byte")
        )))
    }
}

/// The number of images of an argument.
fn images_of(argument: &ArgumentSpec) -> usize {
    match argument {
        ArgumentSpec::Texture(spec) => usize::from(spec.image().is_some()),
        ArgumentSpec::Composed(composed) | ArgumentSpec::ComposedBuffer(composed) => {
            let inner = composed.parts.iter().filter_map(|(_, part)| match part {
                DeferredPart::Argument(inner) => Some(images_of(inner)),
                DeferredPart::Address(..) => None,
            });
            inner.sum()
        }
        ArgumentSpec::Bytes(_)
        | ArgumentSpec::Number(..)
        | ArgumentSpec::Filled(_)
        | ArgumentSpec::In(_)
        | ArgumentSpec::Out(..)
        | ArgumentSpec::InOut(..)
        | ArgumentSpec::Zero(_)
        | ArgumentSpec::TensorMap(_)
        | ArgumentSpec::Sampler(_) => 0,
    }
}

impl Contents<'_> {
    /// Reads an argument or reference; later textures can refer to its image.
    fn written(&mut self, number: usize, spec: &ArgumentSpec) -> Result<Argument, Failure> {
        let before = self.textures.images.len();
        let argument = self.argument(number, spec)?;
        let brings = matches!(spec, ArgumentSpec::Texture(_)) && images_of(spec) == 1;
        self.images.push(brings.then_some(before));
        Ok(argument)
    }

    /// The contents of an argument at the start of the launch. `number` is its index in the launch.
    fn argument(&mut self, number: usize, spec: &ArgumentSpec) -> Result<Argument, Failure> {
        let bytes = match spec {
            ArgumentSpec::Bytes(bytes) | ArgumentSpec::Number(_, bytes) => {
                return Ok(Argument::Bytes(bytes.clone()));
            }
            ArgumentSpec::Texture(spec) => return self.texture(spec).map(Argument::Handle),
            ArgumentSpec::Sampler(sampler) => {
                self.textures.samplers.push(**sampler);
                return Ok(Argument::Handle(Handle::Sampler(self.textures.samplers.len() - 1)));
            }
            ArgumentSpec::TensorMap(spec) => {
                let BufferSource::Own(own) = &spec.source else {
                    let composed =
                        Composed::of(DeferredPart::Argument(ArgumentSpec::TensorMap(spec.clone())));
                    return self.composed(number, &composed).map(Argument::Bytes);
                };
                return match self.argument(number, own)? {
                    Argument::Buffer(bytes) => {
                        self.check_element(own, spec.tensor.element.bits())?;
                        Ok(Argument::Tensor(encoded(spec)?, bytes))
                    }
                    other => Ok(other),
                };
            }
            ArgumentSpec::Composed(composed) => return self.composed(number, composed).map(Argument::Bytes),
            ArgumentSpec::ComposedBuffer(composed) => {
                self.take(composed.bytes.len() as u64)?;
                self.composed(number, composed)?
            }
            ArgumentSpec::In(path) | ArgumentSpec::InOut(path, _) => self.file(path, None)?,
            ArgumentSpec::Filled(spec) => self.filled(spec)?,
            ArgumentSpec::Out(count, _) | ArgumentSpec::Zero(count) => {
                self.take(*count)?;
                zeroed(*count)?
            }
        };
        Ok(Argument::Buffer(bytes))
    }

    /// The contents of a file: the elements of a .npy file, whose type is the declared one if there is one, or all its bytes.
    fn file(&mut self, path: &Path, declared: Option<ValueType>) -> Result<Vec<u8>, Failure> {
        let bytes = read(path, self.left)?;
        self.take(bytes.len() as u64)?;
        if !is_npy(path) {
            return Ok(bytes);
        }
        let split = Array::split(&bytes).and_then(|(array, elements)| {
            array.checked_type(declared)?;
            Ok((array, elements.to_vec()))
        });
        let (array, elements) = split.map_err(|error| unreadable(path, &error))?;
        self.array = Some(array);
        Ok(elements)
    }

    /// The contents of a buffer with a type.
    fn filled(&mut self, spec: &FilledSpec) -> Result<Vec<u8>, Failure> {
        let declared = spec.count().map_err(usage)?;
        let Filling::File(path) = &spec.filling else {
            let (Some(ty), Some(count), Some(dims)) = (spec.ty, declared, &spec.dims) else {
                return Err(usage("a buffer needs the type and the number of its elements".to_owned()));
            };
            let bytes = count.checked_mul(ty.size() as u64).ok_or_else(|| too_large(u64::MAX))?;
            self.take(bytes)?;
            // Tries whether there is enough memory.
            drop(zeroed(bytes)?);
            self.array = Some(Array::new(ty, dims.clone()));
            let count = usize::try_from(count).map_err(|_| too_large(bytes))?;
            return filled::bytes(&spec.filling, ty, count).ok_or_else(|| too_large(bytes));
        };
        let bytes = self.file(path, spec.ty)?;
        let Some(ty) = spec.ty.or(self.array.as_ref().map(Array::ty)) else {
            return Err(usage("a buffer needs the type of its elements".to_owned()));
        };
        let own = self.array.as_ref().map(|array| array.dims.clone());
        let size = ty.size() as u64;
        let wrong = |what: String| Err(unreadable(path, &format!("it has {what}")));
        match (&own, &spec.dims) {
            (Some(own), Some(dims)) if own != dims => {
                let text = |dims: &[u64]| dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
                return wrong(format!("dimensions {}, not {}", text(own), text(dims)));
            }
            (None, Some(_))
                if declared.and_then(|count| count.checked_mul(size)) != Some(bytes.len() as u64) =>
            {
                return wrong(format!(
                    "{}, which is not the size of the buffer",
                    counted(bytes.len(), "byte")
                ));
            }
            _ if !bytes.len().is_multiple_of(ty.size()) => {
                return wrong(format!("{}, no whole number of {}", counted(bytes.len(), "byte"), ty.name()));
            }
            _ => {}
        }
        let known = own.or_else(|| spec.dims.clone());
        // A file without dimensions has one.
        let dims = known.unwrap_or_else(|| vec![bytes.len() as u64 / size]);
        self.array = Some(Array::new(ty, dims));
        Ok(bytes)
    }

    /// Checks that the elements of a .npy file have the size of those of a tensor or an image.
    fn check_element(&self, own: &ArgumentSpec, bits: u64) -> Result<(), Failure> {
        let (Some(array), ArgumentSpec::In(path) | ArgumentSpec::InOut(path, _)) = (&self.array, own) else {
            return Ok(());
        };
        let size = array.ty().size() as u64 * 8;
        if size == bits {
            return Ok(());
        }
        let ty = array.ty().name();
        Err(unreadable(
            path,
            &format!(
                "it has elements of type {ty}, of {size} bits, and elements of {bits} bits are declared"
            ),
        ))
    }

    /// The bytes of a composed value; its relocations are recorded.
    fn composed(&mut self, number: usize, composed: &Composed) -> Result<Vec<u8>, Failure> {
        let mut bytes = composed.bytes.clone();
        for (at, part) in &composed.parts {
            let content = match part {
                DeferredPart::Address(source, offset) => {
                    Content::Address { buffer: self.plan.number(source)?, offset: *offset }
                }
                DeferredPart::Argument(ArgumentSpec::TensorMap(spec)) => {
                    Content::Tensor { map: encoded(spec)?, buffer: self.plan.number(&spec.source)? }
                }
                DeferredPart::Argument(inner) => {
                    if let Argument::Handle(handle) = self.argument(number, inner)?
                        && let Some(place) = bytes.get_mut(*at..*at + size_of::<u64>())
                    {
                        place.copy_from_slice(&handle.value().to_le_bytes());
                    }
                    continue;
                }
            };
            self.relocations.push(Relocation { inside: number, offset: *at, content });
        }
        Ok(bytes)
    }

    /// A texture or surface, with its own image if it has one.
    fn texture(&mut self, spec: &TextureSpec) -> Result<Handle, Failure> {
        let image = match spec.image() {
            Some(image) => {
                let image = self.image(image, &spec.source)?;
                self.textures.images.push(image);
                self.textures.images.len() - 1
            }
            None => {
                let BufferSource::Argument(index) = spec.source else { return Err(no_image(&spec.source)) };
                let known = self.images.get(index).copied().flatten();
                known.ok_or_else(|| no_image(&spec.source))?
            }
        };
        Ok(match &spec.shown {
            Shown::Texture(texture) => {
                self.textures.textures.push(Texture { image, ..*texture });
                Handle::Texture(self.textures.textures.len() - 1)
            }
            Shown::Surface(surface) => {
                self.textures.surfaces.push(Surface { image, ..*surface });
                Handle::Surface(self.textures.surfaces.len() - 1)
            }
        })
    }

    /// An image with its texels, or with the number of the buffer that has them.
    fn image(&mut self, image: &Image, source: &BufferSource) -> Result<Image, Failure> {
        let mut image = image.clone();
        match (source, &mut image.storage) {
            (BufferSource::Own(own), storage) => {
                if let Argument::Buffer(bytes) = self.argument(usize::MAX, own)? {
                    self.check_element(own, u64::from(image.format.bytes()) * 8)?;
                    *storage = Storage::Array(bytes);
                }
            }
            (other, Storage::Linear { start: Start::Argument { index, .. }, .. }) => {
                *index = self.plan.number(other)?;
            }
            (_, Storage::Linear { start: Start::Address(_), .. } | Storage::Array(_)) => {}
        }
        Ok(image)
    }

    fn take(&mut self, count: u64) -> Result<(), Failure> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            let gigabytes = MAX_BUFFER_BYTES >> 30;
            let message =
                format!("{count} bytes for a buffer: all buffers together may have at most {gigabytes} GiB");
            about(ExitStatus::Rejected, code::BUFFERS, "<command line>", message)
        })?;
        Ok(())
    }
}

/// The map, whose address is relative to the start of its buffer.
fn encoded(spec: &TensorMapSpec) -> Result<ptx_exec::TensorMap, Failure> {
    spec.encode(0).map_err(|error| usage(error.to_string()))
}

/// The failure that a texture or surface refers to an argument without an image.
pub fn no_image(source: &BufferSource) -> Failure {
    let which = "is not a texture or surface before this one that has an image of its own";
    usage(format!("texture or surface of argument {source}, which {which}"))
}

/// Reads a file of at most `most` bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    read_at_most(path, most).map_err(|error| match error {
        ReadError::System(error) => unreadable(path, &error.to_string()),
        ReadError::TooLarge(count) => {
            let most = "all buffers together may have at most 16 GiB, and a pipe or device 1 GiB";
            unreadable(path, &format!("it has {count} bytes or more; {most}"))
        }
    })
}

fn too_large(bytes: u64) -> Failure {
    let message = format!("a buffer of {} exceeds the available memory", counted(bytes, "byte"));
    about(ExitStatus::Rejected, code::BUFFERS, "<command line>", message)
}

/// Reserves the memory first, because a failed allocation would end the process.
fn zeroed(bytes: u64) -> Result<Vec<u8>, Failure> {
    let count = usize::try_from(bytes).map_err(|_| too_large(bytes))?;
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(count).map_err(|_| too_large(bytes))?;
    drop(probe);
    Ok(vec![0; count])
}
