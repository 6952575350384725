import type { FieldDescriptor, Json, JsonObject } from '@fairlead/connector-model/model';
import { controlName } from './fields.ts';
import type { Entered, FieldProblem, FormField } from './fields.ts';

/** The values that a form holds for a method's fields. */
export interface FormValues {
  readonly entered: Entered;
  /** As the API takes them; a field that was left empty is absent. */
  readonly values: JsonObject;
  /** The fields that were left empty though required, and those whose text is no number or no JSON. */
  readonly problems: ReadonlyMap<string, FieldProblem>;
}

/** Reads the values of `fields` from a form; other names in it are ignored. */
export function readValues(fields: readonly FormField[], form: URLSearchParams): FormValues {
  const entered = new Map<string, string>();
  const problems = new Map<string, FieldProblem>();
  const values: [string, Json][] = [];
  for (const field of fields) {
    const text = form.get(controlName(field.name)) ?? '';
    entered.set(field.name, text);
    const value = read(field, text);
    if (value !== undefined) values.push([field.name, value]);
    else if (text.trim() !== '')
      problems.set(field.name, { kind: 'refused', issue: WANTED[field.type] ?? '' });
    else if (field.isRequired) problems.set(field.name, { kind: 'missing' });
  }
  return { entered, values: Object.fromEntries(values), problems };
}

const WANTED: Readonly<Partial<Record<FieldDescriptor['type'], string>>> = {
  number: 'must be a number',
  json: 'must be JSON',
};

/** Undefined: nothing was entered, or it is not of the field's type. */
function read({ type }: FormField, text: string): Json | undefined {
  // A browser sends nothing for a box that is not checked.
  if (type === 'boolean') return text === 'true';
  // Pasted with white space around it; JSON and numbers do not mind, and a text of white space only is an empty one.
  if (text.trim() === '') return undefined;
  if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : undefined;
  return type === 'json' ? parseJson(text) : text;
}

function parseJson(text: string): Json | undefined {
  try {
    // What JSON.parse returns is JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
