//! Opus by libopus: encoders and decoders of mono or interleaved stereo sound. JavaScript calls
//! them on its own thread, and they allocate nothing per frame. A started frame may be encoded by
//! another thread.

use std::cell::Cell;
use std::ffi::{c_int, CStr};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{Float32ArraySlice, Result, Uint8ArraySlice};
use napi_derive::napi;
use opusic_sys as sys;

use crate::analysis::{encode_with, Analysis};
use crate::codec_pool::{pool, Job};
use crate::errors::{failed, invalid};

/// Longest Opus frame, 60 ms at 48 kHz, and its longest payload in bytes (RFC 6716, section 3.2.1).
const MAX_SAMPLES: usize = 2880;
const MAX_VALUES: usize = 2 * MAX_SAMPLES;
const MAX_BYTES: usize = 1275;

/// Lengths of Opus frames, in 1/400 s.
const LENGTHS: [u32; 6] = [1, 2, 4, 8, 16, 24];

/// Version of libopus, as it reports it.
#[napi(catch_unwind)]
pub fn opus_version() -> String {
    let text = unsafe { CStr::from_ptr(sys::opus_get_version_string()) };
    text.to_string_lossy().into_owned()
}

/// Encoder of libopus with the started frame.
struct Encoding {
    /// None once closed.
    state: Option<NonNull<sys::OpusEncoder>>,
    samples: usize,
    /// Values in a frame, of both channels.
    values: usize,
    begun: Begun,
    /// The started frame, clipped; empty before the first.
    sound: Vec<f32>,
    /// Most bytes of its payload.
    most: usize,
    /// The payload, and its length: 0 after a failure.
    payload: [u8; MAX_BYTES],
    length: usize,
    /// Encoders whose analysis it may use.
    kind: Option<Kind>,
    /// Another encoder's analysis of the started frame.
    analysis: Option<Analysis>,
}

/// Sample rate and samples of a frame. Encoders of one kind may share their analysis: in CELT mode
/// it chooses bits for each band and the prefilter's pitch, not the mode. It covers at most 20 ms
/// at once.
type Kind = (u32, u32);

/// Longest frame whose analysis may be shared, as a part of a second.
const SHARED_FRAMES: u32 = 50;

/// Sound of the frames that this thread begins.
#[derive(Clone, Copy)]
enum Alike {
    No,
    /// Alike frames, of which none was begun yet.
    First,
    /// Alike frames, with the analysis of the first one.
    Analysed(Kind, Analysis),
}

thread_local! {
    static ALIKE: Cell<Alike> = const { Cell::new(Alike::No) };
}

/// True until it is false again: the frames that this thread begins are of nearly the same sound,
/// such as the mixes of one room. Encoders for low delay then use the analysis of the first one.
#[napi(catch_unwind)]
pub fn share_analysis(is_alike: bool) {
    let shares = is_alike && cfg!(shared_analysis);
    ALIKE.set(if shares { Alike::First } else { Alike::No });
}

#[derive(Clone, Copy, PartialEq)]
enum Begun {
    Nothing,
    Waits,
    Done,
}

// SAFETY: encoders of libopus share no state, and the mutex admits one thread at a time.
unsafe impl Send for Encoding {}

impl Encoding {
    /// Encodes the started frame, unless that is done or the encoder closed. Returns its own
    /// analysis, if it made one.
    fn encode_begun(&mut self) -> Option<Analysis> {
        if self.begun != Begun::Waits {
            return None;
        }
        self.begun = Begun::Done;
        self.length = 0;
        let state = self.state?;
        // libopus leaves scratch bytes behind a payload: they aren't copied out.
        let payload = &mut self.payload[..self.most];
        let (length, analysis) = encode_with(self.analysis.take(), || {
            encode(state, &self.sound, self.samples, payload)
        });
        self.length = length;
        analysis
    }

    /// Shares the analysis of the started frame, if this thread's frames are alike; returns true
    /// when it is encoded already.
    fn share(&mut self) -> bool {
        match (self.kind, ALIKE.get()) {
            (Some(kind), Alike::Analysed(analysed, analysis)) if kind == analysed => {
                self.analysis = Some(analysis);
                false
            }
            (Some(kind), Alike::First) => {
                let analysis = self.encode_begun();
                ALIKE.set(analysis.map_or(Alike::No, |it| Alike::Analysed(kind, it)));
                true
            }
            _ => false,
        }
    }

