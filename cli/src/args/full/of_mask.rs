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
    /// A file for the mask, or a folder for Parquet; appears when the mask is complete [default:
    /// standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The output format: jsonl, tsv, compact, parquet. If the name of the output ends in .gz,
    /// jsonl and tsv are compressed [default: by the name: .tsv, .mask for compact, .parquet,
    /// otherwise jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = MaskFormat::parse, hide_short_help = true)]
    pub(crate) format: Option<MaskFormat>,
    /// Tell also which uses a page allows but not for all of its parts
    #[arg(long, hide_short_help = true)]
    pub(crate) parts: bool,
    /// Leave out the digest of each page
    #[arg(long, hide_short_help = true)]
    pub(crate) no_digest: bool,
    /// Write answers for the records of this file, in its order, and not for the inputs. The file
    /// has texts (WET) made from the inputs, or lines with URLs
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "resume",
        hide_short_help = true
    )]
    pub(crate) beside: Option<PathBuf>,
    /// Judge listed URLs (lines, JSON, CDXJ, CDX, Parquet) without their pages. The inputs have the
    /// robots.txt files: archives, or a folder with HOST/robots.txt
    #[arg(long, value_name = "LIST", conflicts_with_all = ["beside", "resume", "parts"])]
    pub(crate) urls: Option<PathBuf>,
    /// Write the mask in groups of N answers, between which a run can be interrupted [default:
    /// 10000 for lines, 50000 for the other forms]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "output", hide_short_help = true)]
    pub(crate) group: Option<u32>,
    /// Continue where the last run was interrupted; begin anew if none was
    #[arg(long, requires = "output", hide_short_help = true)]
    pub(crate) resume: bool,
    /// Add evidence of each answer that is not `none` to the log in this folder. The log may have
    /// evidence of earlier masks
    #[arg(long, value_name = "DIR", requires = "output", conflicts_with_all = ["feed", "unpack"], hide_short_help = true)]
    pub(crate) evidence: Option<PathBuf>,
    /// Write a feed of what changed from one mask to another, for `purge --from`; exit 1 if nothing
    /// did
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2, conflicts_with_all = ["inputs", "urls", "beside", "resume", "format", "parts"])]
    pub(crate) feed: Vec<PathBuf>,
    /// Convert this compact mask to JSON Lines
    #[arg(long, value_name = "MASK", conflicts_with_all = ["inputs", "urls", "beside", "resume", "format", "parts", "feed"], hide_short_help = true)]
    pub(crate) unpack: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
