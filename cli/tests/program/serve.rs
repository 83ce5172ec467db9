//! `heedful serve`, through real sockets: its routes, its refusals, and that each costs only its caller.

use serde_json::json;

use crate::served::Served;

const PAGE: &str = "<title>Rye</title><p>Rye bread <!--noindex-->withheld<!--/noindex--> keeps";
const HTML: &str = "text/html";

#[test]
fn a_page_is_filtered() {
    let served = Served::start(&[]);
    let answer = served.post("/filter?url=https://site.example/rye", HTML, PAGE);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let page = answer.json();
    assert_eq!((&page["url"], &page["phrases"]), (&json!("https://site.example/rye"), &json!(["Rye bread", "keeps"])));
    assert!(!answer.text().contains("withheld"));
}
