//! Tools open no file outside the roots, through any path or link, even if a link changes during the call.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::support::{Client, Start, Workspace};

const OUTSIDE: &str = "Path is outside the workspace";

fn workspace() -> Workspace {
    Workspace::with(&json!({
        "inside/a.txt": "inside\n",
        "../outside/secret.txt": "secret\n",
        "../outside/sub/more.txt": "secret\n",
        "file-link": {"symlink": "../outside/secret.txt"},
        "folder-link": {"symlink": "../outside"},
        "inside/hop": {"symlink": "../folder-link"},
        "absolute-link": {"symlink": "<base>/outside"},
        "self-link": {"symlink": "self-link"},
    }))
}

/// Paths that lead out of the workspace.
const ESCAPING_PATHS: [&str; 14] = [
    "..",
    "../",
    "../outside",
    "inside/../../outside",
    "folder-link",
    "folder-link/",
    "folder-link/sub",
    "inside/hop",
    "inside/hop/sub",
    "absolute-link",
    "absolute-link/sub/..",
    "/",
    "/etc",
    "<base>/outside/sub",
];

#[test]
fn tools_stay_inside_the_roots() {
    let workspace = workspace();
    let mut client = Client::new(&workspace);
    for path in ESCAPING_PATHS {
        let path = workspace.expand(path);
        for (tool, args) in [
            ("ls", json!({"path": path})),
            ("find", json!({"pattern": "*", "path": path})),
            ("grep", json!({"pattern": "secret", "path": path})),
            ("read", json!({"path": path})),
            ("read", json!({"path": format!("{path}/secret.txt")})),
            ("read", json!({"path": format!("{path}/no-such-file")})),
        ] {
            let reply = client.call(tool, args);
            reply.assert_error(&[OUTSIDE]);
            assert!(!reply.text().contains("secret\n"), "{reply}");
        }
    }
    client.call("grep", json!({"pattern": "secret", "path": "file-link"})).assert_error(&[OUTSIDE]);
}

#[test]
fn error_does_not_reveal_if_a_file_outside_exists() {
    let workspace = workspace();
    let mut client = Client::new(&workspace);
    let paths = [
        "../outside/secret.txt",
        "../outside/nothing",
        "../outside/secret.txt/x",
        "../outside/sub",
        "../nowhere/x",
    ];
    let responses: Vec<String> = paths
        .iter()
        .map(|path| client.call("read", json!({"path": path})).text().replace(path, "PATH"))
        .collect();
    assert!(responses.iter().all(|response| response == &responses[0]), "{responses:#?}");
}

#[test]
fn suggestions_and_notices_do_not_reveal_if_a_file_outside_exists() {
    let workspace = Workspace::with(&json!({
        "q/cloud/x.rs": "x\n",
        "q/.git": {"symlink": "../../outside/cloud"},
        "way": {"symlink": "../outside"},
        "../outside/x": "x\n",
    }));
    let mut client = Client::new(&workspace);
    let mut texts = || {
        let mut texts = Vec::new();
        for glob in ["way/cloud/x.rs", "way/cloud/*.rs", "q/../../outside/cloud/x.rs", "q/../way/cloud/*.rs"]
        {
            texts.push(client.call("find", json!({"pattern": glob})).text().to_owned());
            texts.push(client.call("grep", json!({"pattern": "z", "glob": glob})).text().to_owned());
        }
        for glob in [".git", ".git/x", ".git/*"] {
            texts.push(client.call("find", json!({"pattern": glob, "path": "q"})).text().to_owned());
            let grep = json!({"pattern": "z", "glob": glob, "path": "q"});
            texts.push(client.call("grep", grep).text().to_owned());
        }
        for path in ["way/cloud", "way/cloud/x.rs", "q/.git", "q/.git/x"] {
            for tool in ["read", "ls"] {
                texts.push(client.call(tool, json!({"path": path})).text().to_owned());
            }
        }
        texts
    };
    let missing = texts();
    fs::create_dir(workspace.base().join("outside/cloud")).unwrap();
    assert_eq!(texts(), missing);
    fs::write(workspace.base().join("outside/cloud/x.rs"), "z\n").unwrap();
    assert_eq!(texts(), missing);
}

