//! Example that reads a page once for several bots.
//!
//! This example is for crawls that serve more than one bot: each bot gets what it may have.
//!
//! `cargo run -p heedful --example several_bots`

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{Bot, Filter, Use};

const PAGE: &str = r#"
    <head profile="http://example.org/xmdp/robots-profile#">
    <meta name="robotexclusion.robotname1" content="NewsBot">
    <meta name="archivebot" content="noarchive"><title>Rye</title></head>
    <p>Dark rye. <p class="robot1-noindex">Prices change every day.</p> <a href="/order">Order here</a>"#;

fn main() -> heedful::Result<()> {
    let bots = ["SearchBot", "NewsBot", "ArchiveBot"]
        .map(Bot::new)
        .into_iter()
        .collect::<Result<_, _>>()?;
    let filter = Filter::for_bots(bots)?;
    let mut pass = filter.open("https://bakery.example/rye")?;
    pass.header("X-Robots-Tag", "newsbot: nofollow");
    pass.write(PAGE.as_bytes())?;
    for page in pass.end_each()? {
        let follow = page.links().iter().filter(|link| link.may_follow()).count();
        println!("{}: {:?}", page.bot().name(), page.phrases());
        println!(
            "  follows {follow} of {} links, may keep a copy: {}",
            page.links().len(),
            page.policy().allows(Use::Archive)
        );
    }
    Ok(())
}
