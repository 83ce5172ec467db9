//! Example that adds a convention which heedful does not know.
//!
//! Conventions of your own are useful for site search and intranets. They can apply to a region
//! between two comments, to the elements that a selector matches, or to all pages whose URL matches
//! a pattern. The rules can also be in a file, which the program reads too. Its option is
//! `--convention-file FILE`.
//!
//! `cargo run -p heedful --example own_convention`

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{Bot, Conventions, Filter, Uses};

fn main() -> heedful::Result<()> {
    let conventions = Conventions::default()
        .region("nosearch", "/nosearch", Uses::parse("noindex")?)?
        .element(
            "nav, .cookie-banner, [data-search=off]",
            Uses::parse("noindex,nofollow")?,
        )?
        .page("/print/*", Uses::parse("none")?)?;
    let filter = Filter::new(Bot::new("SiteSearch")?).conventions(conventions);

    let html = b"<nav><a href=/all>All</a></nav><p>Dark rye.<!--nosearch--> Only today! <!--/nosearch--><p data-search=off>Cookies";
    let page = filter.page("https://bakery.example/rye", &[], html)?;
    println!("{:?}", page.phrases());
    for exclusion in page.exclusions() {
        println!(
            "withheld from {}: {}",
            exclusion.usage().name(),
            exclusion.directive().text()
        );
    }
    let print = filter.page("https://bakery.example/print/rye", &[], html)?;
    println!("the page for printers: {:?}", print.phrases());
    Ok(())
}
