//! Whether there is memory.

/// Whether the system has so many bytes left. Asking first is the only way: where memory is missing when
/// it is needed, the process ends.
pub(crate) fn can_hold(bytes: u64) -> bool {
    if bytes < 1 << 20 {
        return true;
    }
    let mut probe: Vec<u8> = Vec::new();
    let held = usize::try_from(bytes).is_ok_and(|bytes| probe.try_reserve_exact(bytes).is_ok());
    // Nobody may conclude that the memory is not needed at all.
    std::hint::black_box(&probe);
    held
}
