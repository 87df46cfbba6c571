use futures::{Stream, TryStreamExt, stream};
use http::Method;

use super::Datapoints;
use crate::api::property_ref::{PropertyRef, Routes};
use crate::error::Result;
use crate::error::messages;
use crate::http::Request;
use crate::model::{Datapoint, DatapointId, DatapointPage, Time, read};

const LIST: Routes = Routes {
    by_dsn: "apiv1/dsns/{}/properties/{}/datapoints.json",
    by_device: "apiv1/devices/{}/properties/{}/datapoints.json",
    by_key: "apiv1/properties/{}/datapoints.json",
};

/// Maximum number of datapoints in one request.
const MAX_LIMIT: i64 = 100;

/// Builder for reading the newest values of a property; returned by [`Datapoints::list`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ListDatapoints {
    datapoints: Datapoints,
    property: PropertyRef,
    limit: i64,
    since: Option<Time>,
    until: Option<Time>,
}

impl ListDatapoints {
    pub(super) fn new(datapoints: &Datapoints, property: PropertyRef) -> Self {
        Self { datapoints: datapoints.clone(), property, limit: MAX_LIMIT, since: None, until: None }
    }

    /// The maximum number of datapoints per request; 100 by default. Values outside 1 to 100 become 100.
    pub fn limit(self, count: i64) -> Self {
        Self { limit: if (1..=MAX_LIMIT).contains(&count) { count } else { MAX_LIMIT }, ..self }
    }

    /// Only datapoints created at this time or later.
    pub fn since(self, time: Time) -> Self {
        Self { since: Some(time), ..self }
    }

    /// Only datapoints created at this time or earlier.
    pub fn until(self, time: Time) -> Self {
        Self { until: Some(time), ..self }
    }

    /// Fetches the newest datapoints, up to the [limit](Self::limit), in chronological order.
    ///
    /// # Errors
    /// `Precondition` 'Session is not active'; `InvalidArgument` 'DSN is required', 'Device key is required' or
    /// 'Property key is required' (depending on how the property is identified) or 'Property name is required';
    /// `Server` with status 404 if the device does not exist or is not visible to you, or has no such property; see
    /// [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Vec<Datapoint>> {
        let request = self.request().map(|request| request.query("limit", self.limit.to_string()));
        self.datapoints.session.call(messages::SESSION_NOT_ACTIVE, request).await?.read(read::many)
    }

    /// The whole history within the time span, newest first, fetched lazily page by page
    /// (`paginated=true&is_forward_page=true`); [`limit`](Self::limit) is the page size. The stream ends after the
    /// first error.
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use futures::TryStreamExt;
    ///
    /// let mut history = std::pin::pin!(client.datapoints().list("AC000W000000001", "intensity").history());
    /// while let Some(datapoint) = history.try_next().await? {
    ///     if let (Some(value), Some(at)) = (datapoint.value, datapoint.created_at) {
    ///         println!("{value} at {at}");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn history(self) -> impl Stream<Item = Result<Datapoint>> + Send + 'static {
        stream::try_unfold(Some((self, None)), |state: Option<(Self, Option<DatapointId>)>| async move {
            let Some((list, start)) = state else { return Ok(None) };
            let page = list.page(start.as_ref()).await?;
            // Ends the stream if the cloud repeats a page or continues after an empty one, instead of looping forever.
            let next = page.next_page.filter(|next| Some(next) != start.as_ref() && !page.datapoints.is_empty());
            let newest_first = stream::iter(page.datapoints.into_iter().rev().map(Ok));
            Ok(Some((newest_first, next.map(|next| (list, Some(next))))))
        })
        .try_flatten()
    }

    async fn page(&self, start: Option<&DatapointId>) -> Result<DatapointPage> {
        let request = self.request().map(|request| {
            let request = request
                .query("paginated", "true")
                .query("is_forward_page", "true")
                .query("per_page", self.limit.to_string());
            start.into_iter().fold(request, |request, start| request.query("next", start.as_str()))
        });
        self.datapoints.session.call(messages::SESSION_NOT_ACTIVE, request).await?.read(DatapointPage::read)
    }

    fn request(&self) -> Result<Request> {
        let request = self.property.request(Method::GET, &LIST)?.retries(self.datapoints.retries);
        let span = [("filter[created_at_since_date]", self.since), ("filter[created_at_end_date]", self.until)];
        let span = span.into_iter().filter_map(|(name, time)| Some((name, time?)));
        Ok(span.fold(request, |request, (name, time)| request.query(name, time.to_string())))
    }
}
