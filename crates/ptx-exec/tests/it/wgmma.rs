//! `wgmma` (manual 9.7.15).

mod model;
mod order;
mod products;
mod table;
