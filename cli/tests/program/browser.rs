//! Opens the output of `explain --html` for hostile pages in Chromium. The output runs no script,
//! loads nothing, and shows the whole source of the page.
//!
//! Without Chromium the tests print that it is missing and pass; with `HEEDFUL_BROWSER=1` they fail
//! instead. A listener in the test notices any request, and any script that runs changes the opened
//! page. Pages without protection prove that the tests notice both.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::devtools::Browser;

/// Hostile fragments of pages. `{U}` is replaced by the address of the listener, `{R}` by the
/// script [`MARK`], whose run the tests notice.
const HOSTILE: &[&str] = &[
    // Scripts and handlers.
    "<script>{R}</script>",
    "<script src=\"{U}/script\"></script><script type=module src={U}/module></script>",
    "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"{U}/rules\"]}],\"prerender\":[{\"urls\":[\"{U}/rules\"]}]}</script>",
    "<img src=x onerror=\"{R}\"><body onload=\"{R}\" onpageshow=\"{R}\" onhashchange=\"{R}\">",
    "<style>@keyframes k{}</style><p style=\"animation:k 1ms\" onanimationstart=\"{R}\" onanimationend=\"{R}\">",
    "<details open ontoggle=\"{R}\"><summary>s</summary>d</details>",
    "<input autofocus onfocus=\"{R}\"><select autofocus onfocus=\"{R}\"></select><p tabindex=1 autofocus onfocus=\"{R}\">",
    "<svg onload=\"{R}\"><script>{R}</script><animate onbegin=\"{R}\" attributeName=x dur=1s /></svg>",
    "<svg><style><img src=x onerror=\"{R}\"></style><a xlink:href=\"javascript:{R}\"><text y=20>t</text></a></svg>",
    "<math><mi xlink:href=\"javascript:{R}\" href=\"{U}/math\">m</mi><mtext><script>{R}</script></mtext></math>",
    "<math><annotation-xml encoding=text/html><script>{R}</script></annotation-xml><mtext><table><mglyph><img title=\"--&gt;&lt;img src=1 onerror={R}&gt;\">",
    "<noscript><p title=\"</noscript><img src=x onerror='{R}'>\"></noscript>",
    "<video src=x onerror=\"{R}\" controls></video><audio src=x onerror=\"{R}\"></audio><object data=x onerror=\"{R}\"></object>",
    // Elements that might end the source or the frame.
    "</textarea><script>{R}</script>",
    "</iframe><script>{R}</script>",
    "</style></script></title></xmp></noembed></noscript></noframes></plaintext><script>{R}</script>",
    "</span></div></section></aside></main></details></svg></math></template></select></table><script>{R}</script>",
    "--><script>{R}</script><!-- --!><script>{R}</script>",
    "]]><script>{R}</script><![CDATA[<script>{R}</script>]]><svg><![CDATA[</svg><script>{R}</script>]]></svg>",
    "<?xml version=\"1.0\"?><!DOCTYPE html [<!ENTITY x \"<script>{R}</script>\">]>&x;<?php {R} ?><% {R} %>",
    "<plaintext></plaintext><script>{R}</script>",
    "<textarea>&lt;/textarea&gt;<script>{R}</script>",
    // Attempts to break out of attributes.
    "\"><script>{R}</script>'><script>{R}</script>`><script>{R}</script>",
    "&quot;&gt;&lt;script&gt;{R}&lt;/script&gt; &#34;&#62;&#60;script&#62;{R}&#60;/script&#62; &#x22;&#x3E;&#x3c;script>{R}",
    "&amp;quot;&amp;gt;&amp;lt;script&amp;gt;{R}&amp;lt;/script&amp;gt; &amp;amp;quot; &QUOT;&GT;&LT;script&GT; &lt &gt &quot",
    "\" onload=\"{R}\" x=\"' onmouseover='{R}' x='&quot; sandbox=&quot;allow-scripts allow-same-origin",
    "<iframe srcdoc=\"<script>{R}</script><link rel=preconnect href='{U}/srcdoc'><img src='{U}/srcdoc'>\"></iframe>",
    "<iframe srcdoc=\"&lt;iframe srcdoc=&quot;&amp;lt;script&amp;gt;{R}&amp;lt;/script&amp;gt;&quot;&gt;\"></iframe>",
    "<p title='a\nb' class=\"\">{{ url }}{% include \"x\" %}${7*7}#{7*7}<%= 7*7 %>\\u003cscript\\u003e{R}\\u003c/script\\u003e",
    // Resources that a page loads.
    "<img src=\"{U}/img\" srcset=\"{U}/set 2x\" style=\"background:url({U}/style)\"><picture><source srcset={U}/source></picture>",
    "<style>@import \"{U}/import\";@import url({U}/import2);@font-face{font-family:f;src:url({U}/font)}\
     *{font-family:f;background:url({U}/css);cursor:url({U}/cursor),auto;list-style:url({U}/list)}p::before{content:url({U}/content)}</style>",
    "<link rel=stylesheet href={U}/css><link rel=icon href={U}/icon><link rel=manifest href={U}/m><link rel=preload as=image href={U}/p>",
    "<link rel=preconnect href={U}/><link rel=dns-prefetch href={U}/><LINK REL=prefetch HREF={U}/p><link\nrel=modulepreload href={U}/mp>",
    "<link/rel=prerender href={U}/p><link\x0Crel=preconnect href={U}/><link\rrel=preconnect href={U}/>",
    "<video autoplay muted poster={U}/poster src={U}/video><track default src={U}/track></video><audio autoplay src={U}/audio></audio>",
    "<iframe src={U}/iframe></iframe><iframe\tloading=eager src={U}/iframe2></iframe><iframe src=\"javascript:{R}\"></iframe>",
    "<!DOCTYPE html><title>t</title><frameset cols=*><frame src={U}/frame></frameset>",
    "<svg><foreignObject><iframe src={U}/foreign></iframe></foreignObject><image href={U}/i /><use href={U}/use#a /></svg>",
    "<object type=text/html data={U}/object></object><embed type=text/html src={U}/embed><applet code={U}/a></applet><bgsound src={U}/b>",
    "<form id=f action={U}/form target=_top><input autofocus name=q><input type=image src={U}/input><button>b</button></form>",
    "<body background={U}/bg><table background={U}/table><td background={U}/td>t</table><portal src={U}/portal></portal>",
    "<template shadowrootmode=open><link rel=preconnect href={U}/shadow><script>{R}</script></template>",
    "<a ping={U}/ping href={U}/a>a</a><a href=\"javascript:{R}\">j</a><a href=\"data:text/html,<script>{R}</script>\">d</a><a href=\" java\nscript:{R}\">s</a>",
    // Elements that affect the whole page.
    "<!DOCTYPE html><html manifest={U}/manifest><meta http-equiv=refresh content=\"0;url={U}/refresh\"><title>t</title>r",
    "<meta http-equiv=refresh content=\"0;url=javascript:{R}\"><meta http-equiv=refresh content=\"0;data:text/html,<script>{R}</script>\">",
    "<base href={U}/base/ target=_top><img src=relative><a href=relative>a</a><link rel=stylesheet href=relative.css>",
    "<meta http-equiv=Content-Security-Policy content=\"default-src * 'unsafe-inline'\"><script>{R}</script><img src={U}/img>",
    "<meta http-equiv=x-dns-prefetch-control content=on><meta http-equiv=set-cookie content=a=b><meta http-equiv=link content=\"<{U}/l>; rel=preconnect\">",
    "<meta charset=utf-7>+ADw-script+AD4-{R}+ADw-/script+AD4-",
    // Odd characters.
    "NUL \0 <scr\0ipt>{R}</script> \x01\x02\x08\x0B\x0C\x0E\x1B[31m\x1F\x7F\u{80}\u{85}\u{9F} <p title=\"\0\x01\">",
    "lone\rCR\r\rtwo\r\nCRLF\n\rLFCR\n\nend\r",
    "\u{2028}line\u{2029}paragraph \u{202E}tpircs\u{202C} \u{2066}isolate\u{2069} \u{200E}\u{200F}\u{61C}\u{200B}\u{FEFF}\u{AD}\u{180E}",
    "\u{E0001}\u{E0073}\u{FFF9}a\u{FFFA}b\u{FFFB} \u{3164}\u{115F}\u{FFA0}\u{34F} \u{E123}\u{E123}<!--\u{E123}--> \u{FFFD}\u{FFFE}\u{10FFFF}",
    "\u{FF1C}script\u{FF1E}{R}\u{FF1C}/script\u{FF1E} \u{2039}script\u{203A} e\u{301}\u{301}\u{301}\u{301} \u{1F469}\u{200D}\u{1F680}\u{FE0F}",
    "\u{5D0}\u{5D1} <b>\u{5D2}</b> \u{627}\u{644} 123 (abc) \tTab\t\tTabs   blanks  ",
    // A region, so that hostile text is beside a cut in a copy.
    "<p class=robots-noarchive>cut</p>\"><script>{R}</script><!--\u{E123}--><p class='robots-noarchive \"><script>{R}</script>'>cut</p>",
];

