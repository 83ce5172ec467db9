//! Generates random pages from pieces, for property tests.

#![allow(dead_code, reason = "each test uses its part")]

use proptest::prelude::*;

/// Pieces of sloppy HTML, with all kinds of statements about the use of a page.
pub(crate) const PIECES: [&str; 58] = [
    "<!-- robots content=\"noindex\" -->",
    "<!-- robots content=\"nofollow\" -->",
    "<!-- robots content=none -->",
    "<!-- robots content=\"all\" -->",
    "<!-- /robots -->",
    "<!-- note -->",
    "<meta name=robots content=nosnippet>",
    "<meta name=robots content='max-snippet:9'>",
    "<meta name=description content='told in short'>",
    "<meta name=barbot content=noindex>",
    "<base href='/base/'>",
    "<a href=one>",
    "<a href=two rel='nofollow noopener'>",
    "</a>",
    "<p>",
    "</p>",
    "<b>",
    "</i>",
    "<h2>",
    "</h3>",
    "<img alt='a picture' src=p.png>",
    "<title>a title</title>",
    "<script>'<!-- robots content=none -->'</script>",
    "<noscript><meta name=robots content=noarchive></noscript>",
    "<template><a href=three>",
    "</template>",
    "<textarea>",
    "</textarea>",
    "<svg><title>",
    "</title></svg>",
    "<td>",
    "</td>",
    "<br>",
    "<b class=robots-noindex>",
    "<i class='robots-index'>",
    "<div class=\"robots-nofollow robots-noarchive\">",
    "<p class='robots-noindex robot1-index'>",
    "<span class='robot2-noindex robots&#45;follow'>",
    "<br class=robots-noindex>",
    "</b>",
    "</div>",
    "</span>",
    "<table>",
    "</table>",
    "<head profile='http://example.org/xmdp/robots-profile#'>",
    "<meta name=RobotExclusion.RobotName1 content=FooBot>",
    "<meta name=RobotExclusion.RobotName2 content=BarBot>",
    "<link rel=RobotExclusion.Names href=bots>",
    "<body class=robots-nofollow>",
    "&amp;",
    "&#x41",
    "<",
    "</",
    "-->",
    "\u{0}",
    "é",
    "\r\n",
    " ",
];

/// Generates one of the [`PIECES`], or a word.
pub(crate) fn piece() -> impl Strategy<Value = String> {
    prop_oneof![3 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => "[a-z]{1,6}"]
}

/// Generates a page that consists of several of the [`PIECES`].
pub(crate) fn html() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}
