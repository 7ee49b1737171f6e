//! Converts a panic of a tool to an error, so that the server keeps running.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

/// Runs `work` and catches a panic. Returns the message of the panic as the error.
pub(super) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    // The work is not polled again after a panic, so its inconsistent state is never used.
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_becomes_an_error() {
        assert_eq!(caught(async { 1 }).await, Ok(1));
        let broken = async {
            tokio::task::yield_now().await;
            assert!(tokio::task::try_id().is_some(), "no {}", "luck");
        };
        assert_eq!(caught(broken).await, Err("no luck".to_owned()));
    }
}
