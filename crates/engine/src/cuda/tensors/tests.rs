//! The words of rules. The kernels themselves are compared with the CPU by
//! `crates/python/tests/cuda_check.py` and, without a GPU, by `crates/python/tests/torch/test_kernels.py`.
#![allow(clippy::unwrap_used)]

use super::TensorRules;

#[test]
fn words_are_aligned_and_have_no_bodies_where_each_is_one_literal() {
    let hierarchy = TensorRules::new(&"a -> b\nb -> c".parse().unwrap());
    // Two levels, two heads, two literals and their padding, three strata and their padding, two briefs.
    assert_eq!(hierarchy.words().len(), 8 + 8 + 4 + 4 + 8);
    // b (class 1) has one rule, the first, with the literal a; c has the second, with b.
    assert_eq!(hierarchy.words()[24..], [1 | 1 << 16, 0, 0, 0, 2 | 1 << 16, 1, 2, 0]);
    let rules = TensorRules::new(&"a, b -> c".parse().unwrap());
    assert_eq!(rules.words().len(), 4 + 4 + 4 + 3);
    assert_eq!(rules.classes(), 3);
}
