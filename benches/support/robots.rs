//! robots.txt files, real or generated, and paths for rulings of these files.

use crate::real;

/// Returns real robots.txt files if they are available, or else generated ones.
pub(crate) fn files() -> Vec<Vec<u8>> {
    let files = real::robots();
    if files.is_empty() {
        (0..500).map(made).collect()
    } else {
        files
    }
}

/// Returns paths about which a robots.txt file is asked. Some are those that every site has, others
/// are in the rules of the file.
pub(crate) fn paths(file: &[u8]) -> Vec<String> {
    let fixed = [
        "/",
        "/index.html",
        "/search?q=x",
        "/a/b/c.html",
        "/img/logo.png",
        "/wp-admin/",
        "/user/login",
    ];
    let text = String::from_utf8_lossy(file);
    let own = text.lines().filter_map(|line| {
        line.split_once(':')
            .map(|(_, value)| value.trim().to_owned())
    });
    let own = own
        .filter(|path| path.starts_with('/'))
        .map(|path| path.replace('*', "x").replace('$', ""));
    fixed
        .into_iter()
        .map(str::to_owned)
        .chain(own.take(20))
        .collect()
}

/// Returns a generated robots.txt that is typical of a site.
fn made(number: usize) -> Vec<u8> {
    let mut file = "# robots.txt\nUser-agent: *\nCrawl-delay: 10\n".to_owned();
    for rule in 0..number % 60 {
        file.push_str(&format!(
            "Disallow: /section{rule}/*/print$\nAllow: /section{rule}/open/\n"
        ));
    }
    file.push_str(
        "\nUser-agent: BadBot\nDisallow: /\n\nSitemap: https://site.example/sitemap.xml\n",
    );
    file.into_bytes()
}
