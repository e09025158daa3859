//! Chance that is the same in every run.

/// Numbers that look random, the same for a seed.
#[derive(Clone, Debug)]
pub struct TestRandom(u64);

impl TestRandom {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> TestRandom {
        TestRandom(seed)
    }

    /// A step of SplitMix64.
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        let mixed = self.step();
        mixed ^ mixed >> 31
    }

    /// The next one, below an end that is not 0.
    ///
    /// # Panics
    ///
    /// If the end is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from((self.step() >> 32) % end as u64).expect("small")
    }

    /// True in so many of a hundred times.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// True once in so many times.
    ///
    /// # Panics
    ///
    /// If that is 0.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A copy of one of a list.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        *self.pick(list)
    }

    /// One of a list.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }
}
