use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

const NOW: &str = "2026-11-20T10:00:00Z";
const USER: &str = "11111111-2222-3333-4444-555555555555";

fn device(dsn: &str) -> SubjectSource {
    SubjectSource::Device(dsn.into())
}

fn facts() -> Facts {
    let property = |name: &str, value| (Subject::of_property(SubjectKind::Datapoint, "D1", name), value);
    let other = |kind, value| (Subject::of(kind, device("D1")), value);
    let paris = Value::Place(48.864_716, 2.349_014);
    let values = HashMap::from([
        property("level", Value::Number(19.0)),
        property("heat", Value::Number(2.5)),
        property("on", Value::Number(1.0)),
        property("off", Value::Number(0.0)),
        property("name", Value::Text("Café".into())),
        property("fan speed", Value::Number(3.0)),
        (Subject::of_property(SubjectKind::Ack, "D1", "level"), Value::Number(30.0)),
        other(SubjectKind::Connectivity, Value::Online(true)),
        (Subject::of(SubjectKind::Connectivity, device("D2")), Value::Online(false)),
        other(SubjectKind::Registration, Value::flag(true)),
        (Subject::of(SubjectKind::Registration, device("D2")), Value::flag(false)),
        other(SubjectKind::Location, paris.clone()),
        (Subject::of(SubjectKind::Location, device("D2")), Value::Place(51.507_351, -0.127_758)),
        (Subject::of(SubjectKind::Location, SubjectSource::User(USER.into())), paris),
    ]);
    let changed = HashSet::from([Subject::of_property(SubjectKind::Datapoint, "D1", "level")]);
    let at = |text: &str| text.parse().unwrap();
    let times = HashMap::from([
        (device("D1"), at("2026-11-20T09:59:00Z")),
        (SubjectSource::User(USER.into()), at("2026-11-20T09:00:00Z")),
    ]);
    Facts { now: at(NOW), values, changed, times }
}

fn read(text: &str) -> Result<Expression, String> {
    text.parse().map_err(|error: SyntaxError| error.to_string())
}

#[track_caller]
fn assert_results(table: &[(&str, bool)]) {
    for (text, expected) in table {
        let expression = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expression.is_true(&facts()), *expected, "{text}");
    }
}

#[test]
fn expression_operators_evaluate_as_documented() {
    assert_results(&[
        ("1", true),
        ("0", false),
        ("2.5", true),
        ("true", true),
        ("FALSE", false),
        ("true == 1", true),
        ("false == 0", true),
        ("2 > 1", true),
        ("1 > 1", false),
        ("1 >= 1", true),
        ("0 >= 1", false),
        ("1 < 2", true),
        ("2 < 2", false),
        ("2 <= 2", true),
        ("3 <= 2", false),
        ("2 == 2", true),
        ("2 == 3", false),
        ("1 + 2 == 3", true),
        ("5 - 2 - 1 == 2", true),
        ("2 * 3 == 6", true),
        ("12 / 3 / 2 == 2", true),
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 9", true),
        ("-2 + 3 == 1", true),
        ("2 - -3 == 5", true),
        ("- - 1 == 1", true),
        ("1 && 1", true),
        ("1 && 0", false),
        ("0 || 1", true),
        ("0 || 0", false),
        ("1 || 0 && 0", true),
        ("(1 || 0) && 0", false),
        ("1 AND 1 and 1", true),
        ("0 OR 0 or 1", true),
        ("1>0&&0<1||0", true),
        (" \t\n1 ==\n1 ", true),
        ("'a' == 'a'", true),
        ("'a' == \"a\"", true),
        ("'a' == 'A'", false),
        ("'1' == 1", false),
        ("'a' > 'b'", false),
        ("'text'", false),
        ("1 / 0 == 1 / 0", false),
        ("1 / 0 > 1", false),
        ("\"it's\" == \"it's\"", true),
    ]);
}

#[test]
fn subject_evaluates_to_its_current_value() {
    let user_place = format!("distance_km(LOCATION({USER}), LOCATION(D1)) < 1");
    assert_results(&[
        ("DATAPOINT(D1,level) < 20", true),
        ("DATAPOINT( D1 , level ) < 19", false),
        ("DP(D1,level) == 19", true),
        ("DP(D1,fan speed) == 3", true),
        ("DATAPOINT(D1,heat) * 2 == 5", true),
        ("DATAPOINT(D1,on)", true),
        ("DATAPOINT(D1,off)", false),
        ("DATAPOINT(D1,on) == true", true),
        ("DATAPOINT(D1,name) == 'Café'", true),
        ("DATAPOINT(D1,name)", false),
        ("DATAPOINT_ACK(D1,level) == 30", true),
        ("CONNECTIVITY(D1)", true),
        ("CONNECTIVITY(D1) == 1", true),
        ("CONNECTIVITY(D1) == 'Online'", true),
        ("'offline' == CONNECTIVITY(D2)", true),
        ("CONNECTIVITY(D2)", false),
        ("CONNECTION(D1,online)", true),
        ("CONNECTION(D1,offline)", false),
        ("CONNECTION(D2,Offline)", true),
        ("CONNECTION(D1,all) && CONNECTION(D2,all)", true),
        ("CONNECTION(D3,all)", false),
        ("REGISTRATION(D1)", true),
        ("REGISTRATION(D2)", false),
        ("REGISTRATION(D1,true)", true),
        ("REGISTRATION(D2,true)", false),
        ("REGISTRATION(D2,false)", true),
        ("REGISTRATION(D1,all) && REGISTRATION(D2,all)", true),
        (&user_place, true),
    ]);
}