    fn set(&mut self, request: c_int, value: c_int) -> bool {
        self.encode_begun();
        self.state.is_some_and(|state| unsafe {
            sys::opus_encoder_ctl(state.as_ptr(), request, value) == sys::OPUS_OK
        })
    }

    fn close(&mut self) {
        self.begun = Begun::Nothing;
        if let Some(state) = self.state.take() {
            unsafe { sys::opus_encoder_destroy(state.as_ptr()) };
        }
    }
}

impl Drop for Encoding {
    fn drop(&mut self) {
        self.close();
    }
}

/// Returns the payload's bytes, 0 after a failure.
fn encode(
    state: NonNull<sys::OpusEncoder>,
    sound: &[f32],
    samples: usize,
    payload: &mut [u8],
) -> usize {
    let length = unsafe {
        sys::opus_encode_float(
            state.as_ptr(),
            sound.as_ptr(),
            samples as c_int,
            payload.as_mut_ptr(),
            payload.len() as i32,
        )
    };
    usize::try_from(length)
        .ok()
        .filter(|length| *length <= payload.len())
        .unwrap_or(0)
}

/// A value that another thread may hold for a moment.
struct Shared<T>(Mutex<T>);

impl<T> Shared<T> {
    /// Waits for the thread that holds it, if one does.
    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for Shared<Encoding> {
    fn run(&self) {
        self.lock().encode_begun();
    }
}

#[napi]
pub struct OpusEncoder {
    encoding: Arc<Shared<Encoding>>,
    lookahead: u32,
}

#[napi]
impl OpusEncoder {
    /// `application` is libopus's number: 2048 for speech, 2049 for any sound, 2051 for low delay.
    /// With 2053 the packets are those of 2051, from an encoder without memory for SILK. `channels`
    /// is 1 or 2. `is_constant`: a constant bit rate for each payload, not only on average.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        sample_rate: u32,
        frame_samples: u32,
        bitrate: u32,
        complexity: u32,
        application: u32,
        channels: Option<u32>,
        is_constant: Option<bool>,
    ) -> Result<Self> {
        let channels = check_shape(sample_rate, frame_samples, channels)?;
        if !(500..=512_000).contains(&bitrate) || complexity > 10 {
            return Err(invalid("a bit rate or a complexity that Opus doesn't have"));
        }
        let application = match application {
            2048 => sys::OPUS_APPLICATION_VOIP,
            2049 => sys::OPUS_APPLICATION_AUDIO,
            2051 => sys::OPUS_APPLICATION_RESTRICTED_LOWDELAY,
            2053 => sys::OPUS_APPLICATION_RESTRICTED_CELT,
            _ => return Err(invalid("an application that Opus doesn't have")),
        };
        let is_celt = !matches!(
            application,
            sys::OPUS_APPLICATION_VOIP | sys::OPUS_APPLICATION_AUDIO
        );
        let shares = is_celt && frame_samples * SHARED_FRAMES <= sample_rate;
        let mut error = 0;
        let made = unsafe {
            sys::opus_encoder_create(
                sample_rate as i32,
                channels as c_int,
                application,
                &mut error,
            )
        };
        // From here on the encoder is freed with `encoding` on every path.
        let mut encoding = Encoding {
            state: Some(NonNull::new(made).ok_or_else(|| failed("no memory for an encoder"))?),
            samples: frame_samples as usize,
            values: frame_samples as usize * channels,
            begun: Begun::Nothing,
            sound: Vec::new(),
            most: 0,
            payload: [0; MAX_BYTES],
            length: 0,
            kind: shares.then_some((sample_rate, frame_samples)),
            analysis: None,
        };
        let mut lookahead: c_int = 0;
        let told = unsafe {
            let place = &mut lookahead as *mut c_int;
            sys::opus_encoder_ctl(made, sys::OPUS_GET_LOOKAHEAD_REQUEST, place) == sys::OPUS_OK
        };
        let taken = encoding.set(sys::OPUS_SET_BITRATE_REQUEST, bitrate as c_int)
            && encoding.set(sys::OPUS_SET_COMPLEXITY_REQUEST, complexity as c_int)
            && encoding.set(
                sys::OPUS_SET_VBR_REQUEST,
                c_int::from(is_constant != Some(true)),
            );
        if !told || !taken {
            return Err(invalid("settings that libopus doesn't take together"));
        }
        Ok(Self {
            encoding: Arc::new(Shared(Mutex::new(encoding))),
            lookahead: lookahead.max(0) as u32,
        })
    }

