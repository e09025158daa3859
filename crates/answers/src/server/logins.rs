//! Logins at sites.

use crate::macros::answers;

answers! {
    /// The login at a site that was begun last.
    pub struct SiteLoginAnswer {
        /// Its state.
        pub state: SiteLoginStateAnswer,
        /// The address that the user opens in a browser; null if none is waited for.
        pub address: Option<String>,
        /// Why it failed; null if it did not.
        pub message: Option<String>,
    }

    /// The state of a login.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum SiteLoginStateAnswer {
        /// None was begun.
        None,
        /// It waits for the user, who has to agree in a browser.
        Waiting,
        /// The token is in the tokens file.
        Done,
        /// It failed.
        Failed,
    }
}
