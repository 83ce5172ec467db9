//! Decides to which IP addresses a request may be sent. The hosts that archives and redirects name
//! must not lead into a private network.
//!
//! A host name is resolved once for each request, and only checked addresses are given to the HTTP
//! client. So the client connects to a checked address, even if the name resolves to another one a
//! moment later. An address is public if it is global unicast by IANA's special-purpose registries.
//! An address that embeds another one (6to4, NAT64) is judged by the embedded address. The client
//! uses no proxy. This module never trusts a name, and never tells a caller why an address was
//! refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::{fmt, io};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Function that resolves a host name to socket addresses. The arguments are the host name, and the
/// port that the socket addresses get.
type Lookup = dyn Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync;
type AllowedAddresses = dyn Fn(IpAddr) -> bool + Send + Sync;

/// A resolver of host names that returns only addresses to which a request may be sent.
#[derive(Clone, Default)]
pub(super) struct Addresses {
    /// Function that resolves host names. `None` for the system's resolver.
    pub(super) lookup: Option<Arc<Lookup>>,
    pub(super) allow_private: bool,
    /// Predicate for addresses to which requests may be sent although they are not public.
    pub(super) also: Option<Arc<AllowedAddresses>>,
}

impl fmt::Debug for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Addresses")
            .field("allow_private", &self.allow_private)
            .finish_non_exhaustive()
    }
}

impl Addresses {
    fn may_ask(&self, address: IpAddr) -> bool {
        self.allow_private
            || is_public(address)
            || self.also.as_ref().is_some_and(|also| also(address))
    }

    fn found(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<Vec<SocketAddr>, Error> {
        let host = uri.host().ok_or(Error::HostNotFound)?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let port = uri
            .port_u16()
            .unwrap_or(if uri.scheme_str() == Some("https") {
                443
            } else {
                80
            });
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        if !self.allow_private && is_local_name(host) {
            return Err(Error::HostNotFound);
        }
        match &self.lookup {
            Some(lookup) => Ok(lookup(host, port)?),
            None => Ok(DefaultResolver::default()
                .resolve(uri, config, timeout)?
                .iter()
                .copied()
                .collect()),
        }
    }
}

impl Resolver for Addresses {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let mut checked = self.empty();
        let found = self.found(uri, config, timeout)?;
        // `ResolvedSocketAddrs` holds at most 16 addresses.
        for address in found
            .into_iter()
            .filter(|address| self.may_ask(address.ip()))
            .take(16)
        {
            checked.push(address);
        }
        if checked.is_empty() {
            Err(Error::HostNotFound)
        } else {
            Ok(checked)
        }
    }
}

/// True if `host` is a name of the local machine, such as `localhost` (RFC 6761, section 6.3). The
/// name is not resolved to an address.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost") || host == "localhost.localdomain"
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// IPv4 networks that are not public: network address, and length of the prefix in bits.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(network, bits): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (32 - bits) == 0
    };
    !SPECIAL_V4.iter().any(is_in)
}

/// True if the IPv6 address is public. Public addresses are in `2000::/3`, but some networks in
/// this range are not public. A NAT64 or 6to4 address embeds an IPv4 address, and is public if the
/// IPv4 address is public. The other forms with an IPv4 address (`::ffff:a.b.c.d`, `::a.b.c.d`) are
/// never public.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let words = address.segments();
    let v4 = |high: u16, low: u16| {
        is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
    };
    match words {
        // NAT64: a network without IPv4 reaches IPv4 addresses through this prefix.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        // 6to4.
        [0x2002, high, low, ..] => v4(high, low),
        // Protocol assignments: Teredo, benchmarks, identifiers that are no addresses.
        [0x2001, second, ..] if second < 0x200 => false,
        // Documentation.
        [0x2001, 0xdb8, ..] => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIAL: &str = "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 \
        172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.1 198.51.100.1 203.0.113.1 224.0.0.1 \
        239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 fc00::1 fdff::1 fe80::1 \
        fec0::1 ff02::1 100::1 64:ff9b::10.0.0.1 64:ff9b::127.0.0.1 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:c0a8:101::1 2001::1 \
        2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:db8::1 3fff::1 3fff:fff::1 5f00::1 4000::1";
    const PUBLIC: &str = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.0.0.1 128.0.0.1 172.15.0.1 \
        172.32.0.1 192.0.1.1 192.167.0.1 198.17.0.1 198.20.0.1 223.255.255.1 2606:4700::1111 2a00:1450::1 2001:200::1 \
        2001:4860:4860::8888 64:ff9b::8.8.8.8 2002:808:808::1 3fff:1000::1";

    #[test]
    fn only_global_unicast_is_public() {
        for (addresses, expected) in [(SPECIAL, false), (PUBLIC, true)] {
            for text in addresses.split_whitespace() {
                assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");
            }
        }
    }

    #[test]
    fn names_of_this_machine_are_no_names_of_sites() {
        for name in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "localhost.localdomain",
        ] {
            assert!(is_local_name(name), "{name}");
        }
        assert!(!is_local_name("localhost.example") && !is_local_name("mylocalhost"));
    }
}
