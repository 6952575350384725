import { ApiError, validationError } from '@fairlead/errors/api-error';
import { issueText } from '@fairlead/service-kit/json/issue-text';
import { z } from 'zod';
import { fieldPath } from './field-path.ts';
import { unknownName } from './unknown-names.ts';
import type { Finding } from './finding.ts';

/** Maximum number of fields that one response names; the rest is left out. */
const MAX_FINDINGS = 100;

/** Parses `input` by `schema`. Returns the value, or one finding per field for at most MAX_FINDINGS fields. */
export function parseInput(
  schema: z.ZodType,
  input: unknown,
):
  | { readonly value: unknown; readonly findings: readonly [] }
  | { readonly value: undefined; readonly findings: readonly Finding[] } {
  // zod drops an issue's schema from its result but keeps the array `keys` of unknown names, which serves as the
  // map's key.
  const knownBeside = new Map<readonly string[], readonly string[]>();
  const result = schema.safeParse(input, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') knownBeside.set(issue.keys, membersOf(issue.inst));
      return issueText(issue);
    },
  });
  if (result.success) return { value: result.data, findings: [] };
  const findings = new Map<string, Finding>();
  for (const issue of result.error.issues)
    for (const finding of findingsOf(issue, input, knownBeside)) {
      // One finding per field: its first problem is the one to fix first.
      if (findings.size < MAX_FINDINGS && !findings.has(finding.field)) findings.set(finding.field, finding);
    }
  return { value: undefined, findings: [...findings.values()] };
}

function findingsOf(
  issue: z.core.$ZodIssue,
  input: unknown,
  knownBeside: ReadonlyMap<readonly string[], readonly string[]>,
): readonly Finding[] {
  const { path, code, message } = issue;
  if (code === 'unrecognized_keys') {
    const known = knownBeside.get(issue.keys) ?? [];
    return issue.keys
      .slice(0, MAX_FINDINGS)
      .map((name) => unknownName(fieldPath([...path, name]), { name, known }));
  }
  const isEnum = code === 'invalid_value' && typeof valueAt(input, path) === 'string';
  return [{ field: fieldPath(path), issue: message, isEnum }];
}

function membersOf(schema: unknown): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The error with all findings: INVALID_ENUM_VALUE if all are invalid enum values, otherwise VALIDATION_ERROR. */
export function refusalOf(findings: readonly Finding[]): ApiError {
  const details = findings.map(({ field, issue }) => ({ field, issue }));
  if (!findings.every((finding) => finding.isEnum)) return validationError(...details);
  const text = details.map(({ field, issue }) => `${field} ${issue}.`).join(' ');
  return new ApiError('INVALID_ENUM_VALUE', text, { details });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
    input,
  );
}