/// Hostile texts for the tests. A page has them in every position whose text an explanation shows
/// outside of the source.
const TEXTS: &[&str] = &[
    "\"><script>{R}</script>",
    "'><img src={U}/text onerror={R}>",
    "</title></style></script></textarea></iframe><script>{R}</script>",
    "</bdi></code></li></ol></summary></details></svg><script>{R}</script>",
    "--><script>{R}</script>",
    "&quot;&gt;&lt;script&gt;{R}&lt;/script&gt;&#34;&#39;&amp;lt;",
    "\" onmouseover=\"{R}\" onfocus=\"{R}\" autofocus tabindex=\"1",
    "' style='background:url({U}/text)' x='\x01\u{2028}\u{202E}\u{2066}",
    "javascript:{R}",
    "{U}/text\"><script>{R}</script>",
];

/// A script whose run the tests notice: it sets a variable and the page's title, sends a message to
/// the parent frame, and requests `{U}/ran`.
const MARK: &str =
    "ran=1;document.title=`RAN`;parent.postMessage(`RAN`,`*`);new Image().src=`{U}/ran`";

/// Script that inspects the page opened in the browser. The script first opens all frames and
/// waits. The script cannot look inside a frame, but counts the messages that scripts in frames
/// send.
const LOOK: &str = r"(async () => {
    const pause = time => new Promise(done => setTimeout(done, time));
    let called = 0;
    addEventListener('message', () => called++);
    for (const details of document.querySelectorAll('details')) details.open = true;
    for (const frame of document.querySelectorAll('iframe')) {
        frame.scrollIntoView();
        await pause(120);
    }
    await pause(50);
    const all = [...document.querySelectorAll('*')];
    const attributes = all.flatMap(element => [...element.attributes].map(one => [element.localName, one.name, one.value]));
    return {
        title: document.title, called, ran: 'ran' in window, scripts: document.scripts.length,
        rows: [...document.querySelectorAll('#source .row')].map(row => [row.classList.contains('more'), row.textContent]),
        elements: [...new Set(all.map(element => element.localName))],
        attributes: [...new Set(attributes.map(([, name]) => name))],
        addresses: attributes.filter(([, name]) => /^(href|src|action|data|ping|poster|background)$/.test(name)).map(one => one[2]),
        frames: [...document.querySelectorAll('iframe')].map(frame => frame.getAttribute('sandbox')),
        lost: [...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href')).filter(to => to[0] == '#' && !document.getElementById(to.slice(1))),
        styles: attributes.filter(([, name, value]) => name == 'style' && !/^counter-reset:line \d+$/.test(value)).length,
    };
})()";

