//! The fast powers against those in `double`, which `ptx-exec` compares with the C library's.

use super::*;

impl Single for f32 {
    fn constant(self, value: f32) -> Self {
        value
    }

    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }

    fn entry(self, table: &[f32]) -> Self {
        table[self.to_bits() as usize % table.len()]
    }
}

/// The power where it is known to be right.
fn sure(table: &Table, x: f32) -> Option<f32> {
    let power = table.power(x);
    let exponent = (power.shifted.to_bits() << table.exponent_shift()) & EXPONENT;
    let bits = power.least.to_bits().wrapping_add(exponent);
    (x.abs() <= LARGEST && power.least == power.most).then_some(f32::from_bits(bits))
}

/// All binary32 numbers where `PTX_HOST_ALL_NUMBERS` is set, which takes minutes with optimization; every 4,093rd (a prime) otherwise.
#[test]
fn powers_that_are_sure_are_the_nearest_ones() {
    let step = if std::env::var_os("PTX_HOST_ALL_NUMBERS").is_some() { 1 } else { 4093 };
    for table in [&SIXTEEN, &EIGHT] {
        let (mut unsure, mut all) = (0u32, 0u32);
        for x in (0..=u32::MAX).step_by(step).map(f32::from_bits) {
            let expected = approx::ex2(f64::from(x)) as f32;
            match sure(table, x) {
                Some(found) => assert_eq!(found.to_bits(), expected.to_bits(), "{x:e}"),
                None => unsure += u32::from((1e-3..LARGEST).contains(&x.abs())),
            }
            all += u32::from((1e-3..LARGEST).contains(&x.abs()));
        }
        // What is left to the slow form of numbers of usual size.
        assert!(unsure < all / 100, "{unsure} of {all}");
    }
}

/// The ends of what is computed here, and numbers without a power that `float` holds as a normal number.
#[test]
fn ends() {
    for table in [&SIXTEEN, &EIGHT] {
        assert_eq!(
            [0.0, -0.0, 1.0, -3.0, 126.0].map(|x| sure(table, x)),
            [Some(1.0), Some(1.0), Some(2.0), Some(0.125), Some(2f32.powi(126)),]
        );
        assert_eq!(sure(table, -126.0), Some(f32::MIN_POSITIVE));
        let beyond = [126.5, -126.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
        assert_eq!(beyond.map(|x| sure(table, x)), [None; 7]);
    }
    assert_eq!([ZERO, ZERO.next_up()].map(|x| approx::ex2(f64::from(x)) as f32), [0.0, f32::from_bits(1)]);
}

/// The tables, from the library's function: `2^(j / entries)` as two numbers, with an error below 2^-48.
#[test]
fn tables() {
    for table in [&SIXTEEN, &EIGHT] {
        assert_eq!(table.high.len(), 1 << table.bits);
        assert_eq!(table.shifter, 1.5 * (1 << (23 - table.bits)) as f32);
        for (entry, (&high, &low)) in table.high.iter().zip(table.low).enumerate() {
            let power = (entry as f64 / table.high.len() as f64).exp2();
            assert_eq!(high, power as f32, "{entry}");
            let error = (f64::from(high) - power) + f64::from(low);
            assert!(error.abs() < 2f64.powi(-48), "{entry}: {error:e}");
        }
    }
}
