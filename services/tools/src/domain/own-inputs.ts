import { FILTER_OPERATORS, SORT_DIRECTIONS } from '@fairlead/connector-model/enumerations';
import type { FilterSupport, SortSupport, ToolDefinition } from '@fairlead/connector-model/model';
import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { validationError } from '@fairlead/errors/api-error';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { listArguments, withListArguments } from '@fairlead/tool-schemas/list-arguments';
import type { ListArgument } from '@fairlead/tool-schemas/list-arguments';
import { isSchemaProfile, restoreInputs, SCHEMA_PROFILES } from '@fairlead/tool-schemas/profile';
import type { RequestedQuery } from './query.ts';

interface ToolInputs extends Pick<ToolDefinition, 'inputSchema'> {
  readonly filters: Pick<FilterSupport, 'max'> | null;
  readonly sorts: Pick<SortSupport, 'max'> | null;
  readonly paging: object | null;
}

/**
 * Converts inputs that a model created for a definition in the dialect `schemaProfile` to the tool's own form (an empty dialect is the own
 * form): list arguments are taken out of `fields`. VALIDATION_ERROR for an unknown dialect, for an argument without that form, and for one
 * that the request also has beside `fields`.
 */
export function ownInputs<T extends RequestedQuery & { readonly fields: LazyObject }>(
  tool: ToolInputs,
  requested: T,
  schemaProfile: string,
): T {
  if (schemaProfile === '') return requested;
  if (!isSchemaProfile(schemaProfile))
    throw validationError({ field: 'schemaProfile', issue: `must be one of ${SCHEMA_PROFILES.join(', ')}` });
  const support = supportOf(tool);
  const schema = withListArguments(tool.inputSchema, support);
  const restored = restoreInputs(schema, schemaProfile, parsedMembers(requested.fields));
  const names = listArguments(tool.inputSchema, support).filter((name) => Object.hasOwn(restored, name));
  if (names.length === 0) return { ...requested, fields: restored };
  const fields = Object.fromEntries(
    Object.entries(restored).filter(([name]) => !names.some((argument) => argument === name)),
  );
  const query = names.reduce<Partial<RequestedQuery>>(
    (taken, name) => ({ ...taken, ...argumentOf(name, restored[name] ?? null, requested) }),
    {},
  );
  return { ...requested, fields, ...query };
}

function supportOf({ filters, sorts, paging }: ToolInputs) {
  return {
    supportsFilters: filters !== null,
    supportsSort: sorts !== null,
    supportsTopOffset: paging !== null,
    maxFilters: filters?.max ?? 0,
    maxSorts: sorts?.max ?? 0,
  };
}

function argumentOf(name: ListArgument, value: Json, requested: RequestedQuery): Partial<RequestedQuery> {
  // Models send null for omitted inputs.
  if (value === null) return {};
  const other = requested[name];
  if (typeof other === 'number' || (other !== undefined && other.length > 0))
    throw wrong(name, `must not be given beside ${name} of the request`);
  switch (name) {
    case 'filters':
      return {
        filters: clauses(name, value).map(([field, { operator, value: operand }]) => ({
          field,
          operator: FILTER_OPERATORS.find((known) => known === operator),
          value: operand,
        })),
      };
    case 'sorts':
      return {
        sorts: clauses(name, value).map(([field, { direction }]) => ({
          field,
          direction: SORT_DIRECTIONS.find((known) => known === direction),
        })),
      };
    case 'top':
    case 'offset':
      if (typeof value !== 'number') throw wrong(name, 'must be an integer');
      return { [name]: value };
  }
}

/** The filters or sorts of an input, each with the name of its field. */
function clauses(name: 'filters' | 'sorts', value: Json): (readonly [string, JsonObject])[] {
  if (!isJsonArray(value)) throw wrong(name, 'must be an array');
  return value.map((clause, index) => {
    if (!isJsonObject(clause)) throw wrong(`${name}[${index}]`, 'must be an object');
    const { field } = clause;
    if (typeof field !== 'string') throw wrong(`${name}[${index}].field`, 'must be a string');
    return [field, clause];
  });
}

function wrong(path: string, issue: string): Error {
  return validationError({ field: `fields.${path}`, issue });
}
