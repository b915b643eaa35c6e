//! The world of a program under test: output is kept, with what goes to standard error between U+0001 and
//! U+0002, input is given, the clock stands still.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use ez_runtime::host::SystemHost;
use ez_runtime::value::{Host, InterruptFlag, Stream, Waited, WrapsHost};

use super::Subject;

pub struct TestHost {
    output: Arc<Mutex<String>>,
    input: VecDeque<Vec<u8>>,
    inner: SystemHost,
    random: fastrand::Rng,
    /// Evaluations take from this what the program would, and leave it to the program.
    evaluation_random: Option<fastrand::Rng>,
}

/// What all random bits follow from.
const SEED: u64 = 1;

impl TestHost {
    pub fn new(
        subject: &Subject,
        output: Arc<Mutex<String>>,
        interrupt: Option<Arc<InterruptFlag>>,
    ) -> TestHost {
        let input = subject.input.split_inclusive('\n').map(|line| line.as_bytes().to_vec()).collect();
        let inner = SystemHost::new(interrupt).with_directory(&subject.directory);
        TestHost { output, input, inner, random: fastrand::Rng::with_seed(SEED), evaluation_random: None }
    }
}

impl WrapsHost for TestHost {
    fn inner(&self) -> &dyn Host {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.inner
    }

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        let mut output = self.output.lock().expect("not poisoned");
        match stream {
            Stream::Stdout => output.push_str(text),
            Stream::Stderr => output.extend(["\u{1}", text, "\u{2}"]),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(self.input.pop_front()))
    }

    fn now(&mut self) -> (i64, u32) {
        (1_700_000_000, 0)
    }

    fn random(&mut self) -> u64 {
        self.evaluation_random.as_mut().unwrap_or(&mut self.random).u64(..)
    }

    fn seed(&mut self) -> u64 {
        SEED
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluation_random = evaluating.then(|| self.random.clone());
    }
}
