//! The query string of the list: names and values of.

use super::record::ConnectionStatus;
use crate::error::ApiResult;
use crate::index::{DeviceFilter, DeviceSort, ListQuery, SortOrder};
use crate::query_reader::QueryReader;
use crate::request::QueryPairs;

/// How many devices a page has at first.
const PAGE_SIZE: u64 = 5;
/// The longest name of a CSP.
const MAX_CSP: usize = 255;

/// Reads the query.
///
/// # Errors
/// 422 with a text for each parameter that is repeated or has no such value.
pub(crate) fn parse(pairs: &QueryPairs) -> ApiResult<ListQuery> {
    let mut reader = QueryReader::new(pairs);
    let mut query = read(&mut reader);
    // To choose devices from; no report is about all but one.
    query.filter.except = reader.text("excludeDsn");
    reader.end(query)
}

/// Reads what the list and its report share.
pub(super) fn read(reader: &mut QueryReader<'_>) -> ListQuery {
    ListQuery {
        page: reader.page(),
        page_size: reader.page_size(PAGE_SIZE),
        order: reader.order(SortOrder::Desc),
        sort: reader
            .value("orderBy", "is no column to sort by", DeviceSort::from_name)
            .unwrap_or(DeviceSort::CreatedAt),
        filter: DeviceFilter {
            csp: reader.text_up_to(MAX_CSP, "csp"),
            dsn: reader.text("dsn"),
            network: reader.text("network"),
            service_area: reader.text("servicearea"),
            model: reader.text("model"),
            serial_number: reader.text("serialnumber"),
            connection_status: reader.value(
                "connectionstatus",
                "must be Online or Offline",
                ConnectionStatus::from_name,
            ),
            customer: reader.text("customer"),
            city: reader.text("city"),
            country: reader.text("country"),
            state_province: reader.text("stateprovince"),
            except: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiError;

    fn parsed(query: &str) -> ApiResult<ListQuery> {
        parse(&QueryPairs::read(query))
    }

    fn refused(query: &str) -> Vec<(String, Vec<String>)> {
        match parsed(query) {
            Err(ApiError::Invalid(errors)) => errors.into_iter().collect(),
            other => panic!("{query}: {other:?}"),
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let expected = ListQuery {
            page: 1,
            page_size: 5,
            order: SortOrder::Desc,
            sort: DeviceSort::CreatedAt,
            filter: DeviceFilter::default(),
        };
        for query in ["", "page=&pageSize=&order=&orderBy=&connectionstatus=&dsn=&csp=", "somethingelse=1"] {
            assert_eq!(parsed(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_read() {
        let query = parsed(
            "page=3&pageSize=50&order=asc&orderBy=stateprovince&connectionstatus=Online&dsn=SC%25&csp=North&network=LAN\
             &servicearea=Lobby&model=AQ290&serialnumber=4711&customer=Hotel+Aurora&city=K%C3%B8benhavn&country=DK\
             &stateprovince=S&excludeDsn=SC-1",
        );
        let text = |value: &str| Some(value.to_owned());
        let expected = ListQuery {
            page: 3,
            page_size: 50,
            order: SortOrder::Asc,
            sort: DeviceSort::State,
            filter: DeviceFilter {
                csp: text("North"),
                dsn: text("SC%"),
                network: text("LAN"),
                service_area: text("Lobby"),
                model: text("AQ290"),
                serial_number: text("4711"),
                connection_status: Some(ConnectionStatus::Online),
                customer: text("Hotel Aurora"),
                city: text("København"),
                country: text("DK"),
                state_province: text("S"),
                except: text("SC-1"),
            },
        };
        assert_eq!(query.unwrap(), expected);
    }

    #[test]
    fn every_bad_value_is_named() {
        let all = refused("page=0&pageSize=6&order=up&orderBy=password&connectionstatus=online");
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["connectionstatus", "order", "orderBy", "page", "pageSize"]);
        for query in ["page=-1", "page=1.5", "page=x", "page=99999999999999999999999", "page=1&page=1", "dsn=a&dsn=b"] {
            assert_eq!(refused(query).len(), 1, "{query}");
        }
    }

    #[test]
    fn a_text_has_its_length_and_is_given_once() {
        let names = "dsn network servicearea model serialnumber customer city country stateprovince excludeDsn";
        for (name, max) in names.split(' ').map(|name| (name, 64)).chain([("csp", 255)]) {
            let says = |text: &str| vec![(name.to_owned(), vec![text.to_owned()])];
            assert!(parsed(&format!("{name}={}", "Ä".repeat(max))).is_ok(), "{name}");
            assert_eq!(refused(&format!("{name}={}", "Ä".repeat(max + 1))), says("is too long"));
            assert_eq!(refused(&format!("{name}=a&{name}=b")), says("must be given once"));
            assert_eq!(refused(&format!("{name}=a%00")), says("must not contain control characters"));
        }
    }
}
