import { hash } from 'node:crypto';
import type { Json } from '@fairlead/connector-model/json';
import type { Program } from '../evaluation-workers.ts';
import { EXPRESSION_MS, expressionsOf } from './expressions.ts';

/** Longest processor time of the expressions of one template together. */
const MAX_TEMPLATE_MS = 10_000;
/**
 * Additional time in which JSONata can end an expression itself and name it, before the worker is killed. Only a regular expression needs
 * the kill.
 */
const GRACE_MS = 1_000;

/** A JSON value in which strings that begin with `=` are JSONata. Its input is their context; see `parseTemplateResult`. */
export function templateProgram(template: Json): Program {
  const text = JSON.stringify(template);
  return {
    language: 'jsonata',
    key: hash('sha256', `jsonata ${text}`, 'base64'),
    source: () => text,
    runMs: Math.min(MAX_TEMPLATE_MS, GRACE_MS + EXPRESSION_MS * Math.max(1, expressionsOf(template).length)),
  };
}

/** A JSONata condition; its result is that of a template whose value is a boolean. */
export function conditionProgram(text: string): Program {
  return {
    language: 'jsonataCondition',
    key: hash('sha256', `jsonataCondition ${text}`, 'base64'),
    source: () => text,
    runMs: GRACE_MS + EXPRESSION_MS,
  };
}

/** Parses a list of JSONata texts; see `parseSyntaxIssues` for its result. */
export const syntaxProgram: Program = {
  language: 'jsonataSyntax',
  key: 'jsonataSyntax',
  source: () => '',
  runMs: 2_000,
};

/** The value of a template, undefined if it selects nothing, or where and why an expression failed. */
export type TemplateResult =
  | { readonly value: Json | undefined }
  | { readonly error: { readonly path: string; readonly message: string } };

/** The result of a template as a worker, which may be compromised, sent it. */
export function parseTemplateResult(result: unknown): TemplateResult {
  const { value, error } = membersOf(result);
  if (error === undefined) return { value: value as Json | undefined };
  const { path, message } = membersOf(error);
  return { error: { path: String(path), message: String(message) } };
}

/** The issues of syntaxProgram as a worker sent them, by the index of the text. */
export function parseSyntaxIssues(result: unknown): ReadonlyMap<number, string> {
  const issues: readonly unknown[] = Array.isArray(result) ? result : [];
  return new Map(
    issues.map((each) => {
      const { index, issue } = membersOf(each);
      return [Number(index), String(issue)];
    }),
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' ? { ...value } : {};
}
