//! Login at Lichess in the user's browser: an authorisation code with PKCE (RFC 7636), since a program on the user's machine
//! cannot keep a secret of its own.
//!
//! The browser gets an address of the site with a challenge. When the user agrees, the site sends the browser back to this
//! machine with a code, and the code is exchanged for a token by showing the secret to which the challenge belongs. A code
//! that somebody else sees is therefore worth nothing, and an answer without the state of this attempt is not for it.

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::Value;
use tabiya::secrets::is_same_secret;
use tabiya_model::Control;

use crate::client::{FetchClient, FetchRequest, SiteResponse};
use crate::site::{FetchSettings, FetchSite, is_private, origin};
use crate::study::form_text;
use crate::token::{FetchToken, FetchTokens};
use crate::{FetchError, Result};

/// The name of this program at the site, which needs no registration.
const CLIENT: &str = "tabiya";

/// What the token may be used for.
const SCOPES: &str = "study:read study:write";

/// The longest code that a site sends.
const LONGEST: usize = 512;

/// An attempt to log in, which succeeds at most once.
pub struct LoginAttempt {
    address: String,
    state: String,
    verifier: String,
    redirect: String,
    settings: FetchSettings,
}

impl std::fmt::Debug for LoginAttempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoginAttempt")
    }
}

/// What the browser brings back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginCallback {
    /// It does not belong to this attempt.
    Foreign,
    /// The user has refused.
    Refused,
    /// The user has agreed; the code is exchanged for a token.
    Code(LoginCode),
}

/// A code, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginCode(String);

impl std::fmt::Debug for LoginCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoginCode")
    }
}

impl LoginAttempt {
    /// Begins; the browser will come back to the address `redirect` on this machine.
    pub fn begin(settings: &FetchSettings, redirect: &str) -> Result<LoginAttempt> {
        let site = settings.address(FetchSite::Lichess);
        let is_safe = origin(site).is_some_and(|origin| is_private(&origin));
        if !is_safe {
            return Err(FetchError::Usage(format!(
                "{site}: the token could be intercepted: the address must begin with https"
            )));
        }
        let (state, verifier) = (secret()?, secret()?);
        let challenge = base64url(digest(&SHA256, verifier.as_bytes()).as_ref());
        let address = format!(
            "{site}/oauth?response_type=code&client_id={CLIENT}&redirect_uri={}&scope={}&state={state}\
             &code_challenge_method=S256&code_challenge={challenge}",
            form_text(redirect),
            form_text(SCOPES),
        );
        let settings = FetchSettings {
            // A new token needs no old one.
            tokens: FetchTokens::default(),
            ..settings.clone()
        };
        Ok(LoginAttempt {
            address,
            state,
            verifier,
            redirect: redirect.to_owned(),
            settings,
        })
    }

    /// The address that the user opens in a browser.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The address of the site for which the token is.
    pub fn site(&self) -> &str {
        self.settings.address(FetchSite::Lichess)
    }

    /// Reads the query of the address with which the browser comes back.
    pub fn read(&self, query: &str) -> LoginCallback {
        let value = |name: &str| {
            let mut found = query.split('&').filter_map(|pair| {
                let (known, value) = pair.split_once('=')?;
                (known == name).then_some(value)
            });
            // Twice the same name is said by nobody who means it.
            match (found.next(), found.next()) {
                (Some(value), None) => Some(value),
                _ => None,
            }
        };
        if !value("state").is_some_and(|state| is_same_secret(state, &self.state)) {
            return LoginCallback::Foreign;
        }
        match (value("code"), value("error")) {
            (Some(code), None) if is_code(code) => LoginCallback::Code(LoginCode(code.to_owned())),
            (None, Some(_)) => LoginCallback::Refused,
            _ => LoginCallback::Foreign,
        }
    }

    /// Exchanges a code for a token. The code is good for one exchange, and so is the attempt.
    pub fn exchange(self, code: &LoginCode, control: &Control) -> Result<FetchToken> {
        let site = self.site().to_owned();
        let mut client = FetchClient::new(self.settings, control.clone())?;
        let body = format!(
            "grant_type=authorization_code&client_id={CLIENT}&code={}&code_verifier={}&redirect_uri={}",
            code.0,
            self.verifier,
            form_text(&self.redirect),
        );
        let mut request = FetchRequest::new(
            FetchSite::Lichess,
            "/api/token",
            "application/json",
            "login",
        );
        request.body = Some((&body, "application/x-www-form-urlencoded"));
        let refused = |site| FetchError::LoginRefused { site };
        let answer = match client.ask(&request) {
            Ok(SiteResponse::Data(data)) => data,
            Ok(_) | Err(FetchError::Status { .. } | FetchError::NotAllowed { .. }) => {
                return Err(refused(site));
            }
            Err(error) => return Err(error),
        };
        let wanted = "a token";
        let text = answer.text(wanted)?;
        let answer: Option<Value> = serde_json::from_str(&text).ok();
        let field = |name: &str| answer.as_ref()?.get(name)?.as_str();
        let is_bearer = field("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
        let token = field("access_token").filter(|_| is_bearer);
        token
            .and_then(FetchToken::new)
            .ok_or(FetchError::NotData { site, wanted })
    }
}

/// A code as the site sends it; it goes into a form as it is.
fn is_code(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~'))
}

/// A text that nobody can guess: 32 random bytes.
fn secret() -> Result<String> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| FetchError::Usage("the system has no random numbers".to_owned()))?;
    Ok(base64url(&bytes))
}

/// Base64 for addresses, without padding (RFC 4648, section 5).
fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let all = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=part.len() {
            let digit = (all >> (18 - 6 * at)) & 63;
            text.extend(DIGITS.get(digit as usize).map(|digit| char::from(*digit)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_that_of_the_standard() {
        // The example in appendix B of RFC 7636.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = base64url(digest(&SHA256, verifier.as_bytes()).as_ref());
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        // Of RFC 4648.
        for (plain, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
        ] {
            assert_eq!(base64url(plain.as_bytes()), text);
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn what_is_not_for_an_attempt_is_not_taken() {
        let settings = FetchSettings::default();
        let attempt = LoginAttempt::begin(&settings, "http://127.0.0.1:1/").expect("begun");
        let other = LoginAttempt::begin(&settings, "http://127.0.0.1:1/").expect("begun");
        assert!(attempt.state != other.state && attempt.verifier != other.verifier);
        assert!(!attempt.address.contains(&attempt.verifier));
        assert_eq!((attempt.state.len(), attempt.verifier.len()), (43, 43));
        let state = &attempt.state;
        let code = LoginCallback::Code(LoginCode("abc".to_owned()));
        assert_eq!(attempt.read(&format!("code=abc&state={state}")), code);
        assert_eq!(
            attempt.read(&format!("error=access_denied&state={state}")),
            LoginCallback::Refused
        );
        for query in [
            String::new(),
            "code=abc".to_owned(),
            "code=abc&state=".to_owned(),
            format!("code=abc&state={}", other.state),
            format!("code=abc&state={state}x"),
            format!("code=abc&state={state}&state={state}"),
            format!("code=abc&code=def&state={state}"),
            format!("code=a%26b&state={state}"),
            format!("code=&state={state}"),
            format!("code=abc&error=x&state={state}"),
            format!("code={}&state={state}", "a".repeat(513)),
        ] {
            assert_eq!(attempt.read(&query), LoginCallback::Foreign, "{query}");
        }
        let mut open = FetchSettings::default();
        open.set_host("lichess=http://lichess.example")
            .expect("an address");
        assert!(LoginAttempt::begin(&open, "http://127.0.0.1:1/").is_err());
    }
}
