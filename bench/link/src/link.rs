//! The command `link`: two TUN devices, a thread for each direction, and a person or program that
//! gives orders.

use crate::control::{parse, sort, Both, Request};
use crate::mover::{Command, Mover};
use crate::options::Options;
use crate::path::Path;
use crate::settings::Settings;
use crate::time::{cpu_ms, now, prioritize};
use crate::tun::{Tun, Waker};
use std::io::{stdin, stdout, BufRead, Write};
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

const OPTIONS: [&str; 5] = ["client", "server", "device", "seed", "spin-us"];

/// Above the measuring programs, which are to be served.
const PRIORITY: i32 = 40;

struct Direction {
    commands: Sender<Command>,
    waker: Arc<Waker>,
    thread: JoinHandle<()>,
}

impl Direction {
    fn tell(&self, command: Command) {
        // Fails only when the thread is gone, which ends the process anyway.
        let _ = self.commands.send(command);
        self.waker.wake();
    }

    fn stats(&self) -> String {
        let (reply, answer) = channel();
        self.tell(Command::Stats(reply));
        answer.recv().unwrap_or_else(|_| "null".into())
    }
}

struct Link {
    up: Direction,
    down: Direction,
    started: u64,
    counted_from: (u64, f64),
    priority: &'static str,
}

/// Runs until its input ends.
pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = Options::parse(arguments, &OPTIONS)?;
    let mut link = open(&options)?;
    say(&format!(
        r#"{{"ready":true,"priority":"{}"}}"#,
        link.priority
    ));
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        let answer = match parse(&line) {
            Ok(request) => link.obey(request),
            Err(error) => format!(r#"{{"error":{}}}"#, quote(&error)),
        };
        say(&answer);
    }
    say(&link.stats());
    link.up.tell(Command::Stop);
    link.down.tell(Command::Stop);
    let _ = link.up.thread.join();
    let _ = link.down.thread.join();
    Ok(())
}

fn open(options: &Options) -> Result<Link, String> {
    let words = sort(options.words.iter().map(String::as_str))?;
    let device = options.get("device", "aloud0".to_string())?;
    let client = Arc::new(Tun::open(options.text("client")?, &device)?);
    let server = Arc::new(Tun::open(options.text("server")?, &device)?);
    let seed: u64 = options.get("seed", 1)?;
    let spin = options.get("spin-us", 50u64)?.min(1_000) * 1_000;
    let priority = prioritize(PRIORITY);
    let epoch = now();
    let direction = |name: &str, stream, words: Vec<String>, from: &Arc<Tun>, to: &Arc<Tun>| {
        let mut settings = Settings::default();
        words.iter().try_for_each(|word| settings.apply(word))?;
        let waker = Arc::new(Waker::new().map_err(|error| error.to_string())?);
        let (commands, received) = channel();
        let mover = Mover {
            path: Path::new(settings, seed, stream),
            from: from.clone(),
            to: to.clone(),
            waker: waker.clone(),
            commands: received,
            epoch,
            spin,
        };
        let thread = thread::Builder::new()
            .name(name.into())
            .spawn(move || carry(mover));
        let thread = thread.map_err(|error| error.to_string())?;
        Ok::<_, String>(Direction {
            commands,
            waker,
            thread,
        })
    };
    Ok(Link {
        up: direction("up", 0, words.up, &client, &server)?,
        down: direction("down", 1, words.down, &server, &client)?,
        started: epoch,
        counted_from: (epoch, cpu_ms()),
        priority,
    })
}

fn carry(mover: Mover) {
    prioritize(PRIORITY);
    if let Err(error) = mover.run() {
        eprintln!("{error}");
        std::process::exit(3);
    }
}

impl Link {
    fn obey(&mut self, request: Request) -> String {
        match request {
            Request::Stats => return self.stats(),
            Request::Set(Both { up, down }) => {
                self.up.tell(Command::Change(up));
                self.down.tell(Command::Change(down));
            }
            Request::Steps(Both { up, down }) => {
                self.up.tell(Command::Schedule(up));
                self.down.tell(Command::Schedule(down));
            }
            Request::Seed(seed, slots) => {
                self.up.tell(Command::Seed(seed, slots));
                self.down.tell(Command::Seed(seed, slots));
            }
            Request::Restore => {
                self.up.tell(Command::Restore);
                self.down.tell(Command::Restore);
            }
            Request::Reset => {
                self.up.tell(Command::Reset);
                self.down.tell(Command::Reset);
                self.counted_from = (now(), cpu_ms());
            }
        }
        r#"{"ok":true}"#.into()
    }

    fn stats(&self) -> String {
        let (from, cpu) = self.counted_from;
        let seconds = |since: u64| (now() - since) as f64 / 1e9;
        format!(
            r#"{{"ageSeconds":{:.3},"seconds":{:.3},"cpuMs":{:.1},"priority":"{}","up":{},"down":{}}}"#,
            seconds(self.started),
            seconds(from),
            cpu_ms() - cpu,
            self.priority,
            self.up.stats(),
            self.down.stats()
        )
    }
}

fn say(line: &str) {
    // A reader that is gone has also closed our input.
    let _ = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
}

fn quote(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => " ".into(),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stays_json() {
        assert_eq!(quote("a \"b\" \\ \n c"), r#""a \"b\" \\   c""#);
    }
}
