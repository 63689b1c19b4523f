//! Tests of the analysis.

mod corpus;
mod fixes;
mod names;
mod requests;
