//! Waiting for the acknowledgement of a written datapoint.

use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::ack_polling::{AckPolling, INTERVAL, Step};
use super::{CreateDatapoint, Datapoints};
use crate::api::property_ref::PropertyRef;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::model::{Ack, Datapoint, DatapointId, read};

impl CreateDatapoint {
    /// Writes the value and waits for the device to acknowledge it: polls once a second, the last time after `ack_wait`.
    /// `Ok` means that the device answered; [`Datapoint::ack`] says whether it accepted the value. The property must use
    /// acknowledgements ([`ack_enabled`](crate::Property::ack_enabled)), or none arrives.
    /// `GET apiv1/dsns/{dsn}/properties/{name}/datapoints/{id}.json`, or with `devices/{key}`
    ///
    /// Dropping the future while it waits does not undo the write.
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::Ack;
    /// use devicecloud::api::DEFAULT_ACK_WAIT;
    ///
    /// let datapoints = client.datapoints();
    /// match datapoints.create("AC000W000000001", "intensity", 30).and_wait(DEFAULT_ACK_WAIT).await {
    ///     Ok(answered) if answered.ack() == Ack::Accepted => println!("done"),
    ///     Ok(refused) => println!("refused with status {}", refused.ack_status),
    ///     Err(error) => match error.datapoint() {
    ///         Some(written) => println!("written as {}, but: {error}", written.id),
    ///         None => return Err(error),
    ///     },
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`send`](Self::send); `InvalidArgument` 'Device key is required' for a property that is identified by its key.
    /// After the write, with the outcome [`Done`](crate::Outcome::Done) and the [`datapoint`](Error::datapoint):
    /// `Timeout` 'Ack enable property polling time out' if no acknowledgement arrived within `ack_wait`, or the cloud has
    /// stopped waiting for it; `Json` if the response to the write lacks the id of the datapoint; errors of polling that
    /// are not temporary.
    pub async fn and_wait(&self, ack_wait: Duration) -> Result<Datapoint> {
        let by_key = matches!(self.property, PropertyRef::Key(_));
        let request =
            self.request().and_then(|request| required(by_key, messages::DEVICE_KEY_REQUIRED).map(|()| request));
        let written = self.write(request).await?;
        self.datapoints.await_ack(&self.property, written, AckPolling::within(ack_wait, INTERVAL)).await
    }
}

impl Datapoints {
    /// Polls until the device has answered.
    ///
    /// # Errors
    /// With the outcome `Done` and the datapoint; see [`CreateDatapoint::and_wait`].
    pub(crate) async fn await_ack(
        &self,
        property: &PropertyRef,
        written: Datapoint,
        mut polling: AckPolling,
    ) -> Result<Datapoint> {
        let timed_out = || Error::new(ErrorKind::Timeout, messages::ACK_TIMED_OUT);
        let began = Instant::now();
        let id = written.id.clone();
        let mut latest = written;
        if id.is_blank() {
            return Err(missing_ack(Error::new(ErrorKind::Json, messages::UNEXPECTED_RESPONSE), latest));
        }
        loop {
            match polling.next(began.elapsed()) {
                Step::Poll { after, then } => {
                    sleep(after).await;
                    polling = then;
                }
                Step::GiveUp { after } => {
                    sleep(after).await;
                    return Err(missing_ack(timed_out(), latest));
                }
            }
            match self.poll(property, &id).await {
                Ok(datapoint) if datapoint.id == id => latest = datapoint,
                // A response of unknown shape.
                Ok(_) => {}
                Err(error) if error.is_retryable() => {}
                Err(error) => return Err(missing_ack(error, latest)),
            }
            match latest.ack() {
                Ack::Pending => {}
                Ack::Accepted | Ack::Refused(_) => return Ok(latest),
                Ack::Expired => return Err(missing_ack(timed_out(), latest)),
            }
        }
    }

    /// Not retried, because the next poll follows.
    async fn poll(&self, property: &PropertyRef, id: &DatapointId) -> Result<Datapoint> {
        let request = property.datapoint_request(id).map(|request| request.retries(false));
        self.session.call(messages::SESSION_NOT_ACTIVE, request).await?.read(read::one)
    }
}

impl Error {
    /// The datapoint of a write that happened, but whose acknowledgement is missing. With its id the acknowledgement can be
    /// looked for later, and with [`Datapoint::ack`] interpreted. The id is blank if the cloud did not send it.
    #[must_use]
    pub fn datapoint(&self) -> Option<&Datapoint> {
        let source = std::error::Error::source(self)?;
        source.downcast_ref().map(|missing: &MissingAck| &missing.datapoint)
    }
}

/// The source of the error of a write whose acknowledgement is missing.
struct MissingAck {
    datapoint: Datapoint,
    reason: Error,
}

fn missing_ack(reason: Error, datapoint: Datapoint) -> Error {
    reason.clone().done().with_source(MissingAck { datapoint, reason })
}

impl fmt::Display for MissingAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value was written, but its acknowledgement is missing")
    }
}

/// Without the value.
impl fmt::Debug for MissingAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MissingAck").field("id", &self.datapoint.id).field("reason", &self.reason).finish()
    }
}

impl std::error::Error for MissingAck {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}
