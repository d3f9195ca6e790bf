use napi::bindgen_prelude::{Error, Status};

pub fn invalid(reason: impl ToString) -> Error {
    Error::new(Status::InvalidArg, reason.to_string())
}

pub fn failed(reason: impl ToString) -> Error {
    Error::new(Status::GenericFailure, reason.to_string())
}
