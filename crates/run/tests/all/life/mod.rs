//! Tests an index over the life of its sites by whole runs. Pages change, disappear and come back,
//! and purges apply robots.txt files. Tests of an index alone are in
//! `crates/index/tests/all/life/`.

mod changes;
mod excerpts;
mod expiry;
mod purge;
mod random;
