//! The wall between a check evaluator and ox-mcp: memory, CBOR, and the
//! messages of ox:plugin@0.1.0.

#![allow(dead_code)] // a rule need not use all of it

use std::alloc::{alloc, dealloc, Layout};

const SHAPE: &str = "the message has another shape than the contract's";
const SHORT: &str = "the message ends too early";

// Memory.

/// The alignment of all that the host is given: enough for any type.
const ALIGN: usize = 8;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, ALIGN).expect("a size that fits the memory")
}

#[export_name = "cabi_realloc"]
unsafe extern "C" fn realloc(old: *mut u8, old_size: usize, align: usize, size: usize) -> *mut u8 {
    if size == 0 {
        return align as *mut u8; // an address that is not null, of no byte
    }
    let to = alloc(layout(size));
    if to.is_null() {
        panic!("there is no memory for {} bytes", size);
    }
    if old_size > 0 {
        std::ptr::copy_nonoverlapping(old, to, old_size.min(size));
        dealloc(old, layout(old_size));
    }
    to
}

/// Lifts bytes that the host wrote into memory from cabi_realloc.
unsafe fn take(at: *mut u8, size: usize) -> Vec<u8> {
    if size == 0 {
        return Vec::new();
    }
    let bytes = std::slice::from_raw_parts(at, size).to_vec();
    dealloc(at, layout(size));
    bytes
}

/// A return area: whether it failed, and where the payload is.
#[repr(C)]
struct Area {
    failed: u32,
    payload: *mut u8,
    size: usize,
}

fn hold(failed: bool, payload: Vec<u8>) -> *mut Area {
    let payload = Box::leak(payload.into_boxed_slice());
    Box::into_raw(Box::new(Area { failed: failed as u32, payload: payload.as_mut_ptr(), size: payload.len() }))
}

/// Frees an answer that the host has read.
unsafe fn release(area: *mut Area) {
    let area = Box::from_raw(area);
    drop(Box::from_raw(std::slice::from_raw_parts_mut(area.payload, area.size)));
}

// The exports.

#[export_name = "ox:plugin/check-evaluator@0.1.0#describe"]
unsafe extern "C" fn describe() -> *const *mut u8 {
    let area = hold(false, description(crate::NAME, crate::VERSION));
    std::ptr::addr_of!((*area).payload) // the area of a plain list has no first word
}

#[export_name = "cabi_post_ox:plugin/check-evaluator@0.1.0#describe"]
unsafe extern "C" fn post_describe(area: *mut u8) {
    release(area.sub(std::mem::size_of::<u32>()) as *mut Area)
}

#[export_name = "ox:plugin/check-evaluator@0.1.0#evaluate"]
unsafe extern "C" fn evaluate(at: *mut u8, size: usize) -> *mut Area {
    let request = take(at, size);
    let (code, why) = match Request::parse(&request) {
        Err(why) => ("bad_request", why.to_string()),
        Ok(q) => match crate::decide(&q) {
            Err(why) => ("eval", why),
            Ok(verdicts) => return hold(false, response(&verdicts)),
        },
    };
    hold(true, failure(code, &why))
}

#[export_name = "cabi_post_ox:plugin/check-evaluator@0.1.0#evaluate"]
unsafe extern "C" fn post_evaluate(area: *mut Area) {
    release(area)
}

// The messages.

/// The part of an EvaluateRequest that this plugin reads.
pub struct Request {
    /// The check's qualified name.
    pub check: String,
    /// Its bindings.
    pub frame: Frame,
}

impl Request {
    /// Reads [call, check, constants, functions, payload, columns, frame].
    fn parse(bytes: &[u8]) -> Result<Request, &'static str> {
        let mut r = Reader { bytes };
        r.fields(7)?;
        r.skip()?;
        let check = r.text()?;
        for _ in 0..4 {
            r.skip()?;
        }
        Ok(Request { check, frame: Frame::parse(r.cut(BYTES)?)? })
    }
}

/// How bad a violation is.
#[derive(Clone, Copy)]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

