import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { MAX_JSON_VALUES, requireJsonLimits } from '@fairlead/connector-runtime/json-limits';
import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';
import { uniqueNames } from './column-names.ts';

/** The rows of a result as objects by column name. Throws HandlerError as soon as they certainly exceed a limit of the output. */
export class BoundedRows {
  readonly items: JsonObject[] = [];
  #names: readonly string[] = [];
  /** An object with all columns, in which every name is an own member, even `__proto__`. */
  #empty: JsonObject = {};
  #namesLength = 0;
  #cells = 0;
  /** Lower bound for the length of the rows' JSON text. */
  #length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_OUTPUT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Sets the names of the columns of the following rows. */
  columns(names: readonly string[]): void {
    this.#names = uniqueNames(names);
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]));
    this.#namesLength = this.#names.reduce((sum, name) => sum + name.length + 3, 0);
  }

  /** Adds a row; `valueAt` returns the value of a column. */
  row(valueAt: (index: number) => Json): void {
    this.#cells += this.#names.length + 1;
    if (this.#cells > MAX_JSON_VALUES) {
      throw new HandlerError(
        `The result has more than ${MAX_JSON_VALUES} rows and values. Request less data.`,
      );
    }
    const item: Record<string, Json> = { ...this.#empty };
    this.#length += this.#namesLength;
    this.#names.forEach((name, index) => {
      const value = valueAt(index);
      if (value === null) return;
      if (typeof value === 'string') this.#length += value.length;
      else if (typeof value === 'object') this.#length += nestedLength(value);
      item[name] = value;
    });
    if (this.#length > this.#maxBytes) {
      const mib = this.#maxBytes / 1024 / 1024;
      throw new HandlerError(`The result is larger than ${mib} MiB. Request fewer rows or columns.`);
    }
    this.items.push(item);
  }
}

/** The length of the JSON text of a list or an object. Throws CallFailure if it is above a limit. */
function nestedLength(value: Json): number {
  requireJsonLimits(value, 'A row');
  return JSON.stringify(value).length;
}
