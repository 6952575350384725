import { partsOfOutput } from '@fairlead/connector-runtime/outputs/output-parts';
import { validationError } from '@fairlead/errors/api-error';
import type { Outcome } from './execution.ts';

/** Paths of the requested parts of an output. */
export type OutputFields = readonly string[];

/** Maximum number of paths per call, and their maximum length. Source: docs/limits.md. */
const MAX_PATHS = 100;
const MAX_PATH_LENGTH = 200;

/**
 * Parses paths such as `items.name`: member names from the output down, separated by dots; an array on the way stands for each of its
 * items. Undefined without paths, which means the whole output. VALIDATION_ERROR names malformed paths.
 */
export function readOutputFields(paths: readonly string[]): OutputFields | undefined {
  if (paths.length === 0) return undefined;
  if (paths.length > MAX_PATHS)
    throw validationError({ field: 'outputFields', issue: `must be at most ${MAX_PATHS} paths` });
  const issues = paths.flatMap((path, index) =>
    isPath(path)
      ? []
      : [
          {
            field: `outputFields[${index}]`,
            issue: `must be names separated by dots, at most ${MAX_PATH_LENGTH} characters`,
          },
        ],
  );
  if (issues.length > 0) throw validationError(...issues);
  return paths;
}

function isPath(path: string): boolean {
  return path.length <= MAX_PATH_LENGTH && path.split('.').every((name) => name !== '');
}

/** The outcome reduced to the requested part of its output. */
export function projectOutcome(outcome: Outcome, fields: OutputFields | undefined): Outcome {
  if (!outcome.isSuccess || fields === undefined) return outcome;
  return { isSuccess: true, output: partsOfOutput(outcome.output, fields) };
}
