import { isObject } from './input-schema.ts';
import type { InputSchema, Schema } from './input-schema.ts';

/** The place of an input: the names of the members that lead to it, and its schema. */
export interface Place {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** The fields of a call, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The place that a dotted name denotes; a member whose own name contains dots takes precedence. Undefined if the schema has no such place.
 */
export function placeOf(input: InputSchema, dotted: string, from: Schema = input.root): Place | undefined {
  const inputNames = input.names(from);
  if (inputNames.includes(dotted)) return here(input, from, dotted);
  const dots = [...dotted.matchAll(/\./g)].map(({ index }) => index);
  const dot = dots.find((index) => inputNames.includes(dotted.slice(0, index)));
  if (dot === undefined) return openPlace(input, dotted, from, dots[0]);
  return below(input, from, dotted, dot);
}

/** A place in an open object, whose first name the schema does not list. */
function openPlace(
  input: InputSchema,
  dotted: string,
  from: Schema,
  dot: number | undefined,
): Place | undefined {
  const schema = input.member(from, dotted);
  if (schema === undefined) return undefined;
  const types = input.types(schema);
  const isNested = dot !== undefined && (types.size === 0 || types.has('object'));
  return isNested ? below(input, from, dotted, dot) : { path: [dotted], schema };
}

function below(input: InputSchema, from: Schema, dotted: string, dot: number): Place | undefined {
  const name = dotted.slice(0, dot);
  const place = placeOf(input, dotted.slice(dot + 1), input.member(from, name) ?? {});
  return place && { path: [name, ...place.path], schema: place.schema };
}

function here(input: InputSchema, from: Schema, name: string): Place {
  return { path: [name], schema: input.member(from, name) ?? {} };
}

/** Returns `fields` with a value set at a place. */
export function withValue(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  const former = own(fields, name);
  return {
    ...fields,
    [name]: rest.length === 0 ? value : withValue(isObject(former) ? former : {}, rest, value),
  };
}

/** Schemas of other authors may refer to themselves. */
const MAX_LEVELS = 8;

/**
 * The places of required inputs that `fields` lacks, in schema order: also those within an object, if the object is present or required,
 * down to values that can be typed. An input with a default is not missing.
 */
export function missingPlaces(
  input: InputSchema,
  fields: Fields,
  from: Schema = input.root,
  levels = MAX_LEVELS,
): readonly Place[] {
  const required = new Set(input.required(from));
  return [...new Set([...input.names(from), ...required])].flatMap((name) => {
    const place = here(input, from, name);
    const value = own(fields, name);
    const isMissing = value === undefined && required.has(name) && !input.hasDefault(place.schema);
    if (!isMissing && !isObject(value)) return [];
    const isWhole = levels === 0 || input.isFile(place.schema) || !input.isObjectOnly(place.schema);
    const members = isObject(value) ? value : {};
    const within = isWhole ? [] : missingPlaces(input, members, place.schema, levels - 1);
    if (isMissing && within.length === 0) return [place];
    return within.map(({ path, schema }) => ({ path: [name, ...path], schema }));
  });
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
