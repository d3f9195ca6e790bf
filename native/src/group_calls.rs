use napi::bindgen_prelude::{Uint32ArraySlice, Uint8ArraySlice};
use napi_derive::napi;

use crate::port::Port;
use crate::session::framed;

#[napi]
impl Port {
    /// Makes a group of the first `count` of these sessions, or replaces its sessions; an empty
    /// group is removed. Returns false when there are too many groups.
    #[napi(catch_unwind)]
    pub fn group_set(&self, group: u32, ids: Uint32ArraySlice, count: u32) -> bool {
        let count = ids.len().min(count as usize);
        self.groups
            .set(group, self.registry.weak_sessions(&ids[..count]))
    }

    /// Sends one datagram to a group's sessions, soon and in order; returns their number.
    #[napi(catch_unwind)]
    pub fn group_send(&self, group: u32, bytes: Uint8ArraySlice) -> u32 {
        self.groups.send(&self.registry.hub, group, &framed(&bytes)) as u32
    }
}
