//! The process groups of commands.

use foldhash::HashMap;

use super::ProcessGroup;

/// The process groups that may have members, by the process id of the leader.
#[derive(Debug, Default)]
pub struct Groups {
    running: HashMap<u32, ProcessGroup>,
    /// Groups whose leader has ended but which may have other members.
    background: Vec<ProcessGroup>,
}

impl Groups {
    /// Adds the group of a command that was started.
    pub fn add(&mut self, leader: u32, group: ProcessGroup) {
        self.forget_empty();
        self.running.insert(leader, group);
    }

    /// Forgets the groups without members: the system may give their numbers to groups of other programs. To
    /// be called as soon as members of a group may have ended.
    pub fn forget_empty(&mut self) {
        self.background.retain(ProcessGroup::has_members);
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;
    use crate::platform::spawn_in_group;

    #[test]
    fn a_group_is_forgotten_when_its_last_member_has_ended() {
        let waiting = || {
            let mut command = Command::new("cat");
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            command
        };
        let (mut leader, group) = spawn_in_group(&mut waiting()).expect("a leader");
        let number = i32::try_from(leader.id()).expect("a process id");
        let mut member = waiting().process_group(number).spawn().expect("a member");
        let mut groups = Groups::default();
        groups.add(leader.id(), group);
        // Closes its input, which ends it.
        leader.wait().expect("the leader's end");
        groups.leader_ended(leader.id());
        groups.forget_empty();
        assert_eq!(groups.background.len(), 1);
        member.wait().expect("the member's end");
        groups.forget_empty();
        assert_eq!(groups.background.len(), 0);
    }
}
