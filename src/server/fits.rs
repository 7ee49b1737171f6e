//! The limits and the shape of answers that fit each client.

use rmcp::model::Implementation;

use crate::fit::{Fit, Given};
use crate::limits::Limits;
use crate::tools::ToolName;

use super::Shape;
use super::patience::Patience;

/// The way in which answers are fitted to a client.
#[derive(Debug)]
pub(super) struct Fits {
    /// The client that they are fitted to.
    pub(super) fit: Fit,
    /// The limits that a fit leaves alone.
    pub(super) given: Given,
    /// The server's own limits.
    pub(super) limits: Limits,
    /// The shape that the flags ask for.
    pub(super) shape: Shape,
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
    /// Returns what fits the client that gives itself this name.
    pub(super) fn of(&self, client: Option<&Implementation>) -> Fitted {
        let row = self.fit.client(client.map(|client| client.name.as_str()));
        let is_bare = self.shape == Shape::Text && row.is_some_and(|row| row.leaves_details_out);
        Fitted {
            id: row.map(|row| row.id),
            limits: row.map_or_else(|| self.limits.clone(), |row| row.fitted(&self.limits, self.given)),
            shape: if is_bare { Shape::Bare } else { self.shape },
        }
    }

    /// Returns the same for calls of `tool`, with the patience that the client showed where its row does not know it.
    pub(super) fn of_call(&self, tool: ToolName, client: Option<&Implementation>) -> Fitted {
        let mut fitted = self.of(client);
        if tool == ToolName::Bash {
            fitted.limits.answer_within =
                fitted.limits.answer_within.or_else(|| self.patience.answer_within());
        }
        fitted
    }
}
