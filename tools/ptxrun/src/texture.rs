//! Textures and surfaces on the command line: `texture=in=x.bin,type=u8x4,dims=64x32,filter=linear`.

use ptx_exec::texture::{ChannelFormat, Extent, Image, ReadMode, Sampler, Start, Storage, Surface, Texture};

use crate::argument_spec::{ArgumentSpec, BufferSource, Shown, TextureSpec};
use crate::keys::{ANSWERS, first_and_rest, named, number, pairs};
use crate::sampler;

const FORMATS: [(&str, ChannelFormat); 12] = [
    ("u8", ChannelFormat::Unsigned8),
    ("u16", ChannelFormat::Unsigned16),
    ("u32", ChannelFormat::Unsigned32),
    ("s8", ChannelFormat::Signed8),
    ("s16", ChannelFormat::Signed16),
    ("s32", ChannelFormat::Signed32),
    ("f16", ChannelFormat::Half),
    ("f32", ChannelFormat::Float),
    ("unorm8", ChannelFormat::Unorm8),
    ("unorm16", ChannelFormat::Unorm16),
    ("snorm8", ChannelFormat::Snorm8),
    ("snorm16", ChannelFormat::Snorm16),
];
const READS: [(&str, ReadMode); 2] =
    [("element", ReadMode::Element), ("fraction", ReadMode::NormalizedFloat)];

/// A format and its channels: `f32`, `u8x4`.
fn format(text: &str) -> Result<(ChannelFormat, u32), String> {
    let (name, channels) = match text.split_once('x') {
        Some((name, count)) => (name, number("type", count)?),
        None => (text, 1),
    };
    Ok((named(&FORMATS, "type", name)?, channels))
}

fn extent(text: &str) -> Result<Extent, String> {
    let sizes: Vec<u32> = text.split('x').map(|size| number("dims", size)).collect::<Result<_, _>>()?;
    match *sizes.as_slice() {
        [width] => Ok(Extent::D1 { width }),
        [width, height] => Ok(Extent::D2 { width, height }),
        [width, height, depth] => Ok(Extent::D3 { width, height, depth }),
        _ => Err(format!("dims={text}: an image has one to three")),
    }
}

/// The buffer, or the index of the argument that has it.
fn source(text: &str) -> Result<BufferSource, String> {
    if !text.contains('=') {
        return BufferSource::other(text);
    }
    let own: ArgumentSpec = text.parse()?;
    if own.is_plain_buffer() {
        return Ok(BufferSource::Own(own));
    }
    Err("a texture or surface begins with in=, out=, inout=, zero= or an argument's index".to_owned())
}

impl TextureSpec {
    /// Parses the text after `texture=` or, with `is_surface`, `surface=`.
    ///
    /// # Errors
    /// A sentence that describes the error.
    pub fn parse(text: &str, is_surface: bool) -> Result<Self, String> {
        let (first, parts) = first_and_rest(text);
        let source = source(first)?;
        let (mut kind, mut size) = (None, None);
        let (mut layers, mut levels, mut samples) = (None, 1, 1);
        let (mut offset, mut pitch) = (0, 0);
        let mut texture = Texture::new(0);
        let mut sampler: Option<Sampler> = None;
        let mut level = 0;
        for (key, value) in pairs(parts)? {
            match key {
                "type" => kind = Some(format(value)?),
                "dims" | "cube" if size.is_some() => {
                    return Err("dims= and cube= exclude each other".to_owned());
                }
                "dims" => size = Some(extent(value)?),
                "cube" => size = Some(Extent::Cube { size: number(key, value)? }),
                "layers" => layers = Some(number(key, value)?),
                "levels" => levels = number(key, value)?,
                "samples" => samples = number(key, value)?,
                "offset" => offset = number(key, value)?,
                "pitch" => pitch = number(key, value)?,
                "level" if is_surface => level = number(key, value)?,
                "read" if !is_surface => texture.read = named(&READS, key, value)?,
                "srgb" if !is_surface => texture.srgb = named(&ANSWERS, key, value)?,
                "normalized" if !is_surface => texture.normalized = Some(named(&ANSWERS, key, value)?),
                _ if !is_surface && sampler::set(sampler.get_or_insert_default(), key, value)? => {}
                _ => {
                    let keys = "type, dims, cube, layers, levels, samples, offset, pitch";
                    let own = if is_surface {
                        "level".to_owned()
                    } else {
                        format!("read, srgb, normalized, {}", sampler::KEYS)
                    };
                    return Err(format!("`{key}` is not a key; there are {keys}, {own}"));
                }
            }
        }
        let image = match (kind, size, &source) {
            (Some((format, channels)), Some(extent), source) => {
                let storage = match source {
                    BufferSource::Own(_) => Storage::Array(Vec::new()),
                    // The number of the buffer is set later.
                    BufferSource::Argument(_) | BufferSource::Buffer(_) => {
                        Storage::Linear { start: Start::Argument { index: 0, offset }, pitch }
                    }
                };
                let image = Image::array(format, channels, extent, Vec::new());
                Some(Image { layers, levels, samples, storage, ..image })
            }
            (None, None, BufferSource::Argument(_)) => None,
            (None, ..) => return Err("type= is missing".to_owned()),
            (_, None, _) => return Err("dims= or cube= is missing".to_owned()),
        };
        if offset != 0 && matches!(source, BufferSource::Own(_)) {
            return Err("offset= is for texels in another argument's buffer".to_owned());
        }
        texture.sampler = sampler;
        let shown =
            if is_surface { Shown::Surface(Surface { image: 0, level }) } else { Shown::Texture(texture) };
        Ok(Self { source, image, shown })
    }

