import { Query } from 'pg';
import type { Client, FieldDef } from 'pg';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { MAX_JSON_VALUES, requireJsonLimits } from '@fairlead/connector-runtime/json-limits';
import { MAX_OUTPUT_BYTES } from '@fairlead/connector-runtime/output-limit';
import { uniqueNames } from './column-names.ts';
import { columnParser } from './column-values.ts';

/** The result of a statement: its rows, and the number of rows it returned or affected. */
export interface QueryRows {
  readonly items: readonly JsonObject[];
  readonly rowCount: number;
}

/**
 * Runs one statement in the extended protocol, which accepts no second statement after a semicolon. Throws HandlerError
 * as soon as the rows exceed a limit, and ends the connection; they are never all held in memory.
 */
export function queryRows(client: Client, text: string, values: readonly Json[]): Promise<QueryRows> {
  return new Promise((resolve, reject) => {
    const items: JsonObject[] = [];
    let bytes = 0;
    let cells = 0;
    let readRow: RowReader | undefined;
    // The types of pg do not know `queryMode` yet.
    const config = {
      text,
      values: values.map(parameter),
      rowMode: 'array',
      queryMode: 'extended',
      // Values are parsed below, where what is thrown ends the connection; pg would first read all other rows.
      types: { getTypeParser: () => asReceived },
    };
    const query = new Query<(string | null)[]>(config);
    query.on('row', (row: readonly (string | null)[], result?: { readonly fields: readonly FieldDef[] }) => {
      cells += row.length + 1;
      if (cells > MAX_JSON_VALUES) {
        throw new HandlerError(
          `The result has more than ${MAX_JSON_VALUES} rows and values. Request less data.`,
        );
      }
      readRow ??= rowReader(result?.fields ?? []);
      const item = readRow(row);
      requireJsonLimits(item, 'A row');
      bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
      if (bytes > MAX_OUTPUT_BYTES) {
        throw new HandlerError('The result is larger than 1 MiB. Request fewer rows or columns.');
      }
      items.push(item);
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

type RowReader = (row: readonly (string | null)[]) => JsonObject;

/** Reads the rows of a result as objects by column name. */
function rowReader(fields: readonly FieldDef[]): RowReader {
  const names = uniqueNames(fields.map(({ name }) => name));
  const parsers = fields.map(({ dataTypeID }) => columnParser(dataTypeID));
  return (row) =>
    Object.fromEntries(
      names.map((name, index) => {
        const text = row[index] ?? null;
        return [name, text === null ? null : (parsers[index]?.(text) ?? null)];
      }),
    );
}

function asReceived(text: string): string {
  return text;
}