    /// Samples of delay between encoded and decoded sound.
    #[napi(getter, catch_unwind)]
    pub fn lookahead(&self) -> u32 {
        self.lookahead
    }

    /// Encodes one frame; returns the bytes written at `at`, or 0 without room, when `pcm` isn't
    /// one frame, or once closed.
    #[napi(catch_unwind)]
    pub fn encode(&mut self, pcm: Float32ArraySlice, mut out: Uint8ArraySlice, at: u32) -> u32 {
        let at = at as usize;
        let room = out.len().saturating_sub(at).min(MAX_BYTES);
        let mut encoding = self.encoding.lock();
        encoding.encode_begun();
        let (Some(state), true, true) = (encoding.state, pcm.len() == encoding.values, room > 1)
        else {
            return 0;
        };
        let mut sound = [MaybeUninit::<f32>::uninit(); MAX_VALUES];
        for (clipped, sample) in sound.iter_mut().zip(pcm.iter()) {
            clipped.write(clip(*sample));
        }
        let sound = unsafe { std::slice::from_raw_parts(sound.as_ptr().cast::<f32>(), pcm.len()) };
        // libopus leaves scratch bytes behind a payload: they don't belong in `out`.
        let mut payload = [0; MAX_BYTES];
        let length = encode(state, sound, encoding.samples, &mut payload[..room]);
        let out = unsafe { out.as_mut() };
        out[at..at + length].copy_from_slice(&payload[..length]);
        length as u32
    }

    /// Starts encoding one frame, with at most `most` bytes, by another thread or in `end()`. False
    /// without room, when `pcm` isn't one frame, or once closed. An earlier unfinished frame is
    /// encoded first, and its payload is lost.
    #[napi(catch_unwind)]
    pub fn begin(&mut self, pcm: Float32ArraySlice, most: u32) -> bool {
        let mut encoding = self.encoding.lock();
        encoding.encode_begun();
        if encoding.state.is_none() || pcm.len() != encoding.values || most < 2 {
            return false;
        }
        encoding.sound.clear();
        encoding
            .sound
            .extend(pcm.iter().map(|sample| clip(*sample)));
        encoding.most = (most as usize).min(MAX_BYTES);
        encoding.begun = Begun::Waits;
        encoding.analysis = None;
        let is_encoded = encoding.share();
        drop(encoding);
        if !is_encoded {
            pool().begin(self.encoding.clone());
        }
        true
    }

    /// Finishes the started frame; returns the bytes written at `at`, or 0 after a failure, without
    /// room, or when none was started.
    #[napi(catch_unwind)]
    pub fn end(&mut self, mut out: Uint8ArraySlice, at: u32) -> u32 {
        let job: Arc<dyn Job> = self.encoding.clone();
        pool().end(&job);
        let mut encoding = self.encoding.lock();
        encoding.encode_begun();
        let (length, at) = (encoding.length, at as usize);
        let is_there = encoding.begun == Begun::Done && at.saturating_add(length) <= out.len();
        encoding.begun = Begun::Nothing;
        if !is_there {
            return 0;
        }
        let out = unsafe { out.as_mut() };
        out[at..at + length].copy_from_slice(&encoding.payload[..length]);
        length as u32
    }

    /// Applies from the next frame on. False when Opus lacks it, or once closed.
    #[napi(catch_unwind)]
    pub fn set_complexity(&mut self, complexity: u32) -> bool {
        complexity <= 10
            && self
                .encoding
                .lock()
                .set(sys::OPUS_SET_COMPLEXITY_REQUEST, complexity as c_int)
    }

    /// Applies from the next frame on: true when both channels are equal, and sent as one. False
    /// once closed.
    #[napi(catch_unwind)]
    pub fn set_mono(&mut self, mono: bool) -> bool {
        let channels = if mono { 1 } else { sys::OPUS_AUTO };
        self.encoding
            .lock()
            .set(sys::OPUS_SET_FORCE_CHANNELS_REQUEST, channels)
    }

