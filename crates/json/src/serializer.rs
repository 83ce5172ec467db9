//! The serde serializer that writes JSON, on one line or on several indented lines.
//!
//! It writes what `serde_json` writes, except for the characters that `text` escapes beyond
//! `serde_json`. A value is appended to a `String`. The serializer itself never fails, except for a
//! key that JSON cannot have: a list, an object, or nothing. It does not know the `RawValue` of
//! `serde_json`.

use std::fmt::Write;

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::text::{is_plain, push_text};

const INDENT: &str = "  ";

/// How the JSON of a value is divided into lines.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    /// The whole JSON is on one line.
    Compact,
    /// Each element of an array or object is on a line of its own, with indentation.
    Indented,
}

/// Serde serializer that appends the JSON of values to a `String`.
pub(super) struct JsonSerializer<'o> {
    out: &'o mut String,
    /// Number of arrays and objects around the current value. `None` if the JSON is on one line.
    depth: Option<usize>,
}

impl<'o> JsonSerializer<'o> {
    pub(super) fn new(layout: Layout, out: &'o mut String) -> Self {
        let depth = match layout {
            Layout::Compact => None,
            Layout::Indented => Some(0),
        };
        Self { out, depth }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        if let Some(depth) = &mut self.depth {
            *depth += 1;
        }
    }

    fn close(&mut self, bracket: char, is_empty: bool) {
        if let Some(depth) = &mut self.depth {
            *depth -= 1;
        }
        if !is_empty {
            self.break_line();
        }
        self.out.push(bracket);
    }

    #[inline]
    fn break_line(&mut self) {
        if let Some(depth) = self.depth {
            self.out.push('\n');
            self.out.push_str(&INDENT.repeat(depth));
        }
    }

    #[inline]
    fn colon(&mut self) {
        self.out.push(':');
        if self.depth.is_some() {
            self.out.push(' ');
        }
    }

    /// Writes the beginning of an object whose only key is the name of a variant of an enum.
    fn open_variant(&mut self, variant: &str) {
        self.open('{');
        self.break_line();
        push_text(self.out, variant);
        self.colon();
    }

    /// Writes the key of an object. A number or a boolean is written as a string. Returns an error
    /// if the key is a list, an object or null.
    fn key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        let start = self.out.len();
        key.serialize(&mut *self)?;
        match self.out.as_bytes().get(start) {
            Some(b'"') => {}
            None | Some(b'[' | b'{' | b'n') => return Err(Error::custom("key must be a string")),
            Some(_) => {
                self.out.insert(start, '"');
                self.out.push('"');
            }
        }
        Ok(())
    }
}

/// Implements methods of a serializer for values whose `Display` is their JSON.
macro_rules! displayed {
    ($($name:ident: $type:ty;)*) => {
        $(fn $name(self, value: $type) -> Result<(), Error> {
            write!(self.out, "{value}").map_err(Error::custom)
        })*
    };
}

/// Implements methods of a serializer for numbers that `serde_json` formats in its own way.
macro_rules! formatted {
    ($($name:ident: $type:ty;)*) => {
        $(fn $name(self, value: $type) -> Result<(), Error> {
            self.out.push_str(&serde_json::to_string(&value)?);
            Ok(())
        })*
    };
}

impl<'s, 'o> Serializer for &'s mut JsonSerializer<'o> {
    type Ok = ();
    type Error = Error;

    type SerializeSeq = Elements<'s, 'o>;
    type SerializeTuple = Elements<'s, 'o>;
    type SerializeTupleStruct = Elements<'s, 'o>;
    type SerializeTupleVariant = Elements<'s, 'o>;
    type SerializeMap = Elements<'s, 'o>;
    type SerializeStruct = Elements<'s, 'o>;
    type SerializeStructVariant = Elements<'s, 'o>;

    displayed! {
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
    }

    formatted! {
        serialize_f32: f32;
        serialize_f64: f64;
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        if value {
            self.out.push_str("true");
        } else {
            self.out.push_str("false");
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        push_text(self.out, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.open_variant(variant);
        value.serialize(&mut *self)?;
        self.close('}', false);
        Ok(())
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Elements<'s, 'o>, Error> {
        Ok(Elements::array(self))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Elements<'s, 'o>, Error> {
        Ok(Elements::array(self))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Elements<'s, 'o>, Error> {
        Ok(Elements::array(self))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Elements<'s, 'o>, Error> {
        self.open_variant(variant);
        Ok(Elements::array(self).in_variant())
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Elements<'s, 'o>, Error> {
        Ok(Elements::object(self))
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Elements<'s, 'o>, Error> {
        Ok(Elements::object(self))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Elements<'s, 'o>, Error> {
        self.open_variant(variant);
        Ok(Elements::object(self).in_variant())
    }
}

/// An array or object that is being written, element by element.
pub(super) struct Elements<'s, 'o> {
    to: &'s mut JsonSerializer<'o>,
    end: char,
    is_empty: bool,
    /// True if the array or object is the content of an enum variant. Then it is the only value of
    /// an outer object, which [`JsonSerializer::open_variant`] has begun.
    is_in_variant: bool,
}

impl<'s, 'o> Elements<'s, 'o> {
    fn array(to: &'s mut JsonSerializer<'o>) -> Self {
        to.open('[');
        Self::with_end(to, ']')
    }

    fn object(to: &'s mut JsonSerializer<'o>) -> Self {
        to.open('{');
        Self::with_end(to, '}')
    }

    fn with_end(to: &'s mut JsonSerializer<'o>, end: char) -> Self {
        Self {
            to,
            end,
            is_empty: true,
            is_in_variant: false,
        }
    }

    fn in_variant(self) -> Self {
        Self {
            is_in_variant: true,
            ..self
        }
    }

    /// Writes the comma and the line break before the next element.
    #[inline]
    fn separate(&mut self) {
        if !self.is_empty {
            self.to.out.push(',');
        }
        self.is_empty = false;
        self.to.break_line();
    }

    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.separate();
        value.serialize(&mut *self.to)
    }

    /// Writes a field of a struct. The name is not escaped, since the name of a Rust field needs no
    /// escapes.
    fn field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        debug_assert!(is_plain(name), "{name} needs an escape");
        self.separate();
        self.to.out.push('"');
        self.to.out.push_str(name);
        self.to.out.push('"');
        self.to.colon();
        value.serialize(&mut *self.to)
    }

    fn finish(self) {
        self.to.close(self.end, self.is_empty);
        if self.is_in_variant {
            self.to.close('}', false);
        }
    }
}

/// Implements a serde trait for writing arrays, element by element.
macro_rules! array {
    ($($part:ident::$method:ident;)*) => {
        $(impl $part for Elements<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        })*
    };
}

/// Implements a serde trait for writing objects whose keys are the fields of a struct.
macro_rules! object {
    ($($part:ident;)*) => {
        $(impl $part for Elements<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(key, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        })*
    };
}

array! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

object! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Elements<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.separate();
        self.to.key(key)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.to.colon();
        value.serialize(&mut *self.to)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}
