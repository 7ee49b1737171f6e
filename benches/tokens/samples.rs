//! Sample texts of the kinds that agents read, from the repository or generated. They are the same in each run.

#![allow(clippy::expect_used, reason = "only tests and benches read these")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base64::Engine as _;

/// Lines of a generated text.
const LINES: u64 = 200;

/// Returns the name and the text of each kind.
pub(crate) fn samples() -> Vec<(&'static str, String)> {
    let mut random = Random(7);
    vec![
        ("Rust", files(&["src/fs/workspace.rs", "src/search/walk.rs", "core/src/text/decode.rs"])),
        ("Python", files(&["tests/differential/globs.py", "tests/clients/wrap.py", "packaging/archive.py"])),
        ("JavaScript", files(&["tests/clients/typescript_sdk.mjs", "packaging/npm/bin/cutline.js"])),
        ("JavaScript, minified", minified(&mut random)),
        ("JSON", files(&["fixtures/tools-list.json", "fixtures/scenarios/bash/head-and-tail.json"])),
        ("lock file", files(&["Cargo.lock"])),
        ("YAML", files(&[".github/workflows/ci.yml"])),
        ("English, Markdown", files(&["docs/architecture.md", "docs/troubleshooting.md"])),
        ("German", files(&["fixtures/tokens/german.txt"])),
        ("French", files(&["fixtures/tokens/french.txt"])),
        ("Russian", files(&["fixtures/tokens/russian.txt"])),
        ("Japanese", files(&["fixtures/tokens/japanese.txt"])),
        ("Chinese", files(&["fixtures/tokens/chinese.txt"])),
        ("HTML", html(&mut random)),
        ("CSV", csv(&mut random)),
        ("`ls -l`", listing(&mut random)),
        ("log", log(&mut random)),
        ("stack trace", stack_traces(&mut random)),
        ("diff", diff(&mut random)),
        ("test output", test_output(&mut random)),
        ("hexadecimal", hexadecimal(&mut random)),
        ("numbers", numbers(&mut random)),
        ("base64", base64::engine::general_purpose::STANDARD.encode(random.bytes(9000))),
        ("words and emoji", emoji(&mut random)),
    ]
}

/// A deterministic generator of pseudorandom numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // Knuth's generator. Its upper bits are the most random.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(of.len() as u64)).expect("an index");
        of.get(at).expect("one of them")
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

fn files(paths: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    paths.iter().map(|path| fs::read_to_string(root.join(path)).expect("a file of the repository")).collect()
}

/// Returns `LINES` lines that `line` writes.
fn lines(
    random: &mut Random,
    mut line: impl FnMut(&mut String, &mut Random, u64) -> std::fmt::Result,
) -> String {
    let mut text = String::new();
    for n in 0..LINES {
        line(&mut text, random, n).expect("a line");
        text.push('\n');
    }
    text
}

fn minified(random: &mut Random) -> String {
    let statements = [
        "function a(e,t){return e&&e.length?t(e[0]):void 0}",
        "var n=r(12),o=n.extend({init:function(e){this.options=e||{},this._bind()},",
        "t.prototype.render=function(){var e=this.state,t=e.items;return t.map(function(e){return u(\"li\",{key:e.id},e.name)})},",
        "if(!i)throw new TypeError(\"Expected a function\");",
        "for(var s=0,c=e.length;s<c;s++)l.push(f(e[s],s));",
        "Object.defineProperty(t,\"__esModule\",{value:!0}),t.default=void 0;",
        "switch(p){case 0:return d.label=1,[4,fetch(h+\"/api/items?page=\"+m)];case 1:return[2,(g=d.sent()).json()]}",
        "null==y?v.removeAttribute(b):v.setAttribute(b,\"function\"==typeof y?y():y),",
        "const{width:x,height:w}=k.getBoundingClientRect();S=Math.max(1,Math.round(x/w*100)/100);",
        "return(e=>e.test(navigator.userAgent))(/iPad|iPhone|Android/i)?\"mobile\":\"desktop\"",
    ];
    (0..120).map(|_| random.one(&statements)).collect()
}

fn html(random: &mut Random) -> String {
    let words =
        ["Overview", "Settings", "Search the docs", "Read more about limits", "Download", "Release notes"];
    lines(random, |text, random, n| {
        let (id, label) = (random.below(900), random.one(&words));
        match n % 4 {
            0 => write!(text, "  <div class=\"card card-{n}\" id=\"item-{id}\">"),
            1 => write!(text, "    <a href=\"/guide/{id}/index.html\" title=\"{label}\">{label}</a>"),
            2 => write!(
                text,
                "    <p>Last change on <time datetime=\"2026-03-{:02}\">{label}</time>.</p>",
                n % 28 + 1
            ),
            _ => write!(text, "  </div>"),
        }
    })
}

fn csv(random: &mut Random) -> String {
    lines(random, |text, random, n| {
        let city = random.one(&["Hamburg", "Lyon", "Porto", "Gdansk", "Oslo"]);
        let (year, price) = (2015 + random.below(10), random.below(100_000));
        write!(text, "{n},{city},{year}-{:02}-{:02},", random.below(12) + 1, random.below(28) + 1)?;
        write!(text, "{}.{:02},{}", price / 100, price % 100, random.one(&["open", "paid", "cancelled"]))
    })
}

