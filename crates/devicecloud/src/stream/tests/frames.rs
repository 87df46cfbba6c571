//! Whatever frames come, in whatever order: the stream stays open, and tells when an event was missed.

use futures::FutureExt;
use proptest::prelude::*;

use super::super::frame::{Frame, decode};
use super::{FakeConnector, event, pair, seen};

/// What happens on the way of the cloud's events.
#[derive(Clone, Debug)]
enum Step {
    /// The next event arrives.
    Deliver,
    /// It does not.
    Lose,
    /// It arrives as something else.
    Garble(String),
    /// Something arrives that nobody understands, and that was no event.
    Noise(String),
    /// The last event arrives again.
    Repeat,
    Heartbeat,
    KeepAlive,
}

/// A frame that cannot be read: any text, or a good frame that was cut or changed.
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

/// The frames of these steps, and what an owner has to be told.
fn reply(steps: &[Step]) -> (Vec<String>, Vec<&'static str>) {
    let (mut frames, mut told) = (vec![], vec!["connected"]);
    let (mut seq, mut last, mut doubt) = (0, None, false);
    for step in steps {
        match step {
            Step::Deliver => {
                seq += 1;
                let gap = last.map_or(doubt, |last| seq != last + 1);
                told.extend(gap.then_some("gap"));
                told.push("event");
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
                told.push("event");
            }
            Step::Heartbeat => frames.push("1|Z".to_owned()),
            Step::KeepAlive => frames.push("1|X".to_owned()),
        }
    }
    (frames, told)
}

/// What the owner is told; the stream has to be open after it.
async fn told(frames: Vec<String>) -> Vec<&'static str> {
    let (socket, peer) = pair();
    let mut handle = FakeConnector::new([Ok(socket)]).open();
    let mut told = vec![seen(&mut handle).await];
    for frame in frames {
        peer.frames.unbounded_send(frame).expect("the stream is open");
    }
    // The clock stands still while anything else can happen.
    while let Ok(event) = tokio::time::timeout(super::SECOND, seen(&mut handle)).await {
        told.push(event);
    }
    assert!(!peer.frames.is_closed() && handle.next().now_or_never().is_none(), "the stream is open");
    told
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
        let told = run(told(frames));
        prop_assert!(!told.contains(&"disconnected") && !told.contains(&"end"), "{told:?}");
    }

    #[test]
    fn missed_events_always_send_a_gap(steps in prop::collection::vec(step(), 0..60)) {
        let (frames, expected) = reply(&steps);
        prop_assert_eq!(run(told(frames)), expected);
    }
}
