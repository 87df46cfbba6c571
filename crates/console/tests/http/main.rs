//! The console over HTTP, against a real cloud: one file per subject.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

#[macro_use]
mod both_databases;

mod account;
mod account_calls;
mod attacks;
mod audit;
mod authorisation;
mod browser;
mod bulk;
mod busy_lists;
mod cloud_list;
mod commands;
mod contract;
mod copy;
mod csp_changes;
mod csps;
mod devices;
mod disconnects;
mod event_reads;
mod events;
mod form;
mod fragrances;
mod guards;
mod history;
mod hostile_input;
mod idempotency;
mod import;
mod index;
mod jobs;
mod killable_console;
mod level;
mod level_undo;
mod limits;
mod list_answers;
mod nodes;
mod notifications;
mod other_clouds;
mod passes;
mod password;
mod places;
mod profile;
mod proxies;
mod reports;
mod role_change;
mod saved_writes;
mod scene;
mod schedule;
mod sessions;
mod settings;
mod supervision;
mod two_editors;
mod user_form;
mod users;
mod world;