const ELEMENTS: &str = "html head meta title style body a header p h1 h2 h3 bdi b nav div fieldset legend label input span main \
    section table thead tbody tr th td aside ol ul li code details summary mark iframe footer svg g text rect";

const ATTRIBUTES: &str = "lang charset http-equiv content name class href id aria-label aria-labelledby aria-hidden type checked \
    hidden scope tabindex role style title dir open sandbox loading referrerpolicy srcdoc viewbox viewBox transform x y width \
    height rx text-anchor";

/// A server that counts connections and never answers, so that the tests notice any loading.
struct Listener {
    url: String,
    count: Arc<AtomicUsize>,
}

impl Listener {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { url, count }
    }

    fn armed(&self, text: &str) -> String {
        text.replace("{R}", MARK).replace("{U}", &self.url)
    }

    fn count(&self) -> usize {
        std::thread::sleep(Duration::from_millis(500));
        self.count.load(Ordering::SeqCst)
    }
}

fn hostile_pages(listener: &Listener) -> Vec<String> {
    let page = |text: &&str| match text.starts_with("<!DOCTYPE html>") {
        true => (*text).to_owned(),
        false => format!("<!DOCTYPE html>\n<title>t</title>\n<body>{text}\n<p>the last"),
    };
    let plain = HOSTILE.iter().map(page);
    let long = format!(
        "<p class=\"{0}\" title='{0}<script>{{R}}</script>'>{0}<a rel=nofollow href=/far>far</a>",
        "x\">'".repeat(3000)
    );
    let texts = TEXTS.iter().map(|text| everywhere(text));
    let together = |text: &&&str| {
        ![
            "<frameset",
            "<plaintext",
            "<select",
            "<mglyph",
            "<textarea",
            "<!DOCTYPE",
        ]
        .iter()
        .any(|tag| text.contains(tag))
    };
    let all = HOSTILE
        .iter()
        .filter(together)
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    plain
        .chain([long, all])
        .chain(texts)
        .map(|page| listener.armed(&page))
        .collect()
}

