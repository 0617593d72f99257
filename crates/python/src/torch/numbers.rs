//! Tensors by address, and 16-bit numbers as wider ones.

use half::{bf16, f16};
use rulebound_core::FloatMargin;

use super::error::TensorError;

/// The numbers at an address.
///
/// # Safety
/// `address` is of `count` numbers that nobody writes to, for as long as the slice is used.
#[allow(unsafe_code)]
pub unsafe fn read<'a, T>(address: usize, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(address as *const T, count) }
}

/// The numbers at an address, to be overwritten.
///
/// # Safety
/// `address` is of `count` numbers that nobody else uses, for as long as the slice is used.
#[allow(unsafe_code)]
pub unsafe fn write<'a, T>(address: usize, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(address as *mut T, count) }
}

/// The type of a tensor's numbers, with the codes of `rulebound.torch` and of the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Half,
    Brain,
    Single,
    Double,
}

impl Number {
    pub fn from_code(code: u32) -> Result<Self, TensorError> {
        match code {
            0 => Ok(Self::Half),
            1 => Ok(Self::Brain),
            2 => Ok(Self::Single),
            3 => Ok(Self::Double),
            _ => Err(TensorError::Shape(format!("{code} is not the code of a type of numbers"))),
        }
    }
}

/// A 16-bit number: computed with as `f32`, which is exact on the way there, and on the way back for
/// whatever was selected.
pub trait Narrow: Copy + Send + Sync + 'static {
    /// The margin that stands for 0: the largest negative normal number of *this* type. That of `f32` would
    /// be 0 again in this one.
    const BELOW_ZERO: f32;
    /// The smallest number above 1/2.
    const ABOVE_HALF: f32;
    fn widen(self) -> f32;
    fn narrow(value: f32) -> Self;
}

impl Narrow for f16 {
    const BELOW_ZERO: f32 = -6.103_515_6e-5;
    const ABOVE_HALF: f32 = 0.500_488_3;

    fn widen(self) -> f32 {
        self.to_f32()
    }

    fn narrow(value: f32) -> Self {
        Self::from_f32(value)
    }
}

impl Narrow for bf16 {
    const BELOW_ZERO: f32 = -f32::MIN_POSITIVE;
    const ABOVE_HALF: f32 = 0.503_906_25;

    fn widen(self) -> f32 {
        self.to_f32()
    }

    fn narrow(value: f32) -> Self {
        Self::from_f32(value)
    }
}

/// 16-bit numbers as `f32`.
pub fn widen<N: Narrow>(numbers: &[N]) -> Vec<f32> {
    numbers.iter().map(|number| number.widen()).collect()
}

/// Writes numbers as 16-bit ones, rounded to nearest even.
pub fn narrow<N: Narrow>(numbers: &[f32], to: &mut [N]) {
    for (number, to) in numbers.iter().zip(to) {
        *to = N::narrow(*number);
    }
}

/// A number whose probabilities can be ordered exactly.
pub trait Ordered: FloatMargin {
    /// The smallest number above 1/2.
    const ABOVE_HALF: Self;
    /// A number that orders probabilities and their complements exactly: its sign is the side of 1/2, and
    /// its size grows as the smaller of `p` and `1 − p` shrinks, which is exact, and so is the order of its
    /// bits.
    fn around_half(self) -> Self;
    fn complement(self) -> Self;
    fn is_probability(self) -> bool;
}

macro_rules! ordered {
    ($float:ty) => {
        impl Ordered for $float {
            const ABOVE_HALF: Self = <$float>::from_bits((0.5 as $float).to_bits() + 1);

            fn around_half(self) -> Self {
                let above = self > 0.5;
                // −0 is 0; 1 − p is exact from 1/2 on.
                let smaller = if above { 1.0 - self } else { self.abs() };
                let half: $float = 0.5;
                let size = if smaller == 0.0 {
                    Self::INFINITY
                } else {
                    Self::from_bits(
                        half.to_bits() - smaller.to_bits() + Self::MIN_POSITIVE.to_bits(),
                    )
                };
                if above { size } else { -size }
            }

            fn complement(self) -> Self {
                1.0 - self
            }

            fn is_probability(self) -> bool {
                (0.0..=1.0).contains(&self)
            }
        }
    };
}

ordered!(f32);
ordered!(f64);
