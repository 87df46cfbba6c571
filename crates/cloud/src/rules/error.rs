//! Errors of rules and their actions.

use platform::db;

use crate::devices::access::AccessError;

/// Why a rule or an action was not found or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RuleError {
    /// There is no such rule, or the caller may not see it.
    #[error("there is no such rule")]
    NotFound,
    /// There is no such action, or the caller may not see it.
    #[error("there is no such action")]
    ActionNotFound,
    /// The caller may not have rules, or may not change this one.
    #[error("the caller is not allowed to do this")]
    Forbidden,
    /// A rule uses the action.
    #[error("a rule uses the action")]
    ActionInUse,
    /// The caller does not have all of the rule's actions.
    #[error("there are no such actions")]
    UnknownActions,
    /// The user has the maximum number of rules.
    #[error("the user has too many rules (max: {max})")]
    TooMany { max: i64 },
    /// The user has the maximum number of actions.
    #[error("the user has too many actions (max: {max})")]
    TooManyActions { max: i64 },
    /// The expression has subjects that do not exist.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// The assignment of an action does not fit its device.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The caller may not command the device of an action.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Why an expression is rejected. The texts follow the field's name in responses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubjectError {
    /// It has no subject, so that no event would lead to an evaluation.
    #[error("has no subject with events")]
    None,
    /// It has too many subjects.
    #[error("has too many subjects (max: {max})")]
    TooMany { max: usize },
    /// The device or user is not in the caller's scope.
    #[error("names {name}, which does not exist")]
    NotFound { name: String },
    /// The device does not have the property.
    #[error("names {property}, which {device} does not have")]
    NoProperty { property: String, device: String },
}

/// Why an assignment is rejected. The texts follow the field's name in responses.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AssignmentError {
    /// The device is not in the caller's scope.
    #[error("names {dsn}, which does not exist")]
    NotFound { dsn: String },
    /// The device does not have the property.
    #[error("names {property}, which {dsn} does not have")]
    NoProperty { property: String, dsn: String },
    /// Users cannot set the property.
    #[error("names {property}, which only the device itself writes")]
    Output { property: String },
    /// The property does not accept the value.
    #[error("has a value that {reason}")]
    Value { reason: &'static str },
}

pub(super) type Result<T> = std::result::Result<T, RuleError>;