/// Returns a page with `text` in every position that an explanation shows outside of the source.
fn everywhere(text: &str) -> String {
    let value = text
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;");
    format!(
        "<!DOCTYPE html><html lang=\"{value}\"><title>{value}</title><meta name=description content=\"{value}\">
<meta name=robots content=\"nosnippet, max-image-preview:{value}, {value}\"><meta name=robots content=\"unavailable_after: {value}\">
<meta name=\"foobot\" content=\"noimageindex {value}\"><meta name=\"{value}\" content=\"nosnippet {value}\">
<h1>{value}</h1><a href=\"{value}\" rel=\"nofollow {value}\">{value}</a><a href=\"/a\" title=\"{value}\">{value}</a>
<img alt=\"{value}\" src=\"{value}\"><p class=\"robots-noindex {value}\">a</p><p class=\"{value} robots-noarchive\">b</p>
<p data-nosnippet=\"{value}\">c</p><!--googleoff: index {text}--><p>d</p><!--googleon: {text}--><!-- robots content=\"noindex {text}\" -->
<p>e</p><!-- /robots --><!-- robots content=\"{text}\" --><!--noindex {text}--><p>f</p><!--/noindex--><p>the last"
    )
}

/// Returns the lines of a page's source, as an explanation should show them.
fn shown(source: &str) -> Vec<String> {
    let is_unseen = |c: char| {
        c.is_control() && c != '\t'
            || "\u{AD}\u{34F}\u{61C}\u{115F}\u{180E}\u{200B}\u{200D}\u{200E}\u{200F}\u{2028}\u{2029}\u{202C}\u{202E}\u{2066}\u{2069}\
                \u{3164}\u{FEFF}\u{FFA0}\u{FFF9}\u{FFFA}\u{FFFB}\u{E0001}\u{E0073}"
                .contains(c)
    };
    let shown = |c: char| match is_unseen(c) {
        true => format!("\u{27E8}U+{:04X}\u{27E9}", u32::from(c)),
        false => c.to_string(),
    };
    let lines = source.replace("\r\n", "\n").replace('\r', "\n");
    lines
        .split('\n')
        .map(|line| line.chars().map(shown).collect())
        .collect()
}

/// Opens the explanation in `file` in the browser. Returns its faults: scripts that ran, resources
/// that were loaded, and a wrong title or source.
fn faults(browser: &mut Browser, file: &Path, title: &str, source: Option<&str>) -> Vec<String> {
    browser.open(file);
    let look = browser.value(LOOK);
    let mut faults = Vec::new();
    if look["title"] != title {
        faults.push(format!("the title is {}", look["title"]));
    }
    if look["called"] != 0 || look["ran"] != false || look["scripts"] != 0 {
        faults.push(format!(
            "a script: called {}, ran {}, there {}",
            look["called"], look["ran"], look["scripts"]
        ));
    }
    for (name, known) in [("elements", ELEMENTS), ("attributes", ATTRIBUTES)] {
        let names = look[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap());
        let strange: Vec<_> = names
            .filter(|name| !known.split_whitespace().any(|known| known == *name))
            .collect();
        if !strange.is_empty() {
            faults.push(format!("strange {name}: {strange:?}"));
        }
    }
    let is_ours = |address: &&Value| {
        let address = address.as_str().unwrap();
        address.starts_with('#') || address.ends_with(".html") && !address.contains([':', '"', '<'])
    };
    faults.extend(
        look["addresses"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| !is_ours(one))
            .map(|one| format!("leads to {one}")),
    );
    if look["lost"] != json!([]) {
        faults.push(format!("leads nowhere: {}", look["lost"]));
    }
    if look["styles"] != 0
        || look["frames"]
            .as_array()
            .unwrap()
            .iter()
            .any(|sandbox| sandbox != "")
    {
        faults.push(format!(
            "styles {}, sandboxes {}",
            look["styles"], look["frames"]
        ));
    }
    let asked = browser
        .events
        .iter()
        .filter_map(|event| event["params"]["request"]["url"].as_str());
    faults.extend(
        asked
            .filter(|url| url.ends_with("/ran"))
            .map(|_| "a script asks, and may be refused".to_owned()),
    );
    faults.extend(
        loaded(browser)
            .into_iter()
            .map(|url| format!("asks for {url}")),
    );
    if let Some(source) = source.filter(|source| lines(&look) != shown(source)) {
        faults.push(format!(
            "the source is not shown as it is: {source:?}, but {:?}",
            lines(&look)
        ));
    }
    faults
}

