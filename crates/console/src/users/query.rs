//! The query string of the list of people.

use sea_query::{Expr, Iden};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::http::sort_order::SortOrder;
use crate::sessions::account_state;

/// The default page size.
const PAGE_SIZE: u64 = 25;
/// The longest name of a CSP.
const MAX_CSP: usize = 255;

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserQuery {
    /// Counted from 1.
    pub(super) page: u64,
    pub(super) page_size: u64,
    pub(super) order: SortOrder,
    pub(super) sort: UserSort,
    pub(super) filter: UserFilter,
}

/// Conditions, all of which must hold. Texts match regardless of case and accents; the others match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UserFilter {
    pub(super) email: Option<String>,
    pub(super) firstname: Option<String>,
    pub(super) lastname: Option<String>,
    pub(super) company: Option<String>,
    pub(super) business_role: Option<String>,
    pub(super) phone: Option<String>,
    /// Ignored for actors of a CSP.
    pub(super) csp: Option<String>,
    /// A role's name in the cloud. An unknown name matches nobody.
    pub(super) role: Option<String>,
    pub(super) confirmed: Option<bool>,
    pub(super) two_step: Option<bool>,
    pub(super) disabled: Option<bool>,
}

/// Documents the filters of the list and its report; [`read`] parses them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(super) struct UserFilterParams {
    /// Only people whose e-mail address matches, regardless of case and accents: one or two characters match its beginning, three
    /// or more any part of it
    #[param(max_length = 64)]
    email: Option<String>,
    /// As email, by first name
    #[param(max_length = 64)]
    firstname: Option<String>,
    /// As email, by last name
    #[param(max_length = 64)]
    lastname: Option<String>,
    /// As email, by company
    #[param(max_length = 64)]
    company: Option<String>,
    /// As email, by business role
    #[param(max_length = 64)]
    businessrole: Option<String>,
    /// As email, by phone
    #[param(max_length = 64)]
    phone: Option<String>,
    /// Only people of the CSP with this name; ignored from a CSP role
    #[param(max_length = 255)]
    csp: Option<String>,
    /// Only people with this role, by its name in the cloud
    role: Option<String>,
    /// Only people who have confirmed their address, or only those who have not
    confirmed: Option<bool>,
    /// Only people with two-step sign-in, or only those without
    twostep: Option<bool>,
    /// Only people whose account is disabled, or only the others
    disabled: Option<bool>,
}

/// A sort column of the list of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UserSort {
    #[serde(rename = "created_at")]
    CreatedAt,
    FirstName,
    LastName,
    Email,
    Company,
    BusinessRole,
    Phone,
    Csp,
    /// By precedence.
    Role,
    /// People who have never signed in here come first.
    LastSignIn,
}

/// The `idx_users` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Iden)]
pub(super) enum IdxUsers {
    Table,
    Id,
    Email,
    Firstname,
    Lastname,
    Company,
    BusinessRole,
    Phone,
    City,
    State,
    Country,
    Confirmed,
    Role,
    Csp,
    CreatedAt,
    EmailFolded,
    FirstnameFolded,
    LastnameFolded,
    CompanyFolded,
    BusinessRoleFolded,
    PhoneFolded,
}

/// Reads the query.
///
/// # Errors
/// 422 with a text for each repeated or invalid parameter.
pub(super) fn parse(pairs: &QueryPairs) -> ApiResult<UserQuery> {
    let mut reader = QueryReader::new(pairs);
    let query = read(&mut reader);
    reader.end(query)
}

