//! The products of a step on tensor cores: one launch each.

use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaStream, PushKernelArg};

use super::division::{DEPTH, Tile};
use super::fleet::Fleet;
use super::groups::{BoxesOf, GroupTile, Way};
use super::steps::block;
use crate::configuration::Precision;
use crate::cuda::arithmetic::LARGE_LAYER;
use crate::cuda::buffer::Buffer;
use crate::cuda::error::CudaError;
use crate::cuda::gpu::Gpu;
use crate::cuda::gpu_rules::allow_shared;
use crate::cuda::kernels::{HopperKernels, TensorCoreKernels};
use crate::cuda::parameters::{
    Boxes, Division, GroupProduct, GroupUpdate, Mask, Matrix, Operands, Product, Step, Update,
};
use crate::cuda::weights::{LayerPlace, Layout};

/// The products of every layer.
pub(in crate::cuda) struct Products {
    forward: Vec<Launch>,
    /// Of every layer but the first.
    below: Vec<Launch>,
    update: Vec<Launch>,
    copies: Copies,
    /// Where updates of layers above the first run beside the products that follow; none where layers are
    /// so large that either has the whole GPU busy.
    side: Option<Arc<CudaStream>>,
    _parts: [PartsOfTiles; 2],
}

/// The parts of divided tiles, and how many of each are there, for products that do not run at once.
struct PartsOfTiles {
    shares: Buffer<f32>,
    arrived: Buffer<u32>,
}

impl PartsOfTiles {
    fn new(gpu: &Gpu, [shares, sharers]: [usize; 2], members: usize) -> Result<Self, CudaError> {
        let (shares, arrived) = (shares * members, sharers * members);
        Ok(Self { shares: Buffer::zeros(gpu, shares)?, arrived: Buffer::zeros(gpu, arrived)? })
    }

    fn with(&self, by: Division) -> Division {
        Division { shares: self.shares.address(), arrived: self.arrived.address(), ..by }
    }
}

/// What products on Hopper read beside units and gradients, layer by layer, where one does.
struct Copies {
    /// The inputs of a layer, transposed.
    turned: Vec<Option<Buffer<f32>>>,
    turned_rests: Vec<Option<Buffer<f32>>>,
    /// What is left of inputs after the bits that tensor cores see.
    rests: Vec<Option<Buffer<f32>>>,
    /// The same of the gradient of a layer's sums.
    gradient_rests: Vec<Option<Buffer<f32>>>,
    /// Numbers per transposed row.
    stride: usize,
}

/// A product with its kernel.
struct Launch {
    kernel: CudaFunction,
    tiling: Tiling,
    threads: u32,
    shared: usize,
    parameters: Parameters,
}

/// What a kernel of a product is given.
// Few of them, launched as they lie: no reason for another allocation each.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy)]
enum Parameters {
    Product(Product),
    Update(Update),
    GroupProduct(GroupProduct),
    GroupUpdate(GroupUpdate),
}

impl Parameters {
    fn division(&mut self) -> &mut Division {
        match self {
            Self::Product(product) => &mut product.by,
            Self::Update(update) => &mut update.by,
            Self::GroupProduct(group) => &mut group.product.by,
            Self::GroupUpdate(group) => &mut group.update.by,
        }
    }
}

/// How a product is computed.
#[derive(Clone, Copy, Debug)]
enum Tiling {
    /// By warps.
    Warps(Tile),
    /// By groups of warps.
    Groups(GroupTile),
}

/// A product: its tiles, and its rows, columns and terms.
#[derive(Clone, Copy, Debug)]
struct Sized {
    tiling: Tiling,
    sizes: [usize; 3],
}

/// The products of a layer.
#[derive(Clone, Copy, Debug)]
struct LayerProducts {
    forward: Sized,
    below: Option<Sized>,
    update: Sized,
}

impl Sized {
    fn division(&self) -> Division {
        let [m, n, k] = self.sizes;
        match self.tiling {
            Tiling::Warps(tile) => tile.divide(m, n, k),
            Tiling::Groups(tile) => tile.divide(m, n, k),
        }
    }

    /// Numbers and counters of working memory per member.
    fn need(&self) -> [usize; 2] {
        let sharers = self.division().sharers as usize;
        let (m, n) = match self.tiling {
            Tiling::Warps(tile) => (tile.m, tile.n),
            Tiling::Groups(tile) => (tile.m, tile.n),
        };
        [sharers * 2 * m * n, sharers]
    }