/// Returns the URLs that the browser requested and did not block. Ignores `data:` URLs, from which
/// the browser loads the buttons of its video player.
fn loaded(browser: &Browser) -> Vec<String> {
    let told = |method: &'static str| {
        browser
            .events
            .iter()
            .filter(move |event| event["method"] == method)
    };
    let is_refused = |id: &Value| {
        told("Network.loadingFailed").any(|event| {
            event["params"]["requestId"] == *id && event["params"]["blockedReason"].is_string()
        })
    };
    let asked = told("Network.requestWillBeSent").map(|event| &event["params"]);
    let strange = asked.filter(|asked| !is_refused(&asked["requestId"]));
    let urls = strange.map(|asked| asked["request"]["url"].as_str().unwrap().to_owned());
    urls.filter(|url| !url.starts_with("file:") && !url.starts_with("data:"))
        .collect()
}

/// Returns the lines of the page's source that the explanation shows. A line that is split into
/// several rows is joined.
fn lines(look: &Value) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in look["rows"].as_array().unwrap() {
        let text = row[1].as_str().unwrap();
        match lines.last_mut().filter(|_| row[0] == true) {
            Some(line) => line.push_str(text),
            None => lines.push(text.to_owned()),
        }
    }
    lines
}

fn explain(folder: &Path, arguments: &[&str]) {
    let output = Command::cargo_bin("heedful")
        .unwrap()
        .current_dir(folder)
        .args(["explain", "--quiet", "--conventions", "all"])
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{arguments:?}: {told}"
    );
}

/// Returns the files of the explanations in a report's folder, in order.
fn views(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn one_page_runs_nothing_and_shows_all_of_its_source() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let (listener, folder) = (Listener::start(), TempDir::new().unwrap());
    for page in hostile_pages(&listener) {
        std::fs::write(folder.path().join("page.html"), &page).unwrap();
        let url = "https://site.example/a\"><script>ran=1</script>?'><img src=x onerror=ran=1>";
        let header = "Content-Type: text/html; charset=utf-8";
        explain(
            folder.path(),
            &[
                "page.html",
                "--input",
                "html",
                "--url",
                url,
                "--header",
                header,
                "--html",
                "view.html",
            ],
        );
        let title = format!("Explained: {}", heedful::Url::parse(url).unwrap());
        let faults = faults(
            &mut browser,
            &folder.path().join("view.html"),
            &title,
            Some(&page),
        );
        assert!(faults.is_empty(), "{page}\n{}", faults.join("\n"));
        assert_eq!(
            listener.count.load(Ordering::SeqCst),
            0,
            "someone was asked: {page}"
        );
    }
    assert_eq!(listener.count(), 0);
}

const BOTS: [&str; 3] = [
    "foobot",
    "\"><script>self.ran++</script>",
    "</style></label></fieldset></bdi><script>self.ran++</script>",
];

fn url(number: usize) -> String {
    format!("https://h{number}.example/{number}\"><script>ran=1</script>?'><b>#&quot;><b>")
}