    /// Its own image, without the texels and the number of the buffer.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use ptx_exec::texture::{AddressMode, Filter};

    use super::*;

    #[test]
    fn a_texture_is_read_with_all_of_its_keys() {
        let text = "in=x.bin,type=u8x4,dims=8x4,layers=3,levels=2,read=fraction,srgb=yes,normalized=yes,\
                    filter=linear,levelfilter=linear,bias=-0.5,address=mirror,border=1:2";
        let spec = TextureSpec::parse(text, false).unwrap();
        let extent = Extent::D2 { width: 8, height: 4 };
        let image = Image::array(ChannelFormat::Unsigned8, 4, extent, Vec::new());
        assert_eq!(spec.image(), Some(&Image { layers: Some(3), levels: 2, ..image }));
        let sampler = Sampler {
            filter: Filter::Linear,
            level_filter: Filter::Linear,
            level_bias: -0.5,
            address: [AddressMode::Mirror; 3],
            border: [1.0, 2.0, 0.0, 0.0],
            ..Sampler::default()
        };
        let texture = Texture {
            read: ReadMode::NormalizedFloat,
            srgb: true,
            normalized: Some(true),
            sampler: Some(sampler),
            ..Texture::new(0)
        };
        assert_eq!(spec.shown, Shown::Texture(texture));
        assert_eq!(spec.source, BufferSource::Own(ArgumentSpec::In("x.bin".into())));
    }

    #[test]
    fn texels_are_in_other_arguments_too() {
        let spec = TextureSpec::parse("2,type=f32,dims=8x4,pitch=64,offset=128", false).unwrap();
        let start = Start::Argument { index: 0, offset: 128 };
        assert_eq!(spec.image().map(|image| &image.storage), Some(&Storage::Linear { start, pitch: 64 }));
        assert_eq!(spec.source, BufferSource::Argument(2));
        let spec = TextureSpec::parse("1,level=3", true).unwrap();
        let shown = Shown::Surface(Surface { image: 0, level: 3 });
        assert_eq!((spec.image(), &spec.shown), (None, &shown));
        let spec = TextureSpec::parse("zero=24,type=s16x2,cube=1", true).unwrap();
        assert_eq!(spec.image().map(|image| image.extent), Some(Extent::Cube { size: 1 }));
    }

    #[test]
    fn wrong_textures_say_what_is_wrong() {
        for (text, is_surface, part) in [
            ("x-1,type=u8,dims=4", false, "`x-1` is not an argument's index"),
            ("i32=5,type=u8,dims=4", false, "begins with in="),
            ("zero=4,type=u8", false, "dims= or cube= is missing"),
            ("zero=4,dims=4", true, "type= is missing"),
            ("zero=4", true, "type= is missing"),
            ("zero=4,type=u9,dims=4", false, "expected one of u8, u16"),
            ("zero=4,type=u8,dims=1x1x1x1", false, "one to three"),
            ("zero=4,type=u8,dims=4,filter=linear", true, "`filter` is not a key"),
            ("zero=4,type=u8,dims=4,level=1", false, "`level` is not a key"),
            (
                "zero=4,type=u8,dims=4,address=ring",
                false,
                "expected one of wrap, clamp, mirror, border, clamp_ogl",
            ),
            ("zero=4,type=u8,dims=4,srgb", false, "KEY=VALUE"),
            ("zero=4,type=u8,dims=4,offset=4", false, "another argument's buffer"),
        ] {
            let error = TextureSpec::parse(text, is_surface).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
