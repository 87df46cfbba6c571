//! The `audit` table.

use jiff::Timestamp;
use platform::db::rows::insert_rows;
use platform::db::{Db, Params, Result, params};
use platform::run::clock::from_micros;
use platform::run::random::{first_uuid_at, instant_of};
use sea_query::{Asterisk, Expr, ExprTrait, Iden, Order, Query, SelectStatement};
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::change::{AuditTarget, TargetKind};
use super::{Change, FieldChange, Operation};
use crate::http::error::ApiError;
use crate::policy::{self, Action, Actor, Decision, Scope};
use crate::sessions::session::{ClientOrigin, Session};

/// The author of a change, with address and browser.
#[derive(Clone, Debug)]
pub(super) struct Author {
    pub(super) user_id: Uuid,
    pub(super) email: String,
    pub(super) role: Option<String>,
    pub(super) csp: Option<String>,
    pub(super) address: Option<String>,
    pub(super) browser: Option<String>,
}

/// A row of the audit.
#[derive(Clone, Debug)]
pub(super) struct RecordedChange {
    pub(super) id: String,
    pub(super) began_at: Timestamp,
    pub(super) author: Author,
    pub(super) operation: String,
    pub(super) target_kind: String,
    pub(super) target_id: String,
    pub(super) target_csp: Option<String>,
    pub(super) fields: Vec<FieldChange>,
    pub(super) outcome: Outcome,
    pub(super) ended_at: Option<Timestamp>,
    /// The job that made the change.
    pub(super) job: Option<Uuid>,
    /// The id of the change that this one follows from.
    pub(super) cause: Option<String>,
    /// How many refused sign-ins the row stands for; 1 for everything else.
    pub(super) occurrences: u64,
}

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Not finished, or interrupted.
    Started,
    Done,
    Failed {
        code: String,
        /// The first field that was not saved; `None` if no field was saved.
        field: Option<String>,
    },
}

/// Conditions, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AuditFilter {
    pub(super) target: Option<String>,
    /// Only changes of this record. The CSP distinguishes records without an id.
    pub(super) record: Option<AuditTarget>,
    /// Only changes of one of these devices.
    pub(super) devices: Option<Vec<String>>,
    /// In lower case.
    pub(super) email: Option<String>,
    pub(super) operation: Option<&'static str>,
    pub(super) from: Option<Timestamp>,
    /// End of the period, exclusive.
    pub(super) to: Option<Timestamp>,
    /// Only changes that began before the one with this key.
    pub(super) before: Option<Uuid>,
    /// Only changes of this job.
    pub(super) job: Option<Uuid>,
    /// Only changes that follow from this one.
    pub(super) cause: Option<Uuid>,
    /// Hides the changes that jobs made to their targets, and those that follow from other changes.
    pub(super) folds_jobs: bool,
}

#[derive(Clone, Copy, Iden)]
enum Audit {
    Table,
    Id,
    UserId,
    Email,
    Role,
    ActorCsp,
    Address,
    Browser,
    Operation,
    TargetKind,
    TargetId,
    TargetCsp,
    Changes,
    Result,
    Code,
    FailedField,
    EndedAt,
    JobId,
    CauseId,
    Occurrences,
}

const COLUMNS: [Audit; 19] = [
    Audit::Id,
    Audit::UserId,
    Audit::Email,
    Audit::Role,
    Audit::ActorCsp,
    Audit::Address,
    Audit::Browser,
    Audit::Operation,
    Audit::TargetKind,
    Audit::TargetId,
    Audit::TargetCsp,
    Audit::Changes,
    Audit::Result,
    Audit::Code,
    Audit::FailedField,
    Audit::EndedAt,
    Audit::JobId,
    Audit::CauseId,
    Audit::Occurrences,
];

const STARTED: &str = "started";
const DONE: &str = "done";
const FAILED: &str = "failed";

