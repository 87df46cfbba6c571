//! Query and body of each operation in api/openapi.json, for tests that cover all operations, also future ones.

use serde_json::{Value, json};

use crate::authorisation::Operation;

pub(crate) struct Contract(Value);

impl Contract {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../api/openapi.json")).unwrap();
        Self(serde_json::from_str(&text).unwrap())
    }

    /// The query parameters, and whether each may be repeated.
    pub(crate) fn query(&self, operation: &Operation) -> Vec<(String, bool)> {
        let parameters = self.operation(operation)["parameters"].as_array().cloned().unwrap_or_default();
        let of_query = parameters.iter().filter(|one| one["in"] == "query");
        of_query.map(|one| (one["name"].as_str().unwrap().to_owned(), is(&one["schema"], "array"))).collect()
    }

    /// The members of the body (of its elements if it is a list), and whether each is a text.
    pub(crate) fn members(&self, operation: &Operation) -> Vec<(String, bool)> {
        let schema = &self.operation(operation)["requestBody"]["content"]["application/json"]["schema"];
        let schema = self.resolved(schema);
        let schema = if is(schema, "array") { self.resolved(&schema["items"]) } else { schema };
        let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
        let properties = parts.iter().filter_map(|part| self.resolved(part)["properties"].as_object());
        properties.flatten().map(|(name, schema)| (name.clone(), self.is_text(schema))).collect()
    }

    /// JSON pointers to every text of the body, those in lists and objects included.
    pub(crate) fn texts(&self, operation: &Operation) -> Vec<String> {
        let mut found = Vec::new();
        let body = &self.operation(operation)["requestBody"]["content"]["application/json"]["schema"];
        self.collect_texts(body, "", &mut found);
        found
    }

    fn collect_texts(&self, schema: &Value, at: &str, found: &mut Vec<String>) {
        let schema = self.resolved(schema);
        if is(schema, "string") {
            found.push(at.to_owned());
        }
        for choices in ["allOf", "oneOf", "anyOf"] {
            for choice in schema[choices].as_array().into_iter().flatten() {
                self.collect_texts(choice, at, found);
            }
        }
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            self.collect_texts(member, &format!("{at}/{name}"), found);
        }
        if is(schema, "array") {
            self.collect_texts(&schema["items"], &format!("{at}/0"), found);
        }
        if schema["additionalProperties"].is_object() {
            self.collect_texts(&schema["additionalProperties"], &format!("{at}/x"), found);
        }
    }

    /// Whether the operation takes an idempotency key, as each that writes in a session does.
    pub(crate) fn takes_key(&self, operation: &Operation) -> bool {
        let key = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
        self.operation(operation)["parameters"].as_array().is_some_and(|all| all.contains(&key))
    }

    fn operation(&self, operation: &Operation) -> &Value {
        let paths = self.0["paths"].as_object().unwrap().values();
        let mut all = paths.flat_map(|methods| methods.as_object().unwrap().values());
        all.find(|one| one["operationId"] == operation.id).unwrap()
    }

    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(name) => self.0.pointer(&name[1..]).unwrap(),
            None => schema,
        }
    }

    fn is_text(&self, schema: &Value) -> bool {
        let choices = schema["oneOf"].as_array().into_iter().flatten();
        is(self.resolved(schema), "string") || choices.into_iter().any(|one| is(self.resolved(one), "string"))
    }
}

fn is(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
}
