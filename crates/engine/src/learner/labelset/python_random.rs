//! The partition of classes that scikit-multilearn's `RakelD` draws after `random.seed(0)`.
//!
//! The paper's label sets come from there, so they are drawn as CPython does: with its Mersenne
//! Twister (MT19937), its way to draw numbers below a bound and samples, and the order in which its
//! sets list small integers. That order depends on the table behind a set, which is rebuilt here.

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// The Mersenne Twister MT19937.
#[derive(Clone, Debug)]
pub(super) struct PythonRandom {
    words: [u32; WORDS],
    next: usize,
}

impl PythonRandom {
    /// `random.seed(0)`: the key is one word, which is zero.
    pub fn new() -> Self {
        let mut words = [0u32; WORDS];
        words[0] = 19_650_218;
        for at in 1..WORDS {
            words[at] = mixed(words[at - 1], 1_812_433_253).wrapping_add(at as u32);
        }
        let mut at = 1;
        let mut advance = |words: &mut [u32; WORDS], factor: u32, less: bool| {
            let mixed = mixed(words[at - 1], factor);
            words[at] = (words[at] ^ mixed).wrapping_sub(if less { at as u32 } else { 0 });
            at += 1;
            if at == WORDS {
                words[0] = words[WORDS - 1];
                at = 1;
            }
        };
        (0..WORDS).for_each(|_| advance(&mut words, 1_664_525, false));
        (1..WORDS).for_each(|_| advance(&mut words, 1_566_083_941, true));
        words[0] = 0x8000_0000;
        Self { words, next: WORDS }
    }

    fn word(&mut self) -> u32 {
        if self.next == WORDS {
            for at in 0..WORDS {
                let joined =
                    self.words[at] & 0x8000_0000 | self.words[(at + 1) % WORDS] & 0x7fff_ffff;
                let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
                self.words[at] = self.words[(at + SHIFT) % WORDS] ^ joined >> 1 ^ twist;
            }
            self.next = 0;
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// A number below a bound, which is above 0: as many bits as the bound has, until one fits.
    fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let number = (self.word() >> (32 - bits)) as usize;
            if number < bound {
                return number;
            }
        }
    }

    /// `random.sample`: `count` of the members, of which there are at least as many.
    fn sample(&mut self, members: &[usize], count: usize) -> Vec<usize> {
        let mut most = 21;
        if count > 5 {
            most += 4usize.pow((3.0 * count as f64).log(4.0).ceil() as u32);
        }
        let mut drawn = Vec::with_capacity(count);
        if members.len() <= most {
            let mut pool = members.to_vec();
            for left in (members.len() - count..members.len()).rev() {
                let at = self.below(left + 1);
                drawn.push(pool[at]);
                pool[at] = pool[left];
            }
        } else {
            let mut places: Vec<usize> = Vec::with_capacity(count);
            while places.len() < count {
                let at = self.below(members.len());
                if !places.contains(&at) {
                    places.push(at);
                }
            }
            drawn.extend(places.iter().map(|&at| members[at]));
        }
        drawn
    }
}

fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ word >> 30).wrapping_mul(factor)
}

/// A set of small integers in the order in which CPython lists it.
struct PythonSet {
    table: Vec<Option<usize>>,
    used: usize,
}

impl PythonSet {
    fn new(members: &[usize]) -> Self {
        let mut set = Self { table: vec![None; 8], used: 0 };
        members.iter().for_each(|&member| set.add(member));
        set
    }

    fn add(&mut self, member: usize) {
        self.place(member);
        self.used += 1;
        if self.used * 5 >= (self.table.len() - 1) * 3 {
            self.resize(table_size(self.used * 4));
        }
    }

    /// Puts a member that is not there into the first free place of its sequence.
    fn place(&mut self, member: usize) {
        const NEIGHBOURS: usize = 9;
        let mask = self.table.len() - 1;
        let (mut at, mut rest) = (member & mask, member);
        loop {
            let last = if at + NEIGHBOURS <= mask { at + NEIGHBOURS } else { at };
            if let Some(free) = (at..=last).find(|&place| self.table[place].is_none()) {
                self.table[free] = Some(member);
                return;
            }
            rest >>= 5;
            at = (at * 5 + 1 + rest) & mask;
        }
    }

