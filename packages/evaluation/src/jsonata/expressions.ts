import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/json';

/** How long one expression may take, in milliseconds. Source: row completion.toolsets-and-workflows.43. */
export const EXPRESSION_MS = 1_000;

/** Whether a string of a template is an expression: it begins with `=`. */
export function isExpression(text: Json | undefined): text is `=${string}` {
  return typeof text === 'string' && text.startsWith('=');
}

/** An expression of a template, with its path in it: `.name` for a member, `[0]` for an item. */
export interface PlacedExpression {
  readonly path: string;
  /** Without the `=`. */
  readonly text: string;
}

/** The expressions of a template, in its order. */
export function expressionsOf(template: Json): readonly PlacedExpression[] {
  const found: PlacedExpression[] = [];
  const path: (string | number)[] = [];
  const walk = (part: Json): void => {
    if (isExpression(part)) found.push({ path: pathText(path), text: part.slice(1) });
    else if (isJsonArray(part)) for (const [index, item] of part.entries()) walkInto(item, index);
    else if (isJsonObject(part)) for (const [name, member] of Object.entries(part)) walkInto(member, name);
  };
  const walkInto = (part: Json, step: string | number): void => {
    path.push(step);
    walk(part);
    path.pop();
  };
  walk(template);
  return found;
}

/** Most parts are not expressions and need no path text. */
function pathText(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}
