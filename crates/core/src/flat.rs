//! Lists of lists in one piece of memory.

/// For each number below some count, a list; all of them one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Flat<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Flat<T> {
    /// Sorts items into the lists they belong to, in the order given.
    pub fn new(lists: usize, items: Vec<(u32, T)>) -> Self {
        let mut starts = vec![0u32; lists + 1];
        for &(list, _) in &items {
            starts[list as usize + 1] += 1;
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut sorted: Vec<Option<T>> = vec![None; items.len()];
        for (list, item) in items {
            let place = &mut next[list as usize];
            sorted[*place as usize] = Some(item);
            *place += 1;
        }
        Self { starts, items: sorted.into_iter().flatten().collect() }
    }

    #[inline(always)]
    pub fn list(&self, at: u32) -> &[T] {
        let (start, end) = (self.starts[at as usize], self.starts[at as usize + 1]);
        &self.items[start as usize..end as usize]
    }

    /// The number of lists.
    pub fn lists(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of items in all lists.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}
