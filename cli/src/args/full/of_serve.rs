//! Arguments of `heedful serve`, the program as an HTTP service.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heedful::Url;

use crate::run_args::{jobs_count, limit};
use crate::terms_args::TermsArgs;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// An index to search
    #[arg(value_name = "INDEX")]
    pub(crate) index: Option<PathBuf>,
    /// The address to listen on; any but that of loopback can be reached from other machines
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = address)]
    pub(crate) listen: IpAddr,
    /// The port; 0 takes a free one, which is printed
    #[arg(short, long, value_name = "N", default_value_t = 4333)]
    pub(crate) port: u16,
    /// The port for cached copies of pages. It differs from --port, so that copies have another
    /// origin than the search page [default: the next port, or a free port with --port 0]
    #[arg(long, value_name = "N", requires = "index")]
    pub(crate) copies_port: Option<u16>,
    /// The URL by which browsers reach the port for copies through a proxy, such as
    /// `https://copies.example` [default: the host of the request, with the port for copies]
    #[arg(long, value_name = "URL", requires = "index")]
    pub(crate) copies_url: Option<Url>,
    /// A host name that clients use for the service, in addition to `localhost`. May be repeated;
    /// needed if --listen is not loopback
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    /// Number of pages judged at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs_count, help_heading = "Run")]
    pub(crate) jobs: Option<usize>,
    /// Log each request on standard output, as a line of JSON without query strings and addresses
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = "Run")]
    pub(crate) log: Option<LogFormat>,
    /// Set a limit: NAME=N, also with K, M or G (1,024 of each); `heedful limits` lists them. May
    /// be repeated
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = "Run")]
    pub(crate) limit: Vec<(String, u64)>,
}

/// The formats of the log of requests.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogFormat {
    Json,
}

/// Parses the value of `--listen`, which is an IP address without a port.
fn address(value: &str) -> Result<IpAddr, String> {
    if let Ok(both) = value.parse::<SocketAddr>() {
        return Err(format!(
            "the port is an option of its own: --listen {} --port {}",
            both.ip(),
            both.port()
        ));
    }
    value
        .parse()
        .map_err(|_| "not an IP address, such as 127.0.0.1 or ::".to_owned())
}
