//! Hosts that pass on to another host what they do not do themselves.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::{Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited};

macro_rules! wraps_host {
    (
        shared { $(fn $shared:ident($($shared_arg:ident: $shared_type:ty),*) -> $shared_result:ty;)* }
        exclusive { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $result:ty;)* }
    ) => {
        /// A host around another one. What it does not define goes to that one, so that nothing is forgotten.
        pub trait WrapsHost {
            /// The host inside.
            fn inner(&self) -> &dyn Host;

            /// The host inside, to be called.
            fn inner_mut(&mut self) -> &mut dyn Host;

            $(
                #[doc = concat!("See [`Host::", stringify!($shared), "`].")]
                fn $shared(&self, $($shared_arg: $shared_type),*) -> $shared_result {
                    self.inner().$shared($($shared_arg),*)
                }
            )*

            $(
                #[doc = concat!("See [`Host::", stringify!($name), "`].")]
                #[allow(clippy::missing_errors_doc)]
                fn $name(&mut self, $($arg: $ty),*) -> $result {
                    self.inner_mut().$name($($arg),*)
                }
            )*
        }

        impl<W: WrapsHost> Host for W {
            $(
                fn $shared(&self, $($shared_arg: $shared_type),*) -> $shared_result {
                    WrapsHost::$shared(self, $($shared_arg),*)
                }
            )*

            $(
                fn $name(&mut self, $($arg: $ty),*) -> $result {
                    WrapsHost::$name(self, $($arg),*)
                }
            )*
        }
    };
}

wraps_host! {
    shared {
        fn shows(stream: Stream, bytes: usize) -> bool;
        fn interrupt_flag() -> Option<Arc<InterruptFlag>>;
    }
    exclusive {
        fn write(stream: Stream, text: &str) -> io::Result<()>;
        fn flush() -> io::Result<()>;
        fn read_line() -> io::Result<Waited<Option<Vec<u8>>>>;
        fn sleep(time: Duration) -> Option<Duration>;
        fn now() -> (i64, u32);
        fn random() -> u64;
        fn seed() -> u64;
        fn set_evaluating(evaluating: bool) -> ();
        fn request(request: HostRequest) -> Result<HostAnswer, SystemError>;
        fn start(job: Job) -> Result<u64, JobResult>;
        fn finish(job: u64) -> Waited<JobResult>;
        fn cancel(job: u64) -> ();
        fn end() -> ();
    }
}
