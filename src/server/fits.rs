//! The limits of each client of the table, made once.

use std::sync::Arc;

use rmcp::model::Implementation;

use crate::fit::{CLIENTS, Client, Fit, Given};
use crate::limits::Limits;

use super::Shape;

/// The limits that fit each client.
#[derive(Debug)]
pub(super) struct Fits {
    fit: Fit,
    clients: Vec<Fitted>,
}

/// A client with the limits that fit it.
#[derive(Debug)]
pub(super) struct Fitted {
    /// The client's row of the table.
    pub(super) client: &'static Client,
    /// The limits of the server, lowered to what it takes.
    pub(super) limits: Arc<Limits>,
}

impl Fits {
    /// Lowers `limits` for each client, but for those that were `given`.
    pub(super) fn new(fit: Fit, limits: &Limits, given: Given) -> Self {
        let fitted =
            |client: &'static Client| Fitted { client, limits: Arc::new(client.fitted(limits, given)) };
        Self { fit, clients: CLIENTS.iter().map(fitted).collect() }
    }

    /// True if answers are fitted to no client.
    pub(super) fn is_off(&self) -> bool {
        self.fit == Fit::Off
    }

    /// Returns the fit of the client that gives itself this name; `None` where the server's own limits hold.
    pub(super) fn of(&self, client: Option<&Implementation>) -> Option<&Fitted> {
        let client = self.fit.client(client.map(|client| client.name.as_str()))?;
        self.clients.iter().find(|fitted| fitted.client == client)
    }
}

impl Fitted {
    /// Returns the shape of results for the client, where the flags ask for `shape`.
    pub(super) fn shape(&self, shape: Shape) -> Shape {
        if shape == Shape::Text && self.client.leaves_details_out { Shape::Bare } else { shape }
    }
}