#[test]
fn unknown_value_is_neither_true_nor_equal_to_anything() {
    assert_results(&[
        ("DATAPOINT(D9,level)", false),
        ("DATAPOINT(D9,level) < 20", false),
        ("DATAPOINT(D9,level) >= 20", false),
        ("DATAPOINT(D9,level) == DATAPOINT(D9,level)", false),
        ("DATAPOINT(D9,level) + 1 == 1", false),
        ("DATAPOINT(D9,level) == 1 || DATAPOINT(D1,on)", true),
        ("str_contains(DATAPOINT(D9,name), '')", false),
        ("distance_km(LOCATION(D1), LOCATION(D9)) < 99999", false),
        ("distance_km(1, 2) < 99999", false),
        ("lat_long('a', 1) == lat_long(1, 1)", false),
        ("time(D9) < current_time()", false),
    ]);
}

#[test]
fn expression_functions_evaluate_as_documented() {
    let of_user = format!("time({USER}) == time('2026-11-20T09:00:00Z')");
    assert_results(&[
        ("str_equals(DATAPOINT(D1,name),'Café')", true),
        ("str_equals(DATAPOINT(D1,name),'café')", false),
        ("STR_EQUALS('a', 'a')", true),
        ("str_contains(DATAPOINT(D1,name),'af')", true),
        ("str_contains(DATAPOINT(D1,name),'x')", false),
        ("str_contains(DATAPOINT(D1,level),'1')", false),
        ("changed(DATAPOINT(D1,level))", true),
        ("changed(DP(D1,heat))", false),
        ("changed(CONNECTIVITY(D1))", false),
        ("current_time() == time('2026-11-20T10:00:00Z')", true),
        ("current_time() - time(D1) == 60", true),
        ("time(\"2026-11-20T11:00:00+02:00\") < current_time()", true),
        (&of_user, true),
        ("distance_km(LOCATION(D1), LOCATION(D2)) > 340 && distance_km(LOCATION(D1), LOCATION(D2)) < 345", true),
        ("distance_miles(LOCATION(D1), LOCATION(D2)) > 211 && distance_miles(LOCATION(D1), LOCATION(D2)) < 215", true),
        ("distance_km(LOCATION(D1), lat_long(48.864716, 2.349014)) < 0.001", true),
        ("distance_km(lat_long(0, 179.5), lat_long(0, -179.5)) < 112", true),
        ("distance_km(lat_long(-90, 0), lat_long(90, 0)) > 20015", true),
    ]);
}

#[test]
fn syntax_error_names_expectation_and_position() {
    const OPERAND: &str = "a number, a text, a subject, a function or a bracket";
    let deep = format!("{}1", "(".repeat(33));
    let signs = format!("{}1", "-".repeat(33));
    let functions = "lat_long(".repeat(33);
    let long = format!("DATAPOINT({},p)", "D".repeat(256));
    let huge = "9".repeat(400);
    let table = [
        ("", OPERAND, 1),
        ("   ", OPERAND, 4),
        ("&& 1", OPERAND, 1),
        ("1 &&", OPERAND, 5),
        ("1 == == 1", OPERAND, 6),
        ("1 = 1", "an operator or the end", 3),
        ("1 1", "an operator or the end", 3),
        ("1 != 1", "an operator or the end", 3),
        ("1 & 1", "an operator or the end", 3),
        ("1 < 2 < 3", "an operator or the end", 7),
        ("1 ANDY", "an operator or the end", 3),
        ("(1", "a closing bracket", 3),
        ("1)", "an operator or the end", 2),
        ("é", OPERAND, 1),
        ("'é' == €", OPERAND, 8),
        ("'text", "the closing quote", 6),
        ("'text\"", "the closing quote", 7),
        ("DATAPOINT", "an opening bracket", 10),
        ("DATAPOINT(D1", "a closing bracket", 13),
        ("DATAPOINT(D1)", "a subject with its arguments", 1),
        ("DATAPOINT(D1,level,more)", "a subject with its arguments", 1),
        ("DATAPOINT(,level)", "a name", 11),
        ("DATAPOINT(D1,)", "a name", 14),
        ("DATAPOINT(D\n1,level)", "a name", 11),
        ("1 + CONNECTION(D1,gone)", "a state that the subject has", 5),
        ("REGISTRATION(D1,maybe)", "a state that the subject has", 1),
        ("CONNECTIVITY()", "a name", 14),
        ("ACTIVATION(D1)", "a subject of which this cloud has events", 1),
        ("VERSION(D1)", "a subject of which this cloud has events", 1),
        ("VIRTEVENT(D1)", "a subject of which this cloud has events", 1),
        ("datapoint(D1,level)", OPERAND, 1),
        ("unknown(1)", OPERAND, 1),
        ("str_equals('a')", "a comma", 15),
        ("str_equals('a','b','c')", "a closing bracket", 19),
        ("changed(1)", OPERAND, 9),
        ("changed(true)", OPERAND, 9),
        ("changed('a')", OPERAND, 9),
        ("changed(CONNECTION(D1,online))", "a subject", 9),
        ("time('yesterday')", "an instant such as '2026-11-20T10:00:00Z'", 6),
        ("current_time(1)", "a closing bracket", 14),
        (&deep, "no more than 32 levels", 34),
        (&signs, "no more than 32 levels", 34),
        (&functions, "no more than 32 levels", 289),
        (&long, "a name", 11),
        (&huge, "a number", 1),
    ];
    for (text, expected, at) in table {
        assert_eq!(read(text), Err(format!("expected {expected} at character {at}")), "{text}");
    }
    assert!(read(&format!("{}1{}", "(".repeat(32), ")".repeat(32))).is_ok());
}

