//! Writes answers of a mask as Parquet tables. The columns are the keys of the JSON form.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as Written};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

use heedful::Uses;
use heedful_base::error::{ErrorKind, Result};
use heedful_export::ShreddedRows;

use super::answer::MaskAnswer;

/// Writes a Parquet table of answers to the new file `to`, and syncs the file to disk.
pub(super) fn write(answers: &[MaskAnswer], uses: Uses, to: &Path) -> Result<()> {
    create(answers, uses, to).map_err(|source| {
        let subject = to.display().to_string();
        ErrorKind::Io { subject, source }.into()
    })
}

fn create(answers: &[MaskAnswer], uses: Uses, to: &Path) -> io::Result<()> {
    let file = File::create_new(to)?;
    let file = put(answers, uses, file).map_err(io::Error::other)?;
    file.sync_all()
}

fn put(answers: &[MaskAnswer], uses: Uses, file: File) -> Written<File> {
    let schema: TypePtr = Arc::new(parse_message_type(&columns(uses))?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("heedful ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(file, Arc::clone(&schema), Arc::new(properties))?;
    let mut rows = ShreddedRows::new(&schema);
    for answer in answers {
        let row = serde_json::to_value(answer)
            .map_err(|error| ParquetError::General(error.to_string()))?;
        rows.add(&row)?;
    }
    rows.write(&mut writer)?;
    writer.into_inner()
}

/// Returns the schema of a Parquet table of answers, in the syntax of Parquet's message types.
fn columns(uses: Uses) -> String {
    let mut allow = String::new();
    let mut why = String::new();
    for usage in uses.iter() {
        let name = usage.name();
        allow += &format!("REQUIRED BOOLEAN {name}; ");
        why += &format!(
            "OPTIONAL GROUP {name} {{ OPTIONAL INT64 line; OPTIONAL INT64 column; REQUIRED BINARY convention (STRING); \
             REQUIRED BINARY directive (STRING); REQUIRED BINARY origin (STRING); }} "
        );
    }
    format!(
        "message mask {{
            REQUIRED BINARY file (STRING);
            OPTIONAL BINARY unit (STRING);
            OPTIONAL INT64 at;
            OPTIONAL BINARY record (STRING);
            OPTIONAL BINARY url (STRING);
            OPTIONAL BINARY date (STRING);
            REQUIRED BINARY kind (STRING);
            OPTIONAL BINARY reason (STRING);
            OPTIONAL BINARY digest (STRING);
            OPTIONAL BINARY robots (STRING);
            OPTIONAL INT64 robots_status;
            REQUIRED INT64 law;
            REQUIRED GROUP allow {{ {allow} }}
            REQUIRED GROUP bots (LIST) {{ REPEATED GROUP list {{ REQUIRED GROUP element {{
                REQUIRED BINARY bot (STRING);
                REQUIRED GROUP allow {{ {allow} }}
                REQUIRED GROUP why {{ {why} }}
                OPTIONAL GROUP parts (LIST) {{ REPEATED GROUP list {{ REQUIRED BINARY element (STRING); }} }}
            }} }} }}
        }}"
    )
}
