//! QPACK (RFC 9204) without a dynamic table: our SETTINGS allow none, so that field sections are
//! read on their own.

use httlib_huffman::DecoderSpeed;

use crate::h3::static_table::STATIC_TABLE;
use crate::h3::wire::MAX_FIELD_SECTION;

/// Size of a field beyond its name and value (RFC 9114, section 4.2.2).
const FIELD_OVERHEAD: usize = 32;

/// A header field or pseudo-header field, with any bytes as value.
#[derive(Debug, PartialEq, Clone)]
pub struct Field {
    pub name: Vec<u8>,
    pub value: Vec<u8>,
}

#[derive(Debug, PartialEq)]
pub enum Undecodable {
    /// Invalid QPACK, or a reference to a missing table.
    Malformed,
    /// The fields are larger than our SETTINGS allow.
    TooLarge,
}

use Undecodable::{Malformed, TooLarge};

/// Decodes a field section (section 4.5).
pub fn decode(section: &[u8]) -> Result<Vec<Field>, Undecodable> {
    let mut rest = section;
    let required_inserts = integer(&mut rest, 8)?;
    let _base = integer(&mut rest, 7)?;
    if required_inserts != 0 {
        return Err(Malformed);
    }
    let mut fields = Vec::new();
    let mut size = 0;
    while let Some(&first) = rest.first() {
        let field = match first >> 4 {
            // Indexed field line, without the dynamic table's bit 0x40.
            0b1100..=0b1111 => {
                let (name, value) = entry(&mut rest, 6)?;
                Field {
                    name: name.into(),
                    value: value.into(),
                }
            }
            // Literal with a name from the static table.
            0b0101 | 0b0111 => Field {
                name: entry(&mut rest, 4)?.0.into(),
                value: string(&mut rest, 7)?,
            },
            // Literal with a literal name.
            0b0010 | 0b0011 => Field {
                name: string(&mut rest, 3)?,
                value: string(&mut rest, 7)?,
            },
            _ => return Err(Malformed),
        };
        size += field.name.len() + field.value.len() + FIELD_OVERHEAD;
        if size > MAX_FIELD_SECTION as usize {
            return Err(TooLarge);
        }
        fields.push(field);
    }
    Ok(fields)
}

/// Encodes a field section. Names are in lower case.
pub fn encode(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut section = vec![0, 0];
    for &(name, value) in fields {
        let whole = STATIC_TABLE
            .iter()
            .position(|&(n, v)| n == name && v.as_bytes() == value);
        let named = STATIC_TABLE.iter().position(|&(n, _)| n == name);
        if let Some(index) = whole {
            put_integer(&mut section, 6, 0b1100_0000, index);
            continue;
        }
        match named {
            Some(index) => put_integer(&mut section, 4, 0b0101_0000, index),
            None => put_string(&mut section, 3, 0b0010_0000, name.as_bytes()),
        }
        put_string(&mut section, 7, 0, value);
    }
    section
}

fn entry(from: &mut &[u8], bits: u32) -> Result<(&'static str, &'static str), Undecodable> {
    let index = integer(from, bits)?;
    STATIC_TABLE.get(index).copied().ok_or(Malformed)
}

/// Reads an integer that begins in the lowest bits of the next byte (RFC 7541, section 5.1).
fn integer(from: &mut &[u8], bits: u32) -> Result<usize, Undecodable> {
    let mask = (1 << bits) - 1;
    let mut value = usize::from(next(from)?) & mask;
    if value < mask {
        return Ok(value);
    }
    let mut shift = 0;
    loop {
        let byte = next(from)?;
        // Nothing here is as large as 2^28.
        if shift > 21 {
            return Err(Malformed);
        }
        value += usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
}

/// Reads a string. Its length begins in the lowest bits of the next byte, after the Huffman bit
/// (RFC 9204, section 4.1.2).
fn string(from: &mut &[u8], bits: u32) -> Result<Vec<u8>, Undecodable> {
    let coded = from.first().ok_or(Malformed)? >> bits & 1 == 1;
    let length = integer(from, bits)?;
    let (bytes, rest) = from.split_at_checked(length).ok_or(Malformed)?;
    *from = rest;
    if !coded {
        return Ok(bytes.to_vec());
    }
    let mut decoded = Vec::with_capacity(length * 8 / 5);
    httlib_huffman::decode(bytes, &mut decoded, DecoderSpeed::FourBits).map_err(|_| Malformed)?;
    Ok(decoded)
}

fn next(from: &mut &[u8]) -> Result<u8, Undecodable> {
    let (&byte, rest) = from.split_first().ok_or(Malformed)?;
    *from = rest;
    Ok(byte)
}

fn put_integer(into: &mut Vec<u8>, bits: u32, flags: u8, value: usize) {
    let mask = (1 << bits) - 1;
    if value < mask {
        into.push(flags | value as u8);
        return;
    }
    into.push(flags | mask as u8);
    let mut rest = value - mask;
    while rest >= 0x80 {
        into.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    into.push(rest as u8);
}

fn put_string(into: &mut Vec<u8>, bits: u32, flags: u8, bytes: &[u8]) {
    put_integer(into, bits, flags, bytes.len());
    into.extend_from_slice(bytes);
}

#[cfg(test)]
#[path = "qpack_tests.rs"]
mod tests;
