//! When a device or a CSP needs attention (docs/attention.md). Pure: facts of one device in, findings out.

mod day_end;
mod facts;
mod finding;
mod kind;
mod memory;
mod rules;
mod running;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use day_end::day_end;
pub(crate) use facts::{AttentionFacts, CspFacts};
pub(crate) use finding::{Evidence, Finding, LikelyCause};
pub(crate) use kind::{AttentionKind, Severity};
pub(crate) use memory::{DeviceMemory, Observation, UseOfDay};
pub(crate) use rules::{MANY_FAULTS, examine, examine_csp};
pub(crate) use settings::AttentionSettings;
