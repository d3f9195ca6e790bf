use std::collections::HashMap;
use std::str::FromStr;

/// Command line options of the form `--name value`, and the words that follow them.
pub struct Options {
    named: HashMap<String, String>,
    pub words: Vec<String>,
}

impl Options {
    pub fn parse(arguments: impl Iterator<Item = String>, known: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            named: HashMap::new(),
            words: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("--") {
                None => options.words.push(argument),
                Some(name) if known.contains(&name) => {
                    let value = arguments
                        .next()
                        .ok_or_else(|| format!("--{name} wants a value"))?;
                    options.named.insert(name.to_string(), value);
                }
                Some(name) => return Err(format!("there is no option --{name}")),
            }
        }
        Ok(options)
    }

    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.named
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| format!("--{name} is missing"))
    }

    pub fn get<T: FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        match self.named.get(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("--{name} can't be {text:?}")),
        }
    }
}
