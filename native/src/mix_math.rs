//! Arithmetic on the sound of a tick. It gives JavaScript's results, bit for bit except for the
//! rounding of a level: `server/codec/mix-math.js` has the same functions, and the comments.

use napi::bindgen_prelude::{Float32ArraySlice, Result};
use napi_derive::napi;

use crate::errors::invalid;

/// Largest peak that passes.
const CEILING: f64 = 0.95;

/// Time constant of the gain's return to 1, in seconds.
const RELEASE_SECONDS: f64 = 0.1;

/// Length of a segment, in samples.
const SEGMENT_SAMPLES: u32 = 32;

/// Gain above which it counts as 1.
const WHOLE_GAIN: f64 = 0.9999;

/// Level of silence, in -dBov.
const SILENT_LEVEL: f64 = 127.0;

/// Values that are processed side by side.
const LANES: usize = 8;

/// Fills `out` with the sum of the sounds, added in their order. Throws when one has another length
/// than `out`, or shares its memory.
#[napi(catch_unwind)]
pub fn sum_sounds(mut out: Float32ArraySlice, sounds: Vec<Float32ArraySlice>) -> Result<()> {
    for sound in &sounds {
        check_beside(&out, sound)?;
    }
    // SAFETY: this is JavaScript's thread, and no sound shares the memory of `out`.
    let out = unsafe { out.as_mut() };
    let Some((first, others)) = sounds.split_first() else {
        out.fill(0.0);
        return Ok(());
    };
    out.copy_from_slice(first);
    for sound in others {
        for (sum, sample) in out.iter_mut().zip(sound.iter()) {
            *sum += sample;
        }
    }
    Ok(())
}

/// Measures the level of `samples` values from `at` on, in -dBov: 0 to 127. Throws when they aren't
/// within `pcm`.
#[napi(catch_unwind)]
pub fn level_of(pcm: Float32ArraySlice, at: u32, samples: u32) -> Result<u32> {
    let at = at as usize;
    let values = pcm.get(at..at.saturating_add(samples as usize));
    values
        .map(level)
        .ok_or_else(|| invalid("a frame outside of its array"))
}

/// Peak limiter of one stream.
#[napi]
pub struct MixLimiter {
    gain: f64,
    release: f64,
    channels: usize,
}

#[napi]
impl MixLimiter {
    #[napi(constructor, catch_unwind)]
    pub fn new(sample_rate: u32, channels: u32) -> Result<Self> {
        if sample_rate == 0 || !matches!(channels, 1 | 2) {
            return Err(invalid("a limiter without samples, or of other channels"));
        }
        let release = f64::from(SEGMENT_SAMPLES) / (RELEASE_SECONDS * f64::from(sample_rate));
        Ok(Self {
            gain: 1.0,
            release: 1.0 - (-release).exp(),
            channels: channels as usize,
        })
    }

    /// Limits one frame in place; returns its level.
    #[napi(catch_unwind)]
    pub fn limit(&mut self, mut pcm: Float32ArraySlice) -> u32 {
        // SAFETY: this is JavaScript's thread, so nothing else touches the array in the meantime.
        self.process(unsafe { pcm.as_mut() })
    }

    /// Fills `out` with a frame of `full` without `own`, limited; returns its level. Throws when
    /// one has another length than `out`, or shares its memory.
    #[napi(catch_unwind)]
    pub fn limit_less(
        &mut self,
        mut out: Float32ArraySlice,
        full: Float32ArraySlice,
        own: Float32ArraySlice,
    ) -> Result<u32> {
        check_beside(&out, &full)?;
        check_beside(&out, &own)?;
        // SAFETY: this is JavaScript's thread, and neither array shares the memory of `out`.
        let out = unsafe { out.as_mut() };
        for ((out, full), own) in out.iter_mut().zip(full.iter()).zip(own.iter()) {
            *out = full - own;
        }
        Ok(self.process(out))
    }

    fn process(&mut self, pcm: &mut [f32]) -> u32 {
        let segment = SEGMENT_SAMPLES as usize * self.channels;
        let mut target = allowed(pcm, 0, segment);
        let mut gain = self.gain.min(target);
        for start in (0..pcm.len()).step_by(segment) {
            let end = (start + segment).min(pcm.len());
            let next = allowed(pcm, end, segment);
            let released = gain + (1.0 - gain) * self.release;
            let released = if released > WHOLE_GAIN { 1.0 } else { released };
            let goal = released.min(target).min(next);
            if gain != 1.0 || goal != 1.0 {
                ramp(&mut pcm[start..end], self.channels, gain, goal);
            }
            gain = goal;
            target = next;
        }
        self.gain = gain;
        level(pcm)
    }
}

/// Changes the gain linearly over a segment.
fn ramp(segment: &mut [f32], channels: usize, gain: f64, goal: f64) {
    let step = (goal - gain) * channels as f64 / segment.len() as f64;
    let mut moving = gain;
    for samples in segment.chunks_mut(channels) {
        moving += step;
        for sample in samples {
            *sample = (f64::from(*sample) * moving) as f32;
        }
    }
}

/// Largest gain that keeps the segment from `start` on below the ceiling.
fn allowed(pcm: &[f32], start: usize, segment: usize) -> f64 {
    let end = (start + segment).min(pcm.len());
    CEILING / f64::from(peak(&pcm[start.min(end)..end])).max(CEILING)
}

/// Largest magnitude, where NaN has none.
fn peak(pcm: &[f32]) -> f32 {
    let mut peaks = [0.0; LANES];
    let (whole, rest) = pcm.as_chunks::<LANES>();
    for values in whole {
        for (peak, value) in peaks.iter_mut().zip(values) {
            let size = value.abs();
            *peak = if size > *peak { size } else { *peak };
        }
    }
    rest.iter()
        .map(|value| value.abs())
        .chain(peaks)
        .fold(0.0, |peak, size| if size > peak { size } else { peak })
}

fn level(pcm: &[f32]) -> u32 {
    let mut powers = [0.0; LANES];
    let (whole, rest) = pcm.as_chunks::<LANES>();
    for values in whole {
        for (power, value) in powers.iter_mut().zip(values) {
            let value = f64::from(*value);
            *power += value * value;
        }
    }
    let rest = rest.iter().map(|value| f64::from(*value).powi(2));
    let power = powers.into_iter().chain(rest).sum::<f64>();
    if power.is_nan() || power <= 0.0 {
        return SILENT_LEVEL as u32;
    }
    let level = -10.0 * (power / pcm.len() as f64).log10();
    level.round().clamp(0.0, SILENT_LEVEL) as u32
}

/// Refuses an array of another length, or of the same memory.
fn check_beside(out: &[f32], other: &[f32]) -> Result<()> {
    let (ours, theirs) = (out.as_ptr_range(), other.as_ptr_range());
    let overlaps = ours.start < theirs.end && theirs.start < ours.end;
    if out.len() != other.len() || overlaps {
        return Err(invalid("sound of another length, or in the same memory"));
    }
    Ok(())
}
