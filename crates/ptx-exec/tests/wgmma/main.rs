//! `wgmma` (manual 9.7.15).

#[path = "../common/mod.rs"]
mod common;
mod model;
mod order;
mod products;
mod table;