    fn is_by_groups(&self) -> bool {
        matches!(self.tiling, Tiling::Groups(_))
    }
}

/// All products of a step.
#[derive(Clone, Debug)]
pub(in crate::cuda) struct StepProducts {
    layers: Vec<LayerProducts>,
    precision: Precision,
    rows: usize,
}

impl StepProducts {
    /// The products of steps of so many rows. Lazy updates confine that of the first layer to some columns.
    pub fn new(gpu: &Gpu, layout: &Layout, rows: usize, precision: Precision) -> Self {
        let of_layer = |(layer, place): (usize, &LayerPlace)| {
            let LayerPlace { inputs, outputs, stride, .. } = *place;
            let weights = inputs * outputs;
            let groups = |way, m, n| {
                let may = layer > 0 && gpu.kernels.hopper.is_some();
                let tile = may.then(|| GroupTile::of(way, precision, rows, m, n, weights));
                tile.flatten().map(Tiling::Groups)
            };
            let product = |way, m, k| match groups(way, m, rows) {
                Some(tiling) => Sized { tiling, sizes: [m, rows, k] },
                None => {
                    Sized { tiling: Tiling::Warps(Tile::of_product(rows)), sizes: [rows, m, k] }
                }
            };
            let update = match groups(Way::Update, outputs, stride) {
                Some(tiling) => Sized { tiling, sizes: [outputs, stride, rows] },
                None => Sized {
                    tiling: Tiling::Warps(Tile::of_update(rows, weights, gpu.limits.shared)),
                    sizes: [stride, outputs, rows],
                },
            };
            LayerProducts {
                forward: product(Way::Forward, outputs, stride),
                below: (layer > 0).then(|| product(Way::Below, inputs, outputs)),
                update,
            }
        };
        let layers = layout.layers.iter().enumerate().map(of_layer).collect();
        Self { layers, precision, rows }
    }

    /// Numbers of GPU memory per member, counters among them.
    pub fn numbers(&self, layout: &Layout) -> usize {
        let needs = [self.need(false), self.need(true)];
        let copies = layout.layers.iter().zip(&self.layers).map(|(place, layer)| {
            let [turned, turned_rests, rests, gradient_rests] = layer.copies(self.precision);
            let input = |is: bool| if is { place.stride } else { 0 };
            let gradient = if gradient_rests { place.outputs.next_multiple_of(16) } else { 0 };
            self.rows.next_multiple_of(PADDING)
                * (input(turned) + input(turned_rests) + input(rests) + gradient)
        });
        needs.as_flattened().iter().sum::<usize>() + copies.sum::<usize>()
    }

    /// Numbers and counters of working memory per member, of the updates above the first layer, which may run
    /// beside other products, or of those others.
    fn need(&self, of_updates: bool) -> [usize; 2] {
        let all = self.layers.iter().enumerate().flat_map(|(index, layer)| {
            let update = (of_updates == (index > 0)).then_some(layer.update);
            let others = if of_updates { [None; 2] } else { [Some(layer.forward), layer.below] };
            others.into_iter().chain([update]).flatten()
        });
        all.map(|product| product.need()).fold([0; 2], |[a, b], [c, d]| [a.max(c), b.max(d)])
    }
}

/// Transposed rows have a multiple of so many numbers: of 16 bytes.
const PADDING: usize = 4;

impl LayerProducts {
    /// Which copies the products of the layer read: of its inputs transposed, their rests, of its
    /// inputs rests, of the gradient of its sums rests.
    fn copies(&self, precision: Precision) -> [bool; 4] {
        let is_exact = precision == Precision::Fp32;
        let below = self.below.is_some_and(|below| below.is_by_groups());
        let [forward, update] = [self.forward, self.update].map(|product| product.is_by_groups());
        [update, update && is_exact, forward && is_exact, below && is_exact]
    }
}

