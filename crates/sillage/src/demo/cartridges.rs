//! When the cartridges of a diffuser were replaced, computed backwards from the level of the current one.

use diffuser::{Fragrance, SystemConfiguration};

use super::rng::SeededRng;

/// The cartridges of one diffuser, in running seconds since its installation.
#[derive(Debug)]
pub(super) struct Cartridges {
    /// When each cartridge was installed, oldest first. The first one came with the diffuser.
    installed: Vec<i64>,
}

impl Cartridges {
    /// The cartridges of a diffuser that has run for `run_seconds`. They were replaced when they ran low, or earlier during
    /// another visit, but never right after the installation. The current one has `wanted_percent` left, or more if the
    /// diffuser has not run long enough.
    pub(super) fn new(full_seconds: i64, run_seconds: i64, wanted_percent: u8, rng: &mut SeededRng) -> Self {
        let used = |percent_left: i64| full_seconds * (100 - percent_left) / 100;
        let mut installed = vec![];
        let mut at = run_seconds - used(i64::from(wanted_percent));
        while at > full_seconds / 10 {
            installed.push(at);
            at -= used(if rng.chance(75) { rng.in_range(3..=16) } else { rng.in_range(20..=40) });
        }
        installed.push(0);
        installed.reverse();
        Self { installed }
    }

    /// Running seconds of the cartridge in use after `run_seconds`.
    pub(super) fn life(&self, run_seconds: i64) -> i64 {
        let after = self.installed.partition_point(|installed| *installed <= run_seconds);
        run_seconds - self.installed[..after].last().copied().unwrap_or(0)
    }

    /// The replacements after `from`, up to and including `to`.
    pub(super) fn installed_between(&self, from: i64, to: i64) -> impl Iterator<Item = i64> {
        self.installed.iter().copied().filter(move |installed| (from + 1..=to).contains(installed))
    }
}

/// How many seconds a full cartridge lasts, or `None` if the model cannot diffuse the fragrance.
pub(super) fn full_seconds(configuration: &SystemConfiguration, fragrance: &Fragrance) -> Option<i64> {
    let hours = f64::from(configuration.cartridge_ml()?) * fragrance.density / fragrance.flow(configuration)?;
    Some((hours * 3600.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_cartridge_has_the_wanted_level_and_earlier_ones_were_replaced_when_low() {
        let mut rng = SeededRng::new(1, "cartridges");
        for percent in 0..=98 {
            let cartridges = Cartridges::new(1000, 12_345, percent, &mut rng);
            assert_eq!(cartridges.life(12_345), 1000 - 10 * i64::from(percent));
            let lives: Vec<i64> = cartridges.installed.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(lives[1..].iter().all(|life| (600..=970).contains(life)), "{lives:?}");
            assert!((100..=1070).contains(&lives[0]), "{lives:?}");
        }
    }

    #[test]
    fn cartridge_is_never_older_than_its_diffuser() {
        let cartridges = Cartridges::new(1000, 30, 10, &mut SeededRng::new(1, "young"));
        assert_eq!((cartridges.life(30), cartridges.life(0)), (30, 0));
        assert_eq!(cartridges.installed_between(0, 30).count(), 0);
    }
}
