//! The constraint layer for rows of which few classes are listed; all others are −∞.
//!
//! What comes out is what [`ConstraintLayer`](crate::ConstraintLayer) gives for the whole row, bit for bit,
//! delegates included, and the cost is that of the listed classes and of what depends on them: with 100,000
//! classes and 50 scores, some hundred ancestors.
//!
//! Touched classes are looked at in the order of their slots, bodies before heads. A class whose value and
//! delegate are what they are in the row that lists nothing passes nothing on; otherwise its rules offer
//! their values to their heads. Where several rules offer the same, the one written first counts, as
//! everywhere. A component with cycles is solved as a whole when one of its classes is touched.
//!
//! With requirements, each row costs what the whole row costs ([`required`]).

mod error;
mod marks;
mod plan;
mod required;
mod workspace;

pub use error::SparseError;
pub use workspace::{SparseMargin, SparseWorkspace};

use crate::delegate::Delegate;
use crate::label::{LabelId, Labels};
use crate::layer::{Reading, View};
use crate::margin::Margin;
use crate::program::Program;
use plan::{SparsePlan, SparseRule};
use required::Required;

/// The constraint layer of a program, for rows of which few classes are listed.
///
/// Built once and usable from any number of threads, each with its own [`SparseWorkspace`].
///
/// ```
/// use rulebound_core::{LabelId, Program, SparseLayer};
/// let program: Program = "siamese -> cat\ncat -> animal\ndog -> animal".parse()?;
/// let layer = SparseLayer::new(&program)?;
/// let mut workspace = layer.workspace();
/// let [siamese, cat] = [0, 1].map(LabelId::new);
/// let coherent = layer.forward([(siamese, 1.5f32), (cat, -0.5)], &mut workspace)?;
/// let values: Vec<_> = coherent.iter().map(|one| (one.label.index(), one.value)).collect();
/// // Siamese, cat and animal, but no dog.
/// assert_eq!(values, [(0, 1.5), (1, 1.5), (2, 1.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseLayer {
    plan: SparsePlan,
    names: Labels,
    /// `None` without requirements.
    required: Option<Required>,
}

impl SparseLayer {
    /// The layer of a program.
    ///
    /// # Errors
    /// [`SparseError::Unsettled`] if the program has requirements and even the row that lists nothing cannot be
    /// settled within the limit.
    pub fn new(program: &Program) -> Result<Self, SparseError> {
        let required = Required::new(program)?;
        Ok(Self { plan: SparsePlan::new(program), names: program.labels().clone(), required })
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.plan.nodes.len()
    }

    /// Allocates the memory for calls from one thread at a time.
    pub fn workspace<F: Margin>(&self) -> SparseWorkspace<F> {
        let whole = self.required.as_ref().map(Required::row);
        SparseWorkspace::new(&self.plan, whole)
    }

    /// The place of a class in an order in which bodies come before heads.
    pub fn place(&self, label: LabelId) -> u32 {
        self.plan.slot_of[label.index()]
    }

    /// The cycle of rules that a class is in, by its number.
    pub fn cycle(&self, label: LabelId) -> Option<u32> {
        self.plan.cycle(self.place(label))
    }

    /// Whether a class holds in the row that lists nothing: by facts, or because others do not hold.
    pub fn holds_always(&self, label: LabelId) -> bool {
        match &self.required {
            Some(required) => required.holds[label.index()],
            None => self.plan.base[self.place(label) as usize].0,
        }
    }

