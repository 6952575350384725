import { inspect } from 'node:util';

const MASK = '***';

/**
 * A value that is never printed: JSON, string conversion, `util.inspect` and the log all show `***`. Only `reveal()`
 * returns the value, so a search for that name finds all places where a secret is used.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself. */
  reveal(): T {
    return this.#value;
  }

  toJSON(): '***' {
    return MASK;
  }

  toString(): '***' {
    return MASK;
  }

  [inspect.custom](): '***' {
    return MASK;
  }
}