#[derive(FromRow)]
struct AuditRow {
    id: String,
    user_id: String,
    email: String,
    role: Option<String>,
    actor_csp: Option<String>,
    address: Option<String>,
    browser: Option<String>,
    operation: String,
    target_kind: String,
    target_id: String,
    target_csp: Option<String>,
    changes: String,
    result: String,
    code: Option<String>,
    failed_field: Option<String>,
    ended_at: Option<i64>,
    job_id: Option<String>,
    cause_id: Option<String>,
    occurrences: i64,
}

impl From<AuditRow> for RecordedChange {
    fn from(row: AuditRow) -> Self {
        let outcome = match row.result.as_str() {
            DONE => Outcome::Done,
            FAILED => Outcome::Failed { code: row.code.unwrap_or_default(), field: row.failed_field },
            _ => Outcome::Started,
        };
        Self {
            began_at: instant_of(&row.id).unwrap_or_default(),
            id: row.id,
            author: Author {
                user_id: Uuid::parse_str(&row.user_id).unwrap_or_default(),
                email: row.email,
                role: row.role,
                csp: row.actor_csp,
                address: row.address,
                browser: row.browser,
            },
            operation: row.operation,
            target_kind: row.target_kind,
            target_id: row.target_id,
            target_csp: row.target_csp,
            fields: serde_json::from_str(&row.changes).unwrap_or_default(),
            outcome,
            ended_at: row.ended_at.map(from_micros),
            job: row.job_id.and_then(|id| Uuid::parse_str(&id).ok()),
            cause: row.cause_id,
            occurrences: u64::try_from(row.occurrences).unwrap_or(1),
        }
    }
}

impl Author {
    /// The user of a session. The name of an access token takes the place of the browser.
    pub(super) fn of(session: &Session) -> Self {
        let token = session.token.as_ref().map(|token| format!("Access token \u{201c}{}\u{201d}", token.name));
        Self {
            user_id: session.user.id,
            email: session.user.email.to_lowercase(),
            role: session.role.map(|role| role.name().to_owned()),
            csp: session.csp.clone(),
            address: session.origin.address.clone(),
            browser: token.or_else(|| session.origin.browser.clone()),
        }
    }

    /// An author without a session.
    pub(super) fn anonymous(origin: &ClientOrigin) -> Self {
        let ClientOrigin { address, browser } = origin.clone();
        Self { user_id: Uuid::nil(), email: String::new(), role: None, csp: None, address, browser }
    }

    /// Id and e-mail address, if the author was signed in.
    pub(super) fn identity(&self) -> Option<(Uuid, String)> {
        (!self.user_id.is_nil()).then(|| (self.user_id, self.email.clone()))
    }
}

macro_rules! insert {
    ($columns:literal, $values:literal) => {
        concat!(
            "insert into audit (id, user_id, email, role, actor_csp, address, browser, operation, target_kind, target_id, \
             target_csp, changes, result, ",
            $columns,
            ") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ",
            $values,
            ")"
        )
    };
}

pub(super) async fn start(db: &Db, id: &str, author: &Author, change: &Change, job: Option<Uuid>) -> Result<()> {
    let values = values(id, author, change, STARTED).with(job.map(|job| job.to_string()));
    db.execute(insert!("job_id", "$14"), values).await?;
    Ok(())
}

/// Records that changes which follow from `cause` have started, each with its id. At most 512 are written in a statement.
pub(super) async fn start_consequences(
    db: &Db,
    cause: &str,
    author: &Author,
    changes: &[(String, Change)],
) -> Result<()> {
    let insert = "insert into audit (id, user_id, email, role, actor_csp, address, browser, operation, target_kind, \
                  target_id, target_csp, changes, result, cause_id)";
    let mut tx = db.begin().await?;
    insert_rows(&mut tx, insert, 14, changes, |params, (id, change)| {
        with_values(params, id, author, change, STARTED).with(cause)
    })
    .await?;
    tx.commit().await
}

