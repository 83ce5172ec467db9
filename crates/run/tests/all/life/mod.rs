//! An index over the life of its sites, through whole runs: pages change, go and come back, and
//! purges follow robots.txt. What an index alone is asked for stands in
//! `crates/index/tests/all/life/`.

mod changes;
mod excerpts;
mod expiry;
mod purge;
mod random;
