//! `printf` formatting as C defines it (C17 7.21.6.1), for `vprintf` of device code.

/// Maximum field width and precision of a conversion.
const WIDEST: usize = 4096;

/// Where the arguments of conversions come from.
pub trait ArgumentSource {
    /// The error of an argument that cannot be read.
    type Error;
    /// Size in bytes of an address and of `long`.
    fn word(&self) -> u32;
    /// The next argument, of 4 or 8 bytes.
    fn next(&mut self, size: u32) -> Result<u64, Self::Error>;
    /// The string at an address, without its terminating zero.
    fn text(&self, address: u64) -> Result<Vec<u8>, Self::Error>;
}

#[derive(Clone, Copy)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The width of an integer argument: 8, 16, 32 or 64.
    bits: u32,
}

/// Formats a template; returns the text and the number of conversions. Conversions that are not in C are copied
/// verbatim, and so is `%n`.
///
/// # Errors
/// That of an argument which cannot be read.
pub fn format_c<S: ArgumentSource>(template: &[u8], source: &mut S) -> Result<(Vec<u8>, u32), S::Error> {
    let mut out = Vec::with_capacity(template.len());
    let (mut at, mut conversions) = (0, 0);
    while let Some(&byte) = template.get(at) {
        if byte != b'%' {
            out.push(byte);
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let (spec, end) = parse_spec(template, at, source)?;
        at = end;
        let Some(&conversion) = template.get(at) else {
            out.extend(&template[start..]);
            break;
        };
        at += 1;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        match convert(conversion, spec, source)? {
            Some(text) => {
                out.extend(text);
                conversions += 1;
            }
            None => out.extend(&template[start..at]),
        }
    }
    Ok((out, conversions))
}

fn parse_spec<S: ArgumentSource>(
    template: &[u8],
    mut at: usize,
    source: &mut S,
) -> Result<(Spec, usize), S::Error> {
    let mut spec = Spec {
        left: false,
        plus: false,
        space: false,
        alternate: false,
        zero: false,
        width: 0,
        precision: None,
        bits: 32,
    };
    while let Some(&flag) = template.get(at) {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        at += 1;
    }
    let (width, next) = number(template, at, source)?;
    spec.left |= width < 0;
    spec.width = (width.unsigned_abs() as usize).min(WIDEST);
    at = next;
    if template.get(at) == Some(&b'.') {
        let (precision, next) = number(template, at + 1, source)?;
        spec.precision = usize::try_from(precision).ok().map(|precision| precision.min(WIDEST));
        at = next;
    }
    while let Some(length) = template.get(at).filter(|byte| b"hlLqjzt".contains(byte)) {
        spec.bits = match length {
            b'h' => (spec.bits / 2).max(8),
            b'l' if template.get(at + 1) == Some(&b'l') => 64,
            b'z' | b't' => 8 * source.word(),
            b'l' => spec.bits.max(8 * source.word()),
            _ => 64,
        };
        at += 1;
    }
    Ok((spec, at))
}

/// Parses a decimal number, or reads an argument for `*`.
fn number<S: ArgumentSource>(
    template: &[u8],
    mut at: usize,
    source: &mut S,
) -> Result<(i64, usize), S::Error> {
    if template.get(at) == Some(&b'*') {
        return Ok((i64::from(source.next(4)? as i32), at + 1));
    }
    let mut value = 0i64;
    while let Some(digit) = template.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        at += 1;
    }
    Ok((value, at))
}

fn convert<S: ArgumentSource>(
    conversion: u8,
    spec: Spec,
    source: &mut S,
) -> Result<Option<Vec<u8>>, S::Error> {
    let size = if spec.bits == 64 { 8 } else { 4 };
    let unsigned = |raw: u64| raw & u64::MAX >> (64 - spec.bits);
    Ok(Some(match conversion {
        b'd' | b'i' => {
            let raw = source.next(size)?;
            let value = (raw << (64 - spec.bits)) as i64 >> (64 - spec.bits);
            integer(spec, sign(spec, value < 0), value.unsigned_abs().to_string())
        }
        b'u' => integer(spec, "", unsigned(source.next(size)?).to_string()),
        b'o' => {
            let digits = format!("{:o}", unsigned(source.next(size)?));
            let prefix = if spec.alternate && digits != "0" { "0" } else { "" };
            integer(spec, prefix, digits)
        }
        b'x' | b'X' => {
            let value = unsigned(source.next(size)?);
            let (prefix, digits) =
                if conversion == b'x' { ("0x", format!("{value:x}")) } else { ("0X", format!("{value:X}")) };
            integer(spec, if spec.alternate && value != 0 { prefix } else { "" }, digits)
        }
        b'p' => integer(spec, "0x", format!("{:x}", source.next(source.word())?)),
        b'c' => pad(spec, "", vec![source.next(4)? as u8], false),
        b's' => {
            let address = source.next(source.word())?;
            let mut text = source.text(address)?;
            if let Some(precision) = spec.precision {
                text.truncate(precision);
            }
            pad(spec, "", text, false)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(source.next(8)?);
            let digits = float(conversion.to_ascii_lowercase(), spec, value.abs());
            let digits = if conversion.is_ascii_uppercase() { digits.to_uppercase() } else { digits };
            pad(spec, sign(spec, value.is_sign_negative()), digits.into_bytes(), value.is_finite())
        }
        _ => return Ok(None),
    }))
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

fn integer(spec: Spec, prefix: &str, digits: String) -> Vec<u8> {
    let digits = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    pad(spec, prefix, digits.into_bytes(), spec.precision.is_none())
}

/// Pads to the width: with zeros after the prefix if the flag is set and zeros are allowed, else with spaces.
fn pad(spec: Spec, prefix: &str, body: Vec<u8>, zeros_allowed: bool) -> Vec<u8> {
    let missing = spec.width.saturating_sub(prefix.len() + body.len());
    let fill = |byte: u8| std::iter::repeat_n(byte, missing);
    let prefix = prefix.bytes();
    if spec.left {
        prefix.chain(body).chain(fill(b' ')).collect()
    } else if spec.zero && zeros_allowed {
        prefix.chain(fill(b'0')).chain(body).collect()
    } else {
        fill(b' ').chain(prefix).chain(body).collect()
    }
}

fn float(conversion: u8, spec: Spec, value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { "inf".to_owned() };
    }
    // Default: that of C.
    let precision = spec.precision.unwrap_or(6);
    match conversion {
        b'f' => {
            let text = format!("{value:.precision$}");
            if precision == 0 && spec.alternate { text + "." } else { text }
        }
        b'e' => exponential(value, precision, spec.alternate),
        b'g' => general(value, precision.max(1), spec.alternate),
        _ => hexadecimal(value, spec.precision),
    }
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    let point = if point && precision == 0 { "." } else { "" };
    format!("{digits}{point}e{sign}{exponent:0>2}")
}

fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = format!("{value:.*e}", precision - 1);
    // Default: Rust's scientific notation always has an exponent.
    let exponent: i32 = scientific.split_once('e').and_then(|(_, text)| text.parse().ok()).unwrap_or(0);
    let strip = |text: String| {
        if keep_zeros || !text.contains('.') {
            text
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(value, precision - 1, false);
        match text.split_once('e') {
            Some((digits, exponent)) => strip(digits.to_owned()) + "e" + exponent,
            None => text,
        }
    } else {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        strip(format!("{value:.decimals$}"))
    }
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let mut lead = u64::from(exponent != 0);
    exponent = if value == 0.0 { 0 } else { exponent.max(1) - 1023 };
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&precision| precision < 13) {
        let dropped = 4 * (13 - precision) as u32;
        let all = lead << 52 | fraction;
        let half = 1 << (dropped - 1);
        let (kept, rest) = (all >> dropped, all & ((1 << dropped) - 1));
        let kept = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
        let all = kept << dropped;
        (lead, fraction, digits) = (all >> 52, all & ((1 << 52) - 1), precision);
    }
    let mut text = format!("{fraction:013x}");
    match precision {
        Some(precision) => {
            text.truncate(digits);
            text.extend(std::iter::repeat_n('0', precision - digits.min(precision)));
        }
        None => text.truncate(text.trim_end_matches('0').len()),
    }
    let point = if text.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{text}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Words(Vec<u64>);

    impl ArgumentSource for Words {
        type Error = std::convert::Infallible;

        fn word(&self) -> u32 {
            8
        }

        fn next(&mut self, _: u32) -> Result<u64, Self::Error> {
            Ok(self.0.remove(0))
        }

        fn text(&self, _: u64) -> Result<Vec<u8>, Self::Error> {
            Ok(b"text".to_vec())
        }
    }

    fn format(template: &str, words: &[u64]) -> String {
        let Ok((text, _)) = format_c(template.as_bytes(), &mut Words(words.to_vec()));
        String::from_utf8(text).unwrap()
    }

    /// The expected texts are the output of glibc's `printf`.
    #[test]
    fn integers_and_texts() {
        assert_eq!(format("[%5d|%-5d|%05d|%+d|% d]", &[42, 42, 42, 42, 42]), "[   42|42   |00042|+42| 42]");
        assert_eq!(
            format("%d %lld %u %hhx %hd", &[0xffff_ffff, u64::MAX, 0xffff_ffff, 0x17f, 0xfffe]),
            "-1 -1 4294967295 7f -2"
        );
        assert_eq!(
            format("%#x %#o %X %.3d|%8.3d|%.0d|", &[255, 8, 255, 5, 5, 0]),
            "0xff 010 FF 005|     005||"
        );
        assert_eq!(format("%s|%.2s|%6s|%-6s|%c%%", &[0, 0, 0, 0, 65]), "text|te|  text|text  |A%");
        assert_eq!(format("%*d|%-*d|%p", &[4, 7, 3, 7, 0xabc]), "   7|7  |0xabc");
        assert_eq!(format("50%% done %y %", &[]), "50% done %y %");
    }

    #[test]
    fn floating_point() {
        let f = |template: &str, value: f64| format(template, &[value.to_bits()]);
        assert_eq!(f("%f", 1.5), "1.500000");
        assert_eq!(f("%8.2f|", -2.71), "   -2.71|");
        assert_eq!(f("%08.2f|", -2.71), "-0002.71|");
        assert_eq!(f("%e", 12345.678), "1.234568e+04");
        assert_eq!(f("%.0e", 0.00015), "1e-04");
        assert_eq!(f("%g", 0.0001), "0.0001");
        assert_eq!(f("%g", 0.00001), "1e-05");
        assert_eq!(f("%g", 123456789.0), "1.23457e+08");
        assert_eq!(f("%g", 100000.0), "100000");
        assert_eq!(f("%g", 0.5), "0.5");
        assert_eq!(f("%#g", 0.5), "0.500000");
        assert_eq!(f("%G", f64::INFINITY), "INF");
        assert_eq!(f("%05f", f64::NAN), "  nan");
        assert_eq!(f("%a", 1.0), "0x1p+0");
        assert_eq!(f("%a", -0.15625), "-0x1.4p-3");
        assert_eq!(f("%.1a", 1.96875), "0x2.0p+0");
        assert_eq!(f("%a", 0.0), "0x0p+0");
    }
}
