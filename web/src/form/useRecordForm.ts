import { useEffect, useRef, useState } from 'react';
import { fieldErrors } from '@/api/errors';
import { differs, forgetDraft, keepDraft, readDraft, readDraftStart } from '@/browser/draft-memory';
import { useChangedMeanwhile } from './useChangedMeanwhile';
import { useDraftName } from './useDraftName';
import { type Shape, useFields, type Values } from './useFields';
import { useTouchedFields } from './useTouchedFields';

interface Options<Field extends string> {
  shape: Shape<Field>;
  /** The values when the form opens. Later events do not change an open form. */
  initial: () => Values<Field>;
  /** The address whose draft is kept; undefined if the values must not be stored. */
  path?: string;
  disabled?: boolean;
  /** Fields that are in no draft. */
  secret?: readonly Field[];
}

/** The page on which the edit of a new record continues. */
interface Successor<Field extends string> {
  path: string;
  /** Fields that cannot be edited there. */
  fixed: readonly Field[];
}

/** The state of a form that saves a record: fields, draft, and the fields that another person changed meanwhile. */
export function useRecordForm<Field extends string>({
  shape,
  initial,
  path,
  disabled = false,
  secret = [],
}: Options<Field>) {
  const owner = useDraftName('');
  const draft = path === undefined ? undefined : owner + path;
  const [opened] = useState(() => {
    const start = initial();
    const isKept = draft !== undefined && !disabled;
    return {
      start,
      typed: isKept ? readDraft(draft, start) : undefined,
      draftStart: isKept ? readDraftStart(draft, start) : {},
    };
  });
  const [start, setStart] = useState(opened.start);
  const fields = useFields(shape, start, opened.typed, disabled);
  const { values } = fields;
  const touched = useTouchedFields(start);
  const meanwhile = useChangedMeanwhile(fields, opened.draftStart);
  const sent = useRef(values);
  const isLeft = useRef(false);
  const kept = replaced(values, start, secret);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other values derive from these.
  useEffect(() => {
    if (draft !== undefined && !isLeft.current) keepDraft(draft, start, kept);
  }, [draft, start, values]);

  return {
    ...fields,
    meanwhile,
    /** Begins a save of all values. */
    submitAll: () => {
      sent.current = values;
      return values;
    },
    /** Begins a save of the changed values. */
    submitChanges: () => {
      sent.current = values;
      const changes = touched(values);
      return { changes, seen: meanwhile.seen(changes) };
    },
    /**
     * Continues with the stored values after a save. What was typed meanwhile stays, in the form or in the draft of the successor.
     * Returns whether nothing was typed.
     */
    saved: (stored: Values<Field> = sent.current, successor?: Successor<Field>): boolean => {
      const before = sent.current;
      const now = Object.fromEntries(
        shape.fields.map((field) => {
          const latest = fields.latest(field);
          return [field, latest === before[field] ? stored[field] : latest];
        }),
      ) as Values<Field>;
      meanwhile.clear();
      if (successor) {
        if (draft !== undefined) forgetDraft(draft);
        const continued = replaced(now, stored, [...secret, ...successor.fixed]);
        if (!isLeft.current) keepDraft(owner + successor.path, stored, continued);
        return !differs(stored, continued);
      }
      setStart(stored);
      for (const field of shape.fields) fields.set(field, now[field]);
      const isDone = !differs(stored, now);
      if (isDone && draft !== undefined) forgetDraft(draft);
      return isDone;
    },
    /** Deletes the draft when the user leaves without saving. A save that ends later stores none. */
    leave: () => {
      isLeft.current = true;
      if (draft !== undefined) forgetDraft(draft);
    },
    /** Shows why a save was refused, at the fields. */
    refused: (error: unknown) => {
      fields.showErrors(fieldErrors(error) as Partial<Values<Field>>);
      meanwhile.show(error);
    },
  };
}

/** The values, with those of `others` for these fields. */
function replaced<Field extends string>(values: Values<Field>, others: Values<Field>, fields: readonly Field[]) {
  return { ...values, ...Object.fromEntries(fields.map((field) => [field, others[field]])) } as Values<Field>;
}
