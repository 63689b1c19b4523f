//! Optimization pipelines over lowered modules.