    /// Applies from the next frame on: true when frames are coded against the previous one. False
    /// once closed.
    #[napi(catch_unwind)]
    pub fn set_prediction(&mut self, predicts: bool) -> bool {
        self.encoding.lock().set(
            sys::OPUS_SET_PREDICTION_DISABLED_REQUEST,
            c_int::from(!predicts),
        )
    }

    /// Frees it, and drops the started frame. Idempotent.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.encoding.lock().close();
    }
}

/// Decoder of libopus with the started payload.
struct Decoding {
    /// None once closed.
    state: Option<NonNull<sys::OpusDecoder>>,
    sample_rate: i32,
    samples: usize,
    /// Values in a frame, of both channels.
    values: usize,
    begun: Begun,
    /// The started payload.
    payload: Vec<u8>,
    /// Its decoded frame; empty before the first.
    sound: Vec<f32>,
    is_good: bool,
}

// SAFETY: decoders of libopus share no state, and the mutex admits one thread at a time.
unsafe impl Send for Decoding {}

impl Decoding {
    /// True when a payload is Opus of one frame's duration.
    fn fits(&self, payload: &[u8]) -> bool {
        if payload.is_empty() || payload.len() > MAX_BYTES {
            return false;
        }
        let samples = unsafe {
            sys::opus_packet_get_nb_samples(
                payload.as_ptr(),
                payload.len() as i32,
                self.sample_rate,
            )
        };
        samples == self.samples as c_int
    }

    /// Decodes the started payload, unless that is done or the decoder closed.
    fn decode_begun(&mut self) {
        if self.begun != Begun::Waits {
            return;
        }
        self.begun = Begun::Done;
        self.sound.resize(self.values, 0.0);
        self.is_good = self.state.is_some_and(|state| {
            decode(
                state,
                Some(&self.payload),
                self.samples,
                self.sound.as_mut_ptr(),
            )
        });
    }

    /// Decodes to `out`, or conceals without a payload. False, and `out` untouched, when that is
    /// impossible.
    fn fill(&mut self, payload: Option<&[u8]>, mut out: Float32ArraySlice, at: u32) -> bool {
        self.decode_begun();
        self.begun = Begun::Nothing;
        let at = at as usize;
        let (Some(state), true) = (self.state, at.saturating_add(self.values) <= out.len()) else {
            return false;
        };
        let mut sound = [MaybeUninit::<f32>::uninit(); MAX_VALUES];
        if !decode(state, payload, self.samples, sound.as_mut_ptr().cast()) {
            return false;
        }
        let sound =
            unsafe { std::slice::from_raw_parts(sound.as_ptr().cast::<f32>(), self.values) };
        copy_clipped(sound, &mut unsafe { out.as_mut() }[at..]);
        true
    }

    fn close(&mut self) {
        self.begun = Begun::Nothing;
        if let Some(state) = self.state.take() {
            unsafe { sys::opus_decoder_destroy(state.as_ptr()) };
        }
    }
}

impl Drop for Decoding {
    fn drop(&mut self) {
        self.close();
    }
}

impl Job for Shared<Decoding> {
    fn run(&self) {
        self.lock().decode_begun();
    }
}

/// Decodes one frame to `sound`, which has room for it, or conceals one without a payload.
fn decode(
    state: NonNull<sys::OpusDecoder>,
    payload: Option<&[u8]>,
    samples: usize,
    sound: *mut f32,
) -> bool {
    let (bytes, length) = payload.map_or((ptr::null(), 0), |it| (it.as_ptr(), it.len() as i32));
    let decoded = unsafe {
        sys::opus_decode_float(state.as_ptr(), bytes, length, sound, samples as c_int, 0)
    };
    decoded == samples as c_int
}

fn copy_clipped(sound: &[f32], out: &mut [f32]) {
    for (place, sample) in out.iter_mut().zip(sound) {
        *place = clip(*sample);
    }
}

/// The payload of `length` bytes at `start`; empty if it isn't within its array.
fn payload_of<'a>(bytes: &'a Uint8ArraySlice<'_>, start: u32, length: u32) -> &'a [u8] {
    let (start, length) = (start as usize, length as usize);
    bytes
        .get(start..start.saturating_add(length))
        .unwrap_or(&[])
}

#[napi]
pub struct OpusDecoder {
    decoding: Arc<Shared<Decoding>>,
}

