//! Tests saved outputs, including cases in which saving fails.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[tokio::test]
async fn full_output_is_saved_and_unlocked() {
    let server = Server::new();
    let output = server.run("seq 1 100000").await;
    let path = output.details.full_output_path.unwrap();
    assert!(std::fs::read_to_string(&path).unwrap() == seq(100_000));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::File::open(&path).unwrap().try_lock().is_ok());
    assert_eq!(server.saved(), [PathBuf::from(path)]);
}

#[tokio::test]
async fn counting_continues_after_the_cap() {
    let server = Server::with(Limits::default(), |spill| spill.max_file_bytes = 40_000);
    let output = server.run("seq 1 100000").await;
    let path = output.details.full_output_path.unwrap();
    let end = format!("[Showing lines 98001-100000 of 100000. Full output: {path} (first 40KB)]");
    assert!(output.text.ends_with(&end), "{}", output.text);
    assert_eq!(output.details.full_output_bytes, Some(40_000));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 40_000);
    assert_eq!(output.details.truncation.unwrap().total_bytes, 588_895);
}

#[tokio::test]
async fn missing_folder_is_reported() {
    let server = Server::with(Limits::default(), |spill| {
        spill.private = false;
        spill.dir.push("missing");
    });
    let output = server.run("seq 1 3000; exit 1").await;
    let end = "\n3000\n\n[Showing lines 1001-3000 of 3000. Full output could not be saved: \
               No such file or directory]\n\nCommand exited with code 1";
    assert!(output.text.ends_with(end), "{}", output.text);
    assert_eq!(output.details.spill_error.as_deref(), Some("No such file or directory"));
    assert_eq!(output.details.full_output_path, None);
    assert_eq!(server.run("echo hi").await.text, "hi\n");
}

#[tokio::test]
async fn link_instead_of_the_folder_is_not_followed() {
    let server = Server::new();
    let elsewhere = server.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &server.spill).unwrap();
    let output = server.run("seq 1 3000").await;
    assert!(output.details.spill_error.is_some(), "{}", output.text);
    assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_full_disk_fails_nothing_else() {
    let Some(disk) = Disk::mount("size=1m,mode=0700") else { return };
    let server = Server::with(Limits::default(), |spill| spill.dir = disk.0.path().to_owned());
    let output = server.run("seq 1 1000000").await;
    let left = server.saved();
    drop((server, disk));
    let end =
        "[Showing lines 998001-1000000 of 1000000. Full output could not be saved: No space left on device]";
    assert!(output.text.ends_with(end), "{}", output.text);
    assert_eq!(output.details.spill_error.as_deref(), Some("No space left on device"));
    assert_eq!(left, Vec::<PathBuf>::new(), "the partial file is removed");
}

#[tokio::test]
async fn a_read_only_disk_fails_nothing_else() {
    let Some(disk) = Disk::mount("ro,mode=0700") else { return };
    let server = Server::with(Limits::default(), |spill| spill.dir = disk.0.path().to_owned());
    let output = server.run("seq 1 3000").await;
    drop((server, disk));
    assert_eq!(output.details.spill_error.as_deref(), Some("Read-only file system"), "{}", output.text);
}

/// A small separate file system. It is unmounted when dropped.
struct Disk(TempDir);

impl Disk {
    fn mount(options: &str) -> Option<Self> {
        let at = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(at.path());
        let mounted = mount.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        if !mounted {
            println!("skipped: no file system can be mounted here");
        }
        mounted.then_some(Self(at))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _unmounted = std::process::Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}
