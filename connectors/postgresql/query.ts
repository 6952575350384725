import type { Client, FieldDef } from 'pg';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { BoundedRows } from './bounded-rows.ts';
import { columnParser } from './column-values.ts';
import { runStatement } from './round-trip.ts';
import type { Preparation, RowReader } from './round-trip.ts';

/** The result of a statement: its rows, and the number of rows it returned or affected. */
export interface QueryRows {
  readonly items: readonly JsonObject[];
  readonly rowCount: number;
}

/**
 * Runs one statement in the extended protocol. As soon as the rows certainly exceed a limit of the output, it throws HandlerError and ends
 * the connection, so they are never all in memory.
 */
export async function queryRows(
  client: Client,
  text: string,
  values: readonly Json[],
  o: { readonly maxBytes: number; readonly preparation?: Preparation },
): Promise<QueryRows> {
  const { preparation } = o;
  const rows = new QueryReader(o.maxBytes);
  const rowCount = await runStatement(client, { text, values: values.map(parameter), preparation, rows });
  return { items: rows.items, rowCount };
}

/** A value for a placeholder. Lists become database arrays, objects become JSON text; the database infers the types. */
function parameter(value: Json): Json {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** Reads the rows of a result as objects by column name. */
class QueryReader implements RowReader {
  readonly #rows: BoundedRows;
  #parsers: readonly ((text: string) => Json)[] = [];

  constructor(maxBytes: number) {
    this.#rows = new BoundedRows(maxBytes);
  }

  get items(): readonly JsonObject[] {
    return this.#rows.items;
  }

  columns(fields: readonly FieldDef[]): void {
    this.#rows.columns(fields.map(({ name }) => name));
    this.#parsers = fields.map(({ dataTypeID }) => columnParser(dataTypeID));
  }

  row(texts: readonly (string | null)[]): void {
    this.#rows.row((index) => {
      const text = texts[index] ?? null;
      return text === null ? null : (this.#parsers[index]?.(text) ?? null);
    });
  }
}