impl Copies {
    fn new(
        gpu: &Gpu,
        layout: &Layout,
        products: &StepProducts,
        members: usize,
    ) -> Result<Self, CudaError> {
        let (rows, stride) = (products.rows, products.rows.next_multiple_of(PADDING));
        let mut all = Self {
            turned: vec![],
            turned_rests: vec![],
            rests: vec![],
            gradient_rests: vec![],
            stride,
        };
        for (place, layer) in layout.layers.iter().zip(&products.layers) {
            let [turned, turned_rests, rests, gradient_rests] = layer.copies(products.precision);
            let buffer = |is: bool, count: usize| {
                is.then(|| Buffer::zeros(gpu, members * count)).transpose()
            };
            let mut with_ones = buffer(turned, place.stride * stride)?;
            if let Some(turned) = &mut with_ones {
                for member in 0..members {
                    let ones = (member * place.stride + turned_place(place.inputs)) * stride;
                    turned.write(gpu, ones, &vec![1.0; rows])?;
                }
            }
            all.turned.push(with_ones);
            all.turned_rests.push(buffer(turned_rests, place.stride * stride)?);
            all.rests.push(buffer(rests, rows * place.stride)?);
            let gradient = place.outputs.next_multiple_of(16);
            all.gradient_rests.push(buffer(gradient_rests, rows * gradient)?);
        }
        gpu.wait()?;
        Ok(all)
    }

    /// The transposed inputs of a layer.
    fn matrix(&self, of: &[Option<Buffer<f32>>], layout: &Layout, layer: usize) -> Matrix {
        let member = (layout.layers[layer].stride * self.stride) as u64;
        match address(of, layer) {
            0 => Matrix::NONE,
            cells => Matrix { cells, member, stride: self.stride as u32 },
        }
    }
}

/// Where a unit is among the rows of a transposed matrix; as in products.cu.
fn turned_place(unit: usize) -> usize {
    unit & !15 | (unit >> 1 & 1) << 3 | (unit >> 2 & 3) << 1 | unit & 1
}

/// The address of a layer's buffer; 0 if there is none.
fn address(of: &[Option<Buffer<f32>>], layer: usize) -> u64 {
    of.get(layer).and_then(Option::as_ref).map_or(0, Buffer::address)
}

impl Products {
    /// The products of a fleet whose other memory has been allocated.
    pub fn new(
        fleet: &Fleet<'_>,
        products: &StepProducts,
        members: usize,
    ) -> Result<Self, CudaError> {
        let gpu = fleet.gpu;
        let parts = |of_updates| PartsOfTiles::new(gpu, products.need(of_updates), members);
        let layers = &fleet.layout.layers;
        let is_large = layers.iter().any(|place| place.inputs * place.outputs >= LARGE_LAYER);
        let mut all = Self {
            forward: vec![],
            below: vec![],
            update: vec![],
            copies: Copies::new(gpu, &fleet.layout, products, members)?,
            side: (!is_large && layers.len() > 1).then(|| gpu.context.new_stream()).transpose()?,
            _parts: [parts(false)?, parts(true)?],
        };
        for (layer, of) in products.layers.iter().enumerate() {
            let launch = |product: &Sized, way| {
                let of_updates = usize::from(way == Way::Update && layer > 0);
                let by = all._parts[of_updates].with(product.division());
                let precision = products.precision;
                Launch::new(fleet, &all.copies, layer, way, product.tiling, precision, by, members)
            };
            let forward = launch(&of.forward, Way::Forward)?;
            let below = of.below.map(|below| launch(&below, Way::Below)).transpose()?;
            let update = launch(&of.update, Way::Update)?;
            all.forward.push(forward);
            all.below.extend(below);
            all.update.push(update);
        }
        Ok(all)
    }

    /// Where the loss leaves what is left of its gradient; 0 if no product asks for it.
    pub fn gradient_rests(&self) -> u64 {
        address(&self.copies.gradient_rests, self.copies.gradient_rests.len() - 1)
    }

    /// Launches the product of a layer. Updates above the first layer run on a stream beside, if there is one;
    /// what follows [`join`](Self::join) comes after them.
    pub fn run(
        &self,
        fleet: &Fleet<'_>,
        way: Way,
        layer: usize,
        members: usize,
        ahead: u32,
    ) -> Result<(), CudaError> {
        let launch = match way {
            Way::Forward => &self.forward[layer],
            Way::Below => &self.below[layer - 1],
            Way::Update => &self.update[layer],
        };
        let main = &fleet.gpu.stream;
        let stream = match &self.side {
            Some(side) if way == Way::Update && layer > 0 => {
                side.join(main)?;
                side
            }
            _ => main,
        };
        launch.run(stream, &fleet.step_parameters(ahead), members)
    }

