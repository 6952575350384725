import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import jsonata from 'jsonata';
import { EXPRESSION_MS, isExpression } from './expressions.ts';

/** Maximum size of a template's value, in characters of JSON. */
const MAX_VALUE_LENGTH = 1024 * 1024;
/** Maximum nesting depth of a value, equal to that of a tool's output. */
const MAX_VALUE_DEPTH = 40;
/** Limit for expressions that recurse or generate endlessly, before they use up the worker's memory. */
const MAX_STACK = 500;
const MAX_SEQUENCE = 200_000;
const MAX_MESSAGE_LENGTH = 500;

/** The issue of each text that is not JSONata, with its index. */
export function syntaxIssues(texts: Json): Json {
  const issues: JsonObject[] = [];
  for (const [index, text] of (isJsonArray(texts) ? texts : []).entries()) {
    try {
      jsonata(typeof text === 'string' ? text : '');
    } catch (error) {
      issues.push({ index, issue: messageOf(error) });
    }
  }
  return issues;
}

/** A parsed part of a template: returns its value, undefined if its expression selects nothing. */
type Part = (context: Json) => Promise<Json | undefined>;

/** An expression that failed, and where. */
class ExpressionError extends Error {
  override name = 'ExpressionError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Parses a template; throws if one of its expressions is not JSONata. The result evaluates it over a context, as
 * `{value}`, without a member if the template as a whole selects nothing, or `{error: {path, message}}`. A member whose
 * expression selects nothing is left out; such an item of a list is null.
 */
export function compileTemplate(template: Json): (context: Json) => Promise<Json> {
  const evaluate = compilePart(template, '');
  return async (context) => {
    try {
      const value = await evaluate(context);
      return value === undefined ? {} : { value };
    } catch (error) {
      if (error instanceof ExpressionError) return { error: { path: error.path, message: error.message } };
      throw error;
    }
  };
}

/**
 * Parses one expression; throws if it is not JSONata. The result evaluates it over a context and returns `{value}`,
 * whether the expression is truthy, or `{error}` like a template. Its actual value may be large, and is not needed.
 */
export function compileCondition(expression: string): (context: Json) => Promise<Json> {
  const evaluate = compileTemplate(`=${expression}`);
  return async (context) => {
    const result = await evaluate(context);
    return isJsonObject(result) && 'error' in result
      ? result
      : { value: isJsonObject(result) && result['value'] === true };
  };
}

function compilePart(template: Json, path: string): Part {
  if (isExpression(template)) return compileExpression(template.slice(1), path);
  if (isJsonArray(template)) {
    const parts = template.map((item, index) => compilePart(item, `${path}[${index}]`));
    return async (context) => {
      const items: Json[] = [];
      for (const part of parts) items.push((await part(context)) ?? null);
      return items;
    };
  }
  if (isJsonObject(template)) {
    const parts = Object.entries(template).map(
      ([name, member]) => [name, compilePart(member, `${path}.${name}`)] as const,
    );
    return async (context) => {
      const members = {};
      for (const [name, part] of parts) {
        const value = await part(context);
        if (value !== undefined) setMember(members, name, value);
      }
      return members;
    };
  }
  return () => Promise.resolve(template);
}

function compileExpression(text: string, path: string): Part {
  const expression = jsonata(text, { timeout: EXPRESSION_MS, stack: MAX_STACK, sequence: MAX_SEQUENCE });
  return async (context) => {
    let json: string | undefined;
    try {
      // Converted through JSON text, because JSONata's result may contain functions and parts of the context.
      json = JSON.stringify(await expression.evaluate(context), withoutFunction);
    } catch (error) {
      throw new ExpressionError(path, messageOf(error));
    }
    if (json === undefined) return undefined;
    if (json.length > MAX_VALUE_LENGTH)
      throw new ExpressionError(path, `Its value is larger than ${MAX_VALUE_LENGTH} characters of JSON.`);
    const value = JSON.parse(json) as Json;
    if (isDeeper(value, MAX_VALUE_DEPTH))
      throw new ExpressionError(path, `Its value nests more than ${MAX_VALUE_DEPTH} levels deep.`);
    return value;
  };
}

/** JSONata's functions are objects, which refer to everything. */
function withoutFunction(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return '_jsonata_lambda' in value || '_jsonata_function' in value ? undefined : value;
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** JSONata throws plain objects; a stack overflow is an Error. */
function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message).slice(0, MAX_MESSAGE_LENGTH);
}
