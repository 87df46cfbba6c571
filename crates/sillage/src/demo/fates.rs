//! What became of each diffuser: most are well, a few give their technicians something to do.

use diffuser::Mode;

use super::dice::Dice;

/// Fates are dealt to so many diffusers at a time, so that a fleet of any size has its share of trouble.
pub(super) const BLOCK: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Well,
    /// Somebody pulled its plug some days ago.
    Unplugged,
    /// Added in the console, and never switched on.
    NeverConnected,
    /// Reports mode 2, which nobody can choose.
    ModeTwo,
    /// Has run down its cartridge, unless it is too new for that.
    Low,
    /// The same, further.
    Empty,
}

/// What one diffuser of a block is dealt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lot {
    pub(super) fate: Fate,
    pub(super) mode: Mode,
    pub(super) fan: u8,
}

/// Blocks whose last diffuser is in mode 2: a few of these are enough for a fleet of any size.
const BLOCKS_WITH_MODE_TWO: [usize; 3] = [1, 3, 5];

/// The lots of the diffusers from `BLOCK * number` on. All of the first block are well: a small fleet is one that works.
pub(super) fn block(seed: u64, number: usize) -> [Lot; BLOCK] {
    let mut dice = Dice::of(seed, &format!("block {number}"));
    let mut fates = [Fate::Well; BLOCK];
    if number > 0 {
        let troubles = [Fate::Unplugged, Fate::Unplugged, Fate::NeverConnected, Fate::Low, Fate::Low, Fate::Empty];
        fates[..troubles.len()].copy_from_slice(&troubles);
        dice.shuffle(&mut fates[..BLOCK - 1]);
    }
    if BLOCKS_WITH_MODE_TWO.contains(&number) {
        fates[BLOCK - 1] = Fate::ModeTwo;
    }
    let mut modes = [Mode::Run; BLOCK];
    modes[..2].fill(Mode::Off);
    modes[2..12].fill(Mode::AllDay);
    dice.shuffle(&mut modes);
    let mut fans: [u8; BLOCK] = std::array::from_fn(|i| [0, 1, 2, 2, 3, 3, 4, 5][i % 8]);
    dice.shuffle(&mut fans);
    std::array::from_fn(|i| Lot { fate: fates[i], mode: modes[i], fan: fans[i] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_well_and_the_others_have_their_share_of_trouble() {
        let count = |number, wanted| block(7, number).iter().filter(|lot| lot.fate == wanted).count();
        assert_eq!(count(0, Fate::Well), BLOCK);
        for number in 1..20 {
            let troubles = [Fate::Unplugged, Fate::NeverConnected, Fate::Low, Fate::Empty];
            assert_eq!(troubles.map(|fate| count(number, fate)), [2, 1, 2, 1]);
            assert_eq!(count(number, Fate::ModeTwo), usize::from([1, 3, 5].contains(&number)));
        }
    }

    #[test]
    fn every_block_has_every_mode_that_can_be_chosen_and_every_fan_speed() {
        for number in 0..20 {
            let lots = block(7, number);
            let modes =
                [Mode::Off, Mode::AllDay, Mode::Run].map(|mode| lots.iter().filter(|lot| lot.mode == mode).count());
            assert_eq!(modes, [2, 10, 12]);
            assert!((0..=5).all(|fan| lots.iter().any(|lot| lot.fan == fan)));
        }
    }
}
