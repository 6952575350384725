import { z } from 'zod';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/** The text of an issue for people, as the `error` option of a parse. A message in the schema takes precedence. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      // For any input that is not a number, zod reports that a number was expected; only the schema knows that it
      // must be an integer.
      return issue.inst instanceof z.core.$ZodNumberFormat
        ? 'must be an integer'
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum));
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum));
    case 'invalid_format':
      return FORMAT_TEXTS[issue.format] ?? 'has the wrong form';
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : 'is not valid';
    default:
      return 'is not valid';
  }
}

function oneOf(values: readonly unknown[]): string {
  return `must be one of ${values.map(String).join(', ')}`;
}

const FORMAT_TEXTS: Readonly<Record<string, string>> = {
  datetime: 'must be a time in ISO 8601 with its offset, such as 2026-01-31T12:00:00Z',
  guid: 'must be a GUID',
};

function tooSmall(origin: string, minimum: number): string {
  if (origin === 'string')
    return minimum === 1 ? 'must not be empty' : `must be at least ${minimum} characters long`;
  if (origin === 'array') return `must hold at least ${minimum} ${minimum === 1 ? 'entry' : 'entries'}`;
  return `must be at least ${minimum}`;
}

function tooBig(origin: string, maximum: number): string {
  if (origin === 'string') return `must be at most ${maximum} characters long`;
  if (origin === 'array') return `must hold at most ${maximum} entries`;
  return `must be at most ${maximum}`;
}