#[test]
fn link_out_of_the_roots_and_back_reveals_nothing() {
    let workspace = Workspace::with(&json!({
        "inside/a.txt": "inside\n",
        "../outside/sub/more.txt": "secret\n",
        "there": {"symlink": "../outside/sub/../../root/inside"},
        "not-there": {"symlink": "../outside/none/../../root/inside"},
        "absolute": {"symlink": "<base>/outside/sub/../../root/inside"},
    }));
    let mut client = Client::new(&workspace);
    for folder in ["there", "not-there", "absolute"] {
        client.call("read", json!({"path": format!("{folder}/a.txt")})).assert_error(&[OUTSIDE]);
        client.call("read", json!({"path": format!("{folder}/b.txt")})).assert_error(&[OUTSIDE]);
        client.call("ls", json!({"path": folder})).assert_error(&[OUTSIDE]);
    }
}

#[test]
fn walks_and_globs_do_not_leave_the_roots() {
    let workspace = workspace();
    let mut client = Client::new(&workspace);
    for no_ignore in [false, true] {
        client.call("grep", json!({"pattern": "secret", "noIgnore": no_ignore})).assert_text(
            "No matches found\n\n[4 links lead outside the workspace: absolute-link, file-link, folder-link]",
        );
    }
    for pattern in ["../**/*.txt", "../outside/*", "folder-link/*"] {
        let reply = client.call("find", json!({"pattern": pattern}));
        assert!(!reply.text().contains("secret.txt"), "{reply}");
    }
    let reply = client.call("grep", json!({"pattern": "secret", "glob": "../outside/*"}));
    assert!(!reply.text().contains("secret.txt"), "{reply}");
}

#[test]
fn content_of_ignore_files_outside_is_not_shown() {
    // An ignore file outside the roots may exclude files from a search. Its content is never shown.
    let rules = |name: &str| json!([format!("*.{name}"), "[bad", "{bad", "bad\\"]);
    let above = json!({
        "../.git/HEAD": "ref: refs/heads/bad\n",
        "../.gitignore": rules("above"),
        "../.ignore": rules("ignore"),
        "../.git/info/exclude": rules("exclude"),
        "../home/.config/git/ignore": rules("global"),
        "a": "x\n", "a.above": "x\n", "a.ignore": "x\n", "a.exclude": "x\n", "a.global": "x\n",
    });
    let work_tree = json!({
        "../repository/.git/worktrees/bad/commondir": "../..\n",
        "../repository/.git/info/exclude": rules("exclude"),
        ".git": "gitdir: ../repository/.git/worktrees/bad\n",
        "a": "x\n", "a.exclude": "x\n",
    });
    for files in [above, work_tree] {
        let workspace = Workspace::with(&files);
        let mut client = Start::new(&workspace).default_log().client();
        client.call("grep", json!({"pattern": "x"})).assert_text("a:1: x");
        client.call("find", json!({"pattern": "a*"})).assert_text("a");
        assert!(!client.stderr().contains("bad"), "{}", client.stderr());
    }
}

#[test]
fn git_settings_that_are_fifos_do_not_block() {
    for path in ["../home/.config/git/ignore", "../home/.gitconfig", "../home/.config/git/config"] {
        let workspace = Workspace::with(&json!({path: {"fifo": true}, "a": "x\n"}));
        let mut client = Client::new(&workspace);
        client.call("find", json!({"pattern": "*"})).assert_text("a");
        client.call("grep", json!({"pattern": "x"})).assert_text("a:1: x");
    }
}