    /// What is launched from now on comes after all updates.
    pub fn join(&self, gpu: &Gpu) -> Result<(), CudaError> {
        Ok(self.side.as_ref().map_or(Ok(()), |side| gpu.stream.join(side))?)
    }
}

fn in_precision<T>(precision: Precision, [fp32, tf32]: [T; 2]) -> T {
    match precision {
        Precision::Fp32 => fp32,
        Precision::Tf32 => tf32,
    }
}

impl TensorCoreKernels {
    fn of(&self, way: Way, tile: Tile, precision: Precision) -> &CudaFunction {
        let both = match (way, tile) {
            (Way::Forward, Tile::FORWARD_32) => {
                [&self.forward_32x64_fp32, &self.forward_32x64_tf32]
            }
            (Way::Forward, _) => [&self.forward_64x64_fp32, &self.forward_64x64_tf32],
            (Way::Below, Tile::FORWARD_32) => [&self.below_32x64_fp32, &self.below_32x64_tf32],
            (Way::Below, _) => [&self.below_64x64_fp32, &self.below_64x64_tf32],
            (_, Tile::UPDATE_32) => [&self.update_64x64_32_fp32, &self.update_64x64_32_tf32],
            (_, Tile::UPDATE_96) => [&self.update_64x64_96_fp32, &self.update_64x64_96_tf32],
            (_, Tile::UPDATE_128) => [&self.update_64x64_128_fp32, &self.update_64x64_128_tf32],
            (_, Tile::UPDATE_LARGE_32) => {
                [&self.update_128x32_32_fp32, &self.update_128x32_32_tf32]
            }
            (..) => [&self.update_64x64_fp32, &self.update_64x64_tf32],
        };
        in_precision(precision, both)
    }
}

impl HopperKernels {
    fn of(&self, way: Way, tile: GroupTile, precision: Precision) -> &CudaFunction {
        match (way, precision, tile.m, tile.n) {
            (Way::Forward, Precision::Tf32, 128, 256) => &self.group_forward_128x256_tf32,
            (Way::Forward, Precision::Tf32, 256, _) => &self.group_forward_256x128_tf32,
            (Way::Forward, Precision::Tf32, ..) => &self.group_forward_128x128_tf32,
            (Way::Forward, Precision::Fp32, 256, _) => &self.group_forward_256x128_fp32,
            (Way::Forward, Precision::Fp32, ..) => &self.group_forward_128x128_fp32,
            (Way::Below, Precision::Tf32, 256, _) => &self.group_below_256x128_tf32,
            (Way::Below, Precision::Tf32, ..) => &self.group_below_128x128_tf32,
            (Way::Below, Precision::Fp32, 256, _) => &self.group_below_256x128_fp32,
            (Way::Below, Precision::Fp32, ..) => &self.group_below_128x128_fp32,
            (Way::Update, Precision::Tf32, _, 256) => &self.group_update_128x256_tf32,
            (Way::Update, Precision::Tf32, ..) => &self.group_update_128x128_tf32,
            (Way::Update, Precision::Fp32, ..) => &self.group_update_128x128_fp32,
        }
    }
}

impl Launch {
    #[expect(clippy::too_many_arguments, reason = "all of them say which product it is")]
    fn new(
        fleet: &Fleet<'_>,
        copies: &Copies,
        layer: usize,
        way: Way,
        tiling: Tiling,
        precision: Precision,
        by: Division,
        members: usize,
    ) -> Result<Self, CudaError> {
        let kernels = &fleet.gpu.kernels;
        let missing = || CudaError::Failed("this GPU has no kernels for such products".to_owned());
        let (kernel, threads, shared) = match tiling {
            Tiling::Warps(tile) => {
                let kernels = kernels.tensor_cores.as_ref().ok_or_else(missing)?;
                (kernels.of(way, tile, precision), Tile::THREADS, tile.shared())
            }
            Tiling::Groups(tile) => {
                let kernels = kernels.hopper.as_ref().ok_or_else(missing)?;
                (kernels.of(way, tile, precision), tile.threads(), tile.shared())
            }
        };
        let product = match way {
            Way::Forward => Some(fleet.forward_product(copies, layer, by)),
            Way::Below => Some(fleet.below_product(copies, layer, by)),
            Way::Update => None,
        };
        let update = || fleet.update_product(layer, by);
        let parameters = match (tiling, product) {
            (Tiling::Warps(_), Some(product)) => Parameters::Product(product),
            (Tiling::Warps(_), None) => Parameters::Update(update()),
            (Tiling::Groups(tile), product) => {
                let of = GroupBoxes { fleet, copies, layer, tile, precision, members };
                let operands = of.operands(way)?;
                match product {
                    Some(product) => Parameters::GroupProduct(GroupProduct { operands, product }),
                    None => Parameters::GroupUpdate(of.update(operands, update())?),
                }
            }
        };
        allow_shared(kernel, shared)?;
        Ok(Self { kernel: kernel.clone(), tiling, threads, shared, parameters })
    }

