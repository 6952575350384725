import { inspect } from 'node:util';

const MASK = '***';

/**
 * A value that is never printed: JSON, string conversion, `util.inspect` and the log all give `***`. Only `reveal()`
 * returns the value, so a search for that name finds every place where a secret leaves its wrapper.
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
