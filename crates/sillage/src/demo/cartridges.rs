//! When a diffuser got new cartridges, told back from what is left of the present one.

use diffuser::{Fragrance, SystemConfiguration};

use super::dice::Dice;

/// Its cartridges, in running seconds since installation.
#[derive(Debug)]
pub(super) struct Cartridges {
    /// When each was put in, the oldest first; the first came with the diffuser.
    put_in: Vec<i64>,
}

impl Cartridges {
    /// As they were used by a diffuser that has run for `run_seconds`. A new one is put in when the old one runs low, or
    /// earlier when a technician is there anyway, but never right after the diffuser came. `wanted_percent` are left of the
    /// present one, or more if the diffuser has not run long enough.
    pub(super) fn new(full_seconds: i64, run_seconds: i64, wanted_percent: u8, dice: &mut Dice) -> Self {
        let used = |percent_left: i64| full_seconds * (100 - percent_left) / 100;
        let mut put_in = vec![];
        let mut at = run_seconds - used(i64::from(wanted_percent));
        while at > full_seconds / 10 {
            put_in.push(at);
            at -= used(if dice.happens(75) { dice.within(3..=16) } else { dice.within(20..=40) });
        }
        put_in.push(0);
        put_in.reverse();
        Self { put_in }
    }

    /// Running seconds of the cartridge that was in when the diffuser had run for `run_seconds`.
    pub(super) fn life(&self, run_seconds: i64) -> i64 {
        let after = self.put_in.partition_point(|put_in| *put_in <= run_seconds);
        run_seconds - self.put_in[..after].last().copied().unwrap_or(0)
    }

    /// The new ones of a time, without the one at its beginning.
    pub(super) fn put_in_between(&self, from: i64, to: i64) -> impl Iterator<Item = i64> {
        self.put_in.iter().copied().filter(move |put_in| (from + 1..=to).contains(put_in))
    }
}

/// How many seconds a full cartridge runs; `None` where the model cannot spread the fragrance.
pub(super) fn full_seconds(configuration: &SystemConfiguration, fragrance: &Fragrance) -> Option<i64> {
    let hours = f64::from(configuration.cartridge_ml()?) * fragrance.density / fragrance.flow(configuration)?;
    Some((hours * 3600.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_present_cartridge_is_as_full_as_wanted_and_the_others_were_replaced_when_low() {
        let mut dice = Dice::of(1, "cartridges");
        for percent in 0..=98 {
            let cartridges = Cartridges::new(1000, 12_345, percent, &mut dice);
            assert_eq!(cartridges.life(12_345), 1000 - 10 * i64::from(percent));
            let lives: Vec<i64> = cartridges.put_in.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(lives[1..].iter().all(|life| (600..=970).contains(life)), "{lives:?}");
            assert!((100..=1070).contains(&lives[0]), "{lives:?}");
        }
    }

    #[test]
    fn a_cartridge_is_never_older_than_its_diffuser() {
        let cartridges = Cartridges::new(1000, 30, 10, &mut Dice::of(1, "young"));
        assert_eq!((cartridges.life(30), cartridges.life(0)), (30, 0));
        assert_eq!(cartridges.put_in_between(0, 30).count(), 0);
    }
}
