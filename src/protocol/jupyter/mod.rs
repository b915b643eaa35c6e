//! The messaging protocol of Jupyter, version 5.4, as a kernel speaks it.
//!
//! A front end starts the kernel with a [`ConnectionFile`] and talks to it over five ZeroMQ sockets
//! ([`Sockets`]). A [`Message`] is a few frames, signed with the key of the connection file ([`Signer`]).
//! What the messages contain is in [`content`]; what the kernel does with them is not known here.

mod arrival;
mod connection;
pub mod content;
mod html;
mod murmur2;
mod publisher;
mod sockets;
mod wire;
mod zmtp;

pub use arrival::{Arrival, Channel};
pub use connection::{ConnectionFile, SocketAddress};
pub use html::html;
pub use murmur2::murmur2;
pub use sockets::{Outlet, Sockets};
pub use wire::{Header, Message, Rejected, Signer};
#[cfg(fuzzing)]
pub use zmtp::fuzz::target as fuzz_zmtp;

/// The version of the protocol.
pub const VERSION: &str = "5.4";
