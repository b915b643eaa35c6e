//! The process groups of commands.

use std::collections::BTreeMap;

use super::ProcessGroup;

/// The process groups that may have members, by the process id of the leader.
#[derive(Debug, Default)]
pub struct Groups {
    running: BTreeMap<u32, ProcessGroup>,
    /// Groups whose leader has ended but which may have other members.
    background: Vec<ProcessGroup>,
}

impl Groups {
    /// Adds the group of a command that was started.
    pub fn add(&mut self, leader: u32, group: ProcessGroup) {
        // The system may reuse the number of a group without members.
        self.background.retain(ProcessGroup::has_members);
        self.running.insert(leader, group);
    }

    /// The leader of a group has ended.
    pub fn leader_ended(&mut self, leader: u32) {
        self.background.extend(self.running.remove(&leader).filter(ProcessGroup::has_members));
    }

    /// Kills a group, unless its leader has ended.
    pub fn kill(&self, leader: u32) {
        if let Some(group) = self.running.get(&leader) {
            group.kill();
        }
    }

    /// Kills all groups.
    pub fn kill_all(&mut self) {
        self.running.values().chain(&self.background).for_each(ProcessGroup::kill);
        self.background.clear();
    }
}
