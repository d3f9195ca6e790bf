use std::future::{poll_fn, Future};
use std::sync::atomic::AtomicUsize;
use std::task::{Wake, Waker};

use tokio::runtime::Builder;
use tokio::time::advance;

use super::*;

const MS: Duration = Duration::from_millis(1);

/// Runs a test on a clock that advances when all tasks wait.
fn on_a_clock(test: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(test);
}

fn timers() -> Arc<Timers> {
    let timers = Timers::new();
    tokio::spawn(timers.clone().run());
    timers
}

/// Waits for a timer; returns the milliseconds since `began`.
async fn expired(timer: &mut Timer, began: Instant) -> u128 {
    poll_fn(|cx| Pin::new(&mut *timer).poll(cx)).await;
    (now() - began).as_millis()
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn a_timer_expires_when_it_is_due_wherever_it_was_before() {
    on_a_clock(async {
        let timers = timers();
        let began = now();
        let mut timer = timers.at(began + 50 * MS);
        assert_eq!(expired(&mut timer, began).await, 50);
        // The timer stays expired until it is moved.
        assert_eq!(expired(&mut timer, began).await, 50);
        timer.move_to(began + 500 * MS);
        timer.move_to(began + 80 * MS);
        assert_eq!(expired(&mut timer, began).await, 80);
        timer.move_to(began + 90 * MS);
        timer.move_to(began + 300 * MS);
        assert_eq!(expired(&mut timer, began).await, 300);
        timer.move_to(began);
        assert_eq!(expired(&mut timer, began).await, 300);
    });
}

#[test]
fn nobody_is_woken_for_a_time_that_a_timer_had_before() {
    on_a_clock(async {
        let timers = timers();
        let woken = Arc::new(Count::default());
        let waker = Waker::from(woken.clone());
        let mut timer = timers.at(now() + 27 * MS);
        for _ in 0..100 {
            let mut cx = Context::from_waker(&waker);
            assert!(Pin::new(&mut timer).poll(&mut cx).is_pending());
            advance(20 * MS).await;
            tokio::task::yield_now().await;
            timer.move_to(now() + 27 * MS);
        }
        assert_eq!(woken.0.load(SeqCst), 0);
        sleep(28 * MS).await;
        assert_eq!(woken.0.load(SeqCst), 1);
    });
}

#[test]
fn a_place_is_free_again_after_its_timer() {
    on_a_clock(async {
        let timers = timers();
        let began = now();
        for turn in 1..=10 {
            let mut all: Vec<_> = (0..3 * BLOCK as u32)
                .map(|number| timers.at(now() + (1 + number % 7) * MS))
                .collect();
            for timer in &mut all {
                expired(timer, began).await;
            }
            assert_eq!((now() - began).as_millis(), turn * 7);
            // A timer dropped before it expires wakes no task.
            all[5].move_to(now() + MS);
        }
        assert_eq!(lock(&timers.blocks).len(), 3);
        assert_eq!(lock(&timers.free).len(), 3 * BLOCK);
    });
}

#[test]
fn many_timers_that_are_moved_at_random_expire_in_time() {
    on_a_clock(async {
        let timers = timers();
        let began = now();
        let mut state = 1_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut all: Vec<_> = (0..200).map(|_| timers.at(began)).collect();
        let mut due = vec![0_u128; all.len()];
        for _ in 0..2000 {
            let ms = (now() - began).as_millis();
            for _ in 0..random(20) {
                let which = random(200) as usize;
                due[which] = ms + u128::from(random(40));
                all[which].move_to(began + due[which] as u32 * MS);
            }
            sleep(random(3) * MS).await;
            tokio::task::yield_now().await;
            let ms = (now() - began).as_millis();
            for (timer, due) in all.iter_mut().zip(&due) {
                let mut cx = Context::from_waker(Waker::noop());
                let is_over = Pin::new(timer).poll(&mut cx).is_ready();
                assert!(is_over || ms <= *due, "{ms} of {due}");
                assert!(!is_over || ms >= *due, "{ms} of {due}");
            }
        }
    });
}