    fn run(&self, stream: &CudaStream, step: &Step, members: usize) -> Result<(), CudaError> {
        let mut launch = stream.launch_builder(&self.kernel);
        let mut parameters = self.parameters;
        let by = parameters.division();
        if let Tiling::Warps(tile) = self.tiling {
            *by = tile.divide_among(*by, members);
        }
        let by = *by;
        match &parameters {
            Parameters::Product(product) => launch.arg(product),
            Parameters::Update(update) => launch.arg(update),
            Parameters::GroupProduct(group) => launch.arg(group),
            Parameters::GroupUpdate(group) => launch.arg(group),
        };
        launch.arg(step);
        let grid = (by.workers, members as u32, 1);
        // SAFETY: arguments as in products.cu, updates.cu and hopper.cu; the buffers were made for this
        // shape.
        #[allow(unsafe_code)]
        unsafe {
            launch.launch(block(grid, self.threads, self.shared as u32))?;
        }
        Ok(())
    }
}

/// The boxes that a product on Hopper copies.
struct GroupBoxes<'a> {
    fleet: &'a Fleet<'a>,
    copies: &'a Copies,
    layer: usize,
    tile: GroupTile,
    precision: Precision,
    members: usize,
}

impl GroupBoxes<'_> {
    /// Boxes of rows of operand b, which are rounded here where products are not exact, and of its rests.
    fn b(
        &self,
        matrix: Matrix,
        rests: u64,
        columns: usize,
        rows: usize,
    ) -> Result<[Boxes; 2], CudaError> {
        let sizes = [columns, rows, self.members];
        let is_rounded = self.precision == Precision::Tf32;
        let of = BoxesOf { matrix, sizes, rows: self.tile.n, turns: 1, is_rounded };
        let rest = match rests {
            0 => Boxes::NONE,
            cells => BoxesOf { matrix: Matrix { cells, ..matrix }, ..of }.encode()?,
        };
        Ok([of.encode()?, rest])
    }

    fn a(
        &self,
        matrix: Matrix,
        columns: usize,
        rows: usize,
        of_box: usize,
    ) -> Result<Boxes, CudaError> {
        let sizes = [columns, rows, self.members];
        BoxesOf { matrix, sizes, rows: of_box, turns: 1, is_rounded: false }.encode()
    }

    fn operands(&self, way: Way) -> Result<Operands, CudaError> {
        let Self { fleet, copies, layer, tile, .. } = *self;
        let LayerPlace { outputs, stride, .. } = fleet.layout.layers[layer];
        let (batch, weights) = (fleet.batch, fleet.weight_matrix(layer));
        let gradient = fleet.gradient_matrix(layer);
        let (a, [b, rest]) = match way {
            Way::Forward => {
                let rests = address(&copies.rests, layer);
                let a = self.a(weights, stride, outputs, tile.m)?;
                (a, self.b(fleet.input_matrix(layer), rests, stride, batch)?)
            }
            Way::Below => {
                let rests = address(&copies.gradient_rests, layer);
                let a = self.a(weights, stride, outputs, DEPTH)?;
                (a, self.b(gradient, rests, gradient.stride as usize, batch)?)
            }
            Way::Update => {
                let turned = copies.matrix(&copies.turned, &fleet.layout, layer);
                let rests = address(&copies.turned_rests, layer);
                let a = self.a(gradient, gradient.stride as usize, batch, DEPTH)?;
                (a, self.b(turned, rests, batch, stride)?)
            }
        };
        Ok(Operands { a, b, rest })
    }

    /// Weights and moments come in slices: one of the rows of each thread.
    fn update(&self, operands: Operands, update: Update) -> Result<GroupUpdate, CudaError> {
        let turns = self.tile.own_rows();
        let slices = |cells: u64| {
            let matrix = Matrix { cells, member: update.member, stride: update.stride };
            let sizes = [update.stride as usize, update.outputs as usize, self.members];
            let rows = self.tile.m / turns;
            BoxesOf { matrix, sizes, rows, turns, is_rounded: false }.encode()
        };
        Ok(GroupUpdate {
            operands,
            weights_in: slices(update.weights)?,
            first_in: slices(update.first)?,
            second_in: slices(update.second)?,
            update,
        })
    }
}

