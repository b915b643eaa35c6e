//! Sockets that listen.

use std::io;
use std::net::{Ipv6Addr, SocketAddrV6, TcpListener};

use rustix::net::sockopt::set_ipv6_v6only;
use rustix::net::{AddressFamily, SocketType, bind, listen, socket, wsa_startup};

/// How many connections may wait to be accepted, as in Rust's library.
const BACKLOG: i32 = 128;

/// Sockets of the sixth version have to be asked to take connections of the fourth, too.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    wsa_startup()?;
    let socket = socket(AddressFamily::INET6, SocketType::STREAM, None)?;
    set_ipv6_v6only(&socket, false)?;
    bind(&socket, &SocketAddrV6::new(Ipv6Addr::UNSPECIFIED, port, 0, 0))?;
    listen(&socket, BACKLOG)?;
    // Unlike this one, its copy is not inherited by processes that are spawned.
    Ok(TcpListener::from(socket.try_clone()?))
}
