//! Rules: expressions about what happens to devices, and what is done when they are true (wire-facts section 6). A rule is
//! looked at whenever something happens that it is about, and fires each time that its expression is true.

mod assignment;
mod evaluate;
mod expression;
mod parse;
mod subject;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use assignment::Assignment;
pub(crate) use evaluate::Facts;
pub(crate) use expression::Expression;
#[cfg(test)]
use parse::SyntaxError;
pub(crate) use subject::{Kind, Subject, Who};
pub(crate) use value::Value;
