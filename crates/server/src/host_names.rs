//! The names and addresses that the server answers for, and what a proxy in front of it reports about its clients.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, StatusCode, header};
use tabiya_model::{Error, Result};

use crate::answer::Refusal;
use crate::error_codes;

/// The longest name.
const LONGEST: usize = 253;

/// Both ends of a connection.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ConnectionEnds {
    pub(crate) peer: IpAddr,
    pub(crate) local: IpAddr,
}

impl ConnectionEnds {
    /// An address of version 4 is the same one where it is written as one of version 6.
    pub(crate) fn new(peer: SocketAddr, local: SocketAddr) -> ConnectionEnds {
        ConnectionEnds {
            peer: peer.ip().to_canonical(),
            local: local.ip().to_canonical(),
        }
    }
}

/// A name, and a port where one was said.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostName {
    name: String,
    port: Option<u16>,
}

impl HostName {
    /// Reads `name`, `name:port`, `1.2.3.4:port` and `[::1]:port`.
    fn read(text: &str) -> Option<HostName> {
        if let Some(inner) = text.strip_prefix('[') {
            let (ip, rest) = inner.split_once(']')?;
            let ip: std::net::Ipv6Addr = ip.parse().ok()?;
            let port = match rest {
                "" => None,
                rest => Some(port(rest.strip_prefix(':')?)?),
            };
            return Some(HostName {
                name: format!("[{ip}]"),
                port,
            });
        }
        let (name, port) = match text.split_once(':') {
            None => (text, None),
            Some((name, number)) => (name, Some(port(number)?)),
        };
        let is_name = !name.is_empty()
            && name.len() <= LONGEST
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        is_name.then(|| HostName {
            name: name.to_ascii_lowercase(),
            port,
        })
    }

    /// The address, where it is one.
    fn ip(&self) -> Option<IpAddr> {
        let inner = self
            .name
            .strip_prefix('[')
            .and_then(|it| it.strip_suffix(']'));
        inner.unwrap_or(&self.name).parse().ok()
    }
}

/// A port as addresses have it: digits alone.
fn port(text: &str) -> Option<u16> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// What the server answers for.
#[derive(Clone, Debug)]
pub(crate) struct HostNames {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    names: Vec<HostName>,
    proxy: Option<IpAddr>,
}

/// How a request has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestOrigin {
    /// The host as the browser sees it.
    host: String,
    /// Whether the browser speaks TLS, to the proxy in front.
    pub(crate) is_secure: bool,
}

impl RequestOrigin {
    /// The address of the server as the browser sees it.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        format!("{scheme}://{}", self.host)
    }

    /// Whether the browser is on this machine, as far as it can be seen.
    pub(crate) fn is_here(&self) -> bool {
        let name = match self.host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or(rest),
            None => self.host.split(':').next().unwrap_or(&self.host),
        };
        !self.is_secure && matches!(name, "127.0.0.1" | "localhost" | "::1")
    }
}

fn refused(status: StatusCode, message: &str) -> Refusal {
    Refusal::new(status, &error_codes::WRONG_HOST, message)
}

impl HostNames {
    /// Of a server that listens; other names are as a user has said them.
    pub(crate) fn new(
        address: SocketAddr,
        names: &[String],
        proxy: Option<IpAddr>,
    ) -> Result<HostNames> {
        let names = names.iter().map(|text| {
            let bare: Option<std::net::Ipv6Addr> = text.parse().ok();
            let text = bare.map_or(text.clone(), |ip| format!("[{ip}]"));
            HostName::read(&text).ok_or_else(|| {
                Error::new(&error_codes::BAD_HOST_NAME, format!(
                    "`{}` is not a host name: give it as in the address, without https:// and the rest",
                    text.escape_default()
                ))
            })
        });
        let names = names.collect::<Result<Vec<HostName>>>()?;
        if proxy.is_some() && names.is_empty() {
            return Err(Error::new(
                &error_codes::BAD_HOST_NAME,
                "a proxy needs the name by which it is reached (--host-name)",
            ));
        }
        Ok(HostNames {
            address,
            names,
            proxy: proxy.map(|ip| ip.to_canonical()),
        })
    }

    /// The server as a browser of this machine sees it.
    pub(crate) fn local_origin(&self) -> RequestOrigin {
        let address = if self.address.ip().is_unspecified() {
            SocketAddr::new(IpAddr::from([127, 0, 0, 1]), self.address.port())
        } else {
            self.address
        };
        RequestOrigin {
            host: address.to_string(),
            is_secure: false,
        }
    }