#[test]
fn links_inside_the_roots_are_followed() {
    let workspace = Workspace::with(&json!({
        "real/a.txt": "inside\n",
        "one": {"symlink": "real"},
        "two": {"symlink": "<root>/one"},
        "three": {"symlink": "../root/two"},
    }));
    let mut client = Client::new(&workspace);
    for path in ["one/a.txt", "two/a.txt", "three/a.txt", "one/../real/a.txt", "real/../one/a.txt"] {
        client.call("read", json!({"path": path})).assert_text("inside\n");
    }
    client.call("ls", json!({"path": "three"})).assert_text("a.txt");
    client.call("read", json!({"path": "self"})).assert_error(&["File not found: self"]);
}

#[test]
fn link_to_itself_is_an_error() {
    let workspace = workspace();
    let mut client = Client::new(&workspace);
    let reply = client.call("read", json!({"path": "self-link"}));
    assert!(reply.is_error(), "{reply}");
    client.call("ls", json!({})).assert_contains("self-link");
}

#[test]
fn root_that_is_a_link_accepts_paths_of_link_and_target() {
    let workspace = Workspace::with(&json!({"../real/a.txt": "inside\n", "../link": {"symlink": "real"}}));
    let mut client = Start::new(&workspace).flags(["--root", "<base>/link"]).client();
    for path in ["a.txt", "<base>/link/a.txt", "<base>/real/a.txt"] {
        client.call("read", json!({"path": workspace.expand(path)})).assert_text("inside\n");
    }
    client
        .call("read", json!({"path": workspace.expand("<base>/link/b.txt")}))
        .assert_error(&["File not found: b.txt"]);
}

#[test]
fn current_folder_accepts_the_path_in_pwd_and_the_real_path() {
    let workspace = Workspace::with(&json!({
        "../real/here/a.txt": "inside\n",
        "../alias": {"symlink": "real"},
        "../real/here/absolute": {"symlink": "<base>/alias/here/a.txt"},
    }));
    let script = "cd \"$0\" && shift 0 && exec \"$@\"";
    let alias = workspace.base().join("alias/here");
    let start = Start::new(&workspace).through("bash", &["-c", script, alias.to_str().unwrap()]);
    let mut client = start.client();
    for path in ["a.txt", "absolute", "<base>/alias/here/a.txt", "<base>/real/here/a.txt"] {
        client.call("read", json!({"path": workspace.expand(path)})).assert_text("inside\n");
    }
}

#[test]
fn sibling_with_the_same_prefix_is_outside() {
    let workspace = Workspace::with(&json!({"../root2/a": "secret\n", "../roo/a": "secret\n"}));
    let mut client = Client::new(&workspace);
    for path in ["../root2/a", "<base>/root2/a", "<root>2/a", "../roo/a"] {
        client.call("read", json!({"path": workspace.expand(path)})).assert_error(&[OUTSIDE]);
    }
}

#[test]
fn link_that_changes_during_a_call_does_not_lead_outside() {
    let workspace = Workspace::with(&json!({
        "a/file": "inside\n",
        "../outside/file": "secret\n",
        "b": {"dir": true},
    }));
    let mut client = Client::new(&workspace);
    let stop = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (link, spare) = (workspace.path("b/swapped"), workspace.path("b/spare"));
            let targets = [workspace.path("a"), workspace.base().join("outside")];
            while !stop.load(Ordering::Relaxed) {
                for target in &targets {
                    let _there_already = symlink(target, &spare);
                    let _gone = fs::rename(&spare, &link);
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let mut responses = Vec::new();
        for n in 0.. {
            if n >= 600 && swaps.load(Ordering::Relaxed) >= 5000 {
                break;
            }
            let (tool, args) = match n % 3 {
                0 => ("read", json!({"path": "b/swapped/file"})),
                1 => ("grep", json!({"pattern": ".", "path": "b/swapped"})),
                _ => ("grep", json!({"pattern": "secret", "path": "b/swapped/file"})),
            };
            responses.push(client.call(tool, args));
        }
        stop.store(true, Ordering::Relaxed);
        for reply in responses {
            assert!(!reply.text().contains("secret\n") && !reply.text().contains(": secret"), "{reply}");
        }
    });
}