/// Counts another occurrence of the merged row with this key. False if there is no such row.
pub(super) async fn add_occurrence(db: &Db, key: &str, at: Timestamp) -> Result<bool> {
    let sql = "update audit set occurrences = occurrences + 1, ended_at = $2 where merge_key = $1";
    Ok(db.execute(sql, params![key, at]).await? > 0)
}

/// The number of merged rows with keys from `from` to `to`, exclusive.
pub(super) async fn count_merged(db: &Db, from: &str, to: &str) -> Result<u64> {
    let sql = "select count(*) from audit where merge_key >= $1 and merge_key < $2";
    let (count,): (i64,) = db.fetch_one(sql, params![from, to]).await?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// Adds a merged row that has failed with this code, or counts another occurrence if another request has just added it.
pub(super) async fn add_merged(
    db: &Db,
    id: &str,
    key: &str,
    author: &Author,
    change: &Change,
    code: &str,
    at: Timestamp,
) -> Result<()> {
    let values = values(id, author, change, FAILED).with(key).with(code).with(at);
    let sql = concat!(
        insert!("merge_key, code, ended_at", "$14, $15, $16"),
        " on conflict (merge_key) do update set occurrences = audit.occurrences + 1, ended_at = excluded.ended_at"
    );
    db.execute(sql, values).await?;
    Ok(())
}

fn values(id: &str, author: &Author, change: &Change, result: &'static str) -> Params {
    with_values(Params::default(), id, author, change, result)
}

fn with_values(params: Params, id: &str, author: &Author, change: &Change, result: &'static str) -> Params {
    // Serialization of our own values cannot fail.
    let changes = serde_json::to_string(&change.fields).unwrap_or_else(|_| "[]".to_owned());
    params
        .with(id)
        .with(author.user_id)
        .with(&author.email)
        .with(author.role.clone())
        .with(author.csp.clone())
        .with(author.address.clone())
        .with(author.browser.clone())
        .with(change.operation.id())
        .with(change.target.kind.name())
        .with(&change.target.id)
        .with(change.target.csp.clone())
        .with(changes)
        .with(result)
}

pub(super) async fn set_target(db: &Db, id: &str, target_id: &str) -> Result<()> {
    db.execute("update audit set target_id = $2 where id = $1", params![id, target_id]).await?;
    Ok(())
}

/// Records the outcome: done if there is no `failure`.
pub(super) async fn end(db: &Db, id: &str, failure: Option<&ApiError>, at: Timestamp) -> Result<()> {
    let result = if failure.is_some() { FAILED } else { DONE };
    let (code, field) = (failure.map(ApiError::code), failure.and_then(ApiError::stopped_at));
    db.execute(
        "update audit set result = $2, code = $3, failed_field = $4, ended_at = $5 where id = $1",
        params![id, result, code, field, at],
    )
    .await?;
    Ok(())
}

/// Records the outcome of the changes that follow from this one.
pub(super) async fn end_consequences(db: &Db, cause: &str, failure: Option<&ApiError>, at: Timestamp) -> Result<()> {
    let result = if failure.is_some() { FAILED } else { DONE };
    db.execute(
        "update audit set result = $2, code = $3, ended_at = $4 where cause_id = $1",
        params![cause, result, failure.map(ApiError::code), at],
    )
    .await?;
    Ok(())
}

/// The latest `limit` changes that `actor` may see.
pub(super) async fn list(db: &Db, actor: &Actor, filter: &AuditFilter, limit: u64) -> Result<Vec<RecordedChange>> {
    let Some(statement) = page(actor, filter, limit) else { return Ok(Vec::new()) };
    let rows: Vec<AuditRow> = db.select(&statement).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The number of changes that `actor` may see.
pub(super) async fn count(db: &Db, actor: &Actor, filter: &AuditFilter) -> Result<u64> {
    let Some(mut statement) = matching(actor, filter) else { return Ok(0) };
    let counted: Vec<(i64,)> = db.select(statement.expr(Expr::col(Asterisk).count())).await?;
    Ok(counted.first().map_or(0, |(count,)| count.unsigned_abs()))
}

fn page(actor: &Actor, filter: &AuditFilter, limit: u64) -> Option<SelectStatement> {
    let mut statement = matching(actor, filter)?;
    statement.columns(COLUMNS).order_by(Audit::Id, Order::Desc).limit(limit);
    Some(statement)
}

/// `None` for an actor without a scope. A CSP sees changes of records that belonged to it at that time, and may filter by
/// author only among its own people, because other authors are not disclosed to it.
fn matching(actor: &Actor, filter: &AuditFilter) -> Option<SelectStatement> {
    let mut statement = Query::select();
    statement.from(Audit::Table);
    match actor.scope() {
        Scope::Everything => {}
        Scope::Csp(own) => {
            statement.and_where(Expr::col(Audit::TargetCsp).eq(own));
            if filter.email.is_some() {
                statement.and_where(Expr::col(Audit::ActorCsp).eq(own));
            }
        }
        Scope::Nothing => return None,
    }
    if policy::can(actor, Action::View, policy::Target::RefusedSignIns) != Decision::Allowed {
        let is_refused = Expr::col(Audit::Operation).eq(Operation::CreateSession.id());
        statement.and_where(is_refused.and(Expr::col(Audit::Result).eq(FAILED)).not());
    }
    if policy::can(actor, Action::View, policy::Target::ReportDownloads) != Decision::Allowed {
        statement.and_where(Expr::col(Audit::TargetKind).ne(TargetKind::Report.name()));
    }
    let texts = [
        (Audit::TargetId, filter.target.as_deref()),
        (Audit::Email, filter.email.as_deref()),
        (Audit::Operation, filter.operation),
    ];
    for (column, wanted) in texts {
        if let Some(wanted) = wanted {
            statement.and_where(Expr::col(column).eq(wanted));
        }
    }
    if let Some(AuditTarget { kind, id, csp }) = &filter.record {
        statement.and_where(Expr::col(Audit::TargetId).eq(id)).and_where(Expr::col(Audit::TargetKind).eq(kind.name()));
        if id.is_empty() {
            let of_csp = Expr::col(Audit::TargetCsp);
            statement.and_where(csp.as_ref().map_or(of_csp.clone().is_null(), |csp| of_csp.eq(csp)));
        }
    }
    if let Some(devices) = &filter.devices {
        statement.and_where(Expr::col(Audit::TargetId).is_in(devices));
    }
    if let Some(job) = filter.job {
        statement.and_where(Expr::col(Audit::JobId).eq(job.to_string()));
    }
    if let Some(cause) = filter.cause {
        statement.and_where(Expr::col(Audit::CauseId).eq(cause.to_string()));
    }
    // Actors of a CSP do not see the changes of a job itself, so the ones it made are not folded for them.
    if filter.folds_jobs && actor.scope() == Scope::Everything {
        let is_own = Expr::col(Audit::TargetKind).eq(TargetKind::Job.name());
        statement.and_where(Expr::col(Audit::JobId).is_null().or(is_own));
        statement.and_where(Expr::col(Audit::CauseId).is_null());
    }
    // The keys are UUIDv7 and so ordered by time.
    if let Some(from) = filter.from {
        statement.and_where(Expr::col(Audit::Id).gte(first_uuid_at(from).to_string()));
    }
    for end in [filter.to.map(first_uuid_at), filter.before].into_iter().flatten() {
        statement.and_where(Expr::col(Audit::Id).lt(end.to_string()));
    }
    Some(statement)
}

/// Deletes at most `at_most` changes that started before this instant, oldest first. Returns their number.
pub(super) async fn delete_before(db: &Db, before: Timestamp, at_most: i64) -> Result<u64> {
    db.execute(
        "delete from audit where id in (select id from audit where id < $1 order by id limit $2)",
        params![first_uuid_at(before).to_string(), at_most],
    )
    .await
}

#[cfg(test)]
mod tests;