#[test]
fn a_report_and_its_views_run_nothing() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let (listener, folder) = (Listener::start(), TempDir::new().unwrap());
    let pages = hostile_pages(&listener);
    let mut lines: Vec<String> = pages
        .iter()
        .enumerate()
        .map(|(number, page)| json!({"url": url(number), "html": page}).to_string())
        .collect();
    // Pages that are refused, so none of their contents is used.
    lines.push(json!({"url": "\"><script>ran=1</script>", "html": "x"}).to_string());
    lines.push(
        json!({"url": url(9999), "html": "<svg><select><title><style><!--</select></svg><script>-->"}).to_string(),
    );
    let file = "\"><img src=x onerror=ran=1>.jsonl";
    std::fs::write(folder.path().join(file), lines.join("\n")).unwrap();
    let robots = "User-agent: *\nAllow: /*\"><script>ran=1</script>\nUser-agent: \"><script>self.ran++</script>\nAllow: /*<b>'>\n\
                  Disallow: /</code><script>ran=1</script>\n";
    std::fs::write(folder.path().join("robots.txt"), robots).unwrap();
    let mut arguments = vec![
        file,
        "--robots",
        "robots.txt",
        "--rows",
        "1000",
        "--html",
        "re\"><b>port.html",
    ];
    arguments.extend(BOTS.iter().flat_map(|bot| ["--bot", bot]));
    arguments.extend([
        "--header",
        "X-Robots-Tag: foobot: nosnippet, \"><script>ran=1</script>",
    ]);
    arguments.extend([
        "--header",
        "TDM-Policy: \"><script>ran=1</script>",
        "--header",
        "Content-Usage: <script>=n",
    ]);
    arguments.extend([
        "--deny",
        "nosnippet=/*\"><script>ran=1</script>",
        "--deny-region",
        "nosnippet=<b>...\"><i>",
    ]);
    explain(folder.path(), &arguments);
    let report = folder.path().join("re\"><b>port.html");
    let title = format!("{} pages explained", pages.len() + 2);
    let told = faults(&mut browser, &report, &title, None);
    assert!(told.is_empty(), "{}", told.join("\n"));
    let views = views(&folder.path().join("re\"><b>port-pages"));
    let mut sources: Vec<_> = pages.iter().map(|page| shown(page)).collect();
    for view in &views {
        let text = std::fs::read_to_string(view).unwrap();
        let told = text
            .split_once("<title>")
            .unwrap()
            .1
            .split_once("</title>")
            .unwrap()
            .0;
        let number: usize = told
            .split_once("https://h")
            .unwrap()
            .1
            .split_once('.')
            .unwrap()
            .0
            .parse()
            .unwrap();
        let title = format!("Explained: {}", heedful::Url::parse(&url(number)).unwrap());
        let told = faults(
            &mut browser,
            view,
            &title,
            pages.get(number).map(String::as_str),
        );
        assert!(told.is_empty(), "{}\n{}", view.display(), told.join("\n"));
        sources.retain(|source| pages.get(number).is_none_or(|page| *source != shown(page)));
    }
    assert!(
        sources.is_empty(),
        "{} of {} pages have no view",
        sources.len(),
        pages.len()
    );
    assert_eq!(listener.count(), 0);
}

/// HTML of links and similar elements that cover a whole frame, so that any click hits them.
const LINKS: &[&str] = &[
    "<a href={U}/click style='position:fixed;inset:0;background:#ffc'>the copy</a>",
    "<a target=_self href={U}/click style='position:fixed;inset:0'>the copy</a>",
    "<a target=_top href={U}/click style='position:fixed;inset:0'>the copy</a>",
    "<a target=_blank ping={U}/ping href={U}/click style='position:fixed;inset:0'>the copy</a>",
    "<a TARGET\n=\n_parent href=javascript:{R} style='position:fixed;inset:0'>the copy</a>",
    "<form action={U}/form><button style='position:fixed;inset:0;width:100%'>the copy</button></form>",
    "<base target=_self href={U}/><a href=/click style='position:fixed;inset:0'>the copy</a>",
    "<svg style='position:fixed;inset:0;width:100%;height:100%'><a href={U}/click target=_self><rect width=9999 height=9999 />\
     <text>the copy</text></a></svg>",
    "<a href='#x' style='position:fixed;inset:0'>the copy</a><p id=x>x",
    "<a title='>' href={U}/click style='position:fixed;inset:0'>the copy</a>",
    "<a =\"x href={U}/click y='style='position:fixed;inset:0' style=position:fixed;inset:0>the copy</a>",
    "<video controls src={U}/video style='position:fixed;inset:0;width:100%;height:100%'></video>the copy",
];

