//! HTTP/2, which needs the feature `http2` and a cloud that offers it.

use axum::http::Version;
use futures::future::join_all;

use super::*;

#[tokio::test]
async fn http2_is_used_by_calls_and_transfers_if_the_cloud_offers_it() {
    let authority = Authority::new();
    for (offered, expected) in [
        (&["h2", "http/1.1"][..], if cfg!(feature = "http2") { Version::HTTP_2 } else { Version::HTTP_11 }),
        (&["http/1.1"], Version::HTTP_11),
    ] {
        let (cloud, address) = Cloud::start(authority.listen_with("cloud.test", offered).await).await;
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let builder = builder(CLOUD).connector(Detour { to: address, asked: Arc::clone(&asked) }).no_proxy();
        let client = builder.root_certificates(authority.pem()).no_platform_roots().build().unwrap();
        use_everything(&client).await;
        let versions: Vec<_> = cloud.seen().into_iter().map(|seen| (seen.path, seen.version)).collect();
        // An upgrade to a WebSocket needs HTTP/1.1.
        let of = |path: &str| if path.starts_with("/stream") { Version::HTTP_11 } else { expected };
        let paths = expected_requests().into_iter().map(|(path, _)| (path.to_owned(), of(path)));
        assert_eq!(versions, paths.collect::<Vec<_>>(), "{offered:?}");

        let before = asked.lock().unwrap().len();
        join_all((0..10).map(|_| async { client.users().profile().await.unwrap() })).await;
        let opened = asked.lock().unwrap().len() - before;
        assert_eq!(opened == 0, expected == Version::HTTP_2, "concurrent calls share a connection: {opened}");
    }
}
