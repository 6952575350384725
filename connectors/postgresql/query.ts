import { Query } from 'pg';
import type { Client, FieldDef } from 'pg';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';
import { columnParser } from './column-values.ts';

/** The result of a statement: its rows, and the number of rows it returned or affected. */
export interface QueryRows {
  readonly items: readonly JsonObject[];
  readonly rowCount: number;
}

/**
 * Runs one statement in the extended protocol, which accepts no second statement after a semicolon. Throws HandlerError
 * as soon as the rows exceed the output limit; they are never all held in memory.
 */
export function queryRows(client: Client, text: string, values: readonly Json[]): Promise<QueryRows> {
  return new Promise((resolve, reject) => {
    const items: JsonObject[] = [];
    let bytes = 0;
    // The types of pg do not know `queryMode` yet.
    const config = {
      text,
      values: values.map(parameter),
      rowMode: 'array',
      queryMode: 'extended',
      types: { getTypeParser: columnParser },
    };
    const query = new Query<Json[]>(config);
    query.on('row', (row: readonly Json[], result?: { readonly fields: readonly FieldDef[] }) => {
      if (bytes > MAX_OUTPUT_BYTES) return;
      const item = rowObject(row, result?.fields ?? []);
      bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
      items.push(item);
      if (bytes > MAX_OUTPUT_BYTES) {
        reject(new HandlerError('The result is larger than 1 MiB. Request fewer rows or columns.'));
      }
    });
    query.on('error', reject);
    query.on('end', (result) => {
      resolve({ items, rowCount: result.rowCount ?? 0 });
    });
    client.query(query);
  });
}

/** A value for a placeholder. Lists become database arrays, objects JSON text; the database infers the types. */
function parameter(value: Json): Json {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** A row by column name; a repeated name gets a number, so that no value is lost. */
function rowObject(row: readonly Json[], fields: readonly FieldDef[]): JsonObject {
  const members = new Map<string, Json>();
  fields.forEach(({ name }, index) => {
    let key = name;
    for (let count = 2; members.has(key); count += 1) key = `${name}_${count}`;
    members.set(key, row[index] ?? null);
  });
  return Object.fromEntries(members);
}