#[test]
fn a_copy_is_drawn_and_a_click_on_it_does_nothing() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let (listener, folder) = (Listener::start(), TempDir::new().unwrap());
    for link in LINKS {
        let page = listener.armed(&format!(
            "<!DOCTYPE html><title>t</title><p class=robots-noarchive>cut</p>{link}"
        ));
        std::fs::write(folder.path().join("page.html"), &page).unwrap();
        explain(
            folder.path(),
            &[
                "page.html",
                "--url",
                "https://site.example/",
                "--html",
                "view.html",
            ],
        );
        let view = folder.path().join("view.html");
        assert_eq!(
            faults(
                &mut browser,
                &view,
                "Explained: https://site.example/",
                Some(&page)
            ),
            Vec::<String>::new()
        );
        assert!(is_drawn(&mut browser), "{page}");
        let place = browser.value(
            "(() => { const place = document.querySelector('iframe').getBoundingClientRect();
                return [place.x + place.width / 2, place.y + place.height / 2] })()",
        );
        browser.click(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        browser.value("new Promise(done => setTimeout(done, 300))");
        assert!(is_drawn(&mut browser), "after a click: {page}");
        let open = browser.ask("Target.getTargets", &json!({"filter": [{"type": "page"}]}));
        assert_eq!(
            open["targetInfos"].as_array().unwrap().len(),
            1,
            "a window opens: {page}"
        );
        assert_eq!(
            listener.count.load(Ordering::SeqCst),
            0,
            "someone was asked: {page}"
        );
    }
    assert_eq!(listener.count(), 0);
}

/// True if the frame in the explanation shows the copy of the page.
fn is_drawn(browser: &mut Browser) -> bool {
    let document = browser
        .ask("DOM.getDocument", &json!({"depth": -1, "pierce": true}))
        .to_string();
    let drawn = document
        .split_once("\"contentDocument\"")
        .map(|(_, drawn)| drawn.to_owned());
    drawn.is_some_and(|drawn| drawn.contains("\"the copy\""))
}

#[test]
fn planted_pages_are_noticed() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let page = "<!DOCTYPE html><title>t</title><img src={U}/img onerror=\"{R}\"><script>{R}</script>\n<p>the last";
    let policy = "<meta http-equiv=\"Content-Security-Policy\"";
    let planted = |name: &str, replaced: &[(&str, &str)]| {
        let listener = Listener::start();
        let page = listener.armed(page);
        std::fs::write(folder.path().join("page.html"), &page).unwrap();
        explain(
            folder.path(),
            &[
                "page.html",
                "--url",
                "https://site.example/",
                "--html",
                "view.html",
            ],
        );
        let mut view = std::fs::read_to_string(folder.path().join("view.html")).unwrap();
        for (from, to) in replaced {
            assert!(view.contains(from), "{from}");
            view = view.replace(from, to);
        }
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, view).unwrap();
        (file, page, listener)
    };
    let mut told = |(file, page, listener): (PathBuf, String, Listener)| {
        let faults = faults(
            &mut browser,
            &file,
            "Explained: https://site.example/",
            Some(&page),
        );
        (faults.join("\n"), listener.count())
    };
    assert_eq!(told(planted("as-it-is", &[])), (String::new(), 0));
    let source = [
        (policy, "<meta name=\"policy\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
    ];
    let (faults, asked) = told(planted("source", &source));
    for expected in [
        "the title is \"RAN\"",
        "ran true",
        "strange elements",
        "asks for http",
        "is not shown as it is",
    ] {
        assert!(faults.contains(expected), "{expected}: {faults}");
    }
    assert!(asked > 0);
    let frame = [
        (policy, "<meta name=\"policy\""),
        (
            "&lt;meta http-equiv=Content-Security-Policy",
            "&lt;meta name=policy",
        ),
    ];
    let (_, asked) = told(planted("frame", &frame));
    assert!(asked > 0, "a picture in the frame");
    let sandbox = [
        frame[0],
        frame[1],
        ("sandbox=\"\"", "sandbox=\"allow-scripts\""),
        ("script-src 'none'", "script-src 'unsafe-inline'"),
    ];
    let (faults, _) = told(planted("sandbox", &sandbox));
    assert!(faults.contains("a script asks"), "{faults}");
}
