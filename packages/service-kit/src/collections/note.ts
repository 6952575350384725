/** A property of an object that only this process knows, kept on the object itself. */
export interface Note<K extends object, V> {
  get(object: K): V | undefined;
  set(object: K, value: V): void;
}

/**
 * A note on objects that live as long as one request, instead of a WeakMap. V8 takes a WeakMap's values for used whenever it collects the
 * young objects, whether or not their keys still are: a value that refers to its key, as what belongs to a request does, is kept and copied
 * with all that it refers to until old objects are collected, which is seldom. `name` shows when the object is inspected.
 */
export function createNote<K extends object, V>(name: string): Note<K, V> {
  const key = Symbol(name);
  type Noted = K & { [key]?: V };
  return {
    get: (object: Noted) => object[key],
    set(object: Noted, value) {
      object[key] = value;
    },
  };
}
