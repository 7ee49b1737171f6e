//! Images: any file's bytes through `read`.
//!
//! The returned image is within the limits of clients. Without a notice, it is unchanged.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cutline::limits::{IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE, Limits};
use cutline::tools::ToolName;
use serde_json::json;

use crate::workspace::Tools;

thread_local! {
    static TOOLS: Tools = Tools::new(Limits::default());
}

/// Checks one input.
pub fn run(bytes: &[u8]) {
    let call = json!({"path": "image"});
    let Ok(output) = TOOLS.with(|tools| {
        tools.write("image", bytes);
        tools.call(ToolName::Read, call.as_object().unwrap().clone())
    }) else {
        return;
    };
    let Some(image) = output.image else { return };
    let (width, height) = (output.details.width.unwrap(), output.details.height.unwrap());
    let shown = STANDARD.decode(&image.base64).unwrap();
    assert!(shown.len() as u64 <= IMAGE_MAX_BYTES);
    assert!(u64::from(width) * u64::from(height) <= IMAGE_MAX_PIXELS);
    if !output.text.contains("scaled") && !output.text.contains("shown as") {
        assert!(width.max(height) <= IMAGE_MAX_SIDE, "{}", output.text);
        assert!(shown == bytes, "{}", output.text);
        assert_eq!(output.details.mime_type, Some(image.mime_type));
    }
}