fn listing(random: &mut Random) -> String {
    lines(random, |text, random, n| {
        let (kind, links) = random.one(&["drwxr-xr-x 4", "-rw-r--r-- 1", "-rwxr-xr-x 1"]).split_at(10);
        let name = random.one(&[
            "main.rs",
            "config",
            "index.html",
            "build_info.json",
            "README.md",
            "lib",
            "test-data",
        ]);
        let (size, month) = (random.below(200_000), random.one(&["Jan", "Mar", "Jul", "Nov"]));
        write!(text, "{kind}{links} root root {size:>7} {month} {:>2} ", random.below(28) + 1)?;
        write!(text, "{:02}:{:02} {n}_{name}", random.below(24), random.below(60))
    })
}

fn log(random: &mut Random) -> String {
    lines(random, |text, random, n| {
        let level = random.one(&["INFO", "WARN", "ERROR", "DEBUG"]);
        let module = random.one(&["gateway::http", "store::pool", "jobs.scheduler"]);
        let (minutes, seconds) = (n / 60, n % 60);
        write!(
            text,
            "2026-02-11T09:{minutes:02}:{seconds:02}.{:03}Z {level:<5} {module}: ",
            random.below(1000)
        )?;
        match random.below(4) {
            0 => write!(
                text,
                "request finished status={} ms={}",
                random.one(&["200", "404", "503"]),
                random.below(900)
            ),
            1 => write!(text, "connection from 10.1.{}.{} closed", random.below(256), random.below(256)),
            2 => write!(text, "retrying job {:08x}, attempt {}", random.below(1 << 32), random.below(6)),
            _ => {
                write!(text, "could not read /var/lib/app/cache/{}: permission denied", random.below(10_000))
            }
        }
    })
}

fn stack_traces(random: &mut Random) -> String {
    lines(random, |text, random, n| {
        let line = random.below(800) + 1;
        let name = random.one(&["load_settings", "handle_request", "parse_header", "open_connection"]);
        match n % 8 {
            0 => write!(text, "Traceback (most recent call last):"),
            1..=3 => write!(
                text,
                "  File \"/srv/app/{name}.py\", line {line}, in {name}\n    return self.{name}(value)"
            ),
            4 => writeln!(text, "ValueError: invalid literal for int() with base 10: '{name}'"),
            5 => write!(text, "Exception in thread \"main\" java.lang.IllegalStateException: pool is closed"),
            6 => write!(text, "\tat com.example.orders.OrderService.findById(OrderService.java:{line})"),
            _ => write!(text, "    at async Server.handle (/srv/web/dist/server.js:{line}:{})", line % 60),
        }
    })
}

fn diff(random: &mut Random) -> String {
    let source = files(&["src/tools/ls.rs"]);
    let mut source = source.lines().cycle();
    lines(random, |text, random, n| {
        let line = source.next().unwrap_or_default();
        match (n % 40, random.below(8)) {
            (0, _) => write!(
                text,
                "diff --git a/src/tools/ls.rs b/src/tools/ls.rs\nindex {:07x}..{:07x} 100644\n--- a/src/tools/ls.rs\n+++ b/src/tools/ls.rs",
                random.below(1 << 28),
                random.below(1 << 28)
            ),
            (1 | 20, _) => write!(text, "@@ -{n},18 +{},19 @@ impl Plan {{", n + 1),
            (_, 0) => write!(text, "-{line}\n+{}", line.replace("self", "this")),
            (_, 1) => write!(text, "+{line}"),
            _ => write!(text, " {line}"),
        }
    })
}

fn test_output(random: &mut Random) -> String {
    lines(random, |text, random, n| {
        let subject = random.one(&["reader", "limits", "session", "walk"]);
        let outcome = random.one(&["ends_with_its_parent", "keeps_the_order", "is_refused_above_the_limit"]);
        match n % 5 {
            0..=2 => write!(text, "test {subject}::tests::{subject}_{outcome} ... ok"),
            3 => write!(
                text,
                "        PASS [   0.{:03}s] app::it {subject}::{subject}_{outcome}",
                random.below(1000)
            ),
            _ => write!(text, "tests/test_{subject}.py::test_{subject}_{outcome} PASSED   [ {}%]", n / 2),
        }
    })
}

fn hexadecimal(random: &mut Random) -> String {
    lines(random, |text, random, n| match n % 2 {
        0 => {
            write!(text, "{:08x}: ", n * 16)?;
            (0..8).try_for_each(|_| write!(text, "{:04x} ", random.below(1 << 16)))
        }
        _ => random.bytes(32).iter().try_for_each(|byte| write!(text, "{byte:02x}")),
    })
}

fn numbers(random: &mut Random) -> String {
    lines(random, |text, random, n| match n % 2 {
        0 => (0..8).try_for_each(|_| write!(text, "{} ", random.below(1_000_000))),
        _ => (0..6).try_for_each(|_| write!(text, "{}.{:04},", random.below(300), random.below(10_000))),
    })
}

fn emoji(random: &mut Random) -> String {
    let signs = ["✅", "❌", "🚀", "🐛", "🎉", "📦", "🔥", "💡", "😀", "🙏", "👍", "🔧", "📈", "🌍"];
    let words =
        ["fixed the build", "docs are out", "new release today", "thanks for the review", "tests pass again"];
    lines(random, |text, random, _| {
        write!(
            text,
            "{} {} {}{}",
            random.one(&signs),
            random.one(&words),
            random.one(&signs),
            random.one(&signs)
        )
    })
}