impl Fleet<'_> {
    /// The inputs of a layer, one row after another.
    fn input_matrix(&self, layer: usize) -> Matrix {
        let stride = self.layout.layers[layer].stride;
        let cells = match layer.checked_sub(1) {
            None => self.batch_rows.rows(0, 0).cells,
            Some(below) => self.hidden[below].inputs.address(),
        };
        Matrix { cells, member: (self.batch * stride) as u64, stride: stride as u32 }
    }

    /// The gradient of a layer's sums.
    fn gradient_matrix(&self, layer: usize) -> Matrix {
        let stride = self.gradient_stride(layer);
        let cells = self.gradient_of(layer);
        Matrix { cells, member: (self.batch * stride) as u64, stride: stride as u32 }
    }

    fn weight_matrix(&self, layer: usize) -> Matrix {
        let cells = self.weights.address(&self.layout, layer);
        let stride = self.layout.layers[layer].stride as u32;
        Matrix { cells, member: self.layout.size as u64, stride }
    }

    fn forward_product(&self, copies: &Copies, layer: usize, by: Division) -> Product {
        let place = self.layout.layers[layer];
        let is_hidden = layer < self.hidden.len();
        let stride = self.gradient_stride(layer);
        let logits = Matrix {
            cells: self.logits.address(),
            member: (self.batch * stride) as u64,
            stride: stride as u32,
        };
        Product {
            a: self.input_matrix(layer),
            weights: self.weight_matrix(layer),
            to: if is_hidden { self.input_matrix(layer + 1) } else { logits },
            rests: address(&copies.rests, layer + 1),
            turned: if is_hidden {
                copies.matrix(&copies.turned, &self.layout, layer + 1)
            } else {
                Matrix::NONE
            },
            turned_rests: address(&copies.turned_rests, layer + 1),
            units: logits,
            rows: self.batch as u32,
            columns: place.outputs as u32,
            k: place.stride as u32,
            activation: if is_hidden { self.activation as u32 } else { 2 },
            dropout: if is_hidden { self.dropout.mask(layer as u8) } else { Mask::NONE },
            by,
        }
    }

    fn below_product(&self, copies: &Copies, layer: usize, by: Division) -> Product {
        let place = self.layout.layers[layer];
        Product {
            a: self.gradient_matrix(layer),
            weights: self.weight_matrix(layer),
            to: self.gradient_matrix(layer - 1),
            rests: address(&copies.gradient_rests, layer - 1),
            turned: Matrix::NONE,
            turned_rests: 0,
            units: self.input_matrix(layer),
            rows: self.batch as u32,
            columns: place.inputs as u32,
            k: place.outputs as u32,
            activation: self.activation as u32,
            dropout: self.dropout.mask(layer as u8 - 1),
            by,
        }
    }

    fn update_product(&self, layer: usize, by: Division) -> Update {
        let place = self.layout.layers[layer];
        let (present, present_member) = self.present(layer);
        Update {
            inputs: self.input_matrix(layer),
            gradient: self.gradient_matrix(layer),
            weights: self.weights.address(&self.layout, layer),
            first: self.first.address(&self.layout, layer),
            second: self.second.address(&self.layout, layer),
            member: self.layout.size as u64,
            outputs: place.outputs as u32,
            stride: place.stride as u32,
            rows: self.batch as u32,
            decay: self.decay,
            rates: self.rates.address(),
            present,
            present_member,
            by,
        }
    }

    fn step_parameters(&self, ahead: u32) -> Step {
        let (seeds, slots, position) = self.launch_state();
        Step { seeds, slots, position, ahead }
    }
}
