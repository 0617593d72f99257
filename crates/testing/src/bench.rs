//! Relative timing: the things to compare are measured in turns, in one run, so that noise affects
//! all of them alike.

use std::time::Instant;

/// Median seconds of several things, each run this many times, in turns.
pub fn in_turns<const N: usize>(times: usize, mut run: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut seconds = [const { Vec::new() }; N];
    for time in 0..=times {
        for (run, seconds) in run.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            run();
            // The first turn is a warm-up.
            if time > 0 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
    }
    seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    })
}

#[cfg(test)]
mod tests {
    use super::in_turns;
    use std::cell::RefCell;
    use std::time::Duration;

    #[test]
    fn things_take_turns_and_the_slow_one_is_slower() {
        let order = RefCell::new(String::new());
        let [fast, slow] = in_turns(
            3,
            [&mut || order.borrow_mut().push('f'), &mut || {
                order.borrow_mut().push('s');
                std::thread::sleep(Duration::from_millis(5));
            }],
        );
        assert_eq!(order.into_inner(), "fsfsfsfs");
        assert!(slow > fast);
    }
}
