//! Numbers and constant expressions. The expected values are what `ptxas` 13.5 puts into a `.u64` variable.

use crate::common::{findings, kernel, module, operands};
use ptx_ir::{Immediate, Initializer, Literal, Operand};

fn initial(text: &str) -> Immediate {
    let module = module(&format!(".global .u64 x = {text};"));
    match module.variables[0].init {
        Some(Initializer::Value(value)) => value,
        ref other => panic!("a value, not {other:?}"),
    }
}

fn value(text: &str) -> i64 {
    initial(text).as_integer().unwrap_or_else(|| panic!("an integer: {text}")) as i64
}

#[test]
fn literals_have_four_radices_and_an_unsigned_suffix() {
    let all = [
        ("42", 42),
        ("0x1F", 31),
        ("0X1f", 31),
        ("010", 8),
        ("0b11", 3),
        ("0B11", 3),
        ("7U", 7),
        ("0b11U", 3),
    ];
    for (text, expected) in all {
        assert_eq!(value(text), expected, "{text}");
    }
    assert_eq!(value("0xFFFFFFFFFFFFFFFF"), -1);
}

#[test]
fn literals_are_signed_unless_they_do_not_fit_or_say_otherwise() {
    assert!(matches!(initial("9223372036854775807"), Immediate::S64(i64::MAX, Literal::Plain)));
    assert!(matches!(initial("9223372036854775808"), Immediate::U64(0x8000_0000_0000_0000, Literal::Plain)));
    assert!(matches!(initial("5U"), Immediate::U64(5, Literal::Plain)));
    assert!(matches!(initial("-9223372036854775808"), Immediate::S64(i64::MIN, Literal::Plain)));
}

#[test]
fn the_text_is_kept_where_the_value_would_print_otherwise() {
    let text_of = |text: &str| {
        let module = module(&format!(".global .u64 x = {text};"));
        match module.variables[0].init {
            Some(Initializer::Value(
                Immediate::S64(_, literal) | Immediate::U64(_, literal) | Immediate::F64(_, literal),
            )) => match literal {
                Literal::Plain => "plain".to_owned(),
                Literal::Hex => "hex".to_owned(),
                Literal::Text(id) => module.name(id).to_owned(),
            },
            ref other => panic!("{other:?}"),
        }
    };
    let all = [
        ("-5", "plain"),
        ("0x10", "hex"),
        ("-0x10", "hex"),
        ("017", "017"),
        ("-0", "-0"),
        ("-5U", "-5U"),
        ("1.5", "1.5"),
        ("(1 + 2)*3", "(1 + 2)*3"),
        ("WARP_SZ", "WARP_SZ"),
        ("1 + // one\n2", "1 + 2"),
        ("- 7", "plain"),
    ];
    for (text, expected) in all {
        assert_eq!(text_of(text), expected, "{text}");
    }
}

#[test]
fn operators_bind_as_in_c() {
    let all = [
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("10-4-3", 3),
        ("100/10/5", 2),
        ("1 || 0 && 0", 1),
        ("7 & 3 == 3", 1),
        ("1 << 2 + 1", 8),
        ("5 > 3 > 1", 0),
        ("1<2<3", 1),
        ("1 ? 2 ? 3 : 4 : 5", 3),
        ("-8 >> 1 / 1", -4),
        ("!!5", 1),
        ("~~5", 5),
        ("- -5", 5),
        ("+-5", -5),
        ("1--2", 3),
        ("1++2", 3),
        ("1.0 < 2.0", 1),
        ("WARP_SZ*2", 64),
    ];
    for (text, expected) in all {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn the_type_of_operands_decides_division_shift_and_order() {
    let all = [
        ("-7/2", -3),
        ("(-1 & -1)/2", 0),
        ("(~0)/2", i64::MAX),
        ("-1>>63", -1),
        ("(5U-6U)>>1", i64::MAX),
        ("-1 < 1U", 0),
        ("-1 == 0xFFFFFFFFFFFFFFFF", 1),
        ("-1 % 10", 5),
        ("(7 % 4)-8 < 0", 0),
        ("-4 % -3", -4),
        ("5 % (-3)", 5),
        ("(.s64)0xFFFFFFFFFFFFFFFF / 2", 0),
        ("(.u64)-1 / 2", i64::MAX),
        ("9223372036854775808/2", 1 << 62),
        ("0x7FFFFFFFFFFFFFFF + 1", i64::MIN),
        ("(1 ? -1 : 1U)/2", 0),
        ("(1 == 1) - 2 < 0", 1),
        ("(1U >> 0)-2 < 0", 0),
        ("-5U/2", 9223372036854775805),
        ("((.u64)(1|2)-4)/2", i64::MAX),
        ("((1|2)-4)/2", 0),
    ];
    for (text, expected) in all {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn shifts_take_the_low_six_bits_of_their_amount() {
    for (text, expected) in [("1<<64", 1), ("1<<65", 2), ("1<<63", i64::MIN), ("-1>>64", -1)] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn floating_point_numbers_are_bits_or_decimal() {
    let bits = |text: &str| match operands(&kernel(&format!("mov.f64 %fd1, {text};")))[1] {
        Operand::Immediate(Immediate::F64(bits, _)) => bits,
        Operand::Immediate(Immediate::F32(bits, Literal::Plain)) => u64::from(bits),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(bits("0f3F800000"), 0x3F80_0000);
    assert_eq!(bits("0F3f800000"), 0x3F80_0000);
    assert_eq!(bits("0d3FF0000000000000"), 1.0f64.to_bits());
    let all = [
        ("1.5", 1.5),
        ("-1.5", -1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1.5e3", 1500.0),
        ("1.5E-3", 0.0015),
        ("1e3", 1000.0),
        ("1e-3", 0.001),
        ("1.0*0d4000000000000000", 2.0),
        ("1.0/4.0", 0.25),
    ];
    for (text, expected) in all {
        assert_eq!(bits(text), f64::to_bits(expected), "{text}");
    }
}

/// `ptxas` compiles both of these, and finds the initial value 3 for the second.
#[test]
fn the_last_digit_of_a_literal_may_pass_64_bits() {
    assert_eq!(value("18446744073709551615"), -1);
    assert_eq!(value("18446744073709551619"), 3);
}

#[test]
fn what_is_no_number_is_located() {
    let one = |text: &str| findings(&format!(".global .u64 x = {text};"));
    assert_eq!(one("08"), ["4:18 P0401 `08` is not a number"]);
    assert_eq!(one("0f3F80000"), ["4:18 P0401 `0f3F80000` is not a number"]);
    assert_eq!(one("99999999999999999999"), ["4:18 P0401 `99999999999999999999` is not a number"]);
    let beyond = "4:18 P0401 `1e-310` is too large or too small for double precision";
    assert_eq!(one("1e-310"), [beyond]);
    assert_eq!(one("1/0"), ["4:19 P0402 division by zero"]);
    assert_eq!(one("1.0 + 1"), ["4:22 P0402 `+` cannot be applied to these operands"]);
    assert_eq!(one("~1.0"), ["4:18 P0402 `~` needs an integer"]);
    assert_eq!(
        one("-0f3F800000"),
        ["4:18 P0402 a single-precision `0f` number cannot be an operand of an operator"]
    );
    assert_eq!(one("(1"), ["4:20 P0101 expected `)`, found `;`"]);
}
