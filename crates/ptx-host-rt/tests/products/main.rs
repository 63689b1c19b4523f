//! Products with the processor's vectors, in launches of the interpreter: the cases of its own tests, whose results are worked out independently, and
//! random bits, of which both leave the same. None of them is left to the interpreter.

mod bits;
mod common;
#[path = "../../../ptx-exec/tests/it/wgmma/model.rs"]
#[allow(dead_code, reason = "its own test uses the rest")]
mod model;
#[path = "../../../ptx-exec/tests/it/wgmma/products.rs"]
mod products;
mod tensor;
