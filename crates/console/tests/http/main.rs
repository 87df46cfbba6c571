//! The console over HTTP, against a real cloud: one file a subject.
#![expect(clippy::unwrap_used, reason = "what a test cannot go on without fails it")]

mod account;
mod attacks;
mod audit;
mod authorisation;
mod browser;
mod cloud_list;
mod commands;
mod contract;
mod csp_changes;
mod csps;
mod devices;
mod events;
mod form;
mod fragrances;
mod guards;
mod history;
mod hostile_input;
mod index;
mod level;
mod nodes;
mod other_clouds;
mod passes;
mod password;
mod profile;
mod role_change;
mod scene;
mod schedule;
mod sessions;
mod settings;
mod user_form;
mod users;
mod world;
