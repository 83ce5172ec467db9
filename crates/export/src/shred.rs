//! Converts rows of JSON into columns of Parquet. Each value of a column has levels, which encode
//! where lists begin and which values are missing.
//!
//! A column is a leaf of Parquet's schema. The definition level of a value counts the optional and
//! repeated nodes that are present, and its repetition level tells which list continues
//! (parquet.apache.org, "Nested Encoding"). Keys that the schema lacks are ignored. A value with
//! another type than its column is an error.

use std::io::Write;

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;

/// Values of a Parquet column that are present. Missing values are left out.
#[derive(Debug)]
enum ShreddedValues {
    Flags(Vec<bool>),
    Numbers(Vec<i64>),
    Texts(Vec<ByteArray>),
}

#[derive(Debug)]
struct Column {
    values: ShreddedValues,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

/// Parquet's definition level and repetition level of a value, and the number of lists around the
/// value.
#[derive(Clone, Copy, Default)]
struct Levels {
    definition: i16,
    repetition: i16,
    depth: i16,
}

/// Rows of one Parquet row group, converted to columns.
#[doc(hidden)]
#[derive(Debug)]
pub struct ShreddedRows {
    schema: TypePtr,
    columns: Vec<Column>,
}

impl ShreddedRows {
    #[doc(hidden)]
    pub fn new(schema: &TypePtr) -> Self {
        let mut columns = Vec::new();
        collect(schema, &mut columns);
        Self {
            schema: TypePtr::clone(schema),
            columns,
        }
    }

    #[doc(hidden)]
    pub fn add(&mut self, row: &Value) -> Result<()> {
        let mut next = 0;
        for field in TypePtr::clone(&self.schema).get_fields() {
            next = self.put(field, &row[field.name()], Levels::default(), next)?;
        }
        Ok(())
    }

    /// Appends `value` to the columns of the schema node `node` and of the nodes below it. `column`
    /// is the index of the first of these columns. Returns the index of the first column after
    /// them.
    fn put(
        &mut self,
        node: &Type,
        value: &Value,
        mut levels: Levels,
        column: usize,
    ) -> Result<usize> {
        if node.get_basic_info().repetition() == Repetition::OPTIONAL {
            if value.is_null() {
                return Ok(self.nothing(node, levels, column));
            }
            levels.definition += 1;
        }
        if node.is_primitive() {
            return self.value(node, value, levels, column).map(|()| column + 1);
        }
        let [repeated] = node.get_fields() else {
            return self.group(node, value, levels, column);
        };
        if repeated.get_basic_info().repetition() != Repetition::REPEATED {
            return self.group(node, value, levels, column);
        }
        let elements = value.as_array().ok_or_else(|| mismatch(node, value))?;
        if elements.is_empty() {
            return Ok(self.nothing(node, levels, column));
        }
        let mut behind = column;
        for (number, element) in elements.iter().enumerate() {
            let repetition = if number == 0 {
                levels.repetition
            } else {
                levels.depth + 1
            };
            let levels = Levels {
                definition: levels.definition + 1,
                repetition,
                depth: levels.depth + 1,
            };
            behind = self.put(&repeated.get_fields()[0], element, levels, column)?;
        }
        Ok(behind)
    }

    fn group(
        &mut self,
        node: &Type,
        value: &Value,
        levels: Levels,
        mut column: usize,
    ) -> Result<usize> {
        for field in node.get_fields() {
            column = self.put(field, &value[field.name()], levels, column)?;
        }
        Ok(column)
    }

    /// Appends a missing value to the columns of the schema node `node` and of the nodes below it.
    /// `column` is the index of the first of these columns. Returns the index of the first column
    /// after them.
    fn nothing(&mut self, node: &Type, levels: Levels, column: usize) -> usize {
        if node.is_primitive() {
            self.columns[column].definitions.push(levels.definition);
            self.columns[column].repetitions.push(levels.repetition);
            return column + 1;
        }
        node.get_fields()
            .iter()
            .fold(column, |column, field| self.nothing(field, levels, column))
    }

    fn value(&mut self, node: &Type, value: &Value, levels: Levels, column: usize) -> Result<()> {
        let column = &mut self.columns[column];
        match (&mut column.values, value) {
            (ShreddedValues::Flags(flags), Value::Bool(flag)) => flags.push(*flag),
            (ShreddedValues::Numbers(numbers), Value::Number(number)) => {
                numbers.push(number.as_i64().ok_or_else(|| mismatch(node, value))?);
            }
            (ShreddedValues::Texts(texts), Value::String(text)) => {
                texts.push(ByteArray::from(text.as_str()));
            }
            _ => return Err(mismatch(node, value)),
        }
        column.definitions.push(levels.definition);
        column.repetitions.push(levels.repetition);
        Ok(())
    }

    /// Writes the rows to the Parquet file `to`, as one row group.
    #[doc(hidden)]
    pub fn write<W: Write + Send>(self, to: &mut SerializedFileWriter<W>) -> Result<()> {
        let mut group = to.next_row_group()?;
        for column in &self.columns {
            let Some(mut writer) = group.next_column()? else {
                break;
            };
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close().map(drop)
    }
}

impl Column {
    fn write(&self, to: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let definitions = Some(&self.definitions[..]);
        let repetitions = Some(&self.repetitions[..]);
        match &self.values {
            ShreddedValues::Flags(flags) => {
                to.typed::<BoolType>()
                    .write_batch(flags, definitions, repetitions)
            }
            ShreddedValues::Numbers(numbers) => {
                to.typed::<Int64Type>()
                    .write_batch(numbers, definitions, repetitions)
            }
            ShreddedValues::Texts(texts) => {
                to.typed::<ByteArrayType>()
                    .write_batch(texts, definitions, repetitions)
            }
        }
        .map(drop)
    }
}

/// Appends an empty column to `columns` for each leaf of the schema at or below `node`.
fn collect(node: &Type, columns: &mut Vec<Column>) {
    if !node.is_primitive() {
        for field in node.get_fields() {
            collect(field, columns);
        }
        return;
    }
    let values = match node.get_physical_type() {
        Physical::BOOLEAN => ShreddedValues::Flags(Vec::new()),
        Physical::INT64 => ShreddedValues::Numbers(Vec::new()),
        _ => ShreddedValues::Texts(Vec::new()),
    };
    columns.push(Column {
        values,
        definitions: Vec::new(),
        repetitions: Vec::new(),
    });
}

fn mismatch(node: &Type, value: &Value) -> ParquetError {
    let kind = if value.is_null() {
        "nothing"
    } else {
        "something else"
    };
    ParquetError::General(format!("the column `{}` got {kind}", node.name()))
}
