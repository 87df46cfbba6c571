//! Parses items directly from the response text, member by member, in any order.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::scalar::Scalar;

/// An item while it is being parsed. The default value is the item without any members.
pub(crate) trait ItemReader: Default {
    type Item;
    /// The member that wraps a single item: `{"device": {…}}`.
    const WRAPPER: &'static str;

    /// Reads the member with this name, or ignores it.
    fn take<'de, A: MapAccess<'de>>(&mut self, name: &str, member: &mut Member<'_, A>) -> Result<(), A::Error>;

    fn finish(self) -> Self::Item;
}

/// The value of one member, not read yet.
pub(crate) struct Member<'a, A> {
    object: &'a mut A,
    was_read: bool,
}

impl<'de, A: MapAccess<'de>> Member<'_, A> {
    pub(crate) fn scalar(&mut self) -> Result<Scalar<'de>, A::Error> {
        self.read()
    }

    pub(crate) fn text(&mut self) -> Result<Option<String>, A::Error> {
        self.scalar().map(Scalar::text)
    }

    pub(crate) fn text_as<T: for<'t> From<&'t str>>(&mut self) -> Result<Option<T>, A::Error> {
        self.scalar().map(Scalar::text_as)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, A::Error> {
        Ok(self.scalar()?.boolean().unwrap_or_default())
    }

    /// The whole value as a JSON tree.
    pub(crate) fn value(&mut self) -> Result<Value, A::Error> {
        self.read()
    }

    /// A list of items; empty if the value is not a list.
    pub(crate) fn many<M: ItemReader>(&mut self) -> Result<Vec<M::Item>, A::Error> {
        Ok(self.read::<List<M>>()?.0.unwrap_or_default())
    }

    fn read<T: Deserialize<'de>>(&mut self) -> Result<T, A::Error> {
        self.was_read = true;
        self.object.next_value()
    }
}

/// Reads one item, wrapped or bare, into a place. Leaves the place as it is if the value is not an object. Items are large,
/// so they are not passed through the results of the parser.
struct ItemSeed<'a, M: ItemReader>(&'a mut Option<M::Item>);

/// A list of items, each wrapped or bare. Entries that are not objects are skipped; `None` if the value is not a list.
pub(crate) struct List<M: ItemReader>(pub(crate) Option<Vec<M::Item>>);

/// Reads an item from an object.
pub(crate) fn from_object<M: ItemReader>(object: &Map<String, Value>) -> M::Item {
    let mut item = None;
    // An object of a JSON tree is always readable.
    let _ = ItemSeed::<M>(&mut item).deserialize(object);
    item.unwrap_or_else(|| M::default().finish())
}

impl<'de, M: ItemReader> DeserializeSeed<'de> for ItemSeed<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(Tolerant(self)).map(|_| ())
    }
}

impl<'de, M: ItemReader> Deserialize<'de> for List<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tolerant(ListShape::<M>(PhantomData))).map(Self)
    }
}

/// How to read an object or a list; any other value is read as `None`.
pub(crate) trait Shape: Sized {
    type Value;

    fn object<'de, A: MapAccess<'de>>(self, mut object: A) -> Result<Option<Self::Value>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn list<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Self::Value>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<M: ItemReader> Shape for ItemSeed<'_, M> {
    type Value = ();

    fn object<'de, A: MapAccess<'de>>(self, mut object: A) -> Result<Option<()>, A::Error> {
        let (mut members, mut wrapped) = (None::<M>, None);
        while let Some(Name(name)) = object.next_key()? {
            if name == M::WRAPPER {
                object.next_value_seed(ItemSeed::<M>(&mut wrapped))?;
                continue;
            }
            let mut member = Member { object: &mut object, was_read: false };
            members.get_or_insert_with(M::default).take(&name, &mut member)?;
            if !member.was_read {
                object.next_value::<IgnoredAny>()?;
            }
        }
        *self.0 = Some(wrapped.unwrap_or_else(|| members.unwrap_or_default().finish()));
        Ok(Some(()))
    }
}

pub(crate) struct ListShape<M>(pub(crate) PhantomData<M>);

impl<M: ItemReader> Shape for ListShape<M> {
    type Value = Vec<M::Item>;

    fn list<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Self::Value>, A::Error> {
        let mut items = Vec::new();
        let mut item = None;
        while list.next_element_seed(ItemSeed::<M>(&mut item))?.is_some() {
            items.extend(item.take());
        }
        Ok(Some(items))
    }
}

/// The name of a member.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

/// Reads a value of any type.
pub(crate) struct Tolerant<S>(pub(crate) S);

impl<'de, S: Shape> Visitor<'de> for Tolerant<S> {
    type Value = Option<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        self.0.list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        self.0.object(object)
    }
}
