import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyJson, LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { CallFailure } from './failure.ts';

/** Values for placeholders, by the part of the name before the dot. */
export interface TemplateValues {
  readonly input?: LazyObject;
  readonly field?: JsonObject;
  readonly setting?: JsonObject;
  readonly page?: JsonObject;
  readonly filter?: JsonObject;
  readonly sort?: JsonObject;
  readonly token?: JsonObject;
  readonly cursor?: JsonObject;
  readonly webhook?: JsonObject;
}

const PLACEHOLDER = /\{\{\s*([a-z]+)\.([^{}]+?)\s*\}\}/g;
const WHOLE_PLACEHOLDER = /^\{\{\s*([a-z]+)\.([^{}]+?)\s*\}\}$/;

/** The value of a placeholder; undefined if there is none. Looks up own members only: `constructor` is not an input. */
function lookUp(values: TemplateValues, root: string, name: string): Json | LazyJson | undefined {
  const scope = Object.hasOwn(values, root) ? values[root as keyof TemplateValues] : undefined;
  return scope !== undefined && Object.hasOwn(scope, name) ? scope[name] : undefined;
}

/**
 * Renders every string of a JSON template. A string that consists of one placeholder becomes the value with its type.
 * An undefined value removes its member or array element. An object or a list that loses all members is removed
 * too, unless it is the root. The result is undefined if the whole template is one undefined value. Unparsed JSON values stay
 * unparsed.
 */
export function renderValue(template: Json, values: TemplateValues): LazyValue | undefined {
  if (typeof template === 'string') {
    const whole = WHOLE_PLACEHOLDER.exec(template);
    return whole === null ? renderText(template, values) : lookUp(values, whole[1] ?? '', whole[2] ?? '');
  }
  if (template === null || typeof template !== 'object') return template;
  if (isArray(template)) {
    return template.flatMap((item) => {
      const rendered = renderValue(item, values);
      return rendered === undefined || isEmptied(item, rendered) ? [] : [rendered];
    });
  }
  // fromEntries defines own members, so a key `__proto__` stays data.
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, item]) => {
      const rendered = renderValue(item, values);
      return rendered === undefined || isEmptied(item, rendered) ? [] : [[key, rendered] as const];
    }),
  );
}

/** Whether an object or a list lost all of its members. It is removed, because many vendors take an empty one for a value. */
function isEmptied(template: Json, rendered: LazyValue): boolean {
  if (typeof template !== 'object' || template === null) return false;
  return Object.keys(template).length > 0 && Object.keys(rendered ?? {}).length === 0;
}

/** Renders a template to text; undefined if any placeholder has no value, because a partial text would be wrong. */
export function renderText(template: string, values: TemplateValues): string | undefined {
  return substitute(template, values, textOf);
}

/**
 * Replaces each placeholder by `write(value)`; undefined if any placeholder has no value. `name` is the placeholder's
 * name, for messages.
 */
export function substitute(
  template: string,
  values: TemplateValues,
  write: (value: Json, name: string) => string,
): string | undefined {
  let isComplete = true;
  const text = template.replaceAll(PLACEHOLDER, (_match, root: string, name: string) => {
    const value = lookUp(values, root, name);
    if (value === undefined) isComplete = false;
    return value === undefined ? '' : write(parsed(value), name);
  });
  return isComplete ? text : undefined;
}

/** Renders a value as text: strings unchanged, a list of scalars joined by commas, other structures as JSON. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (isArray(value) && value.every((item) => item === null || typeof item !== 'object')) {
    return value.map(textOf).join(',');
  }
  return JSON.stringify(value);
}

/** The names of the `input.*` placeholders of a template. */
function inputNames(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, root, name]) =>
    root === 'input' && name !== undefined ? [name] : [],
  );
}

export function missingValue(template: string): CallFailure {
  const names = inputNames(template);
  return new CallFailure(
    names.length === 0
      ? 'The connection lacks a value that this request needs.'
      : `The request needs a value for ${names.join(', ')}.`,
  );
}

/** Array.isArray that narrows JSON to readonly arrays. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a value is a JSON object: neither an array nor null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}