#[test]
fn only_saved_outputs_may_be_opened_in_their_folder() {
    let workspace = workspace();
    let mut client = Client::new(&workspace);
    let reply = client.call("bash", json!({"command": "seq 3000"}));
    let path = reply.details()["fullOutputPath"].as_str().unwrap().to_owned();
    client.call("read", json!({"path": path, "limit": 1})).assert_success();
    client.call("grep", json!({"pattern": "^77$", "path": path})).assert_success();
    fs::write(workspace.saved_dir().join("other.txt"), "secret\n").unwrap();
    let link = workspace.saved_dir().join("cutline-bash-abcabcabcabc.log");
    symlink(workspace.base().join("outside/secret.txt"), &link).unwrap();
    let folder = workspace.saved_dir().join("cutline-bash-folderfolder.log");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a"), "secret\n").unwrap();
    for path in [workspace.saved_dir().join("other.txt"), workspace.saved_dir(), link, folder.join("a")] {
        client.call("read", json!({"path": path})).assert_error(&[OUTSIDE]);
    }
    for path in [workspace.saved_dir(), folder] {
        client.call("ls", json!({"path": path})).assert_error(&[OUTSIDE]);
        client.call("grep", json!({"pattern": "secret", "path": path})).assert_error(&[OUTSIDE]);
    }
}

/// Checks with inotify that no special file is opened. `O_PATH` causes no inotify event.
#[cfg(target_os = "linux")]
#[test]
fn special_files_are_refused_and_never_opened() {
    use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
    let workspace = Workspace::with(&json!({
        "folder/fifo": {"fifo": true}, "folder/.gitignore": {"fifo": true}, "folder/a": "x\n"
    }));
    let _listener = std::os::unix::net::UnixListener::bind(workspace.path("folder/socket")).unwrap();
    let opened = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    for name in ["folder/fifo", "folder/.gitignore", "folder/socket", "folder/a"] {
        add_watch(&opened, workspace.path(name), WatchFlags::OPEN).unwrap();
    }
    for flags in [&[][..], &["--allow-outside"]] {
        let mut client = Start::new(&workspace).flags(flags).client();
        for (path, kind) in [("folder/fifo", "fifo"), ("folder/socket", "socket")] {
            client.call("read", json!({"path": path})).assert_error(&[kind]);
            client.call("grep", json!({"pattern": "x", "path": path})).assert_error(&[kind]);
        }
        client.call("find", json!({"pattern": "*", "path": "folder"})).assert_success();
        client.call("ls", json!({"path": "folder"})).assert_success();
    }
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
    let events = |buffer: &mut [std::mem::MaybeUninit<u8>]| {
        let mut reader = Reader::new(&opened, buffer);
        std::iter::from_fn(move || reader.next().ok().map(|event| event.wd())).collect::<Vec<_>>()
    };
    assert!(events(&mut buffer).is_empty(), "a FIFO or a socket was opened");
    // A search skips special files.
    Client::new(&workspace).call("grep", json!({"pattern": "x"})).assert_text("folder/a:1: x");
    let seen = events(&mut buffer);
    assert!(!seen.is_empty() && seen.iter().all(|watch| *watch == 4), "{seen:?}");
}

#[test]
fn allow_outside_applies_to_all_tools() {
    let workspace = workspace();
    let mut client = Start::new(&workspace).flags(["--allow-outside"]).client();
    let outside = workspace.base().join("outside");
    let responses: Vec<(&str, Value, String)> = vec![
        ("read", json!({"path": "../outside/secret.txt"}), "secret\n".to_owned()),
        ("ls", json!({"path": "folder-link"}), "secret.txt\nsub/".to_owned()),
        (
            "find",
            json!({"pattern": "s*", "path": "../outside"}),
            outside.join("secret.txt").display().to_string(),
        ),
        (
            "grep",
            json!({"pattern": "secret", "path": "../outside/sub"}),
            format!("{}:1: secret", outside.join("sub/more.txt").display()),
        ),
    ];
    for (tool, args, expected) in responses {
        client.call(tool, args).assert_text(&expected);
    }
}
