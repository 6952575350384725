import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { FieldDescriptor } from '@fairlead/connector-model/model';
import { controlName } from './fields.ts';
import type { FormInput, FieldProblem, FormField } from './fields.ts';

/** Values entered in a form for a method's fields. */
export interface FormValues {
  readonly entered: FormInput;
  /** In the form that the API takes; an empty field is absent. */
  readonly values: JsonObject;
  /** Required fields that were left empty, and fields whose text is not a number or not JSON. */
  readonly problems: ReadonlyMap<string, FieldProblem>;
}

/** Reads the values of `fields` from a form; ignores other names. */
export function readValues(fields: readonly FormField[], form: URLSearchParams): FormValues {
  const inputs = new Map<string, string>();
  const problems = new Map<string, FieldProblem>();
  const values: [string, Json][] = [];
  for (const field of fields) {
    const text = form.get(controlName(field.name)) ?? '';
    inputs.set(field.name, text);
    const value = read(field, text);
    if (value !== undefined) values.push([field.name, value]);
    else if (text.trim() !== '')
      problems.set(field.name, { kind: 'refused', issue: WANTED[field.type] ?? '' });
    else if (field.isRequired) problems.set(field.name, { kind: 'missing' });
  }
  return { entered: inputs, values: Object.fromEntries(values), problems };
}

const WANTED: Readonly<Partial<Record<FieldDescriptor['type'], string>>> = {
  number: 'must be a number',
  json: 'must be JSON',
};

/** Undefined: nothing was entered, or the text does not have the field's type. */
function read({ type }: FormField, text: string): Json | undefined {
  // Browsers send nothing for an unchecked box.
  if (type === 'boolean') return text === 'true';
  // Trimmed: pasted text may have white space around it, and white space only means empty.
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
