import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { markOf } from './lazy-json.ts';

const OPEN_ARRAY = 0x5b;
const QUOTE = 0x22;

const sources = new WeakMap<object, Uint8Array>();

/** A member that is a deferred text: what reads it, and its JSON. */
interface DeferredText {
  readonly read: () => string;
  readonly json: Uint8Array;
}

/** The deferred texts of each object, by name: a string has no identity of its own. */
const texts = new WeakMap<object, Map<string, DeferredText>>();

/**
 * The object or array that `json` is: JSON as JSON.stringify writes it, in UTF-8. It is parsed when something of it is first read;
 * what only passes it on takes its bytes from jsonOf. Nothing of it may be changed.
 */
export function deferJson(json: Uint8Array): JsonObject | JsonValue[] {
  let parsed: object | undefined;
  const value = (): object => (parsed ??= JSON.parse(textIn(json)) as object);
  const refuse = (): never => {
    throw new TypeError('A deferred value does not change.');
  };
  const target: JsonObject | JsonValue[] = json[0] === OPEN_ARRAY ? [] : {};
  const deferred = new Proxy(target, {
    get: (_target, name) =>
      // JSON.stringify asks for it.
      name === 'toJSON' ? () => markOf(json) ?? value() : (Reflect.get(value(), name) as unknown),
    has: (_target, name) => Reflect.has(value(), name),
    ownKeys: () => Reflect.ownKeys(value()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(value(), name),
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  });
  sources.set(deferred, json);
  return deferred;
}

/** The bytes of a value of deferJson, whether it has been parsed or not; undefined for any other value. */
export function jsonOf(value: unknown): Uint8Array | undefined {
  return typeof value === 'object' && value !== null ? sources.get(value) : undefined;
}

/**
 * Sets a member to the value that `json` is, as deferJson has it. A text, too, is decoded when it is first read, and stays deferred
 * in what withMembers and copyMember make of the object; any other copy has it decoded.
 */
export function setDeferred(object: object, name: string, json: Uint8Array): void {
  if (json[0] === QUOTE) setText(object, name, { read: textReader(json), json });
  else setValue(object, name, deferJson(json));
}

/** Whether members of the object were set to deferred texts. */
function hasTexts(object: object): boolean {
  return texts.has(object);
}

/** The bytes of a deferred text that is a member of the object. */
export function textJson(object: object, name: string): Uint8Array | undefined {
  return texts.get(object)?.get(name)?.json;
}

/** The bytes of a member that is deferred, whether it has been read or not. */
export function memberJson(object: object, name: string): Uint8Array | undefined {
  return textJson(object, name) ?? jsonOf(Reflect.get(object, name));
}

/** Sets a member to that of another object; a deferred one stays deferred. */
export function copyMember(from: object, name: string, to: object): void {
  const text = texts.get(from)?.get(name);
  if (text === undefined) setValue(to, name, Reflect.get(from, name));
  else setText(to, name, text);
}

/** A copy of the object with these members set. Deferred members stay deferred. */
export function withMembers<T extends object>(object: T, members: Readonly<Record<string, unknown>>): T {
  if (!hasTexts(object)) return { ...object, ...members };
  const copy = {};
  for (const name of Object.keys(object))
    copyMember(Object.hasOwn(members, name) ? members : object, name, copy);
  for (const name of Object.keys(members)) if (!Object.hasOwn(copy, name)) copyMember(members, name, copy);
  // It has the members of both.
  return copy as T;
}

function textReader(json: Uint8Array): () => string {
  let text: string | undefined;
  // JSON.stringify reads it.
  return () => markOf(json) ?? (text ??= JSON.parse(textIn(json)) as string);
}

function setText(object: object, name: string, text: DeferredText): void {
  const known = texts.get(object) ?? new Map<string, DeferredText>();
  texts.set(object, known.set(name, text));
  Object.defineProperty(object, name, { get: text.read, enumerable: true, configurable: true });
}

/** Even a member named `__proto__`, for which an assignment would set the prototype. */
function setValue(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') Reflect.set(object, name, value);
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function textIn(json: Uint8Array): string {
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
}
