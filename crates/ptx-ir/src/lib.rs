//! The PTX module model and its printer.
