import { NOT_PLAIN, plainOutput } from '@fairlead/connector-runtime/outputs/cut-json';
import type { Outcome } from './execution.ts';

/** Cuts a text to at most `maxLength` UTF-16 code units, followed by a note that it was cut. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()} [cut: ${text.length - maxLength} more characters]`;
}

/** The outcome of a call; a failure if its output is not JSON or is nested too deep. */
export function plainOutcome(outcome: Outcome): Outcome {
  if (!outcome.isSuccess) return outcome;
  const output = plainOutput(outcome.output);
  if (output) return { isSuccess: true, output };
  return { isSuccess: false, errorMessage: NOT_PLAIN };
}
