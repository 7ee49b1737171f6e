//! The limits and the shape of answers that fit each client.

use rmcp::model::Implementation;

use crate::fit::{self, Fit, Given};
use crate::limits::Limits;

use super::patience::{self, Patience};
use super::{Server, Shape};

/// The limits and the form of results for a client.
#[derive(Debug)]
pub struct Fits {
    /// The client that they are fitted to.
    pub(super) fit: Fit,
    /// The limits that a fit leaves alone.
    given: Given,
    /// The shape that the flags ask for.
    shape: Shape,
    /// The time that the client waits, where its row does not say it.
    pub(super) patience: Patience,
}

/// The limits and the shape of answers that fit one client.
#[derive(Debug)]
pub(super) struct Fitted {
    /// The id of the client profile, or `None` if the limits of the server apply.
    pub(super) id: Option<&'static str>,
    /// The limits of the server, lowered to those of the client.
    pub(super) limits: Limits,
    /// The shape of results.
    pub(super) shape: Shape,
}

impl Fits {
    /// Answers of that shape, fitted so; a fit leaves the `given` limits alone.
    pub fn new(fit: Fit, given: Given, shape: Shape) -> Self {
        Self { fit, given, shape, patience: Patience::default() }
    }
}

impl Server {
    /// Returns the limits of this server, and the shape, that fit the client that gives itself this name.
    pub(super) fn fitted(&self, client: Option<&Implementation>) -> Fitted {
        let (fits, limits) = (&self.fits, &self.shared.limits);
        let row = fits.fit.client(client.map(|client| client.name.as_str()));
        let is_bare = fits.shape == Shape::Text && row.is_some_and(|row| row.leaves_details_out);
        Fitted {
            id: row.map(|row| row.id),
            limits: row.map_or_else(
                || limits.clone(),
                |row| row.fitted(limits, fits.given, self.shared.commands.store.path().as_deref()),
            ),
            shape: if is_bare { Shape::Bare } else { fits.shape },
        }
    }

    /// Returns the same for a call, with the patience that the client showed where its row does not know it.
    pub(super) fn fitted_call(&self, client: Option<&Implementation>) -> Fitted {
        let mut fitted = self.fitted(client);
        let limits = &mut fitted.limits;
        let shown = self.fits.patience.client_timeout();
        limits.answer_within = limits.answer_within.or(shown.map(patience::answer_within));
        if let Some(timeout) = shown.filter(|_| !self.fits.given.search_timeout) {
            limits.search_timeout = limits.search_timeout.min(fit::within(timeout));
        }
        fitted
    }
}
