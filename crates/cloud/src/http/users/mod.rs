//! User service: the account of whoever calls, and what somebody who cannot sign in may ask for (wire-facts section 2).

mod account;
mod application;
mod session;
mod sign_in;

pub(super) use account::get_user_profile;
pub(super) use session::{refresh_token, sign_out};
pub(super) use sign_in::{sign_in, token_sign_in};

/// The longest token, in bytes.
const TOKEN: usize = 255;
