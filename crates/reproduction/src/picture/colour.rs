//! Colours of probabilities: blue where a class is predicted, red where it is not.
//!
//! Blue and red (ColorBrewer's `RdBu`) can be distinguished with every common kind of colour
//! blindness. The scale jumps at one half, so that the decision is visible as an edge; each side
//! has few enough shades for a picture of one byte per pixel that compresses well.

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Shades of each side.
pub(super) const SHADES: usize = 24;

const DEEP: [Colour; 2] = [[178, 24, 43], [33, 102, 172]];
const PALE: [Colour; 2] = [[246, 190, 164], [168, 206, 228]];

/// The colour of a probability; NaN is grey.
///
/// ```
/// use rulebound_reproduction::picture::of_probability;
/// assert_eq!(of_probability(1.0), [33, 102, 172]);
/// assert_eq!(of_probability(0.0), [178, 24, 43]);
/// ```
pub fn of_probability(probability: f32) -> Colour {
    palette()[usize::from(shade(probability))]
}

/// The index of a probability in the [`palette`].
pub(super) fn shade(probability: f32) -> u8 {
    if probability.is_nan() {
        return 2 * SHADES as u8;
    }
    // One half is not above the threshold: the class is not predicted.
    let is_predicted = probability > 0.5;
    let strength = ((probability - 0.5).abs() * 2.0).min(1.0);
    let step = (strength * SHADES as f32).min(SHADES as f32 - 1.0) as u8;
    step + if is_predicted { SHADES as u8 } else { 0 }
}

/// All colours: first those of classes that are not predicted, pale before deep; last grey.
pub(super) fn palette() -> [Colour; 2 * SHADES + 1] {
    std::array::from_fn(|at| {
        if at == 2 * SHADES {
            return [128; 3];
        }
        let (side, step) = (at / SHADES, at % SHADES);
        let share = step as f32 / (SHADES - 1) as f32;
        std::array::from_fn(|channel| {
            let [pale, deep] = [PALE[side][channel], DEEP[side][channel]].map(f32::from);
            (pale + (deep - pale) * share).round() as u8
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blue_is_predicted_and_red_is_not() {
        let is_blue = |probability| {
            let [red, _, blue] = of_probability(probability);
            blue > red
        };
        assert!(is_blue(0.5 + f32::EPSILON) && is_blue(0.7) && is_blue(2.0));
        assert!(!is_blue(0.5) && !is_blue(0.3) && !is_blue(-1.0));
        assert_eq!(of_probability(f32::NAN), [128; 3]);
    }

    #[test]
    fn the_surer_the_deeper() {
        let brightness = |probability| of_probability(probability).map(u32::from).iter().sum();
        let sums: Vec<u32> = [0.51, 0.6, 0.8, 1.0].map(brightness).to_vec();
        assert!(sums.is_sorted_by(|paler, deeper| paler > deeper), "{sums:?}");
        let sums: Vec<u32> = [0.49, 0.4, 0.2, 0.0].map(brightness).to_vec();
        assert!(sums.is_sorted_by(|paler, deeper| paler > deeper), "{sums:?}");
    }
}
