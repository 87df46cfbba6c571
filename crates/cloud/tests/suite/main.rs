//! The cloud from outside: real HTTP and WebSockets against a whole node.
#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

mod account;
mod attacks;
mod authorisation;
mod client;
mod client_account;
mod client_devices;
mod client_people;
mod client_properties;
mod commands;
mod connections;
mod contacts;
mod cuts;
mod data;
mod datapoints;
mod devices;
mod edits;
mod files;
mod forms;
mod golden;
mod input;
mod mail;
mod mailbox;
mod managers;
mod operator;
mod passwords;
mod people;
mod registration;
mod role_labels;
mod sessions;
mod shared_devices;
mod shares;
mod stream;
mod stream_ends;
mod token_sign_in;
mod user_data;
