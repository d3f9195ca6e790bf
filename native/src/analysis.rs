//! libopus's analysis of a frame, shared by encoders of nearly the same sound. Tonality takes a
//! quarter of an encoder's time at complexity 7 and above, and the pitch a fifth of the rest. There
//! is no setting for this. On Linux the linker puts the functions `__wrap_…` between the encoder
//! and its analysis (build.rs). Elsewhere each encoder has its own.

#[cfg(shared_analysis)]
pub use shared::{encode_with, Analysis};

/// Length of a payload, and its frame's own analysis if there was one.
pub type Encoded = (usize, Option<Analysis>);

/// None is shared here.
#[cfg(not(shared_analysis))]
#[derive(Clone, Copy)]
pub enum Analysis {}

#[cfg(not(shared_analysis))]
pub fn encode_with(_: Option<Analysis>, encode: impl FnOnce() -> usize) -> Encoded {
    (encode(), None)
}

#[cfg(shared_analysis)]
mod shared {
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};

    use super::Encoded;

    /// `AnalysisInfo` of libopus 1.6 (celt/celt.h): eleven numbers and 19 bytes.
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Tonality([u32; 16]);

    /// Pitch of a frame: its period in samples, and its gain. An encoder drops a pitch that makes
    /// its sound no softer when it is filtered out (`cancel_pitch` in celt/celt_encoder.c).
    #[derive(Clone, Copy)]
    struct Pitch {
        period: c_int,
        gain: f32,
    }

    /// An encoder's analysis of a frame.
    #[derive(Clone, Copy)]
    pub struct Analysis {
        tonality: Tonality,
        /// None when the encoder searched for no pitch, as in a single tone.
        pitch: Option<Pitch>,
    }

    #[derive(Clone, Copy)]
    enum Turn {
        /// The next analysis is the encoder's own.
        Own,
        /// The analysis that this encoder made.
        Made(Analysis),
        /// Another encoder made it.
        Given(Analysis),
    }

    thread_local! {
        static TURN: Cell<Turn> = const { Cell::new(Turn::Own) };
    }

    /// Encodes a frame of at most 20 ms with this analysis in place of the encoder's own.
    pub fn encode_with(given: Option<Analysis>, encode: impl FnOnce() -> usize) -> Encoded {
        TURN.set(given.map_or(Turn::Own, Turn::Given));
        let length = encode();
        match TURN.replace(Turn::Own) {
            Turn::Made(analysis) => (length, Some(analysis)),
            Turn::Own | Turn::Given(_) => (length, None),
        }
    }

    /// libopus's type `downmix_func`, which is passed on.
    type Downmix = *const c_void;

    extern "C" {
        fn __real_run_analysis(
            state: *mut c_void,
            mode: *const c_void,
            pcm: *const c_void,
            analysis_samples: c_int,
            samples: c_int,
            first: c_int,
            second: c_int,
            channels: c_int,
            sample_rate: i32,
            depth: c_int,
            downmix: Downmix,
            out: *mut Tonality,
        );
        fn __real_pitch_downsample(
            sound: *const *mut f32,
            low: *mut f32,
            samples: c_int,
            channels: c_int,
            factor: c_int,
            arch: c_int,
        );
        fn __real_pitch_search(
            low: *const f32,
            all: *mut f32,
            samples: c_int,
            most: c_int,
            lag: *mut c_int,
            arch: c_int,
        );
        fn __real_remove_doubling(
            low: *mut f32,
            longest: c_int,
            shortest: c_int,
            samples: c_int,
            period: *mut c_int,
            last_period: c_int,
            last_gain: f32,
            arch: c_int,
        ) -> f32;
    }

    /// Pitch of another encoder's frame, if this thread's encoder uses one.
    fn given_pitch() -> Option<Pitch> {
        match TURN.get() {
            Turn::Given(analysis) => analysis.pitch,
            Turn::Own | Turn::Made(_) => None,
        }
    }

    /// # Safety
    /// libopus alone calls it, with the arguments of its own `run_analysis` (src/analysis.h).
    #[no_mangle]
    #[allow(clippy::too_many_arguments)]
    unsafe extern "C" fn __wrap_run_analysis(
        state: *mut c_void,
        mode: *const c_void,
        pcm: *const c_void,
        analysis_samples: c_int,
        samples: c_int,
        first: c_int,
        second: c_int,
        channels: c_int,
        sample_rate: i32,
        depth: c_int,
        downmix: Downmix,
        out: *mut Tonality,
    ) {
        if let Turn::Given(analysis) = TURN.get() {
            // SAFETY: libopus has room for one at `out`.
            unsafe { out.write(analysis.tonality) };
            return;
        }
        // SAFETY: the arguments are libopus's; it has filled `out` afterwards.
        unsafe {
            __real_run_analysis(
                state,
                mode,
                pcm,
                analysis_samples,
                samples,
                first,
                second,
                channels,
                sample_rate,
                depth,
                downmix,
                out,
            );
            TURN.set(Turn::Made(Analysis {
                tonality: out.read(),
                pitch: None,
            }));
        }
    }

    // The next three are called in this order, by encoders only to find the pitch. Decoders call
    // the first two to conceal, and never during a turn.

    /// # Safety
    /// libopus alone calls it, with the arguments of its own `pitch_downsample` (celt/pitch.h).
    #[no_mangle]
    unsafe extern "C" fn __wrap_pitch_downsample(
        sound: *const *mut f32,
        low: *mut f32,
        samples: c_int,
        channels: c_int,
        factor: c_int,
        arch: c_int,
    ) {
        if given_pitch().is_none() {
            // SAFETY: the arguments are libopus's.
            unsafe { __real_pitch_downsample(sound, low, samples, channels, factor, arch) };
        }
    }

    /// # Safety
    /// libopus alone calls it, with the arguments of its own `pitch_search` (celt/pitch.h).
    #[no_mangle]
    unsafe extern "C" fn __wrap_pitch_search(
        low: *const f32,
        all: *mut f32,
        samples: c_int,
        most: c_int,
        lag: *mut c_int,
        arch: c_int,
    ) {
        // SAFETY: the arguments are libopus's, with room for a lag.
        unsafe {
            if given_pitch().is_some() {
                lag.write(0);
            } else {
                __real_pitch_search(low, all, samples, most, lag, arch);
            }
        }
    }

    /// # Safety
    /// libopus alone calls it, with the arguments of its own `remove_doubling` (celt/pitch.h).
    #[no_mangle]
    #[allow(clippy::too_many_arguments)]
    unsafe extern "C" fn __wrap_remove_doubling(
        low: *mut f32,
        longest: c_int,
        shortest: c_int,
        samples: c_int,
        period: *mut c_int,
        last_period: c_int,
        last_gain: f32,
        arch: c_int,
    ) -> f32 {
        if let Some(pitch) = given_pitch() {
            // SAFETY: libopus has room for a period.
            unsafe { period.write(pitch.period) };
            return pitch.gain;
        }
        // SAFETY: the arguments are libopus's; it has changed `period` afterwards.
        let (gain, period) = unsafe {
            let gain = __real_remove_doubling(
                low,
                longest,
                shortest,
                samples,
                period,
                last_period,
                last_gain,
                arch,
            );
            (gain, period.read())
        };
        if let Turn::Made(mut analysis) = TURN.get() {
            analysis.pitch = Some(Pitch { period, gain });
            TURN.set(Turn::Made(analysis));
        }
        gain
    }
}
