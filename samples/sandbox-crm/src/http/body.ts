import express from 'express';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { Failure, invalid } from '../domain/failure.ts';
import type { FieldProblem } from '../domain/failure.ts';

const jsonParser = express.json({ limit: '1mb', strict: false });

/** Parses JSON bodies for `readBody`, which refuses other media types. */
export async function parseJsonBody(req: Request, res: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    jsonParser(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

/** Parses the body by `schema`; throws a 415 or a 400 `Failure` that names every invalid field. */
export function readBody<T>(req: Request, schema: z.ZodType<T>): T {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && req.is('application/json') === false) {
    throw new Failure(415, 'unsupported_media_type', 'Send the body as Content-Type: application/json.');
  }
  return checkBody(req.body, schema);
}

/** Parses `body` by `schema`; throws a 400 `Failure` that names every invalid field. */
export function checkBody<T>(body: unknown, schema: z.ZodType<T>): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw invalid(result.error.issues.flatMap((issue) => toProblems(issue, body)));
}

function toProblems(issue: z.core.$ZodIssue, body: unknown): readonly FieldProblem[] {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.'),
      message: 'is not a known field',
    }));
  }
  if (field === '' && issue.code !== 'custom') return [{ field, message: 'expected a JSON object as body' }];
  return [{ field, message: field !== '' && isAbsent(body, issue.path) ? 'is required' : issue.message }];
}

function isAbsent(body: unknown, path: readonly PropertyKey[]): boolean {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return true;
    value = Reflect.get(value, key);
  }
  return value === undefined;
}
