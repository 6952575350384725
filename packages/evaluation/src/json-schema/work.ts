import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isJsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Names or values of a keyword that together cost as much as a subschema. */
const NAMES_PER_SUBSCHEMA = 8;
/** Characters of text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 16;
/** A value in a list has at least so many bytes of JSON: a digit and a comma. */
const MIN_VALUE_BYTES = 2;
/** Longest name that a value may have, because the path of an error repeats all names above it. */
const MAX_NAME_LENGTH = 256;

/** Cost factor of `uniqueItems`, which serialises every part of the items. */
const UNIQUE_ITEMS = 8;

/** Keywords whose schemas apply to the value itself. */
const IN_PLACE = ['else', 'if', 'not', 'then'];
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_MAPS = ['dependencies', 'dependentSchemas'];
/** Keywords whose schemas apply to members or items. */
const BELOW = [
  'additionalProperties',
  'contains',
  'items',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
/** Keywords whose entries (names or values) are each compared with the value. */
const COMPARED = ['enum', 'patternProperties', 'properties', 'required'];

/** Maximum subschemas that apply to one value. */
interface Factor {
  /** Subschemas that apply to the value itself. */
  readonly here: number;
  /** Subschemas that apply to one of the value's members or items, or deeper. */
  readonly below: number;
}

/**
 * An upper bound for the number of subschemas (or equally costly work) that apply to each part of a value, for a
 * schema without references that is proved to be bounded. Patterns are linear and count as one.
 */
export function workFactor(schema: JsonObject): number {
  const { here, below } = factorOf(schema);
  return Math.max(here, below);
}

function factorOf(schema: Json | undefined): Factor {
  if (!isJsonObject(schema)) return { here: 0, below: 0 };
  const inPlace = [
    ...IN_PLACE.map((name) => schema[name]),
    ...IN_PLACE_LISTS.flatMap((name) => listOf(schema[name])),
    ...IN_PLACE_MAPS.flatMap((name) => membersOf(schema[name])),
  ].map(factorOf);
  const { properties, prefixItems, patternProperties, uniqueItems } = schema;
  // At most one schema of `one` applies to a member or item; any number of those in `any` do.
  const one = [...membersOf(properties), ...listOf(prefixItems)].map(workOf);
  const any = [...BELOW.map((name) => schema[name]), ...membersOf(patternProperties)].map(workOf);
  const compared = COMPARED.map((name) => Object.keys(schema[name] ?? {}).length / NAMES_PER_SUBSCHEMA);
  return {
    here: 1 + sum(compared) + membersOf(patternProperties).length + sum(inPlace.map(({ here }) => here)),
    below:
      Math.max(0, ...one) +
      sum(any) +
      (uniqueItems === true ? UNIQUE_ITEMS : 0) +
      sum(inPlace.map(({ below }) => below)),
  };
}

function workOf(schema: Json | undefined): number {
  const { here, below } = factorOf(schema);
  return Math.max(here, below);
}

/** Whether a value has at most `maxWeight` values, long texts counted as several, and no very long names. Parts that nobody has parsed count with their bytes. */
export function isLighterThan(value: Json | LazyObject, maxWeight: number): boolean {
  let weight = 0;
  const open: (Json | LazyJson | LazyObject)[] = [value];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    weight += 1;
    if (typeof part === 'string') weight += part.length / CHARACTERS_PER_VALUE;
    else if (part instanceof LazyJson)
      weight += part.bytes.length / (isJsonText(part) ? CHARACTERS_PER_VALUE : MIN_VALUE_BYTES);
    else if (Array.isArray(part)) {
      if (weight + part.length > maxWeight) return false;
      for (const item of part as readonly Json[]) open.push(item);
    } else if (typeof part === 'object' && part !== null) {
      const object = part as LazyObject;
      for (const name in object) {
        if (name.length > MAX_NAME_LENGTH) return false;
        weight += name.length / CHARACTERS_PER_VALUE;
        if (weight > maxWeight) return false;
        open.push(object[name] ?? null);
      }
    }
    if (weight > maxWeight) return false;
  }
  return true;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

function membersOf(value: Json | undefined): readonly Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
