//! The sources compile wherever there is a compiler: a GPU is not needed for that.

use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

use crate::cuda::gpu::has_compiler;
use crate::cuda::kernels::source;

#[test]
#[ignore = "needs libnvrtc"]
fn they_compile_for_old_and_new_cards() {
    assert!(has_compiler(), "this test needs the library libnvrtc");
    for architecture in ["compute_75", "compute_90"] {
        let options = vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned()];
        let options = CompileOptions { options, ..CompileOptions::default() };
        let compiled = compile_ptx_with_opts(source(), options);
        assert!(compiled.is_ok(), "{architecture}: {:?}", compiled.err());
    }
}
