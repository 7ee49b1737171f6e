//! The limits and the shape of answers that fit each client.

use rmcp::model::Implementation;

use crate::fit::{Fit, Given};
use crate::limits::Limits;

use super::Shape;
use super::patience::Patience;

/// The way in which answers are fitted to a client.
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
    /// The id of the client's row; `None` where the server's own limits hold.
    pub(super) id: Option<&'static str>,
    /// The limits of the server, lowered to what it takes.
    pub(super) limits: Limits,
    /// The shape of results.
    pub(super) shape: Shape,
}

impl Fits {
    /// Answers of that shape, fitted so; a fit leaves the `given` limits alone.
    pub fn new(fit: Fit, given: Given, shape: Shape) -> Self {
        Self { fit, given, shape, patience: Patience::default() }
    }

    /// Returns the part of `limits`, the server's own, that fits the client that gives itself this name.
    pub(super) fn of(&self, limits: &Limits, client: Option<&Implementation>) -> Fitted {
        let row = self.fit.client(client.map(|client| client.name.as_str()));
        let is_bare = self.shape == Shape::Text && row.is_some_and(|row| row.leaves_details_out);
        Fitted {
            id: row.map(|row| row.id),
            limits: row.map_or_else(|| limits.clone(), |row| row.fitted(limits, self.given)),
            shape: if is_bare { Shape::Bare } else { self.shape },
        }
    }

    /// Returns the same for a call, with the patience that the client showed where its row does not know it.
    pub(super) fn of_call(&self, limits: &Limits, client: Option<&Implementation>) -> Fitted {
        let mut fitted = self.of(limits, client);
        fitted.limits.answer_within = fitted.limits.answer_within.or_else(|| self.patience.answer_within());
        fitted
    }
}
