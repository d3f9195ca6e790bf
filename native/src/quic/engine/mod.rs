//! What differs between quinn and noq: two files with the same functions, one for each.

#[cfg(not(feature = "noq"))]
mod with_quinn;
#[cfg(not(feature = "noq"))]
pub use with_quinn::*;

#[cfg(feature = "noq")]
mod with_noq;
#[cfg(feature = "noq")]
pub use with_noq::*;
