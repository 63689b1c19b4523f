//! The rules of the PTX manual, checked over the module model.
