import type { JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { Session } from './session.ts';

const COLUMNS = `
  SELECT a.attname AS "name",
         format_type(a.atttypid, a.atttypmod) AS "type",
         NOT a.attnotnull AS "isNullable",
         EXISTS (SELECT FROM pg_index i
                 WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY(i.indkey)) AS "isPrimaryKey",
         pg_get_expr(d.adbin, d.adrelid) AS "defaultValue"
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  ORDER BY a.attnum`;

/** The columns of a table or view, in order. Throws HandlerError if there is no such table. */
export async function tableColumns(
  session: Session,
  schema: string,
  table: string,
): Promise<readonly JsonObject[]> {
  const { items } = await session.query(COLUMNS, [schema, table]);
  if (items.length === 0) throw new HandlerError(`There is no table "${table}" in the schema "${schema}".`);
  return items;
}
