import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';
import { withMysqlSession } from '../onprem-database/mysql/session.ts';
import { textInput } from '../postgresql/call-inputs.ts';

const DEFAULT_TOP = 100;

/** A part of a statement, with the values for its placeholders. */
interface Part {
  readonly sql: string;
  readonly values: readonly Json[];
}

/** Rows of one table whose columns have the given values. */
export function listRows(call: HandlerCall): Promise<JsonObject> {
  const condition = conditionOf(call);
  const orderBy = textInput(call.fields, 'orderBy');
  const order =
    orderBy === undefined
      ? ''
      : ` ORDER BY ${name(orderBy)}${call.fields['isDescending'] === true ? ' DESC' : ''}`;
  const window = ` LIMIT ${String(call.top ?? DEFAULT_TOP)} OFFSET ${String(call.offset ?? 0)}`;
  const sql = `SELECT * FROM ${tableOf(call)}${condition.sql}${order}${window}`;
  return withMysqlSession(call, 'read', async (session) => ({
    items: (await session.query(sql, condition.values)).items,
  }));
}

/** Inserts rows in one statement: all of them or none. */
export function insertRows(call: HandlerCall): Promise<JsonObject> {
  const { rows } = parsedMembers(call.fields);
  const objects = rows !== undefined && isArray(rows) ? rows.filter(isObject) : [];
  const columns = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0)
    throw new InputError([{ field: 'fields.rows', issue: 'must name at least one column' }]);
  const marks = objects.map(
    (row) => `(${columns.map((column) => (column in row ? '?' : 'DEFAULT')).join(', ')})`,
  );
  const values = objects.flatMap((row) =>
    columns.flatMap((column) => (column in row ? [row[column] ?? null] : [])),
  );
  return change(call, {
    sql: `INSERT INTO ${tableOf(call)} (${columns.map(name).join(', ')}) VALUES ${marks.join(', ')}`,
    values,
  });
}

/** Changes the rows whose columns have the given values. */
export function updateRows(call: HandlerCall): Promise<JsonObject> {
  const { values: given } = parsedMembers(call.fields);
  const entries = isObject(given) ? Object.entries(given) : [];
  if (entries.length === 0)
    throw new InputError([{ field: 'fields.values', issue: 'must name at least one column' }]);
  const condition = requiredCondition(call);
  return change(call, {
    sql: `UPDATE ${tableOf(call)} SET ${entries.map(([column]) => `${name(column)} = ?`).join(', ')}${condition.sql}`,
    values: [...entries.map(([, value]) => value), ...condition.values],
  });
}

/** Deletes the rows whose columns have the given values. */
export function deleteRows(call: HandlerCall): Promise<JsonObject> {
  const { sql, values } = requiredCondition(call);
  return change(call, { sql: `DELETE FROM ${tableOf(call)}${sql}`, values });
}

function change(call: HandlerCall, { sql, values }: Part): Promise<JsonObject> {
  return withMysqlSession(call, 'write', async (session) => ({
    rowCount: (await session.query(sql, values)).rowCount,
  }));
}

function tableOf({ fields }: HandlerCall): string {
  const schema = textInput(fields, 'schema');
  const table = name(textInput(fields, 'table') ?? '');
  return schema === undefined ? table : `${name(schema)}.${table}`;
}

function name(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

function conditionOf(call: HandlerCall): Part {
  const { where } = parsedMembers(call.fields);
  const entries = isObject(where) ? Object.entries(where) : [];
  if (entries.length === 0) return { sql: '', values: [] };
  // NULL equals nothing, except with this operator.
  const sql = entries.map(([column]) => `${name(column)} <=> ?`).join(' AND ');
  return { sql: ` WHERE ${sql}`, values: entries.map(([, value]) => value) };
}

/** A forgotten condition must not change every row. */
function requiredCondition(call: HandlerCall): Part {
  const condition = conditionOf(call);
  if (condition.sql === '')
    throw new InputError([{ field: 'fields.where', issue: 'must name at least one column' }]);
  return condition;
}
