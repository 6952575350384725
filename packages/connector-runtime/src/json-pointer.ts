import type { Json } from '@fairlead/connector-model/json';
import { isArray, isObject } from './templates.ts';

/** The value at an RFC 6901 pointer; undefined if there is none. `''` is the document itself. */
export function valueAt(document: Json | undefined, pointer: string): Json | undefined {
  if (pointer === '') return document;
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === undefined) return undefined;
    if (isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