/// Reads the parameters that the list and its report share.
pub(super) fn read(reader: &mut QueryReader<'_>) -> UserQuery {
    UserQuery {
        page: reader.page(),
        page_size: reader.page_size(PAGE_SIZE),
        order: reader.order(SortOrder::Desc),
        sort: reader.value("orderBy", "is no column to sort by", UserSort::from_name).unwrap_or(UserSort::CreatedAt),
        filter: UserFilter {
            email: reader.text("email"),
            firstname: reader.text("firstname"),
            lastname: reader.text("lastname"),
            company: reader.text("company"),
            business_role: reader.text("businessrole"),
            phone: reader.text("phone"),
            csp: reader.text_up_to(MAX_CSP, "csp"),
            role: reader.text("role"),
            confirmed: reader.value("confirmed", "must be true or false", |text| text.parse().ok()),
            two_step: reader.value("twostep", "must be true or false", |text| text.parse().ok()),
            disabled: reader.value("disabled", "must be true or false", |text| text.parse().ok()),
        },
    }
}

impl UserSort {
    /// Whether the values are numbers. Times are stored as numbers.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::CreatedAt | Self::LastSignIn)
    }

    /// Parses the name in a query string.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "created_at" => Self::CreatedAt,
            "firstname" => Self::FirstName,
            "lastname" => Self::LastName,
            "email" => Self::Email,
            "company" => Self::Company,
            "businessrole" => Self::BusinessRole,
            "phone" => Self::Phone,
            "csp" => Self::Csp,
            "role" => Self::Role,
            "lastsignin" => Self::LastSignIn,
            _ => return None,
        })
    }

    /// Texts are sorted regardless of case and accents, as they are filtered. The names of the roles sort by precedence.
    pub(super) fn value(self) -> Expr {
        Expr::col(match self {
            Self::CreatedAt => IdxUsers::CreatedAt,
            Self::FirstName => IdxUsers::FirstnameFolded,
            Self::LastName => IdxUsers::LastnameFolded,
            Self::Email => IdxUsers::EmailFolded,
            Self::Company => IdxUsers::CompanyFolded,
            Self::BusinessRole => IdxUsers::BusinessRoleFolded,
            Self::Phone => IdxUsers::PhoneFolded,
            Self::Csp => IdxUsers::Csp,
            Self::Role => IdxUsers::Role,
            Self::LastSignIn => return Expr::cust(account_state::LAST_SIGN_IN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::query_reader::checks::{assert_text, invalid_parameters};

    fn parsed(query: &str) -> ApiResult<UserQuery> {
        parse(&QueryPairs::read(query))
    }

    #[test]
    fn omitted_parameters_get_their_defaults() {
        let expected = UserQuery {
            page: 1,
            page_size: 25,
            order: SortOrder::Desc,
            sort: UserSort::CreatedAt,
            filter: UserFilter::default(),
        };
        for query in ["", "page=&pageSize=&order=&orderBy=&role=&confirmed=&twostep=&email=&csp=", "somethingelse=1"] {
            assert_eq!(parsed(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_parsed() {
        let query = parsed(
            "page=3&pageSize=50&order=asc&orderBy=businessrole&email=jo%40&firstname=Jo&lastname=%C3%98st&company=A+B\
             &businessrole=owner&phone=%2B47&csp=North&role=OEM::Observer&confirmed=false&twostep=true&disabled=true",
        );
        let text = |value: &str| Some(value.to_owned());
        let expected = UserQuery {
            page: 3,
            page_size: 50,
            order: SortOrder::Asc,
            sort: UserSort::BusinessRole,
            filter: UserFilter {
                email: text("jo@"),
                firstname: text("Jo"),
                lastname: text("Øst"),
                company: text("A B"),
                business_role: text("owner"),
                phone: text("+47"),
                csp: text("North"),
                role: text("OEM::Observer"),
                confirmed: Some(false),
                two_step: Some(true),
                disabled: Some(true),
            },
        };
        assert_eq!(query.unwrap(), expected);
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let all = invalid_parameters(parsed("page=0&pageSize=6&order=up&orderBy=confirmed&confirmed=yes&twostep=on"));
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["confirmed", "order", "orderBy", "page", "pageSize", "twostep"]);
        for name in ["email", "firstname", "lastname", "company", "businessrole", "phone", "role"] {
            assert_text(parsed, name, 64);
        }
        assert_text(parsed, "csp", 255);
    }
}
