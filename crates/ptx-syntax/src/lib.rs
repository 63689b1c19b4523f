//! The PTX reader: text to module model.
