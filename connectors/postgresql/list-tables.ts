import type { Handler } from '@fairlead/connector-runtime/handler';
import { textInput } from './call-inputs.ts';
import { withSession } from './session.ts';

const TABLES = `
  SELECT n.nspname AS "schema",
         c.relname AS "name",
         CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materializedView' WHEN 'f' THEN 'foreignTable'
                        ELSE 'table' END AS "type"
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
    AND ($1::text IS NULL OR n.nspname = $1)
    AND has_schema_privilege(n.oid, 'USAGE')
    AND has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
  ORDER BY 1, 2`;

/** Returns the tables and views that the user has any privilege on. */
export const listTables: Handler = (call) =>
  withSession(call, 'read', async (session) => {
    const { items } = await session.query(TABLES, [textInput(call.fields, 'schema') ?? null]);
    return { items };
  });
