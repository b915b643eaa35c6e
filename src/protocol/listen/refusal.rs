//! Refusing clients that connect.

use std::io::Write;
use std::net::{Shutdown, TcpStream};

use crate::protocol::transport::STALL;
use crate::protocol::{Messages, Received, SharedFrontEnd};
use ez_engine::api::Failure;

/// Refuses a client: its first message is answered with an error.
pub fn refuse(mut stream: &TcpStream, front_end: &SharedFrontEnd, received: &[Received], why: Failure) {
    let mut out = Messages::default();
    let mut front_end = front_end.lock();
    for received in received {
        match received {
            Received::Message(message) => {
                front_end.response(message.id, &Err(why.clone()), &mut out);
            }
            Received::Reply(id) => {
                // What was asked is not told; what is no more than a refusal of its own is.
                front_end.response(*id, &Err(why.clone()), &mut out);
                if out.bytes().is_empty() {
                    front_end.reply(*id, &mut out);
                }
            }
            Received::Cancel(_) => {}
        }
        if !out.bytes().is_empty() {
            break;
        }
    }
    // A client that does not read the answer is not waited for.
    let _ = stream.set_write_timeout(Some(STALL));
    let _ = stream.write_all(out.bytes());
    let _ = stream.shutdown(Shutdown::Both);
}