    /// The coherent margins of a row: all classes above −∞, in the order of the classes. What the row does not
    /// list is −∞; the order in which it lists classes does not matter.
    ///
    /// With facts or negation a row also has the classes that hold in every row that says nothing of them, and
    /// takes the time to list them.
    ///
    /// # Errors
    /// If a class does not exist or is listed twice, a margin is NaN, or the requirements of the row cannot be
    /// settled within the limit.
    pub fn forward<'w, F: Margin>(
        &self,
        row: impl IntoIterator<Item = (LabelId, F)>,
        workspace: &'w mut SparseWorkspace<F>,
    ) -> Result<&'w [SparseMargin<F>], SparseError> {
        let plan = &self.plan;
        workspace.start();
        if let (Some(required), Some(whole)) = (&self.required, &mut workspace.whole) {
            required.forward(row, &self.names, whole, &mut workspace.result)?;
            return Ok(&workspace.result);
        }
        for (label, margin) in row {
            if let Err(error) = self.list(label, margin, workspace) {
                workspace.abandon();
                return Err(error);
            }
        }
        if plan.is_plain {
            raise_plain(plan, workspace);
        } else {
            raise(plan, workspace);
            for &slot in &plan.base_holds {
                if !workspace.is_touched(slot) {
                    workspace.listed.insert(plan.nodes[slot as usize].class);
                }
            }
        }
        let mut listed = std::mem::take(&mut workspace.listed);
        listed.take_all(|class| {
            let Reading { value, delegate } = workspace.reading(plan, plan.slot_of[class as usize]);
            let label = LabelId::new(class as usize);
            workspace.result.push(SparseMargin { label, value, delegate });
        });
        workspace.listed = listed;
        Ok(&workspace.result)
    }

    /// Takes in one class of a row.
    #[inline(always)]
    fn list<F: Margin>(
        &self,
        label: LabelId,
        margin: F,
        workspace: &mut SparseWorkspace<F>,
    ) -> Result<(), SparseError> {
        let plan = &self.plan;
        let Some(&slot) = plan.slot_of.get(label.index()) else {
            let (class, classes) = (label.index() as i64, self.classes());
            return Err(SparseError::NoClass { class, classes });
        };
        if margin.is_nan() {
            return Err(SparseError::NotANumber { label: self.names.name(label).to_owned() });
        }
        if workspace.is_touched(slot) {
            return Err(SparseError::Duplicate { label: self.names.name(label).to_owned() });
        }
        workspace.touch(plan, slot).value = margin.canonical();
        let leader = plan.cycle(slot).map_or(slot, |cycle| plan.members[cycle as usize].0);
        workspace.open.insert(leader);
        Ok(())
    }
}

/// Visits the open slots from the lowest up, those that are opened on the way too.
#[inline(always)]
fn each_open<F: Margin>(
    workspace: &mut SparseWorkspace<F>,
    mut visit: impl FnMut(&mut SparseWorkspace<F>, u32),
) {
    while let Some((start, mut word)) = workspace.open.take_word() {
        while word != 0 {
            let slot = start | word.trailing_zeros();
            word &= word - 1;
            visit(workspace, slot);
            word |= workspace.open.added(start);
        }
    }
}

/// Raises the classes of a program that has nothing but rules of one positive literal, in no cycle.
fn raise_plain<F: Margin>(plan: &SparsePlan, workspace: &mut SparseWorkspace<F>) {
    each_open(workspace, |workspace, slot| {
        let touched = &workspace.touched[slot as usize];
        let reading = Reading { value: touched.value, delegate: touched.delegate };
        if reading.value > F::FALSE {
            let node = plan.nodes[slot as usize];
            workspace.listed.insert(node.class);
            plan.each_edge(node, |edge| {
                offer(plan, edge.head, reading, edge.rule >> 1, workspace);
            });
        }
    });
}

/// Raises, or lowers, the classes of any other program.
fn raise<F: Margin>(plan: &SparsePlan, workspace: &mut SparseWorkspace<F>) {
    each_open(workspace, |workspace, slot| {
        if let Some(cycle) = plan.cycle(slot) {
            solve(plan, cycle, workspace);
            return;
        }
        let (stamp, mut ready) = workspace.ready[slot as usize];
        while stamp == workspace.stamp && ready != plan::NONE {
            take_rule(plan, plan.rules[ready as usize], workspace);
            ready = workspace.next_ready[ready as usize];
        }
        for &rule in plan.standing.list(slot) {
            let holds = take_rule(plan, plan.rules[rule as usize], workspace);
            if holds {
                // No later rule can offer more.
                break;
            }
        }
        pass_on(plan, slot, workspace);
    });
}

/// Settles all classes of a cycle.
fn solve<F: Margin>(plan: &SparsePlan, cycle: u32, workspace: &mut SparseWorkspace<F>) {
    let (first, end) = plan.members[cycle as usize];
    for member in first..end {
        workspace.touch(plan, member);
    }
    let mut cycles = std::mem::take(&mut workspace.cycles);
    plan.cycles[cycle as usize].solve(&mut Row { plan, workspace }, &mut cycles);
    workspace.cycles = cycles;
    for member in first..end {
        pass_on(plan, member, workspace);
    }
}

