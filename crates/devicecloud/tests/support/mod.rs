pub(crate) mod golden;
