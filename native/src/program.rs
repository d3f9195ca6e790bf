//! Memory of the program's own file on Linux.

use std::fs::{read_link, File};
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;

/// Unmaps the code and the constants of the program's file: a start uses far more of them than a
/// running server. The kernel maps a page again when it is used, from its cache of files.
pub fn unmap() {
    let Ok(path) = read_link("/proc/self/exe") else {
        return;
    };
    let Ok(smaps) = File::open("/proc/self/smaps") else {
        return;
    };
    for Range { start, end } in unchanged(smaps, &path.to_string_lossy()) {
        // SAFETY: the mapping lasts as long as the program. It can't be written and has no page of
        // its own, so a later read finds the same bytes in the file.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_DONTNEED) };
    }
}

/// Addresses of a file's mappings that can't be written and have only the file's own pages.
/// Relocations, for example, leave other pages. `smaps` is as in proc_pid_smaps(5).
fn unchanged(smaps: impl Read, path: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut mapping = None;
    for line in BufReader::new(smaps).lines().map_while(Result::ok) {
        let mut words = line.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next());
        if let Some(range) = range_of(first) {
            let is_constant = matches!(second, Some("r--p" | "r-xp"));
            let is_its = line.splitn(6, ' ').nth(5).map(str::trim_start) == Some(path);
            mapping = Some(range).filter(|_| is_constant && is_its);
        } else if first == "Anonymous:" && second != Some("0") {
            mapping = None;
        } else if first == "Swap:" && second == Some("0") {
            found.extend(mapping.take());
        }
    }
    found
}

/// Reads the addresses of a mapping, such as `00400000-00b6f000`.
fn range_of(word: &str) -> Option<Range<usize>> {
    let (start, end) = word.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(address(start)?..address(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that count, of a program with a relocated part that was swapped out.
    const SMAPS: &str = "\
00400000-00b6f000 r--p 00000000 fe:00 7        /opt/a b/node
Size:               7612 kB
Anonymous:             0 kB
Swap:                  0 kB
00b72000-025fd000 r-xp 00772000 fe:00 7        /opt/a b/node
Anonymous:             0 kB
Swap:                  0 kB
02601000-0563a000 r-xp 02201000 fe:00 7        /opt/a b/node
Anonymous:             4 kB
Swap:                  0 kB
0563a000-0563e000 r--p 05239000 fe:00 7        /opt/a b/node
Anonymous:             0 kB
Swap:                 16 kB
0563e000-0565c000 rw-p 0523d000 fe:00 7        /opt/a b/node
Anonymous:             0 kB
Swap:                  0 kB
0567c000-0567d000 r-xp 00000000 fe:00 8        /lib/node
Anonymous:             0 kB
Swap:                  0 kB
0567d000-0567e000 r-xp 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
";

    #[test]
    fn only_unchanged_mappings_of_the_file_are_found() {
        let found = unchanged(SMAPS.as_bytes(), "/opt/a b/node");
        assert_eq!(found, [0x0040_0000..0x00b6_f000, 0x00b7_2000..0x025f_d000]);
        assert!(unchanged(SMAPS.as_bytes(), "/opt/a").is_empty());
    }

    #[test]
    fn other_text_has_no_mappings() {
        for text in ["", "-", "r--p", "zz-1 r--p 0 0 0 /a", "1-2\nSwap: 0 kB"] {
            assert!(unchanged(text.as_bytes(), "/a").is_empty(), "{text}");
        }
    }
}