    fn resize(&mut self, size: usize) {
        let members = self.list();
        self.table = vec![None; size];
        members.into_iter().for_each(|member| self.place(member));
    }

    fn list(&self) -> Vec<usize> {
        self.table.iter().flatten().copied().collect()
    }

    /// The members that are not in `others`, in the order of the new set.
    fn without(mut self, others: &[usize]) -> Vec<usize> {
        if self.used / 4 > others.len() {
            // A copy with a table of its own size, from which the others are taken out.
            let size = table_size(self.used * 2);
            if size != self.table.len() {
                self.resize(size);
            }
            return self.list().into_iter().filter(|member| !others.contains(member)).collect();
        }
        let kept: Vec<usize> =
            self.list().into_iter().filter(|member| !others.contains(member)).collect();
        Self::new(&kept).list()
    }
}

/// The smallest table for more than `least` members.
fn table_size(least: usize) -> usize {
    (least + 1).next_power_of_two().max(8)
}

/// The partition of `classes` classes into sets of `size`; the last may be smaller.
pub(super) fn paper_partition(classes: usize, size: usize) -> Vec<Vec<usize>> {
    let mut random = PythonRandom::new();
    let mut free: Vec<usize> = (0..classes).collect();
    let mut sets = Vec::new();
    while free.len() >= size && !free.is_empty() {
        let drawn = random.sample(&free, size);
        free = PythonSet::new(&free).without(&drawn);
        sets.push(drawn);
    }
    if !free.is_empty() {
        sets.push(free);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `random.seed(0); [random.getrandbits(32) for _ in range(4)]` of CPython 3.11.
    #[test]
    fn words_are_those_of_cpython() {
        let mut random = PythonRandom::new();
        let words: Vec<u32> = (0..4).map(|_| random.word()).collect();
        assert_eq!(words, [0xd82c07cd, 0x629f6fbe, 0xc2094cac, 0xe3e70682]);
    }

    /// A number that another order of the classes hardly has.
    fn digest(sets: &[Vec<usize>]) -> u64 {
        let next = |digest: u64, &class: &usize| {
            digest.wrapping_mul(1_000_003).wrapping_add(class as u64 + 1)
        };
        sets.iter().flatten().fold(0, next)
    }

    /// `RandomLabelSpaceClusterer(3, …, False)` of scikit-multilearn 0.2.0 on CPython 3.11 after
    /// `random.seed(0)`: the numbers of classes of the paper's sets, and others.
    #[test]
    fn partitions_are_those_of_scikit_multilearn() {
        let expected = [[13, 6, 12], [0, 4, 9], [11, 5, 3], [8, 7, 10]];
        assert_eq!(paper_partition(14, 3)[..4], expected);
        assert_eq!(paper_partition(14, 3)[4], [1, 2]);
        for (classes, size, expected) in DIGESTS {
            assert_eq!(digest(&paper_partition(classes, size)), expected, "{classes}, {size}");
        }
    }

    const DIGESTS: [(usize, usize, u64); 14] = [
        (5, 3, 0x4ec1f531eee82f9d),
        (6, 3, 0xbe3e9aa35d4e6579),
        (14, 3, 0x678d8a54d04647c5),
        (26, 3, 0xbefda86be907508f),
        (27, 3, 0x1a9ac39e62471d24),
        (30, 3, 0x81f903a64cfb8b7f),
        (40, 3, 0xd5bf2c9a6cb15196),
        (45, 3, 0xa86d2faa2cae5993),
        (53, 3, 0x6d0c7aa03c684083),
        (101, 3, 0x728a3215381bcced),
        (174, 3, 0x547c741203b553f7),
        (60, 1, 0xc33b3833bea41630),
        (399, 6, 0xef4a999e4e69cf30),
        (150, 4, 0x254798d53da62dd7),
    ];
}
