//! Handles: what a program is given for an object. They are numbers that look like addresses and are looked up in tables, so that a number that was never a handle,
//! a handle of another kind, or one that is no longer valid is an error. No number is used twice.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{Answer, CUresult, Failure};

/// Bits 4 to 23 are the index of a slot, 24 to 41 count its uses, 42 to 46 are the kind.
const INDEX: u32 = 4;
const USES: u32 = 24;
const KIND: u32 = 42;
const MOST_SLOTS: usize = 1 << (USES - INDEX);
const MOST_USES: u32 = 1 << (KIND - USES);

/// A handle whose static type does not say what the object is, as in structures that have handles of several types.
pub type AnyHandle = Handle<()>;

/// A type whose objects have handles.
pub trait Object: Sized + Send + Sync + 'static {
    /// The number of the type in its handles, from 1 to 31.
    const KIND: u8;
    /// The error for an invalid handle.
    const INVALID: CUresult = CUresult::INVALID_HANDLE;
    /// All objects of its type.
    fn table() -> &'static Table<Self>;
}

/// Declares types to have handles.
macro_rules! objects {
    ($($ty:ty, $kind:literal $(, $invalid:ident)?;)*) => {$(
        impl $crate::handle::Object for $ty {
            const KIND: u8 = $kind;
            $(const INVALID: $crate::error::CUresult = $crate::error::CUresult::$invalid;)?
            fn table() -> &'static $crate::handle::Table<Self> {
                static TABLE: $crate::handle::Table<$ty> = $crate::handle::Table::new();
                &TABLE
            }
        }
    )*};
}
pub(crate) use objects;

/// A handle.
#[repr(transparent)]
pub struct Handle<T>(usize, PhantomData<fn() -> T>);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Handle<T> {}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl<T> Default for Handle<T> {
    fn default() -> Self {
        Self::NULL
    }
}

impl<T> Handle<T> {
    /// The null handle.
    pub const NULL: Self = Self(0, PhantomData);

    /// A handle with this number.
    pub const fn from_bits(bits: usize) -> Self {
        Self(bits, PhantomData)
    }

    /// Its number.
    pub const fn bits(self) -> usize {
        self.0
    }

    /// Whether it is null.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Checks that it is not null, for functions that have a result of its own for that.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn require(self) -> Answer<()> {
        if self.is_null() { Err(CUresult::INVALID_VALUE.into()) } else { Ok(()) }
    }

    /// The same number as a handle of another type.
    pub const fn cast<U>(self) -> Handle<U> {
        Handle(self.0, PhantomData)
    }
}

impl<T: Object> Handle<T> {
    /// The object.
    ///
    /// # Errors
    /// [`Object::INVALID`] unless it is valid.
    pub fn get(self) -> Answer<Arc<T>> {
        T::table().get(self).ok_or_else(|| self.invalid())
    }

    /// Makes the handle invalid, and returns the object.
    pub fn remove(self) -> Answer<Arc<T>> {
        T::table().remove(self).ok_or_else(|| self.invalid())
    }

    fn invalid(self) -> Failure {
        let path = std::any::type_name::<T>();
        let ty = path.rsplit_once("::").map_or(path, |(_, name)| name);
        Failure::because(T::INVALID, format!("{self:?} is not a valid handle of a {ty}"))
    }

    /// Whether it has the form of a handle of this type, valid or not.
    pub fn is_of_kind(self) -> bool {
        self.0 >> KIND == T::KIND as usize
    }
}

/// All objects of a type.
#[derive(Debug)]
pub struct Table<T> {
    slots: RwLock<Slots<T>>,
}

#[derive(Debug)]
struct Slots<T> {
    slots: Vec<(u32, Option<Arc<T>>)>,
    free: VecDeque<usize>,
}

impl<T: Object> Table<T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { slots: RwLock::new(Slots { slots: Vec::new(), free: VecDeque::new() }) }
    }

    fn place(handle: Handle<T>) -> Option<(usize, u32)> {
        let index = (handle.0 >> INDEX) % MOST_SLOTS;
        let uses = (handle.0 >> USES) as u32 % MOST_USES;
        (handle == Self::handle(index, uses)).then_some((index, uses))
    }

    fn handle(index: usize, uses: u32) -> Handle<T> {
        Handle((T::KIND as usize) << KIND | (uses as usize) << USES | index << INDEX, PhantomData)
    }

    /// Adds an object, and returns its handle.
    ///
    /// # Errors
    /// Out of memory if there are too many.
    pub fn insert(&self, object: Arc<T>) -> Answer<Handle<T>> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = slots.free.pop_front() {
            let (uses, slot) = &mut slots.slots[index];
            *slot = Some(object);
            return Ok(Self::handle(index, *uses));
        }
        let index = slots.slots.len();
        if index == MOST_SLOTS {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        slots.slots.push((0, Some(object)));
        Ok(Self::handle(index, 0))
    }

    fn get(&self, handle: Handle<T>) -> Option<Arc<T>> {
        let (index, uses) = Self::place(handle)?;
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let (now, object) = slots.slots.get(index)?;
        if *now == uses { object.clone() } else { None }
    }

    fn remove(&self, handle: Handle<T>) -> Option<Arc<T>> {
        let (index, uses) = Self::place(handle)?;
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let (now, slot) = slots.slots.get_mut(index)?;
        if *now != uses {
            return None;
        }
        let object = slot.take()?;
        *now += 1;
        // A slot that has no uses left is not used again.
        if *now < MOST_USES {
            slots.free.push_back(index);
        }
        Some(object)
    }

    /// The valid handles whose objects fulfil a condition.
    pub fn find(&self, is_wanted: impl Fn(&T) -> bool) -> Vec<Handle<T>> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let all = slots.slots.iter().enumerate();
        all.filter(|(_, (_, slot))| slot.as_deref().is_some_and(&is_wanted))
            .map(|(index, (uses, _))| Self::handle(index, *uses))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(u32);
    struct Other;
    objects! { Thing, 30, INVALID_CONTEXT; Other, 31; }

    #[test]
    fn only_valid_handles_are_found() {
        let handles: Vec<_> = (0..3).map(|n| Thing::table().insert(Arc::new(Thing(n))).unwrap()).collect();
        assert_eq!(handles[1].get().unwrap().0, 1);
        assert!(handles[1].remove().is_ok());
        assert_eq!(handles[1].get().map(drop).unwrap_err().result, CUresult::INVALID_CONTEXT);
        assert!(handles[1].remove().is_err());
        let again = Thing::table().insert(Arc::new(Thing(7))).unwrap();
        assert_ne!(again, handles[1]);
        assert!(handles[1].get().is_err());
        assert_eq!(again.get().unwrap().0, 7);
        assert!(again.cast::<Other>().get().is_err());
        for bits in [0, 1, 2, 8, again.bits() + 1, again.bits() | 1 << 60, usize::MAX] {
            assert!(Handle::<Thing>::from_bits(bits).get().is_err(), "{bits:#x}");
        }
    }
}