/// The word on one row. drop says that it is no violation.
pub struct Verdict {
    pub drop: bool,
    pub severity: Severity,
    pub code: String,
    pub message: String,
}

impl Verdict {
    /// The verdict that a row is no violation.
    pub fn dropped() -> Verdict {
        Verdict { drop: true, severity: Severity::Error, code: String::new(), message: String::new() }
    }
}

/// The kinds of values that a Value holds more of than its kind.
pub const NUMBER: u64 = 0;
pub const STRING: u64 = 1;
pub const INDIVIDUAL: u64 = 2;
pub const SYMBOL: u64 = 4;
pub const DAY: u64 = 18;
pub const BOOL: u64 = 19;
pub const NONE: u64 = 20;

/// One value: number is a whole number, a day or a bool, text a text or the
/// name of an individual or a symbol.
#[derive(Clone, Default)]
pub struct Value {
    pub kind: u64,
    pub number: i64,
    pub text: String,
}

impl Value {
    /// Reads a list whose first item is the kind.
    fn parse(r: &mut Reader) -> Result<Value, &'static str> {
        let mut r = Reader { bytes: r.skip()? };
        let parts = r.length(ARRAY)?;
        let mut v = Value { kind: r.head()?.1, ..Value::default() };
        match v.kind {
            // A fraction, and what is beyond 64 bits, stays 0.
            NUMBER | DAY if parts == 2 => match r.head()? {
                (UINT, n) if n <= i64::MAX as u64 => v.number = n as i64,
                (NEGATIVE, n) if n <= i64::MAX as u64 => v.number = -1 - n as i64,
                _ => {}
            },
            STRING | INDIVIDUAL | SYMBOL => v.text = r.text()?,
            _ => {}
        }
        Ok(v)
    }
}

/// A table. Its cells are 32-bit words: a small value, or the index of one in
/// the dictionary.
pub struct Frame {
    pub rows: usize,
    pub columns: usize,
    words: Vec<u32>,
    dictionary: Vec<Value>,
}

impl Frame {
    /// The value of a row in a column; both begin at 0.
    pub fn cell(&self, row: usize, column: usize) -> Value {
        let word = self.words[column * self.rows + row];
        let payload = word & ((1 << 30) - 1);
        let signed = ((word << 2) as i32 >> 2) as i64;
        match word >> 30 {
            0 => self.dictionary[payload as usize].clone(),
            1 => Value { kind: NUMBER, number: signed, ..Value::default() },
            2 => Value { kind: DAY, number: signed, ..Value::default() },
            _ if payload < 2 => Value { kind: BOOL, number: payload as i64, ..Value::default() },
            _ => Value { kind: NONE, ..Value::default() },
        }
    }

    fn parse(b: &[u8]) -> Result<Frame, &'static str> {
        const HEAD: usize = 20;
        if b.len() < HEAD || &b[..4] != b"OXF1" {
            return Err(SHAPE);
        }
        let word = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
        let (rows, columns, dictionary) = (word(4) as usize, word(8) as usize, word(16) as usize);
        let end = HEAD.checked_add(dictionary).ok_or(SHORT)?;
        let begin = end.checked_add(end.wrapping_neg() & 3).ok_or(SHORT)?;
        let cells = rows.checked_mul(columns).ok_or(SHORT)?;
        if begin > b.len() || cells > (b.len() - begin) / 4 || columns == 0 && rows > 1 {
            return Err(SHORT);
        }
        let mut r = Reader { bytes: &b[HEAD..end] };
        let mut f = Frame { rows, columns, words: Vec::new(), dictionary: Vec::new() };
        for _ in 0..r.length(ARRAY)? {
            f.dictionary.push(Value::parse(&mut r)?);
        }
        for i in 0..cells {
            let w = word(begin + 4 * i);
            if w >> 30 == 0 && w as usize >= f.dictionary.len() {
                return Err(SHAPE);
            }
            f.words.push(w);
        }
        Ok(f)
    }
}

/// Writes a Description: [abi, world, name, version].
fn description(name: &str, version: &str) -> Vec<u8> {
    let mut w = Writer::default();
    w.head(ARRAY, 4);
    for text in ["0.1.0", "check-evaluator", name, version] {
        w.text(text);
    }
    w.0
}

