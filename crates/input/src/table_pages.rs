//! Reads the pages of Parquet columns, those in zstd too, without C code.
//!
//! Parquet's library unpacks each codec but zstd in Rust; its zstd is C. A column in zstd is
//! therefore presented to the library as not compressed, and its pages are unpacked here by the
//! crate ruzstd. A page that does not unpack to exactly the size that its header claims is an
//! error, as it is for the other codecs.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedPageReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::table_file::TableFile;

/// Reader of a Parquet table whose columns may be compressed with zstd.
pub(super) struct TableReader {
    file: TableFile,
    reader: SerializedFileReader<TableFile>,
}

impl TableReader {
    /// Creates the reader of a table, and reads the metadata at the end of the table's file. The
    /// metadata is read only here, and not again for each row group. A table may have as many row
    /// groups as rows, so reading it for each of them could take very long.
    pub(super) fn new(file: TableFile) -> Result<Self> {
        let again = file.try_clone()?;
        Ok(Self {
            file,
            reader: SerializedFileReader::new(again)?,
        })
    }

    pub(super) fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    pub(super) fn row_group(&self, number: usize) -> Result<impl RowGroupReader + '_> {
        Ok(GroupReader {
            file: &self.file,
            reader: self.reader.get_row_group(number)?,
        })
    }
}

struct GroupReader<'a> {
    file: &'a TableFile,
    reader: Box<dyn RowGroupReader + 'a>,
}

impl RowGroupReader for GroupReader<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.reader.metadata()
    }

    fn num_columns(&self) -> usize {
        self.reader.num_columns()
    }

    fn get_column_page_reader(&self, number: usize) -> Result<Box<dyn PageReader>> {
        let group = self.metadata();
        let column = group.column(number);
        if !matches!(column.compression(), Compression::ZSTD(_)) {
            return self.reader.get_column_page_reader(number);
        }
        let unpacked = column.clone().into_builder();
        let unpacked = unpacked
            .set_compression(Compression::UNCOMPRESSED)
            .build()?;
        let file = Arc::new(self.file.try_clone()?);
        let rows = usize::try_from(group.num_rows())?;
        let pages = SerializedPageReader::new(Arc::clone(&file), &unpacked, rows, None)?;
        Ok(Box::new(ZstdPages { file, pages }))
    }

    fn get_column_bloom_filter(&self, number: usize) -> Option<&Sbbf> {
        self.reader.get_column_bloom_filter(number)
    }

    fn get_row_iter(&self, projection: Option<Type>) -> Result<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// Reader of the data pages of a column that is compressed with zstd. `pages` reads the packed
/// pages from `file`, and this reader unpacks them.
struct ZstdPages {
    file: Arc<TableFile>,
    pages: SerializedPageReader<TableFile>,
}

impl ZstdPages {
    fn unpack(&self, mut page: Page) -> Result<Page> {
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.unpacked(buf, 0)?;
            }
            Page::DataPageV2 {
                buf,
                is_compressed,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } if *is_compressed => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                *buf = self.unpacked(buf, usize::try_from(levels)?)?;
                *is_compressed = false;
            }
            Page::DataPageV2 { .. } => {}
        }
        Ok(page)
    }

    /// Unpacks a data page. Its first `levels` bytes (repetition and definition levels) are stored
    /// unpacked. Returns an error if the unpacked page does not have the size that its header
    /// claims.
    fn unpacked(&self, stored: &Bytes, levels: usize) -> Result<Bytes> {
        let claimed = self.file.claimed();
        let (levels, mut packed) = stored.split_at_checked(levels).ok_or_else(wrong_size)?;
        let mut unpacked = levels.to_vec();
        let mut frames = FrameDecoder::new();
        // A frame of one segment has a window of its whole size, which the limits allow.
        frames.set_max_window_size(self.file.window().max(claimed));
        while !packed.is_empty() {
            let room = claimed.saturating_sub(unpacked.len() as u64);
            StreamingDecoder::new_with_decoder(&mut packed, &mut frames)
                .map_err(io::Error::other)?
                .take(room + 1)
                .read_to_end(&mut unpacked)?;
            if unpacked.len() as u64 > claimed {
                break;
            }
        }
        if unpacked.len() as u64 == claimed {
            Ok(unpacked.into())
        } else {
            Err(wrong_size().into())
        }
    }
}

fn wrong_size() -> io::Error {
    let message = "a page in zstd has not the size that its header claims";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.pages.get_next_page()? {
            Some(page) => self.unpack(page).map(Some),
            None => Ok(None),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Iterator for ZstdPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
