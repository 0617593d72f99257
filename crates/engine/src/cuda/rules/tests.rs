//! The words of rules. The kernels themselves are compared with the CPU by `cuda::tests`, by
//! `crates/python/tests/cuda_check.py` and, without a GPU, by `crates/python/tests/torch/test_kernels.py`.

use rulebound_core::Program;

use super::RuleWords;

#[test]
fn words_are_aligned_and_have_lines_where_each_body_is_one_literal() {
    let hierarchy = RuleWords::new(&"a -> b\nb -> c".parse().unwrap());
    // Two levels, two heads, two literals and their padding, two lines and their ends, three strata.
    assert_eq!(hierarchy.words().len(), 8 + 8 + 8 + 4 + 8 + 2 + 3);
    assert_eq!(hierarchy.words()[..8], [3, 2, 2, 2, 0, 0, 2, 2]);
    // b (class 1) has one rule, with the literal a (twice 0); c has one with b.
    let line = |class: u32, literal: u32| {
        let pair = literal | literal << 16;
        [class | (1 | 1 << 8) << 16, pair, pair, pair]
    };
    assert_eq!(hierarchy.words()[28..36], [line(1, 0), line(2, 2)].concat());
    assert_eq!(hierarchy.words()[36..38], [1, 2]);
    let rules = RuleWords::new(&"a, b -> c".parse().unwrap());
    assert_eq!(rules.words().len(), 8 + 4 + 4 + 4 + 3);
    assert_eq!(rules.classes(), 3);
}

/// Lines of the first level that has them, as (class, literals, lines that follow, whether it is the first).
fn lines(program: &Program) -> (Vec<[u32; 4]>, Vec<u32>) {
    let words = RuleWords::new(program);
    let outline = words.outline();
    let (levels, lines) = (words.words()[6] as usize, words.words()[7] as usize);
    let start = 8 + outline.room() / 4;
    let read = |line: &[u32]| {
        let kind = line[0] >> 16;
        [line[0] & 0xffff, kind & 7, kind >> 3 & 31, kind >> 8]
    };
    let ends = start + 4 * lines;
    let lines = words.words()[start..ends].chunks(4).map(read).collect();
    (lines, words.words()[ends..ends + levels].to_vec())
}

#[test]
fn the_lines_of_a_head_are_in_one_warp_and_very_many_go_on_in_a_level_of_their_own() {
    let children = |head: usize, count: usize| -> String {
        (0..count).map(|child| format!("x{child} -> y{head}\n")).collect()
    };
    // 70 literals are twelve lines: a third head of them starts the next warp.
    let (three, ends) =
        lines(&(0..3).map(|head| children(head, 70)).collect::<String>().parse().unwrap());
    assert_eq!(ends, [32 + 12]);
    let heads: Vec<usize> = (0..three.len()).filter(|&at| three[at][3] == 1).collect();
    assert_eq!(heads, [0, 12, 32]);
    assert_eq!(three[11][1..], [4, 0, 0]);
    assert_eq!(three[24..32], [[0; 4]; 8]);
    // 400 literals are twice what a warp has room for, and 16.
    let (one, ends) = lines(&children(0, 400).parse().unwrap());
    assert_eq!(ends, [32, 64, 67]);
    assert!(one.iter().all(|line| line[0] == one[0][0]));
    assert_eq!(one.iter().map(|line| line[1]).sum::<u32>(), 400);
}
