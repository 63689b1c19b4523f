//! The server as a scripted client sees it, over standard input and output.

mod client;
mod edits;
mod navigation;
mod session;
mod speed;
