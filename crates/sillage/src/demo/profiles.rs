//! The condition and settings of each diffuser: most are healthy, a few need a technician.

use diffuser::Mode;
use simulator::Fault;

use super::device::DemoFault;
use super::rng::SeededRng;

/// Profiles are assigned in blocks of this size, so that a fleet of any size has its share of problems.
pub(super) const BLOCK: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Healthy,
    /// Unplugged some days ago.
    Unplugged,
    /// Added in the console, but never switched on.
    NeverConnected,
    /// Reports mode 2, which users cannot select.
    ModeTwo,
    /// The cartridge is low, unless the diffuser is too new for that.
    LowCartridge,
    /// The cartridge is empty, unless the diffuser is too new for that.
    EmptyCartridge,
    /// It misbehaves while it is plugged in.
    Faulty(DemoFault),
}

/// The condition and settings of one diffuser.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    pub(super) condition: Condition,
    pub(super) mode: Mode,
    pub(super) fan: u8,
}

/// The faults, one in each block after the first.
const FAULTS: [DemoFault; 5] = [
    DemoFault::Simulated(Fault::Clogged),
    DemoFault::Simulated(Fault::StuckOn),
    DemoFault::IdleSchedule,
    DemoFault::Simulated(Fault::RefilledWithoutReset),
    DemoFault::Simulated(Fault::Hangs),
];
/// The blocks whose last diffuser is in mode 2.
const MODE_TWO_BLOCKS: [usize; 3] = [1, 3, 5];

/// The profiles of the diffusers from `BLOCK * number` on. All diffusers in the first block are healthy, so a small
/// fleet has no problems.
pub(super) fn profiles(seed: u64, number: usize) -> [Profile; BLOCK] {
    let mut rng = SeededRng::new(seed, &format!("block {number}"));
    let mut conditions = [Condition::Healthy; BLOCK];
    if number > 0 {
        let problems = [
            Condition::Unplugged,
            Condition::Unplugged,
            Condition::NeverConnected,
            Condition::LowCartridge,
            Condition::LowCartridge,
            Condition::EmptyCartridge,
        ];
        conditions[..problems.len()].copy_from_slice(&problems);
        rng.shuffle(&mut conditions[..BLOCK - 1]);
    }
    if MODE_TWO_BLOCKS.contains(&number) {
        conditions[BLOCK - 1] = Condition::ModeTwo;
    }
    let mut modes = [Mode::Run; BLOCK];
    modes[..2].fill(Mode::Off);
    modes[2..12].fill(Mode::AllDay);
    rng.shuffle(&mut modes);
    if let Some(before) = number.checked_sub(1) {
        // With a schedule, which some faults are about.
        let runs = (0..BLOCK).find(|i| conditions[*i] == Condition::Healthy && modes[*i] == Mode::Run);
        if let Some(i) = runs {
            conditions[i] = Condition::Faulty(FAULTS[before % FAULTS.len()]);
        }
    }
    let mut fans: [u8; BLOCK] = std::array::from_fn(|i| [0, 1, 2, 2, 3, 3, 4, 5][i % 8]);
    rng.shuffle(&mut fans);
    std::array::from_fn(|i| Profile { condition: conditions[i], mode: modes[i], fan: fans[i] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_block_is_healthy_and_later_blocks_have_problems() {
        let count = |number, wanted| profiles(7, number).iter().filter(|profile| profile.condition == wanted).count();
        assert_eq!(count(0, Condition::Healthy), BLOCK);
        for number in 1..20 {
            let problems =
                [Condition::Unplugged, Condition::NeverConnected, Condition::LowCartridge, Condition::EmptyCartridge];
            assert_eq!(problems.map(|condition| count(number, condition)), [2, 1, 2, 1]);
            assert_eq!(count(number, Condition::ModeTwo), usize::from([1, 3, 5].contains(&number)));
            let faulty = profiles(7, number).into_iter().filter(|it| matches!(it.condition, Condition::Faulty(_)));
            assert_eq!(faulty.map(|it| it.mode).collect::<Vec<_>>(), [Mode::Run]);
        }
    }

    #[test]
    fn every_block_has_all_selectable_modes_and_fan_speeds() {
        for number in 0..20 {
            let profiles = super::profiles(7, number);
            let modes = [Mode::Off, Mode::AllDay, Mode::Run]
                .map(|mode| profiles.iter().filter(|profile| profile.mode == mode).count());
            assert_eq!(modes, [2, 10, 12]);
            assert!((0..=5).all(|fan| profiles.iter().any(|profile| profile.fan == fan)));
        }
    }
}
