import type { Json } from '@fairlead/connector-model/json';
import { parsedMembers } from '@fairlead/connector-runtime/handler';
import type { LazyObject } from '@fairlead/connector-runtime/handler';
import { isArray } from '@fairlead/connector-runtime/templates';

/** The table that a call names; its schema is `public` unless it names one. */
export function tableInput(fields: LazyObject): { readonly schema: string; readonly table: string } {
  return { schema: textInput(fields, 'schema') ?? 'public', table: textInput(fields, 'table') ?? '' };
}

/** The SQL of a call, and the values for its placeholders. */
export function statementInput(fields: LazyObject): {
  readonly sql: string;
  readonly params: readonly Json[];
} {
  const { params } = parsedMembers(fields);
  return {
    sql: textInput(fields, 'sql') ?? '',
    params: params !== undefined && isArray(params) ? params : [],
  };
}

/** A text input; undefined if it is absent. */
export function textInput(fields: LazyObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}
