//! The file with which a front end says where it expects the kernel.

use std::path::Path;

use serde::Deserialize;

use ez_runtime::platform::{self, text_of};

/// Where the kernel is to listen, and the key of all messages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ConnectionFile {
    transport: String,
    ip: String,
    shell_port: u16,
    control_port: u16,
    stdin_port: u16,
    iopub_port: u16,
    hb_port: u16,
    signature_scheme: String,
    /// The key for the signatures; empty: messages are not signed.
    pub key: String,
}

/// Where one of the sockets is to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketAddress {
    /// Name of the socket in the connection file: `shell`.
    pub name: &'static str,
    /// Address of the computer.
    pub ip: String,
    /// TCP port.
    pub port: u16,
}

impl ConnectionFile {
    /// Reads a connection file.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong.
    pub fn read(path: &Path) -> Result<ConnectionFile, String> {
        let name = text_of(path.as_os_str());
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!("the connection file {name} cannot be read: {}", platform::reason(&error))
        })?;
        ConnectionFile::parse(&text).map_err(|why| format!("the connection file {name} {why}"))
    }

    /// # Errors
    /// What is wrong, as the end of a sentence that begins with the file.
    fn parse(text: &str) -> Result<ConnectionFile, String> {
        let file: ConnectionFile =
            serde_json::from_slice(text.as_bytes()).map_err(|error| match error.classify() {
                serde_json::error::Category::Data => format!("is not one: {error}"),
                _ => format!("is not valid JSON: {error}"),
            })?;
        if file.transport != "tcp" {
            return Err(format!("asks for the transport '{}'; this kernel has only 'tcp'", file.transport));
        }
        if file.signature_scheme != "hmac-sha256" {
            let scheme = &file.signature_scheme;
            return Err(format!("asks for signatures by '{scheme}'; this kernel has only 'hmac-sha256'"));
        }
        match file.addresses().iter().find(|address| address.port == 0) {
            Some(address) => Err(format!("has port 0 for {}", address.name)),
            None => Ok(file),
        }
    }

    /// Where the five sockets are to listen: shell, control, stdin, iopub, heartbeat.
    pub fn addresses(&self) -> [SocketAddress; 5] {
        [
            ("shell", self.shell_port),
            ("control", self.control_port),
            ("stdin", self.stdin_port),
            ("iopub", self.iopub_port),
            ("hb", self.hb_port),
        ]
        .map(|(name, port)| SocketAddress { name, ip: self.ip.clone(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5,
        "ip": "127.0.0.1", "key": "k", "transport": "tcp", "signature_scheme": "hmac-sha256",
        "kernel_name": "ez"}"#;

    #[test]
    fn files_of_jupyter_are_read() {
        let file = ConnectionFile::parse(FILE).unwrap();
        assert_eq!(file.key, "k");
        assert_eq!(file.addresses().map(|address| address.port), [1, 4, 3, 2, 5]);
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |from: &str, to: &str| ConnectionFile::parse(&FILE.replace(from, to)).unwrap_err();
        assert_eq!(wrong("tcp", "ipc"), "asks for the transport 'ipc'; this kernel has only 'tcp'");
        assert!(wrong("hmac-sha256", "hmac-md5").contains("signatures by 'hmac-md5'"));
        assert!(wrong("\"hb_port\": 5", "\"hb_port\": 70000").starts_with("is not one: invalid value"));
        assert!(wrong("\"hb_port\": 5,", "").contains("missing field `hb_port`"));
        assert_eq!(wrong("\"hb_port\": 5", "\"hb_port\": 0"), "has port 0 for hb");
        assert!(wrong("}", "").starts_with("is not valid JSON"));
    }
}
