//! How much memory there is, and how much something needs: compared before it is allocated, so
//! that what does not fit is refused with the numbers.

mod available;
mod size;

pub use self::available::available;
pub use self::size::{BadSize, ByteSize};
