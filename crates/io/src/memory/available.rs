//! What this process may still allocate, if the system says so.

#[cfg(target_os = "linux")]
use std::fs::read_to_string;

/// The bytes that can still be allocated: the least of what the machine has free, what the control
/// group of the process leaves and what its address space may grow by. `None` where the system
/// reports none of them.
pub fn available() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return [machine(), control_group(), address_space()].into_iter().flatten().min();
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(target_os = "linux")]
fn machine() -> Option<u64> {
    let report = read_to_string("/proc/meminfo").ok()?;
    let line = report.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().split(' ').next()?.parse::<u64>().ok()? * 1024)
}

/// Version 2, then version 1; a process without a limit has none of the files.
#[cfg(target_os = "linux")]
fn control_group() -> Option<u64> {
    let left = |[limit, used, stat]: [&str; 3], cache: &str| {
        let text = |file: &str| read_to_string(format!("/sys/fs/cgroup/{file}")).ok();
        let limit = text(limit)?.trim().parse::<u64>().ok()?;
        let used = text(used)?.trim().parse::<u64>().ok()?;
        // Cached files are given up when memory is needed.
        let stat = text(stat).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok());
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    let first = ["memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat"];
    let first = first.map(|file| format!("memory/{file}"));
    left(["memory.max", "memory.current", "memory.stat"], "inactive_file ")
        .or_else(|| left(first.each_ref().map(String::as_str), "total_inactive_file "))
}

#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills in the structure, which outlives it.
    #[allow(unsafe_code)]
    let result = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    if result != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let pages = read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').next()?.parse().ok()?;
    Some(limit.rlim_cur.saturating_sub(pages * 4096))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn there_is_some_memory_and_not_all_of_the_worlds() {
        let bytes = available();
        assert!(bytes.is_some_and(|bytes| (1 << 20..1 << 50).contains(&bytes)), "{bytes:?}");
    }
}
