import type { Client, FieldDef } from 'pg';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { MAX_JSON_VALUES, requireJsonLimits } from '@fairlead/connector-runtime/json-limits';
import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';
import { uniqueNames } from './column-names.ts';
import { columnParser } from './column-values.ts';
import { runStatement } from './round-trip.ts';
import type { Preparation, RowReader } from './round-trip.ts';

/** The result of a statement: its rows, and the number of rows it returned or affected. */
export interface QueryRows {
  readonly items: readonly JsonObject[];
  readonly rowCount: number;
}

/**
 * Runs one statement in the extended protocol. Throws HandlerError as soon as the rows certainly exceed a limit of the
 * output, and ends the connection; they are never all held in memory.
 */
export async function queryRows(
  client: Client,
  text: string,
  values: readonly Json[],
  preparation?: Preparation,
): Promise<QueryRows> {
  const rows = new BoundedRows();
  const rowCount = await runStatement(client, { text, values: values.map(parameter), preparation, rows });
  return { items: rows.items, rowCount };
}

/** A value for a placeholder. Lists become database arrays, objects JSON text; the database infers the types. */
function parameter(value: Json): Json {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** Reads the rows of a result as objects by column name. */
class BoundedRows implements RowReader {
  readonly items: JsonObject[] = [];
  #names: readonly string[] = [];
  #parsers: readonly ((text: string) => Json)[] = [];
  /** An object with all columns, so that every name is a member of its own, `__proto__` too. */
  #empty: JsonObject = {};
  #namesLength = 0;
  #cells = 0;
  /** At most as long as the JSON text of the rows. */
  #length = 0;

  columns(fields: readonly FieldDef[]): void {
    this.#names = uniqueNames(fields.map(({ name }) => name));
    this.#parsers = fields.map(({ dataTypeID }) => columnParser(dataTypeID));
    this.#empty = Object.fromEntries(this.#names.map((name) => [name, null]));
    this.#namesLength = this.#names.reduce((sum, name) => sum + name.length + 3, 0);
  }

  row(texts: readonly (string | null)[]): void {
    this.#cells += texts.length + 1;
    if (this.#cells > MAX_JSON_VALUES) {
      throw new HandlerError(
        `The result has more than ${MAX_JSON_VALUES} rows and values. Request less data.`,
      );
    }
    const item: Record<string, Json> = { ...this.#empty };
    this.#length += this.#namesLength;
    this.#names.forEach((name, index) => {
      const text = texts[index] ?? null;
      if (text === null) return;
      const value = this.#parsers[index]?.(text) ?? null;
      if (typeof value === 'string') this.#length += value.length;
      else if (typeof value === 'object') this.#length += nestedLength(value);
      item[name] = value;
    });
    if (this.#length > MAX_OUTPUT_BYTES) {
      throw new HandlerError('The result is larger than 1 MiB. Request fewer rows or columns.');
    }
    this.items.push(item);
  }
}

/** The length of the JSON text of a list or an object. Throws CallFailure if it is above a limit. */
function nestedLength(value: Json): number {
  requireJsonLimits(value, 'A row');
  return JSON.stringify(value).length;
}