    /// The server as others see it, by each of the names.
    pub(crate) fn others(&self) -> Vec<String> {
        let is_secure = self.proxy.is_some();
        let all = self.names.iter().map(|name| {
            let port = name.port.or((!is_secure).then_some(self.address.port()));
            let host = match port {
                Some(port) => format!("{}:{port}", name.name),
                None => name.name.clone(),
            };
            RequestOrigin { host, is_secure }.origin()
        });
        all.collect()
    }

    /// How a request has come, or why it is not answered.
    pub(crate) fn origin_of(
        &self,
        ends: Option<ConnectionEnds>,
        headers: &HeaderMap,
        target: Option<&str>,
    ) -> std::result::Result<RequestOrigin, Refusal> {
        let one = |name: &str| -> std::result::Result<Option<&str>, ()> {
            let mut all = headers.get_all(name).iter();
            let first = all.next().map(|value| value.to_str().map_err(|_| ()));
            match all.next() {
                None => first.transpose(),
                Some(_) => Err(()),
            }
        };
        let Ok(Some(host)) = one(header::HOST.as_str()) else {
            return Err(refused(
                StatusCode::BAD_REQUEST,
                "the request must name one host",
            ));
        };
        let is_proxy = self.proxy.is_some() && ends.map(|ends| ends.peer) == self.proxy;
        let said = [
            "x-forwarded-proto",
            "x-forwarded-host",
            "x-forwarded-for",
            "forwarded",
        ];
        let misdirected = || {
            refused(
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not answer for that host",
            )
        };
        // Whoever is not the proxy can say what he wants: it is not looked at.
        if is_proxy && said.iter().any(|name| headers.contains_key(*name)) {
            let (Ok(scheme), Ok(outer)) = (one("x-forwarded-proto"), one("x-forwarded-host"))
            else {
                return Err(refused(
                    StatusCode::BAD_REQUEST,
                    "the proxy has sent contradictory headers",
                ));
            };
            if scheme.is_none_or(|scheme| !scheme.eq_ignore_ascii_case("https")) {
                return Err(refused(
                    StatusCode::FORBIDDEN,
                    "through the proxy only https is allowed; it must send X-Forwarded-Proto",
                ));
            }
            let host = outer.unwrap_or(host);
            if !self.is_outer(host) {
                return Err(misdirected());
            }
            return Ok(RequestOrigin {
                host: host.to_owned(),
                is_secure: true,
            });
        }
        // A target with a host of its own counts more than the header.
        if [Some(host), target]
            .into_iter()
            .flatten()
            .any(|host| !self.is_direct(host, ends))
        {
            return Err(misdirected());
        }
        Ok(RequestOrigin {
            host: host.to_owned(),
            is_secure: false,
        })
    }

    /// Whether it answers for a host by which the proxy is reached.
    fn is_outer(&self, host: &str) -> bool {
        let Some(asked) = HostName::read(host) else {
            return false;
        };
        self.names.iter().any(|name| {
            name.name == asked.name && name.port.unwrap_or(443) == asked.port.unwrap_or(443)
        })
    }

