//! The server as a scripted client sees it, over standard input and output.

mod client;
mod edits;
mod navigation;
mod neovim;
mod session;
mod speed;