/// Lists a class that has its value, and tells those that depend on it if it is not as in the base.
fn pass_on<F: Margin>(plan: &SparsePlan, slot: u32, workspace: &mut SparseWorkspace<F>) {
    let reading = workspace.reading(plan, slot);
    let node = plan.nodes[slot as usize];
    if reading.value > F::FALSE {
        workspace.listed.insert(node.class);
    }
    let (holds, delegate) = plan.base[slot as usize];
    let before = if holds { F::TRUE } else { F::FALSE };
    if reading.value == before && reading.delegate == delegate {
        return;
    }
    plan.each_edge(node, |edge| {
        offer(plan, edge.head, reading.flip(edge.rule & 1 == 1), edge.rule >> 1, workspace);
    });
    for &watcher in plan.watchers.list(slot) {
        workspace.touch(plan, watcher);
        workspace.open.insert(watcher);
    }
    for &number in plan.blocked.list(slot) {
        let rule = plan.rules[number as usize];
        let (stamp, count) = &mut workspace.unblocked[number as usize];
        *count = if *stamp == workspace.stamp { *count + 1 } else { 1 };
        *stamp = workspace.stamp;
        if *count == rule.blockers {
            let (stamp, first) = &mut workspace.ready[rule.head as usize];
            let next = if *stamp == workspace.stamp { *first } else { plan::NONE };
            (*stamp, *first) = (workspace.stamp, number);
            workspace.next_ready[number as usize] = next;
            workspace.touch(plan, rule.head);
            workspace.open.insert(rule.head);
        }
    }
}

/// A rule offers its value to its head: the larger one counts, then the rule written first, and the class
/// itself before all rules.
#[inline(always)]
fn offer<F: Margin>(
    plan: &SparsePlan,
    head: u32,
    reading: Reading<F>,
    place: u32,
    workspace: &mut SparseWorkspace<F>,
) {
    let rule = place + 1;
    let touched = workspace.touch(plan, head);
    if reading.value > touched.value || (reading.value == touched.value && rule < touched.rule) {
        touched.value = reading.value;
        touched.delegate = reading.delegate;
        touched.rule = rule;
    }
    workspace.open.insert(head);
}

/// Offers the value of a rule to its head; whether nothing can be more than that.
fn take_rule<F: Margin>(
    plan: &SparsePlan,
    rule: SparseRule,
    workspace: &mut SparseWorkspace<F>,
) -> bool {
    let body = &plan.literals[rule.start as usize..rule.end as usize];
    let literal = |code: u32| workspace.reading(plan, code >> 1).flip(code & 1 == 1);
    let mut least = match body.first() {
        Some(&first) => literal(first),
        None => {
            let head = plan.nodes[rule.head as usize].class;
            Reading { value: F::TRUE, delegate: Delegate::of_fact(head) }
        }
    };
    for &code in body.iter().skip(1) {
        let next = literal(code);
        if next.value < least.value {
            least = next;
        }
    }
    let touched = &mut workspace.touched[rule.head as usize];
    let place = rule.place + 1;
    if least.value > touched.value || (least.value == touched.value && place < touched.rule) {
        touched.value = least.value;
        touched.delegate = least.delegate;
        touched.rule = place;
    }
    least.value >= F::TRUE
}

/// A row as the rules of a cycle see it.
struct Row<'a, F> {
    plan: &'a SparsePlan,
    workspace: &'a mut SparseWorkspace<F>,
}

impl<F: Margin> View<F> for Row<'_, F> {
    fn own(&self, label: u32) -> Reading<F> {
        self.workspace.reading(self.plan, self.plan.slot_of[label as usize])
    }

    fn literal(&self, _head: u32, code: u32) -> Reading<F> {
        self.own(code >> 1).flip(code & 1 == 1)
    }

    fn settle(&mut self, label: u32, reading: Reading<F>, _place: usize) {
        let slot = self.plan.slot_of[label as usize];
        let touched = &mut self.workspace.touched[slot as usize];
        touched.value = reading.value;
        touched.delegate = reading.delegate;
    }
}