/// Writes an EvaluateResponse: a list of verdicts.
fn response(verdicts: &[Verdict]) -> Vec<u8> {
    let mut w = Writer::default();
    w.head(ARRAY, 1);
    w.head(ARRAY, verdicts.len() as u64);
    for v in verdicts {
        w.head(ARRAY, 4);
        w.0.push(if v.drop { 0xf5 } else { 0xf4 });
        w.head(UINT, v.severity as u64);
        w.text(&v.code);
        w.text(&v.message);
    }
    w.0
}

/// Writes a Failure: [code, message, span, limit, rule].
fn failure(code: &str, message: &str) -> Vec<u8> {
    let mut w = Writer::default();
    w.head(ARRAY, 5);
    w.text(code);
    w.text(message);
    w.0.extend_from_slice(&[0x83, 0, 0, 0, 0xf6, 0x20]); // [0, 0, 0], null, -1
    w.0
}

// CBOR.

const UINT: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, &'static str> {
        let (first, rest) = self.bytes.split_first().ok_or(SHORT)?;
        self.bytes = rest;
        Ok(*first)
    }

    /// A head: the major type, and a number.
    fn head(&mut self) -> Result<(u8, u64), &'static str> {
        let first = self.byte()?;
        let low = first & 31;
        if low < 24 {
            return Ok((first >> 5, low as u64));
        }
        if low > 27 {
            return Err(SHAPE);
        }
        let mut n = 0;
        for _ in 0..1 << (low - 24) {
            n = n << 8 | self.byte()? as u64;
        }
        Ok((first >> 5, n))
    }

    /// The length of a list or of bytes: never more than the bytes left.
    fn length(&mut self, want: u8) -> Result<usize, &'static str> {
        match self.head()? {
            (major, _) if major != want => Err(SHAPE),
            (_, n) if n > self.bytes.len() as u64 => Err(SHORT),
            (_, n) => Ok(n as usize),
        }
    }

    fn fields(&mut self, want: usize) -> Result<(), &'static str> {
        if self.length(ARRAY)? == want {
            Ok(())
        } else {
            Err(SHAPE)
        }
    }

    fn cut(&mut self, want: u8) -> Result<&'a [u8], &'static str> {
        let n = self.length(want)?;
        let (b, rest) = self.bytes.split_at(n);
        self.bytes = rest;
        Ok(b)
    }

    fn text(&mut self) -> Result<String, &'static str> {
        String::from_utf8(self.cut(TEXT)?.to_vec()).map_err(|_| SHAPE)
    }

    /// Passes over one item and gives its bytes. It does not call itself, so
    /// that no nesting is too deep.
    fn skip(&mut self) -> Result<&'a [u8], &'static str> {
        let from = self.bytes;
        let mut left = 1u64;
        while left > 0 {
            left -= 1;
            let (major, n) = self.head()?;
            if (BYTES..=MAP).contains(&major) && n > self.bytes.len() as u64 {
                return Err(SHORT);
            }
            match major {
                BYTES | TEXT => self.bytes = &self.bytes[n as usize..],
                ARRAY => left += n,
                MAP => left += 2 * n,
                TAG => left += 1,
                _ => {}
            }
        }
        Ok(&from[..from.len() - self.bytes.len()])
    }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    /// A head in its shortest form, as the host demands.
    fn head(&mut self, major: u8, n: u64) {
        let first = major << 5;
        match n {
            0..=23 => self.0.push(first | n as u8),
            24..=0xff => self.0.extend_from_slice(&[first | 24, n as u8]),
            0x100..=0xffff => {
                self.0.push(first | 25);
                self.0.extend_from_slice(&(n as u16).to_be_bytes());
            }
            0x1_0000..=0xffff_ffff => {
                self.0.push(first | 26);
                self.0.extend_from_slice(&(n as u32).to_be_bytes());
            }
            _ => {
                self.0.push(first | 27);
                self.0.extend_from_slice(&n.to_be_bytes());
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.head(TEXT, text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}
