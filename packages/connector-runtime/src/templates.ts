import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyJson, LazyObject, LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { CallFailure } from './failure.ts';

/** Values that placeholders may name, by the root before the dot. */
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

/** The value that a placeholder names; undefined if there is none. Own members only: `constructor` is not an input. */
function lookUp(values: TemplateValues, root: string, name: string): Json | LazyJson | undefined {
  const scope = Object.hasOwn(values, root) ? values[root as keyof TemplateValues] : undefined;
  return scope !== undefined && Object.hasOwn(scope, name) ? scope[name] : undefined;
}

/**
 * Renders every string of a JSON template. A string that is one placeholder takes the value with its type. An undefined
 * value drops its member or array element, and the object of which it was all that there is, unless that is the whole; the result is
 * undefined if the whole template is one undefined value. Values that nobody has
 * parsed stay so.
 */
export function renderValue(template: Json, values: TemplateValues): LazyValue | undefined {
  if (typeof template === 'string') {
    const whole = WHOLE_PLACEHOLDER.exec(template);
    return whole === null ? renderText(template, values) : lookUp(values, whole[1] ?? '', whole[2] ?? '');
  }
  if (template === null || typeof template !== 'object') return template;
  if (isArray(template)) {
    return template.map((item) => renderValue(item, values)).filter((item) => item !== undefined);
  }
  // fromEntries defines own members, so that a key `__proto__` stays data.
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, item]) => {
      const rendered = renderValue(item, values);
      return rendered === undefined || isEmptied(item, rendered) ? [] : [[key, rendered] as const];
    }),
  );
}

/** Whether an object had members, of which none has a value: many vendors take an empty object for a value. */
function isEmptied(template: Json, rendered: LazyValue): boolean {
  return isObject(template) && Object.keys(template).length > 0 && Object.keys(rendered ?? {}).length === 0;
}

/** Renders a template to text; undefined if any placeholder is, because a partial text would be wrong. */
export function renderText(template: string, values: TemplateValues): string | undefined {
  return substitute(template, values, textOf);
}

/**
 * Replaces every placeholder with the text that `write` returns for its value; undefined if any value is. `name` is for
 * messages.
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

/** A value as text: strings as they are, a list of scalars joined by commas, other structures as JSON. */
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

/** The failure for a template with missing values. */
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
