//! A set of small numbers that is emptied from the lowest up.
//!
//! One bit per number, and one bit per 64 of those: finding the next member skips 4,096 numbers at a
//! time, and an emptied set is clean without being cleared.

/// Numbers below some count. Members may be added while it is being emptied, above the last one taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    words: Vec<u64>,
    /// Which words are not 0.
    summary: Vec<u64>,
    /// All words of the summary before this one are 0.
    cursor: usize,
}

impl Marks {
    pub fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { words: vec![0; words], summary: vec![0; words.div_ceil(64)], cursor: 0 }
    }

    #[inline(always)]
    pub fn insert(&mut self, number: u32) {
        let word = (number >> 6) as usize;
        self.words[word] |= 1 << (number & 63);
        self.summary[word >> 6] |= 1 << (word & 63);
    }

    /// Takes out members 64 numbers at a time, the lowest first: where they start, and a bit for each. None once
    /// it is empty, and the next one starts at the bottom again. What is added to the word that was taken last
    /// is had from [`added`](Self::added).
    #[inline(always)]
    pub fn take_word(&mut self) -> Option<(u32, u64)> {
        while let Some(summary) = self.summary.get_mut(self.cursor) {
            if *summary == 0 {
                self.cursor += 1;
                continue;
            }
            let place = self.cursor << 6 | summary.trailing_zeros() as usize;
            *summary &= *summary - 1;
            return Some(((place as u32) << 6, std::mem::take(&mut self.words[place])));
        }
        self.cursor = 0;
        None
    }

    /// Takes out what was added to the word that starts there.
    #[inline(always)]
    pub fn added(&mut self, start: u32) -> u64 {
        std::mem::take(&mut self.words[(start >> 6) as usize])
    }

    /// Takes out everything, the lowest first.
    #[inline(always)]
    pub fn take_all(&mut self, mut visit: impl FnMut(u32)) {
        while let Some((start, mut word)) = self.take_word() {
            while word != 0 {
                visit(start | word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_out_in_order_also_those_added_on_the_way() {
        let mut marks = Marks::new(300_000);
        for _ in 0..2 {
            for number in [299_999, 0, 63, 64, 4_095, 4_096, 70_000, 64] {
                marks.insert(number);
            }
            let mut found = Vec::new();
            while let Some((start, mut word)) = marks.take_word() {
                while word != 0 {
                    let number = start | word.trailing_zeros();
                    word &= word - 1;
                    if number == 64 {
                        for later in [65, 127, 5_000, 299_999] {
                            marks.insert(later);
                        }
                    }
                    found.push(number);
                    word |= marks.added(start);
                }
            }
            let expected = [0, 63, 64, 65, 127, 4_095, 4_096, 5_000, 70_000, 299_999];
            assert_eq!(found, expected);
        }
        assert_eq!(Marks::new(0).take_word(), None);
        for number in [5, 4, 70] {
            marks.insert(number);
        }
        let mut found = Vec::new();
        marks.take_all(|number| found.push(number));
        assert_eq!(found, [4, 5, 70]);
    }
}
