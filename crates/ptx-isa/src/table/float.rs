//! Floating-point arithmetic, single, double, half and bfloat (manual 9.7.3, 9.7.4, 9.7.5).

use super::vocabulary::*;
use crate::families::{ArithSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Form, OperandKind, Rule, TypeRule, arg, def};
use crate::names::{Field, Mod, Mod::*};

/// Directed rounding of single precision came with sm_20.
const F32_RND: &[(Mod, crate::Since)] = &[(Rm, at(1, 4, 20)), (Rp, at(1, 4, 20))];
/// Directed rounding of double-precision division and roots came with sm_20.
const F64_RND: &[(Mod, crate::Since)] = &[(Rz, at(1, 4, 20)), (Rm, at(1, 4, 20)), (Rp, at(1, 4, 20))];
const MINMAX_F32: &[(Mod, crate::Since)] = &[(Nan, at(7, 0, 80)), (XorsignAbs, at(7, 2, 86))];
const MINMAX_HALF: &[(Mod, crate::Since)] = &[(XorsignAbs, at(7, 2, 86))];
const RSQRT_FTZ: &[(Mod, crate::Since)] = &[(Ftz, at(4, 0, 20))];
const TANH_BF16: &[(Mod, crate::Since)] = &[(Bf16, at(7, 8, 90)), (Bf16x2, at(7, 8, 90))];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Testp,
        "Tests a property of a floating-point value.",
        &[
            One(Field::Property, &[Finite, Infinite, Number, Notanumber, Normal, Subnormal]),
            One(Field::Type, &[F32, F64]),
        ],
        &[def("p", PRED), arg("a", T)],
        Sem::Arith(ArithSem::Testp),
    )
    .since(2, 0, 20)
    .section("9.7.3.1"),
    Form::new(
        Opcode::Copysign,
        "The value of `b` with the sign of `a`.",
        &[One(Field::Type, &[F32, F64])],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Copysign),
    )
    .since(2, 0, 20)
    .section("9.7.3.2"),
    Form::new(
        Opcode::Add,
        "Adds single-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Add),
    )
    .later(F32_RND)
    .section("9.7.3.3"),
    Form::new(
        Opcode::Add,
        "Adds double-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Add),
    )
    .since(1, 0, 13)
    .section("9.7.3.3"),
    Form::new(
        Opcode::Add,
        "Adds pairs of single-precision values.",
        &[OPT_RND, FTZ, Lit(F32x2)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Add),
    )
    .since(8, 6, 100)
    .section("9.7.3.3"),
    Form::new(
        Opcode::Sub,
        "Subtracts single-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Sub),
    )
    .later(F32_RND)
    .section("9.7.3.4"),
    Form::new(
        Opcode::Sub,
        "Subtracts double-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Sub),
    )
    .since(1, 0, 13)
    .section("9.7.3.4"),
    Form::new(
        Opcode::Sub,
        "Subtracts pairs of single-precision values.",
        &[OPT_RND, FTZ, Lit(F32x2)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Sub),
    )
    .since(8, 6, 100)
    .section("9.7.3.4"),
    Form::new(
        Opcode::Mul,
        "Multiplies single-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Mul),
    )
    .later(F32_RND)
    .section("9.7.3.5"),
    Form::new(
        Opcode::Mul,
        "Multiplies double-precision values; without a rounding mode the result may be contracted.",
        &[OPT_RND, Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Mul),
    )
    .since(1, 0, 13)
    .section("9.7.3.5"),
    Form::new(
        Opcode::Mul,
        "Multiplies pairs of single-precision values.",
        &[OPT_RND, FTZ, Lit(F32x2)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Mul),
    )
    .since(8, 6, 100)
    .section("9.7.3.5"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds with one rounding.",
        &[One(Field::Rnd, RND), FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(2, 0, 20)
    .section("9.7.3.6"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds with one rounding.",
        &[One(Field::Rnd, RND), Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(1, 4, 13)
    .section("9.7.3.6"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds pairs with one rounding.",
        &[One(Field::Rnd, RND), FTZ, Lit(F32x2)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(8, 6, 100)
    .section("9.7.3.6"),
    Form::new(
        Opcode::Mad,
        "Multiplies and adds with one rounding; the same as `fma`.",
        &[One(Field::Rnd, RND), FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(2, 0, 20)
    .section("9.7.3.7"),
    Form::new(
        Opcode::Mad,
        "Multiplies and adds with one rounding; the same as `fma`.",
        &[One(Field::Rnd, RND), Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(1, 4, 13)
    .section("9.7.3.7"),
    Form::new(
        Opcode::Mad,
        "Multiplies and adds; the same as `mad.rn`.",
        &[FTZ, SAT, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .later(&[(Ftz, at(1, 4, 10))])
    .implying(Rn, 3, 2, 20)
    .section("9.7.3.7"),
    Form::new(
        Opcode::Mad,
        "Multiplies and adds; the same as `mad.rn`.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(1, 2, 13)
    .implying(Rn, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.7"),
    Form::new(
        Opcode::Div,
        "Divides; `.approx` within 2 ulp for divisors from 2^-126 to 2^126, `.full` for all divisors.",
        &[One(Field::Approx, &[Approx, Full]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Div),
    )
    .since(1, 4, 10)
    .section("9.7.3.8"),
    Form::new(
        Opcode::Div,
        "Divides with correct rounding.",
        &[One(Field::Rnd, RND), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Div),
    )
    .since(1, 4, 20)
    .section("9.7.3.8"),
    Form::new(
        Opcode::Div,
        "Divides with correct rounding.",
        &[One(Field::Rnd, RND), Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Div),
    )
    .since(1, 4, 13)
    .later(F64_RND)
    .section("9.7.3.8"),
    Form::new(
        Opcode::Div,
        "Divides; the same as `div.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Div),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.8"),
    Form::new(
        Opcode::Div,
        "Divides; the same as `div.rn`.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Div),
    )
    .since(1, 2, 13)
    .implying(Rn, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.8"),
    Form::new(
        Opcode::Abs,
        "The absolute value.",
        &[FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Abs),
    )
    .section("9.7.3.9"),
    Form::new(
        Opcode::Abs,
        "The absolute value.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Abs),
    )
    .since(1, 0, 13)
    .section("9.7.3.9"),
    Form::new(
        Opcode::Neg,
        "The negative.",
        &[FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Neg),
    )
    .section("9.7.3.10"),
    Form::new(
        Opcode::Neg,
        "The negative.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Neg),
    )
    .since(1, 0, 13)
    .section("9.7.3.10"),
    Form::new(
        Opcode::Min,
        "The smaller value; a NaN only if both are, or with `.NaN` if one is.",
        &[FTZ, NAN, XORSIGN, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Min),
    )
    .later(MINMAX_F32)
    .section("9.7.3.11"),
    Form::new(
        Opcode::Min,
        "The smaller value; a NaN only if both are.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Min),
    )
    .since(1, 0, 13)
    .section("9.7.3.11"),
    Form::new(
        Opcode::Max,
        "The larger value; a NaN only if both are, or with `.NaN` if one is.",
        &[FTZ, NAN, XORSIGN, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Max),
    )
    .later(MINMAX_F32)
    .section("9.7.3.12"),
    Form::new(
        Opcode::Max,
        "The larger value; a NaN only if both are.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT)],
        Sem::Arith(ArithSem::Max),
    )
    .since(1, 0, 13)
    .section("9.7.3.12"),
    Form::new(
        Opcode::Rcp,
        "The reciprocal, within 1 ulp.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rcp),
    )
    .since(1, 4, 10)
    .section("9.7.3.13"),
    Form::new(
        Opcode::Rcp,
        "The reciprocal with correct rounding.",
        &[One(Field::Rnd, RND), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rcp),
    )
    .since(1, 4, 20)
    .section("9.7.3.13"),
    Form::new(
        Opcode::Rcp,
        "The reciprocal with correct rounding.",
        &[One(Field::Rnd, RND), FTZ, Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rcp),
    )
    .since(1, 4, 13)
    .later(F64_RND)
    .section("9.7.3.13"),
    Form::new(
        Opcode::Sqrt,
        "The square root, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sqrt),
    )
    .since(1, 4, 10)
    .section("9.7.3.14"),
    Form::new(
        Opcode::Sqrt,
        "The square root with correct rounding.",
        &[One(Field::Rnd, RND), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sqrt),
    )
    .since(1, 4, 20)
    .section("9.7.3.14"),
    Form::new(
        Opcode::Sqrt,
        "The square root with correct rounding.",
        &[One(Field::Rnd, RND), Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sqrt),
    )
    .since(1, 4, 13)
    .later(F64_RND)
    .section("9.7.3.14"),
    Form::new(
        Opcode::Sqrt,
        "The square root; the same as `sqrt.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sqrt),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.14"),
    Form::new(
        Opcode::Sqrt,
        "The square root; the same as `sqrt.rn`.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sqrt),
    )
    .since(1, 2, 13)
    .implying(Rn, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.14"),
    Form::new(
        Opcode::Rcp,
        "The reciprocal, a gross approximation from the upper half of the operand.",
        &[One(Field::Approx, &[Approx]), One(Field::Ftz, &[Ftz]), Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rcp),
    )
    .since(2, 1, 20)
    .section("9.7.3.15"),
    Form::new(
        Opcode::Rcp,
        "The reciprocal; the same as `rcp.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rcp),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.13"),
    Form::new(
        Opcode::Rsqrt,
        "The reciprocal square root, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rsqrt),
    )
    .since(1, 4, 10)
    .section("9.7.3.16"),
    Form::new(
        Opcode::Rsqrt,
        "The reciprocal square root, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rsqrt),
    )
    .since(1, 4, 13)
    .later(RSQRT_FTZ)
    .section("9.7.3.16"),
    Form::new(
        Opcode::Rsqrt,
        "The reciprocal square root; the same as `rsqrt.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rsqrt),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.16"),
    Form::new(
        Opcode::Rsqrt,
        "The reciprocal square root; the same as `rsqrt.approx`.",
        &[Lit(F64)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Rsqrt),
    )
    .since(1, 2, 13)
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.16"),
    Form::new(
        Opcode::Sin,
        "The sine, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sin),
    )
    .since(1, 4, 10)
    .section("9.7.3.18"),
    Form::new(
        Opcode::Sin,
        "The sine of an angle in turns, approximately.",
        &[One(Field::Approx, &[Approx]), Lit(TwoPi), One(Field::Ftz, &[Ftz]), Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sin),
    )
    .since(9, 5, 10)
    .section("9.7.3.18"),
    Form::new(
        Opcode::Sin,
        "The sine; the same as `sin.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Sin),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.18"),
    Form::new(
        Opcode::Cos,
        "The cosine, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Cos),
    )
    .since(1, 4, 10)
    .section("9.7.3.19"),
    Form::new(
        Opcode::Cos,
        "The cosine of an angle in turns, approximately.",
        &[One(Field::Approx, &[Approx]), Lit(TwoPi), One(Field::Ftz, &[Ftz]), Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Cos),
    )
    .since(9, 5, 10)
    .section("9.7.3.19"),
    Form::new(
        Opcode::Cos,
        "The cosine; the same as `cos.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Cos),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.19"),
    Form::new(
        Opcode::Lg2,
        "The logarithm to base 2, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Lg2),
    )
    .since(1, 4, 10)
    .section("9.7.3.20"),
    Form::new(
        Opcode::Lg2,
        "The logarithm to base 2; the same as `lg2.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Lg2),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.20"),
    Form::new(
        Opcode::Ex2,
        "Two to the power of `a`, approximately.",
        &[One(Field::Approx, &[Approx]), FTZ, Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Ex2),
    )
    .since(1, 4, 10)
    .section("9.7.3.21"),
    Form::new(
        Opcode::Tanh,
        "The hyperbolic tangent, approximately.",
        &[One(Field::Approx, &[Approx]), Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Tanh),
    )
    .since(7, 0, 75)
    .section("9.7.3.22"),
    Form::new(
        Opcode::Add,
        "Adds half-precision values or pairs.",
        &[OPT_RN, FTZ, SAT, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .since(4, 2, 53)
    .section("9.7.4.1"),
    Form::new(
        Opcode::Add,
        "Adds bfloat values or pairs.",
        &[OPT_RN, One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Add),
    )
    .since(7, 8, 90)
    .section("9.7.4.1"),
    Form::new(
        Opcode::Sub,
        "Subtracts half-precision values or pairs.",
        &[OPT_RN, FTZ, SAT, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Sub),
    )
    .since(4, 2, 53)
    .section("9.7.4.2"),
    Form::new(
        Opcode::Sub,
        "Subtracts bfloat values or pairs.",
        &[OPT_RN, One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Sub),
    )
    .since(7, 8, 90)
    .section("9.7.4.2"),
    Form::new(
        Opcode::Mul,
        "Multiplies half-precision values or pairs.",
        &[OPT_RN, FTZ, SAT, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Mul),
    )
    .since(4, 2, 53)
    .section("9.7.4.3"),
    Form::new(
        Opcode::Mul,
        "Multiplies bfloat values or pairs.",
        &[OPT_RN, One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Mul),
    )
    .since(7, 8, 90)
    .section("9.7.4.3"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds half-precision values or pairs.",
        &[One(Field::Rnd, &[Rn]), FTZ, SAT, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(4, 2, 53)
    .section("9.7.4.4"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds half-precision values or pairs, clamped below at zero.",
        &[One(Field::Rnd, &[Rn]), FTZ, One(Field::Relu, &[Relu]), One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(7, 0, 80)
    .section("9.7.4.4"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds bfloat values or pairs; the manual has only `.rn`.",
        &[One(Field::Rnd, RND), Opt(Field::Relu, &[Relu]), One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::Fma),
    )
    .since(7, 0, 80)
    .section("9.7.4.4"),
    Form::new(
        Opcode::Neg,
        "The negative of half-precision values or pairs.",
        &[FTZ, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Neg),
    )
    .since(6, 0, 53)
    .section("9.7.4.5"),
    Form::new(
        Opcode::Neg,
        "The negative of bfloat values or pairs.",
        &[One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Neg),
    )
    .since(7, 0, 80)
    .section("9.7.4.5"),
    Form::new(
        Opcode::Abs,
        "The absolute value of half-precision values or pairs.",
        &[FTZ, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Abs),
    )
    .since(6, 5, 53)
    .section("9.7.4.6"),
    Form::new(
        Opcode::Abs,
        "The absolute value of bfloat values or pairs.",
        &[One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Abs),
    )
    .since(7, 0, 80)
    .section("9.7.4.6"),
    Form::new(
        Opcode::Min,
        "The smaller of half-precision values or pairs.",
        &[FTZ, NAN, XORSIGN, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Min),
    )
    .since(7, 0, 80)
    .later(MINMAX_HALF)
    .section("9.7.4.7"),
    Form::new(
        Opcode::Min,
        "The smaller of bfloat values or pairs.",
        &[NAN, XORSIGN, One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Min),
    )
    .since(7, 0, 80)
    .later(MINMAX_HALF)
    .section("9.7.4.7"),
    Form::new(
        Opcode::Max,
        "The larger of half-precision values or pairs.",
        &[FTZ, NAN, XORSIGN, One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Max),
    )
    .since(7, 0, 80)
    .later(MINMAX_HALF)
    .section("9.7.4.8"),
    Form::new(
        Opcode::Max,
        "The larger of bfloat values or pairs.",
        &[NAN, XORSIGN, One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T), arg("b", T)],
        Sem::Arith(ArithSem::Max),
    )
    .since(7, 0, 80)
    .later(MINMAX_HALF)
    .section("9.7.4.8"),
    Form::new(
        Opcode::Tanh,
        "The hyperbolic tangent of half-precision or bfloat values, approximately.",
        &[One(Field::Approx, &[Approx]), One(Field::Type, &[F16, F16x2, Bf16, Bf16x2])],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Tanh),
    )
    .since(7, 0, 75)
    .later(TANH_BF16)
    .section("9.7.4.9"),
    Form::new(
        Opcode::Ex2,
        "Two to the power of a half-precision value, approximately.",
        &[One(Field::Approx, &[Approx]), One(Field::Type, HALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Ex2),
    )
    .since(7, 0, 75)
    .section("9.7.4.10"),
    Form::new(
        Opcode::Ex2,
        "Two to the power of a bfloat value, approximately.",
        &[One(Field::Approx, &[Approx]), One(Field::Ftz, &[Ftz]), One(Field::Type, BHALVES)],
        &[def("d", RT), arg("a", T)],
        Sem::Arith(ArithSem::Ex2),
    )
    .since(7, 8, 90)
    .section("9.7.4.10"),
    Form::new(
        Opcode::Ex2,
        "The power of 2; the same as `ex2.approx`.",
        &[Lit(F32)],
        &[def("d", RLIT), arg("a", LIT)],
        Sem::Arith(ArithSem::Ex2),
    )
    .implying(Approx, 1, 4, crate::Since::FIRST_SM)
    .section("9.7.3.21"),
    Form::new(
        Opcode::Add,
        "Adds a half-precision or bfloat and a single-precision value.",
        &[OPT_RND, SAT, Lit(F32), One(Field::AType, &[F16, Bf16])],
        &[def("d", RLIT), arg("a", OperandKind::Value(TypeRule::Of(Field::AType))), arg("c", LIT)],
        Sem::Arith(ArithSem::Add),
    )
    .since(8, 6, 100)
    .section("9.7.5.1"),
    Form::new(
        Opcode::Sub,
        "Subtracts a half-precision or bfloat and a single-precision value.",
        &[OPT_RND, SAT, Lit(F32), One(Field::AType, &[F16, Bf16])],
        &[def("d", RLIT), arg("a", OperandKind::Value(TypeRule::Of(Field::AType))), arg("c", LIT)],
        Sem::Arith(ArithSem::Sub),
    )
    .since(8, 6, 100)
    .section("9.7.5.2"),
    Form::new(
        Opcode::Fma,
        "Multiplies half-precision or bfloat values and adds to a single-precision value.",
        &[One(Field::Rnd, RND), SAT, Lit(F32), One(Field::AType, &[F16, Bf16])],
        &[
            def("d", RLIT),
            arg("a", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("b", OperandKind::Value(TypeRule::Of(Field::AType))),
            arg("c", LIT),
        ],
        Sem::Arith(ArithSem::Fma),
    )
    .since(8, 6, 100)
    .section("9.7.5.3"),
    Form::new(
        Opcode::Fma,
        "Multiplies and adds; the result is zero if a source is the NaN that marks an out-of-bounds read.",
        &[
            One(Field::Rnd, RND),
            One(Field::Oob, &[Oob]),
            Opt(Field::Relu, &[Relu]),
            One(Field::Type, &[F16, F16x2, Bf16, Bf16x2]),
        ],
        &[def("d", RT), arg("a", T), arg("b", T), arg("c", T)],
        Sem::Arith(ArithSem::FmaOob),
    )
    .since(8, 1, 90)
    .rules(&[Rule::Needs(F16, &[Rn]), Rule::Needs(F16x2, &[Rn])])
    .section("9.7.4.4"),
    Form::new(
        Opcode::Min,
        "The smallest of three values, or of their absolute values.",
        &[FTZ, NAN, Opt(Field::Abs, &[AbsMod]), Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Min3),
    )
    .since(8, 8, 100)
    .section("9.7.3.11"),
    Form::new(
        Opcode::Max,
        "The largest of three values, or of their absolute values.",
        &[FTZ, NAN, Opt(Field::Abs, &[AbsMod]), Lit(F32)],
        &[def("d", RLIT), arg("a", LIT), arg("b", LIT), arg("c", LIT)],
        Sem::Arith(ArithSem::Max3),
    )
    .since(8, 8, 100)
    .section("9.7.3.12"),
];
