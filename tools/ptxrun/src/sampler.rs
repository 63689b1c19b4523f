//! Samplers on the command line: separate ones (`sampler=filter=linear,address=border`) and those of textures.

use ptx_exec::texture::{AddressMode, Comparison, Filter, Sampler};

use crate::keys::{ANSWERS, named, number, pairs};

/// The keys, for messages.
pub const KEYS: &str = "filter, levelfilter, bias, minlevel, maxlevel, address, border, compare, anisotropy, seamless, unnormalized";

const FILTERS: [(&str, Filter); 2] = [("point", Filter::Point), ("linear", Filter::Linear)];
const MODES: [(&str, AddressMode); 5] = [
    ("wrap", AddressMode::Wrap),
    ("clamp", AddressMode::Clamp),
    ("mirror", AddressMode::Mirror),
    ("border", AddressMode::Border),
    ("clamp_ogl", AddressMode::ClampOgl),
];
const COMPARISONS: [(&str, Comparison); 8] = [
    ("never", Comparison::Never),
    ("less", Comparison::Less),
    ("equal", Comparison::Equal),
    ("lequal", Comparison::LessOrEqual),
    ("greater", Comparison::Greater),
    ("notequal", Comparison::NotEqual),
    ("gequal", Comparison::GreaterOrEqual),
    ("always", Comparison::Always),
];

/// Parses the text after `sampler=`; the default sampler if it is empty.
///
/// # Errors
/// A sentence that describes the error.
pub fn parse(text: &str) -> Result<Sampler, String> {
    let mut sampler = Sampler::default();
    for (key, value) in pairs(text.split(',').filter(|part| !part.is_empty()))? {
        if !set(&mut sampler, key, value)? {
            return Err(format!("`{key}` is not a key of samplers; there are {KEYS}"));
        }
    }
    Ok(sampler)
}

/// Sets the property of a sampler that a key specifies. Returns false if the key is not that of a sampler.
///
/// # Errors
/// A sentence that describes the error in the value.
pub fn set(sampler: &mut Sampler, key: &str, value: &str) -> Result<bool, String> {
    match key {
        "filter" => sampler.filter = named(&FILTERS, key, value)?,
        "levelfilter" => sampler.level_filter = named(&FILTERS, key, value)?,
        "bias" => sampler.level_bias = number(key, value)?,
        "minlevel" => sampler.level_clamp[0] = number(key, value)?,
        "maxlevel" => sampler.level_clamp[1] = number(key, value)?,
        "address" => sampler.address = address(value)?,
        "border" => sampler.border = border(value)?,
        "compare" => sampler.comparison = named(&COMPARISONS, key, value)?,
        "anisotropy" => sampler.max_anisotropy = number(key, value)?,
        "seamless" => sampler.seamless = named(&ANSWERS, key, value)?,
        "unnormalized" => sampler.force_unnormalized = named(&ANSWERS, key, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// A mode for all axes, or one for each axis, separated by `:`.
fn address(text: &str) -> Result<[AddressMode; 3], String> {
    let modes = text.split(':').map(|mode| named(&MODES, "address", mode));
    match *modes.collect::<Result<Vec<_>, _>>()? {
        [all] => Ok([all; 3]),
        [x, y] => Ok([x, y, AddressMode::default()]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(format!("address={text}: there are at most three axes")),
    }
}

/// A colour: up to four numbers, separated by `:`; omitted channels are 0.
fn border(text: &str) -> Result<[f32; 4], String> {
    let channels = text.split(':').map(|channel| number("border", channel));
    let channels: Vec<f32> = channels.collect::<Result<_, _>>()?;
    let mut colour = [0.0; 4];
    if channels.len() > colour.len() {
        return Err(format!("border={text}: a colour has at most four channels"));
    }
    colour[..channels.len()].copy_from_slice(&channels);
    Ok(colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampler_is_read_with_all_of_its_keys() {
        let text = "filter=linear,levelfilter=linear,bias=-0.5,minlevel=1,maxlevel=2.5,address=wrap:border,border=1:0.5:-2,\
                    compare=greater,anisotropy=4,seamless=yes,unnormalized=yes";
        let sampler = Sampler {
            address: [AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp],
            border: [1.0, 0.5, -2.0, 0.0],
            filter: Filter::Linear,
            level_filter: Filter::Linear,
            level_bias: -0.5,
            level_clamp: [1.0, 2.5],
            max_anisotropy: 4,
            force_unnormalized: true,
            seamless: true,
            comparison: Comparison::Greater,
        };
        assert_eq!(parse(text), Ok(sampler));
        assert_eq!(parse(""), Ok(Sampler::default()));
        let all = Sampler { address: [AddressMode::ClampOgl; 3], ..Sampler::default() };
        assert_eq!(parse("address=clamp_ogl"), Ok(all));
    }

    #[test]
    fn wrong_samplers_say_what_is_wrong() {
        for (text, part) in [
            ("filter", "KEY=VALUE"),
            ("dims=4", "`dims` is not a key of samplers; there are filter, "),
            ("filter=cubic", "expected one of point, linear"),
            ("address=wrap:wrap:wrap:wrap", "at most three axes"),
            ("address=ring", "expected one of wrap, clamp, mirror, border, clamp_ogl"),
            ("border=1:2:3:4:5", "at most four channels"),
            ("border=red", "`red` is not such a number"),
            ("compare=more", "expected one of never, less"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
