//! Writing.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::Damaged;

pub struct Writer<'a>(pub &'a mut Vec<u8>);

type Done = Result<(), Damaged>;

impl Writer<'_> {
    /// Seven bits a byte, the lowest first; the highest bit tells that there are more.
    fn number(&mut self, mut number: u64) -> Done {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        Ok(())
    }

    fn length(&mut self, length: Option<usize>) -> Done {
        self.number(length.ok_or(Damaged)? as u64)
    }
}

impl<'a, 'b> Serializer for &'b mut Writer<'a> {
    type Ok = ();
    type Error = Damaged;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Done {
        self.number(value.into())
    }

    fn serialize_i8(self, value: i8) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Done {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Done {
        self.serialize_i64(value.into())
    }

    /// Small numbers of both signs are short.
    fn serialize_i64(self, value: i64) -> Done {
        self.number((value << 1 ^ value >> 63) as u64)
    }

    fn serialize_u8(self, value: u8) -> Done {
        self.0.push(value);
        Ok(())
    }

    fn serialize_u16(self, value: u16) -> Done {
        self.number(value.into())
    }

    fn serialize_u32(self, value: u32) -> Done {
        self.number(value.into())
    }

    fn serialize_u64(self, value: u64) -> Done {
        self.number(value)
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.0.extend(value.to_le_bytes());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Done {
        self.0.extend(value.to_le_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Done {
        self.number(u32::from(value).into())
    }

    fn serialize_str(self, value: &str) -> Done {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        self.number(value.len() as u64)?;
        self.0.extend(value);
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.number(0)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Done {
        self.number(1)?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Done {
        self.number(variant.into())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        self.number(variant.into())?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Damaged> {
        self.length(length)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Damaged> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Damaged> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Damaged> {
        self.number(variant.into())?;
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, Damaged> {
        self.length(length)?;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Damaged> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Damaged> {
        self.number(variant.into())?;
        Ok(self)
    }
}

/// What follows the beginning of a list, tuple or struct: its parts.
macro_rules! parts {
    ($($of:ident $method:ident ($($name:ty)?);)*) => {
        $(impl $of for &mut Writer<'_> {
            type Ok = ();
            type Error = Damaged;

            fn $method<T: ?Sized + Serialize>(&mut self, $(_: $name,)? value: &T) -> Done {
                value.serialize(&mut **self)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

parts! {
    SerializeSeq serialize_element ();
    SerializeTuple serialize_element ();
    SerializeTupleStruct serialize_field ();
    SerializeTupleVariant serialize_field ();
    SerializeStruct serialize_field (&'static str);
    SerializeStructVariant serialize_field (&'static str);
}

impl SerializeMap for &mut Writer<'_> {
    type Ok = ();
    type Error = Damaged;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Done {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Done {
        value.serialize(&mut **self)
    }

    fn end(self) -> Done {
        Ok(())
    }
}
