//! The process groups of commands that have been started.

use std::collections::BTreeMap;

use super::ProcessGroup;

/// The process groups that may have members, by the number of the process that leads each.
#[derive(Debug, Default)]
pub struct Groups {
    running: BTreeMap<u32, ProcessGroup>,
    /// Those whose leaders have ended, but have left processes behind.
    background: Vec<ProcessGroup>,
}

impl Groups {
    /// A command has been started.
    pub fn add(&mut self, leader: u32, group: ProcessGroup) {
        // The system may give a number again once the whole group is gone.
        self.background.retain(ProcessGroup::has_members);
        self.running.insert(leader, group);
    }

    /// The command that leads a group has ended.
    pub fn leader_ended(&mut self, leader: u32) {
        self.background.extend(self.running.remove(&leader).filter(ProcessGroup::has_members));
    }

    /// Ends a group, unless its leader has ended by itself.
    pub fn kill(&self, leader: u32) {
        if let Some(group) = self.running.get(&leader) {
            group.kill();
        }
    }

    /// Ends all groups.
    pub fn kill_all(&mut self) {
        self.running.values().chain(&self.background).for_each(ProcessGroup::kill);
        self.background.clear();
    }
}
