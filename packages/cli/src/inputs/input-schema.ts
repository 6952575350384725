/** A part of a tool's input schema: JSON Schema 2020-12, as the API shows it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A type of JSON. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** Keywords that describe members without naming them in `properties`. */
const OTHER_MEMBERS = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];
const TYPES: ReadonlySet<unknown> = new Set<JsonType>([
  'string',
  'integer',
  'number',
  'boolean',
  'null',
  'array',
  'object',
]);

/** Answers questions about the values that an input schema permits. Only the API validates; this only decides how typed text is read. */
export class InputSchema {
  readonly root: Schema;

  constructor(root: Schema) {
    this.root = root;
  }

  /** The types that a value may have; none if any type may be. */
  types(schema: Schema): ReadonlySet<JsonType> {
    const found = new Set<JsonType>();
    for (const one of this.#inPlace(schema, COMBINED)) {
      const { type, properties, items } = one;
      const declared = [type].flat().filter((name): name is JsonType => TYPES.has(name));
      const implied = declared.length > 0 ? [] : valuesOf(one).map(typeOf);
      for (const name of [...declared, ...implied]) found.add(name);
      if (isObject(properties)) found.add('object');
      if (isObject(items)) found.add('array');
    }
    return found;
  }

  /** Whether a value is an object and cannot be anything else. */
  isObjectOnly(schema: Schema): boolean {
    const types = this.types(schema);
    return types.size === 1 && types.has('object');
  }

  /** The names of the members that the schema lists, in its order. */
  names(schema: Schema): readonly string[] {
    const candidates = this.#inPlace(schema, COMBINED).flatMap(({ properties }) =>
      isObject(properties) ? Object.keys(properties) : [],
    );
    return [...new Set(candidates)];
  }

  /** The schema of a member; an empty schema if the object is open; undefined if the object has no such member. */
  member(schema: Schema, name: string): Schema | undefined {
    const types = this.types(schema);
    if (types.size > 0 && !types.has('object')) return undefined;
    const parts = this.#inPlace(schema, COMBINED);
    for (const { properties } of parts) {
      if (!isObject(properties) || !Object.hasOwn(properties, name)) continue;
      const { [name]: member } = properties;
      return isObject(member) ? member : {};
    }
    const others = OTHER_MEMBERS.flatMap((keyword) =>
      parts.filter((part) => keyword in part).map((part) => part[keyword]),
    );
    if (others.some((value) => value !== false)) {
      const isByPattern = parts.some((part) => 'patternProperties' in part);
      const described = parts.map((part) => part['additionalProperties']).find(isObject);
      return (isByPattern ? undefined : described) ?? {};
    }
    // A name that a schema does not list never reaches the vendor, so it is a mistake.
    return others.length === 0 && this.names(schema).length === 0 ? {} : undefined;
  }

  /** The required members of the value. */
  required(schema: Schema): readonly string[] {
    const requiredNames = this.#inPlace(schema, ['allOf']).flatMap(({ required }) =>
      Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    );
    return [...new Set(requiredNames)];
  }

  /** A text keyword of the schema, such as its `description`. */
  text(schema: Schema, keyword: 'description' | 'format'): string | undefined {
    return this.#inPlace(schema, COMBINED)
      .map((one) => one[keyword])
      .find((value) => typeof value === 'string');
  }

  /** Whether a value is masked wherever it is shown. */
  isSecret(schema: Schema): boolean {
    return this.#inPlace(schema, COMBINED).some(
      ({ format, writeOnly }) => format === 'password' || writeOnly === true,
    );
  }

  /** Whether a value is a file. */
  isFile(schema: Schema): boolean {
    return this.text(schema, 'format') === 'file';
  }

  /** Whether the API has a default for the value. */
  hasDefault(schema: Schema): boolean {
    return this.#inPlace(schema, ['allOf']).some((one) => 'default' in one);
  }

  /** The only permitted values, if the schema lists them. */
  choices(schema: Schema): readonly unknown[] {
    return this.#inPlace(schema, COMBINED).flatMap(valuesOf);
  }

  /** The schemas that apply to the same value: this schema, and all that it refers to or combines. */
  #inPlace(schema: Schema, combinations: readonly string[]): readonly Schema[] {
    const found = new Set([schema]);
    // A loop over a set also visits elements that are added meanwhile.
    for (const one of found) {
      const { $ref } = one;
      const parts = combinations.flatMap((keyword) => one[keyword]);
      for (const next of [this.#target($ref), ...parts]) if (isObject(next)) found.add(next);
    }
    return [...found];
  }

  /** The target of a reference within the schema. */
  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    let place: unknown = this.root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      place = isObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
    }
    return place;
  }
}

const COMBINED = ['allOf', 'anyOf', 'oneOf'];

function valuesOf(schema: Schema): readonly unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'] as readonly unknown[];
  return 'const' in schema ? [schema['const']] : [];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' ? 'number' : 'object';
}

/** Whether members of the value may be read. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
