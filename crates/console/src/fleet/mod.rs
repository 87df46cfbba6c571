//! The fleet over time: the hourly sample of the index.

mod sampler;
#[cfg(test)]
mod tests;

pub(crate) use sampler::FleetSampler;
