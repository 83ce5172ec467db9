//! Fetches RSL documents (licences) for a run, each document once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use url::Url;

use heedful::Licence;
use heedful_base::limits::{Limits, size};
use heedful_input::fetch::{FetchedDocument, Fetcher};

/// Returns a callback for [`Filter::licences`](heedful::Filter::licences) that fetches RSL
/// documents. Each document is fetched once, for the first page that refers to it. The limit
/// `licences` bounds the number of fetched documents. A document beyond this limit counts as
/// absent.
///
/// ```no_run
/// use heedful_input::fetch::Fetcher;
/// use heedful_run::licences;
/// use heedful::{Bot, Filter, Limits};
///
/// let fetcher = Fetcher::new("FooBot/1.0 (+https://foo.example/bot)")?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let licence_at = licences(fetcher, &Limits::default());
/// let filter = filter.licences(move |url| Some(licence_at(url)));
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn licences(
    fetcher: Fetcher,
    limits: &Limits,
) -> impl Fn(&str) -> Licence + Send + Sync + use<> {
    let most = size(limits.licences);
    let asked = Mutex::new(HashMap::<String, Arc<OnceLock<Licence>>>::new());
    move |address| {
        let Ok(url) = Url::parse(address) else {
            return Licence::absent("it has no address");
        };
        let licence = {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.len() >= most && !asked.contains_key(address) {
                return Licence::absent(format!("a run asks for {most} (limit `licences`)"));
            }
            Arc::clone(asked.entry(address.to_owned()).or_default())
        };
        licence.get_or_init(|| read(fetcher.document(&url))).clone()
    }
}

/// Converts a fetched RSL document to a licence. A document that exists but cannot be read denies
/// all uses by models. A missing document denies nothing.
fn read(document: FetchedDocument) -> Licence {
    match document {
        FetchedDocument::Whole(bytes) => Licence::read(&bytes).with_bytes(&bytes),
        FetchedDocument::Unread(why) => Licence::unread(why),
        FetchedDocument::Absent(why) => Licence::absent(why),
    }
}
