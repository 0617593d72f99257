//! What the system says about the memory of this process.

/// A size from `/proc/self/status`, in bytes: `VmHWM` is the peak of resident memory, `VmRSS` what is resident now. None
/// where the system reports none.
pub fn process_memory(name: &str) -> Option<u64> {
    let report = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = report.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().split(' ').next()?.parse::<u64>().ok()? * 1024)
}
