import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { FilterCondition, ToolCall } from '../call.ts';
import { renderText, textOf } from '../templates.ts';
import type { QueryPair } from './query.ts';

/** The query parameters for a call's filters and sorts: one per condition and one per clause, in order. */
export function listQuery(
  tool: Pick<ToolDefinition, 'filters' | 'sorts'>,
  call: Pick<ToolCall, 'filters' | 'sorts'>,
): QueryPair[] {
  return [...filterPairs(tool, call), ...sortPairs(tool, call)];
}

/** `filter.json` is the value as JSON text, for vendors that distinguish `1` from `"1"`. */
function filterPairs(
  { filters }: Pick<ToolDefinition, 'filters'>,
  call: Pick<ToolCall, 'filters'>,
): QueryPair[] {
  const { query = null, byField } = filters ?? {};
  if (byField !== undefined) return call.filters.flatMap((filter) => parameterPair(byField, filter));
  if (query === null) return [];
  return call.filters.flatMap((filter) => {
    const values = { filter: { ...filter, json: JSON.stringify(filter.value) } };
    const value = renderText(query.value, values);
    return value === undefined ? [] : [[query.name, value] as const];
  });
}

/** The query parameter for a condition, whose operator was checked before. */
function parameterPair(
  byField: NonNullable<NonNullable<ToolDefinition['filters']>['byField']>,
  { field, operator, value }: FilterCondition,
): QueryPair[] {
  const name = Object.hasOwn(byField, field) ? byField[field]?.[operator] : undefined;
  return name === undefined ? [] : [[name, textOf(value)]];
}

function sortPairs({ sorts }: Pick<ToolDefinition, 'sorts'>, call: Pick<ToolCall, 'sorts'>): QueryPair[] {
  const query = sorts?.query ?? null;
  if (query === null) return [];
  return call.sorts.flatMap((sort) => {
    const value = renderText(query.value, { sort: { ...sort } });
    return value === undefined ? [] : [[query.name, value] as const];
  });
}
