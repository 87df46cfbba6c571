//! Datapoints: writing, batches, history.

use devicecloud::{Error, Time};
use futures::TryStreamExt;

use super::{DATAPOINT, DSN, NOW, Run, WRONG_DSN, cases};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "datapoints/create": |client| {
            let written = client.datapoints().create(DSN, "intensity", 30).send().await?;
            assert_eq!(written.id.as_str(), "11111111-2222-3333-4444-555555555555");
            assert_eq!((written.value, written.ack_status, written.acked_at), (Some(30.into()), -1, None));
        };
        "datapoints/create.metadata": |client| {
            let written = client.datapoints().create(DSN, "intensity", 30).metadata("by", "a test").send().await?;
            assert_eq!(written.metadata["by"], "a test");
        };
        "datapoints/create_by_key": |client| {
            let written = client.datapoints().create_by_key(43, 30).send().await?;
            assert_eq!((written.id.as_str(), written.value), ("11111111-2222-3333-4444-555555555555", Some(30.into())));
        };
        "datapoints/create_by_key.metadata": |client| {
            let written = client.datapoints().create_by_key(43, 30).metadata("by", "a test").send().await?;
            assert_eq!(written.metadata["by"], "a test");
        };
        "datapoints/create_by_key.404": |client| client.datapoints().create_by_key(999_999_999, 30).send().await?;
        "datapoints/create_by_device": |client| {
            assert_eq!(client.datapoints().create_by_device(41, "intensity", 30).send().await?.value, Some(30.into()));
        };
        "datapoints/list": |client| {
            let datapoints = client.datapoints().list(DSN, "intensity").send().await?;
            assert_eq!((datapoints.len(), &datapoints[0].value), (1, &Some(30.into())));
        };
        "datapoints/list.404": |client| client.datapoints().list(DSN, "no_such_property").send().await?;
        "datapoints/list_by_device": |client| {
            assert_eq!(client.datapoints().list_by_device(41, "intensity").send().await?.len(), 1);
        };
        "datapoints/list_by_key": |client| {
            assert_eq!(client.datapoints().list_by_key(43).send().await?.len(), 1);
        };
        "datapoints/list_by_key.span": |client| {
            let list = client.datapoints().list_by_key(43).limit(10);
            let list = list.since("2026-11-20T09:00:00Z".parse()?).until("2026-11-20T11:00:00Z".parse()?);
            assert_eq!(list.send().await?[0].created_at, Some(NOW.parse()?));
        };
        "datapoints/pages": |client| {
            let history: Vec<_> = client.datapoints().list(DSN, "intensity").history().try_collect().await?;
            assert_eq!((history.len(), &history[0].value), (1, &Some(30.into())));
        };
        "datapoints/batch": |client| {
            let batch = client.datapoints().batch().add(DSN, "intensity", 30);
            let batch = batch.add("AC000W000000002", "intensity", 31).metadata("by", "a test");
            let batch = batch.add(DSN, "no_such_property", 30).add(WRONG_DSN, "intensity", 30);
            let results = batch.add(DSN, "intensity", "not a number").send().await?;
            let statuses: Vec<_> = results.iter().map(|entry| entry.result.as_ref().map_err(Error::status)).collect();
            assert_eq!(statuses[0].unwrap().value, Some(30.into()));
            assert_eq!(statuses[1].unwrap().metadata["by"], "a test");
            assert_eq!(statuses[2..].iter().map(|result| result.unwrap_err()).collect::<Vec<_>>(), [Some(404), Some(404), Some(422)]);
            let rejected = results[4].result.as_ref().unwrap_err();
            assert_eq!(rejected.fields(), [("value".to_owned(), vec!["text".to_owned()])]);
            assert_eq!(results[2].result.as_ref().unwrap_err().message(), "text");
        };
        "datapoints/create.422": |client| client.datapoints().create(DSN, "intensity", "not a number").send().await?;
        "datapoints/create.404": |client| client.datapoints().create(DSN, "no_such_property", 30).send().await?;
        "datapoints/get.pending": |client| {
            let datapoint = client.datapoints().get(41, "intensity", DATAPOINT).await?;
            assert_eq!((datapoint.id.as_str(), datapoint.acked_at, datapoint.ack_status), (DATAPOINT, None, -1));
        };
        "datapoints/get.acked": |client| {
            let datapoint = client.datapoints().get(41, "intensity", DATAPOINT).await?;
            assert_eq!((datapoint.ack_status, datapoint.acked_at), (200, Some(NOW.parse::<Time>()?)));
        };
    }
    .into()
}
