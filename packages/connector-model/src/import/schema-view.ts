import { isJsonArray, isJsonObject, objectOrEmpty } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';

/** Finds the schema that a `$ref` refers to. */
export type Resolve = (ref: string) => JsonObject | undefined;

/** A schema with `$ref` and `allOf` resolved at its root, and the references on the way. */
export interface SchemaView {
  readonly schema: JsonObject;
  readonly open: readonly string[];
  /** The alternatives (oneOf, anyOf), without the null type. */
  readonly variants: readonly SchemaView[];
  readonly isNullable: boolean;
}

/** Maximum number of schemas that are merged into one view: alternatives that contain each other would multiply at each level. */
const MAX_PARTS = 1_000;

/**
 * Follows references and merges the schemas for the same value. Undefined: the schema contains itself, or a reference
 * is unknown. Alternatives beyond MAX_PARTS are unknown.
 */
export function viewOf(
  raw: JsonObject,
  resolve: Resolve,
  open: readonly string[] = [],
): SchemaView | undefined {
  return partOf(raw, resolve, open, { count: 0 });
}

function partOf(
  raw: JsonObject,
  resolve: Resolve,
  open: readonly string[],
  parts: { count: number },
): SchemaView | undefined {
  parts.count += 1;
  if (parts.count > MAX_PARTS) return undefined;
  const { $ref: ref, allOf, oneOf, anyOf, ...own } = raw;
  let view: SchemaView = { schema: own, open, variants: [], isNullable: isNullable(own) };
  if (typeof ref === 'string') {
    const target = open.includes(ref) ? undefined : resolve(ref);
    const found = target === undefined ? undefined : partOf(target, resolve, [...open, ref], parts);
    if (found === undefined) return undefined;
    view = merged(found, view);
  }
  for (const part of objectsIn(allOf)) {
    const found = partOf(part, resolve, view.open, parts);
    if (found !== undefined) view = merged(found, view);
  }
  const choices = objectsIn(oneOf ?? anyOf);
  if (choices.length === 0) return view;
  const variants = choices.filter((choice) => choice['type'] !== 'null');
  const views = variants.flatMap((choice) => partOf(choice, resolve, view.open, parts) ?? []);
  const nullable =
    view.isNullable || variants.length < choices.length || views.some((each) => each.isNullable);
  const [only] = views;
  if (only !== undefined && views.length === 1 && variants.length === 1)
    return { ...merged(only, view), isNullable: nullable };
  // An unknown schema allows anything.
  const all = views.length === variants.length ? views : [];
  return { ...view, variants: [...view.variants, ...all], isNullable: nullable };
}

/** The view of an object's member or a list's items; undefined: no such member. */
export function memberOf(view: SchemaView, name: string, resolve: Resolve): SchemaView | undefined {
  const { items, properties } = view.schema;
  if (isJsonObject(items)) {
    const item = viewOf(items, resolve, view.open);
    return item === undefined ? undefined : memberOf(item, name, resolve);
  }
  const member = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (isJsonObject(member)) return viewOf(member, resolve, view.open) ?? openView(view.open);
  const more = view.schema['additionalProperties'];
  if (isJsonObject(more)) return viewOf(more, resolve, view.open) ?? openView(view.open);
  for (const variant of view.variants) {
    const found = memberOf(variant, name, resolve);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The view of an unknown value. */
function openView(open: readonly string[]): SchemaView {
  return { schema: {}, open, variants: [], isNullable: false };
}

/** `over` is closer to the use, so its members win. */
function merged(under: SchemaView, over: SchemaView): SchemaView {
  const properties = {
    ...objectOrEmpty(under.schema['properties']),
    ...objectOrEmpty(over.schema['properties']),
  };
  const required = [...listOf(under.schema['required']), ...listOf(over.schema['required'])];
  return {
    schema: {
      ...under.schema,
      ...over.schema,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    },
    open: [...new Set([...under.open, ...over.open])],
    variants: [...under.variants, ...over.variants],
    isNullable: under.isNullable || over.isNullable,
  };
}

function isNullable({ nullable, type }: JsonObject): boolean {
  return nullable === true || type === 'null' || listOf(type).includes('null');
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject);
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
