use std::future::poll_fn;
use std::net::Ipv4Addr;

use futures::FutureExt;
use tokio::runtime::Builder;
use tokio::time::Instant;

use super::*;

const MOST: usize = 4;

fn bound() -> UdpSocket {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()
}

/// Waits for datagrams; returns the first byte of each.
async fn received(socket: &ReadSocket) -> Vec<u8> {
    let mut bytes = [[0; 100]; MOST];
    let mut meta = [RecvMeta::default(); MOST];
    let mut bufs = bytes.each_mut().map(|each| IoSliceMut::new(each));
    let count = poll_fn(|cx| socket.poll_recv(cx, &mut bufs, &mut meta)).await;
    bytes[..count.unwrap()].iter().map(|each| each[0]).collect()
}

#[test]
fn all_that_comes_is_read_in_batches() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let socket = ReadSocket::new(bound(), true).unwrap();
        let other = bound();
        other.connect(socket.local_addr().unwrap()).unwrap();
        for turn in 0..50 {
            assert_eq!(received(&socket).now_or_never(), None);
            // Bursts are of one datagram to more than two batches.
            let count = 1 + turn % (2 * MOST as u8 + 2);
            for number in 0..count {
                other.send(&[number]).unwrap();
            }
            let mut numbers = Vec::new();
            while numbers.len() < usize::from(count) {
                numbers.extend(received(&socket).await);
            }
            assert!(numbers.into_iter().eq(0..count));
        }
    });
}

#[test]
fn a_full_socket_is_tried_again() {
    let paused = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    paused.unwrap().block_on(async {
        let socket = Arc::new(ReadSocket::new(bound(), true).unwrap());
        let mut rooms = [(); 2].map(|()| socket.clone().create_io_poller());
        let began = Instant::now();
        for room in &mut rooms {
            poll_fn(|cx| room.as_mut().poll_writable(cx)).await.unwrap();
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..3 {
            let began = Instant::now();
            socket.is_full.store(true, Ordering::Relaxed);
            for room in &mut rooms {
                poll_fn(|cx| room.as_mut().poll_writable(cx)).await.unwrap();
            }
            assert!(began.elapsed() >= RETRY_AFTER);
        }
    });
}
