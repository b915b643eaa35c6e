//! A host for tests, and calls of library functions without an interpreter.

#![allow(clippy::expect_used)]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::host::SystemHost;
use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Mutator, Stream, SystemError, Type, Value,
    Waited, display,
};

use super::args::type_of;
use super::{Call, Fail, Runtime, row};

/// A runtime whose host records output and has predictable random numbers.
pub struct Bench {
    system: SystemHost,
    pub out: String,
    pub random: u64,
    pub attended: u32,
    pub interrupt: Option<Arc<InterruptFlag>>,
    /// Made when it is first asked for: a test may have several of these, and a thread one mutator.
    mutator: Option<Mutator>,
}

impl Default for Bench {
    fn default() -> Bench {
        let system = SystemHost::new(None);
        Bench { system, out: String::new(), random: 0, attended: 0, interrupt: None, mutator: None }
    }
}

impl Bench {
    /// A runtime whose waits this flag interrupts.
    pub fn watched(interrupt: Arc<InterruptFlag>) -> Bench {
        Bench {
            system: SystemHost::new(Some(interrupt.clone())),
            interrupt: Some(interrupt),
            ..Bench::default()
        }
    }
}

impl Host for Bench {
    fn write(&mut self, _: Stream, text: &str) -> io::Result<()> {
        self.out.push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(None))
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        (time > Duration::from_secs(1)).then(|| time - Duration::from_secs(1))
    }

    fn now(&mut self) -> (i64, u32) {
        (1_700_000_000, 0)
    }

    fn random(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random ^ (self.random >> 29)
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match request {
            HostRequest::Zone(_) => Ok(HostAnswer::Zone { offset: 0, name: "UTC".into() }),
            other => self.system.request(other),
        }
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        self.system.start(job)
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        self.system.finish(job)
    }

    fn cancel(&mut self, job: u64) {
        self.system.cancel(job);
    }

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.interrupt.clone()
    }
}

impl Runtime for Bench {
    fn host(&mut self) -> &mut dyn Host {
        self
    }

    fn write(&mut self, stream: Stream, text: &str) -> std::io::Result<()> {
        self.host().write(stream, text)
    }

    fn mutator(&mut self) -> &mut Mutator {
        self.mutator.get_or_insert_with(|| Mutator::new().expect("a thread has one"))
    }

    fn on_interrupt(&mut self) -> Result<(), Fail> {
        self.attended += 1;
        Ok(())
    }

    fn exit(&mut self, _: i32) -> Fail {
        Fail::Halt
    }
}

/// Calls `module.function`; an error is `CODE MESSAGE`.
pub fn call(name: &str, args: &[Value]) -> Result<Value, String> {
    call_with(&mut Bench::default(), name, args)
}

/// Like [`call`], with a given runtime.
pub fn call_with(runtime: &mut dyn Runtime, name: &str, args: &[Value]) -> Result<Value, String> {
    let (module, function) = name.split_once('.').expect("module.function");
    let module = super::module(module).expect("a module");
    let row = row(module.name, function).expect("a function");
    let types: Vec<Type> = args.iter().map(type_of).collect();
    let result = row.parsed().result(&types);
    let mut call =
        Call { module: module.name, name: row.name, args, types: &types, result: &result, runtime };
    super::invoke(row, &mut call).map_err(|fail| match fail {
        Fail::Error(failure) => format!("{} {}", failure.code.as_str(), failure.message),
        Fail::Halt => "halt".to_string(),
    })
}

/// Like [`call`], but gives the display form of the result.
pub fn text(name: &str, args: &[Value]) -> String {
    call(name, args).map_or_else(|error| error, |value| display(&value))
}

/// An array of integers.
pub fn ints(values: &[i64]) -> Value {
    Value::array(&Type::INT, values.iter().map(|i| Value::Int(*i)))
}

/// An array of strings.
pub fn strings(values: &[&str]) -> Value {
    Value::strings(values.iter().copied())
}