    /// Whether it answers for a host by which it is reached itself: this machine, the address at which the connection has come
    /// in, and the names that were told. A name that somebody else has pointed here is none of them.
    fn is_direct(&self, host: &str, ends: Option<ConnectionEnds>) -> bool {
        let Some(asked) = HostName::read(host) else {
            return false;
        };
        let own = self.address.port();
        let asked_port = asked.port.unwrap_or(80);
        if asked_port == own {
            let is_here = matches!(asked.name.as_str(), "127.0.0.1" | "localhost" | "[::1]");
            let ip = asked.ip().map(|ip| ip.to_canonical());
            let is_its_address = ip.is_some()
                && (ip == Some(self.address.ip().to_canonical())
                    || ip == ends.map(|ends| ends.local));
            if is_here || is_its_address {
                return true;
            }
        }
        // Names that belong to the proxy are reached through it.
        self.proxy.is_none()
            && self
                .names
                .iter()
                .any(|name| name.name == asked.name && name.port.unwrap_or(own) == asked_port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(address: &str, names: &[&str], proxy: Option<&str>) -> HostNames {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let proxy = proxy.map(|ip| ip.parse().expect("an address"));
        HostNames::new(address.parse().expect("an address"), &names, proxy).expect("names")
    }

    fn ends(peer: &str, local: &str) -> Option<ConnectionEnds> {
        let end = |text: &str| format!("{text}:5").parse().expect("an address");
        Some(ConnectionEnds::new(end(peer), end(local)))
    }

    fn status(names: &HostNames, ends: Option<ConnectionEnds>, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().expect("a name");
            map.append(name, value.parse().expect("a value"));
        }
        match names.origin_of(ends, &map, None) {
            Ok(visit) if visit.is_secure => 1,
            Ok(_) => 0,
            Err(refusal) => refusal.status.as_u16(),
        }
    }

    #[test]
    fn an_address_of_the_machine_is_answered_and_a_name_that_was_not_told_is_not() {
        let all = names("0.0.0.0:8090", &[], None);
        let came = ends("192.168.1.7", "192.168.1.2");
        for (host, wanted) in [
            ("192.168.1.2:8090", 0),
            ("127.0.0.1:8090", 0),
            ("LOCALHOST:8090", 0),
            ("192.168.1.3:8090", 421),
            ("192.168.1.2:8091", 421),
            ("192.168.1.2", 421),
            ("chess.example:8090", 421),
            ("192.168.1.2:08090x", 421),
            ("192.168.1.2:+8090", 421),
            ("a@192.168.1.2:8090", 421),
            ("", 421),
        ] {
            assert_eq!(status(&all, came, &[("host", host)]), wanted, "{host}");
        }
        let six = Some(ConnectionEnds::new(
            "[::ffff:10.0.0.7]:9".parse().expect("an address"),
            "[::ffff:10.0.0.2]:80".parse().expect("an address"),
        ));
        let all = names("[::]:80", &["Chess.Example", "other.example:81"], None);
        for (host, wanted) in [
            ("10.0.0.2", 0),
            ("10.0.0.2:80", 0),
            ("[::ffff:10.0.0.2]:80", 0),
            ("chess.example", 0),
            ("chess.example:80", 0),
            ("chess.example:81", 421),
            ("other.example:81", 0),
            ("other.example", 421),
            ("x.chess.example", 421),
        ] {
            assert_eq!(status(&all, six, &[("host", host)]), wanted, "{host}");
        }
        assert_eq!(
            all.others(),
            ["http://chess.example:80", "http://other.example:81"]
        );
    }

    #[test]
    fn only_the_proxy_is_believed() {
        let all = names(
            "127.0.0.1:8090",
            &["chess.example", "b.example:8443"],
            Some("10.0.0.9"),
        );
        assert_eq!(
            all.others(),
            ["https://chess.example", "https://b.example:8443"]
        );
        let proxy = ends("10.0.0.9", "10.0.0.2");
        let other = ends("10.0.0.8", "10.0.0.2");
        let secure = ("x-forwarded-proto", "https");
        for (from, headers, wanted) in [
            (proxy, vec![("host", "chess.example"), secure], 1),
            (proxy, vec![("host", "b.example:8443"), secure], 1),
            (proxy, vec![("host", "b.example"), secure], 421),
            (proxy, vec![("host", "chess.example:8090"), secure], 421),
            (proxy, vec![("host", "10.0.0.2:8090"), secure], 421),
            (
                proxy,
                vec![("host", "x"), ("x-forwarded-host", "chess.example"), secure],
                1,
            ),
            (
                proxy,
                vec![
                    ("host", "chess.example"),
                    ("x-forwarded-host", "evil.example"),
                    secure,
                ],
                421,
            ),
            (
                proxy,
                vec![("host", "chess.example"), ("x-forwarded-proto", "http")],
                403,
            ),
            (
                proxy,
                vec![("host", "chess.example"), ("x-forwarded-for", "1.2.3.4")],
                403,
            ),
            (
                proxy,
                vec![
                    ("host", "chess.example"),
                    secure,
                    ("x-forwarded-proto", "http"),
                ],
                400,
            ),
            (proxy, vec![("host", "chess.example")], 421),
            (other, vec![("host", "chess.example"), secure], 421),
            (
                other,
                vec![("host", "x"), ("x-forwarded-host", "chess.example"), secure],
                421,
            ),
            (other, vec![("host", "10.0.0.2:8090"), secure], 0),
            (None, vec![("host", "chess.example"), secure], 421),
        ] {
            assert_eq!(status(&all, from, &headers), wanted, "{headers:?}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused_at_the_start() {
        let address = "127.0.0.1:1".parse().expect("an address");
        for name in [
            "",
            "*",
            "https://x",
            "x/y",
            "x:0x1",
            "x:65536",
            "a b",
            "[::1",
            "x:",
        ] {
            let names = [name.to_owned()];
            assert!(HostNames::new(address, &names, None).is_err(), "{name}");
        }
        assert!(HostNames::new(address, &["::1".to_owned()], None).is_ok());
        assert!(
            HostNames::new(address, &[], Some("127.0.0.1".parse().expect("an address"))).is_err()
        );
    }
}
