//! Process groups of commands that run without a guard.

use std::collections::BTreeSet;

use crate::host::platform;

/// The process groups that may have members, by the number of the process that leads each.
#[derive(Debug, Default)]
pub struct Groups {
    running: BTreeSet<u32>,
    /// Those whose leaders have ended, but have left processes behind.
    background: BTreeSet<u32>,
}

impl Groups {
    /// A command has been started.
    pub fn add(&mut self, group: u32) {
        // The system may give a number again once the whole group is gone.
        self.background.retain(|group| platform::group_exists(*group));
        self.running.insert(group);
    }

    /// The command that leads a group has ended.
    pub fn leader_ended(&mut self, group: u32) {
        if self.running.remove(&group) && platform::group_exists(group) {
            self.background.insert(group);
        }
    }

    /// Ends a group, unless its leader has ended by itself.
    pub fn kill(&self, group: u32) {
        if self.running.contains(&group) {
            platform::kill_group(group);
        }
    }

    /// Ends all groups.
    pub fn kill_all(&mut self) {
        self.running.iter().chain(&self.background).for_each(|group| platform::kill_group(*group));
        self.background.clear();
    }
}
