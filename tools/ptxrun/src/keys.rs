//! The values of keys (`KEY=VALUE`) in tensor maps, textures and samplers on the command line.

use std::str::FromStr;

/// Yes or no.
pub const ANSWERS: [(&str, bool); 2] = [("yes", true), ("no", false)];

/// The text before the first comma, and the parts after it.
pub fn first_and_rest(text: &str) -> (&str, impl Iterator<Item = &str>) {
    let (first, rest) = match text.split_once(',') {
        Some((first, rest)) => (first, Some(rest)),
        None => (text, None),
    };
    (first, rest.into_iter().flat_map(|rest| rest.split(',')))
}

/// Parses keys with their values, each at most once.
///
/// # Errors
/// A part without `=`, or a repeated key.
pub fn pairs<'t>(parts: impl Iterator<Item = &'t str>) -> Result<Vec<(&'t str, &'t str)>, String> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for part in parts {
        let pair = part.split_once('=').ok_or_else(|| format!("expected KEY=VALUE, not `{part}`"))?;
        if all.iter().any(|(key, _)| *key == pair.0) {
            return Err(format!("`{}=` is given twice", pair.0));
        }
        all.push(pair);
    }
    Ok(all)
}

/// The value with a name.
///
/// # Errors
/// A message with the known names.
pub fn named<T: Copy>(names: &[(&str, T)], key: &str, text: &str) -> Result<T, String> {
    let known = names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    known.ok_or_else(|| {
        let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("{key}={text}: expected one of {}", all.join(", "))
    })
}

/// Parses a number.
///
/// # Errors
/// The message for a text that is not a number.
pub fn number<T: FromStr>(key: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{key}={text}: `{text}` is not such a number"))
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use crate::argument_spec::ArgumentSpec;
    use crate::watch::TraceFilter;

    #[test]
    fn a_key_is_given_once() {
        assert_eq!(pairs("a=1,b=2=3".split(',')), Ok(vec![("a", "1"), ("b", "2=3")]));
        assert_eq!(pairs("a=1,b=2,a=1".split(',')), Err("`a=` is given twice".to_owned()));
        assert_eq!(pairs("a".split(',')), Err("expected KEY=VALUE, not `a`".to_owned()));
    }

    #[test]
    fn every_kind_of_argument_refuses_a_key_that_is_there_again() {
        let twice = [
            (
                "tensormap=0,type=u8,dims=16,box=16",
                &["type=u8", "dims=32", "box=4", "offset=0,offset=1", "fill=nan,fill=zero"][..],
            ),
            (
                "texture=in=x,type=u8,dims=16",
                &["type=u16", "dims=4", "cube=4", "filter=point,filter=linear", "layers=1,layers=2"],
            ),
            ("surface=in=x,type=u8,dims=16", &["type=u16", "dims=4", "level=0,level=1", "pitch=1,pitch=2"]),
            ("sampler=filter=point", &["filter=linear", "border=0,border=1", "address=wrap,address=clamp"]),
        ];
        for (argument, more) in twice {
            argument.parse::<ArgumentSpec>().expect(argument);
            for more in more {
                let text = format!("{argument},{more}");
                let error = text.parse::<ArgumentSpec>().expect_err(&text);
                assert!(
                    error.ends_with("is given twice") || error.contains("exclude each other"),
                    "{text}: {error}"
                );
            }
        }
        let wrong = ["box=16,pixels=4", "box=16,wide=w", "lower=0x0,upper=0,channels=1,wide=w"];
        for more in wrong {
            let text = format!("tensormap=0,type=u8,dims=16x16x16,{more}");
            text.parse::<ArgumentSpec>().expect_err("one is not used");
        }
        for filter in ["block=1,block=2", "thread=1,line=3,thread=1"] {
            let error = filter.parse::<TraceFilter>().expect_err(filter);
            assert!(error.ends_with("is given twice"), "{error}");
        }
    }
}