#[napi]
impl OpusDecoder {
    /// `channels`, 1 or 2, applies to the output, independent of the payloads.
    #[napi(constructor, catch_unwind)]
    pub fn new(sample_rate: u32, frame_samples: u32, channels: Option<u32>) -> Result<Self> {
        let channels = check_shape(sample_rate, frame_samples, channels)?;
        let mut error = 0;
        let made =
            unsafe { sys::opus_decoder_create(sample_rate as i32, channels as c_int, &mut error) };
        let decoding = Decoding {
            state: Some(NonNull::new(made).ok_or_else(|| failed("no memory for a decoder"))?),
            sample_rate: sample_rate as i32,
            samples: frame_samples as usize,
            values: frame_samples as usize * channels,
            begun: Begun::Nothing,
            payload: Vec::new(),
            sound: Vec::new(),
            is_good: false,
        };
        Ok(Self {
            decoding: Arc::new(Shared(Mutex::new(decoding))),
        })
    }

    /// Decodes the payload of `length` bytes at `start` to the frame at `at`. False, and `out`
    /// untouched, when it is no Opus or of another duration, when one of the two isn't within its
    /// array, or once closed.
    #[napi(catch_unwind)]
    pub fn decode(
        &mut self,
        bytes: Uint8ArraySlice,
        start: u32,
        length: u32,
        out: Float32ArraySlice,
        at: u32,
    ) -> bool {
        let payload = payload_of(&bytes, start, length);
        let mut decoding = self.decoding.lock();
        decoding.fits(payload) && decoding.fill(Some(payload), out, at)
    }

    /// Conceals a missing frame at `at`. False, and `out` untouched, once closed or when the frame
    /// isn't within `out`.
    #[napi(catch_unwind)]
    pub fn conceal(&mut self, out: Float32ArraySlice, at: u32) -> bool {
        self.decoding.lock().fill(None, out, at)
    }

    /// Starts decoding the payload of `length` bytes at `start`, by another thread or in `end()`.
    /// False when it is no Opus or of another duration, when it isn't within its array, or once
    /// closed. An earlier unfinished payload is decoded first, and its sound is lost.
    #[napi(catch_unwind)]
    pub fn begin(&mut self, bytes: Uint8ArraySlice, start: u32, length: u32) -> bool {
        let payload = payload_of(&bytes, start, length);
        let mut decoding = self.decoding.lock();
        decoding.decode_begun();
        if decoding.state.is_none() || !decoding.fits(payload) {
            return false;
        }
        decoding.payload.clear();
        decoding.payload.extend_from_slice(payload);
        decoding.begun = Begun::Waits;
        drop(decoding);
        pool().begin(self.decoding.clone());
        true
    }

    /// Finishes the started payload into the frame at `at`. False, and `out` untouched, after a
    /// failure, when the frame isn't within `out`, or when none was started.
    #[napi(catch_unwind)]
    pub fn end(&mut self, mut out: Float32ArraySlice, at: u32) -> bool {
        let job: Arc<dyn Job> = self.decoding.clone();
        pool().end(&job);
        let mut decoding = self.decoding.lock();
        decoding.decode_begun();
        let at = at as usize;
        let is_there = decoding.begun == Begun::Done
            && decoding.is_good
            && at.saturating_add(decoding.values) <= out.len();
        decoding.begun = Begun::Nothing;
        if is_there {
            copy_clipped(&decoding.sound, &mut unsafe { out.as_mut() }[at..]);
        }
        is_there
    }

    /// Frees it, and drops the started payload. Idempotent.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.decoding.lock().close();
    }
}

/// From -1 to 1; 0 for NaN.
fn clip(sample: f32) -> f32 {
    if sample.is_nan() {
        0.0
    } else {
        sample.clamp(-1.0, 1.0)
    }
}

/// Returns the number of channels, 1 by default.
fn check_shape(sample_rate: u32, frame_samples: u32, channels: Option<u32>) -> Result<usize> {
    let unit = sample_rate / 400;
    let good_rate = matches!(sample_rate, 8000 | 12000 | 16000 | 24000 | 48000);
    let channels = channels.unwrap_or(1);
    if !matches!(channels, 1 | 2) {
        return Err(invalid("a number of channels other than 1 and 2"));
    }
    if good_rate && LENGTHS.iter().any(|length| length * unit == frame_samples) {
        return Ok(channels as usize);
    }
    Err(invalid(
        "a sample rate or a frame length that Opus doesn't have",
    ))
}
