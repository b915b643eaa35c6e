//! A pseudo console of Windows.
//!
//! A process on it starts `ez`, with the console as its standard streams: under Wine, processes do not get
//! that by themselves. It is a run of this test program with nothing but the test
//! [`a_process_on_a_console`], is told by a socket what to start, and tells the status.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::windows::io::AsHandle;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::Run;

pub mod console;

use console::PseudoConsole;

/// Stands before the number of the socket that tells the process on the console what to do.
const PORT: &str = "port:";

/// Whether Ctrl+C reaches a program that reads keys. Pressed on a pseudo console of Wine's, it ends that.
pub fn interrupts_are_keys() -> bool {
    !console::is_wine()
}

/// Whether escape sequences do not count as text. Wine passes them on without understanding them.
pub fn colours_take_no_room() -> bool {
    !console::is_wine()
}

pub struct Pseudo {
    /// Gone once the process has ended.
    console: Arc<Mutex<Option<PseudoConsole>>>,
    keys: std::io::PipeWriter,
    link: TcpStream,
    status: Receiver<i32>,
}

impl Pseudo {
    pub fn start(run: &Run) -> (Pseudo, Receiver<Vec<u8>>) {
        let (input, keys) = std::io::pipe().unwrap();
        let (mut shown, output) = std::io::pipe().unwrap();
        let console = PseudoConsole::new((run.rows, run.columns), input, output).unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let test = module_path!().split_once("::").unwrap().1.to_string() + "::a_process_on_a_console";
        let program = std::env::current_exe().unwrap();
        // A name of a test that there is not, as far as the test program is concerned.
        let port = listener.local_addr().unwrap().port();
        console.start(&format!("\"{}\" --exact {test} {PORT}{port}", program.display())).unwrap();
        let (mut link, _) = listener.accept().unwrap();
        let state = run.directory.join("state");
        let mut variables: Vec<(&str, &str)> = vec![("LOCALAPPDATA", state.to_str().unwrap())];
        variables.extend(run.environment);
        let order = json!({"arguments": run.arguments, "directory": run.directory, "variables": variables});
        link.write_all(format!("{order}\n").as_bytes()).unwrap();

        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = shown.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let console = Arc::new(Mutex::new(Some(console)));
        let (ended, status) = channel();
        let (ending, reports) = (console.clone(), BufReader::new(link.try_clone().unwrap()));
        std::thread::spawn(move || {
            for line in reports.lines().map_while(Result::ok) {
                ending.lock().unwrap().take();
                let _ = ended.send(line.parse().unwrap());
            }
        });
        (Pseudo { console, keys, link, status }, bytes)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.keys.write_all(bytes).unwrap();
    }

    pub fn interrupt(&mut self) {
        self.link.write_all(b"\n").unwrap();
    }

    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.console.lock().unwrap().as_ref().unwrap().resize((rows, columns)).unwrap();
    }

    /// Waits for the end of the process; gives its status.
    pub fn wait(&mut self, patience: Duration) -> Option<i32> {
        Some(self.status.recv_timeout(patience).expect("the process ends"))
    }
}

impl Drop for Pseudo {
    fn drop(&mut self) {
        // Who has started the process ends it.
        let _ = self.link.shutdown(std::net::Shutdown::Both);
        self.console.lock().unwrap().take();
    }
}

/// No test: what runs on the pseudo console.
#[test]
fn a_process_on_a_console() {
    let Some(port) = std::env::args().find_map(|argument| argument.strip_prefix(PORT)?.parse().ok()) else {
        return;
    };
    // Ctrl+C is for the process that is started.
    ctrlc::set_handler(|| {}).unwrap();
    let mut link = TcpStream::connect::<(Ipv4Addr, u16)>((Ipv4Addr::LOCALHOST, port)).unwrap();
    let mut orders = BufReader::new(link.try_clone().unwrap()).lines();
    let order: Value = serde_json::from_str(&orders.next().unwrap().unwrap()).unwrap();
    let mut child = on_this_console(&order);
    let process = child.as_handle().try_clone_to_owned().unwrap();
    std::thread::spawn(move || {
        for _ in orders.map_while(Result::ok) {
            console::interrupt().unwrap();
        }
        console::end(&process);
    });
    let status = child.wait().unwrap();
    let _ = writeln!(link, "{}", status.code().unwrap());
}

/// Starts `ez` with the console of this process as its standard streams.
fn on_this_console(order: &Value) -> Child {
    let console = || File::options().read(true).write(true).open("CONOUT$").unwrap();
    let texts = |texts: &Value| -> Vec<String> { serde_json::from_value(texts.clone()).unwrap() };
    let mut command = Command::new(support::ez_path());
    command.args(texts(&order["arguments"])).current_dir(order["directory"].as_str().unwrap());
    command.env_remove("NO_COLOR");
    for variable in order["variables"].as_array().unwrap() {
        let [name, value] = texts(variable).try_into().unwrap();
        command.env(name, value);
    }
    let keys = File::options().read(true).write(true).open("CONIN$").unwrap();
    command.stdin(keys).stdout(Stdio::from(console())).stderr(Stdio::from(console()));
    command.spawn().unwrap()
}
