//! The setting for attacks: a world, and calls that succeed for an authorised user.

use platform::db::{Db, params};
use platform::testing::{TestDb, pause};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::attention;
use crate::authorisation::{self, ITEMS, Operation, call, fragrance, state};
use crate::browser::{Answer, Browser};
use crate::world::*;

/// A world to attack, and a witness who sees everything in it.
pub(crate) struct Scene {
    pub(crate) world: World,
    pub(crate) witness: Browser,
    /// The ids of the guests of North and of South.
    pub(crate) people: [String; 2],
    in_stock: Vec<String>,
    /// The console's database.
    db: Db,
}

/// A call that succeeds for an authorised user.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) path: String,
    /// Null for no body.
    pub(crate) body: Value,
}

impl Scene {
    pub(crate) async fn set() -> Self {
        Self::of(World::start().await).await
    }

    /// A scene whose console uses this database.
    pub(crate) async fn set_on(database: &TestDb) -> Self {
        Self::of(World::start_without_background_reads_on(database).await).await
    }

    async fn of(world: World) -> Self {
        let in_stock: Vec<_> = (0..2500).map(|number| format!("SC-STOCK{number}")).collect();
        let devices: Vec<_> = in_stock.iter().map(|dsn| stock(dsn)).collect();
        world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
        world.console.add_missing_fragrances(&[fragrance()]).await.unwrap();
        attention::open_items(&world.database, &[(ITEMS[0], NORTH), (ITEMS[1], SOUTH)]).await;
        let people = [world.user_id(NORTH_GUEST).await, world.user_id(SOUTH_GUEST).await];
        let witness = world.signed_in(ADMIN).await;
        let db = Db::connect(&world.database).await.unwrap();
        Self { world, witness, people, in_stock, db }
    }

    /// Builds a call that succeeds for the user of `browser`. Each call has another device to add.
    pub(crate) async fn call(&mut self, browser: &mut Browser, operation: &Operation, email: &str) -> Call {
        let in_stock = self.in_stock.pop().unwrap();
        let request = call(browser, &operation.about(&self.people[0]), NORTH, &in_stock, email).await;
        let request = request.build().unwrap();
        let query = request.url().query().map(|query| format!("?{query}")).unwrap_or_default();
        let body = request.body().and_then(|body| serde_json::from_slice(body.as_bytes().unwrap()).ok());
        Call {
            method: operation.method.clone(),
            path: format!("{}{query}", request.url().path()),
            body: body.unwrap_or_default(),
        }
    }

    /// Sends a variant of `good`. Unless it is refused for its content, `good` is built again: an accepted one may have ended the
    /// session or changed what `good` is about, and another refusal would hide how the next variants are read.
    pub(crate) async fn send(
        &mut self,
        browser: &mut Browser,
        operation: &Operation,
        email: &str,
        variant: &Call,
        good: &mut Call,
    ) -> Answer {
        let answer = answer(variant.request(browser)).await;
        if ![400, 422].contains(&answer.status) {
            self.stay_signed_in(browser, email).await;
            *good = self.call(browser, operation, email).await;
        }
        answer
    }

    /// The data that a call could change, read after all jobs have ended.
    pub(crate) async fn state(&mut self) -> Value {
        loop {
            // The item of a device that has moved is closed within seconds.
            let unsettled = "select (select count(*) from jobs where state = 'running') + (select count(*) from attention_items i \
                             join idx_device_state s on s.dsn = i.dsn and s.csp <> i.csp where i.closed_at is null)";
            let (unsettled,): (i64,) = self.db.fetch_one(unsettled, params![]).await.unwrap();
            if unsettled == 0 {
                break;
            }
            pause().await;
        }
        authorisation::stay_signed_in(&self.world, &mut self.witness, ADMIN).await;
        state(&mut self.witness, &self.people).await
    }

    /// Signs in again if the session has ended, and restores the password if it was changed.
    pub(crate) async fn stay_signed_in(&self, browser: &mut Browser, email: &str) {
        if browser.get("/api/account").await.status != 401 || browser.sign_in(email, PASSWORD).await.status == 200 {
            return;
        }
        self.world.cloud.operator().set_password(&self.world.oem, email, PASSWORD.into()).await.unwrap();
        *browser = self.world.signed_in(email).await;
    }
}

impl Call {
    pub(crate) fn request(&self, browser: &Browser) -> RequestBuilder {
        let request = browser.request(self.method.clone(), &self.path);
        if self.body.is_null() { request } else { request.json(&self.body) }
    }
}

/// Sends the request and ignores new cookies. Of a stream, only the beginning is read.
pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let is_stream = headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let bytes = if is_stream { Default::default() } else { response.bytes().await.unwrap() };
    Answer { status, headers, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}
