//! Parses items directly from the response text, member by member, in any order.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::model::scalar::Scalar;

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

/// One item, wrapped or bare; `None` if the value is not an object.
struct Item<M: ItemReader>(Option<M::Item>);

/// A list of items, each wrapped or bare. Entries that are not objects are skipped; `None` if the value is not a list.
pub(crate) struct List<M: ItemReader>(pub(crate) Option<Vec<M::Item>>);

/// Reads an item from an object.
pub(crate) fn from_object<M: ItemReader>(object: &Map<String, Value>) -> M::Item {
    Item::<M>::deserialize(object).ok().and_then(|Item(item)| item).unwrap_or_else(|| M::default().finish())
}

impl<'de, M: ItemReader> Deserialize<'de> for Item<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tolerant(PhantomData::<ItemShape<M>>)).map(Self)
    }
}

impl<'de, M: ItemReader> Deserialize<'de> for List<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tolerant(PhantomData::<ListShape<M>>)).map(Self)
    }
}

/// How to read an object or a list; any other value is read as `None`.
pub(crate) trait Shape {
    type Value;

    fn object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Option<Self::Value>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self::Value>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

struct ItemShape<M>(PhantomData<M>);

impl<M: ItemReader> Shape for ItemShape<M> {
    type Value = M::Item;

    fn object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Option<M::Item>, A::Error> {
        let (mut members, mut wrapped) = (M::default(), None);
        while let Some(name) = object.next_key::<Scalar<'de>>()? {
            let Scalar::Text(name) = name else { continue };
            if name == M::WRAPPER {
                wrapped = object.next_value::<Item<M>>()?.0.or(wrapped);
                continue;
            }
            let mut member = Member { object: &mut object, was_read: false };
            members.take(&name, &mut member)?;
            if !member.was_read {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Some(wrapped.unwrap_or_else(|| members.finish())))
    }
}

pub(crate) struct ListShape<M>(PhantomData<M>);

impl<M: ItemReader> Shape for ListShape<M> {
    type Value = Vec<M::Item>;

    fn list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self::Value>, A::Error> {
        let mut items = Vec::new();
        while let Some(Item(item)) = list.next_element::<Item<M>>()? {
            items.extend(item);
        }
        Ok(Some(items))
    }
}

pub(crate) struct Tolerant<S>(pub(crate) PhantomData<S>);

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
        S::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        S::object(object)
    }
}
