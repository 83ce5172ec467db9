//! `heedful limits`: prints the table of all limits.

use std::io::Write;

use heedful::{LIMITS, Limit, Limits, Result};
use heedful_json as json;
use heedful_json::LimitJson;

use crate::args::LimitsArgs;
use crate::ending::{RunEnding, written};
use crate::output::{self, BOLD, DIM, Format, styled};
use crate::run_args::limits;

pub(crate) fn run(args: &LimitsArgs) -> Result<RunEnding> {
    let limits = limits(args.memory, &args.limit)?;
    let mut out = output::stdout(args.format);
    for limit in LIMITS {
        let line = match args.format {
            Format::Json => json::line(&LimitJson::new(limit, &limits)),
            Format::Text => entry(limit, &limits),
        };
        written(writeln!(out, "{line}"))?;
    }
    written(out.flush())?;
    Ok(RunEnding::Yes)
}

/// Formats a limit. The first line has its name, value and scope, and the second line has its
/// meaning. `limits` has the value.
fn entry(limit: &Limit, limits: &Limits) -> String {
    let name = styled(BOLD, &format!("{:<18}", limit.name()));
    let value = limit.format_value(limit.value(limits));
    let meaning = styled(DIM, limit.meaning());
    format!(
        "{name} {value:>12}  {}\n    {meaning}",
        limit.scope().name()
    )
}
