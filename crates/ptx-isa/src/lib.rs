//! The PTX instruction set as data.
