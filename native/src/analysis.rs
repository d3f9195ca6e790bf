//! libopus's analysis of a frame's tonality, shared by encoders of nearly the same sound. It takes
//! a quarter of an encoder's time at complexity 7 and above. There is no setting for this. On Linux
//! the linker puts `__wrap_run_analysis` between the encoder and its analysis (build.rs). Elsewhere
//! each encoder has its own.

/// `AnalysisInfo` of libopus 1.6 (celt/celt.h): eleven numbers and 19 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Analysis([u32; 16]);

#[cfg(not(shared_analysis))]
pub fn encode_with(_: Option<Analysis>, encode: impl FnOnce() -> usize) -> Encoded {
    (encode(), None)
}

/// Length of a payload, and its frame's own analysis if there was one.
pub type Encoded = (usize, Option<Analysis>);

#[cfg(shared_analysis)]
pub use shared::encode_with;

#[cfg(shared_analysis)]
mod shared {
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};

    use super::{Analysis, Encoded};

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
            out: *mut Analysis,
        );
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
        out: *mut Analysis,
    ) {
        if let Turn::Given(analysis) = TURN.get() {
            // SAFETY: libopus has room for one at `out`.
            unsafe { out.write(analysis) };
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
            TURN.set(Turn::Made(out.read()));
        }
    }
}
