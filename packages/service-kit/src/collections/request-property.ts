/** A property on an object, visible to this process only. */
export interface RequestProperty<K extends object, V> {
  get(object: K): V | undefined;
  set(object: K, value: V): void;
}

/**
 * Creates a property of objects that live as long as one request. It replaces a WeakMap, whose values V8 keeps alive
 * in minor collections even if their keys are dead: a value that refers to its key, like request state, would be
 * copied with everything it refers to until a major collection. `name` is shown when the object is inspected.
 */
export function createRequestProperty<K extends object, V>(name: string): RequestProperty<K, V> {
  const key = Symbol(name);
  type WithProperty = K & { [key]?: V };
  return {
    get: (object: WithProperty) => object[key],
    set(object: WithProperty, value) {
      object[key] = value;
    },
  };
}