#[test]
fn long_expression_is_parsed_and_evaluated_without_recursion() {
    for text in ["1+".repeat(100_000) + "1", "1||".repeat(100_000) + "1", "1*".repeat(100_000) + "1"] {
        assert!(read(&text).unwrap().is_true(&facts()));
    }
    assert!(read(&"(".repeat(1_000_000)).is_err());
    assert!(read(&"'".repeat(1_000_001)).is_err());
}

#[test]
fn expression_lists_its_subjects_and_names() {
    let text = format!(
        "DP(D1,level) < 20 && changed(DATAPOINT(D1,level)) || -CONNECTIVITY(D2) > time(D3) + LOCATION({})",
        USER.to_uppercase()
    );
    let expression = read(&text).unwrap();
    let level = Subject::of_property(SubjectKind::Datapoint, "D1", "level");
    let (online, place) = (
        Subject::of(SubjectKind::Connectivity, device("D2")),
        Subject::of(SubjectKind::Location, SubjectSource::User(USER.into())),
    );
    assert_eq!(expression.subjects().into_iter().collect::<Vec<_>>(), [&level, &online, &place]);
    let names = [device("D1"), device("D2"), device("D3"), SubjectSource::User(USER.into())];
    assert_eq!(expression.names().into_iter().cloned().collect::<Vec<_>>(), names);
    assert!(expression.uses_changed());
    assert!(!read("DP(D1,level) < 20").unwrap().uses_changed());
    assert!(read("1 < 2").unwrap().subjects().is_empty());
}

#[test]
fn assignment_is_parsed_into_property_and_value() {
    let table = [
        ("DATAPOINT(D1,fan) = 3", Ok(("fan", "3"))),
        (" DATAPOINT( D1 , fan speed )=true ", Ok(("fan speed", "true"))),
        ("DP(D1,fan) = -2.5", Ok(("fan", "-2.5"))),
        ("DATAPOINT(D1,name) = two words", Ok(("name", "two words"))),
        ("DATAPOINT(D1,name) = 'two words '", Ok(("name", "two words "))),
        ("DATAPOINT(D1,name) = \"it's\"", Ok(("name", "it's"))),
        ("DATAPOINT(D1,name) = ", Ok(("name", ""))),
        ("DATAPOINT(D1,fan) == 3", Err("expected = at character 20")),
        ("DATAPOINT(D1,fan) 3", Err("expected = at character 19")),
        ("DATAPOINT(D1,fan)", Err("expected = at character 18")),
        ("DATAPOINT_ACK(D1,fan) = 3", Err("expected DATAPOINT at character 1")),
        ("CONNECTION(D1,online) = 1", Err("expected DATAPOINT at character 1")),
        ("DATAPOINT(D1,name) = 'a' b", Err("expected the end at character 26")),
    ];
    for (text, expected) in table {
        let found = text.parse::<Assignment>().map_err(|error| error.to_string());
        let expected = expected.map_err(str::to_owned).map(|(property, value)| Assignment {
            dsn: "D1".into(),
            property: property.into(),
            value: value.into(),
        });
        assert_eq!(found, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn parser_never_panics(text in r#"(\(|\)|'|"|,|-|\+|&&|\|\||==|<|>|=|1|2\.5|DATAPOINT\(D1,level\)|changed|time|CONNECTION|é| |[a-z]|\PC){0,60}"#) {
        if let Ok(expression) = text.parse::<Expression>() {
            expression.is_true(&facts());
        }
        let _ = text.parse::<Assignment>();
    }
}
