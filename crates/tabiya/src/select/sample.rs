//! A random sample of a stream of unknown length: each item has the same chance, and the same seed gives the same sample.

/// Takes a sample of N items out of all that it is given.
///
/// ```
/// let mut sampler = tabiya::sample::Sampler::new(3, 42);
/// for number in 1..=1000 {
///     sampler.take(number);
/// }
/// let sample = sampler.into_sample();
/// assert_eq!(sample.len(), 3);
/// assert!(sample.is_sorted());
/// ```
#[derive(Clone, Debug)]
pub struct Sampler<T> {
    wanted: usize,
    seen: u64,
    state: u64,
    kept: Vec<(u64, T)>,
}

impl<T> Sampler<T> {
    /// A sample of at most N items.
    #[must_use]
    pub fn new(wanted: u64, seed: u64) -> Sampler<T> {
        Sampler {
            wanted: usize::try_from(wanted).unwrap_or(usize::MAX),
            seen: 0,
            state: seed,
            kept: Vec::new(),
        }
    }

    /// Takes one more item; returns the one that is dropped for it, which may be the item itself.
    pub fn take(&mut self, item: T) -> Option<T> {
        let number = self.seen;
        self.seen = self.seen.saturating_add(1);
        if self.kept.len() < self.wanted {
            self.kept.push((number, item));
            return None;
        }
        let place = usize::try_from(self.below(self.seen)).unwrap_or(usize::MAX);
        match self.kept.get_mut(place) {
            Some(slot) => Some(std::mem::replace(slot, (number, item)).1),
            None => Some(item),
        }
    }

    /// The sample, in the original order.
    #[must_use]
    pub fn into_sample(mut self) -> Vec<T> {
        self.kept.sort_unstable_by_key(|(number, _)| *number);
        self.kept.into_iter().map(|(_, item)| item).collect()
    }

    /// A number below another one, by the generator SplitMix64.
    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let wide = u128::from(z) * u128::from(end);
        u64::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(wanted: u64, seed: u64, all: u64) -> Vec<u64> {
        let mut sampler = Sampler::new(wanted, seed);
        for item in 0..all {
            sampler.take(item);
        }
        sampler.into_sample()
    }

    #[test]
    fn a_seed_gives_one_sample_in_order() {
        let one = sample(50, 7, 10_000);
        assert_eq!(one, sample(50, 7, 10_000));
        assert_ne!(one, sample(50, 8, 10_000));
        assert_eq!(one.len(), 50);
        assert!(one.is_sorted());
        assert_eq!(sample(50, 7, 20), (0..20).collect::<Vec<_>>());
        assert!(sample(0, 1, 20).is_empty());
    }

    #[test]
    fn everything_has_the_same_chance() {
        let mut taken = [0_u32; 20];
        for seed in 0..4_000 {
            for item in sample(5, seed, 20) {
                if let Some(count) = usize::try_from(item).ok().and_then(|at| taken.get_mut(at)) {
                    *count += 1;
                }
            }
        }
        // 1,000 is expected, with a deviation of 27.
        assert!(
            taken.iter().all(|count| (850..1_150).contains(count)),
            "{taken:?}"
        );
    }

    #[test]
    fn what_goes_is_given_back() {
        let mut sampler = Sampler::new(3, 1);
        let gone: Vec<u64> = (0..100).filter_map(|item| sampler.take(item)).collect();
        let mut all = sampler.into_sample();
        all.extend(gone);
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }
}
