//! Property tests: any frames in any order keep the stream open, and missed events cause a gap.

use futures::FutureExt;
use proptest::prelude::*;

use super::super::frame::{Frame, decode};
use super::{FakeConnector, event, pair, seen};

/// A step of a generated frame sequence.
#[derive(Clone, Debug)]
enum Step {
    /// The next event arrives.
    Deliver,
    /// The next event is lost.
    Lose,
    /// The next event arrives damaged.
    Garble(String),
    /// An unreadable frame arrives in addition.
    Noise(String),
    /// The last event arrives again.
    Repeat,
    Heartbeat,
    KeepAlive,
}

/// An unreadable frame: any text, or a valid frame that was truncated or changed.
fn unreadable() -> impl Strategy<Value = String> {
    let any_text = any::<String>();
    let cut = (0..event(1).len()).prop_map(|length| event(1)[..length].to_owned());
    let changed = (0..event(1).len(), any::<char>()).prop_map(|(at, other)| {
        event(1).chars().enumerate().map(|(n, character)| if n == at { other } else { character }).collect()
    });
    prop_oneof![any_text, cut, changed]
        .prop_map(|text: String| if matches!(decode(&text), Frame::Unreadable(_)) { text } else { "?".to_owned() })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Deliver),
        1 => Just(Step::Lose),
        1 => unreadable().prop_map(Step::Garble),
        1 => unreadable().prop_map(Step::Noise),
        1 => Just(Step::Repeat),
        1 => Just(Step::Heartbeat),
        1 => Just(Step::KeepAlive),
    ]
}

/// The frames of these steps, and the expected events.
fn reply(steps: &[Step]) -> (Vec<String>, Vec<&'static str>) {
    let (mut frames, mut events) = (vec![], vec!["connected"]);
    let (mut seq, mut last, mut doubt) = (0, None, false);
    for step in steps {
        match step {
            Step::Deliver => {
                seq += 1;
                let gap = last.map_or(doubt, |last| seq != last + 1);
                events.extend(gap.then_some("gap"));
                events.push("event");
                frames.push(event(seq));
                last = Some(seq);
            }
            Step::Lose => seq += 1,
            Step::Garble(frame) => {
                seq += 1;
                doubt = true;
                frames.push(frame.clone());
            }
            Step::Noise(frame) => {
                doubt = true;
                frames.push(frame.clone());
            }
            Step::Repeat => {
                let Some(last) = last else { continue };
                frames.push(event(last));
                events.push("event");
            }
            Step::Heartbeat => frames.push("1|Z".to_owned()),
            Step::KeepAlive => frames.push("1|X".to_owned()),
        }
    }
    (frames, events)
}

/// The received events. Asserts that the stream is still open.
async fn received(frames: Vec<String>) -> Vec<&'static str> {
    let (socket, peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    let mut events = vec![seen(&mut handle).await];
    for frame in frames {
        peer.frames.unbounded_send(frame).expect("the stream is open");
    }
    // The paused clock only advances when all tasks are idle.
    while let Ok(event) = tokio::time::timeout(super::SECOND, seen(&mut handle)).await {
        events.push(event);
    }
    assert!(!peer.frames.is_closed() && handle.next().now_or_never().is_none(), "the stream is open");
    events
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
}

proptest! {
    #[test]
    fn no_frame_closes_the_stream(texts in prop::collection::vec(any::<String>(), 0..20), bars in any::<(u32, String)>()) {
        let (length, text) = bars;
        let frames = texts.into_iter().chain([format!("{length}|{text}"), format!("{length}|{{{text}}}")]).collect();
        let events = run(received(frames));
        prop_assert!(!events.contains(&"disconnected") && !events.contains(&"end"), "{events:?}");
    }

    #[test]
    fn missed_events_always_send_a_gap(steps in prop::collection::vec(step(), 0..60)) {
        let (frames, expected) = reply(&steps);
        prop_assert_eq!(run(received(frames)), expected);
    }
}
