//! To find what has printed some bytes of the output.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use crate::recording::Replay;
use ez_runtime::interp::output_watch::{OutputObserver, OutputWatch, Printed};
use ez_runtime::interp::vm::Vm;
use ez_runtime::value::{PartChange, Stream};

/// To find what has printed bytes of the output.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FindPrinted {
    /// The numbers of the bytes, from 0, in ascending order.
    pub offsets: Vec<u64>,
    /// Where they are counted: see [`GetOutputSteps`](crate::api::GetOutputSteps).
    pub stream: Option<Stream>,
    /// The last checkpoint before all of them were printed.
    pub start: Option<RunPosition>,
    /// Where to end at the latest.
    pub until: RunPosition,
}

impl Itinerary for FindPrinted {
    fn start(&self) -> Option<RunPosition> {
        self.start
    }

    fn last_step(&self) -> u64 {
        self.until.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Watching { aim: self.clone(), found: None })
    }
}

impl Finds for FindPrinted {
    /// What has printed the first of the bytes.
    type Found = Vec<Printed>;
}

struct Watching {
    aim: FindPrinted,
    found: Option<Vec<Printed>>,
}

impl Visit for Watching {
    fn goal(&self) -> u64 {
        self.aim.until.step
    }

    fn begin(&mut self, vm: &mut Vm, _: &mut Inspection, replay: &Replay) {
        let FindPrinted { offsets, stream, .. } = &self.aim;
        let watch = OutputWatch::new(*stream, replay.output_size().to(*stream), offsets.iter().copied());
        vm.output = Some(OutputObserver::Watch(watch));
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        let is_done = !matches!(&here.vm.output, Some(OutputObserver::Watch(watch)) if !watch.is_done());
        if is_done || here.position >= self.aim.until {
            self.take(here.vm);
            return PositionAction::End;
        }
        here.look_out_for(self.aim.until);
        PositionAction::Pass
    }

    fn watches_changes(&self) -> bool {
        true
    }

    fn repeated(&mut self, vm: &mut Vm, _: &mut Inspection, _: &FrameView, _: Vec<PartChange>) {
        let step = vm.steps.now();
        if let Some(OutputObserver::Watch(watch)) = &mut vm.output {
            watch.place_evaluations(step);
        }
    }

    fn reaches_present(&mut self, vm: &mut Vm, _: &mut Inspection, _: Option<&FrameView>) {
        self.take(vm);
    }

    fn end(&mut self, _: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        self.found.as_ref().map(JourneyEnd::found)
    }
}

impl Watching {
    fn take(&mut self, vm: &mut Vm) {
        if let Some(OutputObserver::Watch(watch)) = vm.output.take() {
            self.found = Some(watch.into_found());
        }
    }
}
