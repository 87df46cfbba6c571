//! Reads rules from requests.

use crate::domain::rule::Expression;
use crate::http::error::{Error, Result};
use crate::http::form::Form;
use crate::http::rule_actions::NAME;
use crate::rules::RuleInput;

/// Maximum lengths, in characters.
const DESCRIPTION: usize = 1024;
const EXPRESSION: usize = 4096;
/// Maximum number of actions of a rule.
const MAX_ACTIONS: usize = 10;
/// Maximum length of the list of actions: UUIDs with commas.
const ACTION_IDS: usize = MAX_ACTIONS * 37;

pub(super) const ACTIONS_FIELD: &str = "action_ids";
pub(super) const EXPRESSION_FIELD: &str = "expression";

/// Reads a new rule.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_rule(mut form: Form<'_>) -> Result<RuleInput> {
    let name = form.required("name", NAME).to_owned();
    let description = form.text("description", DESCRIPTION).map(str::to_owned);
    let text = form.required(EXPRESSION_FIELD, EXPRESSION).to_owned();
    let is_enabled = form.flag("is_enabled").unwrap_or(true);
    let actions = form.list(ACTIONS_FIELD, ACTION_IDS).unwrap_or_default();
    let expression = text.parse::<Expression>();
    if let Err(error) = &expression
        && !text.is_empty()
    {
        form.refuse(EXPRESSION_FIELD, format!("is not one: {error}"));
    }
    if actions.is_empty() {
        form.refuse(ACTIONS_FIELD, "can't be blank");
    }
    form.check()?;
    let expression = expression.map_err(|_| Error::MALFORMED)?;
    let actions = actions.into_iter().map(str::to_owned).collect();
    Ok(RuleInput { name, description, text, expression, is_enabled, actions })
}
