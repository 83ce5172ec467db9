//! Techniques by which publishers reserve rights from generative AI, and their support in heedful.
//!
//! The list of techniques follows the IPTC's best practices for opting out, version 2.0 of March
//! 2026. The guide itself was not available. The first five techniques are from the IPTC's summary
//! of the first version. RSL and Content Signals are from the notice of version 2.0. The others are
//! from reports of third parties. A test checks that the conventions named here exist.

/// How far heedful supports a technique by which publishers reserve rights from AI.
///
/// # Examples
/// ```
/// use heedful_lint::{TECHNIQUES, TechniqueSupport};
///
/// let read = TECHNIQUES.iter().filter(|technique| technique.support() == TechniqueSupport::Read);
/// assert!(read.clone().any(|technique| technique.name() == "RSL"));
/// assert_eq!(TechniqueSupport::OutOfReach.to_string(), "out of reach");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TechniqueSupport {
    /// heedful reads statements of this technique and obeys them in verdicts.
    Read,
    /// heedful reports statements of this technique, but they change no verdict.
    Reported,
    /// heedful cannot see statements of this technique.
    OutOfReach,
}

heedful_base::display!(TechniqueSupport);

impl TechniqueSupport {
    /// Returns the name of this degree of support in the output: `read`, `told` (for
    /// [`TechniqueSupport::Reported`]) or `out of reach`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Reported => "told",
            Self::OutOfReach => "out of reach",
        }
    }
}

/// A technique for reserving rights from generative AI.
///
/// # Examples
/// ```
/// use heedful_lint::TECHNIQUES;
///
/// let technique = TECHNIQUES.iter().find(|technique| technique.name() == "RSL").unwrap();
/// assert_eq!(technique.conventions(), ["rsl"]);
/// assert!(technique.source().starts_with("IPTC"));
/// assert!(!technique.why().is_empty());
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Technique {
    name: &'static str,
    heeded: TechniqueSupport,
    by: &'static [&'static str],
    why: &'static str,
}

impl Technique {
    /// Returns the name of the technique, which is a short description of it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns how far heedful supports the technique.
    pub fn support(&self) -> TechniqueSupport {
        self.heeded
    }

    /// Returns the names of heedful's conventions that read statements of the technique. The name
    /// `robots.txt` means the rules of robots.txt.
    pub fn conventions(&self) -> &'static [&'static str] {
        self.by
    }

    /// Returns the reason for the degree of support: which part of the technique heedful reads, or
    /// why heedful reads none.
    pub fn why(&self) -> &'static str {
        self.why
    }

    /// Returns the title and version of the guide that the list of techniques follows.
    pub fn source(&self) -> &'static str {
        SOURCE
    }
}

const SOURCE: &str = "IPTC, Generative AI Opt-Out Best Practices, version 2.0 (March 2026)";

const fn read(name: &'static str, by: &'static [&'static str], why: &'static str) -> Technique {
    Technique {
        name,
        heeded: TechniqueSupport::Read,
        by,
        why,
    }
}

const fn out_of_reach(name: &'static str, why: &'static str) -> Technique {
    Technique {
        name,
        heeded: TechniqueSupport::OutOfReach,
        by: &[],
        why,
    }
}

/// All techniques for reserving rights. Those whose place in the IPTC's guide is known are in the
/// guide's order.
pub static TECHNIQUES: &[Technique] = &[
    out_of_reach(
        "a reservation in plain words",
        "prose is for people: nothing is guessed from it",
    ),
    out_of_reach(
        "a reservation in metadata of pages and media",
        "it is prose too, in other fields, and most of them are in pictures",
    ),
    out_of_reach(
        "a firewall against AI crawlers",
        "whom it keeps out gets no page, and so there is nothing to read",
    ),
    read(
        "groups for AI crawlers in robots.txt",
        &["robots.txt"],
        "the group of each bot that is asked for decides whether it may have the page",
    ),
    read(
        "tdmrep.json for a site",
        &["tdm"],
        "the first location that matches denies training",
    ),
    out_of_reach(
        "trust.txt: datatrainingallowed",
        "a file of its own, which is not asked for",
    ),
    out_of_reach(
        "the Data Mining property of pictures and films",
        "pictures are not read: the usage `image` knows what pages say of them",
    ),
    out_of_reach(
        "the assertion on training in C2PA manifests",
        "pictures are not read, nor are their manifests",
    ),
    read(
        "META robots: noarchive, nocache, noai",
        &["meta", "noarchive-train"],
        "noarchive and nocache deny training and answers, noai and noml training; noimageai is reported",
    ),
    read(
        "tdm-reservation in a page or its headers",
        &["tdm"],
        "1 denies training, wherever it stands",
    ),
    read(
        "robots directives in headers",
        &["header", "robots-tag", "noarchive-train"],
        "X-Robots-Tag and Robots-Tag have the words of META, also for one bot",
    ),
    read(
        "RSL",
        &["rsl"],
        "what its terms prohibit is denied; they are fetched only if asked",
    ),
    read(
        "Content Signals",
        &["content-signal"],
        "search, ai-input and ai-train are uses, and a no denies; use is the most that may be made of a page",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::CONVENTIONS as LIST;

    #[test]
    fn techniques_are_read_by_conventions_that_there_are() {
        let is_known = |name: &&str| {
            *name == "robots.txt" || LIST.iter().any(|convention| convention.name() == *name)
        };
        for technique in TECHNIQUES {
            assert!(technique.by.iter().all(&is_known), "{technique:?}");
            assert!(
                technique.heeded == TechniqueSupport::Read || technique.by.is_empty(),
                "{technique:?}"
            );
        }
        assert_eq!(TECHNIQUES.len(), 13);
    }
}
