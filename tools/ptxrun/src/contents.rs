//! The launch of a plan: the contents of its arguments and buffers before and after it.

use ptx_cli::{ExitStatus, Failure, ReadError, code, read_at_most};
use ptx_diag::counted;
use ptx_exec::texture::{Handle, Image, Start, Storage, Surface, Texture, Textures};
use ptx_exec::{Argument, Content, Launch, Limits, Relocation};

use crate::argument_spec::{
    ArgumentSpec, BufferSource, Composed, DeferredPart, Shown, TensorMapSpec, TextureSpec,
};
use crate::plan::{Plan, about, unreadable, usage};
use crate::spec::PrintSpec;

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
}

impl Plan {
    /// The launch of the kernel `entry` of the module, with the initial contents of buffers read from their files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or buffers too large for this machine.
    pub fn launch(&self, entry: String) -> Result<Launch, Failure> {
        let mut contents = Contents {
            plan: self,
            left: MAX_BUFFER_BYTES,
            textures: Textures::default(),
            relocations: Vec::new(),
            images: Vec::new(),
        };
        let mut arguments = Vec::new();
        for (number, argument) in self.args.iter().enumerate() {
            arguments.push(contents.written(number, argument)?);
        }
        for reference in &self.references {
            if let Argument::Handle(handle) = contents.written(usize::MAX, &reference.shown)? {
                contents.textures.references.push((reference.name.clone(), handle));
            }
        }
        let mut buffers = Vec::new();
        for (further, (name, buffer)) in self.buffers.iter().enumerate() {
            if let Argument::Buffer(bytes) = contents.argument(self.args.len() + further, buffer)? {
                buffers.push((name.clone(), bytes));
            }
        }
        self.print.iter().try_for_each(|view| self.check_count(view, &arguments, &buffers))?;
        Ok(Launch {
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
        })
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
            ArgumentSpec::Bytes(bytes) => return Ok(Argument::Bytes(bytes.clone())),
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
                    Argument::Buffer(bytes) => Ok(Argument::Tensor(encoded(spec)?, bytes)),
                    other => Ok(other),
                };
            }
            ArgumentSpec::Composed(composed) => return self.composed(number, composed).map(Argument::Bytes),
            ArgumentSpec::ComposedBuffer(composed) => {
                self.take(composed.bytes.len() as u64)?;
                self.composed(number, composed)?
            }
            ArgumentSpec::In(path) | ArgumentSpec::InOut(path, _) => {
                let bytes = read_at_most(path, self.left).map_err(|error| match error {
                    ReadError::System(error) => unreadable(path, &error.to_string()),
                    ReadError::TooLarge(count) => {
                        let most = "all buffers together may have at most 16 GiB, and a pipe or device 1 GiB";
                        unreadable(path, &format!("it has {count} bytes or more; {most}"))
                    }
                })?;
                self.take(bytes.len() as u64)?;
                bytes
            }
            ArgumentSpec::Out(count, _) | ArgumentSpec::Zero(count) => {
                self.take(*count)?;
                zeroed(*count)?
            }
        };
        Ok(Argument::Buffer(bytes))
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

/// Reserves the memory first, because a failed allocation would end the process.
fn zeroed(count: u64) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        let message = format!("a buffer of {} exceeds the available memory", counted(count, "byte"));
        about(ExitStatus::Rejected, code::BUFFERS, "<command line>", message)
    };
    let count = usize::try_from(count).map_err(|_| too_large())?;
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(count).map_err(|_| too_large())?;
    drop(probe);
    Ok(vec![0; count])
}
