//! Selects the limits and the result format for each client.

use rmcp::model::Implementation;

use crate::fit::{self, Fit, Given};
use crate::limits::Limits;

use super::learned_timeout::LearnedTimeout;
use super::{Server, Shape};

/// What determines the limits and the result format of each client: its profile, and the settings of the user.
#[derive(Debug)]
pub struct Fits {
    /// Which client profile to use.
    pub(super) fit: Fit,
    /// The limits that the user set. A client profile does not change them.
    given: Given,
    /// The result format that the user set.
    shape: Shape,
    /// The learned timeout of the client.
    pub(super) learned_timeout: LearnedTimeout,
}

/// The limits and the result format for one client.
#[derive(Debug)]
pub(super) struct ClientSettings {
    /// The id of the client profile, or `None` if the limits of the server apply.
    pub(super) id: Option<&'static str>,
    /// The limits of the server, lowered to those of the client profile.
    pub(super) limits: Limits,
    /// The format of results.
    pub(super) shape: Shape,
}

impl Fits {
    /// Creates the settings. A client profile does not change the `given` limits.
    pub fn new(fit: Fit, given: Given, shape: Shape) -> Self {
        Self { fit, given, shape, learned_timeout: LearnedTimeout::default() }
    }
}

impl Server {
    /// Returns the limits and the result format for a client with this name.
    pub(super) fn settings_for(&self, client: Option<&Implementation>) -> ClientSettings {
        let (fits, limits) = (&self.fits, &self.shared.limits);
        let profile = fits.fit.client(client.map(|client| client.name.as_str()));
        let is_bare = fits.shape == Shape::Text && profile.is_some_and(|profile| profile.omits_details);
        ClientSettings {
            id: profile.map(|profile| profile.id),
            limits: profile.map_or_else(
                || limits.clone(),
                |profile| profile.fitted(limits, fits.given, self.shared.commands.store.path().as_deref()),
            ),
            shape: if is_bare { Shape::Bare } else { fits.shape },
        }
    }

    /// Returns the same for a call. A learned timeout limits searches, and sets `answer_within` if it is unset.
    pub(super) fn settings_for_call(&self, client: Option<&Implementation>) -> ClientSettings {
        let mut settings = self.settings_for(client);
        let limits = &mut settings.limits;
        let client_timeout = self.fits.learned_timeout.client_timeout();
        limits.answer_within = limits.answer_within.or(client_timeout.map(fit::answer_within));
        if let Some(timeout) = client_timeout.filter(|_| !self.fits.given.search_timeout) {
            limits.search_timeout = limits.search_timeout.min(fit::search_within(timeout));
        }
        settings
    }
}
