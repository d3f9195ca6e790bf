use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Places for a limited number of connections.
pub struct Places {
    taken: Arc<AtomicUsize>,
    most: usize,
}

impl Places {
    pub fn new(most: usize) -> Self {
        Self {
            taken: Arc::default(),
            most,
        }
    }

    /// A place, unless all are taken.
    pub fn enter(&self) -> Option<Place> {
        let count = self.taken.fetch_add(1, Ordering::Relaxed);
        let place = Place(self.taken.clone());
        (count < self.most).then_some(place)
    }
}

/// Place of one connection; returned when dropped.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
