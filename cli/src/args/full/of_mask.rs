//! The arguments of `heedful mask`.

use std::path::PathBuf;

use clap::Args;
use heedful::Uses;
use heedful_run::mask::MaskFormat;

use crate::run_args::RunArgs;

/// Default of the option `--use` of `heedful mask`: the uses about which the mask has answers.
pub(crate) const MASK_USES: &str = "index,archive,input,train";

#[derive(Debug, Args)]
pub(crate) struct MaskArgs {
    /// The uses to ask about, separated by commas: index, follow, anchor, archive, snippet, image,
    /// translate, train, input
    #[arg(long, value_name = "USES", value_parser = Uses::parse_names, default_value = MASK_USES)]
    pub(crate) r#use: Uses,
    /// The mask, written when it is whole: a file, or for Parquet a folder [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The output format: jsonl, tsv, compact, parquet [default: by the name: .tsv, .mask is
    /// compact, .parquet; .gz packs]
    #[arg(long, value_name = "FORMAT", value_parser = MaskFormat::parse, hide_short_help = true)]
    pub(crate) format: Option<MaskFormat>,
    /// Tell also which uses a page allows but not for all of its parts
    #[arg(long, hide_short_help = true)]
    pub(crate) parts: bool,
    /// Leave out the digest of each page
    #[arg(long, hide_short_help = true)]
    pub(crate) no_digest: bool,
    /// Answer for the records of this file instead, in its order: texts (WET) made from the inputs,
    /// or lines with URLs
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "resume",
        hide_short_help = true
    )]
    pub(crate) beside: Option<PathBuf>,
    /// Judge URLs (lines, JSON, CDXJ, CDX, Parquet) without their pages: by site files of the inputs
    /// (archives, HOST/robots.txt in a folder), --robots, --tdmrep
    #[arg(long, value_name = "LIST", conflicts_with_all = ["beside", "resume", "parts"])]
    pub(crate) urls: Option<PathBuf>,
    /// Write the mask in groups of N answers, between which a run can be interrupted [default:
    /// 10000 for lines, 50000 for the other forms]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "output", hide_short_help = true)]
    pub(crate) group: Option<u32>,
    /// Continue where the last run was interrupted; begin anew if none was
    #[arg(long, requires = "output", hide_short_help = true)]
    pub(crate) resume: bool,
    /// Keep evidence of each answer that is not `none` in this folder, behind that of earlier masks
    #[arg(long, value_name = "DIR", requires = "output", conflicts_with_all = ["feed", "unpack"], hide_short_help = true)]
    pub(crate) evidence: Option<PathBuf>,
    /// Write a feed of what changed from one mask to another, for `purge --from`; exit 1 if nothing
    /// did
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2, conflicts_with_all = ["inputs", "urls", "beside", "resume", "format", "parts"])]
    pub(crate) feed: Vec<PathBuf>,
    /// Write a compact mask as JSON Lines
    #[arg(long, value_name = "MASK", conflicts_with_all = ["inputs", "urls", "beside", "resume", "format", "parts", "feed"], hide_short_help = true)]
    pub(crate) unpack: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
