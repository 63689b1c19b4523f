//! What the CUDA driver refuses in textures and surfaces.

use super::image::Meaning;
use super::{ChannelFormat, Image, ReadMode, Storage, Surface, Texture};

impl Texture {
    /// Describes its error, if any; `image` is the image of its index.
    pub fn mistake(&self, image: Option<&Image>) -> Option<String> {
        let Some(image) = image else {
            return Some(format!("is of image {}, which there is not", self.image));
        };
        let is_fraction = match image.format.meaning() {
            Meaning::UnsignedFraction => true,
            Meaning::Unsigned => self.read == ReadMode::NormalizedFloat,
            Meaning::Signed | Meaning::Float | Meaning::SignedFraction => false,
        };
        let is_wide = matches!(image.format, ChannelFormat::Unsigned32 | ChannelFormat::Signed32);
        if self.read == ReadMode::NormalizedFloat && is_wide {
            return Some(
                "reads integers of 32 bits as fractions; only those of 8 and 16 bits can be".to_owned(),
            );
        }
        if self.srgb && !(is_fraction && image.format.bytes() == 1) {
            return Some("is in sRGB, which only fractions of 8 bits are".to_owned());
        }
        None
    }
}

impl Surface {
    /// Describes its error, if any; `image` is the image of its index.
    pub fn mistake(&self, image: Option<&Image>) -> Option<String> {
        let Some(image) = image else {
            return Some(format!("is of image {}, which there is not", self.image));
        };
        if matches!(image.storage, Storage::Linear { .. }) {
            return Some("is of linear memory; surfaces are of arrays".to_owned());
        }
        if self.level >= image.levels || image.samples > 1 {
            return Some(
                "is of a level that the image does not have, or of one with several samples".to_owned(),
            );
        }
        None
    }
}
